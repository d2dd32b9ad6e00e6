"""``workbench run`` that breaks off, interrupted, killed or without room, and goes on."""

from __future__ import annotations

import errno
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import types
from argparse import Namespace
from contextlib import suppress

import meshio
import numpy as np
import pytest

from engines.cardiac.parameters.recording import TissueSeries
from tests.workbench.cli.commands import change, command, rows
from workbench import cli
from workbench.cli import main
from workbench.cli.runs import run as module
from workbench.cli.runs.run import ended_by_signals
from workbench.export.pvd import read_pvd
from workbench.run import recording
from workbench.run.recording import HURRIED
from workbench.storage.error_log import keep_traceback


def test_resume_continues_bit_for_bit_and_keeps_the_tables_whole(project, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    change(project, step=0.025)  # 40 steps to a millisecond; 1.7 ms is between two sampled steps
    base = ["run", str(project), "--no-pictures", "--snapshot-every", "0.5"]
    assert main([*base, "--out", str(whole)]) == 0
    assert main([*base, "--out", str(parts), "--until", "1.7"]) == 0
    text = (parts / "series.csv").read_text()
    assert text.splitlines()[-1].startswith("1.7,"), "the last step has a row, too"
    assert main([*base, "--out", str(parts), "--until", "1.7", "--resume"]) == 0
    assert (parts / "series.csv").read_text() == text
    assert main([*base, "--out", str(parts), "--resume"]) == 0
    for name in ("traces.csv", "series.csv", "points.csv"):
        assert (whole / name).read_text() == (parts / name).read_text()
    a, b = (meshio.read(folder / "fields" / "fields_000000160.vtu") for folder in (whole, parts))
    for name, (values,) in a.cell_data.items():
        np.testing.assert_array_equal(values, b.cell_data[name][0])
    assert json.loads((parts / "run.json").read_text())["resumed_at"] == pytest.approx(1.7)


@pytest.mark.parametrize("name", ["series.csv", "traces.csv", "timing.csv", "fields/fields_*"])
def test_a_resumed_run_says_what_somebody_removed_meanwhile(project, tmp_path, capsys, name):
    """The table began where the run went on, without a word."""
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--snapshot-every", "0.5", "--out", str(out)]
    assert main([*base, "--until", "1"]) == 0
    for path in out.glob(name):
        path.unlink()
    capsys.readouterr()
    assert main([*base, "--until", "2", "--resume"]) == 0
    told = f"'{out}' has no '{name}' to go on with: it begins at 1 ms, where the run goes on."
    assert told in capsys.readouterr().err
    (found,) = json.loads((out / "run.json").read_text())["findings"]
    assert found["message"].startswith(told)
    assert list(out.glob(name))


@pytest.mark.parametrize("gone", [["mesh.pts"], ["mesh.pts", "mesh.elem"], ["mesh.pts", "mesh.elem", "*.igb"]])
def test_a_resumed_run_writes_the_mesh_of_igb_again_and_says_so(project, tmp_path, capsys, monkeypatch, gone):
    """Values of points without the points are of no use, and nobody was told."""
    monkeypatch.setattr(recording, "series_of", lambda *_: TissueSeries(format="igb", interval=0.5))
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--out", str(out)]
    assert main([*base, "--until", "1"]) == 0
    before = {path.name: path.read_bytes() for path in (out / "fields").glob("mesh.*")}
    assert set(before) == {"mesh.pts", "mesh.elem"}
    for path in [path for name in gone for path in (out / "fields").glob(name)]:
        path.unlink()
    capsys.readouterr()
    assert main([*base, "--until", "2", "--resume"]) == 0
    found = [each["message"] for each in json.loads((out / "run.json").read_text())["findings"]]
    if "*.igb" in gone:
        assert [each[: len(str(out)) + 27] for each in found] == [f"'{out}' has no 'fields/*.igb' to"]
    else:
        told = "which its .igb files are shown on: it is written again."
        assert found == [f"'{out}' has no 'fields/{name}' any more, {told}" for name in gone]
    assert all(each in capsys.readouterr().err for each in found[:1])
    assert {path.name: path.read_bytes() for path in (out / "fields").glob("mesh.*")} == before


@pytest.mark.parametrize("interval", [0.5, 0.0])
def test_a_run_that_goes_on_in_another_format_of_fields_says_so(project, tmp_path, capsys, monkeypatch, interval):
    """One file of fields ended and another began, without a word or as if somebody had removed one."""
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--out", str(out)]
    for until, form in (("1", "series"), ("2", "vtkhdf"), ("3", "vtkhdf")):
        series = TissueSeries(format=form, interval=interval)
        monkeypatch.setattr(recording, "series_of", lambda *_, series=series: series)
        capsys.readouterr()
        assert main([*base, "--until", until, *(["--resume"] if until != "1" else [])]) == 0
        told = f"'{out}' has its fields up to 1 ms in 'fields/fields_*', and they go on in 'fields.vtkhdf'"
        found = [each["message"] for each in json.loads((out / "run.json").read_text())["findings"]]
        assert [each.startswith(told) for each in found] == [True] * (until == "2")
        assert (told in capsys.readouterr().err) == (until == "2")


@pytest.mark.parametrize(("rows_left", "last"), [(4, "0.4"), (1, "0"), (0, "0")])
def test_a_resumed_run_says_which_rows_somebody_removed(project, tmp_path, capsys, rows_left, last):
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--out", str(out)]
    assert main([*base, "--until", "1"]) == 0
    table = out / "series.csv"
    lines = table.read_text().splitlines(keepends=True)
    spacing = float(lines[2].split(",")[0]) - float(lines[1].split(",")[0])
    kept = 1 + (round(0.4 / spacing) + 1 if rows_left == 4 else rows_left)
    table.write_text("".join(lines[:kept]))
    capsys.readouterr()
    assert main([*base, "--until", "2", "--resume"]) == 0
    assert f"'{table}' has no rows from {last} ms to 1 ms, where the run goes on" in capsys.readouterr().err


def test_fields_are_kept_whose_collection_somebody_removed(project, tmp_path, capsys):
    """They were deleted when the run was resumed."""
    out = tmp_path / "out"
    base = ["run", str(project), "--no-pictures", "--snapshot-every", "0.5", "--out", str(out)]
    assert main([*base, "--until", "1"]) == 0
    (out / "fields.pvd").unlink()
    assert main([*base, "--until", "2", "--resume"]) == 0
    assert "to go on with" not in capsys.readouterr().err
    collection = read_pvd(out / "fields.pvd")
    assert [time for time, _ in collection] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert all((out / name).is_file() for _, name in collection)


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
    deadline = time.monotonic() + 60
    while not (out / "traces.csv").exists() or len(rows(out / "traces.csv")) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    before = float(rows(out / "traces.csv")[-2][0])  # the last one may be half written
    process.send_signal(number)
    time.sleep(0.02)
    process.send_signal(number)  # as ``timeout`` and a terminal that closes do: nothing was saved then
    told, error = process.communicate(timeout=60)
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
    deadline = time.monotonic() + 60
    while not ((out / "traces.csv").exists() and (out / "run.json").exists()):
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
    process.communicate(timeout=60)
    assert process.returncode == 0
    process = command("run", project, "--out", out, "--until", "500", "--resume", "--snapshot-every", "0.5")
    deadline = time.monotonic() + 60
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
def test_a_limit_of_sizes_ends_the_run_in_a_sentence_and_keeps_what_was_written(project, tmp_path, limit):
    """It answers as a full disk does, by a write that fails or comes back short, and is not told as one."""
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
    assert "would be larger than a file may be here: raise the limit of the session" in last
    assert "Traceback" not in error
    for table in out.glob("*.csv"):
        content = table.read_text()
        assert content.endswith("\n") or not content
        assert len({len(row) for row in rows(table)}) <= 1
    for grid in (out / "fields").glob("*.vtu"):
        meshio.read(grid)
    assert not list(out.rglob("*.tmp"))


def test_a_run_goes_on_as_it_was_asked_for_after_a_crash(project, tmp_path, capsys):
    """Also where the project was edited since: the values of the run are those that its folder keeps."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    asked = ["run", project, "--until", "500", "--snapshot-every", "0.5", "--no-pictures", "--device", "cpu"]
    asked += ["--checkpoint-every", "0.05"]
    change(project, delay=0.002)
    process = command(*asked, "--out", out)
    deadline = time.monotonic() + 60
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
    whole_one = next(file for file in (out / "checkpoint.npz", out / "checkpoint-1.npz") if file.exists())
    (out / "checkpoint.npz").write_bytes(whole_one.read_bytes()[:-40])  # torn: the one before counts
    change(project, speed=2.0)
    capsys.readouterr()
    assert main(["resume", str(out), "--json"]) == 0
    told = capsys.readouterr()
    assert "is damaged: the run goes on from the one before" in told.err
    answer = json.loads(told.out)
    assert (answer["command"], answer["exit_code"], answer["folder"]) == ("resume", 0, str(out))
    assert answer["outcome"]["time"] == 8.0
    assert not list(out.rglob(".*.tmp"))
    outcome = json.loads((out / "run.json").read_text())
    assert (outcome["outcome"]["state"], outcome["outcome"]["time"]) == ("finished", 8.0)
    change(project, speed=1.0)
    assert main([*map(str, asked), "--until", "8", "--out", str(whole)]) == 0
    for name in ("series.csv", "traces.csv", "points.csv", "fields.pvd", "fields/fields_000000400.vtu"):
        assert (whole / name).read_bytes() == (out / name).read_bytes()
    assert main(["resume", str(out)]) == 2
    assert f"has come to its end: go further with 'workbench resume {out} --until T'" in capsys.readouterr().err
    change(project, speed=2.0)
    assert main(["resume", str(out), "--until", "7"]) == 2
    assert "has come to 8 ms already" in capsys.readouterr().err
    assert main(["resume", str(out), "--until", "9"]) == 0
    record = json.loads((out / "run.json").read_text())
    assert (record["outcome"]["time"], record["project"]["parameters"]["speed"]) == (9.0, 1.0)


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
    assert main(["resume", str(tmp_path), "--json"]) == 2
    told = capsys.readouterr()
    assert words in told.err
    answer = json.loads(told.out)
    assert (answer["exit_code"], words in answer["error"]) == (2, True)


@pytest.mark.parametrize("how", ["another project", "another folder", "another key", "a link"])
def test_a_folder_of_a_stranger_opens_no_project_elsewhere(project, tmp_path, capsys, monkeypatch, how):
    """Its run.json could name any project of the person's, which was read."""
    out, private = tmp_path / "out", tmp_path / "private"
    asked = ["run", str(project), "--no-pictures", "--until", "2", "--out", str(out)]
    assert main(asked) == 0
    record = json.loads((out / "run.json").read_text())
    record["command"]["until"], record["outcome"]["state"] = 4.0, "interrupted"
    if how == "another key":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "nowhere" / "else"))
    elif how == "another folder":
        out = out.rename(tmp_path / "moved")
    else:
        shutil.copytree(project, private)
        inside = out / "project"
        record["command"]["project"] = str(private if how == "another project" else inside)
        if how == "a link":
            inside.symlink_to(private)
    (out / "run.json").write_text(json.dumps(record))
    capsys.readouterr()
    assert main(["resume", str(out)]) == 2
    assert "Add --allow-outside if it may read what it names." in capsys.readouterr().err
    assert main(["resume", str(out), "--allow-outside"]) == 0


