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
from workbench.cli import doctor, main
from workbench.cli.runs import pictures
from workbench.cli.runs.progress import ProgressLine
from workbench.project.document import open_document, save_document
from workbench.run.recording import HURRIED
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
    assert moments["outcome"] == {
        "state": "finished", "step": 200, "time": 4.0, "time_unit": "ms", "error": None,
        "ending": "It has run to where it was to end.",
    }  # fmt: skip
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
    assert not (out / "checkpoint.npz").exists()  # never of a state that is not a number, or of half a step
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
    before = float(rows(out / "traces.csv")[-2][0])  # the last one may be half written
    process.send_signal(number)
    told, error = process.communicate(timeout=20)
    assert process.returncode == code, error
    # At most 5 s of the run itself, however slow the machine is: a step is 0.02 ms and takes 5 ms at the least.
    assert json.loads((out / "run.json").read_text())["outcome"]["time"] - before < 20
    assert "Traceback" not in error
    assert told.startswith("Interrupted at ")
    assert json.loads((out / "run.json").read_text())["outcome"]["state"] == "closed"
    assert (out / "checkpoint.npz").exists()
    # what ends a process from outside may not wait: all that a resumed run writes anyway is left to that
    told_of_it = json.loads((out / "run.json").read_text())["outcome"]["ending"]
    assert (told_of_it == HURRIED) is (number == signal.SIGTERM)
    assert (out / "points.csv").exists() is (number != signal.SIGTERM)
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


def test_a_run_goes_on_as_it_was_asked_for_after_a_crash(project, tmp_path, capsys):
    """Also where the project was edited since: the values of the run are those that its folder keeps."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    asked = ["run", project, "--until", "500", "--snapshot-every", "0.5", "--no-pictures", "--device", "cpu"]
    asked += ["--checkpoint-every", "0.05"]
    change(project, delay=0.002)
    process = command(*asked, "--out", out)
    deadline = time.monotonic() + 30
    while not (out / "checkpoint-1.npz").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert not (out / "checkpoint-2.npz").exists()  # two are kept
    record = json.loads((out / "run.json").read_text())
    record["command"]["until"] = record["project"]["run"]["until"] = 8.0  # 500 would take minutes
    (out / "run.json").write_text(json.dumps(record))
    (out / "fields" / ".fields_000000001.vtu.abcd1234.tmp").write_bytes(b"half")
    (out / "checkpoint.npz").write_bytes((out / "checkpoint.npz").read_bytes()[:-40])  # torn: the one before counts
    change(project, speed=2.0)
    assert main(["resume", str(out)]) == 0
    assert "is damaged: the run goes on from the one before" in capsys.readouterr().err
    assert not list(out.rglob(".*.tmp"))
    outcome = json.loads((out / "run.json").read_text())
    assert (outcome["outcome"]["state"], outcome["outcome"]["time"]) == ("finished", 8.0)
    change(project, speed=1.0)
    assert main([*map(str, asked), "--until", "8", "--out", str(whole)]) == 0
    for name in ("series.csv", "traces.csv", "points.csv", "fields.pvd", "fields/fields_000000400.vtu"):
        assert (whole / name).read_bytes() == (out / name).read_bytes()
    assert main(["resume", str(out)]) == 2
    assert "has come to its end" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no run in"),
        ("{", "is damaged"),
        ('{"command": {}, "project": {}}', "wrong value at project"),
        ('{"command": {"project": "/nowhere", "until": -1}, "project": {}}', "wrong value at until"),
        ('{"command": {"project": "/nowhere"}, "project": {}}', "/nowhere"),
    ],
)
def test_a_folder_without_a_run_is_not_gone_on_with(house, tmp_path, capsys, content, words):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    assert main(["resume", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_values_are_set_for_one_run(project, tmp_path, capsys):
    """By the names that a sweep lists; the project's file stays as it is."""
    before = (project / "project.json").read_text()
    run = ["run", str(project), "--until", "0.1", "--no-pictures", "--out", str(tmp_path / "out")]
    assert main([*run, "--set", "speed=1.5", "--set", "tau=0.25"]) == 0
    kept = json.loads((tmp_path / "out" / "run.json").read_text())["project"]["parameters"]
    assert (kept["speed"], kept["tau"]) == (1.5, 0.25)
    assert (project / "project.json").read_text() == before
    capsys.readouterr()
    for wrong, words in (
        ("sped=1", "no parameter 'sped'; the nearest are 'speed'"),
        ("speed=fast", "speed"),
    ):
        assert main([*run, "--set", wrong]) == 2
        assert words in capsys.readouterr().err


