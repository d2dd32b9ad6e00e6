"""Synapses and inputs of a Brian2 text as connections: plain weights where that is all they are, else typed ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.typed.units import NONE, has, named, unit
from engines.spiking.brian2.equations import (
    Item,
    free_names,
    is_known,
    items_of,
    renamed,
    statements_of,
    words,
    written,
)
from engines.spiking.brian2.neurons import METHODS, Neurons
from engines.spiking.brian2.objects import Joint, Script
from engines.spiking.brian2.quantities import Quantity, dimension_in, formula_value
from engines.spiking.typed.names import WEIGHT

HEADROOM = 16.0
"""Of what a spike adds over what it adds at first."""
_INHIBITS = re.compile(r"(^|_)(g_?i|gi|i_?i|inh\w*|gaba\w*|ipsc\w*)($|_)", re.IGNORECASE)
_NORMAL = re.compile(
    r"\s*(-?)\s*clip\(\s*([-+\w.]+)\s*\+\s*([-+\w.]+)\s*\*\s*randn\(\s*\)\s*,\s*0\s*,\s*inf\s*\)\s*\*\s*(.+)"
)
"""As our own scripts draw weights."""
_DRAWN = re.compile(r"\b(randn?)\s*\(\s*\)")


@dataclass
class Synapses:
    """What becomes of a Joint. adds: texts of what its spikes add, each a kind of spikes that the hearer has; weight,
    plasticity: as of a connection's parameters"""

    joint: Joint
    adds: list[str]
    weight: dict[str, Any]
    plasticity: dict[str, Any] = field(default_factory=lambda: {"kind": "none"})
    listed: str = ""
    """The variable whose values of each synapse are what a table has as weights."""


def synapses_of(script: Script, joint: Joint, hearer: Neurons, sender: Neurons | None) -> Synapses:
    """Raises ProblemError; its sentence goes on after the name of a line."""
    known = {**script.names, **joint.own}
    items = [_renamed_item(each, hearer, sender) for each in items_of(joint.model)]
    on_pre = [_renamed(each, items, hearer) for each in statements_of(joint.on_pre)]
    items += _aside(items, joint, hearer, known)
    plain = _plain(joint, hearer, items, on_pre, known)
    return plain or _typed(joint, hearer, items, on_pre, known)


def _renamed(statement: tuple[str, str, str], items: list[Item], hearer: Neurons) -> tuple[str, str, str]:
    """Variables of the hearer are called as they are here, with ``_post``."""
    name, op, formula = statement
    own = {each.name for each in items}
    theirs = {old: new for old, new in hearer.names.items() if old not in own}

    def called(word: str) -> str:
        bare = word.removesuffix("_post")
        new = theirs.get(bare, bare)
        return f"{new}_post" if word not in own and new in hearer.variables else word

    return called(name), op, renamed(formula, {word: called(word) for word in words(formula)})


def _renamed_item(item: Item, hearer: Neurons, sender: Neurons | None) -> Item:
    """Variables of both neurons are called as they are here."""
    ends = (("_post", hearer), *((("_pre", sender),) if sender is not None else ()))
    names = {old + end: new + end for end, whose in ends for old, new in whose.names.items()}
    return item._replace(name=names.get(item.name, item.name), formula=renamed(item.formula, names))


def _aside(items: list[Item], joint: Joint, hearer: Neurons, known: Mapping[str, Quantity]) -> list[Item]:
    """Names that statements give a value and no equation has: Brian2 forgets them, here they are variables."""
    dimensions = {name: each.dimension for name, each in known.items()} | {
        each.name: unit(each.unit)[0] for each in items
    }
    dimensions |= {"t": unit("ms")[0], "dt": unit("ms")[0], "i": NONE, "j": NONE, "N_pre": NONE, "N_post": NONE}
    found = []
    for name, op, formula in (*statements_of(joint.on_pre), *statements_of(joint.on_post)):
        theirs = name.removesuffix("_post") in hearer.names or name.removesuffix("_post") in hearer.variables
        if op == "" and name not in dimensions and not theirs and not name.endswith(("_pre", "_post")):
            dimensions[name] = dimension_in(formula, dimensions)
            found.append(Item(joint.line, "parameter", name, "", named(dimensions[name]), ()))
    return found


