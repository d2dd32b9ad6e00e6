"""A body of irregular points from a file."""

from __future__ import annotations

from typing import Literal

from engines.api.parameters import ParameterGroup, quantity

PLANE = ("plane stress", "plane strain")


class PointBody(ParameterGroup):
    """Points with volumes, from a mesh or a table; the horizon is in mean distances of points."""

    kind: Literal["points"] = "points"
    file: str = quantity(
        "",
        "",
        "A mesh (each tetrahedron or triangle is a particle), or CSV with the columns x, y, z, volume, material; in a "
        "plane x, y, area, material; volumes and materials may be missing. Physical groups and tags of a mesh, and "
        "numbers of materials, are groups that regions may be",
        title="Mesh or CSV",
        file="mesh or table",
    )
    formulation: Literal["3D", "plane stress", "plane strain"] = quantity(
        "3D", "", "3D (Poisson's ratio 1/4), plane stress (1/3) or plane strain (1/4)"
    )
    length_unit: Literal["um", "mm", "cm", "m"] = quantity("mm", "", "Unit of length in the file")
    thickness: float = quantity(1.0, "mm", "Thickness, for energies and forces", gt=0, when={"formulation": PLANE})
    horizon: float | None = quantity(None, "mm", "Horizon; none: that of the bonds, in mean distances of points", gt=0)
    correction: Literal["energy", "none"] = quantity(
        "energy",
        "",
        "Energy: bonds are weighted so that each particle has the elastic solid's energy in uniform dilation, also at "
        "surfaces; none: one micromodulus for all bonds",
    )
