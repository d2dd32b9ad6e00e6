"""Where sums are kept and made: :class:`CpuSums` calls Numba kernels, :class:`CudaSums` those of ``monitors.cu``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engines.api import Array
from engines.backend.tuning import tune, tuning_key
from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.sums import cpu_kernels
from engines.fdtd.monitors.sums.blocks import Block, Rectangle
from engines.fdtd.step.steps import YeeSteps

SOURCE = Path(__file__).with_name("monitors.cu")
THREADS = 256
FREQUENCIES_PER_BLOCK = 32
MOST_FLUX_BLOCKS = 128
REAL = {"float32": "-DREAL=float", "float64": "-DREAL=double"}
PACKED = {"float32": (4, 2, 1), "float64": (2, 1)}
ALIGNED = 4
"""Samples are filled up to a multiple of this."""


def padded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


class Sums(Protocol):
    """sums: (frequencies, 2, n), samples: (batch, n), both of the steps' precision; all methods inside of
    ``backend.active``."""

    sums: Any
    samples: Any

    def sample(self, slot: int) -> None:
        """The present field into ``samples[slot]``."""

    def accumulate(self, turns: Array) -> None:
        """Add the whole buffer; turns: (frequencies, batch, 2)."""

    def spectrum(self, frequency: int, turns: Array) -> Array:
        """(n,) complex of the sums' precision, on the host: one frequency's sums and what waits in the buffer, which
        stay as they are."""

    def parts_of(self, frequency: int, turns: Array) -> Any:
        """(2, n) on the device: real and imaginary parts of the same, until the next call."""

    def flux(self, rectangle: Rectangle, start: int, turns: Array, filled: int) -> Array:
        """(frequencies,) complex: ``Σ (E_p H_q* − E_q H_p*) ΔA``."""


class _Kept(ABC):
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
    def _into(self, before: Any, after: Any, turns: Array) -> None:
        """``after`` becomes ``before`` and the buffer's samples, each turned by its phase."""

    def accumulate(self, turns: Array) -> None:
        self._into(self.sums, self.sums, turns)

    def spectrum(self, frequency: int, turns: Array) -> Array:
        real, imaginary = self._backend.to_host(self.parts_of(frequency, turns))
        found = np.empty(real.shape, np.result_type(self.dtype, np.complex64))
        found.real, found.imag = real, imaginary
        return found

    def parts_of(self, frequency: int, turns: Array) -> Any:
        if self._read is None:
            self._read = self._backend.empty((1, 2, self._n), self.dtype)
        one = slice(frequency, frequency + 1)
        self._into(self.sums[one], self._read, turns[one])
        return self._read[0]


class CpuSums(_Kept):
    """On the CPU; as :class:`Sums`."""

    def sample(self, slot: int) -> None:
        steps = self._steps
        cpu_kernels.sample(
            steps.electric.reshape(-1), steps.magnetic.reshape(-1), self._blocks, self._parts, self.samples[slot]
        )

    def _into(self, before: Any, after: Any, turns: Array) -> None:
        cpu_kernels.accumulate(before, after, self.samples, turns.astype(self.dtype))

    def flux(self, rectangle: Rectangle, start: int, turns: Array, filled: int) -> Array:
        out = np.empty((self._frequencies, 2))
        cpu_kernels.flux(
            self.sums, self.samples, turns.astype(self.dtype), filled, start, *rectangle.counts,
            self._widths_of(rectangle), out,
        )  # fmt: skip
        return np.asarray(out[:, 0] + 1j * out[:, 1])


class CudaSums(_Kept):
    """On a GPU; as :class:`Sums`. ``packed``: values of a thread; None: the best, measured once per device and size."""

    def __init__(self, *arguments: Any, packed: int | None = None) -> None:
        super().__init__(*arguments)
        self._packed = packed or self._best()

    def _kernel(self, name: str, packed: int) -> Any:
        macros = [REAL[self.dtype.name], f"-DS={self._batch}", f"-DV={packed}"]
        return self._backend.compile(SOURCE, macros).get_function(name)

    def _best(self) -> int:
        """Measured on sums and samples of zeros: adding them changes nothing."""
        info = self._backend.info
        macros = [REAL[self.dtype.name], f"-DS={self._batch}"]
        key = tuning_key(f"fdtd sums {self._frequencies}", info, SOURCE, self._n, macros)
        turns = self._backend.array(np.zeros((self._frequencies, self._batch, 2), self.dtype))

        def seconds(shape: tuple[int, ...]) -> float:
            return float(self._backend.elapsed(lambda: self._launch(self.sums, self.sums, turns, shape[0])))

        return tune(key, [(packed,) for packed in PACKED[self.dtype.name]], seconds)[0]

    def sample(self, slot: int) -> None:
        steps = self._steps
        self._kernel("sample", 1)(
            (-(-self._largest // THREADS), len(self._blocks)), (THREADS,),
            (steps.electric, steps.magnetic, self._blocks, self._parts, self.samples[slot]),
        )  # fmt: skip

    def _into(self, before: Any, after: Any, turns: Array) -> None:
        self._launch(before, after, self._backend.array(turns.astype(self.dtype)), self._packed)

    def _launch(self, before: Any, after: Any, turns: Any, packed: int) -> None:
        count = turns.shape[0]
        self._kernel("accumulate", packed)(
            (-(-self._n // (THREADS * packed)), -(-count // FREQUENCIES_PER_BLOCK)), (THREADS,),
            (before, after, self.samples, turns, np.int64(self._n), np.int32(count)),
        )  # fmt: skip

    def flux(self, rectangle: Rectangle, start: int, turns: Array, filled: int) -> Array:
        blocks = min(-(-rectangle.size // THREADS), MOST_FLUX_BLOCKS)
        out = self._backend.empty((blocks, self._frequencies, 2), np.float64)
        count_p, count_q = rectangle.counts
        self._kernel("flux", 1)(
            (blocks, self._frequencies), (THREADS,),
            (
                self.sums, self.samples, self._backend.array(turns.astype(self.dtype)), np.int64(self._n),
                np.int32(filled), np.int64(start), np.int32(count_p), np.int32(count_q),
                self._widths_of(rectangle), out,
            ),
        )  # fmt: skip
        total = self._backend.to_host(out).sum(axis=0)
        return np.asarray(total[:, 0] + 1j * total[:, 1])


def make_sums(backend: Any, yee: Yee, steps: YeeSteps, blocks: Sequence[Block], frequencies: int, batch: int) -> Sums:
    """Sums of zero on the device of ``backend``."""
    kind = CpuSums if backend.id == "cpu" else CudaSums
    return kind(backend, yee, steps, blocks, frequencies, batch)
