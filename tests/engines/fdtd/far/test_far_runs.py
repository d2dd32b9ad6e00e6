"""Far fields of runs: a point dipole in open space, before a wall, and in two dimensions."""

import h5py
import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.far.fields import METRES_PER_SECOND
from engines.fdtd.far.watcher import FarWatcher
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.monitors.frequencies import source_spectrum
from engines.fdtd.parameters import (
    Box,
    BoxMonitor,
    Faces,
    FarSetting,
    FdtdParameters,
    Frequencies,
    GridSetting,
    PointSource,
    Pulse,
    WaveSource,
)
from engines.fdtd.setup.sources import waveform_of
from workbench.export.hdf5 import write_hdf5

ENGINE = FdtdEngine()
CELL = 1 / 30
"""Of the middle wavelength, 1 µm."""
LIST = Frequencies(choice="list", values=[1.2, 1.0])
SIGNAL = Pulse(wavelength=1.0, cycles=0.6)
WITHIN = 0.02
"""What is asked for; a box a few cells off the dipole leaves (kΔ)²/6 = 0.7 % at 30 cells per wavelength."""


def problem(cells=40, **changes):
    """A dipole along z in the middle of a cube, a box around it five cells off the absorbing layers."""
    size = cells * CELL
    low, high = 13 * CELL, (cells - 13) * CELL
    half = 0.5 * size
    box = BoxMonitor(low=(low, low, low), high=(high, high, high), frequencies=LIST, far_field=FarSetting(on=True))
    settings = {
        "grid": GridSetting(cells_x=cells, cells_y=cells, cells_z=cells, size_x=size, size_y=size, size_z=size),
        "faces": Faces(layer=8),
        "sources": [PointSource(place=(half, half, half + CELL / 2), axis="z", moment=1e-9, signal=SIGNAL)],
        "monitors": [box],
    }
    return FdtdParameters(**{**settings, **changes})


def run(parameters, backend, steps=550):
    simulation = ENGINE.build(Problem(parameters), backend)
    simulation.advance(steps)
    far = next(each for each in simulation.watchers if isinstance(each, FarWatcher))
    flux = next(each for each in simulation.watchers if isinstance(each, FluxWatcher))
    return simulation, far, flux


@pytest.fixture(scope="module")
def dipole(backend):
    return run(problem(), backend)


def currents(simulation, far):
    """I l of the dipole [A m s] at the frequencies, of sums with exp(+iωt)."""
    frequencies = far.surface().frequencies * 1e-15
    (spectrum,) = source_spectrum([waveform_of(SIGNAL, "fs")], frequencies, simulation.dt, simulation.step)
    return 1e-9 * 1e-6 * 1e-15 * spectrum


def wavenumbers(far):
    return 2 * np.pi * far.surface().frequencies / METRES_PER_SECOND


def test_a_dipole_radiates_what_its_formula_says(dipole):
    """``P = ω⁴p²/(12πε₀c³)`` with ``p = I l/ω``, that is η₀ k² (I l)²/12π; of spectra four times it per frequency."""
    simulation, far, flux = dipole
    known = 4 * VACUUM_IMPEDANCE * wavenumbers(far) ** 2 * np.abs(currents(simulation, far)) ** 2 / (12 * np.pi)
    energy = far.results()["box/radiated energy [J/Hz]"]
    print("energy", energy / known - 1, "flux", flux.energy() / known - 1)
    assert energy == pytest.approx(known, rel=WITHIN)
    assert flux.energy() == pytest.approx(known, rel=WITHIN)
    assert energy == pytest.approx(flux.energy(), rel=0.005)


def test_its_pattern_is_a_squared_sine(dipole):
    _, far, _ = dipole
    directivity = far.far().directivity()
    sine = np.sin(far.far().directions.theta)[:, None]
    print("directivity", directivity.max(axis=(1, 2)), np.abs(directivity - 1.5 * sine**2).max())
    assert directivity.max(axis=(1, 2)) == pytest.approx([1.5, 1.5], rel=WITHIN)
    assert np.abs(directivity - 1.5 * sine**2).max() < WITHIN * 1.5


def test_its_phase_is_that_of_its_current(dipole):
    """``E_θ = ikη I l sin θ exp(ik r'·r̂)/4π`` for exp(+iωt), whose spectra are the conjugates of the monitors'."""
    simulation, far, _ = dipole
    found = far.far()
    radial = found.directions.frame()[0]
    place = np.array([20, 20, 20.5]) * CELL * 1e-6
    k = wavenumbers(far)[:, None, None]
    current = currents(simulation, far).conj()[:, None, None]
    sine = np.sin(found.directions.theta)[:, None]
    known = 1j * k * VACUUM_IMPEDANCE * current / (4 * np.pi) * sine * np.exp(1j * k * (radial @ place))
    assert np.abs(found.theta - known).max() < WITHIN * np.abs(known).max()
    assert np.abs(found.phi).max() < 1e-3 * np.abs(known).max()
    assert (far.results()["box/E_theta [V s]"] == found.theta.conj()).all()


