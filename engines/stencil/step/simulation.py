"""What all simulations on a grid share.

Values stand on the device in the grid's own numbering, so nothing is translated.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from engines.api import (
    Array,
    KernelTiming,
    KernelTraffic,
    NonFinite,
    Selection,
    Simulation,
)
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.stencil.diffusion.forward_euler import Diffusion
from engines.stencil.gray_scott.forward_euler import GrayScottStep
from engines.stencil.watch.content import total_and_largest

SAMPLE_STEPS = 48
"""Steps between two samples of probes and series: whole passes of 2, 3, 4, 6, 8, 12 and 16 fused steps."""


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


def unfused(steps: Diffusion | GrayScottStep) -> KernelTraffic:
    """The traffic of steps that are taken one by one with kernels that could fuse them."""
    traffic, depth = steps.traffic, steps.depth
    return KernelTraffic(traffic.kernel, traffic.bytes_read * depth, traffic.bytes_written * depth, traffic.flops)
