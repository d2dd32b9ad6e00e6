"""Ways to keep a pair of fields in vacuum and step it: arrays, structures, and the engine's own steps.

All take (3, nz + 1, ny + 1, row) float32 on the host; ``row`` as in yee.py, so rows begin at whole vectors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Resources
from engines.backend.lab.variants import kernel_resources
from engines.backend.twins import pick
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.lab.benchmarks import Counts
from engines.fdtd.lab.problems import COURANT, LabYee
from engines.fdtd.lab.variants import layout_kernels

LAYOUT = Path(__file__).with_name("layout.cu")
LAYOUTS = ("arrays", "structures", "one structure", "padded")
"""By the number that ``layout.cu`` gives them."""
WIDTHS = {"structures": 3, "one structure": 6, "padded": 4}
BLOCK = (32, 8)


def courant_factor() -> float:
    """s = cΔt/Δ of all forms."""
    yee = Yee((2, 2, 2), (1.0, 1.0, 1.0))
    return SPEED_OF_LIGHT * COURANT * yee.largest_step()


class Form(ABC):
    """Fields on a device. ``launch`` takes ``steps`` steps and is called inside ``backend.active()``."""

    steps = 1
    bytes: int

    @abstractmethod
    def put(self, electric: Array, magnetic: Array) -> None:
        """Set the fields."""

    @abstractmethod
    def launch(self) -> None: ...

    @abstractmethod
    def fields(self) -> tuple[Array, Array]:
        """(electric, magnetic) on the host."""

    def resources(self) -> Resources | None:
        return None


class LayoutForm(Form):
    """One of LAYOUTS, stepped by kernels that are here for comparison."""

    def __init__(self, backend: Any, counts: Counts, layout: str, block: tuple[int, ...] = BLOCK) -> None:
        self._backend, self._layout, self._block = backend, layout, block
        self._shape = Yee(counts, (1.0, 1.0, 1.0)).shape
        self._s = np.float32(courant_factor())
        self._counts = counts
        self._fields = [self._made() for _ in range(1 if layout == "one structure" else 2)]
        self.bytes = sum(field.nbytes for field in self._fields)
        self._kernels: list[Any] = []
        self.electric, self.magnetic = pick(backend, cpu=self._cpu_passes, cuda=self._cuda_passes)()

    def _made(self) -> Any:
        shape = (3, *self._shape) if self._layout == "arrays" else (*self._shape, WIDTHS[self._layout])
        return self._backend.array(np.zeros(shape, np.float32))

    def _cpu_passes(self) -> tuple[Callable[[], None], Callable[[], None]]:
        pair = self._pair()
        named = "arrays" if self._layout == "arrays" else "structures"
        passes = [getattr(layout_kernels, f"{field}_{named}") for field in ("electric", "magnetic")]
        return lambda: passes[0](*pair, self._s, *self._counts), lambda: passes[1](*pair, self._s, *self._counts)

    def _cuda_passes(self) -> tuple[Callable[[], None], Callable[[], None]]:
        module = self._backend.compile(LAYOUT, (f"-DLAYOUT={LAYOUTS.index(self._layout)}",))
        self._kernels = [module.get_function(f"layout_{field}") for field in ("electric", "magnetic")]
        nx, ny, nz = self._counts
        grid = (-(-nx // self._block[0]), -(-ny // self._block[1]), nz)
        fields = self._fields
        if self._layout == "one structure":  # H begins behind the three of E
            fields = [fields[0].reshape(-1), fields[0].reshape(-1)[3:]]
        arguments = (*fields, self._s, *(np.int32(n) for n in (*self._counts, self._shape[2])))
        return (
            lambda: self._kernels[0](grid, self._block, arguments),
            lambda: self._kernels[1](grid, self._block, arguments),
        )

    def _pair(self) -> tuple[Any, Any]:
        if self._layout == "arrays":
            return self._fields[0], self._fields[1]
        return self._fields[0][..., :3], self._fields[-1][..., -3 if self._layout == "one structure" else 0 :][..., :3]

    def put(self, electric: Array, magnetic: Array) -> None:
        with self._backend.active():
            for mine, field in zip(self._pair(), (electric, magnetic), strict=True):
                mine[...] = self._backend.array(
                    np.ascontiguousarray(field if self._layout == "arrays" else np.moveaxis(field, 0, -1))
                )

    def launch(self) -> None:
        self.electric()
        self.magnetic()

    def fields(self) -> tuple[Array, Array]:
        whole = [self._backend.to_host(field) for field in self._fields]
        if self._layout == "arrays":
            return whole[0], whole[1]
        first = 3 if self._layout == "one structure" else 0
        electric, magnetic = whole[0][..., :3], whole[-1][..., first : first + 3]
        return np.moveaxis(electric, -1, 0), np.moveaxis(magnetic, -1, 0)

    def resources(self) -> Resources | None:
        return kernel_resources(self._backend, self._kernels[0], self._block, 0) if self._kernels else None


class ExpressionsForm(LayoutForm):
    """Arrays on the host, stepped by slices."""

    def __init__(self, backend: Backend, counts: Counts) -> None:
        super().__init__(backend, counts, "arrays")

    def launch(self) -> None:
        layout_kernels.step_expressions(*self._pair(), self._s, *self._counts)


class EngineForm(Form):
    """The engine's own steps, of either device."""

    def __init__(self, backend: Any, made: Any, steps: int = 1, passes: bool = True) -> None:
        """made: of problems.make_lab_steps; steps: of a launch; passes: in two, so that their resources are known"""
        self._backend, self._made, self.steps, self._passes = backend, made, steps, passes
        self._values = np.zeros((steps, 0))
        self.bytes = made.electric.nbytes + made.magnetic.nbytes

    def put(self, electric: Array, magnetic: Array) -> None:
        with self._backend.active():
            self._made.electric[...] = self._backend.array(electric)
            self._made.magnetic[...] = self._backend.array(magnetic)

    def launch(self) -> None:
        if isinstance(self._made, LabYee):
            self._made.enqueue(self.steps)
        else:
            self._made.advance(self._values)

    def fields(self) -> tuple[Array, Array]:
        return self._backend.to_host(self._made.electric), self._backend.to_host(self._made.magnetic)

    def resources(self) -> Resources | None:
        return self._made.resources("electric") if self._passes and isinstance(self._made, LabYee) else None
