"""Every variant of the studies equals the reference, those in CUDA thread by thread on the host."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engines.api.device import Ceilings
from engines.api.lab import Case
from engines.backend.cpu import CpuBackend
from engines.spiking.events.dense import cuda
from engines.spiking.lab.studies import STUDIES
from workbench.bench.check import Checker

host = pytest.importorskip("tests.cuda_on_host")
CASES = (Case("37", (37, 37), 37 * 37), Case("300", (300, 300), 90_000))


@pytest.mark.parametrize(
    ("study", "variant"),
    [
        pytest.param(study, variant, id=f"{study.id}-{variant.id}")
        for study in STUDIES
        for variant in study.variants
        if variant.language != "CuPy"
    ],
)
def test_a_variant_equals_the_reference(study, variant, tmp_path, monkeypatch):
    """From the second set of buffers, with every launch shape."""
    if variant.language == "CUDA" and host.COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cuda, "SHAPES", dict.fromkeys((False, True), ((64, 8, 16),)))
    backend = host.HostCudaBackend() if variant.language == "CUDA" else CpuBackend()
    for case in CASES:
        checker = Checker(study, case, seed=case.points)
        for shape in variant.shapes or (None,):
            prepared = variant.prepare(backend, case, checker.inputs, 2, shape)
            for index in range(2):
                prepared.poison(index)
            with backend.active():
                prepared.launch(1)
            tolerance = study.tolerance if variant.tolerance is None else variant.tolerance
            assert checker.error(prepared.result(1), 1) <= tolerance, (case.name, shape)
            assert np.isnan(prepared.result(0)).all()
            prepared.close()


def test_tables_measure(monkeypatch):
    """Their rows on a CPU, at sizes that take no time; published rows have the same columns."""
    from engines.spiking.lab import tables

    small = tuple(dataclasses.replace(study, cases=CASES) for study in STUDIES)
    monkeypatch.setattr(tables, "STUDIES", small)
    steps, density = tables.IterationTable(), tables.DensityTable()
    monkeypatch.setattr(steps, "sizes", {"cpu": ("300",)}, raising=False)
    monkeypatch.setattr(density, "quick", {"cpu": (64,)}, raising=False)
    monkeypatch.setattr(density, "percents", (1, 100), raising=False)
    monkeypatch.setattr(tables, "launch_seconds", lambda backend, launch: launch(1) or 1e-6)
    monkeypatch.setattr(CpuBackend, "ceilings", lambda self: Ceilings(1e10, 1e10))
    rows = steps.measure(CpuBackend())
    assert [row[:3] for row in rows] == [
        ("300", percent, title) for percent in (1, 10) for title in ("Compaction in the gather", "cuBLAS, or BLAS")
    ]
    assert all(row[3] == 1.0 for row in rows)
    assert [row[:3] for row in density.measure(CpuBackend())] == [(64, 1, 1.0), (64, 100, 1.0)]
    for table in (steps, density):
        for published in table.published:
            assert {len(row) for row in published.rows} == {len(table.columns)}


def test_published_figures_name_variants_and_cases():
    for study in STUDIES:
        for table in study.published:
            assert set(table.figures) <= {variant.id for variant in study.variants}
            for figures in table.figures.values():
                assert set(figures) <= {case.name for case in study.cases}
        assert dataclasses.astuple(study.cases[0])[2] == 25_000_000
