"""The cases that an installation is checked with; those in space take long and are run with ``--slow``."""

from __future__ import annotations

import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters.dispersion import Drude
from engines.fdtd.verification import lines
from tests.cuda_on_host import COMPILER, HostCudaBackend

CASES = {case.id: case for case in FdtdEngine().verification()}
LONG = {"mie", "dipole-power", "pec-cavity"}


def check(case, backend) -> None:
    answers = list(case.measure(backend))
    assert answers
    assert [answer for answer in answers if not answer.right] == []


@pytest.mark.parametrize("name", sorted(set(CASES) - LONG))
def test_a_short_case_is_right(name):
    check(CASES[name], CpuBackend())


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LONG))
def test_a_long_case_is_right(name):
    check(CASES[name], CpuBackend())


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
@pytest.mark.parametrize("name", ["skin-depth", "slab"])
def test_a_case_is_right_in_cuda(name):
    check(CASES[name], HostCudaBackend())


def test_a_wrong_problem_is_found_out(monkeypatch):
    """The metal of the run is not the one of the formula: the case fails."""
    honest = lines.index_of
    monkeypatch.setattr(lines, "index_of", lambda eps, pole, at: honest(eps, Drude(plasma=520.0, damping=10.0), at))
    assert [answer for answer in lines.skin_depth(CpuBackend()) if not answer.right]
