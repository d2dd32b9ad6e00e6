"""The cardiac engine as a whole: against an independent float64 reference, its sample projects, its refusals."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest
from pydantic import ValidationError

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.cardiac.cells import reference as cells
from engines.cardiac.cells.tt06 import CellType, start_state
from engines.cardiac.diffusion.reference import reference_operator
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import (
    Box,
    CardiacParameters,
    Numerics,
    RegionSetting,
    Sphere,
    Stimulus,
    Tissue,
    WholeRegion,
)
from engines.cardiac.setup.cells import compiled_step
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.reading import read_mesh
from tests.engines.cardiac.traffic import bytes_of_a_step

ENGINE = CardiacEngine()
FIBRE = (1.0, 2.0, 0.5)


@pytest.fixture(scope="module")
def mesh() -> TetMesh:
    return box_mesh((6, 4, 3), (3.0, 2.0, 1.5), jitter=0.2, seed=4, fibre=FIBRE)


def parameters(precision: str = "fp64", **changes: object) -> CardiacParameters:
    return CardiacParameters(
        stimuli=[Stimulus(name="corner", site=Sphere(center=(0, 0, 0), radius=0.9), start=0.1, duration=1.0)],
        numerics=Numerics(step=0.02, precision=precision, initial_state="published"),
        **changes,
    )


def reference_wave(mesh: TetMesh, dt: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Voltage and activation time of all cells by plain NumPy: dense operator, every formula spelled out."""
    tissue = Tissue()
    along = 0.17 * 0.62 / (0.17 + 0.62)
    across = 0.019 * 0.24 / (0.019 + 0.24)
    fibre = np.array(FIBRE) / np.linalg.norm(FIBRE)
    tensor = across * np.eye(3) + (along - across) * np.outer(fibre, fibre)
    tensor /= tissue.surface_to_volume * tissue.membrane_capacitance
    operator = reference_operator(mesh, np.tile(tensor, (mesh.n_cells, 1, 1)))
    kinds = np.full(mesh.n_cells, CellType.EPI, np.uint8)
    state = np.tile(start_state(CellType.EPI)[:, None], (1, mesh.n_cells))
    reached = np.linalg.norm(mesh.centroids, axis=1) <= 0.9
    activation = np.full(mesh.n_cells, -1.0)
    for step in range(steps):
        before = state[0].copy()
        state[0] += dt * (operator @ state[0])
        on = 5 <= step < 55  # from 0.1 to 1.1 ms
        state = cells.step(state, kinds, dt, np.where(reached & on, 50.0 / 1.4, 0.0))
        crossed = (before < 0) & (state[0] >= 0) & (activation < 0)
        share = -before[crossed] / (state[0][crossed] - before[crossed])
        activation[crossed] = (step + share) * dt
    return state[0], activation


@pytest.mark.parametrize(
    ("precision", "voltage_error", "activation_error"),
    # fp64: rounding, amplified on the upstroke (7e-13 mV, 4e-15 ms on one machine); field() returns all of float64.
    # fp32: an activation moves by some 1e-4 ms, which the upstroke of 300 mV/ms turns into some 0.03 mV.
    # mixed: weights rounded by 6e-8 move it a thousand times less.
    [("fp64", 1e-10, 1e-12), ("fp32", 0.1, 1e-3), ("mixed", 1e-3, 1e-5)],
)
def test_the_wave_is_that_of_the_reference(backend, mesh, precision, voltage_error, activation_error):
    steps = 400
    simulation = ENGINE.build(Problem(parameters(precision), mesh), backend)
    simulation.advance(steps)
    voltage, activation = reference_wave(mesh, 0.02, steps)
    assert 0.3 < (activation >= 0).mean() < 1.0, "the front must be on its way"
    np.testing.assert_array_equal(simulation.field("activation") >= 0, activation >= 0)
    assert np.abs(simulation.field("voltage") - voltage).max() < voltage_error
    assert np.abs(simulation.field("activation") - activation).max() < activation_error


def test_a_checkpoint_continues_bit_for_bit(backend, mesh):
    problem = Problem(parameters("fp32"), mesh)
    simulation = ENGINE.build(problem, backend)
    simulation.advance(60)
    kept = simulation.state()
    simulation.advance(60)
    expected = simulation.state()
    simulation.restore(kept)
    simulation.advance(60)
    for name, value in simulation.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


def test_values_come_in_the_numbering_of_the_mesh(backend, mesh):
    """Cells are reordered on the device; a stimulated cell must still be found where it stands in the mesh."""
    simulation = ENGINE.build(Problem(parameters(), mesh), backend)
    simulation.advance(60)
    reached = np.linalg.norm(mesh.centroids, axis=1) <= 0.9
    voltage = simulation.field("voltage")
    assert voltage[reached].min() > np.median(voltage[~reached]) + 10
    elements = np.flatnonzero(reached).astype(np.int32)
    handle = simulation.select(Selection(elements))
    np.testing.assert_array_equal(simulation.gather("voltage", handle), voltage[elements].astype(np.float32))


