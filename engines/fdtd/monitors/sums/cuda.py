"""Sums of monitors on an NVIDIA GPU: launches ``monitors.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.backend.tuning import tune, tuning_key
from engines.fdtd.monitors.sums.blocks import Rectangle
from engines.fdtd.monitors.sums.rows import FREQUENCIES_PER_BLOCK, THREADS
from engines.fdtd.monitors.sums.sums import Sums
from engines.fdtd.step.steps import YeeSteps

SOURCE = Path(__file__).with_name("monitors.cu")
MOST_FLUX_BLOCKS = 128
PACKED = {"float32": (4, 2, 1), "float64": (2, 1)}


class CudaSums(Sums):
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


def gather_points(backend: Any, steps: YeeSteps, electric: Any, places: Any, weights: Any, to: Any) -> None:
    macros = [REAL[steps.dtype.name], "-DS=8", "-DV=1"]
    backend.compile(SOURCE, macros).get_function("points")(
        (1,), (32,),
        (steps.electric, steps.magnetic, electric, places, weights, np.int32(len(electric)), to),
    )  # fmt: skip
