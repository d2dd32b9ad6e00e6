"""Runs of steps under one flux: what flows is that of the protocol, whatever the step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.battery.particles.pulses import History, Timetable


def flown(time, on, off):
    cycles, rest = divmod(time, on + off)
    return cycles * on + min(rest, on)


@given(
    st.floats(0.5, 100), st.floats(0.5, 100), st.floats(0.05, 30), st.lists(st.integers(1, 60), min_size=1, max_size=6)
)
def test_what_flows_is_that_of_the_protocol(on, off, dt, batches):
    """At the end of each batch, to the rounding of a pulse's end, 1e-9 steps a pulse."""
    timetable, step, total = Timetable(on, off), 0, 0.0
    for batch in batches:
        runs = list(timetable.runs(step, batch, dt))
        assert sum(steps for steps, _ in runs) == batch
        assert all(steps > 0 and -1e-9 <= share <= 1 + 1e-9 for steps, share in runs)
        total += sum(steps * share * dt for steps, share in runs)
        step += batch
        assert total == pytest.approx(flown(step * dt, on, off), abs=1e-7 * dt * (step + 1))


def test_without_a_pause_it_is_always_on():
    assert list(Timetable(600.0, 0.0).runs(5, 1000, 0.1)) == [(1000, 1.0)]


def test_whole_pulses_are_whole_runs():
    assert list(Timetable(10.0, 20.0).runs(0, 35, 1.0)) == [(10, 1.0), (20, 0.0), (5, 1.0)]
    assert list(Timetable(0.3, 0.6).runs(0, 10, 0.1)) == [(3, 1.0), (6, 0.0), (1, 1.0)]  # 0.3/0.1 is not 3 in binary


def test_history_adds_up():
    history = History()
    for seconds, factor in ((10, 1.0), (5, 1.0), (3, 0.0), (2, -2.0)):
        history.add(seconds, factor)
    assert history.runs == [(15, 1.0), (3, 0.0), (2, -2.0)]
    assert (history.net, history.total) == (11, 19)
    assert History.of(history.as_array()) == history
    assert History.of(np.empty((0, 2))).runs == []
