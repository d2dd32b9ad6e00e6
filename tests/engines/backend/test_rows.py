"""Rows gathered, copied and sorted by all cores: the same as NumPy's own on one."""

import numpy as np
import pytest

from engines.backend.fields import rows


@pytest.fixture(params=[1, 2, 5])
def cores(request, monkeypatch):
    monkeypatch.setattr(rows, "usable_cores", lambda: request.param)


@pytest.mark.parametrize("n", [0, 1, 5, rows.SAMPLED, rows.SAMPLED + 1, 100_000])
@pytest.mark.parametrize("most", [1, 3, 1000, 1 << 62])
def test_ascending_keys_stand_as_a_stable_sort_has_them(cores, n, most):
    keys = np.random.default_rng(n).integers(0, most, n, np.uint64)
    order = rows.ascending(keys)
    assert order.dtype == np.int32
    assert np.array_equal(order, np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("shape", [(7,), (50_000,), (50_000, 3), (50_000, 3, 3)])
def test_rows_are_taken_as_an_index_takes_them(shape):
    rng = np.random.default_rng(0)
    values = rng.random(shape)
    order = rng.integers(-1, len(values), 100_003).astype(np.int32)
    assert np.array_equal(rows.taken(values, order), values[order])


def test_copies_are_of_the_type_that_they_are_put_into():
    values = np.arange(300_000).reshape(-1, 4)
    into = np.empty(values.shape, np.int32)
    rows.copy(values[::-1], into)
    assert np.array_equal(into, values[::-1])
    assert rows.extremes(into) == (0, 299_999)
