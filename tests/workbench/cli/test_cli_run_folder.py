"""The folder of a run's results: what is refused there, what is replaced and what stays."""

from __future__ import annotations

import json
import os

import pytest

from engines.cardiac.parameters.recording import TissueSeries
from tests.workbench.cli.commands import rows
from tests.workbench.fake_engine import WaveSimulation
from workbench.cli import main
from workbench.run import recording


@pytest.mark.parametrize(
    "name",
    [
        "points.csv",
        "series.csv",
        "files/thesis.txt",
        "charts/table.csv",
        "spikes.h5",
        "picture_000000005.png",
        "picture_000000005.waiting.npz",
    ],
)
def test_files_that_no_run_has_left_are_not_replaced(project, tmp_path, capsys, name):
    """A cloud of points called points.csv, in the folder of a project where the results are to go, was deleted."""
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine")
    run = ["run", str(project), "--until", "0.1", "--no-pictures", "--out", str(out)]
    assert main(run) == 2
    assert f"'{out / name}' is there already, and no run.json" in capsys.readouterr().err
    assert (out / name).read_text() == "mine"
    (out / name).unlink()
    assert main(run) == 0
    (out / "files" / "folder").mkdir(parents=True, exist_ok=True)
    assert main(run) == 0  # results of a run are
    assert (out / "files" / "folder").is_dir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", ["series.csv", "run.json", "error.log", "fields/fields.igb", ".spikes.h5.journal"])
def test_a_pipe_among_results_is_not_waited_for(project, tmp_path, capsys, name):
    out = tmp_path / "out"
    run = ["run", str(project), "--no-pictures", "--out", str(out), "--until"]
    assert main([*run, "1"]) == 0
    (out / name).unlink(missing_ok=True)
    os.mkfifo(out / name)
    for arguments in ([*run, "2", "--resume"], [*run, "2"]):
        assert main(arguments) == 2
        assert f"'{out / name}' is a pipe or a device" in capsys.readouterr().err


LINKS = [
    "series.csv",
    "timing.jsonl",
    "fields",
    "fields/fields.igb",
    ".spikes.h5.journal",
    "branch-2",
    "branch-2/fields",
]


@pytest.mark.parametrize("name", LINKS)
def test_a_run_writes_through_no_link(project, tmp_path, capsys, name):
    """Results that somebody else packed may hold links: what a resumed run added went into the linked file."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("mine")
    run = ["run", str(project), "--no-pictures", "--out", str(out), "--until"]
    assert main([*run, "1"]) == 0
    target = elsewhere / "file" if "." in name else elsewhere
    if name == "fields":
        (out / name).rename(out / "other")
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).unlink(missing_ok=True)
    (out / name).symlink_to(target)
    for arguments in ([*run, "2", "--resume"], [*run, "2"]):
        assert main(arguments) == 2
        assert f"'{out / name}' is a link" in capsys.readouterr().err
    assert [file.read_text() for file in elsewhere.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["series.csv", "timing.jsonl", "fields/fields.igb", "spikes.h5"])
def test_a_run_goes_on_in_no_file_that_has_another_name(project, tmp_path, capsys, name):
    """Copies of hard links (cp -al) were lengthened with the run, and emptied by one that began anew."""
    out, copy = tmp_path / "out", tmp_path / "copy"
    run = ["run", str(project), "--no-pictures", "--out", str(out), "--until"]
    assert main([*run, "1"]) == 0
    if not (out / name).is_file():
        (out / name).write_text("mine")
    copy.hardlink_to(out / name)
    before = copy.read_bytes()
    assert main([*run, "2", "--resume"]) == 2
    assert f"'{out / name}' has a further name elsewhere" in capsys.readouterr().err
    assert main([*run, "2"]) == 0
    assert copy.read_bytes() == before


@pytest.mark.parametrize("content", ['{"name": "training run", "loss": 0.1}', '["a", "b"]', "mine", ""])
def test_a_run_json_of_others_makes_no_folder_one_of_results(project, tmp_path, capsys, content):
    """It was replaced, and so were a person's own tables beside it, as results of an earlier run."""
    out, run = (
        tmp_path / "out",
        ["run", str(project), "--until", "0.1", "--no-pictures", "--out", str(tmp_path / "out")],
    )
    out.mkdir()
    for name in ("run.json", "series.csv"):
        (out / name).write_text(content)
    assert main(run) == 2
    assert f"'{out / 'series.csv'}' is there already" in capsys.readouterr().err
    (out / "series.csv").unlink()
    assert main(run) == 2
    assert f"'{out / 'run.json'}' is there already, and tells of no run: choose another" in capsys.readouterr().err
    assert (out / "run.json").read_text() == content
    assert [path.name for path in out.iterdir()] == ["run.json"]


