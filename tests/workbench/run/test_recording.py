"""The recorder beside a run: intervals, checkpoints, resets, background writing, a disk that fills up."""

from __future__ import annotations

import csv
import errno
import json
import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest

from engines.api import FieldInfo, Finding
from engines.api.errors import ProblemError, WorkbenchError
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveSimulation
from workbench.export.moments import series
from workbench.export.pvd import read_pvd
from workbench.export.results import export_results, take_results
from workbench.export.vtu import VtuWriter
from workbench.project.document import Document, open_document
from workbench.run import recording as module
from workbench.run.earlier import TABLES, keep_tables_until
from workbench.run.frames import RunState
from workbench.run.meters import followed
from workbench.run.recording import Recorder
from workbench.run.session import start
from workbench.run.states.checkpoint import problem_fingerprint, read_checkpoint
from workbench.run.streams.fields import FieldStream
from workbench.run.timing_log import TimingLog, TimingObserver, export_timing
from workbench.storage.append import AppendedFile, trim
from workbench.storage.atomic import StorageError
from workbench.storage.background import BackgroundWriter


@pytest.fixture
def document(project: Path) -> Document:
    return open_document(project)


def column(path: Path, index: int) -> list[str]:
    with path.open(newline="") as file:
        return [row[index] for row in csv.reader(file)][1:]


def run(document: Document, recorder: Recorder, **options: Any) -> Any:
    runner = start(document, observers=[recorder], autostart=True, **options)
    runner.wait(RunState.FINISHED)
    runner.close()
    return runner


@pytest.mark.parametrize(("interval", "steps"), [(1.0, range(0, 201, 50)), (0.03, None), (0.005, range(201)), (7, [0])])
def test_snapshots_are_taken_at_the_steps_nearest_to_the_multiples(document, tmp_path, interval, steps):
    runner = run(document, Recorder(tmp_path / "out", document, snapshot_interval=interval))
    assert runner.error is None
    wanted = steps or {round(k * interval / 0.02) for k in range(1000) if k * interval <= 4.0 + 1e-9}
    moments = read_pvd(tmp_path / "out" / "fields.pvd")
    assert [round(time / 0.02) for time, _ in moments] == sorted({*wanted, 200})
    assert all((tmp_path / "out" / name).is_file() for _, name in moments)


@pytest.mark.parametrize("interval", [0.05, 0.0199, 0.02, 0.0037, 1e-9, 1e-300, 5e-324])
def test_the_next_moment_is_the_step_nearest_to_a_multiple_however_short_the_interval(tmp_path, interval):
    """Multiples are counted one by one where that ends; a step of 0.02 beside 1e-300 took for ever."""
    stream = FieldStream.__new__(FieldStream)
    stream._dt, stream._interval = 0.02, interval
    for after in (-1, 0, 1, 7, 1000):
        if interval < 1e-6:
            assert stream.next_step(after) == after + 1
        else:
            multiples = (round(number * interval / 0.02) for number in range(10**6))
            assert stream.next_step(after) == next(step for step in multiples if step > after)


def test_checkpoints_come_by_the_clock_and_at_the_end(document, tmp_path, monkeypatch):
    written: list[int] = []
    write = module.write_checkpoint
    monkeypatch.setattr(
        module,
        "write_checkpoint",
        lambda path, meta, state, kept: (written.append(meta.step), write(path, meta, state, kept)),
    )
    document.parameters.delay = 0.002
    recorder = Recorder(tmp_path / "out", document, checkpoint_seconds=0.1)
    run(document, recorder)
    assert 2 <= len(written) <= 20
    assert written[-1] == 200
    checkpoint = read_checkpoint(tmp_path / "out" / "checkpoint.npz", problem_fingerprint(document, recorder.probes))
    assert checkpoint.meta.step == 200
    assert int(checkpoint.state["step"]) == 200


def test_the_first_step_may_have_a_checkpoint_and_the_beginning_needs_none(document, tmp_path, monkeypatch):
    """Of a run whose steps take minutes."""
    written: list[int] = []
    monkeypatch.setattr(module, "write_checkpoint", lambda path, meta, state, kept: written.append(meta.step))
    monkeypatch.setattr(Recorder, "_checkpoint_due", lambda recorder: True)
    document.project.run.until = 0.06
    run(document, Recorder(tmp_path / "out", document))
    assert sorted(set(written)) == [1, 2, 3]


