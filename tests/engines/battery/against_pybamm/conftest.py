"""The table of differences from PyBaMM at the end of a run."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookimpl
def pytest_terminal_summary(terminalreporter: Any) -> None:
    try:
        from tests.engines.battery.against_pybamm.both import LINES
    except pytest.skip.Exception:  # without PyBaMM
        return
    if LINES:
        terminalreporter.section("ours less PyBaMM's")
        for line in LINES:
            terminalreporter.write_line(line)
