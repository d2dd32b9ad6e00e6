"""Dispersive material that reaches into a CPML.

In a CPML a wave grows whose phase and group run against each other along the layer's axis: surface plasmons on thin
films and narrow gaps, guided waves near a resonance (Bécache, Fauqueux and Joly, doi 10.1016/S0021-9991(03)00184-0).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Finding, Remedy
from engines.fdtd.grid.boundaries import AXES, Face
from engines.fdtd.grid.yee import METRES, Yee
from engines.fdtd.media.dispersion import Slots
from engines.fdtd.media.materials import Medium
from engines.fdtd.media.solids.shapes import Filling
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.library import LABELS, PUBLISHED
from engines.geometry.solids.solid import Solid

ENDS = [f"{axis} {end}" for axis in AXES for end in ("low", "high")]


def _dispersive(fillings: Sequence[Filling], media: Sequence[Medium]) -> list[tuple[int, int, Solid]]:
    """Those of the fillings that have poles."""
    return [each for each in fillings if media[each[1]].poles and not media[each[1]].perfect_conductor]


def dispersive_cells(fillings: Sequence[Filling], media: Sequence[Medium], yee: Yee) -> int:
    """About how many cells have poles: those of the boxes around solids, at most all. Cheap."""
    total = 0.0
    for _, _, solid in _dispersive(fillings, media):
        inside = [
            ((yee.halves(d) >= low) & (yee.halves(d) <= high)).sum()
            for d, (low, high) in enumerate(zip(*solid.bounds(), strict=True))
        ]
        total += float(np.prod(inside, dtype=float))
    return int(min(total, yee.cells))


def layer_findings(
    parameters: FdtdParameters, fillings: Sequence[Filling], media: Sequence[Medium], yee: Yee,
    faces: Sequence[tuple[Face, Face]],
) -> tuple[Finding, ...]:  # fmt: skip
    """One sentence for each object that reaches into a CPML."""
    reached: dict[int, set[str]] = {}
    for number, _, solid in _dispersive(fillings, media):
        extent, found = list(zip(*solid.bounds(), strict=True)), reached.setdefault(number, set())
        nodes = [yee.nodes(d) for d in range(3)]
        if any(max(low, at[0]) >= min(high, at[-1]) for at, (low, high) in zip(nodes, extent, strict=True)):
            continue
        for axis, at, pair, (low, high) in zip(AXES, nodes, faces, extent, strict=True):
            if pair[0].kind == "CPML" and low < at[pair[0].layer]:
                found.add(f"{axis} low")
            if pair[1].kind == "CPML" and high > at[len(at) - 1 - pair[1].layer]:
                found.add(f"{axis} high")
    return tuple(
        Finding(
            f"Object {number} of '{parameters.objects[number - 1].material}', which is dispersive, reaches into the "
            f"CPML of {', '.join(end for end in ENDS if end in found)}, "
            "where waves may grow without end: make it shorter, or choose the slowly "
            f"absorbing layer for {'these faces' if len(found) > 1 else 'this face'}.",
            place=("objects", number - 1),
            remedy=_absorb_slowly(found),
        )
        for number, found in reached.items()
        if found
    )


def _absorb_slowly(ends: set[str]) -> Remedy:
    """The slowly absorbing layer at these faces."""
    shown = [end for end in ENDS if end in ends]
    changes: dict[tuple[str | int, ...], str] = {("faces", end.replace(" ", "_")): "absorber" for end in shown}
    return Remedy(f"Absorb slowly at {', '.join(shown)}", changes)


def state_findings(media: Sequence[Medium], slots: Slots) -> tuple[Finding, ...]:
    """What several dispersive materials cost: a place of one keeps states of the poles of all."""
    several = [medium for medium in media if medium.poles and not medium.perfect_conductor]
    most = max((len(medium.poles) for medium in several), default=0)
    if len(several) < 2 or slots.count == most:
        return ()
    return (
        Finding(
            f"{len(several)} materials have {slots.count} different poles, and each dispersive cell keeps and steps "
            f"those of all, {slots.states} numbers for each component of E.",
            "info",
            ("materials",),
        ),
    )


def range_findings(parameters: FdtdParameters, shortest: float) -> tuple[Finding, ...]:
    """A sentence for each library material that is used below the wavelengths of its data; shortest: in vacuum
    [length unit]."""
    micrometres = shortest * METRES[parameters.grid.length_unit] * 1e6
    used = {item.material for item in parameters.objects}
    found = []
    for place, material in enumerate(parameters.materials):
        if material.library != "own" and material.name in used:
            low, high = PUBLISHED[material.library].wavelengths
            if micrometres < low:
                found.append(
                    Finding(
                        f"The data of '{material.name}', {LABELS[material.library]}, hold from {low:g} to {high:g} µm; "
                        f"the sources reach {micrometres:.3g} µm: use a longer wavelength or other data.",
                        place=("materials", place),
                    )
                )
    return tuple(found)
