"""Slabs of a grid take the steps of the whole, to the bit: however many there are, whatever the sides and material."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.geometry.grid import Grid
from engines.ranks.slabs import Slab
from engines.stencil.diffusion.cpu import CpuDiffusion
from engines.stencil.gray_scott.cpu import CpuGrayScott
from engines.stencil.ranks.steps import SlabDiffusion, SlabGrayScott
from engines.stencil.setup.sides import Ghost
from tests.engines.ranks.threads import on_each

FIXED, GRADIENT, PERIODIC = Ghost(False, -1.0, 0.6), Ghost(False, 1.0, 0.05), Ghost(True)
SIDES = {"fixed": (FIXED, GRADIENT), "periodic": (PERIODIC, PERIODIC)}
SHAPES = {"2d": (23, 18), "3d": (17, 9, 12)}
RATES = (0.11, 0.13, 0.07)


@pytest.fixture(scope="module")
def backend():
    return CpuBackend()


def grid_of(shape):
    return Grid(shape, (0.5,) * len(shape))


def random(shape, precision="float32", seed=0):
    return np.random.default_rng(seed).random(shape).astype(precision)


def joined(parts):
    return np.concatenate(parts)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("material", ["one", "many"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("dimensions", SHAPES)
def test_diffusion_on_slabs_has_the_bits_of_the_whole(backend, dimensions, sides, material, ranks):
    """29 steps in calls of 1, 11 and 17, with a source on one rank alone that is painted on between the calls."""
    shape = SHAPES[dimensions]
    ghosts = ((GRADIENT, FIXED),) * (len(shape) - 1) + (SIDES[sides],)
    conductivity = None if material == "one" else 0.2 + random(shape, seed=1)
    numbers = (RATES[: len(shape)], ghosts, 0.01, "float32", conductivity)
    start, source, dab = random(shape), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    source[-2:], dab[-3:] = 2.0, 1.0

    def steps(advance, u, source, dab):
        spare = np.empty_like(u)
        for count in (1, 11, 17):
            u, spare = advance(u, spare, source, count)
            if source is not None:
                source += dab
        return u

    whole = CpuDiffusion(backend, shape, *numbers)
    expected = steps(whole.advance, start.copy(), source.copy(), dab)

    def part(ranks):
        slab = Slab.of(grid_of(shape), ranks, wraps=sides == "periodic")
        diffusion = SlabDiffusion(backend, ranks, slab, *numbers, [])
        own = slab.of_own(source)
        return steps(diffusion.advance, slab.of_own(start), own if own.any() else None, slab.of_own(dab))

    np.testing.assert_array_equal(joined(on_each(ranks, part)), expected)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("dimensions", SHAPES)
def test_gray_scott_on_slabs_has_the_bits_of_the_whole(backend, dimensions, sides, precision):
    """Feed and kill rate change between two calls."""
    shape = SHAPES[dimensions]
    ghosts = ((PERIODIC, PERIODIC),) * (len(shape) - 1) + (SIDES[sides],)
    rates = RATES[: len(shape)], tuple(rate / 2 for rate in RATES[: len(shape)])
    u, v = random(shape, precision), random(shape, precision, 1)

    def steps(step, *arrays):
        arrays = step.advance(*arrays, *(np.empty_like(each) for each in arrays), 13)
        step.feed, step.kill = 0.05, 0.06
        return step.advance(*arrays, 6)[:2]

    whole = CpuGrayScott(backend, shape, *rates, ghosts, 0.5, 0.03, 0.062, precision)
    expected = steps(whole, u.copy(), v.copy())

    def part(ranks):
        slab = Slab.of(grid_of(shape), ranks, wraps=sides == "periodic")
        step = SlabGrayScott(backend, ranks, slab, rates, ghosts, 0.5, 0.03, 0.062, precision)
        return steps(step, slab.of_own(u), slab.of_own(v))

    for place, parts in enumerate(zip(*on_each(3, part), strict=True)):
        np.testing.assert_array_equal(joined(parts), expected[place])


def test_arrays_that_steps_gave_room_are_copied_no_more(backend):
    """1 MB each: such arrays of the CPU backend are pieces of larger ones. Other steps of the simulation know them."""
    slab_shape, numbers = (64, 128, 64), (RATES, ((FIXED, FIXED),) * 3, 0.01, "float32", None)
    CpuDiffusion(backend, (32, 128, 64), *numbers)  # measures how deep passes are, once for all threads

    def part(ranks):
        slab, held = Slab.of(grid_of(slab_shape), ranks, wraps=False), []
        own = slab.of_own(random(slab_shape))
        first, second = (SlabDiffusion(backend, ranks, slab, *numbers, held) for _ in range(2))
        arrays = first.arrays(own)
        np.testing.assert_array_equal(arrays[0], own)
        addresses = {each.ctypes.data for each in arrays}
        for diffusion in (first, second, first):
            arrays = diffusion.advance(*arrays, None, 5)
            assert {each.ctypes.data for each in arrays} == addresses
        lone = second.advance(arrays[0].copy(), arrays[1], None, 5)[0]  # one that lies by itself is copied, once
        return lone, first.advance(*arrays, None, 5)[0], len(held)

    for lone, expected, kept in on_each(2, part):
        np.testing.assert_array_equal(lone, expected)
        assert kept == 3
