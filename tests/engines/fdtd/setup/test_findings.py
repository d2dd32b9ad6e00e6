"""What is said before a run: boxes that cut objects, and how slow waves are where interfaces are smoothed."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.resolution import slowness
from engines.fdtd.parameters import (
    Box,
    BoxMonitor,
    Faces,
    FdtdParameters,
    GridSetting,
    Material,
    Numerics,
    ObliqueWaveSource,
    PlaneMonitor,
    PointSource,
    Pulse,
    Sphere,
    TraceMonitor,
    WaveSource,
)
from tests.engines.fdtd.mie import measured_efficiency, scattering_efficiency

GRID = GridSetting(cells_x=60, cells_y=60, cells_z=60, size_x=3.0, size_y=3.0, size_z=3.0)
BALL = Sphere(center=(1.5, 1.5, 1.5), radius=0.5)
SPAN = (Box(low=(-1, -1, 1.4), high=(9, 9, 1.6)),)
"""A plate through the whole grid."""
PERIODIC = Faces(x_low="periodic", x_high="periodic", y_low="periodic", y_high="periodic")


def told(backend, **changes) -> list[tuple[tuple, str]]:
    settings = {"grid": GRID, "objects": [BALL], "sources": [WaveSource(signal=Pulse(wavelength=1.5))], **changes}
    estimate = FdtdEngine().estimate(Problem(FdtdParameters(**settings)), backend)
    return [(finding.place, finding.message) for finding in estimate.findings]


def cuts(found) -> list[tuple]:
    return [place for place, message in found if "cuts object 1" in message]


def wave(margin: int) -> list[WaveSource]:
    return [WaveSource(signal=Pulse(wavelength=1.5), margin=margin)]


def box(reach: float) -> list[BoxMonitor]:
    return [BoxMonitor(low=(1.5 - reach,) * 3, high=(1.5 + reach,) * 3)]


def test_a_wave_box_that_cuts_an_object_is_told(backend):
    """The ball ends at 1.0 … 2.0, the box at (10 + margin) cells from the faces."""
    assert cuts(told(backend)) == []
    assert cuts(told(backend, sources=wave(8))) == []
    assert cuts(told(backend, sources=wave(12))) == [("sources", 0)]
    assert cuts(told(backend, sources=[ObliqueWaveSource(signal=Pulse(wavelength=1.5), margin=12)])) == [("sources", 0)]
    assert cuts(told(backend, objects=SPAN)) == [("sources", 0)]


def test_between_periodic_faces_a_plate_is_not_cut(backend):
    up = [WaveSource(direction="+z", polarization="x", signal=Pulse(wavelength=1.5))]
    assert cuts(told(backend, objects=SPAN, faces=PERIODIC, sources=up)) == []


def test_a_power_monitor_that_cuts_an_object_is_told(backend):
    assert cuts(told(backend, monitors=box(0.6))) == []
    assert cuts(told(backend, monitors=box(0.4))) == [("monitors", 0)]
    # its bounds reach through the box's faces, the ball does not: the corner of the box is beyond the ball
    beside = [BoxMonitor(low=(1.88, 1.88, 1.88), high=(2.3, 2.3, 2.3))]
    assert cuts(told(backend, monitors=beside)) == []


def test_of_smoothed_objects_it_is_told_how_slow_waves_in_them_are(backend):
    """Pulse of 4 cycles: the shortest of its wavelengths in n = 2 has 11 cells."""
    settings = {
        "materials": [Material(permittivity=4.0)],
        "sources": [WaveSource(signal=Pulse(wavelength=1.2, cycles=4))],
    }
    smooth = told(backend, **settings, numerics=Numerics(smoothing=True))
    assert any(
        "0.71 % slow" in message and "Smoothing puts interfaces in their place" in message for _, message in smooth
    )
    assert not any("slow" in message for _, message in told(backend, **settings))


def test_slowness_is_that_of_the_dispersion_relation():
    """Σ sin²(k n Δ/2) = sin²(ωΔt/2)/S² solved for k in 300 directions, at S = 0.27 of n = 2; of fourth order beyond."""
    rng = np.random.default_rng(1)
    ways = rng.normal(size=(300, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    for cells in (10, 20, 40):
        true, courant = 2 * np.pi / cells, 0.27
        wanted, k = (np.sin(true * courant / 2) / courant) ** 2, np.full(300, true)
        for _ in range(20):
            value = (np.sin(k[:, None] * ways / 2) ** 2).sum(axis=1) - wanted
            k -= value / (0.5 * ways * np.sin(k[:, None] * ways)).sum(axis=1)
        assert slowness(cells, courant, 3) == pytest.approx(k.mean() / true - 1, rel=0.08)


@pytest.mark.slow
def test_what_smoothing_leaves_of_a_ball_is_the_slowness_of_the_grid():
    """n = 2, 20 cells across: at x = 3 (10 cells per wavelength in it) −4.5 % of Q_sca, where the staircase has −3.3 %.

    Mie's series with the grid's wavenumbers inside and outside has −4.0 %: the slowness of 0.8 %, on the flank of a
    resonance. At x = 1 it leaves 0.4 %, the staircase is 11 % wrong there: at x = 3 its two errors cancel.
    """
    sizes, courant = np.array([1.0, 2.0, 3.0]), 0.99 / 1.1**0.5 / 3**0.5
    found = {on: measured_efficiency(CpuBackend(), 20, sizes, on) for on in (False, True)}
    for n, x in enumerate(sizes):
        cells = 20 * np.pi / x / 2
        inside, outside = 1 + slowness(cells, courant / 2, 3), 1 + slowness(2 * cells, courant, 3)
        exact = scattering_efficiency(x, 2.0)
        on_grid = scattering_efficiency(x * outside, 2.0 * inside / outside) * outside**2
        print(x, found[True][n] / exact - 1, found[False][n] / exact - 1, on_grid / exact - 1)
        assert found[True][n] == pytest.approx(on_grid, rel=0.01)
    assert abs(found[True] - found[False])[0] > 0.05 * scattering_efficiency(1.0, 2.0)


@pytest.mark.parametrize(
    ("monitor", "words"),
    [
        (
            TraceMonitor(place=(1.53, 1.5, 1.46)),
            "Monitor 'trace' stands at source 1, a dipole: the field within a cell",
        ),
        (TraceMonitor(place=(1.56, 1.5, 1.5)), ""),
        (PlaneMonitor(position=1.51), "Monitor 'plane' stands at source 1, a dipole: what leaves it to one side"),
        (PlaneMonitor(position=1.53), ""),
        (PlaneMonitor(axis="y", position=1.5, low=(0, 0, 0), high=(1.0, 3, 3)), ""),
        (BoxMonitor(low=(1, 1, 1), high=(2, 2, 2)), ""),
    ],
)
def test_a_monitor_where_a_dipole_stands_is_told(backend, monitor, words):
    sources = [PointSource(place=(1.5, 1.5, 1.5), signal=Pulse(wavelength=1.5))]
    said = [message for _, message in told(backend, objects=[], sources=sources, monitors=[monitor])]
    found = [message for message in said if "stands at source" in message]
    assert [message.startswith(words) for message in found] == [True] * bool(words)


def test_a_new_monitor_does_not_stand_at_a_new_dipole(backend):
    """Both stood in the middle: no power went through the plane, and the trace showed the dipole's own cell."""
    placement = FdtdEngine().placed(Problem(FdtdParameters(sources=[])))
    made = {new.model: new.make for group in placement.groups for new in group.new}
    parameters = FdtdParameters(
        sources=[made[PointSource]()], monitors=[made[kind]() for kind in (TraceMonitor, PlaneMonitor)]
    )
    estimate = FdtdEngine().estimate(Problem(parameters), backend)
    assert not [finding for finding in estimate.findings if "stands at source" in finding.message]
