"""Loops that are run again and again find out themselves how many threads are worth waking."""

from collections import Counter

import numba
import numpy as np
import pytest

from engines.api.device import Cores
from engines.backend.cpu import CpuBackend
from engines.backend.loops import cores
from engines.backend.loops.cores import BETTER, REST, TRIAL, TRIED_FROM, TRIED_TO, loop_region
from engines.backend.threads import parallel_region, threads_for
from workbench.project.presets import open_named

LOOP = 240e-6
"""[s] on one core."""


class Machine:
    """Time passes inside loops only: the work shared by the threads, and what each further one takes to wake."""

    def __init__(self):
        self.work, self.waking, self.now = LOOP, 0.0, 1.0

    def run(self, region, seconds, turns=lambda number: 1):
        """Turns of the loop taken with each number of threads."""
        taken, end = Counter(), self.now + seconds
        while self.now < end:
            together = turns(len(taken) + sum(taken.values()))
            taken[region.threads] += together
            with region.of(together):
                self.now += together * (self.work / region.threads + self.waking * (region.threads - 1))
        return taken


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.setattr(cores, "clock", lambda: made.now)
    monkeypatch.setattr(parallel_region, "__enter__", lambda _: None)  # as many threads as there are asked for
    monkeypatch.setattr(parallel_region, "__exit__", lambda *_: None)
    return made


@pytest.mark.parametrize(("waking", "best"), [(0.5e-6, 16), (15e-6, 4), (40e-6, 2), (200e-6, 1)])
def test_a_loop_takes_the_threads_that_are_worth_waking(machine, waking, best):
    machine.waking = waking
    region = loop_region(LOOP, 16)
    assert region.threads == threads_for(LOOP, 16) == 8
    machine.run(region, 5 * REST)
    taken = machine.run(region, 5 * REST)
    assert taken.most_common(1)[0][0] == best
    assert taken[best] * (machine.work / best + machine.waking * (best - 1)) > 0.95 * 5 * REST  # the rest tries others


def test_it_follows_what_else_runs(machine):
    region = loop_region(LOOP, 2)
    for waking, best in [(1e-6, 2), (150e-6, 1), (1e-6, 2)]:
        machine.waking = waking
        machine.run(region, REST + 5 * TRIAL)
        assert machine.run(region, REST / 2).most_common(1)[0][0] == best


def test_a_little_better_is_not_worth_a_change(machine):
    machine.waking = (BETTER + 0.01 - 0.5) * LOOP
    region = loop_region(LOOP, 2)
    region._threads = region._chosen = 1
    assert machine.run(region, 5 * REST)[1] > 0.9 * 5 * REST / LOOP


def test_many_turns_together_count_as_many(machine):
    """Batches of steps have lengths that change."""
    machine.waking = 150e-6
    region = loop_region(LOOP, 2)
    machine.run(region, 2 * REST, lambda number: 1 + 37 * (number % 5))
    assert machine.run(region, REST / 2, lambda number: 40 if number % 2 else 1).most_common(1)[0][0] == 1


@pytest.mark.parametrize(("seconds", "waking"), [(TRIED_FROM / 2, 0.0), (2 * TRIED_TO, 0.01)])
def test_very_short_and_long_loops_try_nothing(machine, seconds, waking):
    machine.work, machine.waking = seconds, waking  # another number would be better
    region = loop_region(seconds, 16)
    assert set(machine.run(region, 10 * REST)) == {threads_for(seconds, 16)}


def test_one_core_is_one_core(machine):
    assert set(machine.run(loop_region(LOOP, 1), 3 * REST)) == {1}


def test_a_turn_that_fails_leaves_the_cores_as_they_were():
    before = numba.get_num_threads()
    seen = []

    def fail():
        with loop_region(LOOP, 1):
            seen.append(numba.get_num_threads())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen == [1]
    assert numba.get_num_threads() == before


def test_on_a_gpu_nothing_is_held():
    before = numba.get_num_threads()
    with Cores().of(5):
        assert numba.get_num_threads() == before


@pytest.mark.parametrize("preset", ["notched_concrete_beam", "fdtd_slab", "gray_scott_coral", "typed_fisher"])
def test_batches_of_steps_are_so_many_turns(preset, monkeypatch):
    """Else a long batch with one number of threads would be held against a short one with another."""
    counted = []
    of = loop_region.of
    monkeypatch.setattr(loop_region, "of", lambda region, turns: counted.append(turns) or of(region, turns))
    document, backend = open_named(preset), CpuBackend()
    simulation = document.engine.build(document.complete_problem(), backend)
    counted.clear()  # what is solved beforehand
    for steps in (1, 7, 30):
        simulation.advance(steps)
    assert sum(counted) == simulation.step == 38
    assert max(counted) > 1


@pytest.mark.parametrize(
    "preset", ["small_slab", "notched_concrete_beam", "fdtd_slab", "gray_scott_coral", "typed_fisher"]
)
def test_bits_do_not_hang_on_what_was_tried(preset, monkeypatch):
    """Trials that last a turn each, as against none."""
    ends = []
    for tried_to in (10.0, 0.0):
        monkeypatch.setattr(cores, "TRIED_FROM", 0.0)
        monkeypatch.setattr(cores, "TRIED_TO", tried_to)
        monkeypatch.setattr(cores, "BLOCK", 0.0)
        monkeypatch.setattr(cores, "TRIAL", 0.0)
        monkeypatch.setattr(cores, "REST", 0.0)
        document, backend = open_named(preset), CpuBackend()
        simulation = document.engine.build(document.complete_problem(), backend)
        for steps in (1, 7, 2, 30):
            simulation.advance(steps)
        ends.append(simulation.state())
    assert ends[0].keys() == ends[1].keys()
    for name, values in ends[0].items():
        np.testing.assert_array_equal(values, ends[1][name], err_msg=name)
