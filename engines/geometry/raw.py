"""What a reader hands over before anything has been checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from engines.api import Array, Finding


@dataclass
class RawMesh:
    """The content of a mesh file, as found there.

    points:       (n_points, 3) float64, in the file's unit of length
    cells:        (n, 4) int64, the tetrahedra; nothing promised of their indices or orientation
    cell_data:    name to (n,) or (n, k), rows as ``cells``
    point_data:   name to (n_points,) or (n_points, k)
    region_names: names of regions that the file knows
    other_cells:  how many cells of other kinds were left out ("triangle", "hexahedron", …)
    """

    points: Array
    cells: Array
    cell_data: dict[str, Array] = field(default_factory=dict)
    point_data: dict[str, Array] = field(default_factory=dict)
    region_names: dict[int, str] = field(default_factory=dict)
    other_cells: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
