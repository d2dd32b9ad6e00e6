"""The report's iterations on this machine, with and without a graph, and the operator by size and density."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.lab import Case, Column, Inputs, LabTable, Prepared, PublishedRows, Row, Study, Variant
from engines.backend.lab.timing import launch_seconds
from engines.backend.timing import cache_bytes, free_bytes, host_seconds
from engines.spiking.events import vectors
from engines.spiking.lab.studies import PUBLISHED, STUDIES
from engines.spiking.lab.variants.products import made

MOST_SETS, SET_MEMORY = 16, 10e9
"""Copies of a matrix that take turns, and the bytes that they may take together."""
ONE_BY_ONE_LAUNCHES = 200
STEPS = (
    ("Baseline: plain scan", "plain"),
    ("Iteration 1: ballot", "ballot"),
    ("Iteration 2: predicated, 512 threads", "predicated"),
    ("Bit-packed spikes", "bits"),
    ("Row gather", "gather"),
    ("Compaction, then gather", "compacted"),
    ("Compaction in the gather", "engine"),
    ("fp16", "fp16"),
    ("int8", "int8"),
    ("cuBLAS, or BLAS", "cublas"),
)
ON_CPU = {"engine": "numba-engine", "cublas": "blas"}


class IterationTable(LabTable):
    id = "spiking-iterations"
    title = "Weights times spikes, by how the kernel is written"
    summary = (
        "Microseconds of a product in float32 with other weights each time, from a graph where launches are short, and "
        "what the host needs to launch one by itself: 85 µs of dispatch in the published run. A step that is wrong by "
        "more than its tolerance has no figures."
    )
    columns = (
        Column("Neurons", result=False),
        Column("Firing", "%", result=False),
        Column("Step", result=False),
        Column("Time", "µs"),
        Column("Launch alone", "µs", digits=3),
        Column("Of copy", "%", digits=3),
    )
    published = (
        PublishedRows(
            "Binary Dense Matrix-Vector CUDA Kernel Optimization Report, brainevent, 2026-02-21",
            "RTX 3080 Ti",
            tuple(
                (size, percent, title, PUBLISHED[percent][step][size], None, None)
                for percent in PUBLISHED
                for title, step in STEPS[:3]
                for size in PUBLISHED[percent][step]
            ),
        ),
    )
    sizes: Mapping[str, tuple[str, ...]] = {"cpu": ("5K",), "cuda": ("5K", "10K", "20K")}

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        kind = backend.info.kind
        names = self.sizes["cuda" if thorough else kind]
        rows: list[Row] = []
        for study, percent in zip(STUDIES, PUBLISHED, strict=True):
            by_id = {variant.id: variant for variant in study.variants}
            for case in (case for case in study.cases if case.name in names):
                progress(f"{study.title}, {case.name}", len(rows) / (len(STEPS) * len(names) * len(STUDIES)))
                inputs = study.inputs(case, np.random.default_rng())
                for title, step in STEPS:
                    variant = by_id[ON_CPU.get(step, step) if kind == "cpu" else step]
                    if variant.device == kind:
                        figures = _figures(backend, study, case, variant, inputs)
                        rows.append((case.name, percent, title, *figures))
        return rows


def _figures(
    backend: Backend, study: Study, case: Case, variant: Variant, inputs: Inputs
) -> tuple[float | None, float | None, float | None]:
    """[µs], [µs], [%]; None where it cannot be measured, or is wrong."""
    moved = case.points * variant.bytes
    memory = min(SET_MEMORY, 0.5 * free_bytes(backend))
    sets = max(1, min(MOST_SETS, math.floor(2 * cache_bytes(backend) / moved) + 1, int(memory / (4 * case.points))))
    try:
        prepared = variant.prepare(backend, case, inputs, sets, None)
    except (WorkbenchError, MemoryError):
        return None, None, None
    try:
        if _error(backend, study, variant, inputs, prepared) > (variant.tolerance or study.tolerance):
            return None, None, None
        seconds = launch_seconds(backend, lambda number: prepared.launch(number % sets))
        alone = None
        if backend.info.kind == "cuda":
            count = max(1, min(ONE_BY_ONE_LAUNCHES, round(0.05 / seconds)))
            alone = 1e6 * host_seconds(backend, lambda number: prepared.launch(number % sets), count)
        return 1e6 * seconds, alone, 100 * moved / seconds / backend.ceilings().copy
    finally:
        prepared.close()


def _error(backend: Backend, study: Study, variant: Variant, inputs: Inputs, prepared: Prepared) -> float:
    """The largest, relative to the largest value; where nobody fired, and all values are zero, as it is."""
    prepared.poison(0)
    with backend.active():
        prepared.launch(0)
    expected = study.reference(inputs, 1)
    error = np.abs(prepared.result(0) - expected).max() / (np.abs(expected).max() or 1.0)
    return float(error) if np.isfinite(error) else float("inf")


class DensityTable(LabTable):
    id = "spiking-density"
    title = "Weights times spikes by neurons and density"
    summary = (
        "The engine's dense product in float32, other spikes each time. The floor is the time in which as many bytes "
        "are copied as the weights of those that fired have; caches, and that nothing is written, may bring it above "
        "100 %."
    )
    columns = (
        Column("Neurons", digits=6, result=False),
        Column("Firing", "%", result=False),
        Column("Time", "µs"),
        Column("Of the floor", "%", digits=3),
    )
    heat = ("Neurons", "Firing", "Of the floor")
    percents: tuple[float, ...] = (0.1, 0.3, 1, 3, 10, 30, 100)
    quick: Mapping[str, tuple[int, ...]] = {"cpu": (1_000, 2_000, 5_000), "cuda": (1_000, 2_000, 5_000, 10_000, 20_000)}
    largest: Mapping[str, int] = {"cpu": 20_000, "cuda": 40_000}

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        kind = backend.info.kind
        sizes = self.quick[kind] + ((self.largest[kind],) if thorough else ())
        rows: list[Row] = []
        for number, n in enumerate(sizes):
            progress(f"{n:,} neurons", number / len(sizes))
            if 4 * n * n > 0.5 * free_bytes(backend):
                continue
            generator = np.random.default_rng()
            weights = generator.random((n, n), np.float32)
            product = made(backend, weights, "dense")
            copies = [product]
            while len(copies) * weights.nbytes < 2 * cache_bytes(backend) and len(copies) < MOST_SETS:
                copies.append(product.another())
            rows += [(n, percent, *_at(backend, copies, weights, percent)) for percent in self.percents]
        return rows


def _at(
    backend: Backend, copies: Sequence[object], weights: np.ndarray, percent: float
) -> tuple[float | None, float | None]:
    """[µs] and [%] of the floor; None where a product is wrong."""
    n = len(weights)
    drawn = [np.random.default_rng().random((1, n)) < percent / 100 for _ in range(MOST_SETS)]
    given = [vectors.on(backend, each) for each in drawn]
    out = backend.empty((1, n), np.float32)

    def launch(number: int) -> None:
        gather: Callable[..., None] = copies[number % len(copies)].gather_into  # type: ignore[attr-defined]  # products
        gather(out, given[number % len(given)])

    with backend.active():
        launch(0)
    expected = weights[drawn[0][0]].sum(axis=0, dtype=np.float64)
    # sums of numbers of one sign, as in the studies; up to ten times as many
    if np.abs(backend.to_host(out)[0] - expected).max() > 1e-5 * max(expected.max(), 1e-30):
        return None, None
    seconds = launch_seconds(backend, launch)
    moved = 4 * n * float(np.mean([each.sum() for each in drawn]))
    return 1e6 * seconds, 100 * moved / seconds / backend.ceilings().copy


TABLES: tuple[LabTable, ...] = (IterationTable(), DensityTable())
