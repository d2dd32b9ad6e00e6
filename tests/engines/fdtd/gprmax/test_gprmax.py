"""gprMax's input files: what is read, what is told, what is refused by its line."""

import math

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.setup.sources import waveform_of
from workbench.project.document import open_document

ENGINE = FdtdEngine()
BURIED = """#title: A-scan of a metal cylinder in a half space
comment without a hash
## and one with two
#domain: 0.240 0.210 0.002
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 3e-9
#material: 6 0 1 0 half_space
#waveform: gaussian 2 1.5e9 my_wave
#hertzian_dipole: z 0.100 0.170 0 my_wave
#rx: 0.140 0.170 0
#src_steps: 0.002 0 0
#box: 0 0 0 0.240 0.170 0.002 half_space
#cylinder: 0.120 0.080 0 0.120 0.080 0.002 0.010 pec
#geometry_view: 0 0 0 0.240 0.210 0.002 0.002 0.002 0.002 view n
"""
MIXED = """#domain: 0.1 0.1 0.1
#dx_dy_dz: 0.005 0.005 0.005
#pml_cells: 0 4 4 0 4 4
#time_window: 500
#time_step_stability_factor: 0.7
#material: 3 0.01 2 50 lossy
#material: 1 inf 1 0 metal
#waveform: contsine 1 3e9 tone
#hertzian_dipole: x 0.05 0.05 0.05 tone
#sphere: 0.03 0.03 0.03 0.02 lossy
#box: 0.06 0.06 0.06 0.08 0.08 0.08 metal
#box: 0.065 0.065 0.065 0.075 0.075 0.075 free_space
#triangle: 0.01 0.01 0.08 0.03 0.01 0.08 0.01 0.03 0.08 0.01 lossy
"""


def imported(tmp_path, text):
    path = tmp_path / "model.in"
    path.write_text(text)
    found = ENGINE.imported(path)
    assert found is not None
    assert isinstance(found.parameters, FdtdParameters)
    return found


def test_a_buried_cylinder(tmp_path):
    found = imported(tmp_path, BURIED)
    parameters = found.parameters
    assert isinstance(parameters, FdtdParameters)
    assert (parameters.grid.cells_x, parameters.grid.cells_y, parameters.grid.cells_z) == (120, 105, 1)
    assert (parameters.faces.x_low, parameters.faces.z_high, parameters.faces.layer) == ("CPML", "periodic", 10)
    source = parameters.sources[0]
    assert source.moment == pytest.approx(2 * 0.002)
    told = " ".join(finding.message for finding in found.findings)
    for part in ("#src_steps", "#geometry_view"):
        assert part in told
    assert found.until == pytest.approx(3.0)
    (receiver,) = parameters.monitors
    assert (receiver.name, receiver.place, len(receiver.components)) == ("rx1", (0.14, 0.17, 0.0), 6)
    backend = CpuBackend()
    simulation = ENGINE.build(Problem(parameters), backend)
    cells = simulation.field("material").reshape(105, 120)
    assert (cells == 1).sum() + (cells == 2).sum() == 120 * 85
    assert (cells == 2).sum() * 0.002**2 == pytest.approx(math.pi * 0.01**2, rel=0.02)  # cells of a fifth of the radius
    simulation.advance(400)
    energy = simulation.observe()["energy"]
    assert energy > 0
    assert simulation.non_finite() is None


def test_the_waveform_is_that_of_gprmax(tmp_path):
    """exp(−ζ(t − χ)²) with ζ = 2π²f², apart from when it begins."""
    waveform = waveform_of(imported(tmp_path, BURIED).parameters.sources[0].signal, "ns")
    time = np.linspace(0, 2, 50)
    expected = np.exp(-2 * np.pi**2 * 1.5**2 * (time - waveform.delay) ** 2)
    np.testing.assert_allclose(waveform.at(time), expected, rtol=1e-12)


def test_other_commands(tmp_path):
    parameters = imported(tmp_path, MIXED).parameters
    assert [material.name for material in parameters.materials] == ["lossy", "metal"]
    lossy, metal = parameters.materials
    assert (lossy.conductivity, lossy.permeability, lossy.magnetic_loss) == (0.01, 2, 50)
    assert metal.perfect_conductor
    assert parameters.numerics.courant == 0.7
    assert (parameters.faces.x_low, parameters.faces.x_high, parameters.faces.z_low) == ("PEC", "PEC", "CPML")
    assert parameters.sources[0].place == pytest.approx((0.0525, 0.05, 0.05))
    cells = ENGINE.build(Problem(parameters), CpuBackend()).field("material").reshape(20, 20, 20)
    assert (cells == 2).sum() == 4**3 - 2**3
    assert cells[16, 2, 2] == cells[17, 2, 2] == 1
    assert cells[16, 5, 5] == cells[18, 2, 2] == 0


