"""The parts that a pace is made of, told by a simulation whose clock is its own."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from engines.api import KernelTraffic
from engines.api.errors import InstabilityError, ProblemError
from engines.api.parameters import quantity
from engines.backend import pace
from engines.backend.cpu import CpuBackend

SECONDS = pace.SECONDS  # the conftest puts none in their place


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Told:
    """A simulation whose step takes ``step`` seconds, a call of ``advance`` ``launch`` more, and a look ``look``."""

    traffic = (KernelTraffic("kernel", 3, 4, 0),)
    finished = False

    def __init__(self, clock: Clock, step: float, launch: float = 0.0, look: float = 0.0, **also: int) -> None:
        self.clock, self.takes, self.launch, self.look = clock, step, launch, look
        self.sample_steps, self.whole_batch = also.get("every", 1), also.get("whole", 1)
        self.compiles, self.closed, self.asked = [7.0, 0.4], False, list[int]()

    def advance(self, steps: int) -> None:
        assert steps % self.whole_batch == 0
        self.asked.append(steps)
        self.clock.now += self.launch + steps * self.takes + (self.compiles.pop(0) if self.compiles else 0.0)

    def synchronize(self) -> None: ...

    def observe(self) -> dict[str, float]:
        self.clock.now += self.look
        return {}

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    monkeypatch.setattr(pace, "SECONDS", SECONDS)
    return clock


def test_a_step_its_share_of_a_launch_and_of_a_look(clock):
    simulation = Told(clock, step=1e-6, launch=20e-6, look=100e-6, every=10)
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(1e-6 + 20e-6 / 10 + 100e-6 / 10)


def test_compiling_is_no_part_of_it(clock):
    simulation = Told(clock, step=1e-3, every=4)
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(1e-3)
    assert clock.now < 8.0 + 1.0


@pytest.mark.parametrize("late", range(3, 60))
def test_what_compiles_late_is_no_part_of_it(clock, late):
    """What a network does at its first spikes, whichever of the tries these fall into."""
    simulation, calls = Told(clock, step=2e-5, every=50), []

    def advance(steps: int) -> None:
        calls.append(steps)
        clock.now += 2e-5 * steps + (0.8 if len(calls) == late else 0.0)

    simulation.advance = advance
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(2e-5, rel=1e-3)


def test_a_slow_step_is_tried_few_times(clock):
    simulation = Told(clock, step=0.05, look=0.3, every=48)
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(0.05 + 0.3 / 48)
    assert max(simulation.asked) == 1


def test_a_step_that_takes_for_ever_is_taken_twice(clock):
    simulation = Told(clock, step=60.0, every=48)
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(60.4)
    assert simulation.asked == [1, 1]


@pytest.mark.parametrize(("now_and_then", "after", "counted"), [(5e-3, 100, 0.0), (1e-4, 2, 0.5e-4)])
def test_others_at_work_do_not_count_and_monitors_do(clock, now_and_then, after, counted):
    """A batch in a hundred waits for its core; every second one has a monitor's share."""
    simulation, calls = Told(clock, step=1e-4), []

    def advance(steps: int) -> None:
        calls.append(steps)
        clock.now += 1e-4 + (now_and_then if len(calls) % after == 0 else 0.0)

    simulation.advance = advance
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(1e-4 + counted, rel=0.06)


def test_steps_that_take_longer_for_a_while_count(clock):
    """As many steps at a held current as at a held voltage, which take twice as long."""
    simulation = Told(clock, step=0.0)

    def advance(steps: int) -> None:
        simulation.asked.append(steps)
        clock.now += 1e-5 if len(simulation.asked) // 300 % 2 else 2e-5

    simulation.advance = advance
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(1.5e-5, rel=0.1)


def test_steps_after_the_end_do_not_count(clock):
    simulation = Told(clock, step=0.0)

    def advance(steps: int) -> None:
        simulation.asked.append(steps)
        simulation.finished = len(simulation.asked) > 500
        clock.now += 1e-7 if simulation.finished else 1e-4

    simulation.advance = advance
    assert pace.step_seconds(CpuBackend(), simulation) == pytest.approx(1e-4, rel=1e-3)
    assert len(simulation.asked) < 1000, "it went on without steps to take"


def test_batches_stay_whole(clock):
    simulation = Told(clock, step=1e-5, every=50, whole=12)
    pace.step_seconds(CpuBackend(), simulation)
    assert max(simulation.asked) == 60


def test_a_small_problem_is_tried_once_and_closed(clock):
    backend, built = CpuBackend(), []

    def build() -> Told:
        built.append(Told(clock, step=1e-3))
        return built[-1]

    for _ in range(2):
        assert pace.small_pace(backend, "a key", build, pace.SMALL_MEMORY, 1e-6) == pytest.approx(1e-3, rel=1e-5)
    assert len(built) == 1
    assert built[0].closed
    assert pace.measured_pace(backend, "a key", build)[1] == 7


def test_nothing_is_tried_for_who_does_not_ask_how_long_it_takes(clock):
    """And nothing is remembered of it."""
    backend = CpuBackend()
    with pace.unmeasured():
        seconds, moved = pace.measured_pace(backend, "a key", lambda: pytest.fail("built"))
        assert math.isnan(seconds), "a figure that anybody might show would be wrong"
        assert not moved
    assert pace.measured_pace(backend, "a key", lambda: Told(clock, step=1e-3))[0] == pytest.approx(1e-3, rel=1e-5)


@pytest.mark.parametrize(
    ("kind", "memory", "otherwise"),
    [("cuda", 1, 1e-6), ("cpu", pace.SMALL_MEMORY + 1, 1e-6), ("cpu", 1, 2 * pace.LONGEST_STEP)],
)
def test_what_is_not_tried(kind, memory, otherwise):
    backend = SimpleNamespace(info=SimpleNamespace(kind=kind))
    assert pace.small_pace(backend, "key", lambda: pytest.fail("built"), memory, otherwise) == otherwise


@pytest.mark.parametrize("error", [ProblemError("cannot be built"), InstabilityError("is no number any more")])
def test_what_cannot_be_tried_is_told_otherwise(error):
    def build() -> None:
        raise error

    assert pace.small_pace(CpuBackend(), "key", build, 1, 1e-6) == 1e-6


class Numbers(BaseModel):
    cells: int = 3
    kind: str = "round"
    size: float = 1.0
    more: list[float | int] = [2.0, 4]


def test_an_edit_of_a_real_number_measures_nothing_anew():
    assert pace.structure_of(Numbers(size=7, more=[0.5, 4])) == pace.structure_of(Numbers())
    for other in (Numbers(cells=4), Numbers(kind="square"), Numbers(more=[2.0, 5]), Numbers(more=[2.0])):
        assert pace.structure_of(other) != pace.structure_of(Numbers())


def test_another_file_under_the_same_path_is_measured_anew(tmp_path):
    """It may hold a table of ten thousand rows for one of ten."""

    class Tabled(BaseModel):
        table: str = quantity("", "", "A table", file="table")

    file = tmp_path / "table.csv"
    file.write_text("1")
    first = pace.structure_of(Tabled(table=str(file)))
    file.write_text("1, 2")
    assert pace.structure_of(Tabled(table=str(file))) != first
