"""Monitors on a device: against the CPU, and against a transform of stored fields."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import (
    BoxMonitor,
    Ending,
    FdtdParameters,
    Frequencies,
    GridSetting,
    Numerics,
    PlaneMonitor,
    PointSource,
    Pulse,
    Sphere,
    TraceMonitor,
    VolumeMonitor,
)

pytestmark = pytest.mark.gpu
BAND = Frequencies(first=0.8, last=1.4, count=37)


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 2e-5), ("fp64", 1e-11)])
def test_results_are_those_of_the_cpu(gpu, precision, tolerance):
    """300 steps of fused operations on one side; fp32 fields differ by some 1e-6 of the largest, products by twice that
    and sums by their number of batches."""
    parameters = FdtdParameters(
        grid=GridSetting(cells_x=60, cells_y=50, cells_z=44, size_x=3.0, size_y=2.5, size_z=2.2),
        objects=[Sphere(center=(1.6, 1.2, 1.1), radius=0.3)],
        sources=[PointSource(place=(1.0, 1.2, 1.1), signal=Pulse())],
        monitors=[
            PlaneMonitor(name="plane", position=2.2, frequencies=BAND),
            BoxMonitor(name="box", low=(0.7, 0.8, 0.7), high=(2.1, 1.8, 1.6), frequencies=BAND),
            VolumeMonitor(name="volume", components=["Ex", "Hy"], frequencies=Frequencies(choice="list", values=[1.0])),
            TraceMonitor(name="trace", place=(2.03, 1.21, 1.17), components=["Ez", "Hx"]),
        ],
        ending=Ending(at_decay=True),
        numerics=Numerics(precision=precision),
    )
    found = []
    for backend in (CpuBackend(), gpu):
        simulation = FdtdEngine().build(Problem(parameters), backend)
        simulation.advance(300)
        found.append((simulation.results(), simulation.field("monitor_3_Ex_1"), simulation.finished))
        simulation.close()
    (mine, my_field, my_end), (other, other_field, other_end) = found
    assert my_end == other_end
    assert mine.keys() == other.keys()
    for name, values in mine.items():
        least = 1e-6 if values.dtype == np.complex64 else 0.0  # volumes are kept in single precision
        atol = max(tolerance, least) * np.abs(values).max()
        np.testing.assert_allclose(other[name], values, rtol=0, atol=atol, err_msg=name)
    np.testing.assert_allclose(other_field, my_field, rtol=0, atol=max(tolerance, 1e-6) * my_field.max())
