"""The stencil engine as a whole on the CPU: problems from parameters, limits, controls, checkpoints, refusals."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.stencil.parameters import StencilParameters
from engines.stencil.setup.sides import ghosts
from engines.stencil.step import reference
from tests.engines.stencil.problems import CUBE, ENGINE, ONE_CHARGE, PERIODIC, SMALL, heat, problem
from workbench.project.parameter_files import with_values


@pytest.mark.parametrize(
    ("equation", "title"),
    [
        ({"kind": "diffusion"}, "Diffusion on grids"),
        ({"kind": "Gray-Scott"}, "Gray-Scott on grids"),
        ({"kind": "Poisson"}, "Poisson's equation on grids"),
        ({"kind": "own equations", "fields": [{"name": "u"}, {"name": "v"}]}, "Typed equations of u, v"),
    ],
)
def test_a_problem_without_a_name_has_that_of_what_is_solved(equation, title):
    assert ENGINE.title_of(StencilParameters.model_validate({"equation": equation})) == title


# ---- the grid ----------------------------------------------------------------------------------------------------


def test_the_grid_is_one_object_for_the_same_settings():
    grid = ENGINE.geometry_of(problem(grid=CUBE))
    assert grid is ENGINE.geometry_of(problem(heat(diffusivity=7.0), grid=CUBE))
    assert grid is not ENGINE.geometry_of(problem(grid={**CUBE, "cells_z": 6}))
    assert grid.shape == (7, 8, 9)
    assert grid.spacing == (1.0, 2.0, 0.5)


@pytest.mark.parametrize("grid", [SMALL, CUBE])
def test_fields_are_numbered_as_the_grid_is(cpu, grid):
    """A spot lies in the cell nearest to its centre, for the field, a gather and a dab alike."""
    place = (4.5, 3.3, 1.25)
    spot = {"center": place, "radius": 0.3, "height": 5.0}
    simulation = ENGINE.build(problem(heat(initial={"kind": "spots", "spots": [spot]}), grid), cpu)
    cell = int(simulation.geometry.nearest(place)[0])
    assert int(simulation.field("u").argmax()) == cell
    handle = simulation.select(Selection(np.array([cell, 0], np.int32)))
    assert simulation.gather("u", handle)[0] == simulation.field("u")[cell]
    simulation.paint(Dab(simulation.brushes[0].name, place, 0.1, 3.0))
    assert int(simulation.field("source").argmax()) == cell


# ---- steps and their limit -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conductivity", [{"kind": "uniform"}, {"kind": "two layers", "factor": 0.3, "axis": "y"}])
@pytest.mark.parametrize("grid", [SMALL, CUBE])
def test_a_run_equals_the_reference(cpu, grid, conductivity):
    """20 steps in fp64; the layers meet between two cells. 20 · 20 roundings of values below 2."""
    rows = grid["cells_y"]
    if conductivity["kind"] != "uniform":
        conductivity = {**conductivity, "position": (rows // 2) / rows}
    sides = {**PERIODIC, "y_low": {"kind": "value", "value": 1.0}, "y_high": {"kind": "gradient", "gradient": -0.1}}
    given = problem(
        heat(conductivity=conductivity, source=0.2), grid, sides=sides, numerics={"precision": "fp64"}
    )  # fmt: skip
    simulation = ENGINE.build(given, cpu)
    shape, spacing = simulation.geometry.shape, simulation.geometry.spacing
    start = simulation.state()["u"]
    simulation.advance(13)
    simulation.advance(7)
    k = None
    if conductivity["kind"] != "uniform":
        k = np.broadcast_to(np.where(np.arange(rows) >= rows // 2, 0.3, 1.0)[:, None], shape)
    rates = tuple(2.0 * simulation.dt / h**2 for h in spacing)
    law = ghosts(given.parameters.sides.pairs(len(shape)), spacing)
    expected = reference.diffuse(start, rates, law, 20, k, np.full(shape, 0.2), simulation.dt)
    assert np.abs(simulation.state()["u"] - expected).max() <= 1e-13
    assert simulation.time == 20 * simulation.dt
    assert simulation.observe()["content"] == pytest.approx(expected.sum() * math.prod(spacing), rel=1e-12)


def test_the_step_is_ninety_percent_of_the_limit_unless_set(cpu):
    estimate = ENGINE.estimate(problem(heat()), cpu)
    assert estimate.stable_step == pytest.approx(0.25 / 2.0)  # r = 1/4 on cells of 1 mm with alpha = 2
    assert estimate.step == pytest.approx(0.9 * 0.125)
    box = ENGINE.estimate(problem(heat(), CUBE), cpu)
    assert box.stable_step == pytest.approx(0.5 / (2.0 * (1 + 1 / 4 + 4)))


def test_a_step_at_the_limit_is_taken_and_one_above_is_refused(cpu):
    assert ENGINE.estimate(problem(heat(), numerics={"step": 0.125}), cpu).step == 0.125
    above = {"step": 0.1251}
    with pytest.raises(ProblemError, match=r"0\.1251 s is above the stable limit .* at most 0\.125 s"):
        ENGINE.estimate(problem(heat(), numerics=above), cpu)
    lowered = ENGINE.estimate(problem(heat(), numerics={**above, "lower_step": True}), cpu)
    assert lowered.step < 0.125
    assert "0.1125 s is taken" in lowered.findings[0].message


def test_the_limit_of_a_composite_comes_from_its_most_conducting_cells(cpu):
    """Factor 10 in half of the plate: its cells decide; at the limit noise decays, where 1.3 of it would explode."""
    layers = {"kind": "two layers", "factor": 10.0}
    given = problem(heat(conductivity=layers), sides=PERIODIC)
    limit = ENGINE.estimate(given, cpu).stable_step
    assert limit == pytest.approx(0.0125)
    simulation = ENGINE.build(
        problem(heat(conductivity=layers), sides=PERIODIC, numerics={"step": limit, "precision": "fp64"}), cpu
    )
    simulation.advance(2000)
    assert np.abs(simulation.field("u")).max() <= 1.0


def test_fused_and_single_steps_are_the_same_and_count_their_bytes(cpu, monkeypatch):
    """Fused as the usual tile is: whether single steps are faster is the machine's affair."""
    monkeypatch.setattr("engines.stencil.diffusion.cpu.tune", lambda key, candidates, time_one: candidates[0])
    grid = {"kind": "2D", "cells_x": 512, "cells_y": 300, "size_x": 51.2, "size_y": 30.0}
    single, fused = (ENGINE.build(problem(heat(), grid, numerics={"fuse": fuse}), cpu) for fuse in (False, True))
    cpu.drain_timings()
    for simulation in (single, fused):
        simulation.advance(37)
    assert (single.field("u") == fused.field("u")).all()
    assert single.traffic[0].bytes == 8 * 512 * 300
    depth = single.traffic[0].bytes // fused.traffic[0].bytes
    assert depth > 1
    timing = {timing.kernel: timing for timing in cpu.drain_timings()}["diffusion"]
    assert timing.launches == 74


