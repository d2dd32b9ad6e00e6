"""What a Brian2 text makes as populations and connections: groups are cut where synapses are of a part of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from engines.api.errors import ProblemError
from engines.spiking.brian2.neurons import Neurons, checked, neurons_of, typed_or_refused
from engines.spiking.brian2.objects import Connect, Group, Input, Part, Script
from engines.spiking.brian2.synapses import Synapses, place_of, synapses_of
from engines.spiking.parameters.connections import ALL
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.typed.names import WEIGHT
from engines.spiking.typed.synapses.connection import synapse_of

LONGEST_NAME = 36
Rows = list[dict[str, Any]]
Pieces = Mapping[Group, list[tuple[str, Part]]]
"""(name of the population, neurons of the group) of each group."""


def network_of(script: Script) -> tuple[Rows, Rows]:
    """Populations and connections, as parameters have them. Raises ProblemError with the line of what no network is
    without; what else cannot be is told in the script."""
    hearers = {group: neurons_of(script, group) for group in script.groups if group.rate is None}
    found = list(_joined(script, hearers))
    inputs = list(_inputs(script, hearers))
    pieces = _pieces(script, found, [each for each, _ in inputs])
    for group, neurons in hearers.items():
        neurons.cut = len(pieces[group]) > 1
        typed_or_refused(neurons)
    populations = [_population(group, piece, name, hearers)
                   for group in script.groups for name, piece in pieces[group]]  # fmt: skip
    by_name = {each["name"]: each for each in populations}
    for each, sign in inputs:
        for name, _ in _within(pieces, each.target):
            external = by_name[name]["external"]
            if "rate" in external:
                script.tell(each.line, f": {name} has spikes from outside already, and these are left out")
            else:
                external |= {"rate": each.rate, "weight": sign * abs(each.weight.value)}
    return populations, list(_connections(script, hearers, found, pieces))


def _joined(script: Script, hearers: Mapping[Group, Neurons]) -> Iterator[Synapses]:
    for joint in script.joints:
        hearer = hearers.get(joint.target.group)
        try:
            if hearer is None:
                raise ProblemError("it leads to sources, which hear nobody")
            if not joint.connects:
                raise ProblemError("it joins no pairs, for it lacks a connect()")
            before = dict(hearer.arriving)
            each = synapses_of(script, joint, hearer, hearers.get(joint.source.group))
            try:
                for text in each.adds:
                    place_of(hearer, text)
                _check(each, hearer, hearers.get(joint.source.group))
            except ProblemError:
                hearer.arriving = before
                raise
            yield each
        except ProblemError as error:
            text = re.sub(r"^Line \d+( of \w+)?:? ?", "", str(error)).removesuffix(".")
            script.tell(joint.line, f": {joint.name} is left out: {text}")


def _check(each: Synapses, hearer: Neurons, sender: Neurons | None) -> None:
    """Raises ProblemError for typed synapses that are not understood."""
    if each.plasticity["kind"] != "none":
        own, hears = checked(OwnSynapse, each.plasticity), checked(OwnNeuron, hearer.neuron())
        synapse_of(own, hears, (), checked(OwnNeuron, sender.neuron()) if sender is not None else None)


def _inputs(script: Script, hearers: Mapping[Group, Neurons]) -> Iterator[tuple[Input, int]]:
    """And the sign of their weights here."""
    for each in script.inputs:
        hearer = hearers.get(each.target.group)
        try:
            if hearer is None:
                raise ProblemError("it is for sources, which hear nobody")
            variable = hearer.names.get(each.variable, each.variable)
            place = place_of(hearer, f"{variable} {'-' if each.weight.value < 0 else '+'}= {WEIGHT}")
            typed_or_refused(hearer)
            yield each, 1 if place == "excitatory" else -1
        except ProblemError as error:
            script.tell(each.line, f": PoissonInput is left out: {str(error).removesuffix('.')}")


def _pieces(script: Script, found: list[Synapses], inputs: list[Input]) -> Pieces:
    """Groups, cut where connections take a part of them."""
    cuts: dict[Group, set[int]] = {group: {0, group.number} for group in script.groups}
    ends = [end for each in found for one in each.joint.connects for end in (one.source, one.target)]
    for end in (*ends, *(each.target for each in inputs)):
        cuts[end.group] |= {end.first, end.stop}
    named = {part: name for name, part in script.parts.items()}
    taken, pieces = {ALL}, {}
    for group in script.groups:
        own = []
        for first, stop in pairwise(sorted(cuts[group])):
            part, whole = Part(group, first, stop), group.title or group.name
            name = whole if stop - first == group.number else named.get(part, f"{whole[:16]}[{first}:{stop}]")
            name = name[:LONGEST_NAME] or "G"
            while name in taken:
                name += "'"
            taken.add(name)
            own.append((name, part))
        if len(own) > 1:
            told = ", ".join(name for name, _ in own[:6])
            script.tell(
                group.line, f": {group.name} becomes {len(own)} populations, as synapses are of them: {told}", False
            )
        pieces[group] = own
    return pieces


def _population(group: Group, piece: Part, name: str, hearers: Mapping[Group, Neurons]) -> dict[str, Any]:
    own: dict[str, Any] = {"name": name, "number": piece.stop - piece.first}
    if group.rate is not None:
        return own | {"neuron": {"kind": "poisson", "rate": float(f"{group.rate.value * 1e3:.12g}")}}
    neurons = hearers[group]
    return own | {"neuron": neurons.neuron(piece.first), "start": neurons.start, "external": dict(neurons.external)}


def _connections(
    script: Script, hearers: Mapping[Group, Neurons], found: list[Synapses], pieces: Pieces
) -> Iterator[dict[str, Any]]:
    total = sum(len(each) for each in pieces.values())
    for one in found:
        joint, fixed = one.joint, one.plasticity["kind"] == "none"
        late = joint.delay.value if joint.delay is not None else 0.0
        if 0 < late < script.step:
            script.tell(joint.line, ": a delay of less than a step is none here")
        weight = dict(one.weight)
        if fixed and hearers[joint.target.group].arriving.get("inhibitory") == one.adds[0]:
            weight["weight"] = -weight["weight"]
        own = {
            "delay": {"kind": "constant", "delay": float(f"{late:.12g}")} if late >= script.step else {"kind": "none"},
            "weight": weight, "plasticity": one.plasticity,
        }  # fmt: skip
        for connect in joint.connects:
            sources, targets = (_within(pieces, each) for each in (connect.source, connect.target))
            if connect.rule["kind"] == "one to one":
                yield from ({"source": a, "target": b, "rule": connect.rule, **own}
                            for a, b in _pairs(script, connect, sources, targets))  # fmt: skip
                continue
            together = fixed and len(targets) == total > 1
            for source, _ in sources:
                for target in [ALL] if together else [name for name, _ in targets]:
                    yield {"source": source, "target": target, "rule": connect.rule, **own}


def _within(pieces: Pieces, part: Part) -> list[tuple[str, Part]]:
    return [each for each in pieces[part.group] if part.first <= each[1].first and each[1].stop <= part.stop]


def _pairs(
    script: Script, connect: Connect, sources: list[tuple[str, Part]], targets: list[tuple[str, Part]]
) -> Iterator[tuple[str, str]]:
    """Populations of the same numbers."""
    ends = {(part.first - connect.target.first, part.stop - connect.target.first): name for name, part in targets}
    for name, part in sources:
        own = part.first - connect.source.first, part.stop - connect.source.first
        if own in ends:
            yield name, ends[own]
        else:
            script.tell(connect.line, f": {name} is not joined one to one, for its hearers are cut in other places")
