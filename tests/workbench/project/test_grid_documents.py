"""Projects of an engine that makes its own geometry: the grid follows the parameters, files travel along, runs work."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import registry
from engines.api.errors import ProblemError
from engines.named_files import file_parameters
from tests.workbench.fake_engine import FakeBackend, WaveEngine
from tests.workbench.fake_grid_engine import FadeEngine, FadeParameters, FromPicture
from workbench.cli import main
from workbench.export.png import KEYWORD, encode_png, save_snapshot
from workbench.export.pvd import read_pvd
from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.boundary import EVERYTHING
from workbench.project.document import Document, new_document, open_document, save_document
from workbench.project.parameter_files import named_files, with_values
from workbench.project.project import Probe
from workbench.run.session import probe_elements, start
from workbench.run.states.checkpoint import problem_fingerprint


@pytest.fixture(autouse=True)
def both(house: None, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = {"fade": FadeEngine(), "wave": WaveEngine()}
    monkeypatch.setattr(registry, "engines", lambda: engines)


@pytest.fixture
def pictures(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Three files, two of them of the same name."""
    files = tmp_path / "one" / "cat.png", tmp_path / "two" / "cat.png", tmp_path / "two" / "project.json"
    for number, file in enumerate(files):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(bytes([10 * number, 10 * number + 2]))
    return files


@pytest.fixture
def pictured(pictures: tuple[Path, Path, Path]) -> Document:
    """A document with a picture in a union, the same and others in a list, and one that may be absent."""
    cat, other_cat, odd = (str(file) for file in pictures)
    document = new_document(FadeEngine())
    document.parameters = FadeParameters(
        start=FromPicture(picture=cat),
        overlays=[FromPicture(picture=other_cat), FromPicture(), FromPicture(picture=cat)],
        mask=odd,
    )
    return document


def contents(document: Document) -> list[bytes]:
    return [file.read_bytes() for file in named_files(document.parameters).values()]


# ---- the grid ------------------------------------------------------------------------------------------------


def test_the_grid_follows_the_parameters():
    document = new_document(FadeEngine())
    first = document.geometry
    assert first.shape == (4, 6)
    document.parameters.rate = 0.2
    assert document.geometry is first
    document.parameters.grid.nx = 8
    assert document.geometry.shape == (4, 8)
    assert document.loaded is None
    assert document.problem.geometry is None
    assert document.time_unit == "ms"
    document.parameters.count = True
    assert document.time_unit == "iterations"


def test_probes_are_cells_of_the_grid_in_its_unit():
    document = new_document(FadeEngine())
    document.project.probes = [Probe(name="p", position=(2.3, 3.6, 0.0)), Probe(name="out", position=(99, 99, 0))]
    # origin (1, 2), cells of 0.5: floor(2.6) = 2 along x, floor(3.2) = 3 along y; beyond the side: its last cell
    assert probe_elements(document) == [("p", 3 * 6 + 2), ("out", 23)]


def test_a_huge_grid_lists_no_cells():
    document = new_document(FadeEngine())
    document.parameters.grid = document.parameters.grid.model_copy(update={"nx": 1024, "ny": 1024, "nz": 1024})
    document.project.probes = [Probe(name="p", position=(512.9, 2.0, 257.6))]
    ((_, element),) = probe_elements(document)  # a table of 1024³ centres would be 26 GB
    assert document.geometry.centers(np.array([element]))[0] == pytest.approx((512.75, 2.25, 257.75))


def test_a_grid_that_cannot_be_is_refused_on_opening(tmp_path):
    document = new_document(FadeEngine())
    save_document(document, tmp_path / "p")
    content = json.loads((tmp_path / "p" / "project.json").read_text())
    content["parameters"]["grid"]["nx"] = 5000
    (tmp_path / "p" / "project.json").write_text(json.dumps(content))
    with pytest.raises(ProblemError, match="at most 4096"):
        open_document(tmp_path / "p")


def test_an_engine_with_a_grid_of_its_own_takes_no_mesh(mesh_file, tmp_path, capsys):
    with pytest.raises(ProblemError, match=r"makes nothing of 'slab.vtu': leave the mesh out"):
        new_document(FadeEngine(), mesh_file)
    assert main(["new", str(tmp_path / "p"), "--engine", "wave"]) == 2
    assert "add --mesh FILE, or choose an engine that needs none with --engine: fade." in capsys.readouterr().err


