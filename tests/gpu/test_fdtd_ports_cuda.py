"""Lumped ports on a GPU see what those on the CPU see."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from tests.engines.fdtd.ports.test_ports import line, port, run

pytestmark = pytest.mark.gpu


def test_both_devices_find_the_same_parameters(gpu):
    """fp64: the order of sums alone differs."""
    ports = [port(1.0), port(59.0, amplitude=0.0, resistance=100.0)]
    problem = line(ports, x_high="PMC")
    found = [run(problem, backend).watchers[-1].column() for backend in (gpu, CpuBackend())]
    assert found[0] == pytest.approx(found[1], abs=1e-10)
    assert np.isfinite(found[0]).all()
