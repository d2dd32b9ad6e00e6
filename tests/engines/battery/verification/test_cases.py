"""The cases that ``workbench verify`` runs of this engine, on both backends: all short."""

import pytest

from engines.battery.engine import BatteryEngine

CASES = BatteryEngine().verification()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_is_right(case, backend):
    answers = case.measure(backend)
    assert answers
    wrong = [f"{each.name}: {each.value:.8g}, not {each.expected:.8g}" for each in answers if not each.right]
    assert not wrong, "; ".join(wrong)


def test_cases_have_names_of_their_own():
    assert len({case.id for case in CASES}) == len(CASES) >= 7
