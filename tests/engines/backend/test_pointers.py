"""Pointers in kernels: the numbers of an array, by index and by name."""

from enum import IntEnum

import numpy as np
from numba import njit

from engines.backend.pointers import at, pointer, rounded


class Row(IntEnum):
    FIRST = 0
    SECOND = 1
    REST = 2


@njit
def mixed(values, into):
    p, q = pointer(values), pointer(into)
    rest = at(p, Row.REST)
    q[Row.FIRST] = p[Row.SECOND] + rest[1]
    q[Row.SECOND] = rounded(p, 1 / 3)
    at(q, Row.REST)[0] = 7.0
    return rounded(p, 0.1)


def test_a_pointer_has_the_numbers_of_its_array():
    into = np.zeros(3)
    assert mixed(np.arange(5, dtype=np.float32), into) == np.float32(0.1)
    np.testing.assert_array_equal(into, [1 + 3, np.float32(1 / 3), 7])
