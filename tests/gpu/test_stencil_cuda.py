"""Diffusion and Gray-Scott on a real GPU: the tests of the host emulator on grids of some size, and over many steps."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.geometry.grid import Grid
from engines.stencil.diffusion.cuda import CudaDiffusion, make_launches
from engines.stencil.gray_scott.cuda import CudaGrayScott
from engines.stencil.setup.sides import Ghost
from engines.stencil.watch.inflow import inflow
from tests.engines.stencil.diffusion_cases import SIDES, ghosts_of, laplacian, reference

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("own_cache")]

EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
EQUAL, UNEQUAL = (0.15, 0.15, 0.15), (0.11, 0.17, 0.13)
DT = 0.05
SHAPES = [(1, 1), (3, 5), (517, 1001), (700, 1024), (1, 2, 3), (33, 50, 127), (64, 90, 256)]


def poisoned(backend, shape, precision):
    return backend.array(np.full(shape, np.nan, precision))


def steps_of(launches, u, source, shape, steps):
    """``steps`` steps in launches of ``shape``, each into an array of NaN."""
    for _ in range(steps // shape[0]):
        out = poisoned(launches.backend, launches.shape, launches.dtype)
        with launches.backend.active():
            launches.launch(u, out, source, shape)
        u = out
    return launches.backend.to_host(u)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("rates", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_fused_steps_equal_single_steps_and_these_the_reference(gpu, shape, rates, sides, precision):
    rates, around = rates[: len(shape)], ghosts_of(sides, len(shape))
    launches = make_launches(gpu, shape, rates, around, DT, precision)
    rng = np.random.default_rng(1)
    host_u, host_source = (rng.uniform(-1, 1, shape).astype(precision) for _ in range(2))
    u, source = gpu.array(host_u), gpu.array(host_source)
    single_shape = launches.single_shapes()[0]
    for given, host_given in ((None, None), (source, host_source)):
        expected = reference(host_u, launches.rates, around, 2, host_given, float(launches.dt))
        for candidate in launches.single_shapes():
            got = steps_of(launches, u, given, candidate, 2)
            # 64 roundings per step, see tests/engines/stencil/diffusion/test_diffusion_cuda_on_host.py
            np.testing.assert_allclose(got, expected, rtol=0, atol=128 * EPSILON[precision])
        for depth in launches.depths(given is not None)[1:]:
            single = steps_of(launches, u, given, single_shape, depth)
            fused = launches.with_depth(launches.fused_shapes(depth)[0], depth)
            np.testing.assert_array_equal(steps_of(launches, u, given, fused, depth), single)


@pytest.mark.parametrize("shape", [(517, 1004), (65, 90, 132)])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_thousand_fused_steps_are_bit_identical_and_right(gpu, shape, precision):
    around, rates = ghosts_of("mixed", len(shape)), EQUAL[: len(shape)]
    host = np.random.default_rng(2).uniform(-1, 1, shape).astype(precision)
    results = []
    launches = make_launches(gpu, shape, rates, around, DT, precision)
    for depth in launches.depths(False):
        diffusion = CudaDiffusion(gpu, shape, rates, around, DT, precision)
        diffusion.depth = depth
        diffusion._best = launches.fused_shapes(depth)[0] if depth > 1 else launches.single_shapes()[0]
        with gpu.active():
            result, _ = diffusion.advance(gpu.array(host), poisoned(gpu, shape, precision), None, 1000)
        results.append(gpu.to_host(result))
        np.testing.assert_array_equal(results[-1], results[0], err_msg=f"depth {depth}")
    expected = reference(host, launches.rates, around, 1000)
    # Roundings of a thousand steps add up to at most 64 each; values stay below 8.
    np.testing.assert_allclose(results[0], expected, rtol=0, atol=64_000 * EPSILON[precision])


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("source", [False, True])
def test_fused_steps_of_a_conductivity_per_cell_are_bit_identical(gpu, precision, source):
    shape, around, rng = (517, 1004), ghosts_of("mixed", 2), np.random.default_rng(9)
    host, k = rng.uniform(-1, 1, shape).astype(precision), rng.uniform(0.4, 1.6, shape)
    given = gpu.array(rng.uniform(-1, 1, shape).astype(precision)) if source else None
    results = []
    for depth in make_launches(gpu, shape, (0.07, 0.11), around, DT, precision, k).depths(source):
        diffusion = CudaDiffusion(gpu, shape, (0.07, 0.11), around, DT, precision, k, depth=depth)
        with gpu.active():
            result, _ = diffusion.advance(gpu.array(host), poisoned(gpu, shape, precision), given, 100)
        results.append(gpu.to_host(result))
    assert len(results) > 1
    np.testing.assert_array_equal(results[1], results[0])


def test_the_tuned_diffusion_takes_the_steps_asked_for(gpu):
    shape, around = (700, 1024), ghosts_of("periodic", 2)
    diffusion = CudaDiffusion(gpu, shape, (0.2, 0.2), around, DT, "float32")
    host = np.random.default_rng(3).uniform(-1, 1, shape).astype(np.float32)
    for steps in (1, 7, 23):
        with gpu.timed("diffusion"):
            result, _ = diffusion.advance(gpu.array(host), poisoned(gpu, shape, "float32"), None, steps)
        expected = reference(host, (0.2, 0.2), around, steps)
        np.testing.assert_allclose(gpu.to_host(result), expected, rtol=0, atol=64 * steps * EPSILON["float32"])


@pytest.mark.parametrize("shape", [(300, 517), (30, 41, 67)])
def test_a_conductivity_per_cell_conserves_and_keeps_constants(gpu, shape):
    around = ghosts_of("insulated", len(shape))
    k = np.random.default_rng(4).uniform(0.4, 1.6, shape)
    diffusion = CudaDiffusion(gpu, shape, (0.05,) * len(shape), around, DT, "float64", k)
    host = np.random.default_rng(5).uniform(0, 1, shape)
    with gpu.active():
        result, _ = diffusion.advance(gpu.array(host), poisoned(gpu, shape, "float64"), None, 100)
        constant, _ = diffusion.advance(gpu.array(np.full(shape, 0.7)), poisoned(gpu, shape, "float64"), None, 10)
    assert abs(gpu.to_host(result).sum() - host.sum()) < 1e-12 * host.sum()
    assert (gpu.to_host(constant) == 0.7).all()


@pytest.mark.parametrize("shape", [(130, 260), (9, 33, 70)])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_gray_scott_follows_the_reference(gpu, shape, precision):
    axes, dt, feed, kill = len(shape), 0.1, 0.037, 0.06
    around, rates_u, rates_v = ghosts_of("periodic", axes), (0.1,) * axes, (0.05,) * axes
    rng = np.random.default_rng(6)
    u, v = rng.random(shape).astype(precision), rng.random(shape).astype(precision)
    model = CudaGrayScott(gpu, shape, rates_u, rates_v, around, dt, feed, kill, precision)
    with gpu.active():
        got = model.advance(
            gpu.array(u), gpu.array(v), poisoned(gpu, shape, precision), poisoned(gpu, shape, precision), 7
        )
    u, v = u.astype(float), v.astype(float)
    for _ in range(7):
        r = u * v * v
        u, v = (
            u + laplacian(u, rates_u, around) + dt * (-r + feed * (1 - u)),
            v + laplacian(v, rates_v, around) + dt * (r - (feed + kill) * v),
        )
    for mine, right in zip(got[:2], (u, v), strict=True):
        # see tests/engines/stencil/gray_scott/test_gray_scott_cuda_on_host.py
        np.testing.assert_allclose(gpu.to_host(mine), right, rtol=0, atol=160 * EPSILON[precision] * 2.2**7)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(65, 700), (40, 33, 129)])
def test_what_flows_in_is_that_of_the_processor(gpu, shape, precision):
    backends, grid, rng = (CpuBackend(), gpu), Grid(shape, (0.5, 1.0, 2.0)[: len(shape)]), np.random.default_rng(2)
    u, around = rng.uniform(-1, 1, shape).astype(precision), ((Ghost(False, -1.0, 0.6), Ghost(False, -1.0, 3.0)),)
    for conductivity in (None, 0.2 + rng.random(shape)):
        given = (grid, around * len(shape), conductivity, np.dtype(precision), 2.0, "1/s")
        expected, found = (inflow(backend, *given).observe(backend.array(u), 0.7) for backend in backends)
        assert len(expected) == 2 * len(shape)
        assert found == pytest.approx(expected, rel=1e-12)
