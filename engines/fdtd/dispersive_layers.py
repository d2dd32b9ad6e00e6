"""Dispersive material that reaches into a CPML.

In a CPML a wave grows whose phase and group run against each other along the layer's axis: surface plasmons on thin
films and narrow gaps, guided waves near a resonance (Bécache, Fauqueux and Joly, doi 10.1016/S0021-9991(03)00184-0).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Finding
from engines.fdtd.boundaries import AXES, Face
from engines.fdtd.materials import Medium
from engines.fdtd.parameters import Box, Cylinder, FdtdParameters, Sphere
from engines.fdtd.parameters.library import LABELS, PUBLISHED
from engines.fdtd.yee import METRES, Yee

Extent = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


def extent_of(item: object) -> Extent | None:
    """Lowest and highest coordinate of an object along x, y, z; None where that is not known without its cells."""
    if isinstance(item, Box):
        pairs = [(low, high) for low, high in zip(item.low, item.high, strict=True)]
    elif isinstance(item, (Sphere, Cylinder)):
        reach = [item.radius] * 3
        if isinstance(item, Cylinder):
            reach[AXES.index(item.axis)] = item.length / 2
        pairs = [(c - r, c + r) for c, r in zip(item.center, reach, strict=True)]
    else:
        return None
    return pairs[0], pairs[1], pairs[2]


def _dispersive(parameters: FdtdParameters, media: Sequence[Medium]) -> list[tuple[int, str, Extent]]:
    """Number, material and extent of each object with poles."""
    poles = {
        material.name
        for material, medium in zip(parameters.materials, media[1:], strict=True)
        if medium.poles and not medium.perfect_conductor
    }
    found = []
    for number, item in enumerate(parameters.objects, 1):
        extent = extent_of(item) if item.material in poles else None
        if extent is not None:
            found.append((number, item.material, extent))
    return found


def dispersive_cells(parameters: FdtdParameters, media: Sequence[Medium], yee: Yee) -> int:
    """About how many cells have poles: those of the boxes around objects, at most all. Cheap."""
    total = 0.0
    for _, _, extent in _dispersive(parameters, media):
        inside = [
            ((yee.halves(d) >= low) & (yee.halves(d) <= high)).sum() for d, (low, high) in enumerate(extent)
        ]  # fmt: skip
        total += float(np.prod(inside, dtype=float))
    return int(min(total, yee.cells))


def layer_findings(
    parameters: FdtdParameters, media: Sequence[Medium], yee: Yee, faces: Sequence[tuple[Face, Face]]
) -> tuple[Finding, ...]:
    """One sentence for the objects that reach into a CPML."""
    found: list[Finding] = []
    for number, material, extent in _dispersive(parameters, media):
        reached: list[str] = []
        for d, (pair, (low, high)) in enumerate(zip(faces, extent, strict=True)):
            nodes = yee.nodes(d)
            if max(low, nodes[0]) >= min(high, nodes[-1]):
                reached.clear()
                break
            if pair[0].kind == "CPML" and low < nodes[pair[0].layer]:
                reached.append(f"{AXES[d]} low")
            if pair[1].kind == "CPML" and high > nodes[len(nodes) - 1 - pair[1].layer]:
                reached.append(f"{AXES[d]} high")
        if reached:
            found.append(
                Finding(
                    f"Object {number} of '{material}', which is dispersive, reaches into the CPML of "
                    f"{', '.join(reached)}, where waves may grow without end: make it shorter, or choose the slowly "
                    f"absorbing layer for {'these faces' if len(reached) > 1 else 'this face'}."
                )
            )
    return tuple(found)


def range_findings(parameters: FdtdParameters, shortest: float) -> tuple[Finding, ...]:
    """A sentence for each library material that is used below the wavelengths of its data; shortest: in vacuum
    [length unit]."""
    micrometres = shortest * METRES[parameters.grid.length_unit] * 1e6
    used = {item.material for item in parameters.objects}
    found = []
    for material in parameters.materials:
        if material.library != "own" and material.name in used:
            low, high = PUBLISHED[material.library].wavelengths
            if micrometres < low:
                found.append(
                    Finding(
                        f"The data of '{material.name}', {LABELS[material.library]}, hold from {low:g} to {high:g} µm; "
                        f"the sources reach {micrometres:.3g} µm: use a longer wavelength or other data."
                    )
                )
    return tuple(found)
