"""Hearts on several ranks: voltages, maps, scars, electrograms and checkpoints are those of one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.abilities import Keeping, Measured, Painted, Unpainting
from engines.api.errors import ProblemError
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import Numerics, RegionSetting
from engines.cardiac.parameters.cells import NON_CONDUCTING
from engines.cardiac.parameters.multirate import Multirate
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.ranks.cut import IMBALANCE
from engines.geometry.meshes.box import box_mesh
from tests.cuda_on_host import COMPILER
from tests.engines.cardiac.problems import SMALL, TT06, problem
from tests.engines.ranks.led import PatientBackend, PatientHostCuda, led_runs
from tests.engines.ranks.threads import Post, ThreadRanks

ECG_DIGITS = 1e-12
"""Sums over all cells have another order, of the largest that there was."""


@pytest.fixture(scope="module")
def mesh():
    """3,456 cells, in 14 windows."""
    return box_mesh((9, 8, 8), (3.6, 3.2, 3.2), jitter=0.2, seed=4, fibre=(1.0, 0.0, 0.0))


@pytest.fixture
def led():
    with led_runs(CardiacEngine()) as make:
        yield make


def same_answers(many, one) -> bool:
    """Fields, selections of them, series, pairs and states."""
    n = one.geometry.n_cells
    chosen = np.random.default_rng(0).integers(0, n, 40).astype(np.int32)
    assert [info.name for info in many.fields] == [info.name for info in one.fields]
    for info in one.fields:
        np.testing.assert_array_equal(many.field(info.name), one.field(info.name), info.name)
        for selection in (Selection(chosen), Selection(chosen, np.array([0, 7, 40], np.int32))):
            found = many.gather(info.name, many.select(selection))
            np.testing.assert_allclose(
                found, one.gather(info.name, one.select(selection)), rtol=1e-6, err_msg=info.name
            )
    assert many.measure(3, n - 2) == one.measure(3, n - 2)
    expected = one.observe()
    assert many.observe() == pytest.approx(expected, rel=0, abs=ECG_DIGITS * max(1e-3, *map(abs, expected.values())))
    assert many.non_finite() is None
    return same_states(many, one)


def same_states(many, one) -> bool:
    found, expected = many.state(), one.state()
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        if name == "ecg":
            np.testing.assert_allclose(found[name], values, rtol=0, atol=ECG_DIGITS * np.abs(values).max() + 1e-15)
        else:
            np.testing.assert_array_equal(found[name], values, name)
    return True


PROBLEMS = {
    "TT06": (TT06, {}),
    "compiled, mixed, in parts": (SMALL, {"precision": "mixed", "diffusion_substeps": 3, "reaction_substeps": 2}),
    "compiled, fp64, multirate": (SMALL, {"precision": "fp64", "multirate": Multirate(on=True, hold=0.2)}),
}


@pytest.mark.parametrize(
    ("name", "size"), [("TT06", 3), ("compiled, mixed, in parts", 2), ("compiled, fp64, multirate", 3)]
)
def test_a_heart_on_ranks_is_that_on_one(led, mesh, name, size):
    cell_model, numerics = PROBLEMS[name]
    many, one = led(problem(mesh, cell_model, **numerics), size)
    for ability in (Keeping, Measured, Painted, Unpainting):
        assert isinstance(many, ability)
    for steps in (1, 60, 120):
        for simulation in (many, one):
            simulation.advance(steps)
        assert same_answers(many, one)
    assert one.field("voltage").max() > 0
    assert one.field("activation").max() > 0
    assert "multirate" not in numerics or one.state()["groups_waiting"].any()


def test_phase_singularities_of_ranks_are_those_of_one(led, mesh):
    changes = {"recording": Recording(phase=True, phase_delay=2.0, phase_origin=-25.0), "conductivity_scale": 0.01}
    many, one = led(Problem(problem(mesh, SMALL).parameters.model_copy(update=changes), mesh), 2)
    state, rng = one.state(), np.random.default_rng(2)
    for name in ("voltage", "phase"):  # as if there were waves of the size of a cell
        state[name] = rng.uniform(-90, 40, state[name].shape).astype(np.float32)
    for simulation in (many, one):
        simulation.restore(state)
    for steps in (55, 50):
        for simulation in (many, one):
            simulation.advance(steps)
        assert one.observe()["phase_singularities"] > 0
        assert same_answers(many, one)
        mine, theirs = many.markers(), one.markers()
        np.testing.assert_array_equal(mine.positions, theirs.positions)
        np.testing.assert_array_equal(mine.signs, theirs.signs)
    assert many.marked == one.marked


def test_vertices_on_ranks_are_those_of_one(led):
    corners = box_mesh((15, 14, 13), (6.0, 5.6, 5.2), jitter=0.2, seed=4, fibre=(1.0, 0.0, 0.0))
    made = problem(corners, SMALL, discretisation="vertex-centred (P1)", precision="mixed")
    many, one = led(made, 2)
    for simulation in (many, one):
        simulation.advance(80)
        simulation.paint(Dab("stimulus", (3.0, 3.0, 3.0), 0.6, 50_000.0))
        simulation.advance(40)
    assert one.field("voltage").max() > -20
    assert same_answers(many, one)


def test_brushes_scars_and_checkpoints_go_from_some_ranks_to_others(led, mesh):
    made = problem(mesh, SMALL)
    three, one = led(made, 3)
    two, alone = led(made, 2)
    middle, corner = (1.8, 1.6, 1.6), (3.4, 3.0, 3.0)
    dabs = [Dab("stimulus", corner, 0.6, 50_000.0), Dab("scar", middle, 1.1, 0.4), Dab("scar", middle, 0.7, 0.0)]
    for simulation in (three, one):
        simulation.advance(30)
        said = [simulation.paint(dab) for dab in dabs]
        under = simulation.underneath(dabs[1], True)
        simulation.paint(Dab("scar", corner, 0.8, 0.0))
        simulation.advance(20)
        simulation.put_back(under)
        simulation.set_control("conductivity_scale", 0.7)
        simulation.advance(60)
    assert "3.4, 3.0, 3.0" in said[0]
    assert np.nanmax(one.field("scar")) == 1
    assert same_answers(three, one)
    assert three.kept(made).message == one.kept(made).message
    for other in (two, alone):
        other.restore(three.state())
    for simulation in (two, alone, one):
        simulation.advance(50)
    assert same_answers(two, one)
    assert same_states(alone, one)


def test_regions_that_do_not_conduct_are_cut_out_on_ranks_too(led, mesh):
    regions = (mesh.centroids[:, 0] > 1.8).astype(np.int32)
    scarred = replace(mesh, regions=regions, region_names={0: "wall", 1: "scar"})
    settings = [RegionSetting(region="scar", condition=NON_CONDUCTING)]
    parameters = problem(scarred, SMALL).parameters.model_copy(update={"regions": settings})
    many, one = led(Problem(parameters, scarred), 2)
    for simulation in (many, one):
        simulation.advance(60)
    every = Selection(np.arange(mesh.n_cells, dtype=np.int32))
    found = many.gather("voltage", many.select(every))
    np.testing.assert_array_equal(found, one.gather("voltage", one.select(every)))
    assert np.isnan(found[regions == 1]).all()
    assert same_states(many, one)


def test_a_cell_that_is_no_number_is_named_as_the_mesh_has_it(led, mesh):
    many, one = led(problem(mesh, SMALL), 2)
    state = one.state()
    row = len(state["voltage"]) - 1  # of one rank or the other, by the order of the device
    state["voltage"][row] = np.nan
    for simulation in (many, one):
        simulation.restore(state)
    assert many.non_finite() == one.non_finite()


def test_the_estimate_tells_the_memory_of_each_rank(mesh, backend):
    made, shared = problem(mesh, SMALL, multirate=Multirate(on=True)), PatientBackend()
    shared.parts = 2
    alone = CardiacEngine().estimate(made, backend)
    of_two = CardiacEngine().estimate(made, shared)
    assert of_two.memory_bytes == pytest.approx(IMBALANCE * alone.memory_bytes)
    (fact,) = of_two.facts
    assert fact.title == "Memory on each of 2 ranks"
    assert fact.value == pytest.approx(IMBALANCE * alone.memory_bytes / 2e9)
    assert alone.facts == ()


@pytest.mark.parametrize(
    ("changes", "size", "said"),
    [
        (
            {"numerics": Numerics(discretisation="vertex-centred (P1)"), "recording": Recording(phase=True)},
            2,
            "The phase of vertices is found on one rank",
        ),
        ({}, 4, "3,456 cells cannot be shared by 4 ranks, of which each takes 1,024 or more: use at most 3."),
    ],
)
def test_what_ranks_cannot_share_is_refused_in_a_sentence(mesh, changes, size, said):
    made = problem(mesh, SMALL)
    given = Problem(made.parameters.model_copy(update=changes), mesh)
    with pytest.raises(ProblemError, match=said):
        CardiacEngine().build_part(given, PatientBackend(), ThreadRanks(Post(size), 0))


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
def test_kernels_of_a_gpu_step_parts_as_one_mesh():
    few = box_mesh((8, 8, 6), (3.2, 3.2, 2.4), jitter=0.2, seed=4, fibre=(1.0, 0.0, 0.0))
    with led_runs(CardiacEngine(), PatientHostCuda) as make:
        many, one = make(problem(few, SMALL, diffusion_substeps=2), 2)
        for steps in (1, 24):
            for simulation in (many, one):
                simulation.advance(steps)
        assert one.field("voltage").max() > -80
        assert same_states(many, one)
        assert many.observe() == pytest.approx(one.observe(), rel=1e-9)
