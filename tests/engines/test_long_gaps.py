"""Texts of strangers with long gaps and long numbers: patterns that go through them again from each character, or for
each pair, take minutes for a file of a tenth of a megabyte, and hours for one of a megabyte."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engines.api.errors import ProblemError
from engines.api.simulation.guarding import ended_after
from engines.battery.protocol.drive_cycles import read_drive_cycle
from engines.battery.protocol.steps import parse_step
from engines.geometry.file_kinds import check_table
from engines.spiking.brian2.reader import read_brian2
from engines.tables.columns import heading_parts

SECONDS = 30.0
"""Each takes a second at the most; before, all that a person would wait for and more."""
GAP, LONG = " " * 3000, 200_000
NEURONS = "G = NeuronGroup(1, 'dv/dt = -v/ms : 1', threshold='v > 1', reset='v = 0')\n"


class TooLong(BaseException):
    """Which no reader takes for damage of its file."""


def cycle(path: Path) -> Any:
    return read_drive_cycle(path, "", "")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_brian2, "\n" * LONG),
        (read_brian2, "from brian2 import *\n" + "\n" * LONG),
        (read_brian2, "dv/dt = -v/ms : 1\n" + "\n" * LONG + "x"),
        (read_brian2, f"{NEURONS}G.v = '{' ' * LONG}x'"),
        (read_brian2, f"{NEURONS}G.v = '{'0' * LONG}x'"),
        (check_table, "1" * LONG + "x\n2 3\n"),
        (cycle, f"time{GAP}x, power [kW{GAP}x\n1,2\n2,3\n"),
    ],
)
def test_a_file_is_read_or_refused_soon(tmp_path: Path, read: Callable[[Path], Any], text: str) -> None:
    path = tmp_path / "file.py"
    path.write_text(text)
    with ended_after(SECONDS, TooLong), suppress(ProblemError):
        read(path)


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        (f"Time{GAP}[h]", ("Time", "h")),
        (f"Terminal{GAP}voltage{GAP}x", ("Terminal voltage x", "")),
        ("I / A", ("I", "A")),
        ("time_s", ("time", "s")),
    ],
)
def test_a_heading_is_understood_soon(cell: str, parts: tuple[str, str]) -> None:
    with ended_after(SECONDS, TooLong):
        assert heading_parts(cell) == parts


def test_a_rate_of_many_digits_is_refused_soon() -> None:
    with ended_after(SECONDS, TooLong), pytest.raises(ProblemError):
        parse_step(f"Discharge at C/{'1' * LONG}x for 1 h")
