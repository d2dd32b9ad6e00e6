"""``workbench tool``: lists, runs, writes charts, takes over what came out; refuses in a sentence."""

import json
import sys

import numpy as np
import pytest

from tests.workbench.fake_engine import WaveEngine
from tests.workbench.fake_tools import TOOLS
from workbench.cli import main
from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.document import open_document, save_document
from workbench.project.kept_meshes import keep_mesh
from workbench.project.meshes import fingerprint


@pytest.fixture
def workshop(project, monkeypatch):
    """The saved project of the fake engine, which has tools, with the real reader of meshes."""
    monkeypatch.setattr(WaveEngine, "tools", lambda self: TOOLS)
    monkeypatch.delitem(sys.modules, "engines.geometry.reading")
    return project


def test_tools_are_listed(workshop, capsys):
    assert main(["tool", str(workshop)]) == 0
    assert "faster   Make it faster: Multiplies the speed." in capsys.readouterr().out


def test_an_engine_without_tools_says_so(project, capsys):
    assert main(["tool", str(project)]) == 0
    assert capsys.readouterr().out == "The engine 'wave' has no tools.\n"


def test_a_tool_tells_what_it_found_and_changes_nothing_unasked(workshop, tmp_path, capsys):
    assert main(["tool", str(workshop), "faster", "--set", "factor=3", "--out", str(tmp_path / "charts")]) == 0
    told = capsys.readouterr().out
    assert told.startswith("The speed is 3 mm/ms now.\n  Speed  3 mm/ms\n")
    assert "--apply or --save takes it over" in told
    assert (tmp_path / "charts" / "speed.csv").read_text() == "curve,factor,Speed [mm/ms]\nspeed,1,1\nspeed,3,3\n"
    assert open_document(workshop).parameters.speed == 1.0


def test_charts_of_a_tool_replace_charts_alone(workshop, tmp_path, capsys):
    asked = ["tool", str(workshop), "faster", "--out", str(tmp_path)]
    (tmp_path / "speed.csv").write_text("time,speed\n0,1\n")
    assert main(asked) == 2
    assert "speed.csv' is there already, and is no chart of Workbench" in capsys.readouterr().err
    assert (tmp_path / "speed.csv").read_text() == "time,speed\n0,1\n"
    (tmp_path / "speed.csv").unlink()
    assert main(asked) == main(asked) == 0
    (tmp_path / "speed.csv").write_text("# a note\ncurve,x,y\n")
    assert main(asked) == 0


