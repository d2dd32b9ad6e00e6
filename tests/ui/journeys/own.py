"""Journeys with what people bring: a mesh, equations, the speed of their machine."""

from __future__ import annotations

from pathlib import Path

from tests.ui.journeys.desk import Journey
from tests.ui.journeys.person import Person
from tests.ui.journeys.sessions import differing
from tests.ui.wave import slab

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
    person.sees("6 × 2.4 × 1.2 mm")
    person.clicks_on("cm:  a piece of tissue of 60 × 24 × 12 mm")
    person.sees("With edges of 3.9 mm .* times too slowly: .*")
    person.clicks_on("Refine the mesh")
    person.clicks_on("Run", near="Apply")
    person.clicks_on("Apply")
    person.sees("Taken over.*")
    person.clicks_on("Close")
    person.sees("30 720 cells.*")
    person.clicks_on("Run")
    person.sees("Pause")


def equations_of_ones_own(person: Person, folder: Path) -> None:
    person.types("new diffusion")
    person.clicks_on("New: Diffusion on grids")
    person.sees("Estimate")
    person.chooses("Equation", "Your own equations")
    person.fills("Equations", "du/dt = D*laplacian(u) + r*u*(1 - u)", enter=False)
    person.sees("∂tu = D ∇²u .*")
    before = person.looks_at("3D view")
    person.clicks_on("Run")
    person.sees("Pause")
    person.watches("3D view", lambda now: differing(now, before) > 300, "a field that grows")


def a_first_measurement(person: Person, folder: Path) -> None:
    person.clicks_on("Kernel Lab")
    person.clicks_on("Show me how, in four steps")
    person.sees("A short one")
    person.chooses("Runs", "Quick")
    person.sees("Measure")
    person.clicks_on("Run", near="Automatic")
    person.sees("Read the table", longest=120)
    person.clicks_on("Next")
    person.sees("See what bounds it")
    person.clicks_on("Roofline")
    person.clicks_on("Done")
    person.sees_no("See what bounds it")
    person.sees(r".* [GT]B/s.*|.*%.*")


JOURNEYS = (
    Journey("A mesh of one's own, in an unknown unit and too coarse", a_mesh_that_is_too_coarse, 10),
    Journey("Equations of one's own", equations_of_ones_own, 10),
    Journey("A first measurement, with the guide", a_first_measurement, 10),
)
