"""From SONATA's nodes and edges to populations and connections: nodes of one kind are a population each, and edges
between two of these a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.spiking.sonata.models import POINT, Clamp, model_of, neuron_of
from engines.spiking.sonata.tables import Edges, Nodes

MOST_POPULATIONS, MOST_CONNECTIONS = 64, 1024
LONGEST_NAME = 36
USUAL_WEIGHT, USUAL_DELAY = 1.0, 1.0
"""Of NEST's synapses that say nothing else; the delay in ms."""
DYNAMICS = "dynamics_params"
OF_EDGES = {"static_synapse", "static_synapse_hom_w"}
"""Models of synapses whose weights stay."""
LABELS = ("pop_name", "model_name", "cell_name", "name")
Tables = dict[str, dict[str, Array]]
Tell = Callable[..., None]


@dataclass(eq=False)
class Kind:
    """Nodes that become a population. members: (k,) their places; given: parameters of their model; clamps: currents
    into them; name: of the population; ports: how many of its synapses of each sign are of which time constant"""

    nodes: Nodes
    members: Array
    type: int
    template: str
    given: dict[str, Any]
    clamps: list[Clamp]
    name: str = ""
    spikes: str = ""
    ports: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def virtual(self) -> bool:
        return not self.template


@dataclass(eq=False)
class Circuit:
    """What is read of the files. parameters: JSON by the name that types have for it; clamps: a current and who gets
    it, by population; spikes: ids and times [ms] by population; tell(sentence, whether the network is another by it)"""

    nodes: list[Nodes]
    edges: list[Edges]
    parameters: Mapping[str, Mapping[str, Any]]
    clamps: list[tuple[Clamp, dict[str, Array]]]
    spikes: dict[str, tuple[Array, Array]]
    step: float
    tell: Tell


def network_of(circuit: Circuit) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Tables]:
    """Populations and connections as parameters have them, and tables that they name. Raises ProblemError."""
    split = sum(len(_parts(circuit, nodes, True)[0]) for nodes in circuit.nodes) <= MOST_POPULATIONS
    kinds = list(_kinds(circuit, split))
    if len(kinds) > MOST_POPULATIONS:
        raise ProblemError(f"it has {len(kinds):,} kinds of neurons, and there may be {MOST_POPULATIONS} populations")
    if not any(not kind.virtual for kind in kinds):
        raise ProblemError("it has no point neurons that are known here")
    _name(kinds)
    tables: Tables = {}
    for kind in kinds:
        if kind.virtual:
            kind.spikes = f"spikes_{len(tables)}.npz"
            tables[kind.spikes] = _spikes(circuit, kind)
    connections = list(_connections(circuit, kinds, tables))
    if len(connections) > MOST_CONNECTIONS:
        raise ProblemError(f"it joins {len(connections):,} pairs of kinds of neurons: {MOST_CONNECTIONS:,} can be")
    populations = []
    for kind in kinds:
        neuron: dict[str, Any] = {"kind": "spike list", "path": kind.spikes}
        if not kind.virtual:
            neuron = _neuron(circuit, kind)
        populations.append({"name": kind.name, "number": len(kind.members), "neuron": neuron})
    return populations, connections, tables


def _parts(circuit: Circuit, nodes: Nodes, split: bool) -> tuple[Array, Array]:
    """(the first node of each kind, the kind of each node)"""
    models, templates = nodes.texts("model_type"), nodes.texts("model_template")
    virtual = models == "virtual"
    within = [who[nodes.name] for _, who in circuit.clamps]
    codes = [nodes.types, *(np.unique(each.astype(str), return_inverse=True)[1] for each in (models, templates))]
    codes += [np.unique(np.where(has, values, np.inf), return_inverse=True)[1]
              for values, has in (nodes.own[name] for name in _own(nodes)) if split]  # fmt: skip
    codes = [virtual, *(np.where(virtual, 0, each) for each in (*codes, *within))]
    _, first, whose = np.unique(np.stack(codes), axis=1, return_index=True, return_inverse=True)
    return first, whose.ravel()


