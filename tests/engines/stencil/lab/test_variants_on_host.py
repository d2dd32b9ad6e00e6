"""Every CUDA variant, compiled for the host and run thread by thread, equals the reference.

Not here, but in tests/gpu: texture objects and half precision, which need the device's own instructions; cp.async
takes its plain branch.
"""

import pytest

from engines.stencil.lab.studies import studies
from tests.engines.lab_checks import check_here, variants_of
from tests.engines.stencil.lab.test_variants import small_cases

DEVICE_ONLY = ("textures.cu", "laplace2d_half.cu")


@pytest.mark.parametrize(
    ("study", "variant"),
    variants_of(studies(), lambda variant: variant.language == "CUDA" and variant.source.name not in DEVICE_ONLY),
)
def test_a_cuda_variant_equals_the_reference(study, variant):
    """At sizes that are no multiples of the block."""
    check_here(study, variant, small_cases(study))
