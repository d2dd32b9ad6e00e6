"""SIMD vectors in Numba: accuracy of exp and log in units in the last place, arithmetic lane by lane, real vector code.

Exact values come from longdouble (64-bit mantissa). Half an ulp is the last rounding, the rest r and polynomial.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from engines.backend.vector_math import (
    REGISTER_BYTES,
    all_lanes,
    any_lane,
    exp,
    lanes,
    load,
    load_like,
    load_row,
    log,
    select,
    splat,
    sqrt,
    store,
    store_row,
)  # fmt: skip

RNG = np.random.default_rng(3)
PRECISIONS = [np.float32, np.float64]


@njit
def exp_all(x, out):
    for i in range(0, len(x), lanes(x)):
        store(out, i, exp(load(x, i)))


@njit
def log_all(x, out):
    for i in range(0, len(x), lanes(x)):
        store(out, i, log(load(x, i)))


def ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Error in units of the spacing of floats at the exact value."""
    spacing = np.spacing(np.abs(exact).astype(got.dtype)).astype(np.longdouble)
    return np.abs((got.astype(np.longdouble) - exact) / spacing)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_exp_is_within_1p2_ulp(dtype):
    widest = 87.2 if dtype == np.float32 else 708.0
    x = np.concatenate([
        RNG.uniform(-widest, widest, 1 << 16), RNG.uniform(-1, 1, 1 << 16), RNG.uniform(-1e-6, 1e-6, 1 << 10),
        np.arange(-100, 92) * np.log(2) / 2, [0.0] * 64,
    ]).astype(dtype)  # fmt: skip
    x = x[np.abs(x) <= widest]
    x = x[: len(x) // 64 * 64]
    out = np.empty_like(x)
    exp_all(x, out)
    assert ulps(out, np.exp(x.astype(np.longdouble))).max() <= 1.2
    assert (out[x == 0] == 1).all()


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_exp_saturates(dtype):
    x = np.resize(np.array([-1e30, -1e4, 1e4, 1e30], dtype), 64)
    out = np.empty_like(x)
    exp_all(x, out)
    info = np.finfo(dtype)
    assert np.isfinite(out).all()
    assert (out[0::4] <= 2 * info.tiny).all()
    assert (out[0::4] >= info.tiny).all()
    assert (out[3::4] >= 0.25 * info.max).all()


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_log_is_within_one_ulp(dtype):
    lowest, highest = (-86, 88) if dtype == np.float32 else (-708, 709)
    x = np.concatenate(
        [
            np.exp(RNG.uniform(lowest, highest, 1 << 16)),
            RNG.uniform(0.5, 2, 1 << 16),
            1 + RNG.uniform(-1e-4, 1e-4, 1 << 10),
        ]
    )
    x = x.astype(dtype)[: len(x) // 64 * 64]
    x[:64] = 1.0
    out = np.empty_like(x)
    log_all(x, out)
    exact = np.log(x.astype(np.longdouble))
    assert (out[:64] == 0).all()
    assert ulps(out[x != 1], exact[x != 1]).max() <= 1.0


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize(("function", "values"), [(exp_all, [np.nan]), (log_all, [0.0, -1.0, -np.inf, np.nan])])
def test_what_is_no_number_stays_none_and_of_zero_and_below_there_is_no_logarithm(function, values, dtype):
    x = np.resize(np.array(values, dtype), 64)
    out = np.zeros_like(x)
    function(x, out)
    assert np.isnan(out).all()


@njit
def everything(x, y, table, bits, out):
    for i in range(0, len(x), lanes(x)):
        a, b = load(x, i), load(y, i)
        mask = (load_like(a, bits, i) & 4) != 0
        store_row(out, 0, i, a + b * 2 - 1)
        store_row(out, 1, i, -a / (b + 3.5))
        store_row(out, 2, i, select((a < b) | mask, a, 0.25))
        store_row(out, 3, i, sqrt(a * a))
        store_row(out, 4, i, load_row(table, 1, i) - splat(a, 0.5))
        store_row(out, 5, i, splat(a, 1.0 if any_lane(a > b) else 0.0) + splat(a, 2.0 if all_lanes(a > b) else 0.0))


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_arithmetic_is_that_of_numpy(dtype):
    n = 128
    x, y = RNG.normal(size=n).astype(dtype), RNG.uniform(0, 1, n).astype(dtype)
    x[:64] = 2  # the first vectors are above y everywhere
    table, bits = RNG.normal(size=(3, n)).astype(dtype), RNG.integers(0, 8, n).astype(np.uint32)
    out = np.empty((6, n), dtype)
    everything(x, y, table, bits, out)
    tolerance = 2 * np.finfo(dtype).eps  # a fused multiply-add rounds once where NumPy rounds twice
    np.testing.assert_allclose(out[0], x + y * 2 - 1, rtol=tolerance, atol=4 * tolerance)
    np.testing.assert_allclose(out[1], -x / (y + dtype(3.5)), rtol=tolerance)
    np.testing.assert_array_equal(out[2], np.where((x < y) | ((bits & 4) != 0), x, dtype(0.25)))
    np.testing.assert_array_equal(out[3], np.abs(x))
    np.testing.assert_array_equal(out[4], table[1] - dtype(0.5))
    per_vector = (x > y).reshape(-1, REGISTER_BYTES // dtype().itemsize)
    expected = np.repeat(1.0 * per_vector.any(1) + 2.0 * per_vector.all(1), per_vector.shape[1])
    np.testing.assert_array_equal(out[5], expected)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_the_code_is_simd(dtype):
    """The packed multiply-add (or multiply) of this processor's registers, and no call to a scalar exp."""
    x = np.zeros(64, dtype)
    exp_all(x, np.empty_like(x))
    assembly = next(code for types, code in exp_all.inspect_asm().items() if f"float{x.itemsize * 8}" in str(types))
    if REGISTER_BYTES == 64:
        assert "zmm" in assembly
    elif REGISTER_BYTES == 32:
        assert "ymm" in assembly
    assert "expf" not in assembly
    assert "exp@" not in assembly


def test_vectors_of_two_precisions_do_not_mix():
    @njit
    def mixed(x, y, out):
        store(out, 0, load(x, 0) + load(y, 0))

    with pytest.raises(Exception, match="No implementation"):
        mixed(np.zeros(64, np.float32), np.zeros(64), np.zeros(64))