def _own(nodes: Nodes) -> list[str]:
    """Parameters of their models that nodes have themselves, numbers alone."""
    return [
        name for name, (values, _) in nodes.own.items() if name.startswith(f"{DYNAMICS}/") and values.dtype == float
    ]


def _kinds(circuit: Circuit, split: bool) -> Iterator[Kind]:
    """``split``: nodes whose own parameters differ are of different kinds; otherwise these have their mean."""
    for nodes in circuit.nodes:
        first, whose = _parts(circuit, nodes, split)
        texts = [name for name in nodes.own if name.startswith(f"{DYNAMICS}/") and name not in _own(nodes)]
        if texts:
            names = ", ".join(each.partition("/")[2] for each in texts)
            circuit.tell(f"parameters of nodes '{nodes.name}' that are no numbers are not taken: {names[:80]}")
        models, templates = nodes.texts("model_type"), nodes.texts("model_template")
        for place in np.argsort(first, kind="stable"):
            members, one = np.flatnonzero(whose == place), int(first[place])
            template = "" if models[one] == "virtual" else templates[one] or "none"
            kind = Kind(nodes, members, int(nodes.types[one]), template, {}, [])
            if _maps(circuit, kind, models[one]):
                kind.given = _given(circuit, kind)
                kind.clamps = [clamp for clamp, who in circuit.clamps if who[nodes.name][one]]
                yield kind


def _maps(circuit: Circuit, kind: Kind, model: str) -> bool:
    """Whether nodes become a population; what does not is told."""
    what = f"{_counted(len(kind.members), 'node')} of '{kind.nodes.name}'"
    if kind.virtual:
        if kind.nodes.name not in circuit.spikes:
            circuit.tell(f"left out, with what they send: {what}, which are virtual and get no spikes by an input")
        return kind.nodes.name in circuit.spikes
    what += f" (type {kind.type}, {model or 'no model_type'}, {kind.template[:60]})"
    known = model_of(kind.template)
    if model not in POINT or known is None:
        why = "only point neurons are solved here" if model not in POINT else "there is no such model here"
        if model == "biophysical":
            why = "cells with morphologies and channels along them are not solved here, only point neurons"
        circuit.tell(f"left out, with all synapses: {what}: {why}")
        return False
    if known.note:
        circuit.tell(f"{what}: {known.note}")
    return True


