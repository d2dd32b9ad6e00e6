"""What a network needs of a device, and what cannot run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engines.api import Finding, Remedy
from engines.api.charts import Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError, nearest_told, placed_at
from engines.quantities import percent
from engines.spiking.connectivity.files import OF_PYNN, check_path, check_unit, columns_of, from_pynn, unread
from engines.spiking.connectivity.wiring import delay_steps, span_of
from engines.spiking.network.plan import Plan
from engines.spiking.neurons.accuracy import Intervals, intervals, on_grid
from engines.spiking.neurons.constants import is_rising
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ALL, ConstantDelay, FromFile, Inputs
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.neurons import AdaptiveExponential, HodgkinHuxley, Lif, SpikeList
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.setup.cut_off import cut_off
from engines.spiking.setup.forcing import told_of_times
from engines.spiking.setup.memory import check_room, joined
from engines.spiking.setup.populations import live_of, neurons, spans
from engines.spiking.setup.quanta import coarse
from engines.spiking.setup.sources import STEPS, crowded
from engines.spiking.setup.typed_synapses import synapse_findings
from engines.spiking.stimulate.spike_lists import check_spikes
from engines.spiking.typed.names import OUTSIDE
from engines.spiking.typed.population import typed_of

STRETCHED = 0.005
"""Relative error of intervals from which it is told."""
OWN = ("weight", "delay")
"""Columns of a table that stand for what the form says."""
TYPICAL, BYTES = 10.0, 12
"""Rate for which the size of the record is told [Hz]; and of a spike: time and neuron."""


def check(parameters: SpikingParameters, backend: Backend) -> tuple[int, ...]:
    """About how many synapses each connection has. Raises ProblemError for what cannot run."""
    _check_populations(parameters)
    n, known, dt = neurons(parameters), spans(parameters), parameters.numerics.step
    plan = Plan(tuple(parameters.populations), dt, parameters.numerics.seed, tuple(parameters.connections))
    plan.refractory  # noqa: B018  # of typed neurons, which are read here
    synapses = []
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
        if isinstance(rule, FromFile):
            check_path(rule.path, k)
        else:
            delay_steps(connection.delay, dt, (*place, "delay"))
        synapses.append(joined(parameters, connection, source, target))
    weights = plan.weights  # of typed synapses, too, which are read here
    for k, connection in enumerate(parameters.connections):
        if isinstance(connection.rule, FromFile):
            with placed_at("connections", k, "rule", "path"):
                check_unit(connection.rule.path, weights.get(k))
    check_room(parameters, tuple(synapses), backend)
    plan.live(live_of(parameters), 1.0)
    return tuple(synapses)


def _check_populations(parameters: SpikingParameters) -> None:
    names = [population.name for population in parameters.populations]
    for k, population in enumerate(parameters.populations):
        if population.name == ALL or names.index(population.name) != k:
            raise ProblemError(
                f"'{population.name}' cannot be the name of population {k + 1}: give it a name of its own.",
                ("populations", k, "name"),
            )
        neuron = population.neuron
        if isinstance(neuron, SpikeList):
            with placed_at("populations", k, "neuron"):
                check_spikes(neuron, population.number)
        reset, threshold = getattr(neuron, "reset", None), getattr(neuron, "threshold", getattr(neuron, "peak", None))
        for name in ("excitatory_time", "inhibitory_time"):
            if is_rising(neuron) and getattr(neuron, name) <= 0:
                raise ProblemError(
                    "A synapse that is an alpha function takes time to rise: use a decay time above 0, or an "
                    "exponential time course.",
                    ("populations", k, "neuron", name),
                )
        if isinstance(reset, float) and threshold is not None and reset >= threshold:
            raise ProblemError(
                f"The reset voltage ({reset:g} mV) is not below the threshold ({threshold:g} mV): a neuron "
                "would fire without end; lower the reset.",
                ("populations", k, "neuron", "reset"),
            )
    if parameters.recording.spikes == "populations":
        for k, name in enumerate(parameters.recording.populations):
            if name not in names:
                raise ProblemError(
                    f"There is no population '{name}' whose spikes could be written{nearest_told(name, names)}.",
                    ("recording", "populations", k),
                )
    if not neurons(parameters):
        raise ProblemError("There is no neuron: give a population some.", ("populations", 0, "number"))


def spikes_on_disk(parameters: SpikingParameters) -> tuple[Fact, ...]:
    """How much the spikes that are written take, before they are packed: how often neurons fire is not known yet."""
    own = sum(each.number for each in parameters.populations if parameters.recording.takes(each.name))
    if not own:
        return ()
    return (Fact(f"Spikes on disk at most, per second at {TYPICAL:g} Hz", own * TYPICAL * BYTES / 1e6, "MB"),)


def findings(parameters: SpikingParameters) -> tuple[Finding, ...]:
    """What a step does to refractory times and to the intervals of neurons; what is not as it was asked for."""
    own = (
        *_rounded(parameters),
        *_rounded_delays(parameters),
        *_stretched(parameters),
        *_whole_steps(parameters),
        *_unheard(parameters),
        *crowded(parameters),
        *coarse(parameters),
    )
    typed = (*synapse_findings(parameters), *told_of_times(parameters))
    return (*own, *cut_off(parameters), *typed, *_of_pynn(parameters), *_of_table(parameters))


def _of_table(parameters: SpikingParameters) -> Iterator[Finding]:
    """What a table has of its own, in the place of what the form says."""
    for k, connection in enumerate(parameters.connections):
        if not isinstance(connection.rule, FromFile):
            continue
        own = [name for name in OWN if name in columns_of(connection.rule.path)]
        if own:
            yield Finding(
                f"The {' and '.join(f'{name}s' for name in own)} of connection {k + 1} are those of "
                f"{Path(connection.rule.path).name}: take the column{'s' * (len(own) > 1)} "
                f"{' and '.join(own)} out of the table where those of the form are to hold.",
                "info",
                ("connections", k, own[0]),
            )
        if others := unread(connection.rule.path):
            called = ", ".join(each[:24] for each in others[:6]) + ", …" * (len(others) > 6)
            yield Finding(
                f"Nothing reads the column{'s' * (len(others) > 1)} {called} of {Path(connection.rule.path).name}: "
                "weights are read from one that is called weight, delays from delay.",
                "info" if len(own) == len(OWN) else "warning",
                ("connections", k, "rule", "path"),
            )


def _of_pynn(parameters: SpikingParameters) -> Iterator[Finding]:
    """Weights that count in other units than they are written in."""
    for k, connection in enumerate(parameters.connections):
        rule = connection.rule
        if isinstance(rule, FromFile) and from_pynn(rule.path):
            yield Finding(
                f"{Path(rule.path).name} is PyNN's: its weights are read as nA or µS, {OF_PYNN:g} pA or nS each; "
                "leave out the line of its columns where they are not.",
                "info",
                ("connections", k, "rule", "path"),
            )


def off_by(parameters: SpikingParameters) -> tuple[Fact, ...]:
    """The error of intervals with the chosen step, as measured."""
    found = _worst(parameters, parameters.numerics.step)
    return (Fact(f"Intervals of {found[0]} too long by", 100 * found[1].error, "%"),) if found else ()


def _worst(parameters: SpikingParameters, step: float) -> tuple[str, Intervals] | None:
    """The population whose intervals such a step puts off most, and by how much."""
    found = []
    for population in parameters.populations:
        neuron = population.neuron
        if population.number and isinstance(neuron, (AdaptiveExponential, HodgkinHuxley)):
            measured = intervals(neuron, step, population.external.current + parameters.injected)
            found += [(population.name, measured)] if measured else []
    return max(found, key=lambda each: abs(each[1].error), default=None)


def _stretched(parameters: SpikingParameters) -> tuple[Finding, ...]:
    """Intervals that the step makes longer or shorter, of the kind of neuron where that is most."""
    step = parameters.numerics.step
    found = _worst(parameters, step)
    if not found or abs(found[1].error) <= STRETCHED:
        return ()
    name, worst = found
    shorter = next((each for each in STEPS if each < step and _short_enough(parameters, each)), STEPS[-1])
    longer = "long" if worst.error > 0 else "short"
    return (
        Finding(
            f"With a step of {step:g} ms the intervals of {name} are {percent(abs(worst.error))} too {longer}: "
            f"{worst.stepped:.4g} instead of {worst.exact:.4g} ms with a constant {worst.current:g} pA.",
            place=("numerics", "step"),
            remedy=Remedy(f"Use steps of {shorter:g} ms", {("numerics", "step"): shorter}),
            distorts=True,
        ),
    )


def _whole_steps(parameters: SpikingParameters) -> tuple[Finding, ...]:
    """Leaky neurons that a constant current alone lets fire: their voltages are exact, their spikes on the grid of
    steps. Of the population where that is most."""
    step, found = parameters.numerics.step, []
    for population in parameters.populations:
        neuron, outside = population.neuron, population.external
        if isinstance(neuron, Lif) and population.number and not (outside.rate or outside.noise):
            measured = on_grid(neuron, step, outside.current + parameters.drive)
            found += [(population.name, measured)] if measured else []
    name, worst = max(found, key=lambda each: abs(each[1].error), default=("", Intervals(1.0, 1.0, 0.0)))
    if abs(worst.error) <= STRETCHED:
        return ()
    shorter = next((each for each in STEPS if each < step and each <= STRETCHED * worst.exact), STEPS[-1])
    return (
        Finding(
            f"{name} fire every {worst.stepped:.4g} ms on the grid of steps, not every {worst.exact:.4g} ms, by a "
            f"constant {worst.current:g} mV alone: a spike belongs to the step in which the threshold is passed.",
            "warning" if abs(worst.error) > 4 * STRETCHED else "info",
            ("numerics", "step"),
            Remedy(f"Use steps of {shorter:g} ms", {("numerics", "step"): shorter}),
            distorts=True,
        ),
    )


def _short_enough(parameters: SpikingParameters, step: float) -> bool:
    found = _worst(parameters, step)
    return not found or abs(found[1].error) <= STRETCHED


def _rounded(parameters: SpikingParameters) -> tuple[Finding, ...]:
    """Refractory times that are no whole number of steps."""
    step, found = parameters.numerics.step, {}
    times = [getattr(population.neuron, "refractory_time", 0.0) for population in parameters.populations]
    for k, held in enumerate(times):
        steps = held / step
        if held not in found and abs(steps - round(steps)) > 1e-6 * max(1.0, steps):
            whole = max(1, round(steps))
            places = [("populations", n, "neuron", "refractory_time") for n in range(k, len(times)) if times[n] == held]
            found[held] = Finding(
                f"The refractory time of {held:g} ms is {steps:g} steps: it is rounded to {whole}.",
                place=places[0],
                remedy=Remedy(
                    f"Make it {whole * step:.9g} ms", {place: float(f"{whole * step:.9g}") for place in places}
                ),
            )
    return tuple(found.values())


def _rounded_delays(parameters: SpikingParameters) -> Iterator[Finding]:
    """Delays that are no whole number of steps, those apart that are drawn or read."""
    step = parameters.numerics.step
    places: dict[float, list[tuple[str | int, ...]]] = {}
    for k, connection in enumerate(parameters.connections):
        if isinstance(connection.delay, ConstantDelay) and not isinstance(connection.rule, FromFile):
            places.setdefault(connection.delay.delay, []).append(("connections", k, "delay", "delay"))
    for delay, where in places.items():
        steps, whole = delay / step, round(delay / step)
        if abs(steps - whole) > 1e-6 * steps:
            exact = float(f"{whole * step:.9g}")
            yield Finding(
                f"The delay of {delay:g} ms is {steps:g} steps: it is rounded to {whole}.",
                place=where[0],
                remedy=Remedy(f"Make it {exact:g} ms", dict.fromkeys(where, exact)),
            )


def _unheard(parameters: SpikingParameters) -> tuple[Finding, ...]:
    """What is given to typed neurons whose equations do not take it."""
    found = []
    for k, population in enumerate(parameters.populations):
        neuron, outside = population.neuron, population.external
        if not isinstance(neuron, OwnNeuron) or not population.number:
            continue
        typed = typed_of(neuron)
        if (outside.current or outside.noise or parameters.injected) and not typed.hears_outside():
            found.append(
                Finding(
                    f"The current from outside does nothing to {population.name}: none of its equations names "
                    f"{OUTSIDE}.",
                    place=("populations", k, "neuron", "lines"),
                )
            )
        into = [
            each.weight.weight
            for each in parameters.connections
            if each.target in (ALL, population.name) and not isinstance(each.plasticity, OwnSynapse)
        ]
        into += [outside.weight] if outside.rate else []
        for field, kind, sign, changes in zip(
            ("excitatory", "inhibitory"), ("positive", "negative"), (1, -1), typed.model.arriving, strict=True
        ):
            if not changes and any(sign * weight > 0 for weight in into):
                found.append(
                    Finding(
                        f"Spikes of {kind} weights do nothing to {population.name}: say what they add, as v += weight.",
                        place=("populations", k, "neuron", field),
                    )
                )
    return tuple(found)
