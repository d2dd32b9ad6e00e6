"""Documents: open, save, save as, all kinds of files, and all that may be wrong with them."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.api import registry
from engines.api.errors import MeshError, ProblemError, WorkbenchError
from engines.geometry import reading
from tests.workbench.fake_engine import WaveEngine, block
from tests.workbench.house import write_mesh
from workbench.export.png import save_snapshot
from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.document import Document, new_document, open_document, save_document
from workbench.project.meshes import SUFFIXES, fingerprint, usual_length_unit
from workbench.project.presets import open_named
from workbench.project.project import Probe
from workbench.storage import atomic
from workbench.storage.atomic import StorageError
from workbench.storage.paths import cache_dir


def assert_same(a: Document, b: Document) -> None:
    assert a.parameters == b.parameters
    assert a.project.probes == b.project.probes
    assert a.project.view == b.project.view
    assert np.array_equal(a.geometry.cells, b.geometry.cells)


def one_sentence(error: Exception) -> str:
    text = str(error)
    assert "\n" not in text
    assert len(text) < 400
    return text


def test_a_mesh_opens_as_a_new_project(house, mesh_file):
    document = open_document(mesh_file)
    assert document.path is None
    assert document.project.title == "slab"
    assert document.geometry.n_cells == 216
    assert document.parameters == WaveEngine().default_parameters(None)


@pytest.mark.parametrize("target", ["saved", "saved.zip", "saved/project.json", "ünï çödé folder"])
def test_saved_and_opened_again(house, mesh_file, tmp_path, target):
    document = open_document(mesh_file)
    document.parameters.speed = 2.5
    document.project.probes = [Probe(name="π", position=(1, 2, 3))]
    document.project.view.range = (-80, 40)
    document.project.view.camera.azimuth = 123.456
    where = save_document(document, tmp_path / target)
    mesh_file.unlink()
    again = open_document(where)
    assert_same(document, again)
    assert again.findings == ()
    assert again.path == where
    assert not Path(again.project.geometry.path).is_absolute()
    assert len(again.project.geometry.sha256) == 64


def test_saved_in_place_after_an_edit(project):
    document = open_document(project)
    document.parameters.speed = 3.0
    save_document(document)
    assert open_document(project).parameters.speed == 3.0
    assert sorted(path.name for path in project.iterdir()) == ["project.json", "slab.vtu"]


def test_save_as_leaves_the_first_alone(project, tmp_path):
    before = (project / "project.json").read_bytes()
    document = open_document(project)
    document.parameters.speed = 3.0
    save_document(document, tmp_path / "other.zip")
    assert (project / "project.json").read_bytes() == before
    assert document.path == tmp_path / "other.zip"
    save_document(document, tmp_path / "third")
    assert open_document(tmp_path / "third").parameters.speed == 3.0


def test_a_project_that_never_had_a_file_asks_for_one(house, mesh_file):
    with pytest.raises(ProblemError, match="no file yet"):
        save_document(open_document(mesh_file))


def test_a_mesh_of_other_content_is_not_overwritten(house, project, tmp_path):
    other = write_mesh(block(2, 2, 2), tmp_path / "elsewhere" / "slab.vtu")
    before = fingerprint([project / "slab.vtu"])
    document = new_document(WaveEngine(), other)
    save_document(document, project)
    assert fingerprint([project / "slab.vtu"]) == before
    assert open_document(project).geometry.n_cells == 48


def test_a_mesh_in_a_folder_below_stays_there(project):
    (project / "meshes").mkdir()
    (project / "slab.vtu").rename(project / "meshes" / "slab.vtu")
    content = json.loads((project / "project.json").read_text())
    content["geometry"]["path"] = "meshes/slab.vtu"
    (project / "project.json").write_text(json.dumps(content))
    document = open_document(project)
    save_document(document)
    assert document.project.geometry.path == "meshes/slab.vtu"
    assert open_document(save_document(document, project.with_suffix(".zip"))).geometry.n_cells == 216


@pytest.mark.parametrize("name", ["bell\a", "two\nlines", "next\x85line"])
def test_a_mesh_whose_name_holds_controls_is_found_again(project, tmp_path, name):
    """They were replaced in what names it, and not in what it is called."""
    folder = tmp_path / "mine"
    folder.mkdir()
    mesh = (project / "slab.vtu").rename(folder / f"{name}.vtu")
    document = new_document(WaveEngine(), mesh)
    for target in (folder, tmp_path / "copy.zip", tmp_path / "copy"):
        assert open_document(save_document(document, target)).geometry.n_cells == 216
    root = tmp_path / "autosave"
    autosave = Autosave(root)
    autosave.tick(new_document(WaveEngine(), mesh), now=True)
    autosave.leave()
    assert recover(*recoveries(root)).geometry.n_cells == 216


def test_fibres_travel_with_the_mesh(house, mesh_file, tmp_path):
    fibres = tmp_path / "fibres.txt"
    np.savetxt(fibres, np.tile([1.0, 0, 0], (216, 1)))
    document = new_document(WaveEngine(), mesh_file, fibres=fibres)
    for target in ("with-fibres", "with-fibres.zip"):
        save_document(document, tmp_path / target)
        assert open_document(tmp_path / target).geometry.fibres.shape == (216, 3)
    (tmp_path / "with-fibres" / "fibres.txt").unlink()
    with pytest.raises(MeshError, match=r"fibre file .*fibres\.txt' is missing"):
        open_document(tmp_path / "with-fibres")


def test_a_zip_of_the_folder_made_by_hand_opens(project, tmp_path):
    made = shutil.make_archive(str(tmp_path / "byhand"), "zip", project.parent, project.name)
    assert open_document(made).geometry.n_cells == 216


def test_a_snapshot_reopens_the_session(project, tmp_path):
    document = open_document(project)
    document.parameters.speed = 1.75
    save_snapshot(tmp_path / "shot.png", np.zeros((3, 4, 4), np.uint8), document)
    again = open_document(tmp_path / "shot.png")
    assert_same(document, again)
    assert again.path is None


def test_a_changed_mesh_is_told_but_opens(project):
    write_mesh(block(3, 3, 2), project / "slab.vtu")
    document = open_document(project)
    assert [finding.severity for finding in document.findings] == ["warning"]
    assert "has changed since" in document.findings[0].message
    save_document(document)
    assert open_document(project).findings == ()


RECORD = {"outcome": {"state": "finished"}, "command": {"project": "gray_scott_coral"}, "project": {"engine": "wave"}}
"""What a run leaves in its folder."""


def edit(project: Path, **changes: Any) -> None:
    content = json.loads((project / "project.json").read_text())
    (project / "project.json").write_text(json.dumps({**content, **changes}))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda p: edit(p, schema_version=7), ["newer Workbench", "version 7", "up to 1", "update"]),
        (lambda p: edit(p, schema_version="x"), ["schema_version", "'x'"]),
        (lambda p: edit(p, engine="warp"), ["no engine 'warp'", "wave"]),
        (lambda p: edit(p, parameters={"speed": -1}), ["speed", "greater than 0"]),
        (lambda p: edit(p, parameters={"velocity": 1}), ["velocity", "nothing reads"]),
        (lambda p: edit(p, colour="red"), ["colour", "nothing reads"]),
        (lambda p: edit(p, run={"until": float("nan")}), ["run.until", "finite"]),
        (lambda p: edit(p, geometry=None), ["names no mesh"]),
        (lambda p: edit(p, geometry={"path": "lost.vtu"}), ["lost.vtu", "missing"]),
        (lambda p: (p / "slab.vtu").unlink(), ["slab.vtu", "missing"]),
        (lambda p: (p / "slab.vtu").write_bytes(b""), ["slab.vtu", "tetrahedra"]),
        (lambda p: (p / "project.json").write_text(""), ["no valid JSON"]),
        (lambda p: (p / "project.json").write_text("[1, 2]"), ["one JSON object"]),
        (lambda p: (p / "project.json").write_bytes(b"\xff\xfe\x00{"), ["no valid JSON"]),
        (lambda p: (p / "project.json").write_text("[" * 100_000), ["no valid JSON"]),
        (lambda p: (p / "project.json").unlink(), ["holds no project.json"]),
        (
            lambda p: (p / "project.json").rename(p / "run.json").write_text(json.dumps(RECORD)),
            ["run.json' tells of a run", "open 'gray_scott_coral', which was run"],
        ),
        (lambda p: (p / "project.json").write_text('{"outcome": {}}'), ["open the project that was run"]),
    ],
)
def test_what_is_wrong_with_a_project_is_said_in_one_sentence(project, spoil, words):
    spoil(project)
    with pytest.raises(ProblemError) as caught:
        open_document(project)
    text = one_sentence(caught.value)
    for word in words:
        assert word in text


def test_what_is_wrong_with_parameters_is_said_of_a_zip_too(project, tmp_path):
    """Which is unpacked with the files that they name."""
    edit(project, parameters={"speed": -1})
    shutil.make_archive(str(tmp_path / "p"), "zip", project)
    with pytest.raises(ProblemError, match=r"p\.zip' has a wrong value at speed"):
        open_document(tmp_path / "p.zip")


@pytest.mark.parametrize("name", ["nothing-here", "nothing.vtu", "nothing.zip", "nothing.png"])
def test_what_is_not_there_is_named(house, tmp_path, name):
    with pytest.raises(ProblemError) as caught:
        open_document(tmp_path / name)
    assert name in one_sentence(caught.value)


@pytest.mark.parametrize("name", ["text.txt", "broken.zip", "picture.png", "empty.zip", "empty.png"])
def test_a_file_of_another_kind_is_refused(house, tmp_path, name):
    (tmp_path / name).write_bytes(b"" if "empty" in name else b"PK\x03\x04 nothing of the kind" * 20)
    with pytest.raises(ProblemError) as caught:
        open_document(tmp_path / name)
    assert name in one_sentence(caught.value)


def rezip(project: Path, target: Path, reference: str, members: dict[str, bytes]) -> Path:
    content = json.loads((project / "project.json").read_text())
    content["geometry"]["path"] = reference
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("project.json", json.dumps(content))
        for name, data in members.items():
            archive.writestr(name, data)
    return target


@pytest.mark.parametrize(
    "name", ["../outside.vtu", "/tmp/outside.vtu", "a/../../outside.vtu", "..\\outside.vtu", "C:\\outside.vtu"]
)
def test_a_zip_cannot_reach_outside(project, tmp_path, name, own_home):
    made = rezip(project, tmp_path / "evil.zip", name, {name: (project / "slab.vtu").read_bytes()})
    before = {path for path in tmp_path.parent.rglob("*") if "outside" in path.name}
    with pytest.raises(ProblemError, match="not inside it"):
        open_document(made)
    assert {path for path in tmp_path.parent.rglob("*") if "outside" in path.name} == before
    assert not [path for path in own_home.rglob("*") if "outside" in path.name]


def test_a_zip_whose_mesh_is_missing_names_it(project, tmp_path):
    made = rezip(project, tmp_path / "thin.zip", "mesh.vtu", {})
    with pytest.raises(ProblemError, match=r"'mesh.vtu' is missing"):
        open_document(made)


def test_a_zip_that_changed_is_unpacked_again(house, project, tmp_path):
    made = rezip(project, tmp_path / "p.zip", "m.vtu", {"m.vtu": (project / "slab.vtu").read_bytes()})
    assert open_document(made).geometry.n_cells == 216
    other = write_mesh(block(2, 2, 2), tmp_path / "other.vtu")
    rezip(project, made, "m.vtu", {"m.vtu": other.read_bytes()})
    assert open_document(made).geometry.n_cells == 48


def test_what_was_unpacked_and_changed_since_is_unpacked_again(tmp_path):
    """As by an editor, or a crash before the disk had it: of the same length, so nobody saw."""
    made = save_document(open_named("motorway"), tmp_path / "p.zip")
    file = Path(open_document(made).parameters.drive_cycle.file)
    assert file.is_relative_to(cache_dir())
    content = file.read_bytes()
    os.utime(file, (0, 0))
    assert Path(open_document(made).parameters.drive_cycle.file).stat().st_mtime == 0, "as it is what the zip holds"
    file.write_bytes(content.replace(b"1", b"7"))
    assert Path(open_document(made).parameters.drive_cycle.file).read_bytes() == content


def test_what_was_unpacked_long_ago_is_removed(project, tmp_path):
    made = save_document(open_document(project), tmp_path / "p.zip")
    unpacked = cache_dir() / "unpacked"
    old = unpacked / "old"
    old.mkdir(parents=True)
    (old / "mesh.vtu").write_bytes(b"x")
    os.utime(old, (0, 0))
    assert open_document(made).geometry.n_cells == 216
    assert open_document(made).mesh.is_relative_to(unpacked)
    assert not old.exists()


def test_a_damaged_zip_is_refused(project, tmp_path):
    made = tmp_path / "p.zip"
    save_document(open_document(project), made)
    content = bytearray(made.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 20] = bytes(20)
    made.write_bytes(content)
    with pytest.raises(ProblemError):
        open_document(made)


@pytest.mark.parametrize("target", ["slab", "slab.zip"])
def test_a_full_disk_leaves_the_old_project(project, tmp_path, monkeypatch, target):
    document = open_document(project)
    save_document(document, tmp_path / target)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = document.path, document.project
    document.parameters.speed = 9.0

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(StorageError) as caught:
        save_document(document)
    text = one_sentence(caught.value)
    assert "disk is full" in text
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert (document.path, document.project) == kept
    monkeypatch.undo()


def test_a_folder_that_may_not_be_written_is_said(project, monkeypatch):
    def refuse(*args: Any, **options: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(StorageError, match="may not be written"):
        save_document(open_document(project))


def test_saving_when_the_mesh_has_gone_says_so(project, tmp_path):
    document = open_document(project)
    (project / "slab.vtu").unlink()
    with pytest.raises(WorkbenchError, match="no longer there"):
        save_document(document, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_is_offered_as_a_mesh_is_what_the_reader_takes():
    assert sorted(SUFFIXES) == sorted(reading.SUFFIXES)


def test_carp_meshes_are_in_micrometres_unless_told(house, monkeypatch, tmp_path: Path) -> None:
    assert usual_length_unit(tmp_path / "heart.pts") == "um"
    assert usual_length_unit(tmp_path / "heart.ELEM") == "um"
    assert usual_length_unit(tmp_path / "heart.vtu") == "mm"
    (tmp_path / "heart.pts").touch()
    monkeypatch.setattr("workbench.project.document.read_mesh_file", lambda path, unit, fibres: block())
    assert new_document(WaveEngine(), tmp_path / "heart.pts").project.geometry.length_unit == "um"
    assert new_document(WaveEngine(), tmp_path / "heart.pts", length_unit="cm").project.geometry.length_unit == "cm"


def test_a_zip_is_known_by_what_it_holds_whatever_it_is_called(project, tmp_path):
    document = open_document(project)
    save_document(document, tmp_path / "slab.zip")
    renamed = (tmp_path / "slab.zip").rename(tmp_path / "slab.workbench")
    assert open_document(renamed).project.title == document.project.title
    (tmp_path / "notes.workbench").write_text("no zip")
    with pytest.raises(ProblemError, match="is neither a project nor a mesh that can be read"):
        open_document(tmp_path / "notes.workbench")


@pytest.mark.parametrize("name", ["drive.csv", "DRIVE.TXT"])
def test_a_table_says_where_it_goes(tmp_path, name):
    (tmp_path / name).write_text("time [s],current [A]\n0,1\n")
    with pytest.raises(ProblemError, match=r"is a table, .* in its form .* drive cycle.* on a chart"):
        open_document(tmp_path / name)


def test_a_preset_of_ours_is_opened_without_the_engines_of_others(monkeypatch):
    """All take a second to load, which each rank and each short run had to wait for."""
    monkeypatch.setattr(registry, "engines", lambda: pytest.fail("all engines were loaded"))
    opened = open_named("heat_on_a_plate")
    assert opened.engine.id == "stencil"
    monkeypatch.undo()
    assert opened.engine is registry.engines()["stencil"]
    with pytest.raises(ProblemError, match="There is no file and no preset 'heat_on_a_plat'; the nearest are 'heat_on"):
        open_named("heat_on_a_plat")