def test_a_tool_without_charts_writes_none(workshop, tmp_path, capsys):
    assert main(["tool", str(workshop), "stretch", "--out", str(tmp_path / "charts"), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["files"] == []
    assert "The mesh is stretched.\nThis tool made no charts.\n" in told.err
    assert not (tmp_path / "charts").exists()


def test_apply_saves_in_place_and_save_into_a_new_project(workshop, tmp_path, capsys):
    assert open_document(workshop).project.run.until == 4.0
    assert main(["tool", str(workshop), "faster", "--apply"]) == 0
    assert "The run ends at 30 ms now; it was 4." in capsys.readouterr().out
    document = open_document(workshop)
    assert (document.parameters.speed, document.project.run.until) == (2.0, 30.0)
    assert main(["tool", str(workshop), "faster", "--save", str(tmp_path / "new.zip")]) == 0
    assert open_document(tmp_path / "new.zip").parameters.speed == 4.0
    assert "The run ends" not in capsys.readouterr().out, "it goes far enough"
    assert open_document(workshop).parameters.speed == 2.0


@pytest.mark.parametrize("tool", ["faster", "stretch"])
@pytest.mark.parametrize("field", ["step", "speed"])
def test_what_somebody_else_saves_while_a_tool_works_stays(workshop, tmp_path, monkeypatch, capsys, tool, field):
    """All that the tool had found was lost, for another project stood there."""
    document, found = open_document(workshop), next(each for each in TOOLS if each.id == tool)

    class Meanwhile(type(found)):
        def run(self, *given):
            result = super().run(*given)
            other = open_document(workshop)
            setattr(other.parameters, field, 0.01)
            other.project.title = "of somebody else"
            save_document(other)
            return result

    monkeypatch.setattr(WaveEngine, "tools", lambda self: (Meanwhile(),))
    goes = (tool, field) == ("faster", "step")
    assert main(["tool", str(workshop), tool, "--apply"]) == (0 if goes else 2)
    now, told = open_document(workshop), capsys.readouterr()
    assert now.project.title == "of somebody else"
    assert getattr(now.parameters, field) == 0.01
    assert (now.parameters.speed == 2 * document.parameters.speed) == goes
    assert ("The project was saved meanwhile by somebody else: what was changed there stays." in told.out) == goes
    assert ("who changed what this tool changes, too: carry it out again, or with --save" in told.err) != goes


@pytest.mark.parametrize("name", ["stretched", "stretched.zip"])
def test_a_changed_mesh_is_saved_with_regions_and_fibres(workshop, tmp_path, name, capsys):
    before = open_document(workshop).loaded
    assert main(["tool", str(workshop), "stretch", "--save", str(tmp_path / name)]) == 0
    document = open_document(tmp_path / name)
    mesh = document.loaded
    assert np.array_equal(mesh.points, before.points * [2, 1, 1])
    assert np.array_equal(mesh.cells, before.cells)
    assert mesh.region_names == {0: "near", 1: "far"}
    assert np.array_equal(mesh.regions, (before.centroids[:, 0] > before.centroids[:, 0].mean()).astype(int))
    # float32 unit vectors, normalised once more by the reader: the last digit may differ
    assert np.allclose(mesh.fibres, [0.6, 0.8, 0.0], atol=1e-7)
    assert np.allclose(mesh.sheets, [0.0, 0.0, 1.0], atol=1e-7)
    assert document.project.geometry.sha256 == fingerprint([document.mesh])
    assert not [finding for finding in document.findings if "changed since" in finding.message]


def test_a_mesh_applied_in_place_leaves_the_old_file_there(workshop):
    old = open_document(workshop)
    content = old.mesh.read_bytes()
    assert main(["tool", str(workshop), "stretch", "--apply"]) == 0
    new = open_document(workshop)
    assert new.loaded.points.max() == pytest.approx(12)
    assert new.mesh != old.mesh
    assert new.mesh.parent == workshop
    assert old.mesh.read_bytes() == content


def test_a_mesh_of_no_project_survives_a_crash(workshop, tmp_path):
    """Between Apply and Save only an autosave knows of the changed mesh."""
    document = open_document(workshop)
    mesh = TOOLS[1].run(document.problem, TOOLS[1].Parameters(), None).geometry
    before = document.standing
    document.stand_on(keep_mesh(mesh, document.engine, "slab"))
    there = document.standing
    document.stand_on(before)  # taken back
    assert (document.mesh, document.geometry.bounds[1][0]) == (workshop / "slab.vtu", 6.0)
    document.stand_on(there)  # and done again
    assert document.geometry.bounds[1][0] == 12.0
    autosave = Autosave(tmp_path / "autosave")
    assert autosave.tick(document, now=True)
    autosave._lock.release()  # the session is gone
    found = recover(recoveries(tmp_path / "autosave")[0])
    assert np.array_equal(found.loaded.points, document.loaded.points)
    save_document(found)
    assert np.array_equal(open_document(workshop).loaded.points, mesh.points)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["other"], 2, "has no tool 'other'; its tools are: faster, stretch, slow, refusal."),
        (["faster", "--set", "speed=2"], 2, "'faster' has no value 'speed'; it has: factor."),
        (["faster", "--set", "factor.most=2"], 2, "'faster' has no value 'factor.most'; it has: factor."),
        (["faster", "--set", "factor.most.of=2"], 2, "'faster' has no value 'factor.most.of'"),
        (["faster", "--set", "factor=-2"], 2, "'faster' has a wrong value at factor"),
        (["faster", "--set", "factor"], 2, "factor is no NAME=VALUE"),
        (["refusal"], 2, "The factor is too small: take another."),
        (["refusal", "--set", "factor=99"], 3, "unexpected ZeroDivisionError"),
        (["--apply"], 2, "--apply needs the id of a tool"),
    ],
)
def test_mistakes_are_one_sentence(workshop, capsys, arguments, code, sentence):
    assert main(["tool", str(workshop), *arguments]) == code
    assert sentence in capsys.readouterr().err


def test_apply_needs_a_project_and_save_a_free_name(workshop, mesh_file, capsys):
    assert main(["tool", str(mesh_file), "faster", "--apply"]) == 2
    assert "use --save NEW_PROJECT" in capsys.readouterr().err
    assert main(["tool", str(workshop), "faster", "--save", str(workshop)]) == 2
    assert "exists already" in capsys.readouterr().err