def test_a_wave_is_faster_along_fibres(backend):
    mesh = box_mesh((12, 12, 2), (6.0, 6.0, 1.0), fibre=(1, 0, 0))
    simulation = ENGINE.build(
        Problem(
            CardiacParameters(
                stimuli=[Stimulus(site=Box(lower=(0, 0, 0), upper=(1, 1, 1)))], numerics=Numerics(step=0.04)
            ),
            mesh,
        ),
        backend,
    )
    simulation.advance(1500)
    activation = simulation.field("activation")

    def at(*point: float) -> float:
        return float(activation[np.argmin(np.linalg.norm(mesh.centroids - np.array(point), axis=1))])

    assert 0 < at(5.5, 0.3, 0.5) < 0.6 * at(0.3, 5.5, 0.5)


def test_a_live_conductivity_acts_and_is_kept_stable(backend, mesh):
    simulation = ENGINE.build(Problem(parameters(), mesh), backend)
    simulation.set_control("conductivity_scale", 0.01)
    simulation.advance(200)
    slow = (simulation.field("activation") >= 0).sum()
    simulation = ENGINE.build(Problem(parameters(), mesh), backend)
    simulation.advance(200)
    assert slow < (simulation.field("activation") >= 0).sum()
    with pytest.raises(ProblemError, match="above the stable limit"):
        simulation.set_control("conductivity_scale", 90.0)
    with pytest.raises(ProblemError, match="reset"):
        simulation.set_control("numerics.step", 0.01)


def test_the_estimate_tells_the_stable_step_and_a_larger_one_is_refused(backend, mesh):
    problem = Problem(parameters(conductivity_scale=20.0), mesh)
    estimate = ENGINE.estimate(problem, backend)
    assert estimate.stable_step is not None
    assert estimate.stable_step < 0.02 == estimate.step
    with pytest.raises(ProblemError, match=r"The time step of 0\.02 ms is above the stable limit.*use at most") as said:
        ENGINE.build(problem, backend)
    advised = float(str(said.value).split("use at most ")[1].split(" ms")[0])
    assert 0 < advised <= estimate.stable_step
    settled = problem.parameters.model_copy(update={"numerics": Numerics(step=advised, precision="fp64")})
    simulation = ENGINE.build(Problem(settled, mesh), backend)
    simulation.advance(2000)
    assert np.isfinite(simulation.field("voltage")).all()
    assert np.abs(simulation.field("voltage")).max() < 150


def test_nan_is_found_and_told_where(backend, mesh):
    simulation = ENGINE.build(Problem(parameters(), mesh), backend)
    assert simulation.non_finite() is None
    state = simulation.state()
    state["voltage"][17] = np.nan
    simulation.restore(state)
    found = simulation.non_finite()
    assert found is not None
    assert np.isnan(simulation.field("voltage")[found.element])
    assert found.advice.startswith(f"use a time step of {simulation.dt / 2:g} ms")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"stimuli": [Stimulus(name="far", site=Sphere(center=(99, 0, 0)))]}, "'far' lies on no cell.*x 0…3"),
        ({"stimuli": [Stimulus(site=WholeRegion(region="moon"))]}, "no region 'moon'; its regions are: tissue"),
        ({"regions": [RegionSetting(region="sun")]}, "no region 'sun'"),
        ({"stimuli": [Stimulus(duration=5.0, period=2.0)]}, "period at least as long as the pulse"),
    ],
)
def test_what_cannot_run_is_one_sentence(backend, mesh, change, sentence):
    wrong = parameters().model_copy(update=change)
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(Problem(wrong, mesh), backend)
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.estimate(Problem(wrong, mesh), backend)


def test_no_mesh_is_one_sentence(backend):
    with pytest.raises(ProblemError, match="needs a tetrahedral mesh"):
        ENGINE.estimate(Problem(CardiacParameters()), backend)


def test_defaults_have_a_step_that_is_stable_on_a_fine_mesh(backend):
    fine = box_mesh((5, 5, 5), (0.5, 0.5, 0.5), jitter=0.2)
    defaults = ENGINE.default_parameters(fine)
    limit = ENGINE.estimate(Problem(defaults, fine), backend).stable_step
    assert limit is not None
    assert 0.8 * limit < defaults.numerics.step < limit < 0.02
    ENGINE.build(Problem(defaults, fine), backend)