# ---- what changes on the way ------------------------------------------------------------------------------------


def test_the_diffusivity_changes_live_within_the_limit(cpu):
    simulation = ENGINE.build(problem(heat(), numerics={"step": 0.05}), cpu)
    simulation.set_control("equation.diffusivity_scale", 2.5)
    with pytest.raises(ProblemError, match=r"use at most 2\.5"):
        simulation.set_control("equation.diffusivity_scale", 2.51)
    with pytest.raises(ProblemError, match="cannot change during a run"):
        simulation.set_control("equation.diffusivity", 1.0)
    other = ENGINE.build(problem(heat(diffusivity=5.0), numerics={"step": 0.05}), cpu)
    for one in (simulation, other):
        one.advance(5)
    assert (simulation.field("u") == other.field("u")).all()


def test_the_rates_of_gray_scott_change_live(cpu):
    ones = [ENGINE.build(problem({"kind": "Gray-Scott"}), cpu) for _ in range(2)]
    ones[0].set_control("equation.reaction.pattern", "mitosis")
    ones[1].set_control("equation.reaction.feed", 0.0367)
    ones[1].set_control("equation.reaction.kill", 0.0649)
    for one in ones:
        one.advance(30)
    assert (ones[0].field("v") == ones[1].field("v")).all()
    assert ones[0].field("v").max() > 0


