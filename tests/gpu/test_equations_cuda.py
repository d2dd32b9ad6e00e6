"""Typed equations on a real GPU: the reference in NumPy, and the same bits whatever shape a launch has."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.test_twins import CASES, FUSED, FUSED_LINES, START, STILL, compared, problem
from tests.engines.stencil.equations.typed import ENGINE, PERIODIC, plane, typed, values

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("own_cache")]


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4"])
@pytest.mark.parametrize("name", CASES)
def test_a_device_is_the_reference(gpu, name, method, precision):
    for shape, sides in (("ragged", "mixed"), ("aligned", "mixed"), ("3D", "mixed"), ("aligned", "periodic")):
        compared(gpu, problem(name, method, precision, shape, sides))


def test_gray_scott_is_the_one_that_is_written_by_hand(gpu):
    """200 steps of rounding in double precision."""
    lines = ("du/dt = 0.16*laplacian(u) - u*v**2 + F*(1 - u)", "dv/dt = 0.08*laplacian(v) + u*v**2 - (F + k)*v")
    start = {"u": "1 - 0.5*noise(1)", "v": "0.25*noise(2)"}
    given = typed(lines, start, {"F": 0.04, "k": 0.06}, plane(700, 512), step=1.0, sides=PERIODIC)
    ours = ENGINE.build(given, gpu)
    hand = typed(lines, start, {"F": 0.04, "k": 0.06}, plane(700, 512), step=1.0, sides=PERIODIC)
    hand.parameters.equation = {
        "kind": "Gray-Scott", "diffusion_u": 0.16, "diffusion_v": 0.08,
        "reaction": {"kind": "own rates", "feed": 0.04, "kill": 0.06},
    }  # fmt: skip
    theirs = ENGINE.build(hand, gpu)
    theirs.restore({**theirs.state(), "u": ours.state()["u"], "v": ours.state()["v"]})
    for simulation in (ours, theirs):
        simulation.advance(200)
    np.testing.assert_allclose(values(ours, "v"), values(theirs, "v"), rtol=0, atol=1e-11)


def test_shapes_of_launches_give_the_same_bits(gpu):
    given = typed(
        CASES["stored"], {"u": "noise(1)", "v": "noise(2)"}, {"F": 0.04, "k": 0.06}, plane(1024, 500), "RK4", "fp32"
    )
    found = []
    for shape in ((1, 1, 32, 8), (1, 4, 64, 2), (1, 2, 128, 2)):
        simulation = ENGINE.build(given, gpu)
        explicit = simulation._explicit
        explicit._shapes.update(dict.fromkeys(explicit._shapes, shape))
        simulation.advance(20)
        found.append(values(simulation))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert TypedProblem(given, gpu).step > 0


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("name", FUSED)
def test_whole_steps_at_a_launch_have_the_bits_of_passes_one_by_one(gpu, name, precision):
    method, depths = FUSED[name]
    lines, start = FUSED_LINES.get(name) or (CASES[name], START)
    for own in (None, dict.fromkeys(start, STILL)):
        grid = plane(701, 300) if own else plane(1024, 257)
        given = typed(lines, start, {"F": 0.04, "k": 0.06}, grid, method, precision, PERIODIC, 0.0005, own)
        found = []
        for shapes in (
            [(depth, warps, span) for depth in reversed(depths)] for warps, span in ((4, 64), (2, 32), (0, 0))
        ):
            simulation = ENGINE.build(given, gpu)
            simulation._explicit._plan = shapes if shapes[0][1] else []
            simulation.advance(1)
            simulation.advance(31)
            found.append(np.stack([values(simulation, field) for field in start]))
        assert np.isfinite(found[0]).all()
        np.testing.assert_array_equal(found[0], found[2])
        np.testing.assert_array_equal(found[1], found[2])


def test_implicit_diffusion_is_that_of_the_cpu(gpu):
    """Ten V-cycles leave 1e-9."""
    lines, start = ("du/dt = D*laplacian(u) + u*(1 - u) - v", "dv/dt = 0.1*u"), {"u": "noise(1)", "v": "0"}
    found = []
    for backend in (gpu, CpuBackend()):
        given = typed(lines, start, {"D": 30.0}, plane(301, 200), "IMEX", step=0.1)
        simulation = ENGINE.build(given, backend)
        simulation.advance(5)
        found.append(values(simulation))
    np.testing.assert_allclose(*found, rtol=0, atol=1e-8)
