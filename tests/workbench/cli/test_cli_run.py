"""``workbench run``, in this process and in one of its own."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

from engines.api.errors import ProblemError
from tests.workbench.fake_engine import WaveEngine, WaveSimulation
from workbench.cli import main, pictures
from workbench.project.document import open_document, save_document
from workbench.storage.paths import state_dir

ROOT = Path(__file__).parents[3]
PICTURE = np.zeros((3, 4, 4), np.uint8)


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def command(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    house = str(ROOT / "tests/workbench/house.py")
    return subprocess.Popen(
        [sys.executable, house, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def change(project: Path, **parameters: Any) -> None:
    document = open_document(project)
    for name, value in parameters.items():
        setattr(document.parameters, name, value)
    save_document(document)


def test_a_run_leaves_all_its_results(project, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["run", str(project), "--out", str(out), "--device", "cpu", "--snapshot-every", "1", "--no-pictures"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert "Finished at 4 ms. Saved in" in told.out
    traces = rows(out / "traces.csv")
    assert traces[0] == ["time [ms]", "near: voltage [mV]", "far, end: voltage [mV]"]
    assert [float(row[0]) for row in traces[1:]] == pytest.approx(np.arange(0, 4.01, 0.1))
    assert rows(out / "series.csv")[0] == ["time [ms]", "mean_voltage [mV]"]
    points = {row[0]: row for row in rows(out / "points.csv")}
    assert points["name"][1:] == [
        "x [mm]", "y [mm]", "z [mm]", "cell x [mm]", "cell y [mm]", "cell z [mm]", "element", "activation_time [ms]"
    ]  # fmt: skip
    assert points["near"][1:7] == ["0.2", "0.5", "0.8", "0.25", "0.5", "0.75"]
    # The wave is at x = 0.25 mm at 0.25 ms; from -80 to 0 mV of 20 mV takes tau ln 5. Two steps of tolerance.
    assert float(points["near"][-1]) == pytest.approx(0.25 + 0.5 * np.log(5), abs=0.04)
    assert points["far, end"][-1] == ""
    moments = json.loads((out / "run.json").read_text())
    assert moments["outcome"] == {"state": "finished", "step": 200, "time": 4.0, "time_unit": "ms", "error": None}
    timing = rows(out / "timing.csv")
    assert timing[1][timing[0].index("kernel")] == "follow"
    grids = sorted((out / "fields").iterdir())
    assert [grid.name for grid in grids] == [f"fields_{step:09d}.vtu" for step in (0, 50, 100, 150, 200)]
    final = meshio.read(grids[-1])
    assert np.isnan(final.cell_data["activation_time [ms]"][0]).any()
    assert len(final.cells_dict["tetra"]) == 216


def test_the_same_run_in_a_process_of_its_own(project, tmp_path):
    process = command("run", project, "--until", "2", "--out", tmp_path / "out")
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert "points.csv" in out
    assert "100%" in error.splitlines()[-1] or "100%" in error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nowhere"], ["nowhere"]),
        (["run", "{project}", "--until", "-3"], ["--until", "positive"]),
        (["run", "{project}", "--until", "nan"], ["--until", "positive"]),
        (["run", "{project}", "--device", "quantum"], ["quantum", "cuda:0"]),
        (["run", "{project}", "--device", "cuda:9", "--out", "{tmp}/o"], ["cuda:9", "--device cpu"]),
        (["run", "{project}", "--resume"], ["--out"]),
        (["run", "{project}", "--resume", "--out", "{tmp}/none"], ["no checkpoint", "without --resume"]),
        (["run", "{project}", "--out", "{project}/project.json"], ["is a file"]),
        (["run", "{project}", "--pictures", "-1"], ["--pictures"]),
        (["frobnicate"], ["frobnicate", "neither a file nor a command"]),
        (["new", "{project}", "--mesh", "{mesh}"], ["exists already"]),
        (["new", "{tmp}/fresh", "--mesh", "{tmp}/lost.vtu"], ["lost.vtu", "missing"]),
        (["new", "{tmp}/fresh", "--mesh", "{mesh}", "--engine", "warp"], ["no engine 'warp'"]),
        (["convert", "{mesh}", "{tmp}/out.stl"], [".vtu"]),
        (["convert", "{tmp}/lost.vtu", "{tmp}/out.vtu"], ["lost.vtu"]),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(project, mesh_file, tmp_path, capsys, arguments, words):
    known = {"project": project, "tmp": tmp_path, "mesh": mesh_file}
    assert main([argument.format(**known) for argument in arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    message = told.err.strip().splitlines()[-1]
    assert "Traceback" not in told.err
    for word in words:
        assert word in message


def test_a_project_without_an_end_asks_for_one(project, capsys):
    document = open_document(project)
    document.project.run.until = None
    save_document(document)
    assert main(["run", str(project)]) == 2
    assert "--until T [ms]" in capsys.readouterr().err


def test_a_problem_that_ends_by_itself_needs_no_end(project, tmp_path, monkeypatch, capsys):
    """The run is sampled in batches of about a frame, so it may stop a batch after the end."""
    drawn = []
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *given, **_: drawn.append(given[3]) or PICTURE)
    document = open_document(project)
    document.project.run.until = None
    document.parameters.end = 2.0
    save_document(document)
    out = tmp_path / "out"
    assert main(["run", str(project), "--out", str(out)]) == 0
    outcome = json.loads((out / "run.json").read_text())["outcome"]
    assert outcome["state"] == "finished"
    assert outcome["time"] >= 2.0
    assert drawn == [outcome["time"]]
    assert outcome["ending"] == "The wave is through."
    assert "The wave is through.\nFinished at" in capsys.readouterr().out


def test_a_problem_that_cannot_be_built_is_bad_input(project, tmp_path, capsys):
    change(project, trouble="build")
    assert main(["run", str(project), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1] == "The wave cannot be built: choose another trouble."


@pytest.mark.parametrize(
    ("trouble", "words"),
    [("nan", "use a smaller step"), ("device", "The device went away"), ("surprise", "ZeroDivisionError")],
)
def test_a_run_that_fails_names_what_was_saved(project, tmp_path, capsys, trouble, words):
    change(project, trouble=trouble, trouble_step=120)
    out = tmp_path / "out"
    assert main(["run", str(project), "--out", str(out), "--snapshot-every", "1", "--no-pictures"]) == 3
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert words in last
    assert "Saved in" in last
    assert "traces.csv" in last
    outcome = json.loads((out / "run.json").read_text())["outcome"]
    assert outcome["state"] == "failed"
    assert words in outcome["error"]
    assert len(rows(out / "traces.csv")) > 10
    assert meshio.read(out / "fields" / "fields_000000100.vtu").cells_dict["tetra"].shape == (216, 4)
    assert (out / "checkpoint.npz").exists() is (trouble == "surprise")  # never of a state that is not a number
    assert (f"Its traceback is in '{out / 'error.log'}'." in last) is (trouble == "surprise")
    if trouble == "surprise":
        assert 'raise ZeroDivisionError("nobody thought of this")' in (out / "error.log").read_text()
        change(project, trouble="")
        assert main(["run", str(project), "--out", str(out), "--no-pictures"]) == 0
        assert not (out / "error.log").exists()  # a new run's results replace the old ones


def test_what_an_engine_raises_before_a_run_is_a_sentence_with_a_log(project, own_home, monkeypatch, capsys):
    def broken(self: Any, problem: Any, backend: Any) -> None:
        raise KeyError("conductance")

    monkeypatch.setattr(WaveEngine, "estimate", broken)
    assert main(["sweep", str(project), "--vary", "speed=1,2"]) == 3
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert told.startswith("This command ended with an unexpected KeyError: 'conductance'. Its traceback is in '")
    log = state_dir() / "error.log"
    assert log.is_relative_to(own_home)
    assert str(log) in told
    assert 'raise KeyError("conductance")' in log.read_text()


def test_what_an_engine_raises_in_a_sweep_is_in_the_row_and_in_the_log(project, tmp_path, capsys):
    change(project, trouble="surprise", trouble_step=3)
    out = tmp_path / "out"
    assert main(["sweep", str(project), "--vary", "speed=1,2", "--out", str(out)]) == 3
    told = capsys.readouterr().err
    assert told.count("unexpected ZeroDivisionError: nobody thought of this") == 2
    assert f"Its traceback is in '{out / 'error.log'}'." in told
    assert (out / "error.log").read_text().count("Traceback") == 2


def test_an_error_says_where_in_the_parameters_it_is(project, mesh_file, tmp_path, monkeypatch, capsys):
    def refused(*arguments: Any) -> None:
        raise ProblemError("A step of 1 ms is unstable here: take at most 0.3 ms.", ("numerics", "steps", 0))

    monkeypatch.setattr(WaveEngine, "build", refused)
    assert main(["run", str(project), "--out", str(tmp_path / "out"), "--no-pictures"]) == 2
    assert "\nnumerics.steps.0: A step of 1 ms is unstable here" in f"\n{capsys.readouterr().err}"
    monkeypatch.setattr(WaveEngine, "default_parameters", refused)
    assert main(["new", str(tmp_path / "new"), "--mesh", str(mesh_file)]) == 2
    assert capsys.readouterr().err.startswith("numerics.steps.0: A step")


def test_a_simulation_that_is_not_as_declared_is_told_of(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(WaveSimulation, "observe", lambda self: {"mean": 0.0})
    assert main(["run", str(project), "--out", str(tmp_path / "out"), "--no-pictures"]) == 0
    told = capsys.readouterr().err
    assert told.count("observe() gives 'mean', and the simulation declares the series 'mean_voltage'") == 1


def test_resume_continues_bit_for_bit_and_keeps_the_tables_whole(project, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    change(project, step=0.025)  # 40 steps to a millisecond; 1.7 ms is between two sampled steps
    base = ["run", str(project), "--no-pictures", "--snapshot-every", "0.5"]
    assert main([*base, "--out", str(whole)]) == 0
    assert main([*base, "--out", str(parts), "--until", "1.7"]) == 0
    assert main([*base, "--out", str(parts), "--resume"]) == 0
    for name in ("traces.csv", "series.csv", "points.csv"):
        assert (whole / name).read_text() == (parts / name).read_text()
    a, b = (meshio.read(folder / "fields" / "fields_000000160.vtu") for folder in (whole, parts))
    for name, (values,) in a.cell_data.items():
        np.testing.assert_array_equal(values, b.cell_data[name][0])
    assert json.loads((parts / "run.json").read_text())["resumed_at"] == pytest.approx(1.7)


def test_a_checkpoint_of_another_problem_is_refused(project, tmp_path, capsys):
    base = ["run", str(project), "--no-pictures", "--out", str(tmp_path / "out")]
    assert main(base) == 0
    change(project, speed=2.0)
    assert main([*base, "--resume"]) == 2
    assert "belongs to another problem" in capsys.readouterr().err
    (tmp_path / "out" / "checkpoint.npz").write_bytes(b"PK no")
    assert main([*base, "--resume"]) == 2
    assert "is damaged" in capsys.readouterr().err


@pytest.mark.keeps_time
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_run_keeps_its_results(project, tmp_path, number, code):
    change(project, delay=0.005)
    out = tmp_path / "out"
    process = command("run", project, "--until", "500", "--out", out, "--snapshot-every", "0.2", "--no-pictures")
    deadline = time.monotonic() + 30
    while not (out / "traces.csv").exists() or len(rows(out / "traces.csv")) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    asked = time.monotonic()
    process.send_signal(number)
    told, error = process.communicate(timeout=20)
    assert process.returncode == code, error
    assert time.monotonic() - asked < 5
    assert "Traceback" not in error
    assert told.startswith("Interrupted at ")
    assert json.loads((out / "run.json").read_text())["outcome"]["state"] == "closed"
    assert (out / "checkpoint.npz").exists()
    assert meshio.read(sorted((out / "fields").iterdir())[-1]).cells_dict["tetra"].shape == (216, 4)


@pytest.mark.keeps_time
def test_a_second_run_into_the_same_folder_is_refused(project, tmp_path, capsys):
    change(project, delay=0.005)
    out = tmp_path / "out"
    process = command("run", project, "--until", "500", "--out", out, "--no-pictures")
    deadline = time.monotonic() + 30
    while not (out / "traces.csv").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    before = (out / "run.json").read_text()
    assert main(["run", str(project), "--until", "1", "--out", str(out), "--no-pictures"]) == 2
    assert f"Another run writes into '{out}'" in capsys.readouterr().err
    assert (out / "run.json").read_text() == before
    process.kill()
    process.communicate()
    assert main(["run", str(project), "--until", "1", "--out", str(out), "--no-pictures"]) == 0  # its lock went with it
    assert not (out / ".running").exists()


def test_a_killed_run_leaves_readable_files_and_resumes(project, tmp_path, monkeypatch, capsys):
    change(project, delay=0.002)
    out = tmp_path / "out"
    process = command("run", project, "--out", out, "--until", "1", "--no-pictures")
    process.communicate(timeout=30)
    assert process.returncode == 0
    process = command("run", project, "--out", out, "--until", "500", "--resume", "--snapshot-every", "0.5")
    deadline = time.monotonic() + 30
    while len(rows(out / "traces.csv")) < 20:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.communicate()
    with (out / "traces.csv").open("a") as file:
        file.write("9.9,1.0,")  # a line cut short
    assert main(["run", str(project), "--out", str(out), "--until", "2", "--resume", "--no-pictures"]) == 0
    times = [float(row[0]) for row in rows(out / "traces.csv")[1:]]
    assert times == pytest.approx(np.arange(0, 2.01, 0.1))


def test_a_disk_that_is_full_already_is_bad_input(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("shutil.disk_usage", lambda path: types.SimpleNamespace(free=4096))
    assert main(["run", str(project), "--until", "1", "--no-pictures", "--out", str(tmp_path / "out")]) == 2
    assert "The disk is full" in capsys.readouterr().err
    assert not any((tmp_path / "out").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are of POSIX")
@pytest.mark.parametrize("limit", [60, 700, 3000, 5000])
def test_a_full_disk_ends_the_run_in_a_sentence_and_keeps_what_was_written(project, tmp_path, limit):
    """A limit on the size of a file answers as a full disk does: a write that fails or comes back short."""
    import resource

    out = tmp_path / "out"
    change(project, delay=0.0001)
    process = command(
        "run",
        project,
        "--out",
        out,
        "--until",
        "60",
        "--snapshot-every",
        "2",
        "--no-pictures",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)),
    )
    _, error = process.communicate(timeout=60)
    assert process.returncode == 3, error
    last = error.strip().splitlines()[-1]
    assert "The disk is full" in last
    assert "Traceback" not in error
    for table in out.glob("*.csv"):
        content = table.read_text()
        assert content.endswith("\n") or not content
        assert len({len(row) for row in rows(table)}) <= 1
    for grid in (out / "fields").glob("*.vtu"):
        meshio.read(grid)
    assert not list(out.rglob("*.tmp"))


def test_results_of_an_earlier_run_are_replaced_whole(project, tmp_path):
    base = ["run", str(project), "--no-pictures", "--out", str(tmp_path / "out"), "--snapshot-every", "0.5"]
    assert main(base) == 0
    assert main([*base, "--until", "1"]) == 0
    assert len(rows(tmp_path / "out" / "traces.csv")) == 12
    assert len(list((tmp_path / "out" / "fields").iterdir())) == 3


def test_without_out_each_run_gets_a_folder_of_its_own(project, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["run", str(project), "--until", "0.2", "--no-pictures"]) == 0
    assert (tmp_path / "slab-results" / "run.json").exists()
    assert (tmp_path / "slab-results-2" / "run.json").exists()
    assert "slab-results-2" in capsys.readouterr().out
