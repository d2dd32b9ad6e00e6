"""The tool: how often a neuron fires over the current into it, the f-I curve of its population's model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Problem, Progress, no_progress
from engines.api.abilities import Spiking
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import Among, ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import IN_PICOAMPERES, Source
from engines.spiking.parameters.populations import External, NormalStart, Population

MOST = 64
"""Currents: a population of one neuron for each."""
PARTS = 20
"""Of a run, for the bar."""


class ResponseParameters(ParameterGroup):
    """Whose neurons, and which currents."""

    population: Annotated[str, Among("population")] = quantity("Excitatory", "", "Whose neuron is tried", max_length=40)
    lowest: float = quantity(0.0, "", "Least current: mV (leaky), pA, or the paper's unit", ge=-1e6, le=1e6)
    highest: float = quantity(20.0, "", "Largest current, in the same unit", ge=-1e6, le=1e6)
    currents: int = quantity(41, "1", "How many currents between these, both among them", ge=2, le=MOST)
    duration: float = quantity(2000.0, "ms", "How long each current flows", gt=0, le=1e5)


class Response(Tool):
    """A network of single neurons that hear nobody, each with its own current."""

    id = "f-i"
    title = "Rate over current"
    summary = "Lets one neuron of a population fire at constant currents: its first and its last interval as rates."
    Parameters = ResponseParameters

    def defaults(self, problem: Problem) -> ResponseParameters:
        population = next((each for each in _of(problem).populations if _fires(each)), None)
        if population is None:
            raise ProblemError("Sources fire whatever flows: add a population of neurons.", ("populations",))
        picoamperes = population.neuron.kind in IN_PICOAMPERES
        return ResponseParameters(population=population.name, highest=1000.0 if picoamperes else 20.0)

    def suggestions(self, problem: Problem) -> dict[str, list[str]]:
        return {"population": [each.name for each in _of(problem).populations if _fires(each)]}

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        asked = _checked(problem, parameters)
        steps = round(asked.duration / _of(problem).numerics.step)
        return f"{asked.currents} neurons, {steps:,} steps"

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        asked = _checked(problem, parameters)
        currents = np.linspace(asked.lowest, asked.highest, asked.currents)
        trains = _fired(_apart(_of(problem), asked, currents), asked.duration, backend, progress)
        first = np.array([train.first for train in trains])
        last = np.array([train.last for train in trains])
        unit = _unit(_of(problem), asked)
        of = f" {unit}" if unit else ""
        fires = np.flatnonzero(first > 0)
        if len(fires):
            told = f"fires again and again from {currents[fires[0]]:g}{of} on"
            told += f", at {last[-1]:.4g} Hz with {currents[-1]:g}{of}"
            if first[-1] > 1.01 * last[-1] > 0:
                told += f" (its first interval: {first[-1]:.4g} Hz)"
        else:
            told = f"does not fire twice within {asked.duration:g} ms up to {currents[-1]:g}{of}"
        facts = (
            [Fact("Least current of these at which it fires", float(currents[fires[0]]), unit)] if len(fires) else []
        )
        chart = ChartInfo("rate", "Rate", "Hz", x_title="Current", x_unit=unit)
        curves = (Curve("Last interval", currents, last), Curve("First interval", currents, first))
        return ToolResult(f"A neuron of '{asked.population}' {told}.", tuple(facts), ((chart, ChartData(curves)),))


@dataclass(frozen=True)
class _Train:
    """Rates [Hz] of the first interval and of the last one, 0 of a neuron that does not fire twice."""

    first: float
    last: float


def _fired(network: SpikingParameters, duration: float, backend: Backend, progress: Progress) -> list[_Train]:
    simulation = SpikingEngine().build(Problem(network), backend)
    try:
        assert isinstance(simulation, Spiking)
        reader = simulation.spike_trains()
        steps, found = max(1, round(duration / simulation.dt)), []
        for part in range(PARTS):
            progress("Neurons fire", part / PARTS)
            simulation.advance(steps * (part + 1) // PARTS - steps * part // PARTS)
            found.append(reader.take())
        reader.close()
    finally:
        simulation.close()
    times, neurons = (np.concatenate([getattr(each, name) for each in found]) for name in ("times", "neurons"))
    return [_train(np.sort(times[neurons == neuron])) for neuron in range(len(network.populations))]


def _train(times: Array) -> _Train:
    intervals = np.diff(times)
    return _Train(*(1000.0 / intervals[[0, -1]])) if len(intervals) else _Train(0.0, 0.0)


def _apart(parameters: SpikingParameters, asked: ResponseParameters, currents: Array) -> SpikingParameters:
    """The same model and step, a neuron a current, all at rest in the middle of where the population begins."""
    own = next(each for each in parameters.populations if each.name == asked.population)
    start = own.start
    voltage = start.voltage if isinstance(start, NormalStart) else (start.lowest + start.highest) / 2
    alone = [
        Population(
            name=f"{place}", number=1, neuron=own.neuron, start=NormalStart(voltage=voltage),
            external=External(current=float(current)),
        )
        for place, current in enumerate(currents)
    ]  # fmt: skip
    return SpikingParameters(populations=alone, connections=[], numerics=parameters.numerics)


def _of(problem: Problem) -> SpikingParameters:
    if not isinstance(problem.parameters, SpikingParameters):
        raise ProblemError("Neurons belong to a spiking network: open one first.")
    return problem.parameters


def _fires(population: Population) -> bool:
    return not isinstance(population.neuron, Source)


def _checked(problem: Problem, parameters: BaseModel) -> ResponseParameters:
    assert isinstance(parameters, ResponseParameters)
    known = [each.name for each in _of(problem).populations if _fires(each)]
    if parameters.population not in known:
        told = ", ".join(known) or "none"
        raise ProblemError(f"There is no population '{parameters.population}' of neurons: {told}.", ("population",))
    if parameters.lowest >= parameters.highest:
        raise ProblemError("The largest current is not above the least: raise it.", ("highest",))
    return parameters


def _unit(parameters: SpikingParameters, asked: ResponseParameters) -> str:
    neuron = next(each.neuron for each in parameters.populations if each.name == asked.population)
    if neuron.kind in IN_PICOAMPERES:
        return "pA"
    return "mV" if neuron.kind.startswith("lif") else ""
