"""Monitors where grids are flat or graded, between mirrors and between Bloch faces."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.parameters import (
    Box,
    BoxMonitor,
    Ending,
    Faces,
    FarSetting,
    FdtdParameters,
    FineRegion,
    Frequencies,
    GridSetting,
    ModeSource,
    Numerics,
    PlaneMonitor,
    PointSource,
    Pulse,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)

THREADS = 1
ENGINE = FdtdEngine()
BAND = Frequencies(first=0.8, last=1.4, count=5)
PULSE = Pulse(wavelength=1.0, cycles=0.6)
PLANE = GridSetting(dimensions="2D", cells_x=44, cells_y=40, size_x=2.2, size_y=2.0)
INNER = BoxMonitor(name="inner", low=(0.9, 0.8, 0), high=(1.3, 1.2, 9), frequencies=BAND)
OUTER = BoxMonitor(name="outer", low=(0.7, 0.65, 0), high=(1.6, 1.45, 9), frequencies=BAND)


def energies(backend, steps: int = 500, **changes) -> list[np.ndarray]:
    """Of all planes and boxes of a dipole along y in a plane of vacuum, each (frequencies,)."""
    settings = {
        "grid": PLANE, "faces": Faces(layer=8), "monitors": [INNER, OUTER], "numerics": Numerics(precision="fp64"),
        "sources": [PointSource(place=(1.1, 1.0, 2.0), axis="y", signal=PULSE)],
    }  # fmt: skip
    simulation = ENGINE.build(Problem(FdtdParameters(**{**settings, **changes})), backend)
    simulation.advance(steps)
    return [each.energy() for each in simulation.watchers if isinstance(each, FluxWatcher)]


def test_a_plane_has_the_power_of_a_unit_of_length(backend):
    """A box of one cell Δ between periodic faces with Δ of the current has Δ of the power, to the last bits of fp64 but
    for the step, which the third axis shortens: so it is taken by hand (the ratio of the two limits is √(2/3))."""
    thin = GridSetting(cells_x=44, cells_y=40, cells_z=1, size_x=2.2, size_y=2.0, size_z=0.05)
    faces = Faces(layer=8, z_low="periodic", z_high="periodic")
    source = PointSource(place=(1.1, 1.0, 0.02), axis="y", moment=0.05e-6, signal=PULSE)
    flat = PointSource(place=(1.1, 1.0, 77.0), axis="y", moment=1e-6, signal=PULSE)
    across = Numerics(precision="fp64", courant=0.9 * (2 / 3) ** 0.5)
    here = energies(backend, sources=[flat], numerics=across)
    there = energies(
        backend, grid=thin, faces=faces, sources=[source], numerics=Numerics(precision="fp64", courant=0.9)
    )
    for mine, other in zip(here, there, strict=True):
        assert (mine > 0).all()
        np.testing.assert_allclose(mine * 0.05, other, rtol=1e-9)


def test_flux_on_a_graded_grid_is_that_of_an_even_one(backend):
    """Through a box of fine cells and one of coarse cells passes the same, to the images and charges of
    test_monitors (1e-4; 2e-5 found). Even cells of 1/16 … 1/28 of a wavelength slow it by up to (kΔ)²/24 = 6e-3,
    and the power of a current follows: 2 % is three times that."""
    finer = [FineRegion(axis="x", low=1.0, high=1.2, cell=0.025), FineRegion(axis="y", low=0.9, high=1.1, cell=0.025)]
    inner, outer = energies(backend, 1000, grid=PLANE.model_copy(update={"finer": finer}))
    even, _ = energies(backend)
    print("graded", np.abs(inner / outer - 1).max(), np.abs(outer / even - 1).max())
    np.testing.assert_allclose(inner, outer, rtol=1e-4)
    np.testing.assert_allclose(outer, even, rtol=2e-2)


def test_units_say_what_powers_are_of(backend):
    source = PointSource(place=(1.1, 1.0, 2.0), signal=PULSE)
    parameters = FdtdParameters(grid=PLANE, faces=Faces(layer=8), monitors=[INNER], sources=[source])
    simulation = ENGINE.build(Problem(parameters), backend)
    assert simulation.charts[0].unit == "J/Hz/µm"
    assert {info.unit for info in simulation.series} == {"J/µm"}
    assert "inner/energy [J/Hz/µm]" in simulation.results()


def test_half_a_problem_radiates_as_much_as_its_box_says(backend):
    """Far away is what both halves send, so the box's curve counts its image; a box of 18 cells per wavelength and
    more: 2 % as in test_far_runs."""
    box = BoxMonitor(low=(0.7, 0.0, 0), high=(1.6, 0.5, 9), frequencies=BAND, far_field=FarSetting(on=True))
    parameters = FdtdParameters(
        grid=PLANE.model_copy(update={"cells_y": 20, "size_y": 1.0}),
        faces=Faces(layer=8, y_low="symmetric"), monitors=[box],
        sources=[PointSource(place=(1.1, 0.0, 2.0), axis="z", signal=PULSE)],
    )  # fmt: skip
    simulation = ENGINE.build(Problem(parameters), backend)
    simulation.advance(500)
    name = next(info.name for info in simulation.charts if info.name.endswith("far_energy"))
    far, through = simulation.chart(name).curves
    np.testing.assert_allclose(far.y, through.y, rtol=2e-2)


def test_power_is_that_of_the_part_that_is_computed_and_the_form_says_so(backend):
    """It said that mirror images count. 1e-9 is the order of sums in fp64."""
    source = PointSource(place=(1.1, 1.0, 2.0), axis="z", signal=PULSE)
    whole = BoxMonitor(low=(0.7, 0.5, 0), high=(1.6, 1.5, 9), frequencies=BAND)
    (both,) = energies(backend, sources=[source], monitors=[whole])
    (one,) = energies(
        backend,
        grid=PLANE.model_copy(update={"cells_y": PLANE.cells_y // 2, "size_y": PLANE.size_y / 2}),
        faces=Faces(layer=8, y_low="symmetric"),
        sources=[source.model_copy(update={"place": (1.1, 0.0, 2.0)})],
        monitors=[whole.model_copy(update={"low": (0.7, 0.0, 0), "high": (1.6, 0.5, 9)})],
    )
    np.testing.assert_allclose(both, 2 * one, rtol=1e-9)
    for monitor in (BoxMonitor, PlaneMonitor):
        assert "of the part that is computed" in monitor.model_fields["measures"].description


def test_along_an_axis_where_nothing_varies_places_are_of_no_account(backend):
    monitors = [
        TraceMonitor(place=(1.1, 1.0, 99.0)),
        VolumeMonitor(low=(0.5, 0.5, 50), high=(1.0, 1.0, 60), frequencies=BAND),
        INNER.model_copy(update={"low": (0.9, 0.8, 2.1), "high": (1.3, 1.2, 2.2)}),
    ]
    (found,) = energies(backend, monitors=monitors)
    expected, _ = energies(backend)
    np.testing.assert_array_equal(found, expected)


BLOCH = Faces(x_low="Bloch", x_high="Bloch", phase_x=0.25, y_low="periodic", y_high="periodic")
THROUGH = PlaneMonitor(position=1.5, measures="transmission", frequencies=BAND)
GUIDE = Box(low=(-1, 0.9, -9), high=(9, 1.1, 9))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"faces": BLOCH, "monitors": [INNER]}, "'inner' sums spectra of one real field.* use traces"),
        (
            {"objects": [GUIDE], "sources": [ModeSource(place=(0.7, 1.0, 2.0), signal=PULSE)], "monitors": [THROUGH]},
            "'plane' compares with a run without objects, where a mode source has no guide",
        ),
        ({"monitors": [PlaneMonitor(axis="z", position=2.0)]}, "nothing goes along z here"),
    ],
)
def test_what_cannot_be_measured_there_is_said(backend, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        energies(backend, 1, **changes)


def test_the_incident_wave_keeps_its_size(backend):
    parameters = FdtdParameters(
        grid=GridSetting(dimensions="1D", cells_x=80, size_x=4.0),
        sources=[WaveSource(polarization="y", signal=PULSE)],
        monitors=[PlaneMonitor(position=2.0, measures="transmission", frequencies=BAND)],
        ending=Ending(at_decay=True),
    )
    simulation = ENGINE.build(Problem(parameters), backend)
    simulation.set_control("source_scale", 1.0)
    with pytest.raises(ProblemError, match="reset, change the factor on the sources"):
        simulation.set_control("source_scale", 2.0)
    simulation.advance(600)
    (curve,) = simulation.chart("balance").curves
    np.testing.assert_allclose(curve.y, 1.0, rtol=1e-5)  # fp32
