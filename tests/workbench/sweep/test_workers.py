"""Several cases at once: nothing is lost where a worker is killed, what is through is not run again, all of it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time as clock
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import workbench as wb
from engines.api.errors import ProblemError, WorkbenchError
from tests.workbench.fake_engine import FakeBackend, WaveEngine, block
from workbench.cli import main
from workbench.project.document import Document
from workbench.project.project import Project
from workbench.sweep import workers as rooms
from workbench.sweep.kept import KeptCases, RememberedCases
from workbench.sweep.plan import SweepPlan, variation
from workbench.sweep.workers import Workers, run_sweep

ROOT = Path(__file__).parents[3]
DEADLY, DEADLY_ONCE = 2.0, 3.0
"""Speeds of cases whose process is killed: each time, and the first time."""


@pytest.fixture
def dask():
    pytest.importorskip("distributed", reason="needs the extra 'study'")
    pytest.importorskip("cryptography", reason="needs the extra 'study'")
    psutil = pytest.importorskip("psutil")
    before = {one.pid for one in psutil.Process().children(recursive=True)}
    return lambda: [one for one in psutil.Process().children(recursive=True) if one.pid not in before]


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory) -> Iterator[str]:
    """The address of one with a worker of two threads, started as people do."""
    pytest.importorskip("distributed", reason="needs the extra 'study'")
    pytest.importorskip("cryptography", reason="needs the extra 'study'")
    folder = tmp_path_factory.mktemp("scheduler")
    told, environment = folder / "scheduler.json", {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    commands = (
        ["dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told), "--no-dashboard"],
        ["dask_worker", "--scheduler-file", str(told), "--no-nanny", "--nthreads", "2", "--no-dashboard"],
    )
    with (folder / "log").open("w") as log:
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{command[0]}", *command[1:]],
                env=environment, cwd=folder, stdout=log, stderr=log,
            )
            for command in commands
        ]  # fmt: skip
        try:
            until = clock.monotonic() + 60
            while not (told.exists() and told.read_text().endswith("}")) and clock.monotonic() < until:
                clock.sleep(0.05)
            yield json.loads(told.read_text())["address"]
        finally:
            for process in processes:
                process.kill()
                process.wait()


class DeadlyEngine(WaveEngine):
    """As where the system ends a process for want of memory."""

    def build(self, problem, backend, progress=lambda *_: None):
        marker = Path(os.environ["WORKBENCH_TEST_MARKER"])
        deadly = problem.parameters.speed == DEADLY
        if problem.parameters.speed == DEADLY_ONCE and not marker.exists():
            marker.touch()
            deadly = True
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().build(problem, backend, progress)


def document_of(engine: WaveEngine, **parameters: object) -> Document:
    project = Project(title="wave", engine=engine.id)
    return Document(project, engine, engine.Parameters(**parameters), block())


def plan_of(document: Document, values: str, until: float = 0.5) -> SweepPlan:
    return SweepPlan(document, (variation(document, "speed", values),), until)


def same(one, other):
    """Whether two rows say the same, to the bit."""
    assert (one.place, one.case, one.time, one.steps) == (other.place, other.case, other.time, other.steps)
    assert [info for info, _, _ in one.charts] == [info for info, _, _ in other.charts]
    for (_, mine, reading), (_, theirs, wanted) in zip(one.charts, other.charts, strict=True):
        assert reading == wanted
        for left, right in zip(mine.curves, theirs.curves, strict=True):
            assert (left.title, left.told, left.over) == (right.title, right.told, right.over)
            np.testing.assert_array_equal(left.x, right.x)
            np.testing.assert_array_equal(left.y, right.y)
    return True


def gone(children, seconds=60.0):
    """Whether none of the processes that a test has started is left, within that time."""
    until = clock.monotonic() + seconds
    while children() and clock.monotonic() < until:
        clock.sleep(0.05)
    return not children()


# ---- workers of this machine -------------------------------------------------------------------------------------


def test_a_killed_worker_loses_nothing(dask, tmp_path, monkeypatch):
    """One case ends its process each time, one the first time: that one, and all others, come as they do in a row."""
    monkeypatch.setenv("WORKBENCH_TEST_MARKER", str(tmp_path / "killed"))
    plan = plan_of(document_of(DeadlyEngine()), "1,2,3,4,5")
    told = []
    rows = list(run_sweep(plan, FakeBackend(), lambda text, part: told.append(part), Workers(2)))
    assert (tmp_path / "killed").exists()
    assert sorted(row.place for row in rows) == [0, 1, 2, 3, 4]
    by_case = {row.case[0]: row for row in rows}
    assert by_case.pop(DEADLY).error.startswith("The process that ran this case was ended each time")
    alone = plan_of(document_of(WaveEngine()), "1,2,3,4,5")
    expected = {row.case[0]: row for row in run_sweep(alone, FakeBackend(), workers=Workers(1))}
    assert all(same(row, expected[speed]) for speed, row in by_case.items())
    assert told == sorted(told)
    assert gone(dask)


def test_who_ends_it_keeps_what_is_through_and_no_process_is_left(dask, tmp_path, monkeypatch):
    """Nor a file: the scheduler had a folder of a known name where everybody on the machine writes."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    plan = plan_of(document_of(WaveEngine(), delay=0.01), "1:6:6")
    rows = []

    def progress(text, part):
        if rows:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows.extend(run_sweep(plan, FakeBackend(), progress, Workers(2), KeptCases(tmp_path, plan)))
    assert gone(dask)
    assert list(scratch.iterdir()) == []
    kept = KeptCases(tmp_path, plan)
    again = list(run_sweep(plan, FakeBackend(), workers=Workers(1), kept=kept))
    assert kept.known == {row.place for row in rows} != set(range(6))
    assert sorted(row.place for row in again) == list(range(6))
    assert all(same(row, next(one for one in again if one.place == row.place)) for row in rows)


