"""What a project may read: its own files, and others only where the person chose or confirmed them."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from engines.api import registry
from engines.api.errors import ProblemError
from tests.workbench.fake_engine import WaveEngine, block
from tests.workbench.fake_grid_engine import FadeEngine, FadeParameters, FromPicture
from tests.workbench.house import write_mesh
from workbench.cli import main
from workbench.export.png import KEYWORD, encode_png, save_snapshot
from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.boundary import EVERYTHING, OutsideFiles, Permission, refuse_device
from workbench.project.document import Document, new_document, open_document, save_document
from workbench.project.meshes import mesh_files
from workbench.project.parameter_files import named_files
from workbench.remote.packing import packed


@pytest.fixture(autouse=True)
def both(house: None, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = {"fade": FadeEngine(), "wave": WaveEngine()}
    monkeypatch.setattr(registry, "engines", lambda: engines)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A file of the person who opens projects."""
    file = tmp_path / "private" / "cat.png"
    file.parent.mkdir()
    file.write_bytes(b"mine")
    return file


def stranger(folder: Path, picture: str) -> Path:
    """A project from elsewhere that names ``picture``."""
    document = new_document(FadeEngine())
    content = document.current_project().model_dump(mode="json")
    content["parameters"]["start"] = {"kind": "picture", "picture": picture}
    content["parameters"]["mask"] = "own.png"
    folder.mkdir()
    (folder / "own.png").write_bytes(b"theirs")
    (folder / "project.json").write_text(json.dumps(content))
    return folder


def link(folder: Path, target: Path) -> str:
    os.symlink(target, folder / "picture.png")
    return "picture.png"


def as_named(way: str, folder: Path, private: Path) -> Path:
    """A stranger's project that reaches for the private file in one of these ways: what is opened."""
    if way == "link":
        made = stranger(folder, "picture.png")
        link(made, private)
        return made
    if way == "linked folder":
        made = stranger(folder, f"there/{private.name}")
        os.symlink(private.parent, made / "there")
        return made
    made = stranger(folder, str(private) if way == "absolute" else f"../private/{private.name}")
    if way == "snapshot":
        text = (made / "project.json").read_text()
        (made / "shot.png").write_bytes(encode_png(np.zeros((2, 2, 4), np.uint8), {KEYWORD: text}))
        return made / "shot.png"
    return made / "project.json" if way == "file" else made


WAYS = ("absolute", "above", "file", "link", "linked folder", "snapshot")


@pytest.mark.parametrize("way", WAYS)
def test_files_outside_need_the_persons_word(tmp_path, private, way):
    given = as_named(way, tmp_path / "stranger", private)
    with pytest.raises(OutsideFiles, match="--allow-outside") as asked:
        open_document(given)
    assert asked.value.files == (private,)
    assert not asked.value.needed
    assert "mine" not in str(asked.value)

    agreed = open_document(given, permission=Permission(files=frozenset(asked.value.files)))
    assert named_files(agreed.parameters)["start", "picture"].read_bytes() == b"mine"
    assert named_files(open_document(given, permission=EVERYTHING).parameters) == named_files(agreed.parameters)

    without = open_document(given, permission=Permission(left_out=frozenset(asked.value.files)))
    assert without.parameters.start.picture == ""
    assert [file.read_bytes() for file in named_files(without.parameters).values()] == [b"theirs"]
    assert [finding.message for finding in without.findings if "was left out" in finding.message]
    for target in ("saved", "saved.zip"):
        save_document(replace(without), tmp_path / target)
    with zipfile.ZipFile(tmp_path / "saved.zip") as archive:
        assert sorted(archive.namelist()) == ["own.png", "project.json"]
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["own.png", "project.json"]


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_confirmed_is_copied_only_as_what_it_is_for(tmp_path, private, way):
    private.write_bytes(b"secret words")
    document = open_document(as_named(way, tmp_path / "stranger", private), permission=EVERYTHING)
    for target in ("saved", "saved.zip"):
        with pytest.raises(ProblemError, match=r"(cat|picture)\.png' is no picture") as refused:
            save_document(replace(document), tmp_path / target)
        assert "words" not in str(refused.value)
        assert not (tmp_path / target).exists()


