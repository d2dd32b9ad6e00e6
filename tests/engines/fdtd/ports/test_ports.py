"""Lumped ports on a line of two plates between magnetic walls, whose impedance is η₀ · height/width."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.parameters import Box, Faces, FdtdParameters, GridSetting, LumpedPort, Material, Numerics, Pulse
from engines.fdtd.ports.lumped import Port, gap_of, with_resistors
from engines.fdtd.ports.scattering import input_impedance
from engines.fdtd.ports.touchstone import read_touchstone

ENGINE = FdtdEngine()
CELLS = 60
HIGH, WIDE = 3.0, 2.0
LINE = VACUUM_IMPEDANCE * HIGH / WIDE
SIGNAL = Pulse(wavelength=100.0, cycles=1.0)
STEPS = 2600
"""After them the pulse has been through twice."""
FED = 0.02
"""The line is fed in the middle of its width and a cell from its end, at up to 4 GHz or 75 cells per wavelength: stray
capacity and inductance of half a cell are kΔ/2 = 0.04 at the top of the band, half of that on the average."""


def port(x, **changes):
    settings = {"place": (x, 1.0, 0.0), "length": HIGH, "resistance": LINE, "signal": SIGNAL, **changes}
    return LumpedPort(**settings)


def line(ports, x_high="CPML", **changes):
    faces = Faces(
        x_low="PMC", x_high=x_high, y_low="PMC", y_high="PMC", z_low="PEC", z_high="PEC", layer=10
    )  # fmt: skip
    grid = GridSetting(
        length_unit="mm", cells_x=CELLS, cells_y=2, cells_z=3, size_x=float(CELLS), size_y=WIDE, size_z=HIGH
    )  # fmt: skip
    settings = {"grid": grid, "faces": faces, "sources": [], "ports": ports, "numerics": Numerics(precision="fp64")}
    return Problem(FdtdParameters(**{**settings, **changes}))


def run(problem, backend, steps=STEPS):
    simulation = ENGINE.build(problem, backend)
    simulation.advance(steps)
    return simulation


def results(simulation):
    found = simulation.watchers[-1].results()
    return {key.removeprefix("ports/").partition(" [")[0]: values for key, values in found.items()}


def test_a_run_that_ends_too_early_says_so(backend):
    """S-parameters are spectra, too: the pulse is under way after a quarter of the run that the others have."""
    problem = line([port(1.0)])
    assert ENGINE.without_end(problem).place == ("ending",)
    simulation = run(problem, backend, STEPS // 4)
    (early,) = simulation.noticed()
    assert "Spectra have not settled: the sources are not over" in early.message
    text = simulation.files()["ports.s1p"]
    assert text.startswith(f"! {early.message}\n# GHz S RI")
    assert len(read_touchstone(text, 1).frequencies) == len(results(simulation)["frequencies"])
    simulation.advance(STEPS)
    assert not simulation.noticed()
    assert simulation.files()["ports.s1p"].startswith("# GHz S RI")


@pytest.mark.parametrize("resistance", [LINE, 100.0, 3000.0])
def test_a_long_line_has_its_impedance(backend, resistance):
    found = results(run(line([port(1.0, resistance=resistance)]), backend))
    reflection = found["scattering"][:, 0]
    known = (LINE - resistance) / (LINE + resistance)
    assert np.abs(reflection - known).max() < 2 * FED
    impedance = input_impedance(reflection, resistance)
    assert impedance == pytest.approx(np.full(201, LINE), rel=6 * FED)
    assert found["voltages"][:, 0] / found["currents"][:, 0] == pytest.approx(impedance)
    assert found["frequencies"][[0, -1]] == pytest.approx([1.97e9, 4.02e9], rel=0.01)


def test_through_a_line_with_two_ports(backend):
    """``S21 = exp(−ikL)`` between ports 58 cells apart, nothing comes back, and nothing is lost."""
    ports = [port(1.0), port(59.0, amplitude=0.0)]
    found = results(run(line(ports, x_high="PMC"), backend))
    k = 2 * np.pi * found["frequencies"] / 299_792_458.0
    s11, s21 = found["scattering"].T
    assert np.abs(s11).max() < 4 * FED
    assert np.abs(np.abs(s11) ** 2 + np.abs(s21) ** 2 - 1).max() < 1e-3
    lag = np.unwrap(np.angle(s21))
    assert np.diff(lag) == pytest.approx(-0.058 * np.diff(k), rel=0.08)  # and the stray parts of two ends
    # by symmetry, to what truncating the ringing leaves
    turned = results(run(line([port(1.0, amplitude=0.0), port(59.0)], x_high="PMC"), backend))
    assert int(turned["driven"]) == 2
    assert turned["scattering"][:, 0] == pytest.approx(s21, abs=1e-6)


def test_a_source_meets_its_own_resistance(backend):
    """At all frequencies ``V_s = V + R I`` with the current that the gap takes, so that ``a = V_s/2√R`` but for the
    capacity of the gap's cells."""
    simulation = run(line([port(1.0, amplitude=2.0)]), backend)
    found = results(simulation)
    into = (found["voltages"] + LINE * found["currents"])[:, 0]
    time = np.arange(14000) * 2.5e-13
    width, delay = 1 / 2.99792458e9, 4.5 / 2.99792458e9
    signal = 2.0 * np.exp(-0.5 * ((time - delay) / width) ** 2) * np.sin(2 * np.pi * (time - delay) / width)
    spectrum = 2.5e-13 * np.exp(-2j * np.pi * np.outer(found["frequencies"], time)) @ signal
    assert np.abs(into / spectrum - 1).max() < 4 * FED


