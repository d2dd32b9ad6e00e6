"""Both twins against the float64 NumPy of the same graph, and that against NumPy written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend.precision import REAL
from engines.stencil.equations import reference
from engines.stencil.equations.cpu import MOST_ROOM, steps_at_once
from engines.stencil.equations.cuda_kernel import ROWS, kernel_file
from engines.stencil.equations.strips.march import marches_of, strips_file
from engines.stencil.setup.equations import TypedProblem
from engines.stencil.setup.sides import Ghost
from engines.stencil.step.reference import with_ghosts
from tests.compiled import known_architectures, resources_of
from tests.cuda_on_host.backend import HostCudaBackend
from tests.engines.stencil.equations.typed import CLOSED, ENGINE, PERIODIC, built, plane, typed, values

EPSILON = {"fp32": 2.0**-23, "fp64": 2.0**-52}
VALUE, FLUX, ROBIN = {"kind": "value", "value": "0.3 + F"}, {"kind": "gradient", "gradient": "-0.2"}, {
    "kind": "exchange", "coefficient": "0.5", "outside": "cos(t)",
}  # fmt: skip
MIXED = {"x_low": VALUE, "x_high": ROBIN, "y_low": FLUX, "y_high": VALUE, "z_low": ROBIN, "z_high": FLUX}
ALONG = {
    "x_low": VALUE | {"value": "0.3 + 0.1*sin(y) + F*z/4"}, "x_high": ROBIN | {"coefficient": "0.2 + 0.02*y + 0.1*z"},
    "y_low": FLUX | {"gradient": "0.1*cos(x*z + t)"}, "y_high": VALUE | {"value": "0.3*cos(x + z)"},
    "z_low": ROBIN | {"outside": "x*y/200"}, "z_high": FLUX | {"gradient": "where(x > y, 0.2, 0)"},
}  # fmt: skip
"""What differs along each side."""
START = {"u": "0.5 + 0.4*noise(1)", "v": "0.5*noise(2) + 0.01*x"}
CUBE = {"kind": "3D", "cells_x": 9, "cells_y": 8, "cells_z": 7, "size_x": 9.0, "size_y": 16.0, "size_z": 3.5}
CASES = {
    "Gray-Scott": ("du/dt = 0.16*laplacian(u) - u*v**2 + F*(1 - u)", "dv/dt = 0.08*laplacian(v) + u*v**2 - (F + k)*v"),
    "all derivatives": (
        "du/dt = dx(u*v) + 0.1*dy(u) - dxx(u) + dyy(v)*k + dxy(u**2) + div((1 + v**2)*grad(u)) + div(vector(u*v, -u))",
        "dv/dt = dot(grad(u), grad(v)) - upwind(v, -k, u) + div(u*grad(v) - F*v*grad(u)/(1 + u**2)) + 0.01*x - y*0.02"
        " - upwind(F*grad(v), u*v) - div(upwind(-F*(1 + u**2)*grad(v)/(1 + v**2)) - upwind(u*grad(u)*k))",
    ),
    "stored": (
        "mu = w - F*laplacian(u) + 0.1*v", "w = u**3 - u", "q = laplacian(mu) - mu", "du/dt = div((1 - u**2)*grad(mu))",
        "dv/dt = laplacian(q) + sin(2*t)*q",
    ),
    "functions": (
        "du/dt = exp(-u**2) + where(u > 0.7 and v < 0.5, tanh(v), sqrt(abs(u))) + u*max(u, v, 0.6)*min(u, k)"
        " + u**1.5 + u**-2 + sign(u - 0.5)*heaviside(x - 5.2) + 0.1*floor(x/3 + 0.1)",
        "dv/dt = sin(x)*cos(y) + log(1 + v**2) + (u if v < 0.2 or not u > 0.3 else atan(v)) + v**F + x**2*cos(t)"
        " + mod(x + 0.2, 3)*ceil(y/20)",
    ),
}  # fmt: skip


def problem(name: str, method: str, precision: str, shape: str, sides: str):
    grid = {
        "ragged": plane(37, 11, 37.0, 9.0),
        "aligned": plane(64, 13),
        "small": plane(3, 2),
        "long": plane(1045, 3, 37.0, 9.0),
        "3D": CUBE,
    }[shape]
    lines = CASES[name]
    if shape == "3D":  # vectors have a third part
        lines = tuple(
            each.replace("-u)", "-u, 0.2*v)").replace("-k, u)", "-k, u*v, u) + dyz(u) - dz(v)") for each in lines
        )
    own = None if sides == "periodic" else dict.fromkeys(START, {"mixed": MIXED, "along": ALONG}[sides])
    return typed(
        lines, START, {"F": 0.04, "k": 0.06}, grid, method, precision, PERIODIC, step=None, own=own
    )  # fmt: skip


def compared(backend, given, steps: int = 3) -> None:
    """To some hundred roundings of the largest value that occurs on the way: a pass has some ten terms of each other's
    size, and in a stable step they do not grow."""
    posed = TypedProblem(given, backend)
    simulation = ENGINE.build(given, backend)
    system = posed.system
    starts = [values(simulation, name).reshape(simulation._explicit.box) for name in system.fields]
    expected = reference.stepped(posed.plan, starts, posed.sides(), posed.given, 0.0, posed.step, steps)
    simulation.advance(1)
    simulation.advance(steps - 1)
    precision = given.parameters.numerics.precision
    for name, right in zip(system.fields, expected, strict=True):
        found = values(simulation, name).reshape(right.shape)
        assert np.isfinite(right).all()
        assert np.abs(found - right).max() <= 300 * steps * EPSILON[precision] * max(1.0, np.abs(right).max()), name


METHODS = {"Gray-Scott": "AB2", "all derivatives": "Euler", "stored": "RK4", "functions": "RK4"}
"""A kernel takes a second to compile as C++: each case by one method."""


@pytest.mark.parametrize("name", CASES)
def test_the_cpu_is_the_reference_in_double(cpu, name):
    for method in ("Euler", "AB2", "RK4"):
        for shape in ("ragged", "aligned", "small", "3D"):
            for sides in ("periodic", "mixed", "along"):
                compared(cpu, problem(name, method, "fp64", shape, sides))
    compared(cpu, problem(name, METHODS[name], "fp64", "long", "along"))


@pytest.mark.parametrize("name", CASES)
def test_cuda_is_the_reference_in_double(on_host, name):
    for shape, sides in (("ragged", "mixed"), ("aligned", "along"), ("small", "periodic"), ("3D", "along")):
        compared(on_host, problem(name, METHODS[name], "fp64", shape, sides))


@pytest.mark.parametrize("name", CASES)
def test_both_twins_in_single(cpu, on_host, name):
    for backend in (cpu, on_host):
        compared(backend, problem(name, METHODS[name], "fp32", "aligned", "along"))


@pytest.mark.parametrize("method", ["Euler", "RK4", "AB2"])
@pytest.mark.parametrize("noise", ["", " + 0.01*xi"])
def test_steps_at_once_in_any_bands_have_the_bits_of_single_ones(cpu, method, noise):
    if noise and method == "RK4":
        return  # smooth rates alone
    lines = "w = u**2*v", f"du/dt = 0.16*laplacian(u) - w + 0.04*(1 - u){noise}", "dv/dt = 0.08*laplacian(v) + w - v/10"
    found = []
    for bands, parts in ((1, [1] * 6), (1, [6]), (3, [2, 3, 1])):
        simulation = built(cpu, lines, START, None, plane(37, 11), method)
        simulation._explicit._bands, simulation._explicit._apart = bands, (bands, 1)
        for steps in parts:
            simulation.advance(steps)
        found.append(values(simulation))
    assert np.ptp(found[0]) > 0
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4"])
@pytest.mark.parametrize("sides", ["around", "closed", "of one field"])
def test_threads_that_meet_after_several_steps_have_the_bits_of_one(cpu, method, sides):
    """Also where a thread's part is less than what it works out beyond it, and where the grid is."""
    lines = (*STORED, "dv/dt = 0.1*laplacian(v) + dx(u*v) - v*k" + (" + 0.01*xi" if method == "Euler" else ""))
    still = STILL | {"z_low": {"kind": "value", "value": "0.2"}, "z_high": {"kind": "gradient", "gradient": "0.1*x"}}
    own = {"around": {}, "closed": dict.fromkeys(START, still), "of one field": {"u": still}}[sides]
    for grid in (plane(37, 11, 37.0, 9.0), plane(3, 2), plane(1045, 7), CUBE):
        given = typed(lines, START, {"F": 0.04, "k": 0.06}, grid, method, "fp64", PERIODIC, 0.002, own)
        found = []
        for bands, at_once, parts in ((1, 1, [12]), (3, 2, [1, 7, 4]), (2, 5, [11, 1]), (2, 30, [12])):
            simulation = ENGINE.build(given, cpu)
            simulation._explicit._bands, simulation._explicit._apart = bands, (bands, at_once)
            for steps in parts:
                simulation.advance(steps)
            found.append(np.stack([values(simulation, field) for field in START]))
        assert np.isfinite(found[0]).all()
        for each in found[1:]:
            np.testing.assert_array_equal(each, found[0])


