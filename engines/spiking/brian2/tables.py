"""What a Brian2 script says of each synapse: pairs, weights and delays of tables, and delays that are drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.spiking.connectivity.delays import formula_of
from engines.spiking.connectivity.delays import read as parsed
from engines.spiking.connectivity.files import read
from engines.spiking.connectivity.wiring import Span, span_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import Connection, ConstantDelay, ConstantWeight, FromFile
from engines.spiking.parameters.synapses import OwnSynapse
from engines.spiking.setup.populations import spans, typed_synapses_of
from engines.spiking.typed.synapses.connection import weights_of

MOST_LISTED = 20_000
"""Synapses of tables that a script writes out."""
WITHOUT = re.compile(r"\b(if|where|min|max)\b")
"""What formulas have here and not there."""
DISTANCE = re.compile(r"\bdistance\b")


@dataclass(frozen=True, eq=False)
class Pairs:
    """Synapses between two populations. table: columns of those that are listed; suffix: of the name; first, whole:
    where both populations begin among the neurons of the connection, and how many these are where they are more"""

    connection: Connection
    step: float
    first: tuple[int, int]
    whole: tuple[int, int]
    table: Mapping[str, Array] = field(default_factory=dict)
    suffix: str = ""

    @property
    def number(self) -> int:
        return len(self.table.get("pre", ()))

    @property
    def ends(self) -> str:
        """Arguments of ``connect``."""
        return f"i={self.values('pre', '1')}, j={self.values('post', '1')}" if self.table else ""

    def values(self, column: str, unit: str) -> str:
        """As Python; empty where the table has no such column."""
        if column not in self.table:
            return ""
        listed = str(self.table[column].tolist())
        return listed if unit == "1" else f"{listed}*({unit})"

    def delay(self, place: tuple[str | int, ...]) -> str:
        """As Python; empty where there is none. Raises ProblemError for what Brian2 does not know."""
        delay = self.connection.delay
        if "delay" in self.table:
            return self.values("delay", "ms")
        if isinstance(delay, ConstantDelay):
            return f"{delay.delay!r}*ms"
        text = known(formula_of(delay, self.step), place, "formula")
        if text:
            parsed(text, (*place, "formula"))  # what is quoted is a formula and nothing else
        if DISTANCE.search(text):
            raise ProblemError("The script has no places of neurons for delays by distance: choose others.", place)
        for name, first, count in zip("ij", self.first, self.whole, strict=True):
            side = "_pre" if name == "i" else "_post"
            text = re.sub(rf"\bN{side}\b", str(count), text) if count else text
            text = re.sub(rf"\b{name}\b", f"({name} + {first})", text) if first else text
        return repr(text) if text else ""


def parts_of_table(parameters: SpikingParameters, k: int, ends: tuple[int, int]) -> Iterator[Pairs]:
    """Of a connection between two of its populations, by number; where a table has weights of both signs, and these
    stay, those of each by themselves. Raises ProblemError."""
    connection, known_spans = parameters.connections[k], spans(parameters)
    own = [known_spans[parameters.populations[end].name] for end in ends]
    whole = [span_of(name, known_spans, ("connections", k)) for name in (connection.source, connection.target)]
    first = own[0].first - whole[0].first, own[1].first - whole[1].first
    more = [each.number if each != one else 0 for each, one in zip(whole, own, strict=True)]
    pairs = Pairs(connection, parameters.numerics.step, first, (more[0], more[1]))
    if not isinstance(connection.rule, FromFile):
        yield pairs
        return
    weights = weights_of(parameters.connections, parameters.populations, typed_synapses_of(parameters)).get(k)
    with placed_at("connections", k, "rule"):
        table = _within(read(connection.rule.path, weights), first, own)
    if "weight" not in table or isinstance(connection.plasticity, OwnSynapse):
        if len(table["pre"]):
            yield replace(pairs, table=table)
        return
    for suffix, sign in (("", 1), ("n", -1)):
        kept = table["weight"] < 0 if sign < 0 else table["weight"] >= 0
        if kept.any():
            some = {name: np.abs(values[kept]) for name, values in table.items()}
            weight = ConstantWeight(weight=sign * float(some["weight"].max()) or 1.0)
            signed = connection.model_copy(update={"weight": weight})
            yield replace(pairs, connection=signed, table=some, suffix=suffix)


def _within(table: Mapping[str, Array], first: tuple[int, int], own: list[Span]) -> dict[str, Array]:
    """Those that join two populations, by the numbers of these."""
    ends = [table[name].astype(np.int64) - at for name, at in zip(("pre", "post"), first, strict=True)]
    inside = [(end >= 0) & (end < span.number) for end, span in zip(ends, own, strict=True)]
    kept = inside[0] & inside[1]
    return {**{name: values[kept] for name, values in table.items()}, "pre": ends[0][kept], "post": ends[1][kept]}


def plain(text: str) -> str:
    """In one line, without comments, which end as the parser has it: elsewhere a comment would become Python."""
    return " ".join(line.split("#")[0].strip() for line in text.split("\n")).strip()


def known(text: str, place: tuple[str | int, ...], field: str) -> str:
    """A formula as Brian2 reads it. Raises ProblemError for what it does not know."""
    found = WITHOUT.search(plain(text))
    if found is not None:
        raise ProblemError(f"Brian2 knows no '{found[1]}' in formulas: write it with int(v > V_T)*a.", (*place, field))
    return re.sub(r"\batan\b", "arctan", plain(text))
