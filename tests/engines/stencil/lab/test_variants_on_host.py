"""Every CUDA variant, compiled for the host and run thread by thread, equals the reference.

Not here, but in tests/gpu: texture objects and half precision, which need the device's own instructions; cp.async
takes its plain branch.
"""

from __future__ import annotations

import numpy as np
import pytest

from engines.stencil.lab.studies import studies
from tests.engines.stencil.lab.test_variants import small_cases
from workbench.bench.check import Checker

host = pytest.importorskip("tests.cuda_on_host")
pytestmark = pytest.mark.skipif(host.COMPILER is None, reason="no C++ compiler")

DEVICE_ONLY = ("textures.cu", "laplace2d_half.cu")


@pytest.mark.parametrize(
    ("study", "variant"),
    [
        pytest.param(study, variant, id=f"{study.id}-{variant.id}")
        for study in studies()
        for variant in study.variants
        if variant.language == "CUDA" and variant.source.name not in DEVICE_ONLY
    ],
)
def test_a_cuda_variant_equals_the_reference(study, variant):
    """At sizes that are no multiples of the block, with every launch shape."""
    backend = host.HostCudaBackend()
    for case in small_cases(study):
        checker = Checker(study, case, seed=case.points)
        for shape in variant.shapes or (None,):
            prepared = variant.prepare(backend, case, checker.inputs, 2, shape)
            prepared.poison(1)
            prepared.launch(1)
            error = checker.error(prepared.result(1), variant.steps)
            assert error <= study.tolerance, (case.name, shape)
            assert np.isnan(prepared.result(0)).all()  # the other set is left alone
            prepared.close()
