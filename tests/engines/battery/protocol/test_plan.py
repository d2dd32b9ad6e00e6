"""Protocols: what is understood, what it means for a cell, and the sentence for what is not."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import LONGEST, NEVER, Kind
from engines.battery.protocol.plan import drive_cycle, instructions, parse_step

CHEN = PARAMETER_SETS["Chen2020"]


@pytest.mark.parametrize(
    ("text", "kind", "value", "steps", "lowest", "highest", "least"),
    [
        ("Discharge at C/10 for 10 hours or until 3.3 V", Kind.CURRENT, 0.5, 3600, 3.3, NEVER, -1),
        ("Charge at 1 A until 4.1 V", Kind.CURRENT, -1.0, LONGEST, -NEVER, 4.1, -1),
        ("Hold at 4.1 V until 50 mA", Kind.VOLTAGE, 4.1, LONGEST, -NEVER, NEVER, 0.05),
        ("Hold at 4.1V until C/50", Kind.VOLTAGE, 4.1, LONGEST, -NEVER, NEVER, 0.1),
        ("Rest for 1 hour", Kind.CURRENT, 0.0, 360, -NEVER, NEVER, -1),
        ("discharge at 0.5C", Kind.CURRENT, 2.5, LONGEST, 2.5, NEVER, -1),
        ("Discharge at 2 C until 3000 mV or for 30 minutes", Kind.CURRENT, 10.0, 180, 3.0, NEVER, -1),
        ("Charge at 4 W for 90 s", Kind.POWER, -4.0, 9, -NEVER, 4.2, -1),
        ("Discharge at 250mA for 20min", Kind.CURRENT, 0.25, 120, 2.5, NEVER, -1),
    ],
)
def test_steps(text, kind, value, steps, lowest, highest, least):
    (got,) = instructions([parse_step(text)], CHEN, 10.0)
    assert (got.kind, got.steps) == (kind, steps)
    assert (got.value, got.lowest, got.highest) == pytest.approx((value, lowest, highest))
    assert got.least_current == pytest.approx(least)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Dischrge at 1C", "Dischrge"), ("Discharge by 1C", "by"), ("Discharge at fast", "fast"),
        ("Discharge at 1 V", "V"), ("Charge at 1C untl 4.2 V", "untl"), ("Charge at 1C until 4.2 volts", "volts"),
        ("Rest for 1 fortnight", "fortnight"), ("Hold at 4 V until 3 V", "V"), ("Rest for 1 hour please", "please"),
        ("Charge at C/0", "C/0"), ("Discharge at -1 A", "A"), ("Run circle cycle", "circle"),
        ("Charge at 1C until 4 V until 4.1 V", "until"),
    ],
)  # fmt: skip
def test_the_word_that_is_not_understood_is_named(text, word):
    with pytest.raises(ProblemError, match=f"Line 7 of the protocol, '{text}': '{word}' is not understood"):
        parse_step(text, 7)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Charge at", "it ends where a number in A, mA, C, W should stand"),
        ("Rest", "say how long"), ("Hold at 4 V", "say when it ends"), ("", "an action should stand"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(text, sentence):
    with pytest.raises(ProblemError, match=sentence):
        parse_step(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Charge at 1C until 4.5 V", "4.5 V is never reached, as this cell stops at 2.5 and 4.2 V"),
        ("Discharge at 1000C", "no cell carries that; this one has 5 A h"),
        ("Hold at 5 V for 1 hour", "held between 2.5 and 4.2 V"),
        ("Run drive cycle", "has no drive cycle"),
        ("Rest for 1e9 hours", "use a longer time step"),
    ],
)
def test_what_this_cell_cannot_do_is_said(text, sentence):
    with pytest.raises(ProblemError, match=sentence):
        instructions([parse_step(text)], CHEN, 1.0)
    with pytest.raises(ProblemError, match="has no step"):
        instructions([], CHEN, 1.0)


def test_a_drive_cycle_keeps_its_charge():
    """Means over the steps: the integral of the straight lines, exactly, however the rows fall on the steps."""
    times, currents = np.array([0.0, 3.0, 4.5, 20.0]), np.array([0.0, 6.0, -3.0, 1.0])
    for dt in (0.5, 1.0, 5.0):
        got = drive_cycle(times, currents, dt)
        assert len(got) == 20 / dt
        assert got.sum() * dt == pytest.approx(np.trapezoid(currents, times), rel=1e-12)
    assert drive_cycle(times, currents, 1.0)[:3] == pytest.approx([1.0, 3.0, 5.0])


@pytest.mark.parametrize(
    ("times", "currents", "sentence"),
    [
        ([0.0, 1.0, 1.0], [1.0, 1.0, 1.0], "row 3"),
        ([0.0, 1.0], [1.0, np.nan], "Row 2 of the drive cycle has a gap"),
        ([0.0], [1.0], "at least two rows"),
    ],
)
def test_a_drive_cycle_that_is_none(times, currents, sentence):
    with pytest.raises(ProblemError, match=sentence):
        drive_cycle(np.array(times), np.array(currents), 1.0)
