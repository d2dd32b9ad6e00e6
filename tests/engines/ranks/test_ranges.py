"""Ranges of elements: all of them, once, as equal as can be."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.ranks.ranges import bounds_of, weighted_bounds


@pytest.mark.parametrize(("n", "size"), [(64, 1), (130, 3), (1000, 7), (4096, 4)])
def test_ranges_follow_each_other_and_begin_at_multiples(n, size):
    found = bounds_of(n, size, 64, "A set", "elements")
    assert len(found) == size + 1
    assert (found[0], found[-1]) == (0, n)
    assert all(first % 64 == 0 for first in found[:-1])
    lengths = np.diff(found)
    assert lengths.min() > 0
    assert lengths.max() - lengths[:-1].min(initial=lengths.max()) <= 64


def test_too_many_ranks_are_refused():
    with pytest.raises(ProblemError, match=r"A set of 130 elements cannot be shared by 4 ranks.*at most 3"):
        bounds_of(130, 4, 64, "A set", "elements")


@pytest.mark.parametrize(
    ("weights", "size", "least", "bounds"),
    [
        ([1] * 12, 3, 2, (0, 4, 8, 12)),
        ([0, 0, 0, 0, 6, 6, 0, 0], 2, 3, (0, 5, 8)),
        ([9, 1, 1, 1, 1, 1, 1, 1], 2, 1, (0, 1, 8)),
        ([9, 1, 1, 1, 1, 1, 1, 1], 2, 3, (0, 3, 8)),
        ([1, 1, 1, 1, 1, 9], 3, 2, (0, 2, 4, 6)),
    ],
)
def test_ranges_weigh_about_the_same_and_none_is_too_short(weights, size, least, bounds):
    assert weighted_bounds(np.array(weights), size, least) == bounds
