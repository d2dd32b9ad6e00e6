"""The tool that sets a problem up for its resonances: against the ring of Meep's tutorial, and what it changes."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import PER_UNIT, SPEED_OF_LIGHT
from engines.fdtd.parameters import (
    Box,
    Continuous,
    FdtdParameters,
    Material,
    PointSource,
    Pulse,
    Ring,
    Rod,
    SurfaceObject,
    TraceMonitor,
)
from engines.fdtd.parameters.grid import GridSetting
from engines.fdtd.tools.find_resonances import FindResonances
from tests.engines.fdtd.stl_cases import torus, write_binary

TOOL = FindResonances()
MEEP = {0.118101: 79.9, 0.147162: 316.0, 0.175247: 1655.0}
"""Frequencies [c/µm] and Q of its tutorial's ring (index 3.4, inner radius 1, width 1), at ten cells a unit."""


def ring(signal):
    return FdtdParameters(
        grid=GridSetting(dimensions="2D", cells_x=160, cells_y=160, size_x=8.0, size_y=8.0, at_z=0.0),
        materials=[Material(name="guide", permittivity=3.4**2)],
        objects=[Ring(material="guide", center=(4.0, 4.0, 0.0), radius=1.5, width=1.0, height=2.0)],
        sources=[PointSource(place=(5.1, 4.0, 0.0), axis="z", signal=signal)],
    )


def test_a_ring_has_the_modes_of_meeps_tutorial():
    """Frequencies to half a per cent, what 20 cells a unit leave, Q to an eighth: walls stand half as far as Meep's."""
    backend = CpuBackend()
    problem = Problem(ring(Pulse(wavelength=1 / 0.15, cycles=1.5)), None)
    result = TOOL.run(problem, TOOL.defaults(problem), backend)
    simulation = FdtdEngine().build(Problem(result.parameters, None), backend)
    assert result.shows in {chart.name for chart in simulation.charts if chart.title == "Resonances"}
    assert result.until > 0.5 * 100 / 0.15, "a hundred periods after the pulse"
    simulation.advance(round(1200.0 / simulation.dt))
    found = simulation.results()
    frequencies = found["resonances/resonance frequency [THz]"] / PER_UNIT / SPEED_OF_LIGHT
    for expected, quality in MEEP.items():
        near = np.abs(frequencies - expected).argmin()
        assert frequencies[near] == pytest.approx(expected, rel=5e-3)
        assert found["resonances/resonance Q"][near] == pytest.approx(quality, rel=0.125)


def test_what_goes_on_gets_a_pulse_and_the_trace_is_there_once():
    problem = Problem(ring(Continuous(wavelength=6.0)), None)
    once = TOOL.run(problem, TOOL.defaults(problem), CpuBackend())
    assert "give a pulse of 2 periods instead" in once.message
    assert once.parameters.sources[0].signal == Pulse(wavelength=6.0, cycles=2.0)
    again = Problem(once.parameters, None)
    defaults = TOOL.defaults(again)
    assert defaults.place == (5.1, 4.0, 0.0)
    twice = TOOL.run(again, defaults.model_copy(update={"component": "Hx"}), CpuBackend())
    (trace,) = twice.parameters.monitors
    assert isinstance(trace, TraceMonitor)
    assert (trace.components, trace.ringing.on) == (["Hx"], True)
    with pytest.raises(ProblemError, match="add a source first"):
        TOOL.defaults(Problem(FdtdParameters(sources=[]), None))


def outside(objects, place=(6.6, 4.0, 2.0), **changes):
    """A dipole beside objects, in a grid of 8 µm."""
    materials = [Material(name="guide", permittivity=3.4**2), Material(name="glass", permittivity=2.1)]
    sources = [PointSource(place=place, axis="z", signal=Pulse(wavelength=6.0))]
    grid = GridSetting(cells_x=80, cells_y=80, cells_z=40, size_x=8.0, size_y=8.0, size_z=4.0)
    return FdtdParameters(**{"grid": grid, "materials": materials, "sources": sources, "objects": objects, **changes})


def test_the_trace_stands_deep_in_the_ring_of_a_file_off_its_symmetry_planes(tmp_path):
    """Wherever the source is: half of the tube's radius from its middle line at most, where 0.1 is a fifth of that."""
    file = write_binary(tmp_path / "torus.stl", torus(80, 48, radius=1.5, tube=0.5))
    body = SurfaceObject(material="guide", file=file, shift=(4.0, 4.0, 2.0))
    base = Box(material="glass", low=(-1.0, -1.0, 0.0), high=(9.0, 9.0, 1.6))
    for source in ((6.6, 4.0, 2.0), (4.0, 4.0, 2.0)):
        x, y, z = np.subtract(TOOL.defaults(Problem(outside([base, body], source), None)).place, (4.0, 4.0, 2.0))
        assert np.hypot(np.hypot(x, y) - 1.5, z) < 0.25
        assert min(abs(x), abs(y), abs(abs(x) - abs(y))) > 0.1
        assert abs(z) > 0.02


def test_a_ring_goes_before_the_guide_beside_it_and_a_defect_among_rods_keeps_its_place():
    guide = Box(material="guide", low=(-1.0, 1.2, -1.0), high=(9.0, 1.6, 5.0))
    round_body = Ring(material="guide", center=(4.0, 4.0, 2.0), radius=1.5, width=1.0, height=2.0)
    x, y, _ = TOOL.defaults(Problem(outside([guide, round_body], (1.0, 1.4, 2.0)), None)).place
    assert 1.1 < np.hypot(x - 4.0, y - 4.0) < 1.9
    rods = [Rod(material="guide", start=(at, 4.0, 0.0), end=(at, 4.0, 4.0), radius=0.3) for at in (2.0, 3.0, 5.0, 6.0)]
    assert TOOL.defaults(Problem(outside(rods, (4.0, 4.0, 2.0)), None)).place == (4.0, 4.0, 2.0)
    assert TOOL.defaults(Problem(outside([]), None)).place == (6.6, 4.0, 2.0)


def test_a_plane_has_its_place_in_its_ring():
    problem = ring(Pulse(wavelength=6.0)).model_copy(update={"sources": [PointSource(place=(7.0, 4.0, 0.0))]})
    x, y, z = TOOL.defaults(Problem(problem, None)).place
    assert 1.1 < np.hypot(x - 4.0, y - 4.0) < 1.9
    assert min(abs(x - 4), abs(y - 4)) > 0.1
    assert z == 0.0
