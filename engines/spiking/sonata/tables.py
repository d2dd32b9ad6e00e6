"""SONATA's tables: nodes and edges in HDF5, what their types have in common in CSV, spikes in HDF5."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.hdf5 import opened_h5
from engines.reading import guarded

LARGEST = 16 << 30
LARGEST_TYPES = 16 << 20
MOST = 200_000_000
"""Rows of a table."""
NONE = ("", "NULL", "NaN", "None")
"""Of a cell that says nothing."""
MILLISECONDS = {
    **dict.fromkeys(("", "ms", "msec", "millisecond", "milliseconds"), 1.0),
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1e3),
}
"""How long units of spikes are, in small letters."""
Types = Mapping[tuple[str, int], Mapping[str, str]]
"""By population, which is empty where the table has none, and id."""


@guarded("cannot be read as a table of SONATA's types: separate columns by spaces.", largest=LARGEST_TYPES)
def read_types(path: Path, key: str) -> Types:
    """Rows of a CSV file whose column ``key`` is their id; what is NULL is left out. Raises ProblemError."""
    text = path.read_text("utf-8-sig")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    rows = list(csv.reader(lines, delimiter=" ", skipinitialspace=True))
    if not rows or key not in rows[0]:
        raise ProblemError(f"'{path.name}' has no column {key}: separate columns by spaces, with their names above.")
    found: dict[tuple[str, int], Mapping[str, str]] = {}
    for row in rows[1:]:
        if len(row) > len(rows[0]):
            raise ProblemError(
                f"'{path.name}' has a row of {len(row)} cells below {len(rows[0])} names, '{' '.join(row)[:40]}': put "
                'texts with blanks into quotation marks ("…").'
            )
        named = {name: cell for name, cell in zip(rows[0], row, strict=False) if cell not in NONE}
        identifier = named.get("population", ""), int(named[key])
        if identifier in found:
            raise ProblemError(f"'{path.name}' has two rows of {key} {identifier[1]}: leave one out.")
        found[identifier] = named
    return found


@dataclass(eq=False)
class Rows:
    """Nodes or edges of a population. types: (n,) int64 of each; own: attributes that rows have themselves, by name
    (``dynamics_params/V_th`` those of models), each (n,) and (n,) bool where it has one."""

    name: str
    types: Array
    table: Types
    own: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.types)

    def of_type(self, identifier: int) -> Mapping[str, str]:
        """What a type says of its rows."""
        return self.table.get((self.name, identifier)) or self.table.get(("", identifier)) or {}

    def texts(self, name: str) -> Array:
        """(n,) objects: an attribute of each as text, empty where there is none."""
        return self._values(name, lambda text: text, lambda value: _text(value), "", object)

    def said(self, name: str) -> set[str]:
        """All texts that types or rows have for an attribute."""
        found = {self.of_type(int(identifier)).get(name, "") for identifier in np.unique(self.types)}
        if name in self.own:
            found |= {_text(value) for value in set(self.own[name][0][self.own[name][1]].tolist())}
        return found - set(NONE)

    def numbers(self, name: str) -> Array:
        """(n,) float64, NaN where there is none. Raises ProblemError for what is no number."""
        return self._values(name, self._number(name), float, np.nan, float)

    def _values(
        self, name: str, of_type: Callable[[str], Any], of_row: Callable[[Any], Any], none: Any, kind: type
    ) -> Array:
        known, inverse = np.unique(self.types, return_inverse=True)
        each = [self.of_type(int(identifier)).get(name) for identifier in known]
        values: Array = np.array([none if text is None else of_type(text) for text in each], kind)[inverse]
        if name in self.own:
            given, has = self.own[name]
            values[has] = given[has] if kind is float else [of_row(value) for value in given[has]]
        return values

    def _number(self, name: str) -> Callable[[str], float]:
        def number(text: str) -> float:
            try:
                return float(text)
            except ValueError:
                raise ProblemError(f"The types of '{self.name}' have a {name} that is no number: correct it.") from None

        return number


@dataclass(eq=False)
class Nodes(Rows):
    """ids: (n,) int64"""

    ids: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    def places(self, ids: Array, what: str) -> Array:
        """Of nodes by their ids. Raises ProblemError for one that there is not."""
        order = np.argsort(self.ids, kind="stable")
        found = np.searchsorted(self.ids[order], ids)
        place = order[np.minimum(found, len(order) - 1)] if len(order) else np.zeros(len(ids), np.int64)
        missing = np.flatnonzero(self.ids[place] != ids) if len(order) else np.arange(len(ids))
        if len(missing):
            raise ProblemError(f"{what} name node {ids[missing[0]]} of '{self.name}', which has no such node.")
        return place

    def chosen(self, rules: Sequence[Mapping[str, Any]]) -> Array:
        """(n,) bool: nodes that all attributes of one of the rules fit."""
        found = np.zeros(len(self), bool)
        for rule in rules:
            fits = np.ones(len(self), bool)
            for name, wanted in rule.items():
                values = wanted if isinstance(wanted, list) else [wanted]
                fits &= self._fits(name, values)
            found |= fits
        return found

    def _fits(self, name: str, values: list[Any]) -> Array:
        if name == "population":
            return np.full(len(self), self.name in values)
        if name in ("node_id", "node_ids", "node_type_id"):
            ours = self.types if name == "node_type_id" else self.ids
            return np.isin(ours, [value for value in values if isinstance(value, int)])
        texts = self.texts(name)
        return np.isin(texts.astype(str), [_text(value) for value in values])


@dataclass(eq=False)
class Edges(Rows):
    """sources, targets: (n,) int64 ids of nodes of populations ``source`` and ``target``"""

    source: str = ""
    target: str = ""
    sources: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    targets: Array = field(default_factory=lambda: np.zeros(0, np.int64))


@guarded("cannot be read as SONATA's nodes: write it again.", largest=LARGEST)
def read_nodes(path: Path, table: Types) -> list[Nodes]:
    """The populations of a file. Raises ProblemError."""
    found = []
    with opened_h5(path) as file:
        for name, group in _populations(file, "nodes", path):
            types = _whole(group, "node_type_id")
            ids, numbers = np.unique(own := _ids(group, "node_id", len(types)), return_counts=True)
            if len(ids) < len(own):
                twice = ids[numbers > 1][0]
                raise ProblemError(f"'{path.name}' has two nodes {twice} in '{name}': give each a node_id of its own.")
            found.append(Nodes(name, types, table, _own(group, "node", types), own))
    return found


@guarded("cannot be read as SONATA's edges: write it again.", largest=LARGEST)
def read_edges(path: Path, table: Types) -> list[Edges]:
    """The populations of a file. Raises ProblemError."""
    found = []
    with opened_h5(path) as file:
        for name, group in _populations(file, "edges", path):
            types = _whole(group, "edge_type_id")
            source, target = (group[f"{side}_node_id"].attrs["node_population"] for side in ("source", "target"))
            ids = [_ids(group, f"{side}_node_id", len(types)) for side in ("source", "target")]
            own = _own(group, "edge", types)
            found.append(Edges(name, types, table, own, _text(source), _text(target), ids[0], ids[1]))
    return found


@guarded("cannot be read as SONATA's spikes: write it again.", largest=LARGEST)
def read_spikes(path: Path) -> dict[str, tuple[Array, Array]]:
    """Ids of nodes, and times [ms], of each population. Raises ProblemError."""
    found = {}
    with opened_h5(path) as file:
        for name, group in _populations(file, "spikes", path):
            times = np.asarray(group["timestamps"][:], float)
            unit = _text(group["timestamps"].attrs.get("units", "ms")).strip()
            if unit.lower() not in MILLISECONDS:
                raise ProblemError(f"'{path.name}' has its spikes in '{unit[:40]}': write them in ms or s.")
            found[name] = _whole(group, "node_ids"), times * MILLISECONDS[unit.lower()]
            if times.shape != found[name][0].shape or not np.isfinite(times).all():
                raise ValueError("a time for each node")
    return found


def _populations(file: h5py.File, kind: str, path: Path) -> Iterator[tuple[str, h5py.Group]]:
    groups = [] if kind not in file else [(n, each) for n, each in file[kind].items() if isinstance(each, h5py.Group)]
    if not groups:
        raise ProblemError(f"'{path.name}' has no populations in /{kind}: choose a file of SONATA's {kind}.")
    yield from groups


def _own(group: h5py.Group, kind: str, types: Array) -> dict[str, tuple[Array, Array]]:
    """``own`` of :class:`Rows`: those of each group of rows are found by its id and index."""
    n = len(types)
    inner = {name: each for name, each in group.items() if isinstance(each, h5py.Group) and name.isdecimal()}
    own: dict[str, tuple[Array, Array]] = {}
    if not inner:
        return own
    whose = _ids(group, f"{kind}_group_id", n, int(next(iter(inner))))
    index = _ids(group, f"{kind}_group_index", n)
    for name, part in inner.items():
        rows = np.flatnonzero(whose == int(name))
        for attribute, values in _attributes(part):
            if len(rows) and not (index[rows].min() >= 0 and index[rows].max() < len(values)):
                raise ValueError(f"{kind}_group_index is beyond {attribute}")
            number = values.dtype.kind in "iufb"
            kept, has = own.setdefault(attribute, (np.zeros(n, float if number else object), np.zeros(n, bool)))
            if (kept.dtype.kind == "f") != number:
                raise ValueError(f"{attribute} is text and numbers")
            kept[rows], has[rows] = values[index[rows]], True
    return own


def _attributes(group: h5py.Group) -> Iterator[tuple[str, Array]]:
    """(name, values) of each column of a group of rows; whole numbers that stand for texts are these."""
    library = group.get("@library")
    for name, data in group.items():
        if isinstance(data, h5py.Dataset) and data.ndim == 1:
            values = data[:]
            if isinstance(library, h5py.Group) and name in library:
                values = library[name][:][values]
            yield name, values
        elif name == "dynamics_params" and isinstance(data, h5py.Group):
            yield from ((f"{name}/{key}", each[:]) for key, each in data.items()
                        if isinstance(each, h5py.Dataset) and each.ndim == 1)  # fmt: skip


def _whole(group: h5py.Group, name: str) -> Array:
    """(n,) int64 of a data set. Raises ValueError, KeyError."""
    data = group[name]
    if data.ndim != 1 or data.dtype.kind not in "iu" or len(data) > MOST:
        raise ValueError(f"{name} is no row of whole numbers")
    return np.asarray(data[:], np.int64)


def _ids(group: h5py.Group, name: str, n: int, otherwise: int | None = None) -> Array:
    """The same; where there is none, counted from 0, or ``otherwise``."""
    if name not in group:
        return np.arange(n, dtype=np.int64) if otherwise is None else np.full(n, otherwise, np.int64)
    found = _whole(group, name)
    if len(found) != n:
        raise ValueError(f"{name} is not as long as types")
    return found


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return f"{value:g}" if isinstance(value, (float, np.integer)) else str(value)
