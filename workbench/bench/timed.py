"""One variant at one size and launch shape: checked, timed and held against the ceiling.

Caches are cold because the launches go round among sets of buffers that together hold COLD_CACHES last-level caches.
What is wrong, does not fit, or is faster than the memory can be is a record that says so instead of a figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.lab import Prepared, Shape, Variant
from engines.backend.ceilings.curve import BandwidthPoint, ceiling_at
from engines.backend.timing import batch, cache_bytes, estimated, free_bytes, host_seconds
from workbench.bench.check import Checker
from workbench.bench.records import VariantRecord
from workbench.words.units import percent

COLD_CACHES = 4
MOST_SETS = 256
NOISE = 0.05
"""By how much a figure may pass the ceiling: both are measured, each within some per cent."""
RUN_SECONDS = {"cuda": 5e-4, "cpu": 2e-4}
"""One run is of launches that take at least this long together, MOST_LAUNCHES at most."""
MOST_LAUNCHES = 512
WARM_UP = 3
HOST_LAUNCHES = 20
FREE_SHARE = 0.9
"""Of the free memory; the rest is for what CuPy and NumPy make on the way."""


@dataclass(frozen=True)
class Effort:
    """How long a variant is timed: ``runs`` runs, or fewer once ``seconds`` have passed, but at least ``least``."""

    runs: int
    seconds: float
    least: int


FULL, QUICK = Effort(30, 0.3, 5), Effort(10, 0.05, 3)


class Cancelled(Exception):
    """The person does not want to wait for the rest."""


def sets_needed(set_bytes: float, cache: int) -> int:
    """Sets of buffers that together hold more than COLD_CACHES caches."""
    return max(1, min(MOST_SETS, math.floor(COLD_CACHES * cache / set_bytes) + 1))


class Bench:
    """Where variants are measured: a device, its bandwidth curve, and how."""

    def __init__(
        self,
        backend: Backend,
        curve: Sequence[BandwidthPoint],
        cache: Literal["cold", "warm"],
        effort: Effort,
        cancelled: Callable[[], bool],
    ) -> None:
        self._backend, self._curve, self._cache, self._effort = backend, curve, cache, effort
        self._cancelled = cancelled
        self._cache_bytes = cache_bytes(backend)

    def record(self, checker: Checker, variant: Variant, shape: Shape | None) -> VariantRecord:
        """Check and time; raises Cancelled."""
        study, case = checker.study, checker.case
        moved = variant.bytes * case.points
        sets = sets_needed(moved, self._cache_bytes) if self._cache == "cold" else 1
        blank = VariantRecord(
            study=study.id,
            variant=variant.id,
            title=variant.title,
            language=variant.language,
            case=case.name,
            points=case.points,
            shape=shape,
            steps=variant.steps,
            cache=self._cache,
            seconds=0.0,
            seconds_p5=0.0,
            seconds_p95=0.0,
            host_seconds=0.0,
            bytes=moved,
            flops=variant.flops * case.points,
            working_set=0,
            ceiling=0.0,
            error=0.0,
            tolerance=study.tolerance if variant.tolerance is None else variant.tolerance,
            seed=checker.seed,
        )
        free = FREE_SHARE * free_bytes(self._backend)
        if sets * moved > free:
            return replace(blank, refused=f"Needs {sets * moved / 1e9:.1f} GB where {free / 1e9:.1f} are free.")
        try:
            prepared = variant.prepare(self._backend, case, checker.inputs, sets, shape)
            try:
                return self._measured(blank, checker, variant, prepared, sets)
            finally:
                prepared.close()
        except WorkbenchError as error:
            return replace(blank, refused=str(error))
        except MemoryError:
            return replace(blank, refused=f"The memory that is free does not hold {case.name}.")

    def _measured(
        self, blank: VariantRecord, checker: Checker, variant: Variant, prepared: Prepared, sets: int
    ) -> VariantRecord:
        error = self._error(checker, variant, prepared)
        if not error <= blank.tolerance:
            return replace(blank, refused=_wrong(error, blank))
        times, host = self._times(variant, prepared, sets)
        resources = prepared.resources()
        working_set = sets * prepared.set_bytes
        record = replace(
            blank,
            seconds=float(np.median(times)),
            seconds_p5=float(np.percentile(times, 5)),
            seconds_p95=float(np.percentile(times, 95)),
            host_seconds=host,
            working_set=working_set,
            ceiling=ceiling_at(self._curve, working_set),
            error=error,
            registers=resources.registers if resources else None,
            shared_bytes=resources.shared_bytes if resources else None,
            occupancy=resources.occupancy if resources else None,
        )
        if record.fraction > 1 + NOISE:
            return replace(blank, refused=_impossible(record))
        return record

    def _error(self, checker: Checker, variant: Variant, prepared: Prepared) -> float:
        prepared.poison(0)
        with self._backend.active():
            prepared.launch(0)
        self._backend.synchronize()
        return checker.error(prepared.result(0), variant.steps)

    def _times(self, variant: Variant, prepared: Prepared, sets: int) -> tuple[list[float], float]:
        """(seconds of a launch in each run, host seconds of a launch)"""

        def launch(number: int) -> None:
            prepared.launch(number % sets)

        for number in range(min(WARM_UP, self._effort.least)):
            seconds = estimated(self._backend, launch, number)
            self._check()
        kind = self._backend.info.kind
        count = max(1, min(MOST_LAUNCHES, math.ceil(RUN_SECONDS[kind] / seconds)))
        if kind == "cuda":
            # A graph repeats its launches as they were captured: whole rounds, or its buffers would not be cold.
            count = sets * math.ceil(count / sets) if count > 1 else count
            # Each set once at least: what a first launch makes, a graph may not.
            host = host_seconds(self._backend, launch, max(sets, min(HOST_LAUNCHES, 4 * count)))
            # Array expressions allocate, which a graph may not; that they are launched one by one is their nature.
            several = batch(self._backend, launch, count, seconds, capture=variant.language == "CUDA" and count > 1)
        else:
            several, host = batch(self._backend, launch, count, seconds), 0.0
        times: list[float] = []
        while len(times) < self._effort.least or (
            len(times) < self._effort.runs and count * sum(times) < self._effort.seconds
        ):
            self._check()
            times.append(several.seconds())
        return times, host if kind == "cuda" else float(np.median(times))

    def _check(self) -> None:
        if self._cancelled():
            raise Cancelled


def _wrong(error: float, blank: VariantRecord) -> str:
    if not math.isfinite(error):
        return f"Wrong answer: not finite somewhere, or not written (input of seed {blank.seed})."
    return (
        f"Wrong answer: off by {error:.1e} of the largest value, where {blank.tolerance:.0e} is allowed "
        f"(input of seed {blank.seed})."
    )


def _impossible(record: VariantRecord) -> str:
    return (
        f"{record.bytes_per_second / 1e9:.0f} GB/s would be {percent(record.fraction)} of what the memory gives at "
        f"this working set ({record.ceiling / 1e9:.0f} GB/s), more than the {percent(NOISE)} that noise may "
        "add: measure again."
    )