def _counted(number: int | np.integer[Any], what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _given(circuit: Circuit, kind: Kind) -> dict[str, Any]:
    """Parameters of the model: of the type's JSON, then those that nodes have themselves."""
    if kind.virtual:
        return {}
    file = kind.nodes.of_type(kind.type).get(DYNAMICS, "")
    found = dict(circuit.parameters.get(file, {}))
    for name in _own(kind.nodes):
        values, has = (each[kind.members] for each in kind.nodes.own[name])
        key, values = name.partition("/")[2], values[has]
        if len(values):
            found[key] = float(values.mean())
            if len(values) < len(kind.members) or np.ptp(values):
                circuit.tell(
                    f"{key} of '{kind.nodes.name}' (type {kind.type}) differs from node to node, in too many ways for "
                    f"populations of their own: all have the mean, {found[key]:.6g}"
                )
    return found


def _name(kinds: Sequence[Kind]) -> None:
    """Of each population, by the type's own name where there are several of one."""
    whole, taken = Counter(kind.nodes.name for kind in kinds), {"all"}
    for kind in kinds:
        row = kind.nodes.of_type(kind.type)
        label = next((row[each] for each in LABELS if row.get(each)), str(kind.type))
        label = "virtual" if kind.virtual else label
        name = kind.nodes.name if whole[kind.nodes.name] == 1 else f"{kind.nodes.name[:20]} {label}"
        name, number = name[:LONGEST_NAME] or "nodes", 2
        kind.name = name
        while kind.name in taken:
            kind.name, number = f"{name[: LONGEST_NAME - 5]} {number}", number + 1
        taken.add(kind.name)


def _spikes(circuit: Circuit, kind: Kind) -> dict[str, Array]:
    """A spike at a time T arrives T and the delay later, at the next step, as in NEST: it is fired in the step that
    ends there."""
    ids, times = circuit.spikes[kind.nodes.name]
    places = kind.nodes.places(ids, "The spikes")
    order = np.full(len(kind.nodes), -1)
    order[kind.members] = np.arange(len(kind.members))
    steps = np.ceil(times / circuit.step - 1e-6) - 1
    good = (order[places] >= 0) & (times >= 0)
    if not good.all():
        number = _counted(np.count_nonzero(~good), "spike")
        circuit.tell(f"left out: {number} of '{kind.nodes.name}', before 0 ms or of nodes that are not virtual")
    return {"neuron": order[places][good], "time": np.maximum(steps[good], 0) * circuit.step}


def _connections(circuit: Circuit, kinds: Sequence[Kind], tables: Tables) -> Iterator[dict[str, Any]]:
    """And their tables. Synapses of several populations of edges between the same two are one table."""
    parts: dict[tuple[int, int], list[dict[str, Array]]] = {}
    homes = {nodes.name: _homes(nodes, kinds) for nodes in circuit.nodes}
    for edges in circuit.edges:
        for pair, table in _joined(circuit, edges, kinds, homes):
            parts.setdefault(pair, []).append(table)
    for number, ((source, target), found) in enumerate(sorted(parts.items(), key=lambda each: each[0])):
        name = f"edges_{number}.npz"
        tables[name] = {key: np.concatenate([each[key] for each in found]) for key in found[0]}
        yield {"source": kinds[source].name, "target": kinds[target].name, "rule": {"kind": "file", "path": name}}


def _homes(nodes: Nodes, kinds: Sequence[Kind]) -> tuple[Nodes, Array, Array]:
    """(nodes, number of each's kind or −1, its number within it)"""
    kind, place = np.full((2, len(nodes)), -1)
    for number, each in enumerate(kinds):
        if each.nodes is nodes:
            kind[each.members], place[each.members] = number, np.arange(len(each.members))
    return nodes, kind, place


def _joined(
    circuit: Circuit, edges: Edges, kinds: Sequence[Kind], homes: Mapping[str, tuple[Nodes, Array, Array]]
) -> Iterator[tuple[tuple[int, int], dict[str, Array]]]:
    ends = []
    for population, ids in ((edges.source, edges.sources), (edges.target, edges.targets)):
        if population not in homes:
            circuit.tell(f"left out: edges '{edges.name}', for there are no nodes '{population}'")
            return
        nodes, kind, place = homes[population]
        places = nodes.places(ids, f"Edges '{edges.name}'")
        ends += [kind[places], place[places]]
    source, pre, target, post = ends
    virtual = np.array([kind.virtual for kind in kinds])
    keep = (source >= 0) & (target >= 0) & ~virtual[target]
    if not keep.all():
        number = f"{np.count_nonzero(~keep):,} of {_counted(len(keep), 'edge')}"
        circuit.tell(f"left out: {number} '{edges.name}', as a node at an end is, or a virtual one hears")
    weight, delay, port = _weights(circuit, edges), _delays(circuit, edges), _receptors(circuit, edges)
    scale = np.array([1.0 if kind.virtual else model_of(kind.template).weight for kind in kinds])  # type: ignore[union-attr]  # those that map have a model
    weight = np.where(port < 0, -np.abs(weight), weight) * scale[target]
    if not keep.any():
        return
    kept, pairs = np.flatnonzero(keep), source * len(kinds) + target
    kept = kept[np.argsort(pairs[kept], kind="stable")]
    codes, first = np.unique(pairs[kept], return_index=True)
    for code, own in zip(codes, np.split(kept, first[1:]), strict=True):
        pair = int(code) // len(kinds), int(code) % len(kinds)
        votes = kinds[pair[1]].ports
        for sign in (1, -1):
            numbers, counts = np.unique(port[own][np.sign(weight[own]) == sign], return_counts=True)
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                votes[sign, number] = votes.get((sign, number), 0) + count
        yield pair, {"pre": pre[own], "post": post[own], "weight": weight[own], "delay": delay[own]}


def _weights(circuit: Circuit, edges: Edges) -> Array:
    weight, number = edges.numbers("syn_weight"), edges.numbers("nsyns")
    if edges.said("weight_function"):
        circuit.tell(f"edges '{edges.name}' have a weight_function, which is not computed: their syn_weight is taken")
    odd = sorted(edges.said("model_template") - OF_EDGES)
    if odd:
        circuit.tell(f"edges '{edges.name}' are of {', '.join(odd)[:60]}, and here synapses whose weights stay")
    if np.isnan(weight).any():
        missing = _counted(np.count_nonzero(np.isnan(weight)), "edge")
        circuit.tell(f"{missing} '{edges.name}' without a syn_weight: {USUAL_WEIGHT:g}, as NEST's")
    if not np.isnan(number).all():
        circuit.tell(f"edges '{edges.name}' of several synapses (nsyns) have the weight of all of them", matters=False)
    if (number < 0).any():
        raise ProblemError(f"edges '{edges.name}' have fewer synapses (nsyns) than 0")
    weight = np.where(np.isnan(weight), USUAL_WEIGHT, weight) * np.where(np.isnan(number), 1.0, number)
    if not np.isfinite(weight).all():
        raise ProblemError(f"edges '{edges.name}' have a weight that is no number")
    return weight


def _delays(circuit: Circuit, edges: Edges) -> Array:
    delay, step = edges.numbers("delay"), circuit.step
    if np.isnan(delay).any():
        number = _counted(np.count_nonzero(np.isnan(delay)), "edge")
        circuit.tell(f"{number} '{edges.name}' without a delay: {USUAL_DELAY:g} ms, as NEST's")
    delay = np.where(np.isnan(delay), USUAL_DELAY, delay)
    if not np.isfinite(delay).all():
        raise ProblemError(f"edges '{edges.name}' have a delay that is no number")
    if (short := delay < step * (1 - 1e-9)).any():
        circuit.tell(
            f"{np.count_nonzero(short):,} edges '{edges.name}' have delays below the step, and get {step:g} ms"
        )
    return np.maximum(delay, step)


def _receptors(circuit: Circuit, edges: Edges) -> Array:
    """(n,) int64: the port of each synapse, 0 where none is said, −1 of those that PyNN calls inhibitory."""
    known, inverse = np.unique(edges.types, return_inverse=True)
    found, told = np.zeros(len(known), np.int64), set()
    for k, identifier in enumerate(known):
        given = dict(circuit.parameters.get(edges.of_type(int(identifier)).get(DYNAMICS, ""), {}))
        port = given.pop("receptor_type", 0)
        found[k] = port if isinstance(port, int) and 0 <= port < 1000 else -1 if port == "inhibitory" else 0
        told |= {str(key)[:30] for key in given if key not in ("level_of_detail", "weight", "delay")}
    ports, own = found[inverse], f"{DYNAMICS}/receptor_type"
    if own in edges.own and edges.own[own][0].dtype == float:
        given_ports, has = edges.own[own]
        ports[has] = np.clip(np.nan_to_num(given_ports[has]), 0, 1000)
    told |= {name[:40] for name in edges.own if name.startswith(f"{DYNAMICS}/") and name != own}
    if told:
        circuit.tell(f"parameters of synapses '{edges.name}' that are not known here: {', '.join(sorted(told)[:8])}")
    return ports


def _neuron(circuit: Circuit, kind: Kind) -> dict[str, Any]:
    """With the time constants that most of its synapses have."""
    ports = []
    for sign in (1, -1):
        votes = {port: count for (s, port), count in kind.ports.items() if s == sign}
        ports.append(max(votes, key=lambda port: votes[port], default=1) or 1)
    model = model_of(kind.template)
    neuron, told = neuron_of(kind.template, kind.given, kind.clamps, (ports[0], ports[1]))
    others = sum(count for (sign, port), count in kind.ports.items() if (port or 1) != ports[0 if sign > 0 else 1])
    if model is not None and model.ports and others:
        told.append(f"{others:,} synapses of other time constants than most of their sign have")
    if told:
        circuit.tell(f"'{kind.name}' goes without {'; '.join(told)[:300]}")
    if not all(math.isfinite(row["value"]) for row in neuron["parameters"]):
        raise ProblemError(f"'{kind.name}' has a parameter that is no number")
    return neuron
