"""Sums of monitors on the CPU: calls the Numba kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.fdtd.monitors.sums import cpu_kernels
from engines.fdtd.monitors.sums.blocks import Rectangle
from engines.fdtd.monitors.sums.sums import Sums
from engines.fdtd.step.steps import YeeSteps

SAMPLE_SECONDS, ADD_SECONDS = 2e-9, 0.2e-9
"""[s] of one core to sample a value, and to add a sample to a sum."""


class CpuSums(Sums):
    """On the CPU; as :class:`Sums`."""

    def sample(self, slot: int) -> None:
        steps = self._steps
        with self._backend.cores_for(SAMPLE_SECONDS * self._n):
            cpu_kernels.sample(
                steps.electric.reshape(-1), steps.magnetic.reshape(-1), self._blocks, self._parts, self.samples[slot]
            )

    def _into(self, before: Any, after: Any, turns: Array) -> None:
        with self._backend.cores_for(ADD_SECONDS * self._n * len(turns) * self._batch):
            cpu_kernels.accumulate(before, after, self.samples, turns.astype(self.dtype))

    def flux(self, rectangle: Rectangle, start: int, turns: Array, filled: int) -> Array:
        out = np.empty((self._frequencies, 2))
        cpu_kernels.flux(
            self.sums, self.samples, turns.astype(self.dtype), filled, start, *rectangle.counts,
            self._widths_of(rectangle), out,
        )  # fmt: skip
        return np.asarray(out[:, 0] + 1j * out[:, 1])


def gather_points(backend: Backend, steps: YeeSteps, electric: Any, places: Any, weights: Any, to: Any) -> None:
    cpu_kernels.points(steps.electric.reshape(-1), steps.magnetic.reshape(-1), electric, places, weights, to)