def test_it_opens_as_a_project(tmp_path):
    path = tmp_path / "buried.in"
    path.write_text(BURIED)
    document = open_document(path)
    assert document.engine.id == "fdtd"
    assert document.project.title == "buried"
    assert document.project.run.until == pytest.approx(3.0)
    assert any("#src_steps" in finding.message for finding in document.findings)


def test_receivers_and_a_voltage_source(tmp_path):
    """A source of 73 Ω on the edge above its node; steps of the file are steps of the run here."""
    receivers = "#rx: 0.05 0.05 0.05 out Ez Hx Ix\n#rx: 0.04 0.05 0.05 out\n#rx: 0.03 0.05 0.05\n"
    found = imported(tmp_path, MIXED + "#voltage_source: z 0.05 0.05 0.05 73 tone\n" + receivers)
    parameters = found.parameters
    (port,) = parameters.ports
    assert (port.place, port.axis, port.length, port.resistance) == ((0.05, 0.05, 0.05), "z", 0.005, 73)
    assert port.signal == parameters.sources[0].signal
    assert [monitor.name for monitor in parameters.monitors] == ["out", "out2", "rx1"]
    assert parameters.monitors[0].components == ["Ez", "Hx"]
    assert any("no output Ix" in finding.message for finding in found.findings)
    simulation = ENGINE.build(Problem(parameters), CpuBackend())
    assert found.until == pytest.approx(500 * simulation.dt)


def test_more_receivers_than_monitors_are_told(tmp_path):
    found = imported(tmp_path, MIXED + 40 * "#rx: 0.05 0.05 0.05\n")
    assert len({monitor.name for monitor in found.parameters.monitors}) == 32
    assert any("Line 46, #rx: this receiver" in finding.message for finding in found.findings)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("#add_dispersion_debye: 1 2 1e-9 soil", "Line 14, #add_dispersion_debye: this command is not read"),
        ("#voltage_source: z 0.1 0.1 0.1 0 tone", "Line 14, #voltage_source: a source without a resistance"),
        ("#voltage_source: z 0.1 0.1 0.1 50 w", "Line 14, #voltage_source: there is no waveform 'w'"),
        ("#time_window: 0", "Line 14, #time_window: it has to be above zero"),
        ("#edge: 0 0 0 0 0 1 pec", "#edge: a wire thinner than a cell"),
        ("#waveform: impulse 1 1e9 w", "#waveform: the waveform 'impulse' is not possible here: use"),
        ("#hertzian_dipole: z 0.05 0.05 0.05 nothing", "Line 14, #hertzian_dipole: there is no waveform 'nothing'"),
        ("#sphere: 0.05 0.05 0.05 0.01 cheese", "Line 14, #sphere: there is no material 'cheese'"),
        ("#sphere: 0.05 0.05 0.05 0 lossy", "Line 14, #sphere: radius"),
        ("#box: 0 0 0 0.1 0.1 0 lossy", "second corner has to lie above"),
        ("#box: 0 0 zero 0.1 0.1 0 lossy", "'zero' is not a number"),
        ("#box: 0 0 0", "3 values stand there"),
        ("#material: 3 0 1 0 lossy", "there is a material 'lossy' already"),
        ("#material: 0.5 0 1 0 thin", "#material: permittivity"),
        ("#pml_cells: 4 4 4 5 5 5", "different thickness"),
        ("#triangle: 0 0 0 1 0 0 0 1 0 0 pec", "sheet without thickness"),
        ("#box 0 0 0", "has no colon"),
        ("#pml_cells: 2", "faces.layer"),
        ("#domain: 0 1 1", "above zero"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_line(tmp_path, line, sentence):
    with pytest.raises(ProblemError, match=sentence):
        imported(tmp_path, MIXED + line + "\n")


def test_a_file_without_a_grid_is_refused(tmp_path):
    with pytest.raises(ProblemError, match=r"'model.in' has no #domain: add it"):
        imported(tmp_path, "nothing\n")


def test_a_file_of_very_many_objects_is_refused_at_once(tmp_path):
    with pytest.raises(ProblemError, match="has over 20,000 commands"):
        imported(tmp_path, "#box: 0 0 0 0.1 0.1 0.04 half\n" * 20_001)