def test_links_that_stay_inside_need_no_word(tmp_path):
    folder = stranger(tmp_path / "stranger", "picture.png")
    link(folder, folder / "own.png")
    assert named_files(open_document(folder).parameters)["start", "picture"].read_bytes() == b"theirs"


@pytest.mark.parametrize(
    "name", ["/dev/zero", "/proc/self/environ", "//server/share/a.png", "\\\\server\\share\\a.png"]
)
def test_devices_and_other_machines_are_refused_whatever_is_allowed(tmp_path, name):
    for folder, field in ((tmp_path / "a", "picture"), (tmp_path / "b", "mesh")):
        made = stranger(folder, name if field == "picture" else "own.png")
        if field == "mesh":
            content = json.loads((made / "project.json").read_text())
            content |= {"engine": "wave", "geometry": {"path": name}, "parameters": {}}
            (made / "project.json").write_text(json.dumps(content))
        with pytest.raises(ProblemError, match="not opened; copy a file into its folder") as refused:
            open_document(made, permission=EVERYTHING)
        assert not isinstance(refused.value, OutsideFiles)


def test_a_link_to_a_device_is_refused(tmp_path):
    folder = stranger(tmp_path / "stranger", "picture.png")
    link(folder, Path("/proc/self/status"))
    with pytest.raises(ProblemError, match="a device: not opened"):
        open_document(folder, permission=EVERYTHING)


@pytest.mark.parametrize("name", ["NUL", "con.png", "a/AUX", "com1.csv", "lpt9 ", "nul:x", "CONOUT$"])
def test_windows_has_devices_in_every_folder(name):
    with pytest.raises(ProblemError, match="a device"):
        refuse_device(name, "'p'", windows=True)
    refuse_device(name, "'p'", windows=False)
    refuse_device("console.png", "'p'", windows=True)


def test_a_mesh_outside_is_asked_for_and_nothing_opens_without_it(tmp_path, project):
    (project / "slab.vtu").rename(tmp_path / "elsewhere.vtu")
    content = json.loads((project / "project.json").read_text())
    content["geometry"]["path"] = "../elsewhere.vtu"
    (project / "project.json").write_text(json.dumps(content))
    with pytest.raises(OutsideFiles) as asked:
        open_document(project)
    assert asked.value.files == (tmp_path / "elsewhere.vtu",)
    assert asked.value.needed
    with pytest.raises(ProblemError, match="cannot be opened without its mesh"):
        open_document(project, permission=Permission(left_out=frozenset(asked.value.files)))
    document = open_document(project, permission=Permission(files=frozenset(asked.value.files)))
    save_document(document)  # the mesh lies in the folder from now on
    assert open_document(project).geometry.n_cells == 216


def test_fibres_outside_are_asked_for_and_left_out(tmp_path, project):
    fibres = tmp_path / "fibres.lon"
    fibres.write_text("1 0 0\n" * 216)
    content = json.loads((project / "project.json").read_text())
    content["geometry"] |= {"fibres": str(fibres), "sha256": None}
    (project / "project.json").write_text(json.dumps(content))
    with pytest.raises(OutsideFiles) as asked:
        open_document(project)
    assert (asked.value.files, asked.value.needed) == ((fibres,), False)
    document = open_document(project, permission=Permission(left_out=frozenset([fibres])))
    assert document.geometry.fibres is None
    save_document(document)
    assert open_document(project).findings == ()
    assert not (project / "fibres.lon").exists()


