"""What all simulations on a grid share.

Values stand on the device in the grid's own numbering, so nothing is translated.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from engines.api import (
    Array,
    Dab,
    KernelTiming,
    KernelTraffic,
    NonFinite,
    Selection,
    Simulation,
)
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.stencil.diffusion import Diffusion
from engines.stencil.gray_scott import GrayScottStep
from engines.stencil.measures import paint, total_and_largest

SAMPLE_STEPS = 48
"""Steps between two samples of probes and series: whole passes of 2, 3, 4, 6, 8, 12 and 16 fused steps."""

ROUND = 1e-5
"""In units of the last digit: fp32 noise above a round number does not add one."""


class GridSimulation(Simulation):
    """Fields in C order on a grid. ``arrays`` holds the fields by name, on the device."""

    advice: ClassVar[str] = "use a smaller time step."
    sample_steps = SAMPLE_STEPS

    def __init__(self, backend: Backend, grid: Grid, dt: float, arrays: dict[str, Any]) -> None:
        self.geometry = grid
        self.dt = dt
        self.step = 0
        self._backend = backend
        self._arrays = arrays

    def advance(self, steps: int) -> None:
        if steps > 0:
            self._take(steps)
            self.step += steps

    @abstractmethod
    def _take(self, steps: int) -> None:
        """``steps`` steps of the kernels, timed."""

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> Any:
        return self._backend.select(selection)

    def gather(self, name: str, handle: Any) -> Array:
        return self._backend.gather(self._values(name).reshape(-1), handle)

    def field(self, name: str) -> Array:
        return self._backend.to_host(self._values(name)).reshape(-1).astype(np.float32, copy=False)

    def _values(self, name: str) -> Any:
        return self._arrays[name]

    def set_control(self, name: str, value: Any) -> None:
        raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")

    def state(self) -> dict[str, Array]:
        held = {name: self._backend.to_host(values) for name, values in self._arrays.items()}
        return {"step": np.array(self.step), **held}

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, values in self._arrays.items():
            if state[name].shape != values.shape:
                raise ValueError(f"a grid of {state[name].shape}, not {values.shape}")
        for name, values in self._arrays.items():
            with self._backend.active():
                values[...] = self._backend.array(state[name])
        self.step = int(state["step"])

    def _content(self, name: str) -> dict[str, float]:
        """Integral over the grid and largest value."""
        total, largest = total_and_largest(self._backend, self._arrays[name])
        return {"content": total * math.prod(self.geometry.spacing), "largest": largest}

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        for info in self.fields:
            place = self._backend.first_non_finite(self._values(info.name))
            if place is not None:
                return NonFinite(f"The field '{info.title}'", place, self.advice)
        return None

    def close(self) -> None:
        self._arrays.clear()


class PaintedSource:
    """A source on the device that is made at the first dab: a step without one reads less.

    ``make`` gives the source before anything was painted, (grid.shape); ``rest`` is its value where it is uniform.
    """

    def __init__(self, backend: Backend, grid: Grid, make: Callable[[], Array], rest: float | None) -> None:
        self._backend, self._grid, self._make = backend, grid, make
        self._rest = rest
        self._base: Any = None
        self._nothing: Any = None  # for those who look at a source that is not there
        self.array: Any = None if rest == 0.0 else backend.array(make())

    def host(self) -> Array:
        """(grid.shape) on the host; zeros where nothing was painted."""
        return self._make() if self.array is None else self._backend.to_host(self.array)

    def shown(self) -> Any:
        """(grid.shape) on the device; what stands for a source that is not there is made once."""
        if self.array is not None:
            return self.array
        if self._nothing is None:
            self._nothing = self._backend.array(self._make())
        return self._nothing

    def replace(self, values: Array) -> None:
        """Back to what :meth:`host` gave."""
        self.array = self._backend.array(values) if values.any() or self._rest != 0.0 else None

    def paint(self, dab: Dab) -> None:
        if self.array is None:
            if dab.erase:
                return
            self.array, self._nothing = self.shown(), None
        if dab.erase and self._rest is None and self._base is None:
            self._base = self._backend.array(self._make())
        paint(self._backend, self._grid, self.array, dab, self._rest or 0.0, self._base)


def unfused(steps: Diffusion | GrayScottStep) -> KernelTraffic:
    """The traffic of steps that are taken one by one with kernels that could fuse them."""
    traffic, depth = steps.traffic, steps.depth
    return KernelTraffic(traffic.kernel, traffic.bytes_read * depth, traffic.bytes_written * depth, traffic.flops)


def field_range(values: Array, extra: Sequence[float] = ()) -> tuple[float, float]:
    """A colour range for a field that starts as ``values`` and is held at ``extra`` on its sides, with round ends.

    A field of both signs gets the same room for each, so that zero is in the middle of a diverging map.
    """
    low = min(float(values.min()), *extra, math.inf)
    high = max(float(values.max()), *extra, -math.inf)
    if not high > low:
        return low, low + 1.0  # the same everywhere: what is painted comes on top
    unit = 10.0 ** (math.floor(math.log10(high - low)) - 1)
    low, high = math.floor(low / unit + ROUND) * unit, math.ceil(high / unit - ROUND) * unit
    low, high = float(f"{low:.12g}"), float(f"{high:.12g}")
    return (min(low, -high), max(high, -low)) if low < 0 < high else (low, high)


def colours(shown: tuple[float, float], otherwise: str) -> str:
    """The colour map for a field of this range: where both signs occur, one that shows which."""
    return "diverging" if shown[0] < 0 < shown[1] else otherwise
