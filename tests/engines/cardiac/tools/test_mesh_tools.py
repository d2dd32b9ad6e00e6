"""Tools that change the mesh: refine, make fibres, fibres from a file."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.api.tools import Tool
from engines.backend.cpu import CpuBackend
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tools.fibres_from_file import FibresFromFile, FileParameters
from engines.cardiac.tools.make_fibres import FibreParameters, MakeFibres, find_walls
from engines.cardiac.tools.refine import RefineMesh, RefineParameters, _require_room
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.reading import read_mesh
from tests.engines.geometry.cups import cup


@pytest.fixture(scope="module")
def backend() -> CpuBackend:
    return CpuBackend()


@pytest.fixture(scope="module")
def heart() -> TetMesh:
    return read_mesh(str(files("sample_data") / "biventricular/heart.vtu"))


def problem_on(mesh: TetMesh | None) -> Problem:
    return Problem(CardiacParameters(), mesh)


class Stopped(Exception):
    pass


def test_refining_tells_what_it_comes_to_and_does_it(backend: CpuBackend) -> None:
    tool, problem = RefineMesh(), problem_on(box_mesh((3, 3, 3), (3, 3, 3)))
    assert tool.outlook(problem, RefineParameters(levels=2)).startswith("10,368 cells; refining takes about ")
    assert "0 MB" not in tool.outlook(problem, RefineParameters(levels=1))
    seen: list[float] = []
    result = tool.run(problem, RefineParameters(levels=2), backend, lambda _, fraction: seen.append(fraction))
    assert result.geometry.n_cells == 64 * 162
    assert result.geometry.volumes.sum() == pytest.approx(27, rel=1e-12)
    assert "162 cells were cut into 10,368" in result.message
    assert result.changes
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_what_would_not_fit_is_refused() -> None:
    mesh = box_mesh((20, 20, 20), (10, 10, 10))
    _require_room(mesh, 2, 16 << 30)
    _require_room(mesh, 2, 0)  # a system that does not tell its memory
    with pytest.raises(ProblemError, match=r"3,072,000 cells and needs about \d+ MB .* has 128 MB: refine once"):
        _require_room(mesh, 2, 128 << 20)
    many = replace(mesh, cells=np.broadcast_to(mesh.cells[:1], (40_000_000, 4)))
    with pytest.raises(ProblemError, match="more than can be numbered"):
        _require_room(many, 2, 1 << 60)


@pytest.mark.parametrize("tool", [RefineMesh(), MakeFibres(), FibresFromFile()], ids=lambda tool: tool.id)
def test_without_a_mesh_one_sentence(tool: Tool) -> None:
    with pytest.raises(ProblemError, match="open a mesh file first"):
        tool.defaults(problem_on(None)) if not isinstance(tool, RefineMesh) else tool.outlook(
            problem_on(None), RefineParameters()
        )


def test_fibres_of_the_heart_on_what_the_window_would_offer(heart: TetMesh, backend: CpuBackend) -> None:
    tool, problem = MakeFibres(), problem_on(replace(heart, fibres=None, sheets=None))
    parameters = tool.defaults(problem)
    assert parameters.shape == "ventricles"
    result = tool.run(problem, parameters, backend)
    facts = {fact.title: fact.value for fact in result.facts}
    # the innermost tenth is 6° deep on average, where cells are as thick as that: between 60° and 48°
    assert 48 < facts["Helix angle, innermost tenth"] < 60
    assert -60 < facts["Helix angle, outermost tenth"] < -48
    assert facts["Cells without a direction of their own"] == 0
    assert "two cavities" in result.message
    (_, chart), *_ = result.charts
    curve = chart.curves[0]
    np.testing.assert_allclose(curve.y, 60 - 120 * curve.x, atol=3)
    assert result.geometry.points is heart.points
    assert result.parameters is None


def test_other_angles_and_ways_to_find_the_base(heart: TetMesh) -> None:
    cut = find_walls(heart, FibreParameters())
    plane = find_walls(heart, FibreParameters(base="plane", direction=(0, 0, 2), plane=-0.01))
    # a plane takes the triangles of the wall that reach over it as well: their centres must be above, so none here
    np.testing.assert_array_equal(plane.base, cut.base)
    lower = find_walls(heart, FibreParameters(base="plane", direction=(0, 0, 1), plane=-2.0))
    assert len(lower.base) > len(cut.base)
    assert len(lower.rv) < len(cut.rv)
    named = find_walls(
        heart,
        FibreParameters(
            epi_regions="LV epi, RV epi", lv_regions="LV endo, septum LV endo", rv_regions="RV endo,septum RV endo"
        ),
    )
    for mine, found in ((named.epi, cut.epi), (named.lv, cut.lv), (named.rv, cut.rv)):
        assert len(np.intersect1d(mine, found)) > 0.95 * len(found)
    swapped = find_walls(heart, FibreParameters(swap=True))
    np.testing.assert_array_equal(swapped.lv, cut.rv)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"base": "plane"}, "A plane needs a direction"),
        ({"base": "plane", "direction": (0, 0, 1), "plane": 5}, r"between -1\d\.\d+ and 0 mm"),
        ({"base": "regions", "base_regions": "atrium"}, "no region “atrium” for the base; its regions are tissue"),
        ({"direction": (0, 0, -1)}, "No cavity was found"),
        ({"shape": "slab", "across": (1, 0, 0), "direction": (2, 0, 0)}, "are the same"),
        ({"epi_regions": "tissue"}, "Name the regions of the left endocardium"),
    ],
)
def test_mistakes_are_one_sentence(given: dict, sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        find_walls(cup(8, 2), FibreParameters(**given))


def test_a_slab_is_known_by_its_shape(backend: CpuBackend) -> None:
    tool, problem = MakeFibres(), problem_on(box_mesh((10, 7, 3), (20, 7, 3)))
    parameters = tool.defaults(problem)
    assert parameters.shape == "slab"
    result = tool.run(problem, parameters, backend)
    assert np.abs(result.geometry.fibres[:, 2]).max() < 1e-6  # in the plane of the wall, whatever the depth


def test_a_run_can_be_stopped(heart: TetMesh, backend: CpuBackend) -> None:
    def stop(text: str, _: float) -> None:
        if text.startswith("Solving"):
            raise Stopped

    with pytest.raises(Stopped):
        MakeFibres().run(problem_on(heart), FibreParameters(), backend, stop)


def test_fibres_from_a_file(backend: CpuBackend, tmp_path: Path) -> None:
    mesh = box_mesh((2, 2, 2), (1, 1, 1), fibre=None)
    (tmp_path / "f.csv").write_text("0,2,0\n" * mesh.n_cells)
    tool = FibresFromFile()
    result = tool.run(problem_on(mesh), FileParameters(file=str(tmp_path / "f.csv")), backend)
    np.testing.assert_array_equal(result.geometry.fibres, np.tile([0, 1, 0], (mesh.n_cells, 1)))
    assert "48 cells were read from f.csv" in result.message
    assert "were not of length 1" in result.message
    assert result.geometry.findings[0].message in result.message
    with pytest.raises(ProblemError, match="Choose the file"):
        tool.run(problem_on(mesh), FileParameters(), backend)
