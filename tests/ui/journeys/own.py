"""Journeys with what people bring: a mesh, equations, the speed of their machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.ui.doubles import slab
from tests.ui.journeys.desk import Journey
from tests.ui.journeys.person import Person
from tests.ui.journeys.sessions import differing

CENTIMETRES = 0.1
"""Of a millimetre."""


def a_mesh_that_is_too_coarse(person: Person, folder: Path) -> None:
    mesh = slab((20, 8, 4), 3.0)
    cells = "\n".join(f"4 {' '.join(map(str, cell))}" for cell in mesh.cells)
    points = "\n".join(" ".join(f"{x:g}" for x in point) for point in CENTIMETRES * mesh.points)
    count = len(mesh.cells)
    (folder / "tissue.vtk").write_text(
        f"# vtk DataFile Version 3.0\ntissue\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(mesh.points)} double\n"
        f"{points}\nCELLS {count} {5 * count}\n{cells}\nCELL_TYPES {count}\n" + "10\n" * count
    )
    person.presses("Ctrl+O")
    person.names_a_file(folder / "tissue.vtk")
    person.sees("Unit of its coordinates")
    person.sees("(?s).*60 mm.*")
    person.sees("(?s).*[Ee]dges.*")
    person.clicks_on("Import")
    person.clicks_on("Refine")


def equations_of_ones_own(person: Person, folder: Path) -> None:
    person.types("new diffusion")
    person.clicks_on("New: Diffusion on grids")
    person.chooses("Equation", "Your own equations")
    person.fills("Equations", "du/dt = D*laplacian(u) + k*u*(1 - u)", enter=False)
    person.sees("∂tu = D ∇²u .*")


def a_first_measurement(person: Person, folder: Path) -> None:
    person.clicks_on("Kernel Lab")


JOURNEYS = (
    Journey("A mesh of one's own, in an unknown unit and too coarse", a_mesh_that_is_too_coarse, 12),
    Journey("Equations of one's own", equations_of_ones_own, 12),
    Journey("A first measurement, with the guide", a_first_measurement, 12),
)