def test_files_that_are_read_with_a_mesh_are_asked_for_too(tmp_path, private):
    """CARP and TetGen meshes are families of files, of which a project names one."""
    folder = tmp_path / "meshes"
    mesh = write_mesh(block(), folder / "slab.vtu").rename(folder / "slab.ELE")
    for suffix in (".face", ".node"):
        os.symlink(private, mesh.with_suffix(suffix))
    assert {file.name for file in mesh_files(mesh, None)} == {"slab.ELE", "slab.face", "slab.node"}
    with pytest.raises(OutsideFiles) as asked:
        new_document(WaveEngine(), mesh)
    assert (asked.value.files, asked.value.needed) == ((private,), True)


def test_what_the_person_names_is_not_asked_for(tmp_path, private):
    chosen = write_mesh(block(), tmp_path / "far" / "slab.vtu")
    (tmp_path / "here").mkdir()
    os.symlink(chosen, tmp_path / "here" / "slab.vtu")
    fibres = tmp_path / "fibres.lon"
    fibres.write_text("1 0 0\n" * 216)
    assert new_document(WaveEngine(), tmp_path / "here" / "slab.vtu", fibres=fibres).geometry.fibres is not None
    document = new_document(FadeEngine())
    document.parameters = FadeParameters(start=FromPicture(picture=str(private)))  # as the form does
    assert (save_document(document, tmp_path / "p") / "cat.png").read_bytes() == b"mine"


def test_what_came_with_the_installation_may_be_named_by_all(tmp_path):
    shipped = next(Path(str(resources.files("sample_data"))).rglob("*.png"))
    folder = stranger(tmp_path / "p", str(shipped))
    assert named_files(open_document(folder).parameters)["start", "picture"] == shipped


def left_behind(document: Document) -> tuple[Autosave, Path]:
    """An autosave whose session has ended, and where its project stands."""
    autosave = Autosave()
    autosave.tick(document, now=True)
    autosave._lock.release()
    return autosave, recoveries()[0].folder


def test_an_autosave_reads_again_what_its_session_had_read(tmp_path, private):
    document = open_document(as_named("above", tmp_path / "stranger", private), permission=EVERYTHING)
    left_behind(document)
    assert recover(recoveries()[0]).parameters == document.parameters


def test_an_autosave_that_tells_no_files_asks_again(tmp_path, private):
    document = open_document(as_named("above", tmp_path / "stranger", private), permission=EVERYTHING)
    _, folder = left_behind(document)
    (folder / "origin.json").write_text('{"path": null}')  # as earlier versions wrote it
    (found,) = recoveries()
    with pytest.raises(OutsideFiles) as asked:
        recover(found)
    assert private in asked.value.files
    assert recover(found, Permission(files=frozenset(asked.value.files))).parameters == document.parameters


def test_a_snapshot_kept_elsewhere_asks_once_for_what_it_names(tmp_path, private):
    document = open_document(as_named("above", tmp_path / "stranger", private), permission=EVERYTHING)
    (tmp_path / "shots").mkdir()
    save_snapshot(tmp_path / "shots" / "shot.png", np.zeros((2, 2, 4), np.uint8), document)
    with pytest.raises(OutsideFiles) as asked:
        open_document(tmp_path / "shots" / "shot.png")
    assert set(asked.value.files) == {private, tmp_path / "stranger" / "own.png"}


@pytest.mark.parametrize("command", [["run"], ["sweep"], ["tool"]])
def test_the_command_line_refuses_and_names_the_flag(tmp_path, private, capsys, command):
    folder = as_named("above", tmp_path / "stranger", private)
    ending = ["--until", "1", "--no-pictures", "--out", str(tmp_path / "out")] if command == ["run"] else []
    assert main([*command, str(folder), *ending]) == 2
    told = capsys.readouterr().err
    assert f"'{private}'" in told
    assert "--allow-outside" in told
    assert not (tmp_path / "out").exists()
    assert main([*command, str(folder), "--allow-outside", *ending]) == 0