def test_rows_of_an_end_are_forgotten_once_a_checkpoint_on_its_way_is_written(document, tmp_path, monkeypatch):
    """The run goes on from an end between two samples, and a checkpoint of its first step waits for the disk."""
    document.project.run.until = 0.14
    recorder = Recorder(tmp_path / "out", document)
    run(document, recorder)
    document.project.run.until = 0.4
    checkpoint = read_checkpoint(tmp_path / "out" / "checkpoint.npz", problem_fingerprint(document, recorder.probes))
    synced = AppendedFile.sync
    monkeypatch.setattr(AppendedFile, "sync", lambda table: (time.sleep(0.05), synced(table)))
    monkeypatch.setattr(Recorder, "_checkpoint_due", lambda recorder: True)
    recorder = Recorder(tmp_path / "out", document, resume=checkpoint)
    assert run(document, recorder, resume_from=checkpoint.state).error is None
    times = [float(each) for each in column(tmp_path / "out" / "series.csv", 0)]
    np.testing.assert_allclose(times, [0, 0.1, 0.2, 0.3, 0.4])


def test_a_reset_begins_the_record_anew(document, tmp_path):
    recorder = Recorder(tmp_path / "out", document, snapshot_interval=0.5)
    runner = start(document, observers=[recorder], autostart=True, until=2.0)
    runner.wait(RunState.FINISHED)
    runner.reset().result(20)
    runner.until = 1.0
    runner.run()
    runner.wait(RunState.FINISHED)
    runner.close()
    assert runner.error is None
    assert [float(t) for t in column(tmp_path / "out" / "traces.csv", 0)] == pytest.approx(np.arange(0, 1.01, 0.1))
    assert len(read_pvd(tmp_path / "out" / "fields.pvd")) == 3


def test_a_probe_that_is_followed_no_more_leaves_its_column_empty(document, tmp_path):
    document.parameters.delay = 0.002
    runner = start(document, observers=[Recorder(tmp_path / "out", document)], autostart=True)
    runner.wait(RunState.RUNNING)
    runner.set_probes([("near", 4), ("new", 5)]).result(20)
    runner.wait(RunState.FINISHED)
    runner.close()
    assert runner.error is None
    assert column(tmp_path / "out" / "traces.csv", 2)[-1] == ""
    assert column(tmp_path / "out" / "traces.csv", 1)[-1] != ""


@pytest.mark.parametrize("name", ["write_checkpoint", "write_pvd", "write_table"])
def test_one_file_that_fails_does_not_keep_the_others_from_being_written(document, tmp_path, monkeypatch, name):
    def full(*arguments: Any, **options: Any) -> None:
        raise StorageError("The disk is full: 'x' could not be written; free some space.")

    monkeypatch.setattr(series if name == "write_pvd" else module, name, full)
    runner = run(document, Recorder(tmp_path / "out", document))
    assert runner.state is RunState.FAILED
    assert str(runner.error).startswith("The disk is full")
    outcome = json.loads((tmp_path / "out" / "run.json").read_text())["outcome"]
    assert (outcome["state"], outcome["step"]) == ("failed", 200)
    assert outcome["error"] == str(runner.error)
    assert len(column(tmp_path / "out" / "traces.csv", 0)) == 41
    for other in {"points.csv": "write_table", "checkpoint.npz": "write_checkpoint"}.items():
        assert (tmp_path / "out" / other[0]).exists() is (other[1] != name)


def test_the_timing_log_says_device_kernel_and_fraction(document, tmp_path):
    document.parameters.delay = 0.01
    recorder = Recorder(tmp_path / "out", document)
    run(document, recorder, until=3.0)
    rows = [json.loads(line) for line in (tmp_path / "out" / "timing.jsonl").read_text().splitlines()]
    assert len(rows) == len(column(tmp_path / "out" / "timing.csv", 0)) == len(recorder.timing.rows)
    assert 1 <= len(rows) <= 3  # 1.5 s of wall time, a row a second and one at the end
    assert sum(row["launches"] for row in rows) == 149  # the first step is not counted: it may compile
    for row in rows:
        assert row["bytes"] == row["launches"] * 216 * 12
        assert row["bytes_per_second"] == pytest.approx(row["bytes"] / row["seconds"])
        assert row["fraction"] == pytest.approx(row["bytes_per_second"] / 1.2e10)  # the triad is the best there
        assert (row["device"], row["driver"], row["kernel"]) == ("NumPy on paper", "none", "follow")
        assert "numpy=" in row["versions"]
    assert sum(row["seconds"] for row in rows) >= 1.49
    written = export_timing(list(recorder.timing.rows), tmp_path / "export.csv")
    assert written[0].read_text() == (tmp_path / "out" / "timing.jsonl").read_text()
    assert written[1].read_text() == (tmp_path / "out" / "timing.csv").read_text()


