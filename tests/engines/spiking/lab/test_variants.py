"""Every variant of the studies equals the reference, those in CUDA thread by thread on the host."""

import dataclasses

import pytest

from engines.api.device import Ceilings
from engines.api.lab import Case
from engines.backend.cpu import CpuBackend
from engines.spiking.events.dense import cuda
from engines.spiking.lab.studies import STUDIES
from tests.engines.lab_checks import check_here, variants_of

CASES = (Case("37", (37, 37), 37 * 37), Case("300", (300, 300), 90_000))


@pytest.mark.parametrize(("study", "variant"), variants_of(STUDIES, lambda variant: variant.language != "CuPy"))
def test_a_variant_equals_the_reference(study, variant, monkeypatch, own_cache):
    monkeypatch.setattr(cuda, "SHAPES", dict.fromkeys((False, True), ((64, 8, 16),)))
    check_here(study, variant, CASES)


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


def test_the_first_case_is_the_published_one():
    for study in STUDIES:
        assert dataclasses.astuple(study.cases[0])[2] == 25_000_000
