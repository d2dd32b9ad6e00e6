"""The CUDA of explicit diffusion, run thread by thread on the host, against NumPy and against itself.

Tolerance: values stay within 2, a step has at most 8 roundings of numbers below 8, and diffusion does not amplify
them: 8 · 8 · 2⁻²⁴ per step in float32, which n steps add up to at most.
"""

from __future__ import annotations

import numpy as np
import pytest

from engines.stencil.diffusion.cuda import CudaDiffusion, make_launches
from tests.engines.stencil.diffusion_cases import SIDES, ghosts_of, reference

EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
EQUAL, UNEQUAL = (0.15, 0.15, 0.15), (0.11, 0.17, 0.13)
DT = 0.05


def tolerance(precision: str, steps: int) -> float:
    return 64 * EPSILON[precision] * steps


def fields(backend, shape, precision, seed=1):
    rng = np.random.default_rng(seed)
    return backend.array(rng.uniform(-1, 1, shape).astype(precision)), backend.array(
        rng.uniform(-1, 1, shape).astype(precision)
    )


def launches_for(backend, shape, rates, sides, precision):
    dimensions = len(shape)
    return make_launches(backend, shape, rates[:dimensions], ghosts_of(sides, dimensions), DT, precision)


def steps_of(launches, u, source, shape, steps):
    """``steps`` steps in launches of ``shape``, each into an array of NaN: what is not written shows."""
    for _ in range(steps // shape[0]):
        out = launches.backend.empty(launches.shape, launches.dtype)
        launches.launch(u, out, source, shape)
        u = out
    return u


SHAPES_2D = [(1, 1), (1, 7), (5, 1), (2, 2), (3, 4), (40, 128), (9, 300), (37, 133), (19, 256)]


def first_and_last(candidates, place):
    """Of each kernel of one step, which the number at ``place`` of a shape tells."""
    return [
        shape
        for number in sorted({shape[place] for shape in candidates})
        for mine in [[shape for shape in candidates if shape[place] == number]]
        for shape in (mine[0], mine[-1])
    ]


def check_single_steps(launches, sides, shape, candidates):
    """Two steps of the first candidate are right, and those of the others have the same bits."""
    u, source = fields(launches.backend, shape, launches.dtype.name)
    for given in (None, source):
        expected = reference(u, launches.rates, ghosts_of(sides, len(shape)), 2, given, float(launches.dt))
        usual = steps_of(launches, u, given, candidates[0], 2)
        np.testing.assert_allclose(usual, expected, rtol=0, atol=tolerance(launches.dtype.name, 2), err_msg=f"{shape}")
        for candidate in candidates[1:]:
            got = steps_of(launches, u, given, candidate, 2)
            np.testing.assert_array_equal(got, usual, err_msg=f"{shape} {candidate}")


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("rates", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_single_steps_in_2d(on_host, precision, sides, rates):
    for shape in [*SHAPES_2D, (70, 1028)]:  # the last has blocks that touch no side
        launches = launches_for(on_host, shape, rates, sides, precision)
        candidates = first_and_last(launches.single_shapes(), 1)
        check_single_steps(launches, sides, shape, candidates)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("rates", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_fused_steps_in_2d_equal_single_steps_bit_for_bit(on_host, precision, sides, rates):
    """Also over grids that are smaller than a strip, and parts that do not divide the grid."""
    for shape in [*SHAPES_2D, (70, 260)]:
        launches = launches_for(on_host, shape, rates, sides, precision)
        u, source = fields(on_host, shape, precision)
        for given in (None, source):
            for depth in launches.depths(given is not None)[1:]:
                single = steps_of(launches, u, given, launches.single_shapes()[0], depth)
                for rows in (7, 32):
                    fused = steps_of(launches, u, given, (depth, 2, rows), depth)
                    np.testing.assert_array_equal(fused, single, err_msg=f"{shape}, depth {depth}, rows {rows}")


SHAPES_3D = [(1, 1, 1), (2, 1, 3), (1, 5, 2), (2, 2, 2), (4, 9, 130), (7, 5, 64), (9, 21, 132)]


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("rates", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_single_steps_in_3d(on_host, precision, sides, rates):
    for shape in [*SHAPES_3D, (7, 25, 388), (6, 20, 101)]:  # the last two have blocks that touch no side
        launches = launches_for(on_host, shape, rates, sides, precision)
        candidates = first_and_last(launches.single_shapes(), 3)
        parts = [(1, warps, planes, rows) for rows in (2, 4) for warps, planes in ((2, 3), (4, 2))]
        check_single_steps(launches, sides, shape, candidates + parts)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("rates", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_fused_steps_in_3d_equal_single_steps_bit_for_bit(on_host, precision, sides, rates):
    for shape in SHAPES_3D:
        launches = launches_for(on_host, shape, rates, sides, precision)
        u, source = fields(on_host, shape, precision)
        for given in (None, source):
            for depth in launches.depths(given is not None)[1:]:
                single = steps_of(launches, u, given, launches.single_shapes()[0], depth)
                for warps, planes, rows in ((4, 3, 2), (8, 64, 2), (4, 5, 3)):
                    if launches.is_declared(launches.variant(depth, given is not None, rows)):
                        fused = steps_of(launches, u, given, (depth, warps, planes, rows), depth)
                        np.testing.assert_array_equal(
                            fused, single, err_msg=f"{shape}, depth {depth}, {warps} warps, {planes} planes"
                        )


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_constant_stays_constant_to_the_last_bit(on_host, precision):
    """At the largest stable rate, for a value whose multiples are rounded."""
    for shape in [(21, 132), (5, 9, 132)]:
        rate = 0.5 / len(shape)
        for rates in ((rate,) * 3, (rate, 0.7 * rate, rate)):
            launches = launches_for(on_host, shape, rates, "insulated", precision)
            for value in np.random.default_rng(5).uniform(0.5, 2, 4).astype(precision):
                u = on_host.array(np.full(shape, value, precision))
                for depth in launches.depths(False):
                    candidates = launches.fused_shapes(depth) if depth > 1 else launches.single_shapes()
                    np.testing.assert_array_equal(steps_of(launches, u, None, candidates[0], depth), value)


@pytest.mark.parametrize("with_source", [False, True])
@pytest.mark.parametrize("shape", [(37, 133), (24, 256), (5, 11, 64)])
def test_advance_takes_exactly_the_steps_asked_for(on_host, shape, with_source):
    """The shapes that tuning would choose on some GPU, each forced here by refusing to time the others."""
    dimensions = len(shape)
    around = ghosts_of("mixed", dimensions)
    u, source = fields(on_host, shape, "float64")
    given = source if with_source else None
    diffusion = CudaDiffusion(on_host, shape, EQUAL[:dimensions], around, DT, "float64")
    for depth in diffusion._launches.depths(False):
        if depth > 1:
            diffusion._best, diffusion.depth = diffusion._launches.fused_shapes(depth)[-1], depth
        for steps in (0, 1, 3, 11):
            start, spare = on_host.array(u), on_host.empty(shape, u.dtype)
            result, other = diffusion.advance(start, spare, given, steps)
            assert {id(result), id(other)} == {id(start), id(spare)}
            expected = reference(u, EQUAL[:dimensions], around, steps, given, DT)
            np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance("float64", max(steps, 1)))
        assert sum(launched[0] for launched in diffusion.launches(11)) == 11


def test_the_chosen_shape_is_remembered_and_the_traffic_follows_the_depth(on_host):
    around = ghosts_of("periodic", 2)
    times = {4: 3.0, 6: 2.0, 8: 5.0}

    def elapsed(launch):
        launch()
        depth = next((int(m[-1]) for _, macros in on_host.compiled[-1:] for m in [macros[-1]] if "DEPTH" in m), 1)
        return times.get(depth, 4.0)

    on_host.elapsed = elapsed
    diffusion = CudaDiffusion(on_host, (24, 64), (0.1, 0.1), around, DT, "float32")
    again = CudaDiffusion(on_host, (24, 64), (0.1, 0.1), around, DT, "float32")
    assert diffusion.depth == again.depth > 1
    assert diffusion.traffic.bytes_read == round(24 * 64 * 4 / diffusion.depth)
    assert diffusion.traffic.bytes_written == diffusion.traffic.bytes_read
    assert diffusion.traffic_with(source=True).bytes_read == round(2 * 24 * 64 * 4 / 4)


@pytest.mark.parametrize("ends", [(3, 3), (3, 0), (0, 3)])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_planes_at_the_ends_may_come_while_the_others_are_done(on_host, monkeypatch, dimensions, ends):
    """The own planes of a slab become what they become where all is there from the start, to the bit; a launch of
    several steps in three dimensions does what needs no others before they have come."""
    shape, depth = (24, 9, 36)[:dimensions], 3 if dimensions == 3 else 4
    around = ghosts_of("insulated", dimensions)
    diffusion = CudaDiffusion(on_host, shape, EQUAL[:dimensions], around, DT, "float32", depth=depth)
    launches, launch, done = diffusion._launches, diffusion._launches.launch, []
    monkeypatch.setattr(launches, "launch", lambda *given: (done.append("launch"), launch(*given)))
    u, source = fields(on_host, shape, "float32")
    own = slice(ends[0], shape[0] - ends[1])
    for given in (None, source):
        for steps in (1, 2, 3):
            expected = diffusion.advance(u.copy(), np.empty_like(u), given, steps)[0][own]
            late = u.copy()
            late[: ends[0]] = late[shape[0] - ends[1] :] = np.nan

            def arrived(late=late):
                done.append("arrived")
                late[...] = u

            done.clear()
            found = diffusion.advance_around(late, np.empty_like(u), given, steps, ends, arrived)[0]
            np.testing.assert_array_equal(found[own], expected)
            at_once = dimensions == 3 and steps > 1 and steps in launches.depths(given is not None)
            assert done[: 1 + at_once] == ["launch"] * at_once + ["arrived"]