# ---- without a window ------------------------------------------------------------------------------------------


def test_new_and_run_without_a_mesh(tmp_path, capsys):
    assert main(["new", str(tmp_path / "p.zip"), "--engine", "fade"]) == 0
    out = tmp_path / "out"
    options = ["--until", "4", "--snapshot-every", "2", "--no-pictures", "--out", str(out)]
    assert main(["run", str(tmp_path / "p.zip"), *options]) == 0
    assert "Finished at 4 ms." in capsys.readouterr().out
    assert [time for time, _ in read_pvd(out / "fields.pvd")] == [0.0, 2.0, 4.0]
    written = sorted(path.name for path in (out / "fields").iterdir())
    assert written == [f"fields_00000000{step}.vti" for step in (0, 4, 8)]
    run = json.loads((out / "run.json").read_text())
    assert run["device"]["name"] == "NumPy on paper"
    assert main(["run", str(tmp_path / "p.zip"), "--until", "2", "--no-pictures", "--out", str(out)]) == 0
    assert sorted(path.name for path in (out / "fields").iterdir()) == ["fields_000000004.vti"]


def test_iterations_read_well(tmp_path, capsys):
    document = new_document(FadeEngine())
    document.parameters.count = True
    document.project.probes = [Probe(name="p", position=(1, 2, 3))]
    save_document(document, tmp_path / "p")
    assert main(["run", str(tmp_path / "p")]) == 2
    assert "add --until T [iterations]." in capsys.readouterr().err
    out = tmp_path / "out"
    assert main(["run", str(tmp_path / "p"), "--until", "1250", "--no-pictures", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "Finished at 1\u202f250 iterations." in told.out
    assert "1\u202f250 of 1\u202f250 iterations" in told.err
    assert (out / "traces.csv").read_text().startswith("time [iterations],p: u [mol/m³]\n")
    header = (out / "points.csv").read_text().splitlines()[0]
    assert header == "name,x [um],y [um],z [um],cell x [um],cell y [um],cell z [um],element,flow_0,flow_1"


# ---- files that parameters name --------------------------------------------------------------------------------


def test_files_are_found_whatever_they_are_nested_in(pictured, pictures):
    found = file_parameters(pictured.parameters)
    assert [file.place for file in found] == [
        ("start", "picture"), ("overlays", 0, "picture"), ("overlays", 1, "picture"), ("overlays", 2, "picture"),
        ("mask",),
    ]  # fmt: skip
    assert [file.path for file in found] == [str(pictures[0]), str(pictures[1]), "", str(pictures[0]), str(pictures[2])]
    assert found[-1].title == "Mask of the obstacle"
    assert found[0].title == "Picture"
    assert all(file.kind == "picture" for file in found)


@pytest.mark.parametrize("target", ["saved", "saved.zip"])
def test_files_travel_with_the_project(pictured, tmp_path, target):
    before = contents(pictured)
    where = save_document(pictured, tmp_path / target)
    shutil.rmtree(tmp_path / "one")
    shutil.rmtree(tmp_path / "two")
    moved = where.rename(tmp_path / f"moved-{target}")  # to another place of the disk
    again = open_document(moved)
    assert again.findings == ()
    assert contents(again) == before
    assert all(file.is_absolute() for file in named_files(again.parameters).values())
    if moved.is_dir():
        stored = json.loads((moved / "project.json").read_text())["parameters"]
        assert len([name for name in moved.iterdir() if name.name.startswith("cat")]) == 2  # the same file once
    else:
        with zipfile.ZipFile(moved) as archive:
            stored = json.loads(archive.read("project.json"))["parameters"]
            assert sorted(archive.namelist()) == ["cat-2.png", "cat.png", "project-2.json", "project.json"]
    assert stored["start"]["picture"] == "cat.png"
    assert stored["overlays"][2]["picture"] == "cat.png"
    assert not Path(stored["mask"]).is_absolute()
    save_document(again, tmp_path / "third.zip")
    assert contents(open_document(tmp_path / "third.zip")) == before


def test_a_saved_document_reads_its_own_copies_and_nothing_is_overwritten(pictured, pictures, tmp_path):
    folder = save_document(pictured, tmp_path / "p")
    assert all(file.parent == folder for file in named_files(pictured.parameters).values())
    save_document(pictured)  # in place: nothing to copy
    assert len(list(folder.iterdir())) == 4
    pictures[0].write_bytes(b"another cat")
    pictured.parameters = FadeParameters(start=FromPicture(picture=str(pictures[0])))
    save_document(pictured)
    assert contents(pictured) == [b"another cat"]
    assert (folder / "cat.png").read_bytes() == bytes([0, 2])


def test_a_missing_file_is_one_sentence(pictured, pictures, tmp_path):
    save_document(pictured, tmp_path / "p")
    (tmp_path / "p" / "cat.png").unlink()
    document = open_document(tmp_path / "p")  # opens, so that another can be chosen
    told = {finding.message for finding in document.findings}
    sentence = (
        f"The file '{tmp_path / 'p' / 'cat.png'}' of 'Picture' is missing: put it back or choose another picture."
    )
    assert told == {sentence}
    for attempt in (
        lambda: start(document),
        lambda: save_document(document, tmp_path / "q"),
        document.complete_problem,
    ):
        with pytest.raises(ProblemError) as caught:
            attempt()
        assert str(caught.value) == sentence
    assert not (tmp_path / "q").exists()
    assert main(["run", str(tmp_path / "p"), "--until", "1", "--out", str(tmp_path / "out")]) == 2


@pytest.mark.parametrize(
    "name", ["../secret.png", "/etc/passwd", "C:/secret.png", "a/../../secret.png", "..\\secret.png"]
)
def test_a_zip_reaches_for_nothing_outside(pictured, tmp_path, name):
    save_document(pictured, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as good, zipfile.ZipFile(tmp_path / "bad.zip", "w") as bad:
        content = json.loads(good.read("project.json"))
        content["parameters"]["start"]["picture"] = name
        bad.writestr("project.json", json.dumps(content))
        bad.writestr(name, "harm")
    with pytest.raises(ProblemError, match="not inside it"):
        open_document(tmp_path / "bad.zip")
    assert not (tmp_path / "secret.png").exists()


def test_what_is_kept_apart_from_the_project_names_files_absolutely(pictured, pictures, tmp_path):
    autosave = Autosave()
    autosave.tick(pictured, now=True)
    autosave._lock.release()  # as if the session had ended
    (found,) = recoveries()
    assert contents(recover(found)) == contents(pictured)
    save_snapshot(tmp_path / "shot.png", np.zeros((2, 2, 4), np.uint8), pictured)
    assert contents(open_document(tmp_path / "shot.png")) == contents(pictured)


def test_a_snapshot_from_another_machine_finds_the_picture_beside_it(pictured, pictures, tmp_path):
    text = pictured.portable_project().model_dump_json().replace(str(tmp_path / "one"), "/nowhere/at/all")
    (tmp_path / "here").mkdir()
    shutil.copy(pictures[0], tmp_path / "here")
    (tmp_path / "here" / "shot.png").write_bytes(encode_png(np.zeros((2, 2, 4), np.uint8), {KEYWORD: text}))
    shot = open_document(tmp_path / "here" / "shot.png", permission=EVERYTHING)  # it names others where they were
    assert contents(shot) == contents(pictured)


def test_a_picture_counts_by_its_content(pictured, pictures, tmp_path):
    before = problem_fingerprint(pictured, ())
    other = replace(pictured)
    save_document(other, tmp_path / "p")
    assert named_files(other.parameters) != named_files(pictured.parameters)
    assert problem_fingerprint(other, ()) == before
    pictures[0].write_bytes(b"another cat")
    assert problem_fingerprint(pictured, ()) != before


def test_the_engine_is_given_absolute_paths(pictured, tmp_path, monkeypatch):
    folder = save_document(pictured, tmp_path / "p")
    monkeypatch.chdir(tmp_path / "p")
    document = open_document(folder / "project.json")
    simulation = FadeEngine().build(document.complete_problem(), FakeBackend())
    assert simulation.field("u") == pytest.approx(1.0)  # the mean of the bytes 0 and 2


def test_with_paths_leaves_the_rest_alone():
    values = {"a": {"b": ["x", "y"]}, "c": 1}
    assert with_values(values, {("a", "b", 1): "z"}) == {"a": {"b": ["x", "z"]}, "c": 1}
    assert values["a"]["b"] == ["x", "y"]
