"""Stimulus sites and pulses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.cardiac.p1.sites import vertex_sites
from engines.cardiac.parameters import Box, CardiacParameters, Sphere, Stimulus, Tissue, WholeRegion
from engines.cardiac.stimulus.protocol import Protocol, Pulse, protocol, site_cells, timed_pulses, told_times
from engines.cardiac.stimulus.reach import MOST_LIFT, reached_findings, rounded_findings, strong_findings
from engines.cardiac.stimulus.touch import Touch, TouchProtocol
from engines.geometry.meshes.box import box_mesh


@st.composite
def pulse(draw):
    length, rest = draw(st.integers(1, 20)), draw(st.integers(0, 20))
    shortest = length + draw(st.integers(0, rest))
    first, count, decrement = draw(st.integers(0, 30)), draw(st.integers(0, 6)), draw(st.integers(0, 8))
    return Pulse(1.0, first, length, length + rest, count, decrement, shortest)


pulses = st.lists(pulse(), max_size=4)


def slow_on(pulse: Pulse, step: int) -> bool:
    """By walking from pulse to pulse."""
    start, period = pulse.first, pulse.period
    for _ in range(pulse.count):
        if start <= step < start + pulse.length:
            return True
        start, period = start + period, max(period - pulse.decrement, pulse.shortest)
    return False


@given(pulses, st.lists(st.integers(0, 200), min_size=1, max_size=60))
def test_kept_currents_are_those_of_each_step(these, steps):
    """Whatever steps are asked for, in whatever order, the currents are those that each pulse has then."""
    plan = Protocol(np.zeros(1, np.uint32), these)
    for step in steps:
        expected = [float(slow_on(pulse, step)) for pulse in these]
        got = plan.currents(step)
        assert (got is None) == (not any(expected))
        assert got is None or got.tolist() == expected


def test_the_latest_pulse_is_that_of_each_step_whenever_it_is_asked_for_and_whatever_was_touched():
    own = [Pulse(1.0, 10, 2, 20, 3), Pulse(1.0, 15, 2, 5, 1)]
    plan = TouchProtocol(Protocol(np.zeros(1, np.uint32), own))
    expected = {0: -1, 9: -1, 10: 10, 14: 10, 15: 15, 29: 15, 30: 30, 50: 50, 900: 50}
    for step in (*expected, *reversed(expected)):
        assert plan.latest(step) == expected[step], step
    assert plan.latest(39) == 30
    plan.add(5.0, 40, 3)
    assert [plan.latest(step) for step in (40, 39, 50, 49)] == [40, 30, 50, 40]
    plan.clear()
    assert plan.latest(49) == 30


def test_a_pulse_has_its_start_length_period_and_number():
    mesh = box_mesh((2, 2, 2), (1, 1, 1))
    stimulus = Stimulus(site=Box(lower=(0, 0, 0), upper=(1, 1, 1)), start=1.0, duration=2.0, period=10.0, pulses=3)
    plan = protocol([stimulus], Tissue(), mesh, 0.5)
    on = [step * 0.5 for step in range(100) if plan.currents(step) is not None]
    assert on == [start + k * 0.5 for start in (1.0, 11.0, 21.0) for k in range(4)]


def starts(stimuli, step=0.5):
    return [(pulse.starts * step).tolist() for pulse in timed_pulses(stimuli, Tissue(), step)]


def test_a_stimulus_follows_the_last_pulse_of_another_one():
    """S3 after S2 after a train; the order in the list does not matter, and whole steps add up to no drift."""
    s1 = Stimulus(name="S1", start=10.0, period=400.2, pulses=3)
    s2 = Stimulus(name="S2", begins="after", after="S1", coupling=280.0, start=5.0)
    s3 = Stimulus(name="S3", begins="after", after="S2", coupling=200.0, pulses=2, period=50.0)
    assert starts([s3, s1, s2]) == [[1290.0, 1340.0], [10.0, 410.0, 810.0], [1090.0]]
    assert told_times([s3, s1, s2], Tissue(), 0.5) == "By the coupling intervals, 'S3' at 1290 ms, 'S2' at 1090 ms."
    assert told_times([s1], Tissue(), 0.5) == ""


def test_decremental_pacing_shortens_each_period_down_to_the_shortest():
    faster = Stimulus(name="S1", period=400.0, pulses=6, decrement=50.0, shortest=290.0)
    assert np.diff(starts([faster])[0]).tolist() == [400.0, 350.0, 300.0, 290.0, 290.0]


def test_a_stimulus_of_an_older_project_begins_at_its_start():
    old = Stimulus.model_validate({"name": "a", "start": 7.0, "duration": 1.0, "period": 20.0, "pulses": 2})
    assert starts([old]) == [[7.0, 27.0]]


@pytest.mark.parametrize(
    ("stimuli", "message", "place"),
    [
        ([("S1", ""), ("S2", "S0")], "follows 'S0', which there is not; there are: 'S1'", ("stimuli", 1, "after")),
        ([("S1", "S1")], "'S1' would have to follow itself", ("stimuli", 0, "after")),
        ([("a", "b"), ("b", "a")], "'a' and 'b' would have to follow itself", ("stimuli", 0, "after")),
        ([("S1", ""), ("S1", ""), ("S2", "S1")], "the name of 2 stimuli", ("stimuli", 2, "after")),
    ],
)
def test_what_a_stimulus_cannot_follow_is_said(stimuli, message, place):
    made = [Stimulus(name=name, after=after, begins="after" if after else "at") for name, after in stimuli]
    with pytest.raises(ProblemError, match=message) as error:
        starts(made)
    assert error.value.place == place


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"decrement": 5.0, "shortest": 1.0, "duration": 2.0}, "make the shortest period at least as long"),
        ({"decrement": 5.0, "shortest": 300.0, "period": 250.0}, "make that one shorter"),
    ],
)
def test_decremental_pacing_that_cannot_be_is_said(wrong, message):
    with pytest.raises(ProblemError, match=message):
        starts([Stimulus(**wrong)])


def test_the_benchmark_amplitude_in_millivolts():
    """50,000 µA/cm³ over χ Cm = 140 /mm · 0.01 µF/mm² are 35.714 mV/ms (Niederer et al. 2011)."""
    plan = protocol([Stimulus(site=Sphere(radius=9))], Tissue(), box_mesh((2, 2, 2), (1, 1, 1)), 0.5)
    assert plan.currents(0) == pytest.approx([35.714285714])


def test_sites_take_cells_by_centroid():
    mesh = box_mesh((4, 4, 4), (4.0, 4.0, 4.0))
    assert site_cells(Box(lower=(0, 0, 0), upper=(2, 4, 4)), mesh).mean() == 0.5
    ball = site_cells(Sphere(center=(2, 2, 2), radius=1.5), mesh)
    np.testing.assert_array_equal(ball, np.linalg.norm(mesh.centroids - 2, axis=1) <= 1.5)
    assert site_cells(WholeRegion(region="tissue"), mesh).all()


@pytest.mark.parametrize(
    ("high", "percent"),
    [(2.0, "12 % more"), (2.1, "12 % more"), (2.4, "10 % less"), (10.0, None)],
)
def test_of_vertices_it_is_told_by_how_much_more_tissue_a_box_reaches(high, percent):
    """Cubes of 0.5 mm along 10 mm: vertices up to x = 2 mm have 2.25 mm around them, of 2 mm in the box; to 2.4 mm
    they have that, too, and all tetrahedra up to 2.5 mm have their centroids in it."""
    mesh = box_mesh((20, 4, 4), [10.0, 2.0, 2.0])
    site = Box(lower=(-1, -1, -1), upper=(high, 9, 9))
    sites = vertex_sites(mesh, np.zeros(mesh.n_cells, bool))
    found = reached_findings([Stimulus(name="S1", site=site)], mesh, sites)
    assert len(found) == (percent is not None)
    for each in found:
        assert f"its charge is {percent}" in each.message
        assert each.place == ("stimuli", 0, "site")


@pytest.mark.parametrize("amplitude", [130_000.0, 175_000.0, 1e7])
def test_what_is_proposed_for_a_pulse_that_is_too_strong_is_within_the_limit(amplitude):
    """To two digits: 87,500 became 88,000, with the same words and the same proposal for ever."""
    strong = CardiacParameters(cell_model="ten Tusscher-Panfilov 2006", stimuli=[Stimulus(amplitude=amplitude)])
    (told,) = strong_findings(strong)
    (weaker,) = told.remedy.changes.values()
    tissue, duration = strong.tissue, strong.stimuli[0].duration
    lift = 1e-3 * weaker * duration / (tissue.surface_to_volume * tissue.membrane_capacitance)
    assert 0.89 * MOST_LIFT < lift <= MOST_LIFT


def test_each_stimulus_has_its_bit_and_there_are_thirty_two():
    mesh = box_mesh((2, 2, 2), (1, 1, 1))
    everywhere = Stimulus(site=Sphere(radius=9))
    assert (protocol([everywhere] * 32, Tissue(), mesh, 0.5).mask == 2**32 - 1).all()
    with pytest.raises(ProblemError, match="33 stimuli; up to 32"):
        protocol([everywhere] * 33, Tissue(), mesh, 0.5)


@pytest.mark.parametrize(("bit", "length"), [(0, 10), (-1, 10), (32, 10), (2**30, 10), (5, 0)])
def test_a_forged_pulse_is_refused(bit, length):
    """At 2^30 a list of as many pulses took 8 GB before anybody looked at it."""
    plan = Protocol(np.zeros(4, np.uint32), [Pulse(1.0, 0, 5, 5, 1)])
    touch = Touch(CpuBackend(), TouchProtocol(plan), np.zeros(4, np.uint32), plan.mask)
    touch.stimulate(np.array([1, 2], np.int32), 3.0, 4, 10)
    state = touch.state(5)
    touch.restore(state)
    with pytest.raises(ValueError, match="no pulse"):
        touch.restore({**state, "touch_bits": np.array([bit], np.int32), "touch_length": np.array([length])})


@pytest.mark.parametrize(
    ("changes", "steps", "whole", "severity", "proposed"),
    [
        ({"duration": 4e-5}, "0.001", 1, "warning", 0.04),
        ({"duration": 0.05}, "1.25", 1, "warning", 0.04),
        ({"period": 400.01}, "10000.2", 10000, "info", 400),
        ({"decrement": 0.01}, "0.25", 0, "warning", 0.04),
    ],
)
def test_what_is_no_whole_steps_is_told(changes, steps, whole, severity, proposed):
    """A thousandth of a step is a whole one, of a thousand times the charge."""
    ((name, time),) = changes.items()
    (found,) = rounded_findings(stimulated(pulses=3, **changes))
    told = f"The {name} of stimulus 'S1', {time:g} ms, is {steps} steps: it is rounded to {whole}."
    assert (found.message, found.severity) == (told, severity)
    assert found.remedy.changes == {("stimuli", 0, name): proposed}
    assert rounded_findings(stimulated(pulses=3, **{name: proposed})) == []


def test_intervals_of_no_whole_steps_are_told():
    """S2 at 300.01 ms came at 300.00, and a shortest period of no whole steps was another."""
    after = {"name": "S2", "begins": "after", "after": "S1", "coupling": 300.01, "duration": 2.0}
    (found,) = rounded_findings(CardiacParameters(stimuli=[{"name": "S1"}, after], numerics={"step": 0.04}))
    assert found.message.startswith("The coupling interval of stimulus 'S2', 300.01 ms, is 7500.25 steps")
    (found,) = rounded_findings(stimulated(pulses=3, period=400.0, decrement=4.0, shortest=200.01))
    assert found.message.startswith("The shortest period of stimulus 'S1', 200.01 ms, is 5000.25 steps")
    assert found.place == ("stimuli", 0, "shortest")


@pytest.mark.parametrize(
    ("model", "step", "cycle", "duration", "told", "proposed"),
    [
        ("ten Tusscher-Panfilov 2006", 0.04, 1000.0, 0.05, "0.05 ms, is 1.25 steps: it is rounded to 1.", 0.04),
        ("ten Tusscher-Panfilov 2006", 0.5, 1000.0, 1.05, "1.05 ms, is 8.4 steps: it is rounded to 8.", 1.0),
        ("ten Tusscher-Panfilov 2006", 0.04, 0.1, 0.05, "0.05 ms, is 1.5 steps: it is rounded to 2.", 0.0666666667),
        ("ten Tusscher-Panfilov 2006", 0.04, 1000.0, 0.08, "", 0.0),
    ],
)
def test_pacing_for_no_whole_steps_is_told(model, step, cycle, duration, told, proposed):
    """Cells that were paced with a stimulus of 1.25 steps had one of 1, a fifth less charge, without a word."""
    pacing = {"cycle_length": cycle, "duration": duration}
    numerics = {"step": step, "initial_state": "paced", "pacing": pacing}
    found = rounded_findings(CardiacParameters(cell_model=model, stimuli=[], numerics=numerics))
    assert [each.message for each in found] == ([f"The duration of the pacing before the run, {told}"] if told else [])
    if told:
        assert found[0].remedy.changes == {("numerics", "pacing", "duration"): proposed}
        numerics["initial_state"] = "published"
        assert rounded_findings(CardiacParameters(cell_model=model, stimuli=[], numerics=numerics)) == []


def test_whole_steps_are_not_told_of():
    assert rounded_findings(stimulated(duration=2.0, pulses=3, period=400.0, decrement=0.12)) == []
    assert rounded_findings(stimulated(period=400.01)) == [], "of one pulse"


def stimulated(**stimulus):
    return CardiacParameters(stimuli=[{"name": "S1", **stimulus}], numerics={"step": 0.04})
