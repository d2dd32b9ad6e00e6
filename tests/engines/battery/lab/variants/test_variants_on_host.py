"""Every CUDA variant of the battery studies, compiled for the host and run thread by thread, equals the reference.

Not here, but in tests/gpu: CUDA graphs.
"""

from __future__ import annotations

import pytest

from engines.api.lab import Case
from engines.battery.lab.studies import studies
from tests.engines.battery.lab.variants.lab_cases import small_cases
from workbench.bench.check import Checker

host = pytest.importorskip("tests.cuda_on_host")
pytestmark = pytest.mark.skipif(host.COMPILER is None, reason="no C++ compiler")


def few(study, variant) -> list[Case]:
    """One size where a launch takes hundreds of steps, which here run thread by thread."""
    cases = small_cases(study)
    return cases[1:2] if variant.steps > 1 or study.id == "discharges" else cases


@pytest.mark.parametrize(
    ("study", "variant"),
    [
        pytest.param(study, variant, id=f"{study.id}-{variant.id}")
        for study in studies()
        for variant in study.variants
        if variant.language == "CUDA" and variant.id != "graph"
    ],
)
def test_a_cuda_variant_equals_the_reference(study, variant, tmp_path, monkeypatch):
    """At sizes that are no multiples of the block, with every launch shape, from the second set of buffers."""
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    backend = host.HostCudaBackend()
    for case in few(study, variant):
        checker = Checker(study, case, seed=case.points)
        for shape in variant.shapes or (None,):
            prepared = variant.prepare(backend, case, checker.inputs, 2, shape)
            untouched = prepared.result(0).copy() if variant.steps == 1 and study.id != "discharges" else None
            prepared.poison(1)
            with backend.active():
                prepared.launch(1)
            error = checker.error(prepared.result(1), variant.steps)
            assert error <= (study.tolerance if variant.tolerance is None else variant.tolerance), (case.name, shape)
            if untouched is not None:
                assert (prepared.result(0) == untouched).sum() + (untouched != untouched).sum() == untouched.size
            prepared.close()
