"""Particles that differ from each other, and the table of differences from PyBaMM."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def some_particles():
    """(radius, diffusivity, flux, start) of 70 particles (not a whole number of vectors or blocks)."""
    rng = np.random.default_rng(4)

    def make(points: int, n: int = 70):
        radius, diffusivity = rng.uniform(2e-6, 9e-6, n), rng.uniform(1e-14, 6e-14, n)
        flux = rng.uniform(-1e-5, 1e-5, n)
        return radius, diffusivity, flux, rng.uniform(-2000, 2000, (points, n))

    return make


@pytest.hookimpl
def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The table of differences from PyBaMM at the end of a run."""
    compared = sys.modules.get("tests.engines.battery.against_pybamm")
    if lines := getattr(compared, "LINES", []):
        terminalreporter.section("ours less PyBaMM's")
        for line in lines:
            terminalreporter.write_line(line)
