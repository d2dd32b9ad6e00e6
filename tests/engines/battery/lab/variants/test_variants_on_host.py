"""Every CUDA variant of the battery studies, compiled for the host and run thread by thread, equals the reference.

Not here, but in tests/gpu: CUDA graphs.
"""

from __future__ import annotations

import pytest

from engines.api.lab import Case
from engines.battery.lab.studies import studies
from tests.engines.battery.lab.variants.lab_cases import small_cases
from tests.engines.lab_checks import check_here, variants_of


def few(study, variant) -> list[Case]:
    """One size where a launch takes hundreds of steps, which here run thread by thread."""
    cases = small_cases(study)
    return cases[1:2] if variant.steps > 1 or study.id == "discharges" else cases


@pytest.mark.parametrize(
    ("study", "variant"), variants_of(studies(), lambda variant: variant.language == "CUDA" and variant.id != "graph")
)
def test_a_cuda_variant_equals_the_reference(study, variant, own_cache):
    """At sizes that are no multiples of the block."""
    check_here(study, variant, few(study, variant))
