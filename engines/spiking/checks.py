"""What a network needs of a device, and what cannot run."""

from __future__ import annotations

from engines.api import Finding
from engines.backend.base import Backend
from engines.errors import ProblemError
from engines.spiking.assembly import is_plain, live_of, neurons, spans
from engines.spiking.network.constants import is_rising
from engines.spiking.network.plan import Plan
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ALL, FromFile, Inputs, Probability
from engines.spiking.wiring import BYTES, delay_steps, expected, span_of

BYTES_PER_NEURON = 600
"""With the raster of the last 2048 steps, which small networks keep for every neuron, and a short ring of inputs."""
PLAIN = 4
"""Bytes of a synapse whose weight is its sender's."""
MEMORY_SHARE = 0.8
"""Of the device's memory that a network may take."""


def bytes_per_synapse(parameters: SpikingParameters) -> int:
    return PLAIN if is_plain(parameters) else BYTES


def check(parameters: SpikingParameters, backend: Backend) -> int:
    """About how many synapses there are. Raises ProblemError for what cannot run."""
    _check_populations(parameters)
    n, known, dt = neurons(parameters), spans(parameters), parameters.numerics.step
    synapses = 0
    for k, connection in enumerate(parameters.connections):
        place: tuple[str | int, ...] = ("connections", k)
        source = span_of(connection.source, known, (*place, "source"))
        target = span_of(connection.target, known, (*place, "target"))
        rule = connection.rule
        if isinstance(rule, Inputs) and rule.inputs > n:
            raise ProblemError(
                f"{rule.inputs:g} inputs are more than there are neurons ({n:,}): use fewer inputs.",
                (*place, "rule", "inputs"),
            )
        if not isinstance(rule, FromFile):
            delay_steps(connection.delay, dt, (*place, "delay"))
        synapses += expected(connection, source, target, n)
    _check_room(parameters, synapses, backend)
    Plan(tuple(parameters.populations), dt, parameters.numerics.seed).live(live_of(parameters), 1.0)
    return synapses


def _check_populations(parameters: SpikingParameters) -> None:
    names = [population.name for population in parameters.populations]
    for k, population in enumerate(parameters.populations):
        if population.name == ALL or names.index(population.name) != k:
            raise ProblemError(
                f"'{population.name}' cannot be the name of population {k + 1}: give it a name of its own.",
                ("populations", k, "name"),
            )
        neuron = population.neuron
        reset, threshold = getattr(neuron, "reset", None), getattr(neuron, "threshold", getattr(neuron, "peak", None))
        for name in ("excitatory_time", "inhibitory_time"):
            if is_rising(neuron) and getattr(neuron, name) <= 0:
                raise ProblemError(
                    "A synapse that is an alpha function takes time to rise: use a decay time above 0, or an "
                    "exponential time course.",
                    ("populations", k, "neuron", name),
                )
        if reset is not None and threshold is not None and reset >= threshold:
            raise ProblemError(
                f"The reset voltage ({reset:g} mV) is not below the threshold ({threshold:g} mV): a neuron "
                "would fire without end; lower the reset.",
                ("populations", k, "neuron", "reset"),
            )
    if not neurons(parameters):
        raise ProblemError("There is no neuron: give a population some.", ("populations", 0, "number"))


def _check_room(parameters: SpikingParameters, synapses: int, backend: Backend) -> None:
    n, each = neurons(parameters), bytes_per_synapse(parameters)
    room = MEMORY_SHARE * backend.info.memory_bytes - n * BYTES_PER_NEURON
    if not backend.info.memory_bytes or synapses * each <= room:
        return
    fit = max(0, int(room / each))
    advice = "use fewer neurons or synapses."
    rule = parameters.connections[0].rule
    if is_plain(parameters) and isinstance(rule, Inputs):
        advice = f"use fewer neurons, or at most {fit / n:,.0f} inputs."
    elif is_plain(parameters) and isinstance(rule, Probability):
        advice = f"use fewer neurons, or at most a probability of {fit / n**2:.2g}."
    raise ProblemError(
        f"This network has about {synapses:,} synapses, and {backend.info.name} has room for {fit:,}: {advice}",
        ("connections",),
    )


def findings(parameters: SpikingParameters) -> tuple[Finding, ...]:
    """Refractory times that are no whole number of steps."""
    step, found = parameters.numerics.step, {}
    for population in parameters.populations:
        held = getattr(population.neuron, "refractory_time", 0.0)
        steps = held / step
        if abs(steps - round(steps)) > 1e-6 * max(1.0, steps):
            found[held] = Finding(
                f"The refractory time of {held:g} ms is {steps:g} steps: it is rounded to {max(1, round(steps))}."
            )
    return tuple(found.values())