def test_a_case_that_surprises_has_its_traceback_from_the_worker(scheduler, project, tmp_path, capsys):
    """And the command does what the function does: rows as they end, a table in the order of the cases."""
    out = tmp_path / "out"
    sentence = "unexpected ZeroDivisionError: nobody thought of this"
    wave = wb.open(project).set({"trouble": "surprise"})
    wave.save(tmp_path / "surprising")
    given = [
        "--vary",
        "trouble_step=5,1000",
        "--until",
        "0.5",
        "--device",
        "cpu",
        "--scheduler",
        scheduler,
        "--out",
        str(out),
    ]
    assert main(["sweep", str(tmp_path / "surprising"), *given]) == 3
    said = capsys.readouterr()
    assert sentence in said.err
    assert "_misbehave" in (out / "error.log").read_text()
    lines = (out / "sweep.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2"]
    assert sentence in lines[1]
    assert main(["sweep", str(tmp_path / "surprising"), *given]) == 3
    said = capsys.readouterr()
    assert "Run 2 of 2: Trouble step 1000: is through since before" in said.err
    assert sentence in said.err, "a failure is tried again"


def test_from_python_curves_come_back_and_what_stays_is_said(scheduler, project):
    cases = list(wb.sweep(project, {"speed": [1.0, 2.0]}, until=0.5, device="cpu", scheduler=scheduler))
    assert sorted(case.values["speed"] for case in cases) == [1.0, 2.0]
    for case in cases:
        with wb.open(project).set("speed", case.values["speed"]).run(until=0.5, device="cpu") as alone:
            curve, wanted = case.run.curves["mean_voltage"], alone.curves["mean_voltage"]
            np.testing.assert_array_equal(curve.values, wanted.values)
            np.testing.assert_array_equal(curve.time, wanted.time)
            assert (curve.unit, curve.title, case.run.step) == (wanted.unit, wanted.title, alone.step)
    with pytest.raises(wb.ProblemError, match="'field' stayed in the process"):
        cases[0].run.field("voltage")


