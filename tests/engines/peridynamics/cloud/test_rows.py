"""The bits of a bond: GPU kernels know them by the names of Python."""

import numpy as np

from engines.peridynamics.cloud.cuda import MOST_LISTED
from engines.peridynamics.cloud.family import RANGE, encoded
from engines.peridynamics.cloud.rows import CLASSES, HEADER, LISTED_FROM, WEIGHT_BITS, text


def test_the_header_says_what_is_declared():
    assert HEADER.read_text(encoding="utf-8") == text()


def test_the_largest_of_each_fills_a_bond_and_no_more():
    codes, _ = encoded(np.array([1.0, 1 / RANGE]))
    number, kind, weight = MOST_LISTED - 1, CLASSES - 1, 2**WEIGHT_BITS - 1
    assert codes.max() == weight
    assert number << LISTED_FROM | kind << WEIGHT_BITS | weight == 2**32 - 1
    assert number << LISTED_FROM ^ kind << WEIGHT_BITS ^ weight == 2**32 - 1  # no bit of two
