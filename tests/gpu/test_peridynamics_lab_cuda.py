"""The forces of bonds in every way that the Lab knows, on a GPU, and its tables in a small form."""

import numpy as np
import pytest

from engines.api.lab import Case
from engines.peridynamics.lab import formulations
from engines.peridynamics.lab.studies import studies
from engines.peridynamics.lab.tables import tables
from tests.engines.lab_checks import check_on_the_gpu, variants_of

pytestmark = pytest.mark.gpu
SIZES = {2: ((13, 35), (240, 330)), 3: ((7, 8, 9), (40, 37, 33))}


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cuda"))
def test_a_variant_equals_the_reference(gpu, study, variant):
    sizes = SIZES[len(study.cases[0].size)]
    check_on_the_gpu(gpu, study, variant, [Case("small", size, int(np.prod(size))) for size in sizes])


def test_tables_are_measured(gpu, monkeypatch):
    monkeypatch.setattr(formulations, "counts_near", lambda particles, d: (30,) * d)
    throughput, forms, job = tables()
    monkeypatch.setattr(throughput, "quick", (10_000,))
    monkeypatch.setattr(job, "steps", 500)
    for table in (throughput, forms, job):
        for row in table.measure(gpu):
            assert len(row) == len(table.columns)
            assert all(isinstance(value, str) or value > 0 for value in row)