def _plain(
    joint: Joint, hearer: Neurons, items: list[Item], on_pre: list[tuple[str, str, str]], known: Mapping[str, Quantity]
) -> Synapses | None:
    """Where a spike adds a weight that stays; None for all else."""
    if joint.on_post.strip() or not on_pre or len(items) > 1 or any(each.kind != "parameter" for each in items):
        return None
    if any(not name.endswith("_post") or op not in ("+", "-") for name, op, _ in on_pre):
        return None
    if not items:
        if len(on_pre) > 1 or any(not (name in known or is_known(name)) for name in words(on_pre[0][2])):
            return None
        name, op, formula = on_pre[0]
        if _DRAWN.search(formula) or set(words(formula)) & {"i", "j", "t"}:
            return None
        value = formula_value(formula, known).value * (-1 if op == "-" else 1)
        text = f"{name.removesuffix('_post')} {'-' if value < 0 else '+'}= {WEIGHT}"
        return Synapses(joint, [text], {"kind": "constant", "weight": abs(value)})
    own = items[0].name
    weight = _weight(joint, own, known)
    if weight is None or any(
        own not in words(formula)
        or any(not (word in known or word == own or is_known(word)) for word in words(formula))
        for _, _, formula in on_pre
    ):
        return None
    turned = {"+": "-", "-": "+"} if weight["weight"] < 0 else {"+": "+", "-": "-"}
    changes = [
        (name.removesuffix("_post"), turned[op], renamed(formula, {own: WEIGHT})) for name, op, formula in on_pre
    ]
    hearer.need(" ".join(formula for *_, formula in changes), known)
    listed = own if own in joint.values else ""
    return Synapses(joint, [written(changes)], {**weight, "weight": abs(weight["weight"])}, listed=listed)


def _weight(joint: Joint, own: str, known: Mapping[str, Quantity]) -> dict[str, Any] | None:
    """Constant or normal, as a connection draws it; of values of each the largest."""
    if own in joint.values and not joint.settings:
        values = _checked(joint, own)
        return None if values.min() < 0 < values.max() else {"kind": "constant", "weight": _largest(values)}
    formulas = [each.formula for each in joint.settings if each.name == own]
    if not formulas or any(each.name != own for each in joint.settings):
        return {"kind": "constant", "weight": 0.0} if not joint.settings else None
    match = _NORMAL.fullmatch(formulas[-1])
    if match:
        mean, spread = (formula_value(f"({match[k]})*({match[4]})", known).value for k in (2, 3))
        sign = -1 if match[1] else 1
        return {"kind": "normal", "weight": sign * mean, "spread": float(f"{spread / mean:.12g}")} if mean > 0 else None
    if _DRAWN.search(formulas[-1]) or set(words(formulas[-1])) & {"i", "j", "N_pre", "N_post", "t"}:
        return None
    return {"kind": "constant", "weight": formula_value(formulas[-1], known).value}


def _checked(joint: Joint, own: str) -> Array:
    """Values of a variable of each synapse. Raises ProblemError."""
    values, dimension = joint.values[own][1]
    told = {each.name: unit(each.unit)[0] for each in items_of(joint.model)}
    if not len(values) or told.get(own, NONE) != dimension:
        raise ProblemError(f"{own} {has(told.get(own, NONE))} and what it is set to {has(dimension)}")
    return values


def _largest(values: Array) -> float:
    return float(values[np.argmax(np.abs(values))])


def _typed(
    joint: Joint, hearer: Neurons, items: list[Item], on_pre: list[tuple[str, str, str]], known: Mapping[str, Quantity]
) -> Synapses:
    on_post = [_renamed(each, items, hearer) for each in statements_of(joint.on_post)]
    own = [each.name for each in items if each.name != WEIGHT]
    formulas = [each.formula for each in items] + [formula for *_, formula in (*on_pre, *on_post)]
    used = [name for text in (*formulas, *(each.formula for each in joint.settings)) for name in words(text)]
    names = {**free_names([*own, *(name for name in known if name in used)], used)}
    known = {names.get(name, name): each for name, each in known.items()}
    changed = [(names.get(name, name), op, renamed(formula, names)) for name, op, formula in (*on_pre, *on_post)]
    lines = [each._replace(name=names.get(each.name, each.name), formula=renamed(each.formula, names))
             for each in items if each.name != WEIGHT]  # fmt: skip
    added = [formula for name, _, formula in changed if name.endswith("_post")]
    given = {each.name for each in lines if each.kind == "parameter" and any(each.name in words(one) for one in added)}
    weight, starts = _starts(joint, names, known, given, drawn=len(lines) < len(items))
    texts = [*(each.formula for each in lines), *starts, *(formula for *_, formula in changed)]
    numbers = {name: known[name] for text in texts for name in words(text) if name in known and not is_known(name)}
    adds = [f"{name.removesuffix('_post')} += {WEIGHT}" for name, *_ in changed if name.endswith("_post")]
    most = max((_size(formula, lines, starts, known, weight["weight"]) for formula in added), default=0.0)
    method = METHODS.get(joint.method.strip(), "auto")
    plasticity = {
        "kind": "own equations", "lines": [line for each in lines for line in each.written()],
        "on_pre": [written([each]) for each in changed[: len(on_pre)]],
        "on_post": [written([each]) for each in changed[len(on_pre) :]], "starts": "; ".join(starts),
        "largest": HEADROOM * most if most > 4 * abs(weight["weight"]) else 0.0,
        "method": method, "post_delay": 0.0 if joint.post_delay is None else float(f"{joint.post_delay.value:.12g}"),
        "parameters": [{"name": name, "value": each.number, "unit": each.unit} for name, each in numbers.items()],
    }  # fmt: skip
    return Synapses(joint, list(dict.fromkeys(adds)), weight, plasticity, _listed(joint))


