"""Every CPU variant of the stencil studies equals the reference, and the studies are whole."""

import numpy as np
import pytest

from engines.api.lab import Case
from engines.stencil.lab.studies import studies
from engines.stencil.lab.variants.reference import laplacian
from tests.engines.lab_checks import check_on_the_cpu, check_rows, variants_of

SMALL = {1: [(24,), (1000,), (40_004,)], 2: [(8, 8), (37, 52), (100, 44)], 3: [(5, 6, 8), (17, 13, 12)]}
"""Sizes that are no multiples of any block; x of 4, as the variants with 16-byte accesses need."""


def small_cases(study):
    return [Case("x".join(map(str, size)), size, int(np.prod(size))) for size in SMALL[len(study.cases[0].size)]]


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cpu"))
def test_a_cpu_variant_equals_the_reference(study, variant):
    check_on_the_cpu(study, variant, small_cases(study))


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_rows_of_the_reference_are_those_of_the_whole(study):
    """A slab sums the same numbers in the same order, so equally to the last bit."""
    check_rows(study, small_cases(study)[-1], 0.0)


def test_the_reference_is_the_laplacian():
    """A wave with m periods on n points has the eigenvalue -4 sin²(pi m / n) per dimension; round-off of 1e-13."""
    wave = np.cos(2 * np.pi * 3 * np.arange(32) / 32)
    eigenvalue = -4 * np.sin(np.pi * 3 / 32) ** 2
    np.testing.assert_allclose(laplacian(wave), eigenvalue * wave, atol=1e-13)
    np.testing.assert_allclose(laplacian(np.add.outer(wave, wave)), eigenvalue * np.add.outer(wave, wave), atol=1e-13)


def test_the_published_tables_are_complete():
    """Sixteen figures of the guide's section 6, three of dendrite's."""
    published = {study.id: study.published for study in studies() if study.published}
    (guide,) = published["laplace2d"]
    assert {name: list(row.values()) for name, row in guide.figures.items()} == {
        "naive": [0.0398, 0.1432, 0.5662, 2.2476],
        "ldg": [0.0397, 0.1431, 0.5656, 2.2511],
        "texture": [0.0468, 0.1644, 0.6569, 2.6381],
        "shared": [0.0674, 0.2377, 0.9082, 3.6918],
    }
    (dendrite,) = published["diffusion2d"]
    assert list(dendrite.figures["naive"].values()) == [787.0, 815.0, 836.0]
