"""Connections of typed synapses: what their spikes may add to, and the numbers that their parameters are now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from engines.api.errors import ProblemError, placed_at
from engines.formulas.graph import const
from engines.formulas.typed.units import Dimension, unit
from engines.spiking.connectivity.draw import LONGEST
from engines.spiking.parameters.connections import ALL, Connection
from engines.spiking.parameters.equations import OwnNeuron, dimensions
from engines.spiking.parameters.neurons import ConductanceLif, Izhikevich, Lif, Neuron, Source
from engines.spiking.parameters.populations import Population
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.typed.population import WithNumbers, adding, check_numbers, numbers_of, typed_of
from engines.spiking.typed.synapses.language import guessed
from engines.spiking.typed.synapses.plan import LATE, LIMIT, QUANTA, TypedSynapse, planned
from engines.spiking.typed.synapses.steps import Heard, Reach, Variable

TypedConnection = WithNumbers[TypedSynapse]


def heard_by(neuron: Neuron) -> dict[str, Heard]:
    """What spikes may add to, by its name: of typed neurons the variables that a weight is added to as it is."""
    if isinstance(neuron, Source):
        return {}
    if not isinstance(neuron, OwnNeuron):
        said, conducts = _fixed(neuron)
        dimension = unit(said)[0]
        return {"g_e": Heard(0, 1.0, dimension), "g_i": Heard(1, -1.0 if conducts else 1.0, dimension)}
    found: dict[str, Heard] = {}
    model = typed_of(neuron).model
    for row, changes in enumerate(model.arriving):
        for name, factor in changes if len(changes) == 1 else ():
            if name not in found and factor in (const(1.0), const(-1.0)):
                # sizes arrive, those of inhibitory spikes as negative quanta
                found[name] = Heard(row, factor.number if row == 0 else -factor.number, model.dimensions[name])
    return found


def _fixed(neuron: Neuron) -> tuple[str, bool]:
    """The unit of weights of a built-in model, and whether they are conductances."""
    match neuron:
        case Lif():
            return "mV", False
        case ConductanceLif():
            return "1", True
        case Izhikevich():
            return "mV/ms", False
    conducts = getattr(neuron, "synapses", "current") == "conductance"
    return ("nS" if conducts else "pA"), conducts


def weights_of(
    connections: Sequence[Connection], populations: Sequence[Population], typed: Mapping[int, TypedConnection]
) -> dict[int, Dimension]:
    """Of what kind the weights of connections are, by their numbers: those that ``typed`` synapses begin at, or those
    that the neurons take which hear; left out where these take several."""
    found = {k: own.typed.model.weight for k, own in typed.items()}
    for k, connection in enumerate(connections):
        hear = (each.neuron for each in populations if connection.target in (ALL, each.name))
        taken = {dimension for neuron in hear for dimension in _taken(neuron)}
        if k not in found and len(taken) == 1:
            (found[k],) = taken
    return found


def _taken(neuron: Neuron) -> set[Dimension]:
    """Of excitatory and of inhibitory weights."""
    if isinstance(neuron, Source):
        return set()
    if not isinstance(neuron, OwnNeuron):
        return {unit(_fixed(neuron)[0])[0]}
    model = typed_of(neuron).model
    return {each for each, changes in zip(model.weights, model.arriving, strict=True) if changes}


def typed_connections(
    connections: Sequence[Connection], populations: Sequence[Population], dt: float, seed: int = 0
) -> dict[int, TypedConnection]:
    """Of those of the connections whose synapses are typed, by their numbers. Raises ProblemError with its place."""
    names = [each.name for each in populations]
    first = [sum(each.number for each in populations[:k]) for k in range(len(populations))]
    found: dict[int, TypedConnection] = {}
    summed: dict[tuple[int, str], int] = {}
    for k, connection in enumerate(connections):
        own = connection.plasticity
        if not isinstance(own, OwnSynapse):
            continue
        for field, name in (("source", connection.source), ("target", connection.target)):
            if name == ALL and len(names) > 1:
                raise ProblemError(
                    "Synapses of your own equations are of one population to one: choose it.", ("connections", k, field)
                )
            if name != ALL and name not in names:
                return found  # told where connections are checked
        source, target = (
            0 if name == ALL else names.index(name) for name in (connection.source, connection.target)
        )  # fmt: skip
        place = ("connections", k, "plasticity")
        with placed_at(*place):
            ends = {"N_pre": populations[source].number, "N_post": populations[target].number,
                    "@first_pre": first[source], "@first_post": first[target]}  # fmt: skip
            drawn = {"@seed": float(seed), "@connection": float(k)}
            late = round(own.post_delay / dt)
            given = {
                **numbers_of(own.parameters),
                "dt": dt,
                **ends,
                **drawn,
                QUANTA: 1.0,
                LIMIT: 1.0,
                LATE: float(late),
            }
            if late >= LONGEST or (own.post_delay and not late):
                raise ProblemError(
                    f"A delay of {own.post_delay:g} ms is {own.post_delay / dt:,.2g} steps of {dt:g} ms: take between "
                    f"1 and {LONGEST - 1:,} of them, or none.",
                    ("post_delay",),
                )
            typed = synapse_of(own, populations[target].neuron, place, populations[source].neuron)
            check_numbers(typed, given)
            for variable in typed.model.sums:
                other = summed.setdefault((target, variable), k)
                if other != k:
                    raise ProblemError(
                        f"{variable} of {connection.target} is summed up by connection {other + 1} already: give each "
                        "a variable of its own.",
                        ("lines",),
                    )
            found[k] = TypedConnection(typed, given, {each.name: unit(each.unit)[1] for each in own.parameters})
    return found


def synapse_of(
    own: OwnSynapse, hears: Neuron, place: tuple[str | int, ...] = (), sends: Neuron | None = None
) -> TypedSynapse:  # fmt: skip
    """Raises ProblemError, which offers to add a parameter that a formula names."""
    (sent, _), (heard, summed) = _variables(sends), _variables(hears)
    reach = Reach(tuple(heard_by(hears).items()), (sent, heard), summed, (_reset(sends), _reset(hears)))

    def read(known: Mapping[str, Dimension]) -> TypedSynapse:
        return planned(own.text, tuple(known.items()), reach, own.method)

    with adding(own.parameters, place, read, partial(guessed, own.text)):
        return read(dimensions(own.parameters))


def _reset(neuron: Neuron | None) -> tuple[str, ...]:
    return tuple(name for name, _ in typed_of(neuron).model.reset) if isinstance(neuron, OwnNeuron) else ()


def _variables(neuron: Neuron | None) -> tuple[tuple[Variable, ...], tuple[Variable, ...]]:
    """Those of a typed neuron that synapses may read, and those that they sum up; of other neurons none."""
    if not isinstance(neuron, OwnNeuron):
        return (), ()
    typed = typed_of(neuron)
    rows = tuple(Variable(name, typed.model.dimensions[name], typed.places[name]) for name in typed.variables)
    summed = typed.model.summed
    return tuple(row for row in rows if row.name not in summed), tuple(row for row in rows if row.name in summed)
