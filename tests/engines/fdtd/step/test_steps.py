"""Both passes against the reference: random fields, random materials, every kind of face.

Tolerance: a pass makes about 12 roundings of values below 4 per component (fields start within ±1 and, being stable, do
not grow beyond a few times that); 6 steps of two passes in which errors may double (the largest eigenvalue of the curl
at the Courant limit is 2): 12 · 4 · 2⁶ · ε.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium, make_media, with_coupling
from engines.fdtd.media.smoothing.edges import smoothed_edges
from engines.fdtd.sources.currents import Dipole
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from engines.fdtd.step.curl.many_steps import LAUNCHES, best_brick, brick_order
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import (
    FACES,
    MAGNETIC,
    MANY,
    MEDIA,
    PULSE,
    driven,
    in_the_middle,
    make_case,
    reference_after,
    steps_of,
)
from tests.engines.fdtd.mie import ball, filled

EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
STEPS = 6
on_device = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")


def assert_equal_to_reference(case, maker, backend, precision, **options):
    fields = case.random_fields()
    steps = steps_of(maker, backend, case, case.sources(), precision, fields, **options)
    with backend.active():
        steps.advance(np.zeros((STEPS, 0)))
    places = case.yee.counts[0] + 1
    for mine, right in zip((steps.electric, steps.magnetic), reference_after(case, fields, STEPS), strict=True):
        np.testing.assert_allclose(mine[..., :places], right, rtol=0, atol=12 * 4 * 2**STEPS * EPSILON[precision])
        assert not mine[..., places:].any()
        assert np.abs(right).max() > 0.1


@pytest.mark.parametrize(("materials", "precision"), [(MEDIA, "float32"), (MAGNETIC, "float64")])
@pytest.mark.parametrize("faces", FACES)
def test_cpu(faces, materials, precision):
    assert_equal_to_reference(make_case(faces, materials), CpuYee, CpuBackend(), precision)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("faces", ["layers", "periodic", "mixed"])
def test_both_fields_in_one_sweep_have_the_bits_of_two_passes(faces, threads):
    """Sources between E and H, several bands, a periodic z; poles are the same code in either."""
    case = make_case(faces, MAGNETIC, counts=(24, 18, 25))
    sources = driven(case) if faces == "layers" else case.sources()
    fields, found = case.random_fields(), []
    for together in (True, False):
        backend = CpuBackend()
        backend.threads = min(threads, backend.threads)
        steps = steps_of(CpuYee, backend, case, sources, "float32", fields)
        assert steps.bands_together >= 4
        table = sources.table(0, STEPS, case.dt)
        with backend.active():
            if together:
                steps.advance(table)
            else:
                for step in range(STEPS):
                    steps.electric_half(table, step)
                    steps.magnetic_half()
        found.append({name: np.array(part) for name, part in steps.parts().items()})
    for name, part in found[0].items():
        np.testing.assert_array_equal(part, found[1][name], err_msg=name)
    assert not np.array_equal(found[0]["electric"], fields[0].astype(np.float32))


@on_device
@pytest.mark.parametrize(
    ("materials", "precision", "shape"),
    [
        (MEDIA, "float32", (1, 32, 4, 4)),
        (MEDIA, "float32", (4, 32, 4, 5)),
        (MAGNETIC, "float32", (4, 32, 2, 64)),
        (MAGNETIC, "float64", (2, 32, 8, 3)),
    ],
)
@pytest.mark.parametrize("faces", FACES)
def test_cuda(faces, materials, precision, shape):
    assert_equal_to_reference(make_case(faces, materials), CudaYee, HostCudaBackend(), precision, shape=shape)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_ids_of_16_bits_on_the_cpu(precision):
    case = make_case("mixed", MANY)
    assert case.media.wide
    assert_equal_to_reference(case, CpuYee, CpuBackend(), precision)


def assert_bits_of_two_passes(case, sources, precision, batches, **options):
    found = []
    for more in ({}, options):
        backend, first = HostCudaBackend(), 0
        steps = steps_of(CudaYee, backend, case, sources, precision, case.random_fields(), shape=(1, 32, 4, 4), **more)
        with backend.active():
            for count in batches:
                steps.advance(sources.table(first, count, case.dt))
                first += count
        assert ("many_steps.cu" in {name for name, _ in backend.compiled}) == ("many" in more)
        found.append({name: np.array(part) for name, part in steps.parts().items()})
    for name, part in found[0].items():
        np.testing.assert_array_equal(part, found[1][name], err_msg=name)
    assert np.abs(found[0]["electric"]).max() > 0.1


@on_device
@pytest.mark.parametrize(
    ("precision", "shape"),
    [
        ("float32", (4, 32, 8, 2, 96)),
        ("float32", (4, 16, 16, 2, 16)),
        ("float64", (2, 32, 8, 2, 16)),
        ("float64", (2, 16, 16, 2, 16)),
    ],
)
@pytest.mark.parametrize("faces", FACES)
def test_one_pass_has_the_bits_of_two(faces, precision, shape):
    """Seven steps: six in one pass and the last in two; several tiles along each axis."""
    driving = faces == "layers"  # its sources want a place that is not a conductor
    case = make_case(faces, MEDIA[:2] if driving else MEDIA, counts=(139 if precision == "float32" else 69, 12, 18))
    sources = driven(case) if driving else case.sources()
    assert_bits_of_two_passes(case, sources, precision, [7], one_pass=shape)


@on_device
@pytest.mark.parametrize(("precision", "shape"), [(each, one) for each in LAUNCHES for one in LAUNCHES[each]])
@pytest.mark.parametrize(("faces", "wave"), [*((each, True) for each in FACES), ("layers", False)])
def test_many_steps_in_a_launch_have_the_bits_of_two_passes(faces, wave, precision, shape):
    """Launches of odd and even numbers of steps, with currents, a wave's line and what H gets of both, in 4 x 3 bricks.

    What a brick keeps is its own alone: others see what it writes to memory.
    """
    driving = faces == "layers"
    case = make_case(faces, MEDIA[:2] if driving else MEDIA, counts=(45, 16, 18))
    sources = in_the_middle(case, wave) if driving else case.sources()
    assert_bits_of_two_passes(case, sources, precision, [5, 2], many=(shape, (5, 7)))


@on_device
@pytest.mark.parametrize(("end", "inward", "kept"), [(0, 0, False), (0, 3, True), (1, 0, False), (1, -3, True)])
def test_sources_beside_layers_take_steps_in_launches_of_their_own(end, inward, kept):
    """H would get what the layers add to it and what sources do in another order."""
    case = make_case("layers", MEDIA[:2], counts=(45, 16, 18))
    place = tuple(float(case.yee.nodes(d)[axis.clear[end] + inward]) for d, axis in enumerate(case.axes))
    backend = HostCudaBackend()
    CudaYee(
        backend, case.yee, case.axes, case.media, case.sources([Dipole(place, 2, 1e-6, PULSE)]), "float32",
        shape=(1, 32, 4, 4), many=((4, 512, 1, 0, 0), None),
    )  # fmt: skip
    assert ("many_steps.cu" in {name for name, _ in backend.compiled}) == kept


@pytest.mark.parametrize("counts", [(24, 24, 24), (64, 64, 64), (128, 100, 31), (7, 200, 5), (160, 1, 1)])
@pytest.mark.parametrize(("blocks", "pieces"), [(132, 1), (132, 2), (20, 1), (1, 1)])
def test_bricks_are_enough_for_a_grid_and_no_more_than_blocks_take(counts, blocks, pieces):
    case = make_case("layers" if min(counts) > 8 else "walls", MEDIA[:2], counts=counts)
    brick = best_brick(case.yee, blocks * pieces)
    number = math.prod(-(-count // size) for count, size in zip(case.yee.shape[1::-1], brick, strict=True))
    assert number <= blocks * pieces
    order = brick_order(case.yee, case.axes, brick, blocks)
    np.testing.assert_array_equal(np.sort(order), np.arange(number))


def test_bricks_in_layers_are_shared_out():
    """128 cells a side, layers of ten: 264 bricks, of which the heaviest costs three times the lightest."""
    yee = Yee((128, 128, 128), (1.0, 1.0, 1.0))
    axes = make_axes(yee, ((Face("CPML", 10),) * 2,) * 3, yee.largest_step())
    brick = best_brick(yee, 2 * 132)
    order = brick_order(yee, axes, brick, 132)
    up = -(-yee.shape[1] // brick[0])
    cost = np.array([layered_lines(yee, axes, brick, *divmod(int(number), up)) for number in order])
    both = cost[:132].copy()
    both[: len(cost) - 132] += cost[132:]
    plain = np.sort(np.array([layered_lines(yee, axes, brick, *divmod(number, up)) for number in range(len(order))]))
    assert both.max() < 0.8 * 2 * plain.max()


def layered_lines(yee, axes, brick, layer, row):
    """Lines of a brick, each once more for each layer that it lies in."""
    (tall, deep), total = brick, 0
    for k in range(layer * deep, min((layer + 1) * deep, yee.shape[0])):
        for j in range(row * tall, min((row + 1) * tall, yee.shape[1])):
            inside = [not axis.low < at < axis.n - axis.high for axis, at in ((axes[1], j), (axes[2], k))]
            total += 1 + sum(inside)
    return total


@on_device
def test_off_diagonal_terms_take_steps_in_launches_of_their_own():
    """They come between H and E."""
    case = make_case("layers", MEDIA[:2])
    ball_of = ball((0.21, 0.16, 0.18), 0.11)
    cells = filled(case.yee, ball_of)
    glass = (Medium(), Medium(permittivity=4.0))
    smoothed = smoothed_edges(case.yee, case.axes, cells, glass, [(1, ball_of)])
    plain = make_media(case.yee, case.axes, cells, glass, case.dt, smoothed)
    coupling = with_coupling(case.yee, case.axes, plain, smoothed, case.dt).coupling
    assert coupling is not None
    for kept in (True, False):
        media, backend = case.media if kept else replace(case.media, coupling=coupling), HostCudaBackend()
        CudaYee(
            backend,
            case.yee,
            case.axes,
            media,
            case.sources(),
            "float32",
            shape=(1, 32, 4, 4),
            many=((4, 512, 1, 0, 0), None),
        )
        assert ("many_steps.cu" in {name for name, _ in backend.compiled}) == kept


@on_device
@pytest.mark.parametrize(("precision", "shape"), [("float32", (4, 32, 2, 5)), ("float64", (2, 32, 4, 4))])
@pytest.mark.parametrize("faces", ["layers", "mixed"])
def test_ids_of_16_bits_in_cuda(faces, precision, shape):
    case = make_case(faces, MANY)
    assert case.media.wide
    assert_equal_to_reference(case, CudaYee, HostCudaBackend(), precision, shape=shape)


@on_device
def test_smoothed_edges_on_both():
    dielectric = (Medium(), Medium(permittivity=4.0))
    case = make_case("layers", dielectric)
    shape = ball((0.21, 0.16, 0.18), 0.11)
    cells = filled(case.yee, shape)
    smoothed = smoothed_edges(case.yee, case.axes, cells, dielectric, [(1, shape)])
    case.media = make_media(case.yee, case.axes, cells, dielectric, case.dt, smoothed)
    assert case.media.wide
    assert_equal_to_reference(case, CpuYee, CpuBackend(), "float64")
    assert_equal_to_reference(case, CudaYee, HostCudaBackend(), "float64", shape=(2, 32, 4, 4))


@on_device
@pytest.mark.parametrize("materials", [MAGNETIC, MANY], ids=["8 bits", "16 bits"])
def test_sources_and_energy_are_the_same_on_both(materials):
    """fp64; the same sums in the same order but for fused operations, 30 steps."""
    case = make_case("layers", materials, counts=(24, 18, 17))
    sources = driven(case)
    found = []
    for maker, backend, options in ((CpuYee, CpuBackend(), {}), (CudaYee, HostCudaBackend(), {"shape": (2, 32, 4, 4)})):
        steps = maker(backend, case.yee, case.axes, case.media, sources, "float64", **options)
        with backend.active():
            for start in (0, 10, 20):
                steps.advance(sources.table(start, 10, case.dt))
            energy = steps.energy()
        found.append(({name: np.array(part) for name, part in steps.parts().items()}, energy))
    (mine, my_energy), (other, other_energy) = found
    assert mine.keys() == other.keys()
    for name, part in mine.items():
        if name.startswith("psi") and name.endswith("x"):
            continue  # in other places on a GPU; what they do is in the fields
        np.testing.assert_allclose(
            part, other[name], rtol=0, atol=1e-12 * max(np.abs(part).max(), 1e-300), err_msg=name
        )
    np.testing.assert_allclose(my_energy, other_energy, rtol=1e-12)
    assert np.abs(mine["electric"]).max() > 1e-3
