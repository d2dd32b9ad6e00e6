"""Which kind of cell each cell of the mesh is: cell type, condition, changes and spread of the regions, as a table.

A spread gives a region :data:`LEVELS` kinds instead of one. Each spread parameter takes the LEVELS quantiles of its
log-normal distribution, in an order of its own (a Latin hypercube), and each cell is one of these kinds at random:
of each parameter the whole distribution is there, and parameters vary independently of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import ProblemError
from engines.cardiac.parameters import CardiacParameters, RegionSetting
from engines.cardiac.parameters.cells import CONDITIONS, NON_CONDUCTING
from engines.cardiac.tissue.sites import Sites, region_cells
from engines.geometry.meshes.check import joined

LEVELS = 16
MAXIMUM = 256
"""A cell's kind is one byte."""

Changes = tuple[tuple[str, float], ...]
"""(name, value), sorted by name."""


@dataclass(frozen=True)
class ParameterBook:
    """What may be changed of a cell model.

    ``values(cell_type)``: full name to published value; ``title`` names the model in messages; ``may_vanish`` are the
    names that may be zero (all, where None), for others must stay positive.
    """

    title: str
    values: Callable[[str], Mapping[str, float]]
    may_vanish: frozenset[str] | None = None

    def full_name(self, name: str) -> str:
        """``name`` as the model has it; a last part is enough where it is unique. Raises ProblemError."""
        known = self.values("epi")
        found = [name] if name in known else [full for full in known if full.rpartition(".")[2] == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise ProblemError(f"'{name}' is the name of several parameters of {self.title}: {', '.join(found)}.")
        some = ", ".join(list(known)[:12]) + (", …" if len(known) > 12 else "")
        raise ProblemError(f"{self.title} has no parameter '{name}' that could be changed; it has {some}.")


@dataclass(frozen=True)
class Population:
    """``of: (n_cells,) uint8``, each cell's row of ``kinds``: (cell type, changes)."""

    of: Array
    kinds: tuple[tuple[str, Changes], ...]


def population(
    mesh: Sites, parameters: CardiacParameters, book: ParameterBook, first: Sequence[str] = ("epi",)
) -> Population:
    """The cells of the mesh. ``first``: cell types that have a kind in any case, the first for regions without setting.

    Raises ProblemError for a region or parameter that is not there, or too many kinds.
    """
    kinds: dict[tuple[str, Changes], int] = {(cell_type, ()): k for k, cell_type in enumerate(first)}
    of = np.zeros(mesh.n_cells, np.int64)
    for number, setting in enumerate(parameters.regions):
        cells = np.flatnonzero(region_cells(setting.region, mesh))
        cell_type = setting.cell_type if len(first) > 1 else first[0]
        rows = [
            kinds.setdefault((cell_type, changes), len(kinds))
            for changes in region_kinds(setting, book, np.random.default_rng((parameters.cells.seed, number)))
        ]
        # Each cell draws by a stream of its own region, so that a change elsewhere leaves it as it is.
        chosen = np.random.default_rng((parameters.cells.seed, number, 1)).integers(0, len(rows), len(cells))
        of[cells] = np.array(rows)[chosen]
    if len(kinds) > MAXIMUM:
        raise ProblemError(
            f"The regions make {len(kinds)} kinds of cells, and {MAXIMUM} fit: spread parameters in fewer regions "
            f"(each takes {LEVELS})."
        )
    return Population(of.astype(np.uint8), tuple(kinds))


def region_kinds(setting: RegionSetting, book: ParameterBook, rng: np.random.Generator) -> list[Changes]:
    """The kinds of a region: one, or :data:`LEVELS` where a parameter is spread. Raises ProblemError."""
    published = book.values(setting.cell_type)
    changed: dict[str, float] = {}
    for name, (by, number) in CONDITIONS[setting.condition].items():
        try:
            full = book.full_name(name)
        except ProblemError as error:
            raise ProblemError(
                f"'{setting.condition}' in region '{setting.region}' is a set of changes of ten Tusscher-Panfilov's "
                f"parameters, and {book.title} has no {name}: list changes of its own parameters instead."
            ) from error
        changed[full] = number if by == "value" else number * published[full]
    spread: dict[str, float] = {}
    for change in setting.changes:
        full = book.full_name(change.parameter)
        before = changed.get(full, published[full])
        changed[full] = change.number if change.by == "value" else change.number * before
        if change.spread > 0.0:
            spread[full] = change.spread / 100.0
    for name, value in changed.items():
        least_ok = value >= 0.0 if book.may_vanish is None or name in book.may_vanish else value > 0.0
        if not least_ok and published[name] > 0.0:
            raise ProblemError(
                f"'{name}' becomes {value:g} in region '{setting.region}': make it "
                f"{'positive' if value == 0.0 else 'zero or more'}."
            )
    if not spread:
        return [_changes(changed, published)]
    quantiles = np.array([NormalDist().inv_cdf((k + 0.5) / LEVELS) for k in range(LEVELS)])
    factors = {name: np.exp(width * rng.permutation(quantiles)) for name, width in sorted(spread.items())}
    return [
        _changes(changed | {name: changed[name] * float(factors[name][level]) for name in factors}, published)
        for level in range(LEVELS)
    ]


def _changes(changed: Mapping[str, float], published: Mapping[str, float]) -> Changes:
    return tuple(sorted((name, value) for name, value in changed.items() if value != published[name]))


def insulators(mesh: Sites, parameters: CardiacParameters) -> Array:
    """(n_cells,) bool: cells of non-conducting scars, which exchange no current with any cell and take no stimulus."""
    found = np.zeros(mesh.n_cells, bool)
    for setting in parameters.regions:
        found[region_cells(setting.region, mesh)] = setting.condition == NON_CONDUCTING
    return found


def cut(neighbours: Array, insulating: Array) -> Array:
    """``neighbours: (n, 4)`` without the faces of insulating cells (−1, as at the surface: no flux goes through)."""
    if not insulating.any():
        return neighbours
    gone = insulating[:, None] | ((neighbours >= 0) & insulating[np.maximum(neighbours, 0)])
    return np.where(gone, np.int32(-1), neighbours).astype(neighbours.dtype)


def pieces(neighbours: Array, insulating: Array) -> tuple[int, ...]:
    """Sizes of the parts of the tissue that no face joins, largest first; insulating cells are no part of it."""
    own = np.arange(len(neighbours), dtype=np.int32)[:, None]
    return _sizes(joined(len(own), np.hstack([own, np.where(neighbours < 0, own, neighbours)]))[0], insulating)


def piece_sizes(entries: scipy.sparse.csr_matrix, insulating: Array) -> tuple[int, ...]:
    """The same of any ``entries: (n, n)`` that tell what is joined."""
    return _sizes(scipy.sparse.csgraph.connected_components(entries, directed=False)[1], insulating)


def _sizes(labels: Array, insulating: Array) -> tuple[int, ...]:
    sizes = np.bincount(labels[~insulating])
    return tuple(int(size) for size in np.sort(sizes[sizes > 0])[::-1])
