"""Ranges of elements: all of them, once, as equal as can be."""

from __future__ import annotations

import pytest

from engines.api.errors import ProblemError
from engines.ranks.ranges import range_of
from tests.engines.ranks.threads import Post, ThreadRanks


@pytest.mark.parametrize(("n", "size"), [(64, 1), (130, 3), (1000, 7), (4096, 4)])
def test_ranges_follow_each_other_and_begin_at_multiples(n, size):
    post = Post(size)
    found = [range_of(n, ThreadRanks(post, rank), 64, "A set", "elements") for rank in range(size)]
    assert [each.start for each in found] + [n] == [0] + [each.stop for each in found]
    assert all(each.start % 64 == 0 for each in found)
    lengths = [each.stop - each.start for each in found]
    assert min(lengths[:-1], default=64) >= 64
    assert max(lengths) - min(lengths[:-1], default=max(lengths)) <= 64


def test_too_many_ranks_are_refused():
    with pytest.raises(ProblemError, match=r"A set of 130 elements cannot be shared by 4 ranks.*at most 3"):
        range_of(130, ThreadRanks(Post(4), 0), 64, "A set", "elements")
