"""What probes and series have seen: bounded in memory with its extremes, by probe and field, on every branch."""

import numpy as np
import pytest

from workbench.run.frames import Sample
from workbench.run.streams.traces import Branch, TraceBuffer, TraceStore


def buffer(times, values):
    made = TraceBuffer()
    made.append(np.asarray(times, float), np.asarray(values, float))
    return made


@pytest.mark.parametrize("at_once", [1, 7, 4096])
def test_a_long_curve_has_its_spikes_one_resolution_and_no_more_room(at_once):
    """Whichever of 4,096 points rises or falls out of line is there, in the room and the newest beside it."""
    room, count = 64, 4096
    times, values = np.arange(float(count)), np.sin(np.arange(count) / 50)
    values[[40, 1111, 4001]] = 5.0, -5.0, 6.0
    made = TraceBuffer(room)
    for first in range(0, count, at_once):
        made.append(times[first : first + at_once], values[first : first + at_once])
    assert {5.0, -5.0, 6.0} <= set(made.values.tolist())
    assert (np.diff(made.times) > 0).all()
    assert made.times[-1] == count - 1
    assert room / 2 <= len(made) <= room + 1  # no run is begun after 4,096
    assert np.ptp(np.histogram(made.times, 4)[0]) <= 2


def test_a_profile_is_no_trace():
    """A number and the length of a vector are plotted; the shells of a particle are not one curve."""
    values = {"scalar": np.ones((2, 1)), "vector": np.full((2, 1, 3), 2.0), "shells": np.ones((2, 1, 16))}
    sample = Sample(
        2, 2.0, 2, 1.0, 1.0, 1.0, 1.0, 1.0, (), None, np.array([1.0, 2.0]), values, ("P1",), {}
    )  # fmt: skip
    store = TraceStore()
    store.take([sample])
    assert set(store.probes) == {("P1", "scalar"), ("P1", "vector")}
    assert store.probes["P1", "vector"].values == pytest.approx(np.sqrt(12) * np.ones(2))


def test_values_without_a_column_for_each_probe_are_passed_over():
    traces = {
        "u": np.array([[1.0, 2.0], [3.0, 4.0]]),
        "flat": np.array([1.0, 2.0]),
        "one": np.array([[5.0], [6.0]]),
        "wide": np.zeros((2, 2, 8)),
    }
    numbers = (2, 1.0, 2, 1.0, 1.0, 1.0, 1.0, 1.0, (), None)
    sample = Sample(*numbers, np.array([0.0, 1.0]), traces, ("near", "far"), {})
    store = TraceStore()
    store.take([sample])
    assert sorted(store.probes) == [("far", "u"), ("near", "one"), ("near", "u")]


def test_traces_follow_the_name_of_their_probe_on_all_branches():
    store = TraceStore()
    for probe in ("P1", "P2"):
        for field in ("v", "c"):
            store.probes[probe, field] = buffer([0.0], [1.0])
    curve = (np.zeros(1), np.zeros(1))
    store.left.append(Branch({("P1", "v"): curve, ("P2", "v"): curve}, {}))
    store.rename("P1", "apex")
    assert set(store.probes) == {("apex", "v"), ("apex", "c"), ("P2", "v"), ("P2", "c")}
    assert set(store.left[0].probes) == {("apex", "v"), ("P2", "v")}
    store.drop("P2")
    assert set(store.probes) == {("apex", "v"), ("apex", "c")}
    assert set(store.left[0].probes) == {("apex", "v")}
