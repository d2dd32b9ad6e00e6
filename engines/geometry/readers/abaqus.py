"""Abaqus (.inp): nodes, solid and plane elements, and named sets, as Abaqus itself takes the cards.

Keywords, types and names of sets are the same in any case, comments may stand among data, a card goes on behind a
comma, and sets of one name, of element cards too, are one set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import meshio
import numpy as np

from engines.api import Array
from engines.api.errors import MeshError

SOLIDS = re.compile(r"[AD]?CC?3D(\d+)[A-Z]*")
THICK = re.compile(r"CIN3D\d+[A-Z]*|SC\d+[A-Z]*")
"""Infinite solids, and shells that are solids in the file."""
FLAT = re.compile(r"(?:[AD]?C(?:PS|PE|PEG|AX|2D)|CGAX|[AD]C2D|D?S|STRI|[MRF]3D|SFM3D)(\d)\d?[A-Z]*\d?[A-Z]*")
KINDS = {
    "solid": {4: "tetra", 10: "tetra10", 8: "hexahedron", 20: "hexahedron20", 6: "wedge", 15: "wedge15", 5: "pyramid"},
    "flat": {3: "triangle", 6: "triangle6", 4: "quad", 8: "quad8"},
}
NODES = {"tetra": 4, "tetra10": 10, "hexahedron": 8, "hexahedron20": 20, "wedge": 6, "wedge15": 15, "pyramid": 5,
         "triangle": 3, "triangle6": 6, "quad": 4, "quad8": 8}  # fmt: skip
MADE = ("NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "TRANSFORM", "SYSTEM")
"""Cards that make or move nodes and elements, which would be missing or elsewhere without them."""


class TwiceError(ValueError):
    """Two of these have one number."""


@dataclass
class Card:
    """A keyword in capitals, its options by names in capitals, and the lines of data below it."""

    keyword: str
    options: dict[str, str]
    lines: list[str] = field(default_factory=list)


@dataclass
class _Set:
    """Numbers, (first, last, step), and names of other sets, of which it is made."""

    name: str
    numbers: list[int] = field(default_factory=list)
    ranges: list[tuple[int, int, int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def read_abaqus(path: Path) -> meshio.Mesh:
    """Raises MeshError for what lies elsewhere or is made by cards, TwiceError, and ValueError for what is damaged."""
    nodes: list[tuple[int, list[float]]] = []
    blocks: list[tuple[str, Array, Array]] = []
    sets: dict[str, _Set] = {}
    of_elements: dict[str, _Set] = {}
    instances = 0
    for card in _cards(path):
        _check(card, path.name)
        if card.keyword == "NODE":
            nodes += map(_node, card.lines)
        elif card.keyword == "ELEMENT":
            kind = _kind(card.options.get("TYPE", ""))
            if kind:
                rows = _whole_numbers(card.lines).reshape(-1, 1 + NODES[kind])
                blocks.append((kind, rows[:, 0], rows[:, 1:]))
                if "ELSET" in card.options:
                    _named(of_elements, card.options["ELSET"]).numbers += rows[:, 0].tolist()
        elif card.keyword == "ELSET" and "INTERNAL" not in card.options:  # of surfaces, which the program names
            _take(_named(sets, card.options["ELSET"]), card)
        instances += card.keyword == "INSTANCE"
    if instances > 1:
        raise MeshError(f"{path.name} has {instances} instances of parts: export the assembly as one mesh.")
    for key, each in of_elements.items():
        sets.setdefault(key, _Set(each.name)).numbers += each.numbers
    return _mesh(nodes, blocks, sets)


def _cards(path: Path) -> Iterator[Card]:
    card = Card("", {})
    going_on = False
    for line in path.read_bytes().decode("utf-8", "replace").splitlines():
        text = line.strip()
        if not text or text.startswith("**"):
            continue
        if text.startswith("*") or going_on:
            if not going_on:
                yield card
                card = Card("", {})
            first, *others = (part.strip() for part in text.lstrip("*").split(","))
            if not going_on:
                card.keyword = " ".join(first.upper().split())
            for option in others if not going_on else (first, *others):
                name, _, value = option.partition("=")
                card.options[name.strip().upper()] = value.strip().strip("\"'")
            going_on = text.endswith(",")
        else:
            card.lines.append(text)
    yield card


def _check(card: Card, name: str) -> None:
    """Raises MeshError for what is not in the file as it is, or not where it says."""
    if card.keyword in ("NODE", "ELEMENT", "ELSET") and "INPUT" in card.options:
        raise MeshError(f"{name} includes other files; put everything into one file.")
    if card.keyword == "NODE" and card.options.get("SYSTEM", "R").upper() != "R":
        raise MeshError(f"{name} has nodes in cylindrical or spherical coordinates; export it with x, y and z.")
    kind = card.options.get("TYPE", "").upper() if card.keyword == "ELEMENT" else ""
    if THICK.fullmatch(kind) or (SOLIDS.fullmatch(kind) and not _kind(kind)):
        raise MeshError(f"{name} has solids of the type {kind}, which are not read; export it with tetrahedra.")
    if card.keyword in MADE:
        raise MeshError(f"{name} makes or moves its mesh by *{card.keyword}; export it with all nodes and elements.")
    if card.keyword == "INSTANCE" and any(_number(part) for line in card.lines for part in line.split(",")):
        raise MeshError(f"{name} moves its part by *INSTANCE; export the assembly as one mesh.")


def _kind(element: str) -> str:
    """meshio's name of a solid or plane element; empty for beams, springs and the like."""
    for pattern, nodes in ((SOLIDS, "solid"), (FLAT, "flat")):
        found = pattern.fullmatch(element.upper())
        if found:
            return KINDS[nodes].get(int(found[1]), "")
    return ""