def test_defaults_run_on_any_mesh(backend, mesh):
    defaults = ENGINE.default_parameters(mesh)
    simulation = ENGINE.build(Problem(defaults, mesh), backend)
    simulation.advance(200)
    assert (simulation.field("activation") >= 0).any()


@pytest.mark.parametrize(
    "name", ["biventricular", "niederer_slab", "small_slab", "spiral_wave", "scarred_slab", "ischaemic_zone"]
)
def test_sample_projects_conduct(backend, name):
    """Every sample project builds within its stable step and a front leaves its stimulus sites."""
    folder = files("sample_data") / name
    project = json.loads((folder / "project.json").read_text("utf-8"))
    mesh = read_mesh(str(folder / project["geometry"]["path"]), project["geometry"]["length_unit"])
    simulation = ENGINE.build(Problem(CardiacParameters.model_validate(project["parameters"]), mesh), backend)
    simulation.advance(round(12.0 / simulation.dt))
    activated = (simulation.field("activation") >= 0).mean()
    assert 0.02 < activated < 1.0
    for probe in project["probes"]:
        distance = np.linalg.norm(mesh.centroids - np.array(probe["position"]), axis=1).min()
        assert distance < 1.5, f"probe {probe['name']} is {distance:.1f} mm from the mesh"


@pytest.mark.slow
def test_the_spiral_of_the_gallery_turns_for_more_than_a_second(backend):
    """One filament: a phase singularity on each face of the sheet, from after S2 to the end of the preset's run."""
    folder = files("sample_data") / "spiral_wave"
    project = json.loads((folder / "project.json").read_text("utf-8"))
    mesh = read_mesh(str(folder / "sheet.vtu"), "mm")
    simulation = ENGINE.build(Problem(CardiacParameters.model_validate(project["parameters"]), mesh), backend)
    simulation.advance(round(300.0 / simulation.dt))
    while simulation.time < project["run"]["until"]:
        assert simulation.observe()["phase_singularities"] == 2
        simulation.advance(round(50.0 / simulation.dt))
    simulation.close()


def test_one_cell_alone_is_a_problem_like_any_other(backend) -> None:
    """It has no neighbour, so that diffusion sets no limit to the step."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    alone = TetMesh(corners, np.array([[0, 1, 2, 3]], np.int32), np.zeros(1, np.int32), {0: "tissue"})
    problem = Problem(parameters(), alone)
    assert ENGINE.estimate(problem, backend).stable_step == 0.125
    simulation = ENGINE.build(problem, backend)
    simulation.advance(100)
    assert simulation.field("voltage")[0] > 0  # the stimulus excites it
    simulation.close()


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_stimulus_at_no_time_is_refused(value: float) -> None:
    """JSON as Python reads it knows NaN and Infinity; neither can be rounded to a step."""
    with pytest.raises(ValidationError, match="finite"):
        Stimulus(start=value)


@pytest.mark.parametrize("precision", ["fp32", "fp64", "mixed"])
def test_the_estimate_counts_what_the_run_then_moves(mesh, backend, precision) -> None:
    problem = Problem(parameters(precision), mesh)
    simulation = ENGINE.build(problem, backend)
    assert ENGINE.estimate(problem, backend).bytes_per_step == bytes_of_a_step(simulation, problem)
    simulation.close()


@pytest.mark.parametrize(
    ("cell_model", "scheme", "step", "taken", "stable", "told"),
    [
        ("Courtemanche 1998", "by model", 0.02, "LRL", 0.256, False),
        ("Courtemanche 1998", "RL", 0.02, "RL", 1.024, True),
        ("O'Hara-Rudy 2011", "by model", 0.02, "GRL1", 1.024, False),
        ("Bueno-Orovio 2008", "by model", 0.1, "LRL", 0.512, False),
        ("Bueno-Orovio 2008", "by model", 0.2, "LRL", 0.512, True),
    ],
)
def test_a_step_that_a_scheme_does_not_bear_is_told_of(backend, cell_model, scheme, step, taken, stable, told):
    """As stored with the models; Courtemanche at 0.02 ms is 1.5 ms too short by RL and 0.3 ms by LRL."""
    mesh = box_mesh((1, 1, 1), (40.0, 40.0, 40.0))  # so large that diffusion bears any step
    parameters = CardiacParameters.model_validate({
        "cell_model": cell_model, "cells": {"scheme": scheme}, "numerics": {"step": step},
    })  # fmt: skip
    estimate = ENGINE.estimate(Problem(parameters, mesh), backend)
    assert estimate.stable_step == stable
    assert any(f"by {taken} activates within" in finding.message for finding in estimate.findings) is told
    found = compiled_step(parameters)
    assert found is not None
    assert found.scheme == taken
