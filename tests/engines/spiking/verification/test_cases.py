"""Every case of ``workbench verify`` is right on this machine's cores."""

import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.verification.cases import CASES

LONG = 3
"""Seconds on two cores from which a case runs with the long forms of tests alone."""


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id, marks=[pytest.mark.slow] * (case.seconds > LONG)) for case in CASES]
)
def test_the_case_is_right(case):
    answers = case.measure(CpuBackend())
    assert answers
    for answer in answers:
        assert answer.right, answer