def _number(text: str) -> float:
    """Nothing stands for 0, and D for the E of an exponent."""
    text = text.strip().upper().replace("D", "E")
    return float(text) if text else 0.0


def _node(line: str) -> tuple[int, list[float]]:
    number, *place = line.split(",")
    return int(number), [_number(part) for part in (*place, "", "", "")[:3]]


def _whole_numbers(lines: list[str]) -> Array:
    return np.array([part for part in ",".join(lines).split(",") if part.strip()], np.int64)


def _named(sets: dict[str, _Set], name: str) -> _Set:
    return sets.setdefault(name.upper(), _Set(name))


def _take(into: _Set, card: Card) -> None:
    for line in card.lines:
        # of an instance, as in "Part-1-1.17", of which there is one
        parts = [part.strip(" \t\"'").rpartition(".")[2] for part in line.split(",") if part.strip()]
        if "GENERATE" in card.options:
            first, last, *step = map(int, parts)
            into.ranges.append((first, last, *(step or [1])))  # type: ignore[arg-type]
        else:
            into.numbers += [int(part) for part in parts if part.isdigit()]
            into.names += [part.upper() for part in parts if not part.isdigit()]


def _mesh(
    nodes: list[tuple[int, list[float]]], blocks: list[tuple[str, Array, Array]], sets: Mapping[str, _Set]
) -> meshio.Mesh:
    numbers = np.array([number for number, _ in nodes], np.int64)
    order = np.argsort(numbers)
    ordered = numbers[order]
    elements = np.concatenate([own for _, own, _ in blocks]) if blocks else np.empty(0, np.int64)
    for what, given in (("nodes", ordered), ("elements", np.sort(elements))):
        if (given[1:] == given[:-1]).any():
            raise TwiceError(what)
    cells = []
    for kind, _, corners in blocks:
        places = np.minimum(np.searchsorted(ordered, corners), len(ordered) - 1)
        if (ordered[places] != corners).any():
            raise ValueError("an element has a node that there is not")
        cells.append((kind, order[places]))
    cuts = np.cumsum([len(own) for _, own, _ in blocks])[:-1]
    found = {each.name: _members(key, sets, elements, set()) for key, each in sets.items()}
    cell_sets = {name: [np.flatnonzero(part) for part in np.split(is_in, cuts)] for name, is_in in found.items()}
    return meshio.Mesh(np.array([place for _, place in nodes]).reshape(-1, 3), cells, cell_sets=cell_sets)


def _members(key: str, sets: Mapping[str, _Set], elements: Array, above: set[str]) -> Array:
    """(n,) whether each element is in a set. Raises ValueError for a name that no set has."""
    if key not in sets or key in above:
        raise ValueError("a set is made of one that there is not")
    one = sets[key]
    found = np.isin(elements, np.array(one.numbers, np.int64))
    for first, last, step in one.ranges:
        found |= (elements >= first) & (elements <= last) & ((elements - first) % max(step, 1) == 0)
    for name in one.names:
        found |= _members(name, sets, elements, above | {key})
    return np.asarray(found)
