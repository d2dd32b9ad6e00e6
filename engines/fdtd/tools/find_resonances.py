"""Set a problem up so that a run tells its resonances: a pulse, and a trace of what rings after it."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.figures import number
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.fdtd.grid.yee import PER_UNIT, SPEED_OF_LIGHT, TIME_UNITS
from engines.fdtd.parameters import Continuous, FdtdParameters, PointSource, Pulse, Ringing, TraceMonitor
from engines.fdtd.parameters.common import LENGTH, Place
from engines.fdtd.parameters.monitors import AS_WHAT, GIVEN, SPECTRAL, Component
from engines.fdtd.setup.resonator import place_in_resonator
from engines.fdtd.setup.sources import waveform_of

CYCLES = 2.0
"""Of the pulse that stands for a source that goes on."""
TENTH = 0.34
"""A pulse of one period is this part of its frequency wide, to either side, to a tenth of its spectrum's largest."""
WIDEST = 0.5
PERIODS = 100
"""In which frequencies are known to some thousandths of the band, and Q."""
BESIDE = 0.6
"""Of the grid's size: a place that is not on the symmetries of what stands in the middle."""
NAME = "resonances"


class ResonanceParameters(ParameterGroup):
    """Where and in which band they are sought."""

    place: Place = quantity((0.0, 0.0, 0.0), LENGTH, "Where the field is followed: in what rings, off its symmetries")
    component: Component = quantity("Ez", "", "What is followed")
    given: Literal["wavelength", "frequency"] = quantity("wavelength", "", f"Wavelengths {AS_WHAT}", labels=GIVEN)
    first: float = quantity(0.8, SPECTRAL, "One end of the band in which they are sought", gt=0)
    last: float = quantity(1.2, SPECTRAL, "Its other end; the pulse has to reach both", gt=0)


class FindResonances(Tool):
    """Edits sources and monitors."""

    id: ClassVar[str] = "resonances"
    title: ClassVar[str] = "Find resonances"
    summary: ClassVar[str] = (
        "Frequency and Q of what rings (a ring, a cavity, an antenna): adds a trace whose ring-down is taken apart "
        "into decaying sines. No spectrum has to settle for that; they stand in the chart Resonances."
    )
    Parameters: ClassVar[type[BaseModel]] = ResonanceParameters

    def defaults(self, problem: Problem) -> BaseModel:
        parameters = _parameters(problem)
        source = parameters.sources[0]
        trace = next((each for each in parameters.monitors if isinstance(each, TraceMonitor)), None)
        grid = parameters.grid
        beside = tuple(number(BESIDE * size) for size in (grid.size_x, grid.size_y, grid.size_z))
        places = [each.place for each in parameters.sources if isinstance(each, PointSource)]
        place = (
            trace.place
            if trace is not None
            else place_in_resonator(parameters, np.array(places)) or [*places, beside][0]
        )
        axis = getattr(source, "axis", getattr(source, "polarization", "z"))
        component = (f"E{axis}" if axis in ("x", "y", "z") else "Ez") if trace is None else trace.components[0]
        wavelength = float(getattr(source.signal, "wavelength", 1.0))
        wide = min(TENTH / getattr(source.signal, "cycles", CYCLES), WIDEST)
        first, last = number(wavelength / (1 + wide)), number(wavelength / (1 - wide))
        return ResonanceParameters.model_validate(
            {"place": place, "component": component, "first": first, "last": last}
        )

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(parameters, ResonanceParameters)
        before = _parameters(problem)
        ringing = Ringing(on=True, given=parameters.given, first=parameters.first, last=parameters.last)
        monitors = [each for each in before.monitors if each.name != NAME]
        followed = TraceMonitor(name=NAME, place=parameters.place, components=[parameters.component], ringing=ringing)
        sources = [each.model_copy(update={"signal": _pulse(each.signal)}) for each in before.sources]
        told = f"'{NAME}' follows {parameters.component} and finds what rings once the pulse is over"
        if sources != before.sources:
            told += f"; sources that went on give a pulse of {CYCLES:g} periods instead"
        after = before.model_copy(update={"monitors": [*monitors, followed], "sources": sources})
        until, unit = _until(after, ringing), TIME_UNITS[before.grid.length_unit]
        return ToolResult(
            f"{told}. Run to {until:g} {unit} or so, a hundred periods after it; Apply sets the end of the run so, "
            "unless it is later. Frequencies and Q stand in the chart Resonances, with as many digits as are known.",
            parameters=after,
            until=until,
            shows=f"monitor_{len(after.monitors)}_resonances",
        )


def _parameters(problem: Problem) -> FdtdParameters:
    assert isinstance(problem.parameters, FdtdParameters)
    if not problem.parameters.sources:
        raise ProblemError("Nothing makes it ring: add a source first, a dipole beside or in the body.")
    return problem.parameters


def _until(parameters: FdtdParameters, band: Ringing) -> float:
    """When what rings is known, in the grid's unit of time."""
    unit = TIME_UNITS[parameters.grid.length_unit]
    over = max(waveform_of(each.signal, unit).lasts for each in parameters.sources)
    low, high = sorted((band.first, band.last))
    longest = high / SPEED_OF_LIGHT if band.given == "wavelength" else PER_UNIT / low
    return float(f"{over + PERIODS * longest:.2g}")


def _pulse(signal: BaseModel) -> BaseModel:
    return Pulse(wavelength=signal.wavelength, cycles=CYCLES) if isinstance(signal, Continuous) else signal