@pytest.mark.parametrize("name", ["x" * 5000, "picture" * 40 + ".png", "a/" * 1500 + "b.png"])
def test_names_longer_than_any_file_s_are_one_sentence(tmp_path, name):
    with pytest.raises(ProblemError, match="longer than names of files can be: not opened") as told:
        open_document(stranger(tmp_path / "p", name))
    assert len(str(told.value)) < 400
    with pytest.raises(ProblemError, match=r"cannot be read|There is no") as told:
        open_document(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["a.png", "a.zip", "a.json", "a.vtu", "a.in", "a.csv", "a.mmt", "a"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ProblemError, match=r"is a pipe or a device|holds no project\.json"):
        open_document(tmp_path / name)


def test_a_picture_reaches_nothing_hidden_beside_it(tmp_path, private):
    """In somebody's home, keys and settings."""
    private.parent.rename(tmp_path / ".keys")
    private = tmp_path / ".keys" / private.name
    folder = stranger(tmp_path / "p", f".keys/{private.name}")
    text = (folder / "project.json").read_text()
    (tmp_path / "shot.png").write_bytes(encode_png(np.zeros((2, 2, 4), np.uint8), {KEYWORD: text}))
    (tmp_path / "own.png").write_bytes(b"theirs")
    with pytest.raises(OutsideFiles) as asked:
        open_document(tmp_path / "shot.png")
    assert asked.value.files == (private,)


@pytest.mark.parametrize("copied", [save_document, lambda document, folder: packed(document)], ids=["saved", "sent"])
@pytest.mark.parametrize("picture", ["cat.png", "sub/cat.png"])
def test_a_file_that_becomes_a_link_while_the_project_is_open_is_not_copied(tmp_path, private, picture, copied):
    """Where others write, too: what was let in was another file."""
    private.write_bytes(encode_png(np.full((4, 4, 4), 77, np.uint8)))
    folder = stranger(tmp_path / "stranger", picture)
    own = folder / picture
    own.parent.mkdir(exist_ok=True)
    for file in (own, folder / "own.png"):
        file.write_bytes(encode_png(np.zeros((4, 4, 4), np.uint8)))
    assert copied(open_document(folder), tmp_path / "first")
    document = open_document(folder)
    if picture == own.name:
        own.unlink()
        own.symlink_to(private)
    else:
        own.unlink()
        own.parent.rmdir()
        own.parent.symlink_to(private.parent)
    with pytest.raises(ProblemError, match="did not when the project was opened"):
        copied(document, tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_a_file_outside_that_comes_while_the_project_is_open_is_not_copied(tmp_path, private):
    picture = encode_png(np.full((4, 4, 4), 77, np.uint8))
    private.unlink()
    document = open_document(stranger(tmp_path / "stranger", str(private)))
    (tmp_path / "stranger" / "own.png").write_bytes(picture)
    private.write_bytes(picture)
    with pytest.raises(ProblemError, match="did not when the project was opened"):
        save_document(document, tmp_path / "copy")
    again = open_document(tmp_path / "stranger", permission=Permission(frozenset([private.resolve()])))
    assert save_document(again, tmp_path / "copy")


@pytest.mark.parametrize("length", [1, 2])
def test_a_link_that_leads_to_itself_is_a_file_that_is_not_there(tmp_path, length):
    """A stranger's project with one ended in a RuntimeError."""
    made, names = stranger(tmp_path / "stranger", "link 0"), [f"link {k}" for k in range(length)]
    for name, other in zip(names, (*names[1:], names[0]), strict=True):
        os.symlink(other, made / name)
    document = open_document(made)
    (finding,) = (one for one in document.findings if "link 0" in one.message)
    assert finding.place == ("start", "picture")
    with pytest.raises(ProblemError, match="link 0"):
        document.complete_problem()
    with pytest.raises(ProblemError, match="link 0"):
        open_document(made / "link 0")