# ---- workers of others -------------------------------------------------------------------------------------------


def test_a_scheduler_that_is_there_is_used_and_left_as_it_was(scheduler):
    """Of an ended sweep its workers hear, and go on with others."""
    there = Workers(scheduler=scheduler)
    plan = plan_of(document_of(WaveEngine()), "1,2,3")
    rows = list(run_sweep(plan, None, workers=there))
    expected = list(run_sweep(plan, FakeBackend(), workers=Workers(1)))
    assert sorted(row.place for row in rows) == [0, 1, 2]
    assert all(same(row, expected[row.place]) for row in rows)
    slow = plan_of(document_of(WaveEngine(), delay=0.05), "1,2,3", until=600.0)  # hours
    began = clock.monotonic()

    def progress(text, part):
        if clock.monotonic() > began + 1.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_sweep(slow, None, progress, there))
    assert len(list(run_sweep(plan, None, workers=there))) == 3, "its threads are free again"


def test_jobs_of_slurm_take_the_cases(dask, tmp_path, monkeypatch):
    """With commands that do as Slurm's do, on this machine."""
    pytest.importorskip("dask_jobqueue", reason="needs the extra 'study'")
    commands, job = tmp_path / "bin", tmp_path / "job"
    commands.mkdir()
    for name, lines in {
        "sbatch": f"cp $1 {job}\nsetsid bash {job} >{job}.log 2>&1 &\necho Submitted batch job $!",
        "scancel": f'kill -- -"$1"; echo "$1" >>{tmp_path}/cancelled',
    }.items():
        (commands / name).write_text(f"#!/bin/bash\n{lines}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    monkeypatch.chdir(tmp_path)
    plan = plan_of(document_of(WaveEngine()), "1,2")
    with pytest.raises(ProblemError, match=r"say what a job of yours has, in ~/\.config/dask/jobqueue\.yaml"):
        list(run_sweep(plan, None, workers=Workers(1, cluster="slurm")))
    monkeypatch.setenv("DASK_JOBQUEUE__SLURM__CORES", "1")
    monkeypatch.setenv("DASK_JOBQUEUE__SLURM__MEMORY", "1GB")
    rows = list(run_sweep(plan, None, workers=Workers(1, cluster="slurm")))
    expected = list(run_sweep(plan, FakeBackend(), workers=Workers(1)))
    assert all(same(row, expected[row.place]) for row in rows)
    assert len(rows) == 2
    assert (tmp_path / "cancelled").exists()
    assert gone(dask)


# ---- without workers ---------------------------------------------------------------------------------------------


def test_what_is_through_is_found_by_all_that_its_numbers_depend_on(tmp_path, monkeypatch):
    built = []

    class Counting(WaveEngine):
        def build(self, problem, backend, progress=lambda *_: None):
            built.append(problem.parameters.speed)
            return super().build(problem, backend, progress)

    def sweep(values, until=0.5, **parameters):
        built.clear()
        plan = plan_of(document_of(Counting(), **parameters), values, until)
        return list(run_sweep(plan, FakeBackend(), kept=KeptCases(tmp_path, plan)))

    first = sweep("1,2")
    assert all(same(one, other) for one, other in zip(first, sweep("1,2"), strict=True))
    assert built == []
    sweep("2,3", speed=7.0)
    assert built == [3.0], "other values share what they have in common, whatever the number was in the project"
    sweep("1,2", tau=0.25)
    assert built == [1.0, 2.0], "another problem"
    sweep("1", until=0.4)
    assert built == [1.0], "another end"
    for file in (tmp_path / "cases").iterdir():
        file.write_bytes(file.read_bytes()[:-40])
    sweep("1,2")
    assert built == [1.0, 2.0], "what is damaged is run again"


def test_a_sweep_that_was_stopped_goes_on_where_it_was():
    """In the window, whose sweeps have no folder; what is read of a chart may have changed meanwhile."""
    rows, plan = {}, plan_of(document_of(WaveEngine()), "1,2,3")
    runs = run_sweep(plan, FakeBackend(), kept=RememberedCases(rows, plan))
    first = [next(runs), next(runs)]
    runs.close()
    other = SweepPlan(plan.document, plan_of(plan.document, "3,2,1").variations, plan.until)
    kept = RememberedCases(rows, other)
    again = list(run_sweep(other, FakeBackend(), kept=kept))
    assert kept.known == {1, 2}
    assert sorted(row.place for row in again) == [0, 1, 2]
    found = {row.case: row for row in again}
    for row in first:
        assert found[row.case].charts[0][1] is row.charts[0][1]
        assert found[row.case].place == {1: 2, 2: 1}[row.case[0]]


def test_many_short_cases_in_a_row_become_workers_where_that_is_sooner(monkeypatch):
    asked = []
    monkeypatch.setattr(
        rooms,
        "_on_workers",
        lambda plan, workers, seen, device, places, progress: asked.append((device, [*seen], [*places])) or iter(()),
    )
    monkeypatch.setattr(rooms, "available", lambda: True)
    plan = plan_of(document_of(WaveEngine()), "1:6:6")

    class Four(FakeBackend):
        @property
        def info(self):
            from dataclasses import replace

            return replace(super().info, threads=4)

    assert len(list(run_sweep(plan, Four()))) == 6, "milliseconds are not worth a start"
    assert not asked
    monkeypatch.setattr(rooms, "WORTH_WORKERS", 0.0)
    assert len(list(run_sweep(plan, Four()))) == 1
    assert asked == [("cpu", [{"NUMBA_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}] * 4, [1, 2, 3, 4, 5])]
    monkeypatch.setattr(rooms, "available", lambda: False)
    assert len(list(run_sweep(plan, Four()))) == 6, "without Dask one after the other"


def test_each_gpu_has_a_worker(monkeypatch):
    class Gpu(FakeBackend):
        id = "cuda:1"

    monkeypatch.setattr(rooms, "_count_gpus", lambda: 2)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    plan = plan_of(document_of(WaveEngine()), "1:6:6")
    plan.document.project.run.device = "auto"
    assert rooms.places_of_work(plan, Gpu()) == 2
    seen = [each["CUDA_VISIBLE_DEVICES"] for each in rooms._environments(Gpu(), 3)]
    assert seen == ["0", "1", "0"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b")
    assert [each["CUDA_VISIBLE_DEVICES"] for each in rooms._environments(Gpu(), 2)] == ["GPU-a", "GPU-b"]
    assert rooms._environments(Gpu(), 1) == [{"CUDA_VISIBLE_DEVICES": "GPU-b"}]
    plan.document.project.run.device = "cuda:1"
    assert rooms.places_of_work(plan, Gpu()) == 1, "where one was named"


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        (Workers(0), "A sweep has 1 to 1024 workers, not 0."),
        (Workers(2, scheduler="tcp://host:8786"), "leave out their number and the cluster"),
        (Workers(cluster="slurm"), "Say how many jobs of Slurm are to work"),
        (Workers(2, cluster="lsf"), "There is no kind of cluster 'lsf'"),
        (Workers(scheduler="tcp://127.0.0.1:1"), "No scheduler of Dask answers at 'tcp://127.0.0.1:1'"),
        (Workers(scheduler="nowhere"), "No scheduler of Dask answers at 'nowhere'"),
    ],
)
def test_workers_that_cannot_be_are_refused_in_a_sentence(dask, workers, said):

    with pytest.raises(WorkbenchError) as caught:
        list(run_sweep(plan_of(document_of(WaveEngine()), "1,2"), FakeBackend(), workers=workers))
    assert said in str(caught.value)


def test_without_dask_it_is_said_what_adds_it(monkeypatch):
    monkeypatch.setattr(rooms, "available", lambda: False)
    for workers, said in (
        (Workers(2), "More than one worker needs Dask, the extra 'study', which is missing"),
        (Workers(scheduler="tcp://host:1"), "A sweep on other machines needs Dask, the extra 'study'"),
    ):
        with pytest.raises(ProblemError) as caught:
            list(run_sweep(plan_of(document_of(WaveEngine()), "1,2"), FakeBackend(), workers=workers))
        assert said in str(caught.value)
    assert len(list(run_sweep(plan_of(document_of(WaveEngine()), "1,2"), FakeBackend(), workers=Workers(1)))) == 2


@pytest.mark.parametrize(
    ("workers", "said", "told"),
    [
        (Workers(2), "", "The workers could not be started: run the sweep with one worker."),
        (Workers(2), "no port", "could not be started (no port): run"),
        (Workers(2, cluster="slurm"), "no sbatch", "Slurm's jobs could not be started (no sbatch): try 'sbatch"),
        (Workers(2, cluster="slurm"), "You must specify cores and memory", "Slurm's jobs cannot be asked for: say"),
    ],
)
def test_a_cluster_that_does_not_come_up_is_told_with_its_last_words(monkeypatch, tmp_path, workers, said, told):
    """Of the process that starts it, which prints blank lines and others before."""
    program = f"import sys; sys.stdin.readline(); sys.stderr.write('before\\n {said} \\n\\n' * bool({said!r}))"
    monkeypatch.setattr(rooms, "BEGIN", program.replace("{", "{{").replace("}", "}}"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(WorkbenchError) as caught, rooms._cluster(workers, []):
        pass
    assert told in str(caught.value)


def test_workers_that_are_started_for_a_sweep_are_never_spoken_to_in_the_open(monkeypatch):
    """What a case computes passes between processes of this machine: others on it could listen, or answer."""
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as plain:
        address = f"tcp://127.0.0.1:{plain.getsockname()[1]}"
        monkeypatch.setattr(rooms, "_cluster", lambda *_: nullcontext((address, {})))
        with pytest.raises(RuntimeError, match="encryption required"), rooms._client(Workers(2), []):
            pass


@pytest.mark.parametrize(
    ("error", "told"),
    [(OSError("line\n  cut"), "any more (line cut): "), (OSError(), "any more: "), (None, "any more: ")],
)
def test_a_scheduler_that_is_lost_says_why_where_it_can(error, told):
    assert told in str(rooms._lost(error))


def test_workers_of_this_machine_that_never_start_are_not_waited_for_without_end(monkeypatch):
    idle = SimpleNamespace(left=1, ended=list, refill=iter([0] * 1000).__next__)
    monkeypatch.setattr(rooms, "START_SECONDS", 0.0)
    monkeypatch.setattr(rooms, "_client", lambda *_: nullcontext())
    monkeypatch.setattr(rooms, "_Cases", lambda *_, **__: nullcontext(idle))
    plan = plan_of(document_of(WaveEngine()), "1,2")
    with pytest.raises(WorkbenchError, match="No worker has started on this machine: run the sweep with one worker"):
        list(rooms._on_workers(plan, Workers(2), [], "cpu", [0, 1], lambda text, part: None))


@pytest.mark.parametrize("program", ["import os; os._exit(7)", "import os; os.kill(os.getpid(), 9)", "1 / 0"])
def test_a_scheduler_that_ends_before_it_begins_leaves_nothing(monkeypatch, tmp_path, program):
    """Its folder stayed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(rooms, "BEGIN", program)
    with pytest.raises(WorkbenchError, match="could not be started"), rooms._cluster(Workers(2), []):
        pytest.fail("it began")
    assert list(tmp_path.iterdir()) == []


def test_a_scheduler_whose_asker_is_killed_before_it_asks_leaves_nothing(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-P", "-c", rooms.BEGIN.format(path=sys.path), str(scratch)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "")
    assert not scratch.exists()