def test_files_for_other_programs_stand_in_a_folder_and_are_told_of(document, tmp_path, monkeypatch):
    class Told(WaveSimulation):
        def files(self):
            return {"wave.s1p": "! a wave"}

    monkeypatch.setattr("tests.workbench.fake_engine.WaveSimulation", Told)
    recorder = Recorder(tmp_path / "out", document)
    assert recorder.saved() == [], "nothing has begun"
    run(document, recorder, until=0.2)
    assert (tmp_path / "out" / "files" / "wave.s1p").read_text() == "! a wave"
    assert {"files/wave.s1p", "run.json", "series.csv"} <= set(recorder.saved())
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    assert recorder.saved() == []


def test_timings_are_there_while_a_run_lives_and_afterwards(document):
    timing = TimingObserver()
    runner = start(document, observers=[timing], autostart=True, until=0.2)
    runner.wait(RunState.FINISHED)
    (row,) = timing.taken(runner).result(20)
    runner.close()
    assert timing.taken(runner).result(0) == (row,)
    assert row.launches == 9, "the first step is not counted"


@pytest.mark.keeps_time
def test_a_pause_does_not_wait_for_the_writing(document, tmp_path, monkeypatch):
    document.parameters.delay = 0.001
    monkeypatch.setattr(VtuWriter, "write", lambda *arguments: time.sleep(0.5))
    recorder = Recorder(tmp_path / "out", document, snapshot_interval=2.0)
    runner = start(document, observers=[recorder], autostart=True)
    runner.wait(RunState.RUNNING)
    time.sleep(0.1)
    asked = time.perf_counter()
    runner.pause()
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    assert time.perf_counter() - asked < 0.2
    runner.close()


@pytest.mark.keeps_time
def test_the_writer_keeps_order_bounds_memory_and_hands_errors_on():
    writer, done, gate = BackgroundWriter(), [], threading.Event()

    def fail() -> None:
        raise StorageError("full")

    writer.submit(gate.wait)
    writer.submit(lambda: done.append(1))
    opener = threading.Timer(0.1, gate.set)
    opener.start()
    began = time.perf_counter()
    writer.submit(lambda: done.append(2))  # waits, for two are pending
    assert time.perf_counter() - began > 0.05
    writer.submit(fail)
    time.sleep(0.1)
    with pytest.raises(StorageError):
        writer.submit(lambda: done.append(3))
    writer.close()
    opener.join()
    assert done == [1, 2]