def _listed(joint: Joint) -> str:
    """The variable whose values typed synapses begin at, if there is one."""
    listed = [name for name in joint.values if name != "delay"]
    return listed[0] if listed else ""


def _starts(
    joint: Joint, names: Mapping[str, str], known: Mapping[str, Quantity], given: Collection[str], drawn: bool
) -> tuple[dict[str, Any], list[str]]:
    """What the connection draws, and where variables begin. given: those that spikes add, and may begin at it; drawn:
    our own scripts have a variable for what it draws"""
    weight: dict[str, Any] | None = _weight_drawn(joint, known) if drawn else None
    starts, listed = [], _listed(joint)
    if listed:
        weight = {"kind": "constant", "weight": _largest(_checked(joint, listed))}
        starts += [] if drawn and listed == WEIGHT else [f"{names.get(listed, listed)} = {WEIGHT}"]
    for each in joint.settings:
        if drawn and each.name == WEIGHT:
            continue
        name, formula = names.get(each.name, each.name), renamed(each.formula, names)
        constant = not (_DRAWN.search(formula) or set(words(formula)) & {"i", "j", "N_pre", "N_post", WEIGHT})
        constant = constant and all(word in known or is_known(word) for word in words(formula))
        if constant and name in given and weight is None and (value := formula_value(formula, known).value):
            weight, formula = {"kind": "constant", "weight": value}, WEIGHT
        starts.append(f"{name} = {formula}")
    if weight is None:
        largest = [_at_most(each.formula, known) for each in joint.settings]
        weight = {"kind": "constant", "weight": max((each for each in largest if each > 0), default=1.0)}
    return weight, starts


def _weight_drawn(joint: Joint, known: Mapping[str, Quantity]) -> dict[str, Any] | None:
    own = Joint(joint.line, joint.name, joint.source, joint.target)
    own.settings = [each for each in joint.settings if each.name == WEIGHT]
    return _weight(own, WEIGHT, known)


def _at_most(formula: str, known: Mapping[str, Quantity]) -> float:
    """About the largest that a drawn start gives."""
    try:
        return abs(formula_value(_DRAWN.sub(lambda found: "1" if found[1] == "rand" else "2", formula), known).value)
    except ProblemError:
        return 0.0


def _size(
    formula: str, lines: list[Item], starts: list[str], known: Mapping[str, Quantity], weight: float
) -> float:  # fmt: skip
    """About what a spike adds at first; variables that begin at 0 are taken as 1, the numbers of neurons as 0."""
    values: dict[str, Quantity] = dict(known)
    for each in lines:
        dimension = unit(each.unit)[0]
        values[each.name] = Quantity(1.0, dimension, 1.0, "1")
    for start in starts:
        name, _, text = start.partition(" = ")
        if name not in values:
            continue
        drawn = Quantity(weight, values[name].dimension, weight, "1")
        text = renamed(text, {"i": "0", "j": "0"})
        size = _at_most(renamed(text, {WEIGHT: "drawn_"}), {**known, "drawn_": drawn})
        if size:
            values[name] = values[name]._replace(value=size)
    return _at_most(formula, values)


def place_of(hearer: Neurons, text: str) -> str:
    """The place of what spikes add among the excitatory or the inhibitory ones of a hearer, given to it if it has none.
    Raises ProblemError."""
    slots = hearer.arriving
    for place, taken in slots.items():
        if taken == text:
            return place
    inhibits = "-=" in text or bool(_INHIBITS.search(text.split()[0]))
    wanted = ("inhibitory", "excitatory") if inhibits else ("excitatory", "inhibitory")
    found = next((place for place in wanted if place not in slots), None)
    if found is None:
        raise ProblemError(
            f"spikes change {hearer.group.name} in more than two ways, and neurons here have excitatory and inhibitory "
            "spikes"
        )
    slots[found] = text
    return found
