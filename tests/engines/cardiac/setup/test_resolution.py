"""What is told of a mesh too coarse for its fronts, against runs on such meshes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.lab.slowing import strand, velocity
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Tissue
from engines.cardiac.parameters.cells import TT06
from engines.cardiac.setup.resolution import directional_edges, fineness, front_findings, table
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

GMSH = Path(__file__).parents[1] / "diffusion" / "data" / "meshes.npz"
PARAMETERS = CardiacParameters()


def cubes(edge: float, **options) -> TetMesh:
    return box_mesh((6, 6, 6), (6 * edge,) * 3, **options)


def gmsh_cube(cells: int, size: float) -> TetMesh:
    with np.load(GMSH) as file:
        points, corners = size * file[f"cube_{cells}_points"], file[f"cube_{cells}_cells"].astype(np.int32)
    fibres = np.tile(np.float32((1, 0, 0)), (cells, 1))
    return TetMesh(points, corners, np.zeros(cells, np.int32), {0: "tissue"}, fibres)


def test_edges_of_a_box_are_those_of_its_cubes():
    mesh = box_mesh((4, 4, 4), (2.0, 4.0, 4.0))  # cubes of 0.5 × 1 × 1 mm, fibres along the first
    along, across = directional_edges(mesh)
    assert np.sqrt(np.mean(along**2)) == pytest.approx(0.5, rel=1e-12)
    assert np.sqrt(np.mean(across**2)) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(("direction", "edge"), [("along", 1.0), ("along", 0.5)])
def test_the_table_is_what_this_code_does(direction, edge):
    """The velocity on cubes of an edge over that on a fine mesh; 0.621 and 0.221 m/s are its limit."""
    entry = table()[TT06]
    wanted = dict(entry["cell-centred"][direction])[edge]
    found = velocity(strand(TT06, "cell-centred", direction == "across", edge), CpuBackend())
    assert found / entry["velocity"][direction] == pytest.approx(wanted, abs=2e-3)


def test_a_front_dies_out_where_it_is_told_to():
    """O'Hara and Rudy's cells across the fibres at 0.5 mm, where TT06's conduct at 82 %."""
    model = "O'Hara-Rudy 2011"
    parameters = CardiacParameters(cell_model=model)
    (finding,) = front_findings(cubes(0.5), parameters)
    assert "A front dies out across the fibres in " in finding.message
    assert finding.remedy is not None
    assert finding.remedy.tool == "refine"
    assert dict(table()[model]["cell-centred"]["across"])[0.5] == 0.0


def test_a_heart_with_edges_of_five_millimetres_is_told_that_nothing_conducts():
    """Real hearts with edges of 4.5 to 5 mm were activated to a small part, without a word."""
    (finding,) = front_findings(cubes(3.8), PARAMETERS)
    assert finding.severity == "warning"
    assert "too coarse: it has edges of 4.7 mm, and a front is about 0.34 mm wide along the fibres" in finding.message
    assert "dies out in 100 % of the tissue" in finding.message


def test_the_slowing_is_told_with_the_tool_that_makes_up_for_it():
    (finding,) = front_findings(cubes(1.0), PARAMETERS)
    assert finding.severity == "warning"
    assert "conducts at about 61 % along and 59 % across" in finding.message
    assert finding.remedy is not None
    assert finding.remedy.tool == "velocity"
    assert front_findings(cubes(0.1), PARAMETERS) == []


def test_conductivity_scales_the_edges():
    """Four times the conductivity on twice the edge is the same front."""
    coarse, fine = cubes(1.0), cubes(0.5)
    four = PARAMETERS.model_copy(update={"conductivity_scale": 4.0})
    assert fineness(coarse, four).typical == pytest.approx(fineness(fine, PARAMETERS).typical, rel=1e-12)
    thin = PARAMETERS.model_copy(update={"tissue": Tissue(surface_to_volume=35.0)})
    assert fineness(coarse, thin).typical == pytest.approx(fineness(fine, PARAMETERS).typical, rel=1e-12)
    region = [RegionSetting(region="tissue", conductivity_scale=4.0)]
    regional = PARAMETERS.model_copy(update={"regions": region})
    assert fineness(coarse, regional).typical == pytest.approx(fineness(fine, PARAMETERS).typical, rel=1e-12)


def test_without_fibres_a_mesh_slows_less():
    """Measured on isotropic strands: 0.768 of the velocity at 1 mm, where fibres leave 0.592."""
    found = fineness(cubes(1.0, fibre=None), PARAMETERS)
    assert found.typical[0] == pytest.approx(0.768, abs=0.02)


def test_scars_do_not_count_and_a_mesh_of_them_says_nothing():
    scar = [RegionSetting(region="tissue", condition="non-conducting scar")]
    assert front_findings(cubes(5.0), PARAMETERS.model_copy(update={"regions": scar})) == []


@pytest.mark.parametrize(("cells", "size", "share"), [(3442, 8.0, 0.662), (734, 8.0, 0.4525)])
def test_unstructured_meshes_are_told_alike(cells, size, share):
    """Gmsh's cubes, edges of 1.2 and 1.9 mm: velocities of 0.411 and 0.281 m/s along the fibres, of 0.621."""
    along, _ = fineness(gmsh_cube(cells, size), PARAMETERS).typical
    assert share - 0.04 < along < share


def test_the_estimate_tells_it():
    mesh = replace(cubes(5.5), fibres=None)
    estimate = CardiacEngine().estimate(Problem(PARAMETERS, mesh), CpuBackend())
    told = [finding.message for finding in estimate.findings]
    assert any("A front dies out in 100 % of the tissue" in message for message in told)
    assert any("The mesh has no fibres" in message for message in told)
