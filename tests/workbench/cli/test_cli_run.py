"""``workbench run``: what it leaves, what it refuses and what it says."""

from __future__ import annotations

import json
import os
import types
from typing import Any

import meshio
import numpy as np
import pytest

from engines.api.errors import DeviceError, ProblemError
from tests.workbench.cli.commands import change, command, rows
from tests.workbench.fake_engine import WaveEngine, WaveSimulation
from workbench.cli import doctor, main
from workbench.cli.arguments import parser, setting
from workbench.cli.runs import pictures
from workbench.cli.runs.asked import KEY, Asked
from workbench.cli.runs.progress import ProgressLine
from workbench.cli.runs.run import _way_on
from workbench.project.document import open_document, save_document
from workbench.storage.atomic import StorageError
from workbench.storage.paths import state_dir

PICTURE = np.zeros((3, 4, 4), np.uint8)


def torn(error):
    error.torn = True
    return error


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
    assert "100 %" in error


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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "{project}", "--out", ""], "an empty text is no folder"),
        (["run", "{project}", "--out", "{tmp}/" + "x" * 300], "longer than names of files can be"),
        (["run", "x" * 5000, "--out", "{tmp}/o"], "longer than names of files can be"),
        (["run", "~nobody is called so/project", "--out", "{tmp}/o"], "~nobody is called so"),
        (["resume", "x" * 5000], "longer than names of files can be"),
        (["x" * 5000], "longer than names of files can be"),
        (["run", "{project}", "--out", "{tmp}/o", "--set", "speed=" + "[" * 100_000], "speed"),
        (["run", "{project}", "--out", "{tmp}/o", "--set", "speed=" + '{{"a":' * 100_000], "speed"),
    ],
)
def test_names_and_values_that_are_too_long_or_nest_too_deep_are_bad_input(project, tmp_path, capsys, arguments, words):
    assert main([argument.format(project=project, tmp=tmp_path) for argument in arguments]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "unexpected" not in told


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


def test_an_engine_that_ends_python_is_told(project, monkeypatch, capsys):
    """Its command ended without a word, with whatever code that engine gave."""

    def end(*_: Any) -> None:
        raise SystemExit(4)

    monkeypatch.setattr(WaveEngine, "estimate", end)
    assert main(["estimate", str(project)]) == 3
    assert capsys.readouterr().err.startswith("This command ended with an unexpected SystemExit: 4. Its traceback is")


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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5), ("-0.5", -0.5), (".5", 0.5), ("+3", 3.0), ("2.e3", 2000.0), ("true", True), ("False", False),
        ("null", None), ("[1, 2]", [1, 2]), ("coarse", "coarse"), ("007", "007"), ("1_2", "1_2"), ("inf", "inf"),
    ],
)  # fmt: skip
def test_a_value_that_is_typed_is_a_number_a_truth_or_a_text(text, value):
    assert setting(f"name={text}") == ("name", value)
    assert type(setting(f"name={text}")[1]) is type(value)


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


def test_what_remains_is_told_once_it_is_known(capsys):
    """The first batch compiles kernels: what it takes says nothing. Who may end before says so, and how far that is."""

    def sample(time, wall, remaining):
        return types.SimpleNamespace(
            time=time, wall_seconds=wall, remaining=remaining, time_per_second=1.0, bytes_per_second=1e9,
            fraction_of_ceiling=0.1, part=0.25 * time,
        )  # fmt: skip

    line = ProgressLine(100.0, "ms", may_end=True)
    for samples, words in (([sample(1.0, 700.0, 70000.0)], None), ([sample(2.0, 3.0, 300.0)], "5 min 00 s left")):
        line.show(types.SimpleNamespace(take_samples=lambda samples=samples: samples), last=True)
        told = capsys.readouterr().err
        assert "of at most 100 ms" in told
        assert ("25 %" if words is None else "50 %") in told
        assert ("left" in told) is (words is not None)
        assert words is None or words in told


