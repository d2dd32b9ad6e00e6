"""What a Brian2 text makes as populations and connections: groups are cut where synapses are of a part of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.spiking.brian2.arrays import written_out
from engines.spiking.brian2.delays import columns_of, delay_of
from engines.spiking.brian2.neurons import Neurons, checked, neurons_of, typed_or_refused
from engines.spiking.brian2.objects import Connect, Group, Input, Joint, Part, Script, Setting
from engines.spiking.brian2.quantities import Quantity
from engines.spiking.brian2.synapses import Synapses, place_of, synapses_of
from engines.spiking.parameters.connections import ALL
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.typed.names import WEIGHT
from engines.spiking.typed.synapses.connection import synapse_of

LONGEST_NAME = 36
Rows = list[dict[str, Any]]
Tables = dict[str, dict[str, Array]]
Pieces = Mapping[Group, list[tuple[str, Part]]]
"""(name of the population, neurons of the group) of each group."""
Listed = tuple[list[Connect], Mapping[str, Array]]
"""What is joined, and values of each synapse by columns of its table."""


def network_of(script: Script) -> tuple[Rows, Rows, Tables]:
    """Populations and connections, as parameters have them, and tables that they name. Raises ProblemError with the
    line of what no network is without; what else cannot be is told in the script."""
    hearers = {group: neurons_of(script, group) for group in script.groups if group.rate is None}
    found = list(_joined(script, hearers))
    inputs = list(_inputs(script, hearers))
    listed = {one.joint: _listed(script, one, hearers) for one in found}
    pieces = _pieces(script, [each for whole, _ in listed.values() for each in whole], [each for each, _ in inputs])
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
    tables: Tables = {}
    return populations, list(_connections(script, found, listed, pieces, tables)), tables


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


def _pieces(script: Script, connects: list[Connect], inputs: list[Input]) -> Pieces:
    """Groups, cut where connections take a part of them."""
    cuts: dict[Group, set[int]] = {group: {0, group.number} for group in script.groups}
    ends = [end for each in connects for end in (each.source, each.target)]
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
    script: Script, found: list[Synapses], listed: Mapping[Joint, Listed], pieces: Pieces, tables: Tables
) -> Iterator[dict[str, Any]]:
    total = sum(len(each) for each in pieces.values())
    for one in found:
        joint, fixed = one.joint, one.plasticity["kind"] == "none"
        late = joint.delay.value if isinstance(joint.delay, Quantity) else 0.0
        if 0 < late < script.step:
            script.tell(joint.line, ": a delay of less than a step is none here")
        own = {"weight": one.weight, "plasticity": one.plasticity}
        connects, columns = listed[joint]
        for connect in connects:
            sources, targets = (_within(pieces, each) for each in (connect.source, connect.target))
            if connect.rule["kind"] == "one to one":
                for source, target, ends in _pairs(script, connect, sources, targets):
                    delay = delay_of(script, joint, ends)
                    yield {"source": source, "target": target, "rule": connect.rule, "delay": delay, **own}
                continue
            together = fixed and len(targets) == total > 1 and connect.rule["kind"] != "pairs"
            if together and not isinstance(joint.delay, Setting):
                targets = [(ALL, connect.target)]
            for source, sends in sources:
                for target, hears in targets:
                    rule = _rule(connect, columns, (sends, hears), tables)
                    if rule is not None:
                        delay = delay_of(script, joint, (sends, hears))
                        yield {"source": source, "target": target, "rule": rule, "delay": delay, **own}


def _listed(script: Script, one: Synapses, hearers: Mapping[Group, Neurons]) -> Listed:
    """Connects, all pairs of them where values of each synapse are read; and these."""
    joint, fixed = one.joint, one.plasticity["kind"] == "none"
    if fixed and hearers[joint.target.group].arriving.get("inhibitory") == one.adds[0]:
        one.weight["weight"] = -one.weight["weight"]
    if not joint.values:
        return joint.connects, {}
    try:
        pairs = written_out(joint)
    except ProblemError as error:
        for name, (line, _) in joint.values.items():
            script.tell(line, f": values of {name} of each synapse are left out: {str(error).removesuffix('.')}")
        return joint.connects, {}
    sign = 0 if not fixed else -1 if one.weight["weight"] < 0 else 1
    columns = columns_of(script, joint, one.listed, sign, pairs.shape[1])
    whole = Connect(joint.line, joint.source, joint.target, {"kind": "pairs"}, pairs)
    return ([whole] if columns else joint.connects), columns


def _rule(
    connect: Connect, columns: Mapping[str, Array], ends: tuple[Part, Part], tables: Tables
) -> Mapping[str, object] | None:  # fmt: skip
    """Of synapses between two parts; those that are listed become a table, unless there is none of them."""
    if connect.rule["kind"] != "pairs" or connect.pairs is None:
        return connect.rule
    inside = [(row >= part.first) & (row < part.stop) for row, part in zip(connect.pairs, ends, strict=True)]
    kept = np.flatnonzero(inside[0] & inside[1])
    if not len(kept):
        return None
    name = f"pairs_{len(tables)}.npz"
    pre, post = (row[kept] - part.first for row, part in zip(connect.pairs, ends, strict=True))
    tables[name] = {"pre": pre, "post": post, **{key: values[kept] for key, values in columns.items()}}
    return {"kind": "file", "path": name}


def _within(pieces: Pieces, part: Part) -> list[tuple[str, Part]]:
    return [each for each in pieces[part.group] if part.first <= each[1].first and each[1].stop <= part.stop]


def _pairs(
    script: Script, connect: Connect, sources: list[tuple[str, Part]], targets: list[tuple[str, Part]]
) -> Iterator[tuple[str, str, tuple[Part, Part]]]:
    """Populations of the same numbers, and their neurons."""
    ends = {(part.first - connect.target.first, part.stop - connect.target.first): (name, part)
            for name, part in targets}  # fmt: skip
    for name, part in sources:
        own = part.first - connect.source.first, part.stop - connect.source.first
        if own in ends:
            target, hears = ends[own]
            yield name, target, (part, hears)
        else:
            script.tell(connect.line, f": {name} is not joined one to one, for its hearers are cut in other places")
