"""A factor on the tissue's conductivities that hangs on the place, typed as formulas
(:mod:`engines.formulas.typed.definitions`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node
from engines.formulas.typed.definitions import checked, function_of
from engines.geometry.meshes.mesh import TetMesh

NAME, PLACE = "f", ("x", "y", "z")
EVERYWHERE = ("f = 1",)
STEPS = ("f = 1 + 0.5*x/10", "r = sqrt((x - 10)**2 + (y - 10)**2 + z**2)", "f = where(x > 10, 0.5, 1)")
WHOLE = (
    ("Everywhere the same", EVERYWHERE),
    ("Slower on one side", ("f = where(x > 10, 0.5, 1)",)),
    ("Slower around a point", ("r2 = (x - 10)**2 + (y - 10)**2 + z**2", "f = 1 - 0.8*exp(-r2/8)")),
)
LARGEST = 100.0


def read(lines: Sequence[str]) -> Node:
    """Of x, y, z [mm]. Raises ProblemError whose ``place`` is the line."""
    return function_of(lines, NAME, PLACE, "factor")


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    return checked(read, lines)


def placed_scale(lines: Sequence[str], mesh: TetMesh) -> Array:
    """(n_cells,) at the middles of cells, or one number for all. Raises ProblemError for what is no factor."""
    if tuple(lines) == EVERYWHERE:
        return np.ones(1)
    with placed_at("tissue", "place_scale"):
        places = dict(zip(PLACE, mesh.centroids.T, strict=True))
        found = np.array(np.broadcast_to(Program([read(lines)])(places)[0], mesh.n_cells), float)
        right = (found > 0) & (found <= LARGEST)
        if right.all():
            return found
        cell = int(np.argmin(right))
        where = ", ".join(f"{each:.4g}" for each in mesh.centroids[cell])
        raise ProblemError(
            f"The factor on the conductivities is {found[cell]:.4g} at ({where}) mm: let it be above 0 and at most "
            f"{LARGEST:g} in all cells."
        )
