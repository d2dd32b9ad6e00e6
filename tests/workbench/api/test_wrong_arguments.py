"""What a script may give by mistake is told in a sentence, before anything is written or run."""

from __future__ import annotations

import re

import numpy as np
import pytest

import workbench as wb
from engines.api.values import Population
from workbench.api.arrays import Quantity
from workbench.api.runs.picture import Picture
from workbench.api.runs.recording import SpikeTrains
from workbench.project.document import open_document


@pytest.mark.parametrize("path", ["", " ", 5, "a\0b", ["slab"]])
def test_a_project_is_saved_to_a_path(project, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(wb.ProblemError, match=r"A project is saved to a path, such as 'results/NAME', not to .*\.$"):
        wb.open(project).save(path)


def test_a_project_replaces_projects_alone(project, tmp_path):
    """Notes and archives of somebody's were gone without a word."""
    one = wb.open(project)
    (tmp_path / "mine").mkdir()
    kept = [tmp_path / "mine" / "project.json", tmp_path / "mine.zip", tmp_path / "notes"]
    for path in kept:
        path.write_text("mine")
    for place in (tmp_path / "mine", tmp_path / "mine.zip", tmp_path / "notes"):
        with pytest.raises(wb.ProblemError, match="is there already, and holds no project: choose another name"):
            one.save(place)
    assert [path.read_text() for path in kept] == ["mine"] * 3
    for place in ("own", "own.zip"):
        for _ in range(2):  # a script that is run again
            assert wb.open(project).save(tmp_path / place).exists()


def test_a_moment_is_saved_to_a_path_with_a_name(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with wb.open(project).simulate() as run:
        for path in ("", None, 5, "a\0b"):
            with pytest.raises(wb.ProblemError, match="A moment of a run is saved to a path"):
                run.save(path)
        for folder in (".", f"{tmp_path}/"):  # beside which it lay, called as it
            with pytest.raises(wb.ProblemError, match=rf"'{folder}' is a folder: give a name in it"):
                run.save(folder)
    assert sorted(tmp_path.rglob("*")) == before
    assert not list(tmp_path.parent.glob(f"{tmp_path.name}*.*"))


@pytest.mark.parametrize(("count", "said"), [(2.5, "a whole number, not 2.5"), ("5", "a number, not '5'")])
def test_points_of_a_line_are_counted(project, count, said):
    with wb.open(project).simulate() as run:
        with pytest.raises(wb.ProblemError, match=said):
            run.line("voltage", (0, 0, 0), (1, 1, 1), count=count)
        assert len(run.line("voltage", (0, 0, 0), (1, 1, 1), count=np.int64(7))) == 7


@pytest.fixture(params=["picture", "spikes"])
def written(request, project, tmp_path, monkeypatch):
    """What a run gives to be saved as one file, what it is called, and its suffix."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    for folder in ("folder", "folder.png", "folder.nwb"):
        (tmp_path / folder).mkdir()
    if request.param == "picture":
        return Picture(np.zeros((4, 4, 4), np.uint8), open_document(project)), "A picture", ".png"
    times = Quantity(np.array([1.0]), "ms", "Time")
    return SpikeTrains(np.array([0], np.int32), times, (Population("all", 0, 1),)), "A file of spikes", ".nwb"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        *((path, "{what} is saved to a path, such as") for path in (5, None, "", " ", "a\0b", ["x"], b"x")),
        *((path, "' is a folder: give a name in it, such as 'NAME{suffix}'") for path in (".", "folder{suffix}")),
        *((path, "' must end in {suffix}: {like} is written in that form") for path in ("x", "x.jpg", "x{suffix}.txt")),
        ("file/x{suffix}", "'file' is a file: "),
        ("~nobody is called so/x{suffix}", "'~nobody is called so' is nobody's home folder here"),
        ("long" * 100 + "{suffix}", "its name is too long here, choose a shorter one"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_file_to_save_to_is_said_before_anything_is_written(written, tmp_path, path, said):
    saved, what, suffix = written
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(wb.WorkbenchError) as caught:
        saved.save(path.replace("{suffix}", suffix) if isinstance(path, str) else path)
    assert said.format(what=what, suffix=suffix, like=what[0].lower() + what[1:]) in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_may_not_be_written_to_is_said_to_be_so(project, tmp_path, monkeypatch):
    def refused(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refused)
    picture = Picture(np.zeros((4, 4, 4), np.uint8), open_document(project))
    with pytest.raises(wb.WorkbenchError, match=r"x\.png' may not be written here: choose another folder"):
        picture.save(tmp_path / "x.png")


def test_folders_that_are_not_there_yet_are_made(project, tmp_path):
    picture = Picture(np.zeros((4, 4, 4), np.uint8), open_document(project))
    assert picture.save(tmp_path / "new" / "x.png").is_file()


def test_names_are_texts(project):
    with wb.open(project).simulate() as run:
        for name in (["voltage"], {"voltage"}, None, 5):
            with pytest.raises(wb.UnknownNameError, match="There is no field"):
                run.field(name)
            with pytest.raises(wb.UnknownNameError, match="There is no curve"):
                _ = run.curves[name]
            with pytest.raises(wb.UnknownNameError, match="There is no field"):
                run.line(name, (0, 0, 0), (1, 0, 0))
            with pytest.raises(wb.UnknownNameError, match="There is no line"):
                run.line(name)
            with pytest.raises(wb.UnknownNameError, match="There is no field"):
                run.picture(name or 5)


@pytest.mark.parametrize(
    ("varied", "options", "said"),
    [
        (None, {}, "A sweep takes values by their names"),
        ([1], {}, "A sweep takes values by their names"),
        ({5: [1]}, {}, "no number '5'"),
        ({"speed": [1.0]}, {"workers": "2"}, "1 to .* workers, not '2'"),
        ({"speed": [1.0]}, {"workers": 1.5}, r"1 to .* workers, not 1\.5"),
    ],
)
def test_a_sweep_says_what_it_takes(project, varied, options, said):
    with pytest.raises(wb.ProblemError, match=said):
        wb.sweep(project, varied, **options)


def test_tools_take_values_by_name_and_their_results_are_taken_over(project):
    heart = wb.open(wb.presets()["small_slab"] if isinstance(wb.presets(), dict) else "small_slab")
    name = next(iter(heart.tools))
    with pytest.raises(wb.ProblemError, match="are given by their names"):
        heart.tool(name, [1])
    with pytest.raises(wb.ProblemError, match="has no value '5'"):
        heart.tool(name, {5: 1})
    with pytest.raises(wb.ProblemError, match="What a tool gave is taken over"):
        heart.apply(None)


def test_a_value_beside_several_named_ones_is_not_passed_over(project):
    wave = wb.open(project)
    before = wave.parameters
    with pytest.raises(wb.ProblemError, match="leave out 3"):
        wave.set({"speed": 2.0}, 3)
    assert wave.parameters == before


@pytest.mark.parametrize(
    ("preset", "changes", "sentence"),
    [
        ("heat_on_a_plate", {"sides.x_low.kind": "periodic"}, 'set its group, sides.x_low={"kind": "periodic"}.'),
        ("heat_on_a_plate", {"equation.kind": "Poisson"}, 'set its group, equation={"kind": "Poisson"}.'),
        ("heat_on_a_plate", {"grid": {}}, '\'grid\' is of a kind, which is to be said: write grid={"kind": "2D"}'),
        ("voltage_losses", {"protocol": "Rest for 1 hour"}, 'is a list: write protocol=["Rest for 1 hour"].'),
    ],
)
def test_a_kind_or_a_list_that_is_set_by_itself_is_told_how_to_be_written(preset, changes, sentence):
    """It is not said of a change that is right beside one that is wrong."""
    with pytest.raises(wb.ProblemError, match=re.escape(sentence)):
        wb.open(preset).set(changes)
    with pytest.raises(wb.ProblemError, match="wrong value at numerics"):
        wb.open("heat_on_a_plate").set({"equation": {"kind": "Poisson"}, "numerics.precision": "fp1"})
