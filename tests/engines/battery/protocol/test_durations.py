"""Guesses of how long a protocol takes, and how often a run is sampled."""

from __future__ import annotations

import pytest

from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.durations import MOST_SAMPLES, SAMPLES, guessed_seconds, sample_steps
from engines.battery.protocol.plan import instructions, parse

CELL = PARAMETER_SETS["Chen2020"]


def plan(*protocol, dt=1.0):
    return instructions(parse(list(protocol)), CELL, dt)


def test_a_guess_follows_the_charge():
    """Half an hour at 1C leaves a charge at C/2 an hour's work; a hold is taken to last one."""
    steps = plan("Discharge at 1C for 30 minutes", "Rest for 10 minutes", "Charge at C/2", "Hold at 4.2 V until C/20")
    assert [time for _, time in guessed_seconds(steps, CELL, 1.0, 1.0)] == pytest.approx([1800, 600, 3600, 3600])
    assert [time for _, time in guessed_seconds(plan("Discharge at 1C"), CELL, 1.0, 4.0)] == pytest.approx([900])


def test_short_steps_are_resolved_and_long_runs_are_not_too_many_samples():
    assert sample_steps(plan("Discharge at 1C"), CELL, 1.0, 1.0) == pytest.approx(3600 / SAMPLES, abs=0.5)
    assert sample_steps(plan("Discharge at 1C"), CELL, 60.0, 1.0) == 1
    pulse = plan("Rest for 2 hours", "Discharge at 2C for 40 seconds")
    assert sample_steps(pulse, CELL, 1.0, 1.0) == 2
    cycle = plan("Discharge at 1C", "Rest for 1 minute", "Charge at 1C", "Rest for 1 minute")
    assert sample_steps(cycle * 1000, CELL, 1.0, 1.0) == pytest.approx(1000 * 7320 / MOST_SAMPLES, abs=1)