def test_a_folder_that_holds_its_project_goes_on_wherever_it_is(project, tmp_path, capsys):
    out = tmp_path / "out"
    shutil.copytree(project, out / "project")
    assert main(["run", str(out / "project"), "--no-pictures", "--until", "2", "--out", str(out)]) == 0
    record = json.loads((out / "run.json").read_text())
    out = out.rename(tmp_path / "moved")
    record["command"] |= {"until": 4.0, "project": str(out / "project"), "mark": "0" * 64}
    record["outcome"]["state"] = "interrupted"
    (out / "run.json").write_text(json.dumps(record))
    assert main(["resume", str(out)]) == 0, capsys.readouterr().err


def test_resuming_to_before_the_checkpoint_is_refused(project, tmp_path, capsys):
    run = ["run", str(project), "--no-pictures", "--out", str(tmp_path / "out"), "--until"]
    assert main([*run, "2"]) == 0
    capsys.readouterr()
    assert main([*run, "1", "--resume"]) == 2
    assert "has come to 2 ms already: give an --until beyond that" in capsys.readouterr().err
    assert main([*run, "2", "--resume"]) == 0
    assert "Finished at 2 ms." in capsys.readouterr().out


class Deaf(io.StringIO):
    """Where a reader has gone, or the disk of a log is full."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, text: str) -> int:
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize(("number", "code"), [(errno.EPIPE, 0), (errno.ENOSPC, 3)])
def test_a_run_to_which_nobody_listens_is_made_all_the_same(project, tmp_path, monkeypatch, capsys, number, code):
    """``run … 2>&1 | head -1`` ended with code 0 and no file; ``run … >log`` on a full disk ended the run."""
    monkeypatch.setattr(sys, "stdout", Deaf(number))
    if number == errno.EPIPE:
        monkeypatch.setattr(sys, "stderr", Deaf(number))
    assert main(["run", str(project), "--no-pictures", "--until", "2", "--out", str(tmp_path / "out")]) == code
    assert json.loads((tmp_path / "out" / "run.json").read_text())["outcome"]["state"] == "finished"
    told = capsys.readouterr().err
    assert ("could not be written (No space left on device)" in told) == (code == 3)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and descriptors of POSIX")
@pytest.mark.parametrize("code", [0, 1, 2, 3, 128, 129, 130, 143])
def test_a_process_that_a_signal_ended_takes_nothing_down(monkeypatch, code):
    def gone(given):
        raise RuntimeError(given)

    monkeypatch.setattr(cli, "main", lambda: code)
    monkeypatch.setattr(cli.os, "_exit", gone)
    with pytest.raises(RuntimeError if code > 128 else SystemExit, match=str(code)):
        cli.command()


def test_a_process_that_nobody_listens_to_ends_without_a_traceback(tmp_path):
    """Also without a stdout at all, as a service may be started: its descriptors would go to the next files."""
    begin = f"exec {shlex.quote(sys.executable)} -P -m workbench"
    for way, code in (("presets --json 2>&1 | true; exit ${PIPESTATUS[0]}", 0), ("presets --json >/dev/full", 3)):
        done = subprocess.run(["bash", "-c", f"{begin} {way}"], capture_output=True, text=True, timeout=60)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), (way, done.stderr)
    assert subprocess.run(["bash", "-c", f"{begin} engines >&- 2>&-"], timeout=60).returncode == 0


def test_a_traceback_is_not_written_through_a_link(tmp_path, monkeypatch):
    """In the folder of a stranger's run that is gone on with, such a link leads to any file of ours."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    ours, folder = tmp_path / "ours", tmp_path / "theirs"
    folder.mkdir()
    ours.write_text("as it was")
    (folder / "error.log").symlink_to(ours)
    assert "state" in keep_traceback(ValueError("unexpected"), folder)
    assert ours.read_text() == "as it was"


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (PermissionError(13, "Permission denied", "/root/x/run.json"), "'/root/x/run.json' may not be reached"),
        (RuntimeError("Could not determine home directory."), "This user has no home folder: set HOME"),
        (FileNotFoundError(2, "No such file or directory"), "was started in is gone: change to one"),
        (OSError(36, "File name too long"), "longer than names of files can be"),
    ],
)
def test_what_the_system_refuses_at_first_is_advice(error, advice, monkeypatch, capsys):
    """A folder of root's, a container's user without an entry, a folder that was removed: none is a traceback."""

    def refused(options):
        raise error

    monkeypatch.setattr(cli, "parser", lambda: types.SimpleNamespace(parse_args=lambda _: Namespace(carry_out=refused)))
    monkeypatch.setattr(cli.os.path, "exists", lambda name: name != ".")
    assert main(["presets"]) == 2
    told = capsys.readouterr().err
    assert advice in told
    assert "Traceback" not in told


