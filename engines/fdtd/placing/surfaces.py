"""Surfaces of objects, and the colours of what they are made of."""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

from engines.api.errors import ProblemError
from engines.api.placing import Faces
from engines.fdtd.media.solids.solids import solids_of
from engines.fdtd.parameters import Material
from engines.fdtd.parameters.objects import Object
from engines.fdtd.placing.kinds import Space
from engines.geometry.solids.faces import joined

MOST_SOLIDS, MOST_TRIANGLES = 1000, 300_000
"""Of an object; one of more is drawn as lines, and of more copies these are."""
Colour = tuple[int, int, int]
COLOURS: tuple[tuple[str, Colour], ...] = (
    ("gold|au", (232, 186, 62)), ("silver|ag", (200, 206, 214)), ("copper|cu", (216, 128, 84)),
    ("alumini?um|al", (176, 186, 198)), ("silicon|si", (122, 132, 168)), ("silica|sio2|glass|quartz", (126, 196, 222)),
    ("water", (74, 144, 226)), ("sand|soil", (206, 176, 122)), ("duroid|fr4|substrate", (96, 160, 108)),
)  # fmt: skip
"""sRGB of materials by words of their names, or by their entries in the library."""
METAL: Colour = (184, 190, 200)


def colour_of(material: Material | None) -> Colour | None:
    """As the material looks, where its name or its data tell; None for others."""
    if material is None:
        return None
    for said in (material.library, material.name):
        for words, colour in COLOURS:
            if re.search(rf"(?<![a-z])({words})(?![a-z])", said.lower()):
                return colour
    return METAL if material.perfect_conductor else None


def faces_of(item: Object, space: Space) -> Faces | None:
    """The surface of an object with its copies, as far as it is in the grid; None where it has none to draw."""
    try:
        parts = (solid.faces() for solid in islice(solids_of(item), MOST_SOLIDS))
        faces = joined(part for part in parts if part is not None)
    except ProblemError:
        return None
    if faces is None or len(faces.triangles) > MOST_TRIANGLES:
        return None
    return Faces(np.clip(faces.points, space.low, space.high), faces.triangles)
