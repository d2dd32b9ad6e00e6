"""Diffusion with a conductivity per cell, its CUDA run on the host, against NumPy.

Tolerance: as in ``test_diffusion_cuda_on_host.py``; coefficients stay below 2, so twice that.
"""

import numpy as np
import pytest

from engines.stencil.diffusion.cuda import CudaDiffusion, make_launches
from tests.engines.stencil.diffusion_cases import SIDES, beside, ghosts_of, reference

EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
RATES = (0.07, 0.11, 0.09)
DT = 0.05
SHAPES = [(1, 1), (2, 3), (7, 70), (37, 65), (1, 2, 3), (5, 9, 40), (9, 1, 33)]


def varied(shape, seed=3):
    return np.random.default_rng(seed).uniform(0.4, 1.6, shape)


def faces_beside(k, axis, low, high):
    """The coefficients of the faces below and above each cell along an axis of the array."""
    if low.wraps:
        lower, upper = np.roll(k, 1, axis), np.roll(k, -1, axis)
    else:
        lower, upper = beside(k, axis, type(low)(False), type(high)(False))  # the cell itself beyond a side
    return 2 * k * lower / (k + lower), 2 * k * upper / (k + upper)


def step(u, k, rates, around, source=None):
    total = u.copy()
    for number, (rate, pair) in enumerate(zip(rates, around, strict=True)):
        axis = u.ndim - 1 - number
        (lower, upper), (below, above) = beside(u, axis, *pair), faces_beside(k, axis, *pair)
        total += rate * (above * (upper - u) + below * (lower - u))
    return total if source is None else total + DT * source


def one_step(launches, u, source, shape):
    out = launches.backend.empty(launches.shape, launches.dtype)
    launches.launch(u, out, source, shape)
    return out


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
def test_a_step_equals_the_reference(on_host, precision, sides):
    rng = np.random.default_rng(4)
    for shape in SHAPES:
        around, rates = ghosts_of(sides, len(shape)), RATES[: len(shape)]
        launches = make_launches(on_host, shape, rates, around, DT, precision, varied(shape))
        u, source = (on_host.array(rng.uniform(-1, 1, shape).astype(precision)) for _ in range(2))
        k = launches._conductivity.astype(float)
        of_each_kernel = {candidate[1]: candidate for candidate in launches.single_shapes()}.values()
        assert len(of_each_kernel) > 1
        for given, candidate in zip((None, source, None), of_each_kernel, strict=False):
            expected = step(u.astype(float), k, rates, around, given)
            got = one_step(launches, u, given, candidate)
            np.testing.assert_allclose(got, expected, rtol=0, atol=128 * EPSILON[precision], err_msg=f"{shape}")


@pytest.mark.parametrize("sides", SIDES)
def test_the_same_conductivity_everywhere_is_plain_diffusion(on_host, sides):
    for shape in ((9, 40), (4, 5, 40)):
        around, rates = ghosts_of(sides, len(shape)), RATES[: len(shape)]
        launches = make_launches(on_host, shape, rates, around, DT, "float64", np.ones(shape))
        u = on_host.array(np.random.default_rng(6).uniform(-1, 1, shape))
        got = one_step(launches, u, None, launches.single_shapes()[0])
        np.testing.assert_allclose(got, reference(u, rates, around, 1), rtol=0, atol=64 * EPSILON["float64"])


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
def test_several_steps_of_a_launch_have_the_bits_of_single_ones(on_host, precision, sides):
    rng = np.random.default_rng(12)
    for shape in ((9, 40), (23, 131), (3, 6), (30, 516)):
        around, rates = ghosts_of(sides, len(shape)), RATES[: len(shape)]
        launches = make_launches(on_host, shape, rates, around, DT, precision, varied(shape))
        u, source = (on_host.array(rng.uniform(-1, 1, shape).astype(precision)) for _ in range(2))
        for given in (None, source):
            depths = launches.depths(given is not None)[1:]
            assert depths
            for depth in depths:
                single = u
                for _ in range(depth):
                    single = one_step(launches, single, given, launches.single_shapes()[0])
                for candidate in (launches.fused_shapes(depth)[0], launches.fused_shapes(depth)[-1]):
                    got = one_step(launches, u, given, candidate)
                    np.testing.assert_array_equal(got, single, err_msg=f"{shape} {candidate}")


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", ["periodic", "insulated"])
@pytest.mark.parametrize("shape", [(21, 50), (6, 9, 20)])
def test_content_is_conserved_and_constants_stay(on_host, precision, sides, shape):
    """A step makes ten roundings of values below 2 in each cell; those of n cells add up like a random walk."""
    around = ghosts_of(sides, len(shape))
    diffusion = CudaDiffusion(on_host, shape, (0.05,) * len(shape), around, DT, precision, varied(shape))
    assert diffusion.traffic.bytes_read == (1 + len(shape)) * diffusion.traffic.bytes_written
    u = on_host.array(np.random.default_rng(8).uniform(0, 1, shape).astype(precision))
    before = u.astype(float).sum()
    after, _ = diffusion.advance(u, on_host.empty(shape, u.dtype), None, 10)
    assert abs(after.astype(float).sum() - before) < 10 * 10 * EPSILON[precision] * 2 * np.sqrt(u.size)
    constant = on_host.array(np.full(shape, 0.7, precision))
    after, _ = diffusion.advance(constant, on_host.empty(shape, u.dtype), None, 3)
    np.testing.assert_array_equal(after, constant.dtype.type(0.7))
