"""A clock that is set, or wakes with its machine, harms no run: what lasts is measured by one that only goes on."""

import itertools
import re
import time
from pathlib import Path

from workbench.run.frames import RunState

ROOT = Path(__file__).parents[3]
DAY = 86400.0
OF_DAY = re.compile(r"\b(time|clock)\.time\b(?! *=)|\bfrom time import .*\btime\b|\.now\(|currentMSecs|currentDateTime")
DATES = {
    "ui/charts/runs/dialog.py", "ui/charts/runs/runs.py",  # when a run ended
    "workbench/export/streams/nwb.py", "workbench/run/frames.py",  # when a file or a line of the log was made
    "workbench/project/kept_meshes.py", "workbench/project/reading/unpacking.py", "workbench/storage/atomic.py",
    "workbench/remote/packing.py",  # ages of files
}  # fmt: skip


def test_the_time_of_day_is_asked_for_where_a_date_is_meant():
    modules = [path for part in ("engines", "workbench", "ui") for path in (ROOT / part).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in modules if OF_DAY.search(path.read_text("utf-8"))}
    assert found == DATES


def test_a_clock_that_jumps_changes_no_pace_and_no_outlook(runners, monkeypatch):
    """By a day, there and back, each time that anybody asks."""
    jumps = itertools.cycle((DAY, -DAY))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    began = time.monotonic()
    runner = runners(until=2.0, pace=4.0, autostart=True, checkpoints=20)
    assert runner.wait(RunState.FINISHED, timeout=20) is RunState.FINISHED
    assert 0.4 < time.monotonic() - began < 10
    samples = runner.take_samples()
    assert sum(sample.wall_seconds for sample in samples) < 10
    left = [sample.remaining for sample in samples]
    assert left
    assert all(0 <= seconds < 10 for seconds in left)
    assert runner.marks
    assert runner.post(lambda simulation: simulation.step).result(20) == 100
