"""The Kernel Lab of the FDTD engine on a device: every variant's answer in every launch shape, and each table."""

import pytest

from engines.backend.precision import FLOAT_TYPES
from engines.fdtd.lab.fused import SHAPES
from engines.fdtd.lab.studies import studies
from tests.engines.fdtd.lab_cases import SMALL_TABLES, check_fused, check_sums, check_table, check_variant
from tests.engines.lab_checks import variants_of

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cuda"))
def test_a_variant_equals_the_reference(gpu, study, variant):
    check_variant(gpu, study, variant, variant.shapes)


@pytest.mark.parametrize("precision", FLOAT_TYPES)
def test_layers_in_the_passes_equal_the_reference(gpu, precision):
    for shape in SHAPES[precision]:
        check_fused(gpu, FLOAT_TYPES[precision], shape)


def test_fourier_sums_are_the_same_in_each_way(gpu):
    check_sums(gpu)


@pytest.mark.parametrize("table", SMALL_TABLES, ids=lambda table: table.id)
def test_a_table_is_measured(gpu, table):
    check_table(table, gpu)
