"""Power over that through another plane, and cross-sections: against the energies that they are made of, against an
incident spectrum summed here, and a quarter with mirrors against the whole."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE
from engines.fdtd.monitors.incident import without_objects
from engines.fdtd.parameters import (
    BoxMonitor,
    Continuous,
    Faces,
    FdtdParameters,
    Frequencies,
    GridSetting,
    PlaneMonitor,
    Pulse,
    Sphere,
    WaveSource,
)
from engines.fdtd.parameters.ports import LumpedPort
from engines.fdtd.setup.sources import waveform_of

THREADS = 1
RADIUS, CELL, AMPLITUDE = 0.25, 0.05, 3.0
BAND = Frequencies(first=0.8, last=1.2, count=9)
PULSE = Pulse(wavelength=1.0, cycles=1.0)


def ball(quarter, area=0.0, scale=1.0, **changes):
    """A glass ball in a pulse, whole or a quarter between mirrors; boxes around the wave's box and within it."""
    n, y, high = 36, 0.0 if quarter else 0.9, 1.8
    side = (n // 2 if quarter else n) * CELL
    low = -1.0 if quarter else 0.55
    top = side - 0.55 if quarter else high - 0.55
    low_out, top_out = (-1.0, side - 0.35) if quarter else (0.35, high - 0.35)
    boxes = [
        BoxMonitor(name="scattered", low=(0.35, low_out, low_out), high=(high - 0.35, top_out, top_out),
                   measures="scattering", area=area, frequencies=BAND),
        BoxMonitor(name="absorbed", low=(0.55, low, low), high=(high - 0.55, top, top), measures="absorption",
                   area=area, frequencies=BAND),
    ]  # fmt: skip
    faces = Faces(y_low="symmetric", z_low="antisymmetric", layer=6) if quarter else Faces(layer=6)
    return FdtdParameters(
        grid=GridSetting(cells_x=n, cells_y=round(side / CELL), cells_z=round(side / CELL), size_x=high, size_y=side,
                         size_z=side),
        faces=faces,
        objects=[Sphere(material="glass", center=(0.9, y, y), radius=RADIUS)],
        sources=[WaveSource(direction="+x", polarization="z", amplitude=AMPLITUDE, margin=3, signal=PULSE)],
        monitors=boxes,
        source_scale=scale,
    ).model_copy(update=changes)  # fmt: skip


def run(parameters, backend, steps=420):
    simulation = FdtdEngine().build(Problem(parameters), backend)
    simulation.advance(steps)
    return simulation


def test_cross_sections_are_energies_over_what_the_wave_brings_and_a_quarter_stands_for_the_whole(backend):
    whole, quarter = (run(ball(q, scale=2.0), backend) for q in (False, True))
    results = whole.results()
    frequency = results["scattered/frequency [THz]"] * 1e-3  # [1/fs]
    waveform = waveform_of(PULSE, "fs")
    time = np.arange(0, waveform.lasts, 1e-2)
    field = 2.0 * AMPLITUDE * np.abs(np.exp(2j * np.pi * np.outer(frequency, time)) @ waveform.at(time)) * 1e-2 * 1e-15
    brings = 2 * field**2 / VACUUM_IMPEDANCE * 1e-12  # [J/Hz/µm²]
    for name, sign in (("scattered", 1), ("absorbed", -1)):
        found = results[f"cross_sections/{name} [µm²]"]
        np.testing.assert_allclose(found, sign * results[f"{name}/energy [J/Hz]"] / brings, rtol=1e-3)
    (chart,) = (chart for chart in whole.charts if chart.name == "cross_sections")
    assert (chart.title, chart.unit) == ("Cross-section", "µm²")
    scattered = results["cross_sections/scattered [µm²]"]
    np.testing.assert_allclose(
        quarter.results()["cross_sections/scattered [µm²]"], scattered, rtol=2e-3 * scattered.max() / scattered.min()
    )
    with pytest.raises(ProblemError, match="cross-sections are parts"):
        whole.set_control("source_scale", 1.0)


def test_with_the_area_of_the_ball_they_are_efficiencies(backend):
    area = np.pi * RADIUS**2
    parts = run(ball(True, area=area), backend)
    areas = run(ball(True), backend)
    (chart,) = (chart for chart in parts.charts if chart.name == "cross_sections")
    assert (chart.title, chart.unit) == ("Efficiency Q", "1")
    for curve, other in zip(parts.chart("cross_sections").curves, areas.chart("cross_sections").curves, strict=True):
        np.testing.assert_allclose(curve.y, other.y / area, rtol=1e-12)
        assert np.isfinite(curve.y).any()


def planes(**second):
    return FdtdParameters(
        grid=GridSetting(dimensions="2D", cells_x=60, cells_y=24, size_x=3.0, size_y=1.2, at_z=0.0),
        faces=Faces(layer=6),
        sources=[WaveSource(direction="+x", polarization="z", margin=3, signal=PULSE)],
        monitors=[
            PlaneMonitor(name="before", axis="x", position=0.8, frequencies=BAND),
            PlaneMonitor(name="behind", axis="x", position=2.0, frequencies=BAND, **second),
        ],
    )


def test_a_plane_is_told_as_a_part_of_another(backend):
    simulation = run(planes(relative_to="before"), backend, 600)
    (curve,) = simulation.chart("transmission").curves
    results = simulation.results()
    before, behind = (results[f"{name}/energy [J/Hz/µm]"] for name in ("before", "behind"))
    np.testing.assert_allclose(curve.y, np.abs(behind) / np.abs(before))
    assert curve.title == "behind"
    np.testing.assert_allclose(curve.y, 1.0, atol=0.01)  # nothing is in the way
    np.testing.assert_array_equal(results["transmission/behind"], curve.y)


def test_what_cannot_be_compared_is_refused_with_a_sentence(backend):
    def refused(parameters):
        with pytest.raises(ProblemError) as error:
            FdtdEngine().estimate(Problem(parameters), backend)
        return str(error.value)

    assert "name another that measures power" in refused(planes(relative_to="nowhere"))
    other = planes(relative_to="before")
    other.monitors[0].frequencies = Frequencies(first=0.8, last=1.2, count=5)
    assert "the same frequencies" in refused(other)
    wave = WaveSource(direction="+x", polarization="z", signal=Continuous())
    assert "one plane wave with a pulse" in refused(ball(True, sources=[wave]))


def test_ports_are_not_in_the_run_without_objects():
    """A fed one kept a field between faces that are periodic, and the planes were refused with a remedy for faces."""
    planes = [
        PlaneMonitor(name=name, axis="x", position=at, measures=name, frequencies=BAND)
        for name, at in (("reflection", 0.55), ("transmission", 1.25))
    ]
    given = ball(False, monitors=planes, ports=[LumpedPort(place=(0.9, 0.9, 1.4), axis="z")])
    empty = without_objects(given)
    assert (empty.ports, empty.objects) == ([], [])
