"""Whether a variant's answer is right, before anybody looks at its time.

Up to WHOLE points the whole answer is compared with the float64 reference. Beyond that, the reference would take
longer than all timings together: rows are compared instead, the first, the last and some that are chosen anew each
time, and the whole answer must be finite (it is filled with NaN before). The smaller cases of the same study are
compared whole, with the same kernel and the same launch shapes.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.lab import Case, Study

WHOLE = 1 << 24
WINDOWS = 6
WINDOW_POINTS = 1 << 19
"""Windows of rows, and about the points of one; at least one row."""


class Checker:
    """Fresh random input of one case, and the reference's answers for it, each computed once."""

    def __init__(self, study: Study, case: Case, seed: int) -> None:
        self.study, self.case, self.seed = study, case, seed
        generator = np.random.default_rng(seed)
        self.inputs = study.inputs(case, generator)
        self._windows = self._choose(generator)
        self._answers: dict[int, list[Array]] = {}

    def _choose(self, generator: np.random.Generator) -> list[tuple[int, int]]:
        rows = self.case.size[0]
        if self.case.points <= WHOLE or self.study.reference_rows is None:
            return []
        high = max(1, WINDOW_POINTS * rows // self.case.points)
        starts = [0, rows - high, *generator.integers(0, rows - high, WINDOWS - 2)]
        return [(int(start), int(start) + high) for start in starts]

    def _reference(self, steps: int) -> list[Array]:
        if steps not in self._answers:
            by_rows = self.study.reference_rows
            if self._windows and by_rows is not None:
                answers = [by_rows(self.inputs, steps, first, stop) for first, stop in self._windows]
            else:
                answers = [self.study.reference(self.inputs, steps)]
            self._answers[steps] = answers
        return self._answers[steps]

    def error(self, result: Array, steps: int) -> float:
        """Largest difference from the reference, relative to its largest value; infinite if it is not finite somewhere.

        ``result`` is the whole answer in the reference's shape; another shape counts as infinitely wrong.
        """
        expected = self._reference(steps)
        windows = self._windows or [(0, len(result))]
        got = [result[first:stop] for first, stop in windows]
        if any(one.shape != other.shape for one, other in zip(got, expected, strict=True)):
            return float("inf")
        if not np.isfinite(result).all():
            return float("inf")
        scale = max(float(np.abs(answer).max()) for answer in expected)
        worst = max(float(np.abs(one - other).max()) for one, other in zip(got, expected, strict=True))
        return worst / scale if scale else worst
