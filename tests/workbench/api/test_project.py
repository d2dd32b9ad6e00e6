"""A project in a script: opened, read, set with checks, copied, saved."""

import warnings

import numpy as np
import pytest

import workbench as wb
from tests.workbench.fake_engine import WaveEngine
from tests.workbench.fake_tools import TOOLS


@pytest.fixture
def slab():
    return wb.open("fdtd_slab")


def test_what_is_set_is_read_and_a_copy_is_left_alone(slab):
    other = slab.copy()
    assert slab.set("objects.0.high.0", np.float64(12.0)) is slab
    assert slab.get("objects.0.high.0") == 12.0
    assert other.get("objects.0.high") == [8.0, 3.0, 1.0]
    slab.set({"grid.cells_x": np.int64(400), "objects.0.low": np.array([1.0, -1.0, -1.0])})
    assert slab.parameters.grid.cells_x == 400
    assert slab.parameters.objects[0].low == (1.0, -1.0, -1.0)
    slab.parameters.grid.cells_x = 7  # of a copy
    assert slab.get("grid.cells_x") == 400
    assert "objects.0.high.0" in slab.names
    slab.set("grid", other.parameters.grid)
    assert slab.parameters.grid == other.parameters.grid
    assert (slab.summary, slab.findings) == (other._document.project.summary, ())
    assert len(slab.summary) > 20


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("objects.0.hgh.0", "no parameter 'objects.0.hgh.0'; the nearest are 'objects.0.high.0'"),
        ("objects.0.high.3", "no parameter 'objects.0.high.3'; the nearest are 'objects.0.high.2'"),
        ("cells_x", "no parameter 'cells_x'; there is 'grid.cells_x'"),
        ("zzz", "there are: grid, faces, "),
    ],
)
def test_a_wrong_name_gets_the_nearest(slab, name, said):
    with pytest.raises(wb.UnknownNameError, match=said):
        slab.set(name, 1)
    with pytest.raises(KeyError):
        slab.get(name)


def test_a_file_is_named_by_its_path(tmp_path):
    (tmp_path / "cell.json").write_text("{}")
    project = wb.open("one_particle").set("bpx_file", tmp_path / "cell.json")
    assert project.get("bpx_file") == str(tmp_path / "cell.json")


def test_a_wrong_value_is_a_sentence_and_changes_nothing(slab):
    before = slab.parameters
    with pytest.raises(wb.ProblemError, match=r"wrong value at grid\.size_x: give a number instead of the text 'wide'"):
        slab.set({"grid.cells_x": 10, "grid.size_x": "wide"})
    assert slab.parameters == before


def test_a_number_that_nothing_depends_on_is_told_at_the_line_that_sets_it(slab):
    with pytest.warns(wb.WorkbenchWarning, match=r"Nothing depends on 'grid.cells_z'") as told:
        slab.set("grid.cells_z", 4)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slab.set("grid.cells_x", 100)


def test_opening_by_a_wrong_name_gets_the_nearest():
    with pytest.raises(wb.ProblemError, match="no file and no preset 'fdtd_slap'; the nearest are 'fdtd_slab'"):
        wb.open("fdtd_slap")
    with pytest.raises(wb.ProblemError, match="engine 'cardiac' needs a mesh"):
        wb.new("cardiac")
    assert wb.presets()["fdtd_slab"].startswith("Glass slab: ")
    with pytest.raises(KeyError, match="fdtd_slab"):
        _ = wb.presets()["fdtd_slb"]


def test_it_is_saved_and_opened_with_its_end_and_probes(slab, tmp_path):
    slab.until = 12.5
    slab.probe("behind", (9.0, 0.8)).probe("gone", (1.0, 1.0, 0.0)).probe("gone", None)
    path = slab.set("grid.cells_x", 420).save(tmp_path / "slab.zip")
    again = wb.open(path)
    assert (again.until, again.probes, again.get("grid.cells_x")) == (12.5, {"behind": (9.0, 0.8, 0.0)}, 420)
    assert again.path == path
    with pytest.raises(wb.ProblemError, match="until has a wrong value at until"):
        slab.until = -1.0
    assert slab.until == 12.5


def test_an_estimate_holds_all_findings(slab):
    found = slab.set("objects.0.high.0", 12.0).estimate("cpu")
    assert found.memory_bytes > 0
    assert any("cuts object 1" in finding.message for finding in found.findings)


def test_a_notebook_shows_it_with_every_text_escaped(slab):
    slab._document.project.title = "<script>alert(1)</script>"
    html = slab._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "objects.0.high.0" in html
    assert repr(slab).endswith("of the engine 'fdtd', until 300 fs>")


def test_a_tool_works_and_its_change_is_taken_over(house, project, monkeypatch):
    monkeypatch.setattr(WaveEngine, "tools", lambda self: TOOLS)
    opened = wb.open(project)
    assert opened.tools["faster"] == "Make it faster: Multiplies the speed."
    with pytest.raises(wb.ProblemError, match="has no tool 'refine'"):
        opened.tool("refine")
    before = opened.get("speed")
    result = opened.tool("faster", {"factor": 3.0})
    assert opened.get("speed") == before
    assert opened.apply(result).get("speed") == 3.0 * before