@pytest.mark.parametrize(
    "equation",
    [
        heat(),
        heat(source=0.5, conductivity={"kind": "inclusions", "inclusions": [{"center": (5, 5, 2), "radius": 2.0}]}),
        {"kind": "Gray-Scott", "start": {"kind": "seeds", "count": 3, "width": 4.0}},
        {"kind": "Poisson", "source": {"kind": "point charges", "charges": [{"center": (5, 5, 2)}]}},
        {"kind": "Poisson", "method": "jacobi", "source": {"kind": "uniform"}},
    ],
)
@pytest.mark.parametrize("grid", [SMALL, CUBE])
def test_a_checkpoint_continues_bit_for_bit(cpu, equation, grid):
    def painted(simulation):
        simulation.advance(5)
        simulation.paint(Dab(simulation.brushes[0].name, (4.0, 5.0, 1.0), 3.0, 0.5))
        simulation.advance(3)
        return simulation

    whole = painted(ENGINE.build(problem(equation, grid), cpu))
    state = {name: np.array(values) for name, values in whole.state().items()}
    whole.advance(9)
    resumed = ENGINE.build(problem(equation, grid), cpu)
    resumed.restore(state)
    resumed.advance(9)
    assert resumed.step == whole.step
    for info in whole.fields:
        assert (resumed.field(info.name) == whole.field(info.name)).all(), info.name


def test_poisson_finds_the_solution(cpu):
    given = problem(
        {"kind": "Poisson", "source": {"kind": "uniform", "value": 0.3}}, CUBE, numerics={"precision": "fp64"}
    )  # fmt: skip
    simulation = ENGINE.build(given, cpu)
    simulation.advance(25)
    shape, spacing = simulation.geometry.shape, simulation.geometry.spacing
    law = ghosts(given.parameters.sides.pairs(3), spacing)
    residual = reference.poisson_residual(simulation.state()["u"], np.full(shape, 0.3), spacing, law)
    assert np.abs(residual).max() <= 1e-11
    assert simulation.observe()["residual"] <= 1e-11
    assert ENGINE.time_unit_of(given.parameters) == "iterations"
    assert simulation.time == 25


# ---- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [{}, PERIODIC], ids=["closed", "periodic"])
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_a_source_without_a_balance_is_told_before_a_run(cpu, sides, precision):
    """One charge of 0.5 on 24 × 17 mm² leaves 0.5/408 1/mm² behind; two that are opposite leave nothing."""
    closed = {side: {"kind": "gradient", "gradient": 0.0} for side in PERIODIC}
    more = {"sides": sides or closed, "numerics": {"precision": precision}}
    (told,) = ENGINE.estimate(problem({"kind": "Poisson", "source": ONE_CHARGE}, **more), cpu).findings
    assert (told.severity, told.place) == ("warning", ("sides",))
    assert f"{0.5 / 408:.3g} 1/mm²" in told.message
    opposite = {"center": (14.0, 9.0, 1.0), "strength": -0.5}
    pair = {"kind": "point charges", "charges": [*ONE_CHARGE["charges"], opposite]}
    (told,) = ENGINE.estimate(problem({"kind": "Poisson", "source": pair}, **more), cpu).findings
    assert told.severity == "info"
    held = with_values(more, told.remedy.changes)
    assert not ENGINE.estimate(problem({"kind": "Poisson", "source": ONE_CHARGE}, **held), cpu).findings


@pytest.mark.parametrize("device", ["cpu", "on_host"])
def test_a_source_below_the_rounding_is_lost_and_told(device, request):
    """100 steps of 1e-7 each on values of 10, which fp32 holds to 9.5e-7: told, lost, and there in fp64."""
    backend = request.getfixturevalue(device)
    small = {"kind": "2D", "cells_x": 6, "cells_y": 5, "size_x": 6.0, "size_y": 5.0}
    closed = {side: {"kind": "gradient"} for side in PERIODIC}
    equation = heat(source=1e-6, initial={"kind": "uniform", "value": 10.0})
    given = {"sides": closed, "numerics": {"step": 0.1, "precision": "fp32"}}
    (told,) = ENGINE.estimate(problem(equation, small, **given), backend).findings
    assert (told.severity, told.place) == ("warning", ("numerics", "precision"))
    assert "lost wholly" in told.message
    mended = with_values(given, told.remedy.changes)
    assert not ENGINE.estimate(problem(equation, small, **mended), backend).findings
    for values, gained in ((given, 0.0), (mended, 1e-5)):
        simulation = ENGINE.build(problem(equation, small, **values), backend)
        simulation.advance(100)
        assert np.abs(np.array(simulation.state()["u"], float) - 10 - gained).max() <= 1e-9


