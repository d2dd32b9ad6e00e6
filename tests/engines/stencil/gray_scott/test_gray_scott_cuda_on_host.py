"""The CUDA of Gray-Scott, run thread by thread on the host, against NumPy and against itself.

Tolerance: u and v stay within 2; a step has at most 20 roundings of numbers below 8 and amplifies errors by at most
1 + dt (|d(uv²)| ≤ 12) in dt = 0.1: 20 · 8 · 2⁻²⁴ · 2.2ⁿ in float32.
"""

import numpy as np
import pytest

from engines.stencil.gray_scott.cuda import CudaGrayScott, fused_shapes
from tests.engines.stencil.diffusion_cases import SIDES, ghosts_of, laplacian

EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
EQUAL = ((0.16,) * 3, (0.08,) * 3)
UNEQUAL = ((0.16, 0.11, 0.09), (0.08, 0.05, 0.1))
DT, FEED, KILL = 0.1, 0.037, 0.06


def reference(u, v, rates_u, rates_v, around, steps):
    u, v = u.astype(float), v.astype(float)
    for _ in range(steps):
        r = u * v * v
        u, v = (
            u + laplacian(u, rates_u, around) + DT * (-r + FEED * (1 - u)),
            v + laplacian(v, rates_v, around) + DT * (r - (FEED + KILL) * v),
        )
    return u, v


def arrays(backend, shape, precision):
    rng = np.random.default_rng(7)
    return [backend.array(rng.random(shape).astype(precision)) for _ in range(2)]


def one_by_one(model, backend, u, v, shape, steps):
    """``steps`` steps in launches of ``shape``, each into arrays of NaN: what is not written shows."""
    for _ in range(steps // shape[0]):
        out = [backend.empty(u.shape, u.dtype) for _ in range(2)]
        model._launch(u, v, *out, shape)
        u, v = out
    return u, v


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("rates", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_single_steps(on_host, precision, sides, rates):
    for shape in [(1, 1), (2, 3), (9, 300), (37, 133), (1, 2, 3), (4, 9, 130), (9, 6, 132)]:
        dimensions = len(shape)
        around = ghosts_of(sides, dimensions)
        rates_u, rates_v = (each[:dimensions] for each in rates)
        model = CudaGrayScott(on_host, shape, rates_u, rates_v, around, DT, FEED, KILL, precision)
        u, v = arrays(on_host, shape, precision)
        expected = reference(u, v, rates_u, rates_v, around, 2)
        for candidate in ((1, 2, 5), (1, 8, 16)):
            got = one_by_one(model, on_host, u, v, candidate, 2)
            for mine, right in zip(got, expected, strict=True):
                np.testing.assert_allclose(mine, right, rtol=0, atol=20 * 8 * EPSILON[precision] * 2.2**2)


@pytest.mark.parametrize("sides", SIDES)
def test_fused_steps_equal_single_steps_bit_for_bit(on_host, sides):
    for shape in [(1, 1), (2, 3), (9, 300), (37, 133), (40, 256)]:
        model = CudaGrayScott(
            on_host, shape, (0.16, 0.16), (0.08, 0.08), ghosts_of(sides, 2), DT, FEED, KILL, "float32"
        )
        u, v = arrays(on_host, shape, "float32")
        for depth in model._depths:
            single = one_by_one(model, on_host, u, v, (1, 8, 16), depth)
            for warps, rows in ((2, 7), (4, 64)):
                fused = one_by_one(model, on_host, u, v, (depth, warps, rows), depth)
                np.testing.assert_array_equal(fused, single, err_msg=f"{shape}, depth {depth}")


@pytest.mark.parametrize("depth", [1, 4])
def test_advance_takes_the_steps_asked_for_and_follows_feed_and_kill(on_host, depth):
    around = ghosts_of("periodic", 2)
    model = CudaGrayScott(on_host, (24, 64), (0.16, 0.16), (0.08, 0.08), around, DT, 0.5, 0.5, "float32")
    model._chosen, model.depth = fused_shapes(depth)[0] if depth > 1 else model._single, depth
    model.feed, model.kill = FEED, KILL
    u, v = arrays(on_host, (24, 64), "float32")
    start = [on_host.array(u), on_host.array(v), on_host.empty(u.shape, u.dtype), on_host.empty(u.shape, u.dtype)]
    result = model.advance(*start, 7)
    assert {id(array) for array in result} == {id(array) for array in start}
    expected = reference(u, v, (0.16, 0.16), (0.08, 0.08), around, 7)
    for mine, right in zip(result[:2], expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=0, atol=20 * 8 * EPSILON["float32"] * 2.2**7)
    assert sum(shape[0] for shape in model.launches(7)) == 7
    assert model.traffic.bytes_read == 2 * 24 * 64 * 4 // depth


def test_the_empty_state_stays_to_the_last_bit(on_host):
    """u = 1, v = 0 is a solution: nothing reacts, nothing diffuses."""
    model = CudaGrayScott(
        on_host, (9, 40), (0.16, 0.16), (0.08, 0.08), ghosts_of("insulated", 2), DT, FEED, KILL, "float32"
    )
    one, zero = np.ones((9, 40), np.float32), np.zeros((9, 40), np.float32)
    u, v = one_by_one(model, on_host, on_host.array(one), on_host.array(zero), (4, 2, 32), 8)
    np.testing.assert_array_equal(u, one)
    np.testing.assert_array_equal(v, zero)
