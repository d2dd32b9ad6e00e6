"""What absorbing layers do to fields in a guide near and below its cut-off, told before a run."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import Finding
from engines.fdtd.grid.boundaries import AXES, Band, Face
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, SPEED_OF_LIGHT, Yee

NEAR = 1.05
"""Frequencies over the cut-off from which ten cells of CPML leave 0.3 % and less of the field."""


def guide_findings(
    yee: Yee, faces: Sequence[tuple[Face, Face]], unit: str, band: Band | None, driven: Sequence[int]
) -> tuple[Finding, ...]:
    """A sentence where conducting faces make a guide along an axis with a CPML, and sources drive it near or below its
    cut-off c/2a. band: the lowest and the highest frequency that is driven; driven: axes of the sources' currents and
    electric fields.

    Between two plates alone there is a wave without a cut-off, whose field goes from one to the other: in a plane only
    what is driven along z has one.

    The figures: a guide of width a with 20 cells of a, short beside long, steady fields, a trace a quarter and half a
    width from a source, the farther one a tenth of a width from the layer (tests/engines/fdtd/grid/test_guides.py).
    """
    if band is None:
        return ()
    found = []
    for axis in range(3):
        beside = [other for other in range(3) if other != axis and not yee.flat[other]]
        closed = beside and all(face.kind == "PEC" for other in beside for face in faces[other])
        open_ended = any(face.kind == "CPML" and face.layer for face in faces[axis])
        if yee.flat[axis] or not closed or not open_ended or (len(beside) == 1 and set(driven) != {2}):
            continue
        cut_off = SPEED_OF_LIGHT / (2 * max(float(yee.nodes(other)[-1] - yee.nodes(other)[0]) for other in beside))
        if band[0] > NEAR * cut_off:
            continue
        lowest, limit = (f"{PER_UNIT * frequency:.4g} {FREQUENCY_UNITS[unit]}" for frequency in (band[0], cut_off))
        nothing = band[1] < cut_off
        drive = "nothing above" if nothing else f"{lowest} and more"
        found.append(
            Finding(
                f"Between its conducting faces the grid is a guide along {AXES[axis]}, in which fields below {limit} "
                f"(in vacuum) fade instead of travelling; sources drive {drive}. Absorbing layers are made for what "
                "travels: beside one, fields at 0.9, 0.95, 0.98 and 1.02 of that frequency are up to 2, 6, 18 and 2 % "
                "wrong. Read figures from 1.05 of it on, or let the layers be some widths of the guide away from what "
                "is measured.",
                "warning" if nothing else "info",
                ("faces", f"{AXES[axis]}_high"),
            )
        )
    return tuple(found)
