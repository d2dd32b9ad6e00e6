"""Both backends (the GPU's kernels run on the host) and particles that differ from each other."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER


@pytest.fixture(params=["cpu", "cuda on host"])
def backend(request, tmp_path, monkeypatch):
    if request.param == "cpu":
        return CpuBackend()
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))  # launch shapes are chosen anew
    return HostCudaBackend()


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