def test_the_answer_for_programs_is_all_of_stdout(project, tmp_path, capsys, monkeypatch):
    """One JSON document, of success and of failure; sentences are on stderr."""

    def answer(*arguments):
        code = main([*map(str, arguments), "--json"])
        told = capsys.readouterr()
        found = json.loads(told.out)
        assert (found["command"], found["exit_code"]) == (arguments[0], code)
        return found, told.err

    run = ["run", project, "--until", 0.1, "--no-pictures", "--out", tmp_path / "out"]
    found, told = answer(*run)
    assert "Finished at" in told
    assert found["outcome"]["time"] == pytest.approx(0.1)
    assert found["folder"] == str(tmp_path / "out")
    assert "traces.csv" in found["files"]
    assert "project" not in found
    found, told = answer(*run, "--set", "sped=1")
    assert (found["exit_code"], found["error"] in told) == (2, True)
    assert answer("engines")[0]["engines"][0]["id"] == "wave"
    assert isinstance(answer("presets")[0]["presets"], list)
    found, _ = answer("estimate", project)
    assert found["memory_bytes"] > 0
    assert found["until"] == 4.0
    monkeypatch.setattr(doctor, "examine", lambda: [doctor.Diagnosis("Engines", "none")])
    assert answer("doctor")[0]["found"] == [{"subject": "Engines", "found": "none", "remedy": ""}]


def test_a_quiet_run_says_nothing_of_what_goes_well(project, tmp_path, capsys):
    run = ["run", str(project), "--until", "0.1", "--no-pictures", "--out", str(tmp_path / "out"), "--quiet"]
    assert main(run) == 0
    told = capsys.readouterr()
    assert told.out == told.err == ""
    assert main([*run, "--set", "sped=1"]) == 2
    assert capsys.readouterr().err


def test_resuming_to_before_the_checkpoint_is_refused(project, tmp_path, capsys):
    run = ["run", str(project), "--no-pictures", "--out", str(tmp_path / "out"), "--until"]
    assert main([*run, "2"]) == 0
    capsys.readouterr()
    assert main([*run, "1", "--resume"]) == 2
    assert "has come to 2 ms already: give an --until beyond that" in capsys.readouterr().err
    assert main([*run, "2", "--resume"]) == 0
    assert "Finished at 2 ms." in capsys.readouterr().out


def test_what_remains_is_told_once_it_is_known(capsys):
    """The first batch compiles kernels: what it takes says nothing. Who may end before says so, and how far that is."""

    def sample(time, wall, remaining):
        return types.SimpleNamespace(
            time=time, wall_seconds=wall, remaining=remaining, time_per_second=1.0, bytes_per_second=1e9,
            fraction_of_ceiling=0.1, part=0.25 * time,
        )  # fmt: skip

    line = ProgressLine(100.0, "ms", may_end=True)
    for samples, words in (([sample(1.0, 700.0, 70000.0)], None), ([sample(2.0, 3.0, 300.0)], "5 min 0 s left")):
        line.show(types.SimpleNamespace(take_samples=lambda samples=samples: samples), last=True)
        told = capsys.readouterr().err
        assert "of at most 100 ms" in told
        assert ("25%" if words is None else "50%") in told
        assert ("left" in told) is (words is not None)
        assert words is None or words in told