@pytest.mark.parametrize(
    ("option", "value", "right"),
    [
        ("--until", "0", False), ("--until", "-1", False), ("--until", "inf", False), ("--until", "1e-9", True),
        ("--checkpoints", "0", False), ("--checkpoints", "1", True), ("--checkpoints", "10000", True),
        ("--checkpoints", "10001", False), ("--pictures", "0", True), ("--movie-frames", "1", True),
    ],
)  # fmt: skip
def test_numbers_of_options_at_the_edges_of_what_they_may_be(option, value, right, capsys):
    try:
        parser().parse_args(["run", "slab", option, value])
    except SystemExit:
        assert not right, capsys.readouterr().err
    else:
        assert right


def test_pictures_of_a_movie_that_is_not_asked_for_are_refused(tmp_path, capsys):
    assert main(["run", "sine_mode", "--movie-frames", "7", "--out", str(tmp_path / "run")]) == 2
    assert "add --movie FILE, or leave it out" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_how_a_run_was_asked_for_comes_back_as_the_same_options(tmp_path):
    """All that a resumed run must know stands in its record."""
    given = ["run", "slab", "--until", "3.5", "--device", "cpu", "--snapshot-every", "0.25", "--checkpoint-every", "7"]
    given += ["--range=-1e-05:2.5"]
    options = parser().parse_args([*given, "--checkpoints", "4", "--pictures", "2", "--out", str(tmp_path)])
    again = parser().parse_args(Asked.of(options, options.until, tmp_path).arguments(tmp_path, resume=True))
    assert again.resume
    kept = {name: value for name, value in vars(options).items() if name not in ("resume", "carry_out", "answer")}
    assert {name: getattr(again, name) for name in kept} == kept
    assert "--resume" not in Asked.of(options, options.until, tmp_path).arguments(tmp_path, resume=False)


@pytest.mark.parametrize(
    ("error", "there", "words"),
    [
        (ProblemError("The step is too long."), True, ""),
        (StorageError("The disk is full."), True, "goes on from its last checkpoint."),
        (StorageError("The disk is full."), False, ""),
        (torn(DeviceError("The device is lost.")), True, "--device cpu' goes on from its last checkpoint on the CPU."),
        (torn(DeviceError("The device is lost.")), False, "With --device cpu it runs on the CPU."),
        (torn(ProblemError("A step was torn.")), True, "goes on from its last checkpoint."),
    ],
)
def test_the_way_on_after_an_error_is_named_where_there_is_one(tmp_path, error, there, words):
    if there:
        (tmp_path / "checkpoint.npz").write_bytes(b"")
    told = _way_on(types.SimpleNamespace(info=object(), device="cuda:0"), error, tmp_path)
    assert told.endswith(words)
    assert bool(told) is bool(words)


@pytest.mark.parametrize(
    "make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/etc/hostname"), lambda path: path.touch()]
)
def test_what_is_no_key_marks_no_run(own_home, tmp_path, make):
    """A pipe in its place was waited for."""
    key = state_dir() / KEY
    key.parent.mkdir(parents=True)
    make(key)
    options = parser().parse_args(["run", "slab", "--out", str(tmp_path)])
    assert Asked.of(options, 1.0, tmp_path).mark == ""


def test_why_it_is_this_device_is_told(project, tmp_path, capsys, monkeypatch):
    from workbench.cli.runs import run as module

    def opened(*arguments: Any, **options: Any) -> Any:
        backend = open_for(*arguments, **options)
        backend.chosen = "Runs on two cores, for once."
        return backend

    open_for = module.open_for
    monkeypatch.setattr(module, "open_for", opened)
    for quiet in (False, True):
        options = ["--out", str(tmp_path / str(quiet)), *(["--quiet"] if quiet else [])]
        assert main(["run", str(project), "--no-pictures", *options]) == 0
        assert ("for once" in capsys.readouterr().err) is not quiet