def test_a_traceback_that_finds_no_place_is_told(tmp_path, monkeypatch):
    """Where the person's own folder may not even be looked at, or there is none."""

    def refused(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("workbench.storage.error_log.state_dir", lambda: refused("/root"))
    monkeypatch.setattr("pathlib.Path.is_symlink", refused)
    assert "unexpected" in keep_traceback(ValueError("unexpected"), tmp_path)
    monkeypatch.undo()
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", lambda: refused("~"))
    assert "unexpected" in keep_traceback(ValueError("unexpected"))


def test_a_signal_that_a_callback_swallows_is_not_forgotten():
    """As one that comes while a compiler calls Python: what is raised there is printed and dropped."""
    with ended_by_signals() as again:
        again()  # nothing has been asked for
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt) as asked:
            again()
    assert asked.value.args == (143,)


def test_two_runs_that_begin_at_once_have_folders_of_their_own(project, tmp_path, monkeypatch):
    """As those of a job array: all but one were refused, or ended with an unexpected error."""
    monkeypatch.chdir(tmp_path)
    run, check = ["run", str(project), "--until", "0.2", "--no-pictures"], module.check_results

    def meets_another(*told, **options):
        monkeypatch.setattr(module, "check_results", check)
        assert main(run) == 0
        check(*told, **options)

    monkeypatch.setattr(module, "check_results", meets_another)
    assert main(run) == 0
    assert sorted(file.parent.name for file in tmp_path.glob("*/run.json")) == ["slab-results", "slab-results-2"]


def test_a_run_does_not_miss_what_another_has_removed_that_tries_the_same_folder(project, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "write_bytes", lambda path, content: path.parent.mkdir())
    assert main(["run", str(project), "--until", "0.2", "--no-pictures", "--out", str(tmp_path / "out")]) == 0
