"""What the kernels of strain know by number, declared once for both twins: rows of what they find, constants of a
solid, and when too few bonds hold. Kernels on the CPU take the names from here, those on a GPU from ``rows.cuh``, which
``python -m engines.peridynamics.watch.strain.rows`` writes.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from engines.backend.compile.headers import header

HEADER = Path(__file__).with_name("rows.cuh")
FEWEST = 1 / 3
"""Of the bonds before any cut, below which strain is not told."""
LEAST = 1e-2
"""det K over that of the same trace in all directions, below which strain is not told."""


class Found(IntEnum):
    """(Found, size); those from XX on only where one of them is asked for."""

    STRAIN = 0  # largest principal (in the plane of a plate)
    VON_MISES = 1
    MEAN_STRESS = 2
    DILATATION = 3  # of solids that have one
    XX = 4
    YY = 5
    ZZ = 6
    YZ = 7
    XZ = 8
    XY = 9
    LARGEST = 10  # principal stress (in the plane of a plate)
    SMALLEST = 11


class Elasticity(IntEnum):
    """Of a material: (materials, Elasticity)."""

    LAME = 0
    SHEAR = 1
    THROUGH = 2  # stress across a plate over the trace of the strain


def text() -> str:
    """The text of ``rows.cuh``."""
    numbers = {"FEWEST": FEWEST, "LEAST": LEAST, "ROWS": len(Found), "CONSTANTS": len(Elasticity)}
    command = "engines.peridynamics.watch.strain.rows"
    return header("strain/rows.py", command, numbers, Found, Elasticity, real="double")


if __name__ == "__main__":
    HEADER.write_text(text(), encoding="utf-8")
