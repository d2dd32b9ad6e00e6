"""The bonds of a body on a lattice: which there are, which its notches cut, which cannot break."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.peridynamics.body.cutting import cut_of, cut_out, joined
from engines.peridynamics.body.filling import Filled, filled
from engines.peridynamics.body.regions import SIDES, chosen
from engines.peridynamics.lattice.family import WORD, Family, family
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.parameters import PeridynamicParameters

__all__ = ["SIDES", "Bonded", "Filled", "bonded", "chosen", "filled", "unbreakable"]


def bits_of(bonds: Array, kin: Family) -> Array:
    """(words,) uint32 with the bits of these ``bonds: (bonds,) bool``."""
    found = np.zeros(kin.words, np.uint32)
    for bit in np.flatnonzero(bonds):
        found[bit // WORD] |= np.uint32(1 << bit % WORD)
    return found


@dataclass(frozen=True, eq=False)
class Bonded:
    """The bonds of a body. layout, places: where its particles lie; words, breakable: (words, size) uint32;
    whole: (size,) bonds before any cut."""

    layout: Layout
    family: Family
    places: Array
    words: Array
    breakable: Array
    whole: Array


def unbreakable(parameters: PeridynamicParameters, body: Filled) -> Array:
    """(n,) bool: the particles whose bonds do not break. Raises ProblemError."""
    found = np.zeros(len(body.cells), bool)
    for number, region in enumerate(parameters.unbreakable):
        found |= chosen(region, body, ("unbreakable", number))
    return found


def bonded(parameters: PeridynamicParameters, body: Filled, weights: Array | None = None) -> Bonded:
    """weights: (bonds,); those without weight are left out. Raises ProblemError."""
    kin = family(body.dimensions, parameters.bonds.reach)
    layout = Layout(body.counts, kin.reach, body.dimensions)
    places = layout.places(body.cells)
    exists = np.zeros(layout.size, bool)
    exists[places] = True
    weak = exists.copy()
    weak[places[unbreakable(parameters, body)]] = False
    words = joined(exists, layout, kin)
    if weights is not None:
        words &= bits_of(weights != 0, kin)[:, None]
    whole = np.bitwise_count(words).sum(axis=0, dtype=np.float64)
    for number, notch in enumerate(parameters.notches):
        cut_out(cut_of(notch, body.frame, ("notches", number)), exists, layout, kin, words)
    breakable = joined(weak, layout, kin) if parameters.unbreakable else words.copy()
    breakable &= words
    return Bonded(layout, kin, places, words, breakable, whole)
