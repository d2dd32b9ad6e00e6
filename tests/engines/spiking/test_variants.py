"""Every variant of the studies equals the reference, those in CUDA thread by thread on the host."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.lab import Case
from engines.spiking.events import cuda
from engines.spiking.variants import studies
from workbench.bench.check import Checker

host = pytest.importorskip("tests.cuda_on_host")
CASES = (Case("37", (37, 37), 37 * 37), Case("300", (300, 300), 90_000))


@pytest.mark.parametrize(
    ("study", "variant"),
    [
        pytest.param(study, variant, id=f"{study.id}-{variant.id}")
        for study in studies()
        for variant in study.variants
        if variant.language != "CuPy"
    ],
)
def test_a_variant_equals_the_reference(study, variant, tmp_path, monkeypatch):
    """From the second set of buffers, with every launch shape."""
    if variant.language == "CUDA" and host.COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cuda, "SHAPES", ((64, 256), (128, 128)))
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


def test_published_figures_name_variants_and_cases():
    for study in studies():
        for table in study.published:
            assert set(table.figures) <= {variant.id for variant in study.variants}
            for figures in table.figures.values():
                assert set(figures) <= {case.name for case in study.cases}
        assert dataclasses.astuple(study.cases[0])[2] == 25_000_000
