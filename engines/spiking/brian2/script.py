"""A network of typed neurons as a script that Brian2 runs.

What a person typed goes into it as quoted text, once the parser has read it: numbers, names, operators and
calls of known functions. Names of populations are written as comments' text is, escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.formulas.parse import statements
from engines.formulas.typed.units import NONE, Dimension, named, unit
from engines.spiking.brian2.tables import MOST_LISTED, Pairs, known, parts_of_table, plain
from engines.spiking.connectivity.wiring import span_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import (
    ALL,
    AllToAll,
    Connection,
    ConstantWeight,
    FromFile,
    NormalWeight,
    OneToOne,
    Probability,
)
from engines.spiking.parameters.equations import NamedNumber, OwnNeuron
from engines.spiking.parameters.neurons import Neuron, PoissonSource, SpikeList
from engines.spiking.parameters.plasticity import Stdp
from engines.spiking.parameters.populations import NormalStart, Population
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.setup.populations import spans
from engines.spiking.typed.integration import Method, able
from engines.spiking.typed.lines import heading
from engines.spiking.typed.names import OUTSIDE, VOLTAGE, WEIGHT, parts_of
from engines.spiking.typed.plan import Typed
from engines.spiking.typed.population import populations_of
from engines.spiking.typed.synapses.connection import synapse_of

METHODS = {"exact": "exact", "exponential euler": "exponential_euler", "euler": "euler", "rk4": "rk4"}
CONDITIONS = {
    Probability: lambda rule: f"p={rule.probability!r}",
    AllToAll: lambda rule: "",
    OneToOne: lambda rule: "j='i'",
}
HEAD = '''"""{title}: run with `pip install brian2`. Its figures are those of Workbench, but for random numbers."""

from brian2 import *

defaultclock.dt = {step!r}*ms
seed({seed})
'''


def brian2_script(problem: Problem) -> str:
    """Raises ProblemError for what Brian2 is not told here."""
    parameters = problem.parameters
    assert isinstance(parameters, SpikingParameters)
    typed = populations_of([(each.neuron, each.number) for each in parameters.populations], parameters.numerics.step)
    text = [HEAD.format(title="A network of neurons", step=parameters.numerics.step, seed=parameters.numerics.seed)]
    for k, population in enumerate(parameters.populations):
        if isinstance(population.neuron, PoissonSource):
            text.append(
                f"# {population.name!r}\nP{k} = PoissonGroup({population.number}, {population.neuron.rate!r}*Hz)\n"
            )
        elif isinstance(population.neuron, OwnNeuron):
            text += _group(k, population, population.neuron, typed[k].typed, parameters.injected)
        else:
            has = "neurons that are built in: type their equations, for the script to have them."
            if isinstance(population.neuron, SpikeList):
                has = "spikes from a file, which a script does not have: make them a Poisson source, or leave them out."
            raise ProblemError(f"{population.name} has {has}", ("populations", k, "neuron"))
    listed = 0
    for k, connection in enumerate(parameters.connections):
        for source, target in _pairs(parameters, connection, k):
            if target not in typed:
                raise ProblemError("Sources hear nobody: join others.", ("connections", k, "target"))
            hears = parameters.populations[target].neuron
            assert isinstance(hears, OwnNeuron)
            ends = parameters.populations[source].neuron, hears
            for part in parts_of_table(parameters, k, (source, target)):
                text += _synapses((k, source, target), part, ends, typed[target].typed)
                listed += part.number
    if listed > MOST_LISTED:
        raise ProblemError(
            f"The script lists the synapses of tables, and these have {listed:,}: {MOST_LISTED:,} can be, so choose "
            "other rules.",
            ("connections",),
        )
    spikes = [f"S{k} = SpikeMonitor(P{k})" for k in range(len(parameters.populations))]
    counts = [f'print("P{k}:", S{k}.num_spikes / len(P{k}) / second, "a second")' for k in range(len(spikes))]
    return "\n".join([*text, *spikes, "run(1*second)", *counts, ""])


def _group(k: int, population: Population, neuron: OwnNeuron, typed: Typed, injected: float) -> Iterator[str]:
    place = ("populations", k, "neuron")
    lines = [line.removesuffix(" (summed)") for kind, line in _lines(neuron.lines, place)
             if kind != "parameter" or line.endswith("(summed)")]  # fmt: skip
    if typed.method == "exact" and not able(typed.model, "exact"):
        raise ProblemError(
            f"Brian2 solves no equations with t exactly, as those of {population.name}: choose another integration.",
            (*place, "method"),
        )
    outside = population.external
    if OUTSIDE in " ".join(lines):
        lines.append(f"{OUTSIDE} : amp")
    yield f"# {population.name!r}\nP{k} = NeuronGroup({population.number}, {chr(10).join(lines)!r},"
    threshold, reset = known(neuron.threshold, place, "threshold") or None, _changed(neuron.reset, place, "reset")
    held = known(neuron.refractory, place, "refractory") or False
    yield f"    threshold={threshold!r}, reset={reset!r}, refractory={held!r},"
    yield f"    method={METHODS[typed.method]!r}, namespace={{{_values(neuron.parameters)}}})"
    scale = "*mV" if typed.model.dimensions[VOLTAGE] != NONE else ""
    start = population.start
    if isinstance(start, NormalStart):
        yield f"P{k}.{VOLTAGE} = '({start.voltage!r} + {start.voltage_spread!r}*randn()){scale}'"
    else:
        yield f"P{k}.{VOLTAGE} = '({start.lowest!r} + {start.highest - start.lowest!r}*rand()){scale}'"
    yield from _begun(f"P{k}", neuron.starts, place)
    current = outside.current + injected
    if any(OUTSIDE in line for line in lines):
        yield f"P{k}.{OUTSIDE} = {current!r}*pA"
        if outside.noise:
            drawn = f"{OUTSIDE} = ({current!r} + {outside.noise!r}*randn())*pA"
            yield f"P{k}.run_regularly({drawn!r}, dt=defaultclock.dt)"
    if outside.rate and outside.weight:
        field = "excitatory" if outside.weight > 0 else "inhibitory"
        match = re.fullmatch(rf"\s*(\w+)\s*\+=\s*{WEIGHT}\s*", getattr(neuron, field))
        if match is None:
            raise ProblemError(
                f"Spikes from outside add other than 'g += {WEIGHT}': the script cannot have that.", (*place, field)
            )
        told = named(typed.model.weights[outside.weight < 0], small=True)
        size = f"{abs(outside.weight)!r}*{told}"
        yield f"I{k} = PoissonInput(P{k}, {match[1]!r}, 100, {outside.rate / 100!r}*Hz, {size})"
    yield ""


def _synapses(
    place: tuple[int, int, int], listed: Pairs, ends: tuple[Neuron, OwnNeuron], typed: Typed
) -> Iterator[str]:  # fmt: skip
    (k, source, target), called, (sends, hears) = place, "C{}_{}_{}{}".format(*place, listed.suffix), ends
    connection = listed.connection
    rule, weight = connection.rule, connection.weight
    if type(rule) not in CONDITIONS and not isinstance(rule, FromFile):
        raise ProblemError(
            "The script has pairs by probability, one to one, all to all or from a table: choose one of them.",
            ("connections", k, "rule"),
        )
    if isinstance(connection.plasticity, Stdp):
        raise ProblemError(
            "The script has weights that do not change, or synapses of your own equations: choose these.",
            ("connections", k, "plasticity"),
        )
    if not isinstance(weight, ConstantWeight | NormalWeight):
        raise ProblemError(
            "The script has weights that are constant or normal: choose these.", ("connections", k, "weight")
        )
    if isinstance(connection.plasticity, OwnSynapse):
        own = ("connections", k, "plasticity")
        synapse = synapse_of(connection.plasticity, hears, own, sends)
        sign, dimension = "-" * (weight.weight < 0), synapse.model.weight
        yield from _typed(called, connection.plasticity, (source, target), dimension, own, synapse.step.method)
    else:
        field = "excitatory" if weight.weight > 0 else "inhibitory"
        sign, dimension = "", typed.model.weights[weight.weight <= 0]
        on_pre = _changed(getattr(hears, field), ("populations", target, "neuron"), field)
        used = [each for each in hears.parameters if re.search(rf"\b{each.name}\b", on_pre)]
        yield f"{called} = Synapses(P{source}, P{target}, '{WEIGHT} : {named(dimension)}', on_pre={on_pre!r},"
        yield f"    namespace={{{_values(used)}}})"
    yield f"{called}.connect({listed.ends or CONDITIONS[type(rule)](rule)})"
    size = abs(weight.weight)
    spread = weight.spread * size if isinstance(weight, NormalWeight) else 0.0
    drawn = f"clip({size!r} + {spread!r}*randn(), 0, inf)" if spread else f"{size!r}"
    told = named(dimension, small=True)
    yield f"{called}.{WEIGHT} = " + (listed.values("weight", told) or f"'{sign}{drawn}*{told}'")
    if isinstance(connection.plasticity, OwnSynapse):
        yield from _begun(called, connection.plasticity.starts, ("connections", k, "plasticity"))
    arrives = not isinstance(connection.plasticity, OwnSynapse) or any(connection.plasticity.on_pre)
    late = listed.delay(("connections", k, "delay"))
    if late and arrives:
        yield f"{called}.pre.delay = {late}"
    own_synapse = connection.plasticity if isinstance(connection.plasticity, OwnSynapse) else None
    if own_synapse is not None and own_synapse.post_delay and any(own_synapse.on_post):
        yield f"{called}.post.delay = {own_synapse.post_delay!r}*ms"
    yield ""


def _typed(
    called: str,
    own: OwnSynapse,
    ends: tuple[int, int],
    weight: Dimension,
    place: tuple[str | int, ...],
    method: Method | None,
) -> Iterator[str]:
    """Synapses of a person's own equations; ``weight``: the unit of what is drawn, which is one more variable."""
    lines = [f"{WEIGHT} : {named(weight)}", *(line for _, line in _lines(own.lines, place))]
    paths = [_changed("\n".join(getattr(own, path)), place, path) for path in ("on_pre", "on_post")]
    yield f"{called} = Synapses(P{ends[0]}, P{ends[1]}, {chr(10).join(lines)!r},"
    given = [f"{name}={text!r}" for name, text in zip(("on_pre", "on_post"), paths, strict=True) if text]
    given += [f"method={METHODS[method]!r}"] if method is not None else []
    yield f"    {', '.join([*given, f'namespace={{{_values(own.parameters)}}}'])})"