class ShortFile:
    """A file whose disk fills up in the middle of a line."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, content: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = self.file.write(content[: self.room])
        self.room -= taken
        return taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="of POSIX")
@pytest.mark.parametrize("keep", [True, False])
def test_a_link_that_comes_while_a_table_is_opened_is_not_written_through(tmp_path, monkeypatch, keep):
    """In a folder that others may write to, it emptied whatever file of this person it led to."""
    mine, table = tmp_path / "mine", tmp_path / "series.csv"
    mine.write_text("mine\n")
    table.symlink_to(mine)
    monkeypatch.setattr(Path, "unlink", lambda *given, **options: None)  # there again at once
    with pytest.raises(StorageError):
        AppendedFile(table, "head\n", keep=keep).append("row\n")
    assert mine.read_text() == "mine\n"


def test_a_line_that_could_not_be_written_whole_is_taken_back(tmp_path):
    table = AppendedFile(tmp_path / "t.csv", "a,b\n")
    table.append("1,2\n")
    table._file = ShortFile(table._file, 5)
    with pytest.raises(StorageError, match="disk is full"):
        table.append("3,4\n5,6\n")
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,2\n"
    table._file.room = 100
    table.append("7,8\n")
    table.close()
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,2\n7,8\n"


def test_an_appended_file_goes_on_after_its_last_whole_line(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n3," + "x" * 100_000)
    table = AppendedFile(file, "a,b\n", keep=True)
    table.append("5,6\n")
    table.close()
    assert file.read_text() == "a,b\n1,2\n5,6\n"
    trim(file, lambda line: float(line.split(",")[0]) < 3)
    assert file.read_text() == "a,b\n1,2\n"
    trim(tmp_path / "none", lambda line: True)
    file.write_text("no line end")
    AppendedFile(file, "a,b\n", keep=True).close()
    assert file.read_text() == "a,b\n"


def test_rows_up_to_the_checkpoint_stay_whatever_their_last_digits(tmp_path):
    for name in TABLES:
        (tmp_path / name).write_text("time,a\n1,2,3\n2.0000000001,4\n2.00001,5\n3,6\n")
    keep_tables_until(tmp_path, 2.0)
    for name in TABLES:
        assert (tmp_path / name).read_text() == "time,a\n1,2,3\n2.0000000001,4\n"
    (tmp_path / TABLES[0]).write_text("time,a\nearly,2\n")
    with pytest.raises(ProblemError, match="is damaged"):
        keep_tables_until(tmp_path, 2.0)


def test_what_a_run_says_of_its_answers_at_its_end_is_told_and_kept(document, tmp_path, monkeypatch):
    finding = Finding("The wave has not settled.", place=("tau",))
    monkeypatch.setattr(WaveSimulation, "noticed", lambda self: (finding,) if self.step == 200 else ())
    runner = run(document, Recorder(tmp_path / "out", document))
    assert runner.noticed == (finding,)
    assert ("The wave has not settled.", "warning") in [(each.text, each.severity) for each in runner.take_messages()]
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert [each["message"] for each in record["noticed"]] == ["The wave has not settled."]
    assert record["findings"] == []


@pytest.mark.parametrize("distorts", [True, False])
def test_what_makes_results_wrong_stands_in_their_file(document, tmp_path, monkeypatch, distorts):
    class Found(WaveSimulation):
        def results(self):
            return {"wave/length [mm]": np.arange(3.0)}

        def noticed(self):
            return (Finding("The wave has not settled.", distorts=distorts), Finding("It is blue."))

    monkeypatch.setattr("tests.workbench.fake_engine.WaveSimulation", Found)
    run(document, Recorder(tmp_path / "out", document), until=0.2)
    simulation = WaveEngine().build(document.complete_problem(), FakeBackend())
    export_results(take_results(simulation), tmp_path / "exported.pvd")
    for path in (tmp_path / "out" / "results.h5", tmp_path / "exported.h5"):
        with h5py.File(path) as file:
            assert dict(file.attrs) == ({"note": "The wave has not settled."} if distorts else {})


def test_a_row_of_timings_is_complete_after_a_second_and_not_before(document, tmp_path):
    recorder = Recorder(tmp_path / "out", document)
    run(document, recorder, until=0.2)
    log = TimingLog()
    log._info = recorder.timing._info
    sample = SimpleNamespace(kernels=(), step=1, time=0.1, wall_seconds=0.5)
    flushed: list[int] = []
    log.flush = lambda: flushed.append(sample.step) or []
    for sample.step in range(1, 5):
        log.add(sample)
        if flushed:
            break
    assert flushed == [2]  # 0.5 + 0.5 s


def test_a_field_of_many_components_is_traced_whole(document, tmp_path, monkeypatch):
    """As profiles in particles are; the window's meters leave them out."""
    advance = WaveSimulation.__init__

    def with_profile(self, *arguments, **options):
        advance(self, *arguments, **options)
        self.fields += (FieldInfo("profile", "Profile", "1", "cell", (0, 1), components=8),)

    monkeypatch.setattr(WaveSimulation, "__init__", with_profile)
    gather = WaveSimulation.gather
    monkeypatch.setattr(
        WaveSimulation,
        "gather",
        lambda self, name, handle: (
            np.arange(8.0) + np.zeros((2, 1)) if name == "profile" else gather(self, name, handle)
        ),
    )
    recorder = Recorder(tmp_path / "out", document)
    simulation = WaveEngine().build(document.complete_problem(), FakeBackend())
    assert [field.name for field in followed(simulation.fields)] == ["voltage"]
    runner = run(document, recorder, until=0.2)
    head = (tmp_path / "out" / "traces.csv").read_text().splitlines()[0]
    assert head.count("Profile") == 2 * 8 or head.count("profile") == 2 * 8, (head, runner.error)


@pytest.mark.parametrize("wrong", [lambda v: v[:10], lambda v: np.concatenate([v, v]), lambda v: list(map(str, v))])
def test_a_field_of_another_length_than_its_geometry_is_not_written(document, tmp_path, monkeypatch, wrong):
    """Ten of 216 values went into a file that ParaView reads nothing of, and the run was "Finished"."""
    right = WaveSimulation.field
    monkeypatch.setattr(WaveSimulation, "field", lambda own, name: wrong(right(own, name)))
    runner = run(document, Recorder(tmp_path / "out", document))
    assert "The field 'voltage' has" in str(runner.error)
    assert not list((tmp_path / "out" / "fields").iterdir())
    with pytest.raises(WorkbenchError, match="for the author of this engine"):
        take_results(document.engine.build(document.problem, FakeBackend()))