def test_charts_and_a_run_that_continues(backend):
    one = ENGINE.build(line([port(1.0), port(30.0, amplitude=0.0)]), backend)
    assert [info.name for info in one.charts] == ["scattering", "input impedance"]
    assert one.chart("scattering").curves == ()
    watcher = one.watchers[-1]
    one.advance(watcher.every * 1500)  # more samples than the buffer has rows
    state = one.state()
    one.advance(watcher.every * 20 + 1)
    two = ENGINE.build(line([port(1.0), port(30.0, amplitude=0.0)]), backend)
    two.restore(state)
    two.advance(watcher.every * 20 + 1)
    assert (one.watchers[-1].column() == two.watchers[-1].column()).all()
    first, second = one.chart("scattering").curves
    assert (first.title, second.title) == ("S11", "S21")
    assert first.x[0] == pytest.approx(1.97, abs=0.02)
    assert [curve.title for curve in one.chart("input impedance").curves] == ["Resistance", "Reactance"]


def test_ports_that_cannot_be(backend):
    metal = {"materials": [Material(name="metal", perfect_conductor=True)]}
    filled = {"objects": [Box(material="metal", low=(0, 0, 0), high=(4, 2, 3))], **metal}
    for ports, changes, told in (
        ([port(0.0)], {}, "Port 1 lies on a wall or in an absorbing layer of x"),
        ([port(20.0), port(55.0)], {}, "Port 2 lies on a wall or in an absorbing layer of x"),
        ([port(2.0)], filled, "filled by a perfect conductor"),
    ):
        with pytest.raises(ProblemError, match=told):
            ENGINE.build(line(ports, **changes), backend)


def test_a_plane_has_ports_of_a_unit_of_length(backend):
    """Plates above and below a plane: ``Z = η₀ HIGH`` of 1 mm across; to the same as in three dimensions."""
    known = VACUUM_IMPEDANCE * HIGH
    grid = GridSetting(length_unit="mm", dimensions="2D", cells_x=CELLS, cells_y=3, size_x=float(CELLS), size_y=HIGH)
    faces = Faces(x_low="PMC", x_high="CPML", y_low="PEC", y_high="PEC", layer=10)
    fed = port(1.0).model_copy(update={"axis": "y", "place": (1.0, 0.0, 77.0), "resistance": 2 * known})
    found = results(run(line([fed], grid=grid, faces=faces), backend))
    assert np.abs(found["scattering"][:, 0] + 1 / 3).max() < 2 * FED
    with pytest.raises(ProblemError, match="on a line: use two or three dimensions"):
        ENGINE.build(line([fed], grid=grid.model_copy(update={"dimensions": "1D"}), faces=faces), backend)


@pytest.mark.parametrize("count", [2, 256])
def test_a_gap_keeps_the_poles_of_its_material(count):
    """ca and cb of E (D) = E (N): the conductivity is taken from N and given to D. A full table gets wider."""
    yee = Yee((4, 4, 4), (1.0, 1.0, 1.0))
    dt = 0.5 * yee.largest_step()
    wall = Face("PEC")
    axes = make_axes(yee, [(wall, wall)] * 3, dt)
    media = make_media(yee, axes, np.zeros((4, 4, 4), np.uint8), [Medium(poles=(Pole("debye", 3.0, 0.4),))], dt)
    filled = np.ones(256)
    filled[count:] = 0.0
    media = replace(media, permittivity=np.where(media.permittivity > 0, media.permittivity, filled))
    made = Port((2.0, 2.0, 1.0), 2, 2.0, 50.0, 0.0, None)
    gap = gap_of(yee, axes, media, made, 1)
    found = with_resistors(yee, media, [gap], [made], dt)
    assert found.wide == (count == 256)
    old, new = media.ids_e.reshape(-1)[gap.electric[0]], found.ids_e.reshape(-1)[gap.electric[0]]
    assert new == count
    courant = SPEED_OF_LIGHT * dt
    before, after = (courant / each.cb[n] * np.array([1, each.ca[n]]) for each, n in ((media, old), (found, new)))
    extra = 0.5 * 2 / 50.0 * VACUUM_IMPEDANCE * courant
    np.testing.assert_allclose(after - before, [extra, -extra], rtol=1e-12)
    assert found.dispersion.beta[0, new] == media.dispersion.beta[0, old] > 0


def test_ports_between_bloch_faces_are_refused(backend):
    faces = Faces(x_low="Bloch", x_high="Bloch", phase_x=0.1, y_low="PMC", y_high="PMC", z_low="PEC", z_high="PEC")
    with pytest.raises(ProblemError, match="voltages of one real field"):
        ENGINE.build(line([port(20.0)], faces=faces), backend)
