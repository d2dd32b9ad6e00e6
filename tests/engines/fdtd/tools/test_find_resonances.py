"""The tool that sets a problem up for its resonances: against the ring of Meep's tutorial, and what it changes."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import PER_UNIT, SPEED_OF_LIGHT
from engines.fdtd.parameters import Continuous, FdtdParameters, Material, PointSource, Pulse, Ring, TraceMonitor
from engines.fdtd.parameters.grid import GridSetting
from engines.fdtd.tools.find_resonances import FindResonances

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
