"""Running sums of one monitor, on either device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.twins import Twins
from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.sums.blocks import Block, Rectangle
from engines.fdtd.step.steps import YeeSteps

ALIGNED = 4
"""Samples are filled up to a multiple of this."""


def padded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


class Sums(ABC):
    """sums: (frequencies, 2, n), samples: (batch, n), both of the steps' precision; all methods inside of
    ``backend.active``."""

    def __init__(
        self, backend: Any, yee: Yee, steps: YeeSteps, blocks: Sequence[Block], frequencies: int, batch: int
    ) -> None:
        self._backend, self._yee, self._steps = backend, yee, steps
        self._batch, self._frequencies = batch, frequencies
        self.dtype = steps.dtype
        starts = np.cumsum([0, *(block.size for block in blocks)])
        self._n = padded(int(starts[-1]))
        self._largest = max(block.size for block in blocks)
        rows = [block.row(yee, int(start)) for block, start in zip(blocks, starts, strict=False)]
        self._blocks = backend.array(np.array(rows, np.int64))
        self._parts = backend.array(np.array([block.part for block in blocks], self.dtype))
        self.sums = self._zeros((frequencies, 2, self._n))
        self.samples = self._zeros((batch, self._n))
        self._widths: dict[Rectangle, Any] = {}
        self._read: Any = None

    def _zeros(self, shape: tuple[int, ...]) -> Any:
        found = self._backend.empty(shape, self.dtype)
        with self._backend.active():
            found[...] = 0
        return found

    def _widths_of(self, rectangle: Rectangle) -> Any:
        if rectangle not in self._widths:
            self._widths[rectangle] = self._backend.array(np.concatenate(rectangle.widths(self._yee)))
        return self._widths[rectangle]

    @abstractmethod
    def sample(self, slot: int) -> None:
        """The present field into ``samples[slot]``."""

    @abstractmethod
    def flux(self, rectangle: Rectangle, start: int, turns: Array, filled: int) -> Array:
        """(frequencies,) complex: ``Σ (E_p H_q* − E_q H_p*) ΔA``."""

    @abstractmethod
    def _into(self, before: Any, after: Any, turns: Array) -> None:
        """``after`` becomes ``before`` and the buffer's samples, each turned by its phase."""

    def accumulate(self, turns: Array) -> None:
        """Add the whole buffer; turns: (frequencies, batch, 2)."""
        self._into(self.sums, self.sums, turns)

    def spectrum(self, frequency: int, turns: Array) -> Array:
        """(n,) complex of the sums' precision, on the host: one frequency's sums and what waits in the buffer, which
        stay as they are."""
        real, imaginary = self._backend.to_host(self.parts_of(frequency, turns))
        found = np.empty(real.shape, np.result_type(self.dtype, np.complex64))
        found.real, found.imag = real, imaginary
        return found

    def parts_of(self, frequency: int, turns: Array) -> Any:
        """(2, n) on the device: real and imaginary parts of the same, until the next call."""
        if self._read is None:
            self._read = self._backend.empty((1, 2, self._n), self.dtype)
        one = slice(frequency, frequency + 1)
        self._into(self.sums[one], self._read, turns[one])
        return self._read[0]


SUMS = Twins[Sums](__package__, cpu="cpu:CpuSums", cuda="cuda:CudaSums")
"""Sums of zero on either device."""
POINTS = Twins[None](__package__, cpu="cpu:gather_points", cuda="cuda:gather_points")
"""Components at a point, each the weighted sum of eight places: (count,) into an array of the steps' precision."""
