"""The cases of ``workbench verify``: short ones in every run."""

import pytest

from engines.backend.cpu import CpuBackend
from engines.cardiac.engine import CardiacEngine

CASES = {case.id: case for case in CardiacEngine().verification()}
SHORT = ("ten-tusscher-currents", "diffusion-conservation")


@pytest.mark.parametrize(
    "name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_a_case_is_answered_right(name):
    for answer in CASES[name].measure(CpuBackend()):
        assert answer.right, f"{answer.name}: {answer.value:.6g} {answer.unit}, not {answer.expected:.6g}"
