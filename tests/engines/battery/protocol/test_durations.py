"""Guesses of how long a protocol takes, and how often a run is sampled."""

import pytest

from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters import BatteryParameters
from engines.battery.protocol.durations import MOST_SAMPLES, SAMPLES, guessed_seconds, sample_steps
from engines.battery.protocol.plan import duration_findings, instructions, parse

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


@pytest.mark.parametrize(
    ("protocol", "step", "sentence", "severity", "proposed"),
    [
        (["Discharge at 1C for 3 s", "Rest for 4 s"], 2.0, "'Discharge at 1C for 3 s' lasts 4 s", "warning", 1.0),
        (
            ["Discharge at 1C for 10 s", "Rest for 1 hour"],
            60.0,
            "'Discharge at 1C for 10 s' lasts 60 s",
            "warning",
            10.0,
        ),
        (["Rest for 1 s"], None, "'Rest for 1 s' lasts 5 s", "warning", 1.0),
        (["Rest for 3601 s"], 5.0, "'Rest for 3601 s' lasts 3600 s", "info", 3601 / 721),
        (["Rest for 0.001 s"], 1.0, "'Rest for 0.001 s' lasts 1 s", "warning", None),
    ],
)
def test_a_duration_that_is_no_whole_time_steps_is_told(protocol, step, sentence, severity, proposed):
    """A pulse of 10 s in steps of 60 s carries six times the charge that is written."""
    (found,) = duration_findings(BatteryParameters(protocol=protocol, numerics={"step": step}))
    assert (found.message.startswith(sentence), found.severity) == (True, severity)
    assert (found.remedy and found.remedy.changes["numerics", "step"]) == (proposed and pytest.approx(proposed))
    if proposed:
        remedied = BatteryParameters(protocol=protocol, numerics={"step": found.remedy.changes["numerics", "step"]})
        assert duration_findings(remedied) == []


def test_durations_of_whole_time_steps_are_not_told_of():
    protocol = ["Discharge at C/10 for 1 hour", "Charge at 1C until 4.2 V", "Rest for 0.3 s"]
    assert duration_findings(BatteryParameters(protocol=protocol, numerics={"step": 0.1})) == []
