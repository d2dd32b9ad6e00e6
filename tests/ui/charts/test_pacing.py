"""How long a drawing waits: by what the one before took, by whether a person waits for it, on a clock that is set."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject

from ui.charts import pacing
from ui.charts.pacing import Pace


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(time=50.0)
    monkeypatch.setattr(pacing, "clock", SimpleNamespace(perf_counter=lambda: clock.time))
    return clock


@pytest.fixture
def paced(qapp, clock):
    """A pace whose drawings take ``cost`` and whose plots took ``painted`` seconds to paint."""
    plot, parent, costs = SimpleNamespace(paint_seconds=0.0), QObject(), SimpleNamespace(cost=0.0)

    def draw():
        clock.time += costs.cost

    pace = Pace(draw, lambda: (plot,), parent)
    pace.parent, pace.plot, pace.costs = parent, plot, costs
    return pace


@pytest.mark.parametrize(
    ("cost", "painted", "by_hand", "milliseconds"),
    [
        (0.0, 0.0, False, 100),
        (0.0, 0.0, True, 30),
        (0.012, 0.0, False, 388),
        (0.012, 0.012, False, 788),
        (0.02, 0.0, True, 30),
        (0.02, 0.02, True, 80),
        (0.5, 0.0, False, 500),
        (0.5, 0.5, False, 500),
    ],
)
def test_a_drawing_waits_by_what_the_one_before_took(paced, clock, cost, painted, by_hand, milliseconds):
    """3 % of the time live, 40 % by hand, at least 100 and 30 ms and at most a second after the last one began."""
    paced.costs.cost = cost
    paced._fire()
    paced.plot.paint_seconds = painted
    paced._by_hand = by_hand
    assert paced._wait() == milliseconds
    assert paced.spent == pytest.approx(cost + painted)
    assert paced.plot.paint_seconds == 0.0, "counted once"
    clock.time += 2.0
    assert paced._wait() == 0, "it is long due"


def test_the_first_one_comes_at_once(paced):
    paced.soon()
    assert paced._timer.interval() == 0
    paced._timer.stop()


def test_a_person_who_waits_does_not_wait_for_what_is_due_anyway(paced, clock):
    paced._fire()
    paced.soon()
    assert paced._timer.interval() == 100
    paced.soon(by_hand=True)
    assert paced._timer.interval() == 30
    paced.soon()
    assert paced._timer.interval() == 30
    paced._timer.stop()
    clock.time += 1.0
    paced._fire()
    paced.soon()
    assert paced._timer.interval() == 100, "the next one is by nobody's hand again"
    paced._timer.stop()


def test_what_is_asked_for_twice_comes_when_it_was_due(paced, clock):
    paced._fire()
    paced.soon()
    clock.time += 0.05
    paced.soon()
    assert paced._timer.interval() == 100
    assert paced._timer.isSingleShot()
    paced._timer.stop()
