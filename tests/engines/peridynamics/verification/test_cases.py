"""The cases of ``workbench verify``: right on the CPU, and where they are short on the other backend, too."""

from __future__ import annotations

import pytest

from engines.peridynamics.engine import PeridynamicsEngine

CASES = {case.id: case for case in PeridynamicsEngine().verification()}
SHORT = ("lattice-sums", "damped-contact")


def is_right(case, backend) -> None:
    wrong = [answer for answer in case.measure(backend) if not answer.right]
    assert not wrong


@pytest.mark.parametrize("name", [*SHORT, "dispersion"])
def test_short_cases(cpu, name):
    is_right(CASES[name], cpu)


@pytest.mark.parametrize("name", ["dispersion"])
def test_short_cases_on_the_other_backend(on_host, name):
    is_right(CASES[name], on_host)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if name not in (*SHORT, "dispersion")])
def test_longer_cases(cpu, name):
    is_right(CASES[name], cpu)


@pytest.mark.slow
def test_contact_on_the_other_backend(on_host):
    is_right(CASES["damped-contact"], on_host)


def test_each_case_says_where_its_answers_come_from():
    assert len(CASES) == len(PeridynamicsEngine().verification())
    assert all(case.source.endswith(".") and case.seconds > 0 for case in CASES.values())
    assert sum(case.seconds for case in CASES.values()) < 600
