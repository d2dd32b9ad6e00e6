"""Terminals that are not UTF-8 are given the numbers all the same."""

import os
import subprocess
import sys

import pytest

from workbench.words.numbers import figure
from workbench.words.plain import NAME, plain


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7.336 × 10⁻⁵ s", "7.336 x 10^-5 s"),
        ("−80 mV, 20 µm², 50 Ω", "-80 mV, 20 um^2, 50 Ohm"),
        ("12\u202f500 …", "12 500 ..."),
        ("α", "?"),
        ("plain", "plain"),
    ],
)
def test_what_a_terminal_lacks_has_a_plain_form(text, said):
    assert plain(text) == said
    assert text.encode("ascii", NAME).decode() == said


def test_only_what_is_lacking_is_replaced():
    assert "20 µm × 3".encode("latin-1", NAME).decode("latin-1") == "20 µm × 3"
    assert figure(7.336e-5).encode("latin-1", NAME).decode("latin-1") == "7.336 × 10^-5"


def test_an_estimate_on_a_plain_terminal_keeps_its_exponents():
    plainly = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "workbench", "estimate", "heat_on_a_plate"]
    told = subprocess.run(command, env={**os.environ, **plainly}, capture_output=True, timeout=240, check=True).stdout
    (step,) = [line for line in told.decode("ascii").splitlines() if line.startswith("Step")]
    assert "x 10^-" in step
    assert "?" not in step
