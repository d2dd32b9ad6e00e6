"""Resonances of a run's trace, and what single ports give to other programs."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE
from engines.fdtd.monitors.ringing.resonances import Resonance
from engines.fdtd.monitors.ringing.ringing import RingingWatcher
from engines.fdtd.parameters import (
    Box,
    Continuous,
    Faces,
    FdtdParameters,
    GridSetting,
    LumpedPort,
    Material,
    Numerics,
    PointSource,
    Pulse,
    Ringing,
    TraceMonitor,
)
from engines.fdtd.ports.touchstone import read_touchstone
from workbench.export.results import export_results, take_results
from workbench.project.document import document_of
from workbench.project.project import Project
from workbench.project.store import Stored
from workbench.run.frames import RunState
from workbench.run.recording import Recorder
from workbench.run.session import start

ENGINE = FdtdEngine()
CELLS, SIDE = 20, 1.0
PERMITTIVITY, CONDUCTIVITY = 2.0, 200.0
"""ε_r, and σ [S/m]: Q = ωε/σ is about 62 for the lowest mode."""


def cavity(ringing, **changes):
    """A square of a lossy material between conductors, along which nothing varies."""
    walls = dict.fromkeys(("x_low", "x_high", "y_low", "y_high"), "PEC")
    settings = {
        "grid": GridSetting(cells_x=CELLS, cells_y=CELLS, cells_z=1, size_x=SIDE, size_y=SIDE, size_z=SIDE / CELLS),
        "faces": Faces(**walls, z_low="periodic", z_high="periodic"),
        "materials": [Material(name="lossy", permittivity=PERMITTIVITY, conductivity=CONDUCTIVITY)],
        "objects": [Box(material="lossy", low=(0, 0, -1), high=(1, 1, 1))],
        "sources": [PointSource(place=(0.3, 0.4, 0.0), signal=Pulse(wavelength=2.0, cycles=0.6))],
        "monitors": [TraceMonitor(place=(0.6, 0.7, 0.0), ringing=ringing)],
        "numerics": Numerics(precision="fp64"),
    }
    return Problem(FdtdParameters(**{**settings, **changes}))


def test_frequency_and_quality_of_a_cavity(backend):
    """Mode 110: ``f = c √2/(2 a √ε_r)``, less what the grid (20 cells per side) and the losses take, 2e-3 and 4e-5."""
    simulation = ENGINE.build(cavity(Ringing(on=True, first=1.6, last=2.4)), backend)
    (chart,) = [info for info in simulation.charts if info.name.endswith("resonances")]
    begun = simulation.chart(chart.name)
    assert begun.curves == ()
    assert begun.note.startswith("Not yet: ")
    simulation.advance(6000)
    assert simulation.chart(chart.name).note == ""
    (mode,) = next(each for each in simulation.watchers if isinstance(each, RingingWatcher)).found()
    frequency = SPEED_OF_LIGHT / np.sqrt(2 * PERMITTIVITY) / SIDE
    angular = 2 * np.pi * frequency * 1e15
    vacuum = 1 / (VACUUM_IMPEDANCE * SPEED_OF_LIGHT * 1e9)
    quality = angular * PERMITTIVITY * vacuum / CONDUCTIVITY
    print(mode.frequency / frequency - 1, mode.quality / quality - 1)
    assert mode.frequency == pytest.approx(frequency, rel=2e-3)
    assert mode.quality == pytest.approx(quality, rel=5e-3)
    found = simulation.results()
    assert found["trace/resonance frequency [THz]"] == pytest.approx([1000 * mode.frequency])
    assert found["trace/resonance Q"] == pytest.approx([mode.quality])
    (curve,) = simulation.chart(chart.name).curves
    assert f"Q {mode.quality:.2g}"[:3] in curve.title


def test_where_nothing_rings_the_chart_says_so(backend):
    """In open space a pulse leaves: what absorbing layers send back of it is no resonance."""
    grid = GridSetting(dimensions="2D", cells_x=60, cells_y=60, size_x=3.0, size_y=3.0, at_z=0.0)
    open_space = cavity(Ringing(on=True, first=1.6, last=2.4), grid=grid, faces=Faces(), objects=[])
    open_space.parameters.sources[0].place = (1.3, 1.4, 0.0)
    open_space.parameters.monitors[0].place = (1.6, 1.7, 0.0)
    simulation = ENGINE.build(open_space, backend)
    simulation.advance(3000)
    (chart,) = [info for info in simulation.charts if info.name.endswith("resonances")]
    assert "rings" in simulation.chart(chart.name).note


@pytest.mark.parametrize(("part", "told"), [(3.2e-5, "0.003 %"), (1e-9, "less than 0.0001 %"), (0.1, "")])
def test_how_little_rings_is_told_as_a_part(monkeypatch, part, told):
    watcher = RingingWatcher.__new__(RingingWatcher)
    watcher._over, watcher._component = 1.0, "Ez"
    watcher._trace = SimpleNamespace(series_of=lambda component: (np.array([0.5, 2.0]), np.array([-4.0, 0.0])), note="")
    note = watcher._note([Resonance(1.0, 1.0, 4.0 * part, 0.0, 0.0, 0.0)])
    assert note == (f"Hardly anything rings: the strongest is {told} of what the pulse was here." if told else "")


@pytest.mark.parametrize(
    ("ringing", "changes", "sentence"),
    [
        (Ringing(on=True, first=1.0, last=1.0), {}, "a band without width"),
        (Ringing(on=True, given="frequency", first=9e3, last=1e3), {}, "seeks resonances up to 9000 THz"),
        (Ringing(on=True), {"sources": [PointSource(signal=Continuous())]}, "give them a pulse"),
    ],
)
def test_bands_that_cannot_be(backend, ringing, changes, sentence):
    sources = [each.model_copy(update={"place": (0.3, 0.4, 0.0)}) for each in changes.get("sources", [])]
    changes = {**changes, "sources": sources} if sources else changes
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(cavity(ringing, **changes), backend)


def test_a_recorded_run_has_the_file_of_its_port(tmp_path):
    port = LumpedPort(place=(0.5, 0.5, 0.0), length=0.05, signal=Pulse(wavelength=2.0, cycles=0.6))
    parameters = cavity(Ringing(), sources=[], ports=[port]).parameters.model_dump(mode="json")
    project = Project(title="port", engine="fdtd", parameters=parameters)
    document = document_of(Stored(project, None, None, None))
    recorder = Recorder(tmp_path / "out", document)
    for until in (30.0, 1e-3):  # the second run has not begun to see anything, and nothing of the first is left
        runner = start(document, observers=[recorder], autostart=True, device="cpu", until=until)
        runner.wait(RunState.FINISHED)
        runner.close()
        assert runner.error is None
        assert ("files/ports.s1p" in recorder.saved()) == (until > 1)


def test_a_single_port_gives_a_touchstone_file(backend, tmp_path):
    """What is read again is what the run knows."""
    port = LumpedPort(place=(0.5, 0.5, 0.0), length=0.05, resistance=73.0, signal=Pulse(wavelength=2.0, cycles=0.6))
    simulation = ENGINE.build(cavity(Ringing(), sources=[], ports=[port]), backend)
    assert simulation.files() == {}
    simulation.advance(400)
    written = export_results(take_results(simulation), tmp_path / "results.pvd")
    (path,) = [each for each in written if each.suffix == ".s1p"]
    network = read_touchstone(path.read_text(), 1)
    assert network.impedances == pytest.approx([73.0])
    assert written[-1] == path  # beside the tables and the .h5
    found = simulation.results()
    assert network.frequencies == pytest.approx(found["ports/frequencies [Hz]"])
    assert network.parameters[:, 0, 0] == pytest.approx(found["ports/scattering"][:, 0])