def test_a_log_of_errors_of_others_is_kept_and_that_of_an_earlier_run_is_not(project, tmp_path):
    out, run = (
        tmp_path / "out",
        ["run", str(project), "--until", "0.1", "--no-pictures", "--out", str(tmp_path / "out")],
    )
    out.mkdir()
    (out / "error.log").write_text("mine")
    assert main(run) == 0
    assert (out / "error.log").read_text() == "mine"
    (out / "error.log").write_text("of that run")
    assert main(run) == 0
    assert not (out / "error.log").exists()


def test_results_of_an_earlier_run_are_replaced_whole(project, tmp_path):
    base = ["run", str(project), "--no-pictures", "--out", str(tmp_path / "out"), "--snapshot-every", "0.5"]
    assert main(base) == 0
    assert main([*base, "--until", "1"]) == 0
    assert len(rows(tmp_path / "out" / "traces.csv")) == 12
    assert len(list((tmp_path / "out" / "fields").iterdir())) == 3


MINE = ("files/notes.txt", "charts/mine.csv", "fields/fields_mine.vtu", "fields/mine.igb", "fields/mine.pts")


def test_what_a_person_puts_among_results_outlives_later_runs(project, tmp_path, monkeypatch):
    """Notes in files/ and a table in charts/ were deleted by the next run into the folder, without a word."""

    class Told(WaveSimulation):
        def files(self):
            return {f"wave-{self.step}.s1p": "! a wave"}

    monkeypatch.setattr("tests.workbench.fake_engine.WaveSimulation", Told)
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--out", str(out), "--snapshot-every", "0.5"]
    assert main([*base, "--until", "1"]) == 0
    for name in (*MINE, "ecg.csv", "results.h5"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    assert main([*base, "--until", "2", "--resume"]) == 0
    assert main([*base, "--until", "0.2"]) == 0
    assert [name for name in MINE if not (out / name).is_file()] == []
    assert (out / "ecg.csv").is_file()
    assert (out / "results.h5").is_file()
    assert {path.name for path in (out / "files").iterdir()} == {"notes.txt", "wave-10.s1p"}
    listed = json.loads((out / "run.json").read_text())["files"]
    assert [name for name in listed if "/" in name] == ["files/wave-10.s1p"]
    assert "ecg.csv" not in listed


def test_a_run_that_was_broken_off_leaves_the_names_of_its_results(project, tmp_path, monkeypatch):
    """Those of its folders and tables are written while it goes on, and removed by the next all the same."""
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--out", str(out), "--until"]
    with monkeypatch.context() as patch:
        patch.setattr(recording, "series_of", lambda *_: TissueSeries(format="igb", interval=0.5))
        patch.setattr(recording.Recorder, "finish", lambda *arguments: None)
        main([*base, "1"])
    (out / "fields" / "mine.igb").write_text("mine")
    assert json.loads((out / "run.json").read_text())["outcome"]["state"] == "running"
    assert (out / "fields" / "voltage.igb").is_file()
    assert main([*base, "0.2"]) == 0
    assert not (out / "fields" / "voltage.igb").exists()
    assert not (out / "fields" / "mesh.pts").exists()
    assert (out / "fields" / "mine.igb").read_text() == "mine"


def test_without_out_each_run_gets_a_folder_of_its_own(project, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["run", str(project), "--until", "0.2", "--no-pictures"]) == 0
    assert (tmp_path / "slab-results" / "run.json").exists()
    assert (tmp_path / "slab-results-2" / "run.json").exists()
    assert "slab-results-2" in capsys.readouterr().out
