"""What the meters make of the timings of single launches."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import FieldInfo, KernelTiming, KernelTraffic, SeriesInfo, Simulation
from workbench.run import meters
from workbench.run.meters import Meters, followed


@pytest.fixture
def simulation():
    made = SimpleNamespace(
        traffic=(KernelTraffic("follow", 1000, 0, 0),),
        fields=(),
        series=(),
        dt=1.0,
        step=0,
        time=0.0,
        done=None,
        timings=[],
    )
    made.drain_timings = lambda: tuple(made.timings)
    made.observe_later = partial(Simulation.observe_later, made)
    return made


def test_a_kernel_s_time_is_the_mean_of_the_last_second(simulation, monkeypatch):
    now = 100.0
    monkeypatch.setattr(meters.clock, "perf_counter", lambda: now)
    watched = Meters(simulation, ceiling=1e6, probes=())
    watched.sample(simulation, 1, 0.1, None)  # cold: does not count
    shown = []
    for now, seconds in ((100.1, 0.010), (100.6, 0.030), (101.3, 0.050), (103.0, 0.020)):  # noqa: B007 - read above
        simulation.timings = [KernelTiming("follow", 1, seconds)]
        (rate,) = watched.sample(simulation, 1, 0.1, None).kernels
        shown.append(rate.seconds_per_step)
        assert rate.seconds == seconds
        assert rate.fraction_of_ceiling == pytest.approx(1000 / rate.seconds_per_step / 1e6)
    assert shown == pytest.approx([0.010, 0.020, 0.040, 0.020])


def test_long_vectors_are_not_gathered_for_probes(simulation):
    """The shells of a particle are no curve over time: asking the device for them at each sample costs for nothing."""
    fields = [FieldInfo(name, name, "", "cell", (0, 1), components=n) for name, n in (("u", 1), ("v", 3), ("x", 16))]
    simulation.fields = (*fields, FieldInfo("peak", "peak", "", "cell", (0, 1), summary=True))
    asked, components = [], {field.name: field.components for field in fields}
    simulation.select = lambda selection: selection
    simulation.observe = dict

    def gather_later(name, handle):
        asked.append(name)
        return lambda: np.zeros((len(handle), components[name]))

    simulation.gather_later = gather_later
    watched = Meters(simulation, ceiling=1e6, probes=[("P1", 0)])
    watched.collect(simulation)
    assert asked == ["u", "v"]
    assert set(watched.sample(simulation, 1, 0.1, None).traces) == {"u", "v"}
    assert [info.name for info in followed(simulation.fields)] == ["u", "v"]
    asked.clear()
    Meters(simulation, ceiling=1e6, probes=[("P1", 0)], profiles=True).collect(simulation)  # somebody records them
    assert asked == ["u", "v", "x"]


def test_what_compiling_took_is_not_foretold_of_the_steps_that_remain(simulation):
    watched = Meters(simulation, ceiling=1e6, probes=())
    watched.sample(simulation, 1, 8.0, 100)  # the first launch compiles
    assert watched.sample(simulation, 10, 0.1, 100).remaining == pytest.approx(100 * 0.01)


def test_the_pace_is_that_of_the_last_second_of_a_run_that_is_kept_slow_too(simulation):
    """A batch that takes, or is made to take, half a second leaves half of the second before: its seconds and steps."""
    for paced, left in ((0.0, 0.75), (0.05, 0.5), (1.0, 0.0)):
        watched = Meters(simulation, ceiling=1e6, probes=())
        watched.sample(simulation, 1, 8.0, 100)
        watched.sample(simulation, 10, 1.0, 100)  # 0.1 s a step
        remaining = watched.sample(simulation, 10, 0.25, 100, paced).remaining
        assert remaining == pytest.approx(100 * max(paced, (left * 1.0 + 0.25) / (left * 10 + 10)))


def test_a_batch_that_had_to_wait_does_not_foretell_hours(simulation):
    """Two steps in 0.4 s, for another program had the cores, after 10,000 a second: 17 s are left and not 20,000."""
    watched = Meters(simulation, ceiling=1e6, probes=())
    watched.sample(simulation, 1, 8.0, 100_000)
    watched.sample(simulation, 10_000, 1.0, 100_000)
    assert watched.sample(simulation, 2, 0.4, 100_000).remaining == pytest.approx(100_000 * 1.0 / 6_002)


def test_series_that_differ_from_those_declared_are_told_once(simulation):
    told = []
    simulation.series = (SeriesInfo("largest", "Largest", "mm"), SeriesInfo("mean", "Mean", "mm"))
    simulation.observe = lambda: {"largest": 1.0, "mean": 0.5}
    watched = Meters(simulation, ceiling=1e6, probes=(), warn=told.append)
    watched.collect(simulation)
    watched.sample(simulation, 1, 0.1, None)
    assert told == []
    simulation.observe = lambda: {"largest": 1.0, "meen": 0.5}
    watched.collect(simulation)
    watched.collect(simulation)
    watched.sample(simulation, 1, 0.1, None)
    (sentence,) = told
    assert sentence.startswith(
        "observe() gives 'largest', 'meen', and the simulation declares the series 'largest', 'mean'"
    )
    assert "author of this engine" in sentence


def test_kernels_that_are_timed_and_not_declared_are_told_once(simulation):
    told = []
    watched = Meters(simulation, ceiling=1e6, probes=(), warn=told.append)
    simulation.timings = [KernelTiming("follow", 1, 0.01)]
    watched.sample(simulation, 1, 0.1, None)
    assert told == []
    simulation.timings = [KernelTiming("folow", 1, 0.01)]
    watched.sample(simulation, 1, 0.1, None)
    watched.sample(simulation, 1, 0.1, None)
    (sentence,) = told
    assert sentence.startswith("The simulation times 'folow', and declares the traffic of 'follow'")


def test_a_sum_that_leaves_the_range_of_its_numbers_is_told_of_once(simulation):
    """The fields stay finite: nothing else would say it. NaN stands for what is not there yet."""
    told = []
    simulation.series = (SeriesInfo("mean", "Mean", "mm"),)
    watched = Meters(simulation, ceiling=1e6, probes=(), warn=told.append)
    for value in (1.0, np.nan):
        simulation.observe = lambda value=value: {"mean": value}
        watched.collect(simulation)
    watched.sample(simulation, 1, 0.1, None)
    assert told == []
    for value in (np.inf, -np.inf):
        simulation.observe = lambda value=value: {"mean": value}
        watched.collect(simulation)
    watched.sample(simulation, 1, 0.1, None)
    (sentence,) = told
    assert sentence.startswith(f"'Mean' is beyond all numbers from step {simulation.step} on")


def test_a_run_that_ends_by_itself_is_foretold_from_how_far_it_is(simulation):
    """It is at 1 of 1,000 steps when the field begins to fall, and 60 of the 80 dB are done at 4: a quarter is left of
    what took three seconds, not 996 steps. What it falls by before the sources are off is no pace."""
    watched = Meters(simulation, ceiling=1e6, probes=())
    watched.sample(simulation, 1, 1.0, 1000)  # cold
    told = []
    for simulation.step, simulation.done in ((0, 0.0), (1, 0.0), (2, 0.25), (3, 0.5), (4, 0.75)):
        told.append(watched.sample(simulation, 1, 1.0, 1000))
    assert [sample.part for sample in told] == [0.0, 0.001, 0.25, 0.5, 0.75]
    assert [sample.remaining for sample in told] == pytest.approx([1000.0, 999.0, 3.0, 2.0, 1.0])
    assert watched.sample(simulation, 1, 1.0, None).part == 0.75  # without an end that was set
