"""Checkpoints of a network: a run that is resumed is the run."""

import numpy as np
import pytest

from tests.engines.spiking.problems import build


def test_it_continues_bit_for_bit(backend):
    simulation = build(backend)
    simulation.advance(150)
    simulation.set_control("drive", 3.0)
    simulation.set_control("synapses.inhibition", 0.5)
    state = simulation.state()
    simulation.advance(151)
    expected = simulation.state()
    other = build(backend)
    other.restore(state)
    other.advance(151)
    for name, values in other.state().items():
        np.testing.assert_array_equal(values, expected[name], err_msg=name)
    with pytest.raises(ValueError, match="not"):
        build(backend, populations={"excitatory": 80, "inhibitory": 20}).restore(state)


def test_rates_after_a_checkpoint_are_those_of_the_whole_interval(backend):
    """A run that is resumed between two samples writes the rows of one that was never interrupted."""
    whole, resumed = build(backend), build(backend)
    whole.advance(100)
    first = dict(whole.observe())
    whole.advance(70)
    state = whole.state()
    whole.advance(30)
    resumed.restore(state)
    assert len(resumed._rates) == 3
    assert resumed._rates.items() <= first.items(), "means are counted anew"
    resumed.advance(30)
    assert resumed.observe() == whole.observe() != first
    assert resumed.traffic == whole.traffic


def test_what_is_seen_at_an_end_between_two_samples_does_not_change_the_rates_of_a_run_that_goes_on(backend):
    whole, ended = build(backend), build(backend)
    every = whole.sample_steps
    assert every > 2
    for simulation in (whole, ended):
        simulation.advance(2 * every)
        simulation.observe()
    ended.advance(every // 2)
    assert ended.observe()
    ended.advance(every - every // 2)
    whole.advance(every)
    assert ended.observe() == whole.observe()
    np.testing.assert_array_equal(ended.state()["past"], whole.state()["past"])


def test_checkpoints_of_earlier_versions_still_continue(backend):
    simulation, other = build(backend), build(backend)
    simulation.advance(100)
    state = {
        name: values for name, values in simulation.state().items() if name not in ("seen", "seen_spikes", "rates")
    }
    other.restore(state)
    other.advance(50)
    simulation.observe()
    simulation.advance(50)
    assert other.observe() == simulation.observe()
