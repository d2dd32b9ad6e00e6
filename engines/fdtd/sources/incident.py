"""What known waves add on the faces where they enter: lists of places, weights and signals.

Inside of a total-field box the field is total, outside of it the scattered one. A difference that reaches across a face
mixes the two, and gains the incident value that it lacks: E on the face that of H half a cell outside, H half a cell
outside that of E on the face (Taflove and Hagness, ch. 5). A sheet source is a box of one face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media


@dataclass(frozen=True)
class Entries:
    """places: (n,) int64 in a field of (3, …), ascending; weights: (n,) float64; slots: (n,) int32 of the signals."""

    places: Array
    weights: Array
    slots: Array


Part = tuple[Array, Array, Array]
"""places, weights and slots, in any order."""


class Incident(Protocol):
    """A known wave, as ``factor · signals[slot]`` for each of its components."""

    def terms(self, electric: bool, component: int, i: Array, j: Array, k: Array) -> Sequence[tuple[Array, Array]]:
        """(slots, factors), each (n,), whose products add up to the component at indices i, j, k: of E (``electric``)
        or of η₀H."""


def joined(parts: Sequence[Part]) -> Entries:
    """In ascending order of places; entries of no weight are left out."""
    if not parts:
        return Entries(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int32))
    places, weights, slots = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = np.flatnonzero(weights)
    order = kept[np.argsort(places[kept], kind="stable")]
    return Entries(places[order].astype(np.int64), weights[order], slots[order].astype(np.int32))


def permutation(a: int, b: int, c: int) -> int:
    """Levi-Civita's symbol."""
    return (b - a) * (c - a) * (c - b) // 2


Range = tuple[int, int]


def face_entries(
    yee: Yee, axes: Sequence[Axis], media: Media, box: Sequence[Range], d: int, high: bool, wave: Incident
) -> tuple[list[Part], list[Part]]:
    """(of E, of H) of the low or high face across axis d of a box from node to node along x, y, z."""
    node = box[d][high]
    outside = node if high else node - 1
    inward = -1 if high else 1
    electric, magnetic = [], []
    for component in range(3):
        if component == d:
            continue
        partner = 3 - d - component
        ranges = {component: np.arange(*box[component]), partner: np.arange(box[partner][0], box[partner][1] + 1)}
        i, j, k = _indices({**ranges, d: np.array([node])})
        places = yee.place(component, i, j, k)
        weights = media.cb[media.ids_e.reshape(-1)[places]] * axes[d].inverse_e[node]
        weights = -inward * permutation(component, d, partner) * weights
        shifted = [i, j, k]
        shifted[d] = np.full_like(i, outside)
        for slots, factors in wave.terms(False, partner, *shifted):
            electric.append((places, weights * factors, slots))
        ranges = {component: np.arange(box[component][0], box[component][1] + 1), partner: np.arange(*box[partner])}
        i, j, k = _indices({**ranges, d: np.array([outside])})
        places = yee.place(component, i, j, k)
        ids = 0 if media.ids_h is None else media.ids_h.reshape(-1)[places]
        value = inward * permutation(component, d, partner) * media.db[ids] * axes[d].inverse_h[outside]
        shifted = [i, j, k]
        shifted[d] = np.full_like(i, node)
        for slots, factors in wave.terms(True, partner, *shifted):
            magnetic.append((places, value * factors, slots))
    return electric, magnetic


def _indices(ranges: dict[int, Array]) -> tuple[Array, Array, Array]:
    i, j, k = (each.reshape(-1) for each in np.meshgrid(*(ranges[axis] for axis in range(3)), indexing="ij"))
    return i, j, k
