"""What a CPML of fewer than ten cells reflects, told before a run."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import Finding, Remedy
from engines.fdtd.grid.boundaries import Face
from engines.quantities import percent

ENOUGH = 10
"""Cells, with which −97 dB come back at normal incidence and −86 at 60°."""
REFLECTED = {4: (-40, -37), 5: (-51, -47), 6: (-63, -52), 7: (-76, -58), 8: (-83, -66), 9: (-91, -76)}
"""By cells: decibels at normal incidence and at 60°, the worst of steady waves of 10 … 1,000 cells a wavelength at
Courant numbers of 0.2 … 0.99 (0.7 at 60°), from the discrete layer's exact reflection (test_cpml.py)."""
SEEN = -80
"""Decibels above which it is a warning."""
PLACE = ("faces", "layer")


def thin_layer_findings(faces: Sequence[tuple[Face, Face]], counts: Sequence[int]) -> tuple[Finding, ...]:
    """A sentence where CPMLs are thin. counts: cells of the grid along each axis"""
    layers = [face.layer for pair in faces for face in pair if face.kind == "CPML" and face.layer]
    cells = min(layers, default=ENOUGH)
    if cells >= ENOUGH:
        return ()
    straight, slanted = REFLECTED[cells]
    more = ENOUGH - cells
    room = all(
        sum(face.layer + more * (face.kind == "CPML") for face in pair) <= count - 2
        for pair, count in zip(faces, counts, strict=True)
        if any(face.kind == "CPML" and face.layer for face in pair)
    )
    return (
        Finding(
            f"A CPML of {cells} cells sends back up to {straight} dB of a wave that meets it straight, "
            f"{percent(10 ** (straight / 20))} of its field, and {slanted} dB at 60°: {ENOUGH} cells leave −97 and "
            f"−86 dB{'' if room else ', for which this grid needs more cells'}.".replace(" -", " −"),
            "warning" if straight > SEEN else "info",
            PLACE,
            Remedy(f"Take {ENOUGH} cells", {PLACE: ENOUGH}) if room else None,
            distorts=True,
        ),
    )
