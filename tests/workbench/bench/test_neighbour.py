"""The table of steps beside a busy process: each way of waiting is measured in a process that has it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.backend.threads import WAITING
from workbench.bench import neighbour
from workbench.bench.neighbour import FEW, Neighbour, busy_neighbour, measured
from workbench.cli.bench import chosen_tables
from workbench.project.presets import presets


def test_it_is_found_by_its_name_and_measures_presets_that_there_are():
    assert [table.id for table in chosen_tables([], ["neighbour"])] == ["neighbour"]
    assert set(neighbour.MANY) <= {preset.id for preset in presets()}


def test_rows_are_medians_of_rounds_in_which_both_ways_take_turns(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def made_up(preset, seconds, settings, threads):
        asked.append((preset, "OMP_WAIT_POLICY" in settings))
        return (len(asked), 100.0 * len(asked))

    monkeypatch.setattr(neighbour, "measured", made_up)
    rows = Neighbour().measure(CpuBackend())
    assert [row[0] for row in rows] == list(FEW)
    assert all(len(row) == len(Neighbour.columns) for row in rows)
    assert asked[:4] == [(FEW[0], False), (FEW[0], True)] * 2
    assert rows[0][1:] == (2, 3, 200, 300)  # of 1 and 3, of 2 and 4


def test_a_measurement_has_the_settings_of_its_way_alone(monkeypatch: pytest.MonkeyPatch):
    seen = {}

    def run(command, env, **options):
        seen.update(env)
        return subprocess.CompletedProcess(command, 0, "[1.0, 2.0]", "")

    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    monkeypatch.setattr(subprocess, "run", run)
    assert measured("sine_mode", 1.0, neighbour.WAYS["spin"], 2) == (1.0, 2.0)
    assert {name: seen[name] for name in WAITING if name in seen} == neighbour.WAYS["spin"]
    assert seen["NUMBA_NUM_THREADS"] == "2"


def test_a_preset_that_there_is_not_is_a_sentence():
    with pytest.raises(ProblemError, match="no_such_preset"):
        measured("no_such_preset", 0.1, {}, 1)


def test_steps_are_counted_alone_and_beside():
    alone, beside = measured("sine_mode", 0.1, neighbour.WAYS["sleep"], 2)
    assert alone > 0
    assert beside > 0


def test_rates_are_steps_a_second_of_batches_that_can_be_timed(monkeypatch: pytest.MonkeyPatch):
    """By a clock that a step moves on by 0.4 ms, beside the neighbour by 1 ms, and now and then by ten times that."""
    clock, step, batches, open_now = [0.0], [4e-4], [], ["simulation", "backend"]

    class Stepping:
        step, finished = 0, False

        def state(self):
            return {}

        def advance(self, steps):
            batches.append(steps)
            self.step += steps
            clock[0] += steps * step[0] * (10 if len(batches) % 7 == 0 else 1)

        def close(self):
            open_now.remove("simulation")

    @contextmanager
    def neighbours():
        step[0] = 1e-3
        yield
        step[0] = 0.0

    engine = SimpleNamespace(build=lambda problem, backend: Stepping())
    document = SimpleNamespace(engine=engine, complete_problem=lambda: None)
    backend = SimpleNamespace(close=lambda: open_now.remove("backend"))
    monkeypatch.setattr(neighbour, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(neighbour, "open_named", lambda preset: document)
    monkeypatch.setattr(neighbour, "open_backend", lambda device: backend)
    monkeypatch.setattr(neighbour, "busy_neighbour", neighbours)
    assert neighbour.rates("any", 5.0) == pytest.approx((2500.0, 1000.0))
    assert neighbour.BATCH_SECONDS <= batches[-1] * 4e-4 <= 20 * neighbour.BATCH_SECONDS
    assert batches[0] == 1
    assert (open_now, step) == ([], [0.0]), "all are closed, and the neighbour is gone"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_neighbour_ends_with_its_context():
    def children() -> set[str]:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return set(file.read().split())

    before = children()
    with busy_neighbour():
        assert len(children() - before) == 1
    assert children() <= before


class Ending:
    """A run of a hundred steps of a millisecond each."""

    def __init__(self, clock):
        self.step, self.clock, self.begun_anew = 0, clock, 0

    finished = property(lambda self: self.step == 100)

    def advance(self, steps):
        taken = min(steps, 100 - self.step)
        self.step += taken
        self.clock.now += 1e-3 * taken + 1e-9

    def restore(self, begin):
        assert begin == {"step": 0}
        self.step, self.begun_anew = 0, self.begun_anew + 1


def test_a_run_that_has_come_to_its_end_begins_anew(monkeypatch: pytest.MonkeyPatch):
    """The slab of glass had 330 million steps a second: it took none."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(neighbour.time, "perf_counter", lambda: clock.now)
    simulation = Ending(clock)
    assert neighbour._rate(simulation, 30, 1.0, {"step": 0}) == pytest.approx(1000, rel=1e-3)
    assert simulation.begun_anew > 5
