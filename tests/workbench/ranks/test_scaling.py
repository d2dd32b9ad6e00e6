"""Scaling: what is counted, measured and projected from it."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.errors import ProblemError
from tests.engines.ranks.led import PatientBackend
from tests.engines.ranks.threads import on_each
from workbench.ranks import scaling
from workbench.ranks.scaling import (
    PROJECTED,
    Counted,
    Line,
    Measured,
    Sent,
    line_of,
    projected,
    record,
    sent_by,
    step_seconds,
    table,
)

LINE = Line(10e-6, 100e9)
ONE, TWO = Measured(1, 8e-3, "GPU"), Measured(2, 4.2e-3, "GPU", Sent(2.0, 20e6), LINE)


def test_a_projection_is_of_work_and_of_what_is_sent():
    """8 ms over n; two exchanges of 10 µs, and 20 MB at 100 GB/s, twice as much beyond two ranks."""
    assert projected([ONE, TWO], 2) == pytest.approx((4e-3, 4e-3 + 220e-6))
    assert projected([ONE, TWO], 4) == pytest.approx((2e-3, 2e-3 + 420e-6))
    assert projected([ONE, TWO], 1024) == pytest.approx((420e-6, 8e-3 / 1024 + 420e-6))


def test_the_table_has_measured_steps_beside_projected_ones():
    lines = table([ONE, TWO]).splitlines()
    assert lines[2] == "| 1 | 8 ms | 1.000 |  |  |"
    assert lines[3] == "| 2 | 4.2 ms | 0.952 | 4 ms to 4.22 ms | 0.948 to 1.000 |"
    assert [line.split("|")[1].strip() for line in lines[4:13]] == [f"{ranks:,}" for ranks in PROJECTED]
    assert "20 MB in 2 exchanges a step" in lines[-1]
    assert table([ONE]).count("\n") == 2
    assert set(record([ONE, TWO])["projected_step"]) == set(map(str, PROJECTED))
    assert record([ONE])["projected_step"] == {}


def test_what_goes_through_is_counted_and_a_line_is_measured():
    def rank(ranks):
        backend, counted = PatientBackend(), Counted(ranks)
        line = line_of(counted, backend)
        before = counted.exchanges, counted.bytes
        other = 1 - ranks.rank
        came = np.zeros(5)
        counted.exchange([(other, 0, np.full(5, float(ranks.rank)))], [(other, 0, came)]).wait()
        assert (came == other).all()
        return line, counted.exchanges - before[0], counted.bytes - before[1]

    for line, exchanges, sent in on_each(2, rank):
        assert line.latency > 0
        assert line.bandwidth > 0
        assert (exchanges, sent) == (1, 40)


class Simulation:
    """A millisecond a step until ``end``; later calls take no time and do nothing."""

    whole_batch, step = 4, 0

    def __init__(self, end):
        self.end, self.batches = end, []

    @property
    def finished(self):
        return self.step >= self.end

    def advance(self, steps):
        assert steps % 4 == 0
        taken = min(steps, self.end - self.step)
        self.batches.append(taken)
        self.step += taken
        time.sleep(1e-3 * taken)

    def synchronize(self):
        pass


def test_the_shortest_batch_counts_and_steps_are_counted(monkeypatch):
    monkeypatch.setattr(scaling, "SECONDS", 0.02)
    simulation = Simulation(100_000)
    seconds, taken = step_seconds(simulation)
    assert taken == simulation.step == sum(simulation.batches)
    assert len(simulation.batches) >= 1 + scaling.TRIES
    assert seconds >= 1e-3


def test_what_follows_the_end_of_a_run_is_not_measured(monkeypatch):
    monkeypatch.setattr(scaling, "SECONDS", 0.02)
    long_enough = Simulation(70)
    seconds, _ = step_seconds(long_enough)
    assert long_enough.finished
    assert seconds >= 1e-3
    with pytest.raises(ProblemError, match="ends after 10 steps, too soon"):
        step_seconds(Simulation(10))


class Sending(Simulation):
    """Ranks meet every second step, and once more at each batch, as where a source may have been painted anew."""

    whole_batch = 2

    def __init__(self, ranks):
        super().__init__(100_000)
        self.ranks = ranks

    def advance(self, steps):
        self.step += steps
        for number in [16, *(2,) * (steps // 2)]:
            self.ranks.exchange([(1, 0, np.zeros(number))], [])


@pytest.mark.parametrize("steps", [1, 17, 1000])
def test_what_a_step_sends_hangs_on_no_number_of_steps_in_a_batch(steps):
    counted = Counted(SimpleNamespace(rank=0, size=2, exchange=lambda *_: None))
    assert sent_by(Sending(counted), counted, steps) == Sent(0.5, 8.0)


def test_a_run_that_ends_before_it_is_known_what_a_step_sends_is_told():
    counted = Counted(SimpleNamespace(rank=0, size=2))
    with pytest.raises(ProblemError, match="too soon to tell what a step sends"):
        sent_by(Simulation(40), counted, 20)
