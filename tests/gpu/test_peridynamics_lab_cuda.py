"""The forces of bonds in every way that the Lab knows, on a GPU, and its tables in a small form."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.lab import Case
from engines.peridynamics.lab import formulations
from engines.peridynamics.lab.studies import studies
from engines.peridynamics.lab.tables import tables
from workbench.bench.check import Checker

pytestmark = pytest.mark.gpu
SIZES = {2: ((13, 35), (240, 330)), 3: ((7, 8, 9), (40, 37, 33))}


@pytest.mark.parametrize(
    ("study", "variant"),
    [
        pytest.param(study, variant, id=f"{study.id}-{variant.id}")
        for study in studies()
        for variant in study.variants
        if variant.device == "cuda"
    ],
)
def test_a_variant_equals_the_reference(gpu, study, variant):
    """With every launch shape, from the second set of buffers."""
    for size in SIZES[len(study.cases[0].size)]:
        case = Case("small", size, int(np.prod(size)))
        checker = Checker(study, case, seed=case.points)
        for shape in variant.shapes or (None,):
            prepared = variant.prepare(gpu, case, checker.inputs, 2, shape)
            prepared.poison(1)
            with gpu.active():
                prepared.launch(1)
            gpu.synchronize()
            error, resources = checker.error(prepared.result(1), 1), prepared.resources()
            prepared.close()
            assert error <= (study.tolerance if variant.tolerance is None else variant.tolerance), (size, shape)
            if variant.language == "CUDA":
                assert resources.registers > 0
                assert 0 < resources.occupancy <= 1


def test_tables_are_measured(gpu, monkeypatch):
    monkeypatch.setattr(formulations, "counts_near", lambda particles, d: (30,) * d)
    throughput, forms, job = tables()
    monkeypatch.setattr(throughput, "quick", (10_000,))
    monkeypatch.setattr(job, "steps", 500)
    for table in (throughput, forms, job):
        for row in table.measure(gpu):
            assert len(row) == len(table.columns)
            assert all(isinstance(value, str) or value > 0 for value in row)
