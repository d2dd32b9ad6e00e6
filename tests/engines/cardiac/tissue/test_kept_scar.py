"""Painted scar that becomes regions of the mesh: the same operator as painted, what it is called, what it leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.errors import ProblemError
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, RegionSetting
from engines.cardiac.tissue.operator import tissue_operator
from engines.geometry.meshes.box import box_mesh
from tests.engines.cardiac.step.test_brushes import matrix_of, parameters

ENGINE = CardiacEngine()
DEAD, WEAK = Dab("scar", (0.8, 0.9, 0.8), 0.5, 0.0), Dab("scar", (1.6, 0.9, 0.8), 0.4, 0.25)


@pytest.fixture
def problem() -> Problem:
    """Two regions, of which one conducts half; the weak scar reaches into both."""
    mesh = box_mesh((6, 4, 3), (3.0, 2.0, 1.5), jitter=0.2, seed=4, fibre=(1.0, 2.0, 0.5))
    regions = np.where(mesh.centroids[:, 0] < 1.5, 1, 2).astype(np.int32)
    mesh = replace(mesh, regions=regions, region_names={1: "left", 2: "right"})
    right = RegionSetting(region="right", conductivity_scale=0.5)
    return Problem(parameters().model_copy(update={"regions": [right]}), mesh)


def rows(simulation, problem: Problem) -> np.ndarray:
    """The operator in the mesh's numbering."""
    rank = np.argsort(tissue_operator(problem.geometry, problem.parameters).order)
    return matrix_of(simulation).to_csr().toarray()[np.ix_(rank, rank)]


def test_the_kept_scar_conducts_as_the_painted_one_did(cpu, problem):
    """To the rounding of sums of 16 rates: both assemble the same tensors. Where a gradient is limited they may differ,
    for the limiter of painted scar works with the step of the sound tissue."""
    painted = ENGINE.build(problem, cpu)
    for dab in (DEAD, WEAK):
        painted.paint(dab)
    result = painted.kept(problem)
    kept = Problem(result.parameters, result.geometry)
    again = ENGINE.build(kept, cpu)
    ours, theirs = rows(again, kept), rows(painted, problem)
    operator = tissue_operator(kept.geometry, kept.parameters)
    limited = np.zeros(len(ours), bool)
    limited[operator.order[operator.correction < 1]] = True
    order = tissue_operator(problem.geometry, problem.parameters).order
    limited[order[painted._touched._scar._shares < 1]] = True
    free = ~((ours[:, limited] != 0).any(axis=1) | (theirs[:, limited] != 0).any(axis=1))
    scarred = painted.field("scar") > 0
    beside = (theirs[:, scarred] != 0).any(axis=1)
    assert (free & beside).sum() > 20, "rows that the scar changed are compared"
    assert np.abs(ours - theirs)[free].max() < 1e-11 * np.abs(theirs).max()
    dead = painted.field("scar") == 1
    assert dead.any()
    assert (ours[dead] == 0).all()
    everywhere = again.select(Selection(np.arange(problem.geometry.n_cells, dtype=np.int32)))
    np.testing.assert_array_equal(np.isnan(again.gather("voltage", everywhere)), dead, "grey, as while it was painted")
    assert np.isfinite(again.field("voltage")).all()


def test_regions_say_what_they_are_and_keep_their_cells(cpu, problem):
    simulation = ENGINE.build(problem, cpu)
    assert simulation.kept(problem) is None, "nothing is painted"
    for dab in (DEAD, WEAK):
        simulation.paint(dab)
    result = simulation.kept(problem)
    names = set(result.geometry.region_names.values())
    assert names == {"left", "right", "Painted scar", "left, 25 % conducting", "right, 25 % conducting"}
    settings = {setting.region: setting for setting in result.parameters.regions}
    assert settings["Painted scar"].condition == "non-conducting scar"
    assert settings["left, 25 % conducting"].conductivity_scale == 0.25
    assert settings["right, 25 % conducting"].conductivity_scale == 0.125
    assert settings["right"].conductivity_scale == 0.5
    assert CardiacParameters.model_validate(result.parameters.model_dump(mode="json")) == result.parameters
    assert len(problem.parameters.regions) == 1, "the problem stays as it was"
    changed = result.geometry.regions != problem.geometry.regions
    np.testing.assert_array_equal(changed, simulation.field("scar") > 0)
    assert result.message.startswith(f"{changed.sum():,} painted cells")


def test_more_scar_joins_what_is_there_and_another_mesh_is_refused(cpu, problem):
    simulation = ENGINE.build(problem, cpu)
    simulation.paint(DEAD)
    first = simulation.kept(problem)
    again = Problem(first.parameters, first.geometry)
    with pytest.raises(ProblemError, match="The mesh has changed"):
        simulation.kept(again)
    simulation = ENGINE.build(again, cpu)
    simulation.paint(replace(DEAD, position=(2.1, 1.8, 1.5)))
    second = simulation.kept(again)
    assert sorted(second.geometry.region_names.values()) == ["Painted scar", "left", "right"]
    (number,) = (number for number, name in second.geometry.region_names.items() if name == "Painted scar")
    assert (second.geometry.regions == number).sum() > (first.geometry.regions == number).sum() > 0
    assert len(second.parameters.regions) == len(first.parameters.regions) == 2