def test_threads_of_small_grids_meet_after_several_steps():
    """(rows, of them read by a step, passes, seconds of a step on one core, threads, bytes): (threads, steps)"""
    for given, expected in (
        ((128, 1, 1, 50e-6, 2, 1000), (2, 11)), ((128, 1, 1, 50e-6, 1, 1000), (1, 1)),
        ((128, 4, 4, 200e-6, 2, 1000), (2, 3)), ((1024, 1, 1, 2e-3, 2, 1000), (2, 1)),
        ((16, 1, 1, 1e-6, 2, 1000), (1, 1)), ((256, 1, 1, 200e-6, 16, 1000), (16, 3)),
        ((64, 0, 1, 50e-6, 2, 1000), (1, 1)), ((4000, 1, 1, 400e-6, 2, 1000), (2, 16)),
        ((256, 1, 1, 200e-6, 16, MOST_ROOM // 4), (4, 11)), ((256, 1, 1, 200e-6, 16, MOST_ROOM), (6, 1)),
    ):  # fmt: skip
        assert steps_at_once(*given) == expected, given


@pytest.mark.parametrize("rows", ROWS)
def test_any_rows_of_a_thread_give_the_same_bits(on_host, rows):
    given = problem("stored", "RK4", "fp32", "aligned", "mixed")
    found = []
    for shape in ((1, rows, 32, 2), (1, 1, 8, 1)):
        simulation = ENGINE.build(given, on_host)
        shapes = simulation._explicit._shapes
        assert len(shapes) == len(set(simulation._explicit.plan.passes))
        shapes.update(dict.fromkeys(shapes, shape))
        simulation.advance(3)
        found.append(values(simulation))
    np.testing.assert_array_equal(*found)


FUSED = {
    "Gray-Scott": ("AB2", [2, 4]), "all derivatives": ("Euler", [2, 4]), "a stored name": ("Euler", [1, 2, 4]),
    "in time": ("RK4", [1]), "stored of the place": ("Euler", [1, 2, 4]), "one field": ("Euler", [2, 4, 8]),
}  # fmt: skip
"""By which method, and how many steps a launch may take."""
STORED = ("mu = u**3 - u - F*laplacian(u) + y/90", "du/dt = 0.02*laplacian(mu) - u*k*x/40")
PLACED = ("slope = dx(x*y/90)", "du/dt = F*laplacian(u) + dy(slope)")
ALONE = ("du/dt = F*laplacian(u) + u - u**3 + k*x/40",)
IN_TIME = ("du/dt = F*laplacian(u) - u*v*cos(t)", "dv/dt = F*laplacian(v) + u - v/2")
FUSED_LINES = {
    "a stored name": (STORED, {"u": START["u"]}), "in time": (IN_TIME, START),
    "stored of the place": (PLACED, {"u": START["u"]}), "one field": (ALONE, {"u": START["u"]}),
}  # fmt: skip
STILL = {
    "x_low": {"kind": "value", "value": "0.3 + 0.1*sin(y)"}, "x_high": {"kind": "exchange", "coefficient": "0.2 + y/9"},
    "y_low": {"kind": "gradient", "gradient": "0.1*cos(x)"}, "y_high": {"kind": "value", "value": "F"},
}  # fmt: skip
ACROSS = STILL | {side: PERIODIC[side] for side in ("x_low", "x_high")}


@pytest.mark.parametrize("name", FUSED)
def test_whole_steps_at_a_launch_have_the_bits_of_passes_one_by_one(on_host, name):
    """On grids of less than a strip and of several, in parts of five rows."""
    lines, start = FUSED_LINES.get(name) or (CASES[name], START)
    method, depths = FUSED[name]
    for precision, grid, own in (
        ("fp32", plane(37, 11, 37.0, 9.0), STILL), ("fp64", plane(260, 13), None), ("fp32", plane(64, 7), ACROSS),
        ("fp64", plane(3, 2), None), ("fp64", plane(3, 2), STILL),
    ):  # fmt: skip
        own = own and dict.fromkeys(start, own)
        given = typed(lines, start, {"F": 0.04, "k": 0.06}, grid, method, precision, PERIODIC, 0.001, own)
        found = []
        for fused in (True, False):
            simulation = ENGINE.build(given, on_host)
            explicit = simulation._explicit
            assert sorted(explicit._marches) == depths
            explicit._plan = [(depth, 2, 5) for depth in reversed(depths)] if fused else []
            for steps in (1, 11):
                simulation.advance(steps)
            found.append(np.stack([values(simulation, field) for field in start]))
        assert np.isfinite(found[0]).all()
        np.testing.assert_array_equal(*found)
        (traffic,) = simulation.traffic
        moved = len(start) * (2 if method == "AB2" else 1) * grid["cells_x"] * grid["cells_y"] * int(precision[2:]) // 8
        assert (traffic.bytes, traffic.fused) == (2 * (moved // depths[-1]), depths[-1])


@pytest.mark.parametrize(
    ("name", "method"), [("Gray-Scott", "Euler"), ("Gray-Scott", "AB2"), ("Gray-Scott", "RK4"), ("one field", "Euler")]
)
def test_many_steps_at_a_call_are_the_same_steps(on_host, name, method):
    """Captured 64 and 16 at a time, also after parameters and fields were changed from outside."""
    found = []
    lines, start = FUSED_LINES.get(name) or (CASES[name], START)
    for calls in ((150, 83), (1,) * 233):
        given = typed(lines, start, {"F": 0.04, "k": 0.06}, plane(12, 7), method, step=0.01, sides=CLOSED)
        simulation = ENGINE.build(given, on_host)
        for taken, call in zip(np.cumsum(calls), calls, strict=True):
            simulation.advance(call)
            if taken == 150:
                simulation.set_control("equation.parameters.0.value", 0.05)
                simulation.restore(simulation.state())
        found.append(np.stack([values(simulation, field) for field in start]))
    np.testing.assert_array_equal(*found)


def test_kernels_have_run_before_they_are_captured(own_cache):
    """Also where the best shapes are remembered from a run before, and nothing is measured."""
    seen = []
    for _ in range(2):
        backend = HostCudaBackend()
        captured = backend.captured

        def watched(launches, backend=backend, captured=captured):
            before = {*backend.compiled}
            graph = captured(launches)
            seen.append({*backend.compiled} - before)
            return graph

        simulation = built(backend, ALONE, {"u": "noise(1)"}, {"F": 0.04, "k": 0.06}, plane(16, 9), step=0.01)
        backend.captured = watched
        simulation.advance(100)
    assert seen == [set()] * len(seen) != []


@pytest.mark.parametrize("change", ["noise", "a side in time", "3D", "mixed sides"])
def test_what_is_taken_pass_by_pass(on_host, change):
    lines, own, grid = ["du/dt = 0.1*laplacian(u)", "dv/dt = u"], None, plane(16, 9)
    match change:
        case "noise":
            lines[0] += " + 0.01*xi"
        case "a side in time":
            own = dict.fromkeys("uv", MIXED)
        case "3D":
            grid = CUBE
        case "mixed sides":
            own = {"u": STILL}
    explicit = built(on_host, lines, START, {"F": 0.1}, grid, sides=PERIODIC, step=0.01, own=own)._explicit
    assert explicit._plan == []
    assert explicit.traffic.fused == 1


@pytest.mark.parametrize(("method", "stages"), [("Euler", 1), ("RK4", 4)])
def test_the_meter_is_of_steps_however_many_passes_they_have(cpu, method, stages):
    simulation = built(cpu, "du/dt = laplacian(u)", {"u": "noise(1)"}, None, plane(64, 64), method)
    assert len(simulation._explicit.plan.passes) == stages
    simulation.drain_timings()
    simulation.advance(48)
    assert [timing.launches for timing in simulation.drain_timings()] == [48]


def test_the_reference_is_what_one_writes_by_hand(cpu):
    """Gray-Scott, Robin's side and the flux form, without a graph."""
    given = typed(
        CASES["Gray-Scott"], START, {"F": 0.04, "k": 0.06}, plane(9, 6, 4.5, 6.0), "Euler", "fp64", PERIODIC,
        own={name: {**MIXED, "x_low": {"kind": "periodic"}, "x_high": {"kind": "periodic"}} for name in START},
    )  # fmt: skip
    posed = TypedProblem(given, cpu)
    u, v = (posed.start(name) for name in "uv")
    dt = posed.step
    around = ((Ghost(True), Ghost(True)), (Ghost(False, 1.0, -0.2), Ghost(False, -1.0, 2 * 0.34)))

    def laplacian(w):
        found = 0
        for axis, h in enumerate((0.5, 1.0)):
            padded = with_ghosts(w, around, axis)
            found = found + np.diff(padded, 2, 1 - axis) / h**2
        return found

    right = (
        u + dt * (0.16 * laplacian(u) - u * v**2 + 0.04 * (1 - u)),
        v + dt * (0.08 * laplacian(v) + u * v**2 - 0.1 * v),
    )
    found = reference.stepped(posed.plan, [u[None], v[None]], posed.sides(), posed.given, 0.0, dt)
    for mine, wanted in zip(found, right, strict=True):
        np.testing.assert_allclose(mine[0], wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_kernels_compile_for_gpus_without_a_spilled_register(cpu, name, precision, own_cache):
    """The oldest and the newest there is, by one row of a thread and by four. Powers and sines call functions of CUDA's
    library, around which any kernel keeps what it holds in memory: that case has to compile alone, which takes long, in
    single for the oldest and in double for the newest."""
    known = known_architectures()
    posed = TypedProblem(problem(name, METHODS[name], "fp64", "aligned", "periodic"), cpu)
    for one in set(posed.plan.passes):
        path = kernel_file(one, posed.system.fields, precision)
        targets = ((min(known), 1), (max(known), 4))
        for architecture, rows in targets if name != "functions" else targets[precision == "float64" :][:1]:
            compiled = resources_of(path, (REAL[precision], f"-DROWS={rows}", "-DWIDE"), architecture)
            (kernel,) = [each for each in compiled if each.kernel == "sweep"]
            assert kernel.spill_stores == kernel.spill_loads == 0 or name == "functions", (one.name, rows, kernel)


@pytest.mark.parametrize("method", ["Euler", "RK4"])
def test_kernels_of_whole_steps_compile_for_gpus_with_all_rows_in_registers(on_host, method, own_cache):
    """The oldest in single precision, the newest in double."""
    known = known_architectures()
    explicit = built(on_host, CASES["Gray-Scott"], START, {"F": 0.04, "k": 0.06}, plane(8, 8), method)._explicit
    for march in marches_of(explicit):
        for precision, architecture in (("float32", min(known)), ("float64", max(known))):
            (kernel,) = resources_of(strips_file(march, precision), (REAL[precision],), architecture)
            found = kernel.kernel, kernel.stack, kernel.spill_stores, kernel.spill_loads
            assert found == ("strips", 0, 0, 0), (march.depth, kernel)
