"""Medit (.mesh) in text: vertices and cells with their references; what else stands there (corners, ridges, normals,
required triangles …) is passed over.

Words, numbers and comments may stand anywhere on lines.
"""

from __future__ import annotations

import re
from pathlib import Path

import meshio
import numpy as np

from engines.api import Array
from engines.geometry.readers.text import as_type, numbers, read_bytes

CELLS = {
    "edges": ("line", 2), "triangles": ("triangle", 3), "quadrilaterals": ("quad", 4), "tetrahedra": ("tetra", 4),
    "prisms": ("wedge", 6), "pyramids": ("pyramid", 5), "hexahedra": ("hexahedron", 8), "hexaedra": ("hexahedron", 8),
}  # fmt: skip
WORD = re.compile(rb"[A-Za-z_]\w{2,}")
"""Of three letters and more: no exponent is."""
COMMENT = re.compile(rb"#[^\n]*")


def read_medit(path: Path) -> meshio.Mesh:
    """Raises MeshError, ValueError for what is damaged."""
    content = read_bytes(path).tobytes()
    if b"#" in content:
        content = COMMENT.sub(b"", content)
    words = list(WORD.finditer(content))
    dimension, points, references = 3, np.empty((0, 3)), np.empty(0)
    cells: list[tuple[str, Array]] = []
    of_cells: list[Array] = []
    for word, behind in zip(words, [*(each.start() for each in words[1:]), len(content)], strict=True):
        name = word[0].decode("ascii", "replace").lower()
        if name == "dimension" or name == "vertices" or name in CELLS:
            found = numbers(np.frombuffer(bytearray(content[word.end() : behind]), np.uint8), path.name)
            if name == "dimension":
                (dimension,) = map(int, found)
            elif name == "vertices":
                rows = _rows(found, dimension + 1)
                points, references = rows[:, :dimension], rows[:, dimension]
            else:
                kind, corners = CELLS[name]
                rows = as_type(_rows(found, corners + 1), np.dtype(np.int64))
                cells.append((kind, rows[:, :corners] - 1))
                of_cells.append(rows[:, corners])
    return meshio.Mesh(points, cells, point_data={"medit:ref": references}, cell_data={"medit:ref": of_cells})


def _rows(found: Array, width: int) -> Array:
    """As many as the first number says. Raises ValueError for more or fewer."""
    count = int(found[0]) if len(found) else -1
    if len(found) != 1 + count * width:
        raise ValueError("a section is not as long as it says")
    return found[1:].reshape(count, width)
