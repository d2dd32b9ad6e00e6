"""Irregular points of several materials: weights, masses and limits of their bonds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.threads import parallel_region
from engines.peridynamics.cloud import kernels
from engines.peridynamics.cloud.family import RANGE, CloudFamily, encoded, largest_over, stiffness_tensors
from engines.peridynamics.cloud.rows import CLASSES, SLICE
from engines.peridynamics.material.mixture import Mixture

MOST_RAISED = 0.01
"""Of the stiffness of a particle, by which the least of its weights may be too large."""


@dataclass(frozen=True, eq=False)
class Blend:
    """material: (size,) uint8; classes: (entries,) uint8 of the bonds, limits: (classes,) float64, rising, of
    (1 + s)² − 1 of each class; least: (size,) float64 of the bonds of each place."""

    material: Array
    classes: Array
    limits: Array
    least: Array


def mixed_family(kin: CloudFamily, mixture: Mixture) -> tuple[CloudFamily, Blend]:
    """The bonds of ``kin``, which has one material, with those of ``mixture``, whose particles are those of the body.

    The same objects for the same materials. Raises ProblemError where bonds differ more than they can.
    """
    numbers = (mixture.stiffness, mixture.limit, mixture.lightness)
    return _mixed(kin, mixture.material.tobytes(), *(values.astype(float).tobytes() for values in numbers))


@lru_cache(maxsize=1)
def _mixed(
    kin: CloudFamily, materials: bytes, stiffnesses: bytes, limits: bytes, lightnesses: bytes
) -> tuple[CloudFamily, Blend]:
    lightness = np.frombuffer(lightnesses)
    pairs = len(lightness), len(lightness)
    stiffness, limit = np.frombuffer(stiffnesses).reshape(pairs), np.frombuffer(limits).reshape(pairs)
    material = np.zeros(kin.size, np.uint8)
    material[: len(kin.order)] = np.frombuffer(materials, np.uint8)[kin.order]
    bonds = kin.counts, kin.starts, kin.neighbours
    weights, classes = np.zeros(len(kin.neighbours)), np.zeros(len(kin.neighbours), np.uint8)
    met, least = np.zeros(pairs, bool), np.zeros(kin.size, np.uint8)
    with parallel_region():
        kernels.meet(*bonds, material, met)
        present = np.unique(limit[met])
        if len(present) > CLASSES:
            raise ProblemError(
                f"The bonds of these points break at {len(present)} different stretches, and {CLASSES} is the "
                "most: use fewer materials, or let some have the same fracture energy and modulus.",
                ("materials",),
            )
        class_of = np.minimum(np.searchsorted(present, limit), len(present) - 1).astype(np.uint8)
        kernels.weigh(kin.grid, *bonds, kin.volumes * kin.factors, kin.unit, weights)
        kernels.mix(*bonds, material, stiffness, class_of, weights, classes, least)
        codes, scale = encoded(weights)
        tensors = stiffness_tensors(kin.grid, *bonds, codes)
    _check_range(kin, weights, scale, tensors)
    masses = kin.volumes / lightness[material]
    found = replace(kin, codes=codes, scale=scale, masses=masses, largest=scale * largest_over(tensors, masses))
    return found, Blend(material, classes, present, present[least])


def _check_range(kin: CloudFamily, weights: Array, scale: float, tensors: Array) -> None:
    """Raises ProblemError where weights below what 16 bits can tell make particles too stiff."""
    lowest = float(weights.max()) / RANGE
    low = np.flatnonzero((weights > 0) & (weights < lowest))
    if not len(low):
        return
    slices = np.searchsorted(kin.starts, low, side="right") - 1
    added = np.bincount(slices * SLICE + low % SLICE, lowest - weights[low], kin.size)
    share = added / np.maximum(scale * np.trace(tensors, axis1=1, axis2=2), lowest)
    if share.max() > MOST_RAISED:
        raise ProblemError(
            f"The stiffest bonds of these points have {float(weights.max() / weights[low].min()):,.0f} times the "
            f"weight of the softest, and numbers of 16 bits tell {RANGE:,} times apart: let the moduli of the "
            "materials, or the volumes of the points, differ less.",
            ("materials",),
        )
