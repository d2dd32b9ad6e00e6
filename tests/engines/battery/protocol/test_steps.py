"""The language of protocols: what is read, what is repeated, and where and why a line is not understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters import BatteryParameters
from engines.battery.protocol.plan import instructions, plan_of
from engines.battery.protocol.steps import MOST_STEPS, check, parse, parse_step
from engines.battery.protocol.writing import STEPS, WHOLE

UNITS = {
    "A": ("current", 1.0), "mA": ("current", 1e-3), "C": ("rate", 1.0), "W": ("power", 1.0), "mW": ("power", 1e-3),
}  # fmt: skip
SECONDS = {"s": 1, "seconds": 1, "min": 60, "minutes": 60, "h": 3600, "hours": 3600}
numbers = st.floats(1e-3, 99).map(lambda value: float(f"{value:.4g}"))
durations = st.tuples(numbers, st.sampled_from(list(SECONDS)))


@given(
    st.sampled_from(["Discharge", "charge", "CHARGE"]),
    numbers,
    st.sampled_from(list(UNITS)),
    st.booleans(),
    st.lists(durations, max_size=3),
    st.lists(st.floats(2.5, 4.2), max_size=3),
    st.booleans(),
)
def test_any_step_means_what_it_says(action, value, unit, together, times, limits, period):
    ends = [f"for {number!r} {word}" for number, word in times] + [f"until {limit!r} V" for limit in limits]
    text = f"{action} at {value!r}{'' if together else ' '}{unit} {' or '.join(ends)}{' (1 minute period)' * period}"
    got = parse_step(text)
    kind, scale = UNITS[unit]
    assert got.value == (kind, pytest.approx(value * scale * (1 if action == "Discharge" else -1)))
    shortest = min((number * SECONDS[word] for number, word in times), default=None)
    assert got.duration == (shortest if shortest is None else pytest.approx(shortest))
    assert got.until == tuple(("voltage", limit) for limit in limits)
    assert got.period == (60.0 if period else None)


@given(st.text(max_size=60))
def test_whatever_is_written_is_a_step_or_a_sentence(text):
    found = check([text])
    assert found is None or found[0] == 0
    assert found is None or found[1].startswith(f"Line 1 of the protocol, '{text.strip()}': ")


@given(st.recursive(st.lists(st.just(0), min_size=1, max_size=3), lambda inner: st.tuples(st.integers(1, 4), inner)))
def test_repetitions_are_written_out(tree):
    lines: list[str] = []

    def write(node, depth):
        if isinstance(node, tuple):
            lines.append(f"{'  ' * depth}Repeat {node[0]} times")
            inner = write(node[1], depth + 1)
            lines.append(f"{'  ' * depth}End")
            return node[0] * inner
        lines.extend(["Rest for 1 hour"] * len(node))
        return len(node)

    assert write(tree, 0) == len(parse(lines))


def test_nested_cycles_as_in_an_experiment():
    """[formation]*2 + [cycle with two pulses]*3, each step with the line it stands in."""
    lines = [
        "# Formation", "Repeat 2 times:", "Discharge at C/10", "Charge at C/10", "end", "", "repeat 3",
        "Repeat 2 x", "Discharge at 1C for 10 s", "End repeat", "Charge at C/2", "End",
    ]  # fmt: skip
    assert [step.line for step in parse(lines)] == [3, 4] * 2 + [9, 9, 11] * 3


@pytest.mark.parametrize(
    ("lines", "place", "sentence"),
    [
        (["Rest for 1 h", "Repeat 3 times", "Rest for 1 h"], 1, "the repetition has no end: write End after"),
        (["Rest for 1 h", "End"], 1, "nothing is being repeated here"),
        (["Repeat 3 times", "End"], 0, "there is no step to repeat"),
        (["Repeat often", "Rest for 1 h", "End"], 0, "'often' is not understood; a whole number"),
        (["Repeat 0 times", "Rest for 1 h", "End"], 0, "'0' is not understood"),
        (["Repeat 3 days", "Rest for 1 h", "End"], 0, "'days' is not understood; 'times' should stand here"),
        (["Repeat 3 times Rest", "Rest for 1 h", "End"], 0, "'Rest' is not understood; a repetition is written"),
        (["Repeat 2 times", "Rest for 1 h", "End of it"], 2, "End stands alone"),
        (["Repeat 1000 times", "Repeat 1001 times", "Rest for 1 h", "End", "End"], 0, "more than 1,000,000 steps"),
        (["Discharge at 1C at 25oC"], 0, "'at' is not understood; a step has no temperature of its own"),
        (["Rest for 1 hour (often)"], 0, "'often' is not understood; a number"),
        (["Rest for 1 hour (1 minute break)"], 0, "'break' is not understood; 'period' should stand here"),
        (["Hold at 4.1 V until 0 A"], 0, "ends at a current above 0"),
        (["Discharge at 1e999 A"], 0, "'1e999' is not understood"),
        (["Charge at 1C or until 4 V"], 0, "'or' is not understood"),
        (["Charge at 1C until 4 V or"], 0, "'or' is not understood"),
        (["Run US06 (A)"], 0, "'A' is not understood"),
        (["Run US06"], 0, "'US06' is not understood; 'drive' should stand here"),
    ],
)  # fmt: skip
def test_a_line_that_is_not_understood_is_named(lines, place, sentence):
    found = check(lines)
    assert found is not None
    assert found[0] == place
    assert sentence in found[1]
    assert found[1].startswith(f"Line {place + 1} of the protocol, '{lines[place]}'")


def test_whichever_end_is_met_first():
    chen = PARAMETER_SETS["Chen2020"]
    steps = parse(
        [
            "Discharge at 1C until 2.8 V or until 3.1 V", "Charge at 1C until 4.1 V or until 4 V or for 1 hour",
            "Hold at 4 V until 50 mA or until C/10 or for 2 hours",
        ]
    )  # fmt: skip
    discharge, charge, hold = instructions(steps, chen, 10.0)
    assert discharge.lowest == 3.1
    assert (charge.highest, charge.steps) == (4.0, 360)
    assert (hold.least_current, hold.steps) == (0.5, 720)


def test_all_that_is_offered_is_understood():
    for lines in (
        *((step,) for step in STEPS if step not in ("Repeat 3 times", "End")),
        *(lines for _, lines in WHOLE),
    ):
        assert check(lines) is None
    ageing = dict(WHOLE)["100 ageing cycles"]
    assert len(parse(ageing)) == 3 * 2 + 100 * 5


def test_cycles_and_repetitions_together_are_bounded():
    lines = ["Repeat 1000 times", "Rest for 1 hour", "End"]
    with pytest.raises(ProblemError, match="All cycles together") as caught:
        plan_of(BatteryParameters(protocol=lines, cycles=1 + MOST_STEPS // 1000), PARAMETER_SETS["Chen2020"])
    assert caught.value.place == ("cycles",)
