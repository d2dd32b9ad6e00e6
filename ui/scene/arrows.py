"""What has a direction as arrows: so many that each can be seen, as long as it is strong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Selection, VectorInfo
from engines.geometry.grid import Grid
from engines.geometry.particles import Particles
from ui.scene.cameras.following import followed

ACROSS, ACROSS_SLICES, ACROSS_DEEP = 24, 16, 9
"""Arrows along the longest side: of a plane, of slices through three dimensions, and through these without slices."""
LONGEST = 1.1
"""Of an arrow, over the distance between two."""
STRONG, WEAK = 75.0, 0.01
"""Per cent of the arrows that are shorter than the longest, which stands for all that is stronger: beside a source all
others would be none. What is weaker than this part of the strongest ones is not among them."""
FAINTEST = 0.04
"""Arrows shorter than this part of the longest are left out."""
HEAD, SLIM, LEAST_HEAD = 0.34, 0.45, 0.16
"""Length of a head over that of its arrow, half its width over its length; the least length, over the distance."""
LIFT = 0.3
"""How far before their places they are drawn, over the distance between two."""
PREFIX, PLACE = "arrow ", "arrow place"


@dataclass(frozen=True)
class Seeds:
    """Elements (n,) that have an arrow, where they are (n, 3), and how far two are apart [length_unit]."""

    elements: Array
    places: Array
    apart: float


@dataclass(frozen=True)
class Arrows:
    """vectors: (n, 3) [unit]; places: (n, 3); displacements: (n, 3) or None; ``longest``: the size of what an arrow as
    long as ``LONGEST`` stands for [unit]."""

    info: VectorInfo
    places: Array
    vectors: Array
    displacements: Array | None
    apart: float
    longest: float

    def lines(self, back: Array, deformation: float) -> Array:
        """(m, 2, 3): shafts and heads, as they are seen from ``back`` (a unit vector to the eye)."""
        sizes = np.linalg.norm(self.vectors, axis=1)
        shown = (sizes > FAINTEST * self.longest) & np.isfinite(sizes)
        sizes, vectors, middles = sizes[shown], self.vectors[shown], self.places[shown]
        if self.displacements is not None:
            middles = middles + deformation * self.displacements[shown]
        along = vectors / np.maximum(sizes, 1e-300)[:, None]
        length = (LONGEST * self.apart * np.minimum(sizes / self.longest, 1.0))[:, None]
        middles = middles + LIFT * self.apart * back
        tails, tips = middles - along * length / 2, middles + along * length / 2
        across = np.cross(along, back)
        across /= np.maximum(np.linalg.norm(across, axis=1), 1e-9)[:, None]
        head = np.minimum(np.maximum(HEAD * length, LEAST_HEAD * self.apart), length)
        barbs = [np.stack([tips - along * head + side * SLIM * head * across, tips], axis=1) for side in (-1, 1)]
        return np.concatenate([np.stack([tails, tips], axis=1), *barbs])


def seeds_of(geometry: Any, sheets: tuple[Any, ...]) -> Seeds | None:
    """Where arrows stand: on the sheets of a grid, the one that is looked at closely alone, or through it where there
    are none; among particles. None in other geometries."""
    if isinstance(geometry, Grid):
        return _on_grid(geometry, sheets)
    if isinstance(geometry, Particles):
        places = np.asarray(geometry.positions, float)
        flat = not np.ptp(places[:, 2]) > 0
        apart = float(np.ptp(places, axis=0).max()) / (ACROSS if flat else ACROSS_DEEP) or 1.0
        box = np.floor((places - places.min(axis=0)) / apart)
        away = ((places - places.min(axis=0)) / apart - box - 0.5) ** 2
        order = np.lexsort((away.sum(axis=1), *box.T))  # in each box the one nearest to its middle
        first = np.ones(len(order), bool)
        first[1:] = (np.diff(box[order], axis=0) != 0).any(axis=1)
        elements = order[first].astype(np.int32)
        return Seeds(elements, places[elements], apart)
    return None


def _on_grid(geometry: Grid, sheets: tuple[Any, ...]) -> Seeds:
    grid = geometry.raster
    closest = [sheet for sheet in sheets if sheet.detail] or sheets
    low, high = grid.bounds
    if closest:
        planes = [sheet.place(grid) for sheet in closest]
        apart = max(float(np.linalg.norm(edge)) for _, *edges in planes for edge in edges)
        apart /= ACROSS if len(planes) == 1 else ACROSS_SLICES
        places = [corner + _lattice(apart, across, up) for corner, across, up in planes]
    else:
        apart = float((high - low).max()) / ACROSS_DEEP
        places = [low + _lattice(apart, *np.diag(high - low))]
    elements = np.unique(geometry.nearest(np.concatenate(places))).astype(np.int32)
    return Seeds(elements, geometry.centers(elements), apart)


def _lattice(apart: float, *edges: Array) -> Array:
    """(n, 3): the middles of parts of about this size, between these edges."""
    found = np.zeros((1, 3))
    for edge in edges:
        count = max(round(float(np.linalg.norm(edge)) / apart), 1)
        steps = (np.arange(count) + 0.5)[:, None] / count * edge
        found = (found[:, None] + steps).reshape(-1, 3)
    return found


def asked(info: VectorInfo, seeds: Seeds, displaced: FieldInfo | None) -> dict[str, tuple[str, Selection]]:
    """What to ask of a run for these arrows."""
    selection = Selection(seeds.elements)
    place = {} if displaced is None else {PLACE: (displaced.name, selection)}
    return {PREFIX + name: (name, selection) for name in info.named} | place


def taken(info: VectorInfo, seeds: Seeds, values: Mapping[str, Array], before: Arrows | None) -> Arrows | None:
    """The arrows of an answer; the scale of ``before`` is kept while it fits. None without an answer."""
    if any(PREFIX + name not in values for name in info.named):
        return None
    vectors = _stacked(info.parts, values, len(seeds.elements))
    if info.crossed:
        vectors = np.cross(vectors, _stacked(info.crossed, values, len(seeds.elements)))
    known = before.longest if before is not None and before.info == info else None
    sizes = np.linalg.norm(vectors, axis=1)
    strongest = np.percentile(sizes[np.isfinite(sizes)], 99) if np.isfinite(sizes).any() else 0.0
    scale = followed([sizes[sizes > WEAK * strongest]], (0.0, 1.0), None if known is None else (0.0, known), STRONG)
    longest = scale[1] if scale is not None else 1.0
    return Arrows(info, seeds.places, vectors, values.get(PLACE), seeds.apart, longest)


def _stacked(parts: tuple[str, ...], values: Mapping[str, Array], count: int) -> Array:
    if len(parts) == 1:
        return np.asarray(values[PREFIX + parts[0]], float)
    return np.stack([np.asarray(values[PREFIX + p], float) if p else np.zeros(count) for p in parts], axis=1)