def test_the_drift_of_a_closed_box_is_told(cpu):
    closed = {side: {"kind": "gradient"} for side in PERIODIC}
    (told,) = ENGINE.estimate(problem(heat(), sides=closed), cpu).findings
    assert told.severity == "info"
    assert "drifts" in told.message
    assert not ENGINE.estimate(problem(heat()), cpu).findings


def test_flow_through_a_side_balances_a_source(cpu):
    """−div grad u = 1 on 24 × 17 cells of 1 mm, all of which leaves through the side of highest x: slope −24."""
    closed = {side: {"kind": "gradient", "gradient": 0.0} for side in PERIODIC}
    equation = {"kind": "Poisson", "source": {"kind": "uniform", "value": 1.0}}
    leaving = closed | {"x_high": {"kind": "gradient", "gradient": -24.0}}
    assert [told.severity for told in ENGINE.estimate(problem(equation, sides=leaving), cpu).findings] == ["info"]
    assert [told.severity for told in ENGINE.estimate(problem(equation, sides=closed), cpu).findings] == ["warning"]


def test_a_grid_larger_than_memory_is_refused_with_the_largest_that_fits():
    backend = CpuBackend()
    backend._info = replace(backend.info, memory_bytes=10 * 2**30)
    grid = {"kind": "2D", "cells_x": 100_000, "cells_y": 100_000, "size_x": 1.0, "size_y": 1.0}
    side = math.floor((0.9 * 10 * 2**30 / 12) ** 0.5)
    with pytest.raises(ProblemError, match=f"at most {side:,} × {side:,} cells"):
        ENGINE.estimate(problem(grid=grid), backend)
    cube = {**CUBE, "cells_x": 10_000, "cells_y": 10_000, "cells_z": 10_000}
    with pytest.raises(ProblemError, match=f"at most {math.floor((0.9 * 10 * 2**30 / 16) ** (1 / 3)):,} × "):
        ENGINE.estimate(problem({"kind": "Gray-Scott"}, cube), backend)


@pytest.mark.parametrize(
    ("equation", "more", "sentence"),
    [
        (heat(), {"sides": {"x_low": {"kind": "periodic"}}}, "make both periodic or neither"),
        (heat(initial={"kind": "noise", "low": 2.0, "high": 1.0}), {}, "exchange them"),
        (heat(initial={"kind": "picture"}), {}, "No picture is chosen for the initial state"),
        (heat(conductivity={"kind": "two layers", "axis": "z"}), {}, "choose x or y"),
        ({"kind": "Poisson", "source": {"kind": "point charges", "charges": [{"center": (99, 0, 0)}]}}, {}, "inside"),
    ],
)
def test_bad_input_gets_a_sentence(cpu, equation, more, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(problem(equation, **more), cpu)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_diffusivity_that_is_none_is_refused_by_the_form(value):
    with pytest.raises(ValueError, match="diffusivity"):
        problem(heat(diffusivity=value))


def test_warming_takes_every_problem_and_paints(cpu):
    """Set-up calls it: a problem that cannot be built would end it."""
    ENGINE.warm(cpu)


def test_presets_open_and_can_run(cpu):
    found = ENGINE.presets()
    assert len(found) == 22
    for preset in found:
        content = json.loads(preset.project.joinpath("project.json").read_text("utf-8"))
        parameters = StencilParameters.model_validate(content["parameters"])
        assert ENGINE.estimate(Problem(parameters), cpu).findings == ()
        assert content["run"]["until"] > 0


@pytest.mark.parametrize(("name", "kinds"), [("m", ("value", "value")), ("m", ("gradient", "value"))])
def test_the_sine_mode_fits_its_sides(cpu, name, kinds):
    """What is called a mode decays as one: the shape stays (fp64, 30 steps of 20 roundings)."""
    sides = {f"{a}_{e}": {"kind": kind} for a in "xyz" for e, kind in zip(("low", "high"), kinds, strict=True)}
    mode = {"kind": "mode", name: 3, "n": 2}
    simulation = ENGINE.build(problem(heat(initial=mode), sides=sides, numerics={"precision": "fp64"}), cpu)
    start = simulation.state()["u"]
    simulation.advance(30)
    factor = simulation.state()["u"].ravel() @ start.ravel() / (start.ravel() @ start.ravel())
    assert 0 < factor < 0.9
    assert np.abs(simulation.state()["u"] - factor * start).max() <= 1e-13
