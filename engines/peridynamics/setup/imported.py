"""A problem of a body in a file: a closed surface filled with particles, or a mesh of which each cell is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.geometry.meshes.sizes import UNITS
from engines.geometry.solids.stl import Triangles, read_stl
from engines.peridynamics.parameters import Bonds, PeridynamicParameters, PointBody, SurfaceBody

SURFACE = ".stl"
PARTICLES = 30_000
"""That a surface is filled with: a step of them takes a few milliseconds on a laptop."""


def of_body(path: Path, length_unit: str) -> PeridynamicParameters:
    """Without notches and loads, which are of the body that was there before. Raises ProblemError."""
    body: PointBody | SurfaceBody
    bonds = Bonds()
    if path.suffix.lower() == SURFACE:
        scale = UNITS[length_unit]
        body = SurfaceBody(file=str(path), scale=scale)
        spacing = scale * (volume_within(read_stl(str(path))) / PARTICLES) ** (1 / 3)
        bonds = Bonds(spacing=float(f"{spacing:.2g}"))
    else:
        body = PointBody.model_validate({"file": str(path), "length_unit": length_unit})
    return PeridynamicParameters(body=body, bonds=bonds, notches=[], loads=[], unbreakable=[])


def volume_within(surface: Triangles) -> float:
    """By the divergence theorem, in the file's unit cubed; at least a thousandth of the box around it, where a surface
    is turned inside out in parts."""
    a, b, c = (surface.corners[surface.triangles[:, k]] for k in range(3))
    volume = abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6
    return max(volume, 1e-3 * float(np.prod(np.ptp(surface.corners, axis=0))))