def _lines(lines: Sequence[str], place: tuple[str | int, ...]) -> Iterator[tuple[str, str]]:
    """(kind, statement) as Brian2 reads them."""
    for _, statement in statements(lines):
        head = heading(plain(statement))
        if head is not None:
            left = {"variable": f"d{head[1]}/dt = ", "name": f"{head[1]} = ", "parameter": head[1]}[head[0]]
            flags = f" ({', '.join(head[4])})" if head[4] else ""
            yield head[0], f"{left}{known(head[2], place, 'lines')} : {named(unit(head[3])[0])}{flags}"


def _begun(called: str, text: str, place: tuple[str | int, ...]) -> Iterator[str]:
    """Where variables begin, one after the other."""
    for part in filter(None, _changed(text, place, "starts").split("\n")):
        name, _, formula = part.partition("=")
        yield f"{called}.{name.strip()} = {formula.strip()!r}"


def _values(parameters: Sequence[NamedNumber]) -> str:
    """Of a namespace."""
    return ", ".join(f"{each.name!r}: {each.value!r}*({plain(each.unit) or '1'})" for each in parameters)


def _pairs(parameters: SpikingParameters, connection: Connection, k: int) -> Iterator[tuple[int, int]]:
    """Populations that are joined, by number."""
    names, known = [each.name for each in parameters.populations], spans(parameters)
    for name, field in ((connection.source, "source"), (connection.target, "target")):
        span_of(name, known, ("connections", k, field))
    sources, targets = (
        range(len(names)) if name == ALL else [names.index(name)] for name in (connection.source, connection.target)
    )
    yield from ((source, target) for source in sources for target in targets)


def _changed(text: str, place: tuple[str | int, ...], field: str) -> str:
    """Statements, one a line."""
    return "\n".join(known(part, place, field) for part in parts_of(text))
