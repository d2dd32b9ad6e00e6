"""Typed neurons and synapses that come and go with t faster than steps: told before the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.formulas.graph import Node, ordered
from engines.formulas.typed.forcing import Formula, Taken, told_of_forcing
from engines.spiking.connectivity.draw import LONGEST
from engines.spiking.connectivity.wiring import delay_steps
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import FromFile
from engines.spiking.parameters.equations import OwnNeuron, dimensions
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.setup.populations import typed_synapses_of
from engines.spiking.typed.integration import Method
from engines.spiking.typed.language import Model, parse
from engines.spiking.typed.population import populations_of
from engines.spiking.typed.synapses.language import BEHIND
from engines.spiking.typed.synapses.language import Model as SynapseModel

DIVISORS = (2, 4, 5, 8, 10, 20, 25, 40, 50, 80, 100, 200, 400, 500, 1000, 2000, 5000, 10_000)
"""Parts of a step that are tried: delays that are whole steps stay so."""
Known = Sequence[Mapping[str, float]]


def told_of_times(parameters: SpikingParameters) -> Iterator[Finding]:
    """Of the line, the threshold or the condition that is most off."""
    formulas = [*_of_neurons(parameters), *_of_synapses(parameters)]
    yield from told_of_forcing(formulas, parameters.numerics.step, _shorter(parameters), "ms")


def _of_neurons(parameters: SpikingParameters) -> Iterator[Formula]:
    populations, numerics = parameters.populations, parameters.numerics
    found = populations_of([(each.neuron, each.number) for each in populations], numerics.step, numerics.seed)
    for k, own in found.items():
        place, name, number = ("populations", k, "neuron"), populations[k].name, populations[k].number
        neuron = populations[k].neuron
        if not number or not isinstance(neuron, OwnNeuron):
            continue
        model = parse(neuron.text, dimensions(neuron.parameters))  # as typed: names in it are found again
        known = _known(own.given, i=number)
        lines = _Lines(model, f"of the equations of {name}", place, known)
        for variable, rate in model.rates.items():
            yield lines.formula(variable, rate, _taken(own.typed.method))
        conditions = [("threshold", "threshold", model.threshold)]
        if model.rests_on_condition:
            conditions.append(("refractory", "refractory condition", model.refractory))
        for field, told, node in conditions:
            yield Formula(
                node, f"The {told} of {name}", (*place, field), "once", known, lines.within(node, "begin")
            )  # fmt: skip


def _of_synapses(parameters: SpikingParameters) -> Iterator[Formula]:
    numbers = {each.name: each.number for each in parameters.populations}
    for k, own in typed_synapses_of(parameters).items():
        connection, model = parameters.connections[k], own.typed.model
        source, target = (numbers.get(each, 1) for each in (connection.source, connection.target))
        if not source or not target:
            continue
        whose = f"of the synapses from {connection.source} to {connection.target}"
        lines = _Lines(model, whose, ("connections", k, "plasticity"), _known(own.given, i=source, j=target))
        for variable, rate in model.clocked.items():
            yield lines.formula(variable, rate, _taken(own.typed.step.method))
        for variable, node in model.sums.items():
            yield lines.formula(variable + BEHIND, node, "begin")


class _Lines:
    """Of a population or a connection."""

    def __init__(self, model: Model | SynapseModel, whose: str, place: tuple[str | int, ...], known: Known) -> None:
        self._lines, self._timed = dict(model.lines), model.timed
        self._whose, self._place, self._known = whose, place, known

    def formula(self, name: str, node: Node, taken: Taken) -> Formula:
        """Of the line that defines the name."""
        return self._of(name, node, taken)._replace(within=self.within(node, taken))

    def within(self, root: Node, taken: Taken) -> tuple[Formula, ...]:
        """Names that it takes and whose own line says t."""
        nodes = set(ordered([root]))
        return tuple(self._of(name, node, taken) for name, node in self._timed if node in nodes)

    def _of(self, name: str, node: Node, taken: Taken) -> Formula:
        line = self._lines[name]
        place = (*self._place, "lines", line)
        return Formula(node, f"Line {line + 1} {self._whose}", place, taken, self._known)


def _known(given: Mapping[str, float], **numbers: int) -> Known:
    """Parameters and how many there are, of the first, the middle and the last neuron; a step that a formula names is
    none of them, as steps differ."""
    same = {name: value for name, value in given.items() if name != "dt" and not name.startswith("@")}
    return [
        {**same, **{name: float(int(share * (number - 1))) for name, number in numbers.items()}}
        for share in (0.0, 0.5, 1.0)
    ]


def _taken(method: Method | None) -> Taken:
    return "begin, middle and end" if method == "rk4" else "begin"


def _shorter(parameters: SpikingParameters) -> Iterator[float]:
    """Steps for which delays are not too many steps."""
    own = [each for each in parameters.connections if not isinstance(each.rule, FromFile)]
    behind = [each.plasticity.post_delay for each in parameters.connections if isinstance(each.plasticity, OwnSynapse)]
    for divisor in DIVISORS:
        step = float(f"{parameters.numerics.step / divisor:.9g}")
        try:
            for each in own:
                delay_steps(each.delay, step, ())
        except ProblemError:
            return
        if max(behind, default=0.0) >= (LONGEST - 1) * step:
            return
        yield step