def test_charts_and_files_have_it(dipole, tmp_path):
    simulation, far, flux = dipole
    names = [info.name for info in far.charts]
    assert [name.rpartition("_")[2] for name in names] == ["elevation", "azimuth", "pattern", "directivity", "energy"]
    assert "at 1 µm" in far.charts[0].title
    along, across = simulation.chart(names[0]).curves
    assert max(along.y.max(), across.y.max()) == pytest.approx(1.76, abs=0.05)
    assert simulation.chart(names[2]).curves[0].across is not None
    (largest,) = simulation.chart(names[3]).curves
    assert largest.y == pytest.approx([1.76, 1.76], abs=0.05)
    away, through = simulation.chart(names[4]).curves
    assert (through.y == flux.energy()).all()
    assert away.y == pytest.approx(through.y, rel=0.005)
    write_hdf5(tmp_path / "results.h5", simulation.results())
    with h5py.File(tmp_path / "results.h5") as file:
        group = file["box"]
        assert group["E_theta"].shape == (2, len(group["theta"]), len(group["phi"]))
        told = {name: group[name].attrs["unit"] for name in group}
        assert told == {
            "frequency": "THz", "wavelength": "um", "energy": "J/Hz", "positions": "um", "areas": "um²", "normals": "",
            "E": "V/m fs", "H": "A/m fs", "theta": "rad", "phi": "rad", "E_theta": "V s", "E_phi": "V s",
            "directivity": "", "radiated energy": "J/Hz",
        }  # fmt: skip
        power = 2 * np.cross(group["E"][...], group["H"][...].conj()).real * 1e-30  # of fs², and of both signs of f
        through = np.einsum("fnc,nc,n->f", power, group["normals"], group["areas"][...] * 1e-12)
        assert through == pytest.approx(group["energy"][...], rel=1e-5), "areas cover the box once for each part"
        assert group["directivity"][...].max() == pytest.approx(1.5, rel=WITHIN)


def test_a_monopole_on_a_ground(backend):
    """A vertical dipole half a cell above a conductor: three times as strong at the horizon as evenly, nothing below.

    The box is open toward the ground; the power above it is what goes through it.
    """
    box = BoxMonitor(
        low=(0.4, 0.4, 0.0), high=(0.9333, 0.9333, 0.4), frequencies=LIST, far_field=FarSetting(on=True)
    )  # fmt: skip
    grid = GridSetting(cells_x=40, cells_y=40, cells_z=26, size_x=40 * CELL, size_y=40 * CELL, size_z=26 * CELL)
    source = PointSource(place=(20 * CELL, 20 * CELL, CELL / 2), axis="z", signal=SIGNAL)
    faces = Faces(layer=8, z_low="PEC")
    simulation, far, flux = run(problem(grid=grid, faces=faces, sources=[source], monitors=[box]), backend)
    directivity = far.far().directivity()
    middle = len(far.far().directions.theta) // 2
    assert directivity[:, middle] == pytest.approx(np.full_like(directivity[:, middle], 3.0), rel=WITHIN)
    assert not directivity[:, middle + 1 :].any()
    amplitude = simulation.results()["box/E_theta [V s]"]
    assert np.abs(amplitude[:, middle]).min() > 0
    assert not amplitude[:, middle + 1 :].any()
    assert simulation.results()["box/radiated energy [J/Hz]"] == pytest.approx(flux.energy(), rel=WITHIN)


def test_a_line_current_in_two_dimensions(backend):
    grid = GridSetting(cells_x=40, cells_y=40, cells_z=1, size_x=40 * CELL, size_y=40 * CELL, size_z=CELL)
    box = BoxMonitor(low=(0.4, 0.4, -1.0), high=(0.9, 0.9333, 1.0), frequencies=LIST, far_field=FarSetting(on=True))
    source = PointSource(place=(20 * CELL, 20 * CELL, CELL / 2), axis="z", signal=SIGNAL)
    faces = Faces(layer=8, z_low="periodic", z_high="periodic")
    simulation, far, flux = run(problem(grid=grid, faces=faces, sources=[source], monitors=[box]), backend, steps=1500)
    directivity = far.far().directivity()
    assert directivity == pytest.approx(np.ones_like(directivity), abs=WITHIN)
    found = simulation.results()
    assert found["box/radiated energy [J/Hz]"] == pytest.approx(flux.energy(), rel=WITHIN)
    assert found["box/E_theta [V s/m^0.5]"].shape == (2, 1, 360)
    assert [info.name.rpartition("_")[2] for info in far.charts] == ["azimuth", "directivity", "energy"]


@pytest.mark.parametrize(
    ("faces", "sentence"),
    [
        (Faces(layer=8, x_low="periodic", x_high="periodic"), "periodic along x has no far field"),
        (Faces(layer=8, y_low="PEC", y_high="PMC"), "between two walls along y there is no far field"),
    ],
)
def test_where_there_is_no_far_field(backend, faces, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(Problem(problem(faces=faces)), backend)


def test_what_stands_in_its_way_is_told(backend):
    grid = problem().grid
    told = {
        "object 2 lies outside": [Box(low=(0.6, 0.6, 0.6), high=(0.7, 0.7, 0.7)), Box(low=(0, 0, 0), high=(2, 2, 0.5))],
        "lies in the plane wave's box": [],
    }
    for sentence, objects in told.items():
        sources = [] if objects else [WaveSource(margin=2, signal=SIGNAL)]
        parameters = problem(grid=grid, objects=objects, sources=[*problem().sources, *sources])
        findings = ENGINE.estimate(Problem(parameters), backend).findings
        assert [sentence in finding.message for finding in findings].count(True) == 1
