"""Linear finite elements (P1) on tetrahedra: the gradients of their shape functions."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import in_parts


def shape_gradients(points: Array, cells: Array) -> tuple[Array, Array]:
    """``(shapes, volumes)`` of ``cells: (n, 4)``: (n, 4, 3) [1/mm] and (n,) [mm³], float64.

    ``shapes[:, k]`` is the gradient of the linear function that is 1 at vertex k and 0 at the other three. Volumes have
    the sign of the cells' orientation; a cell of volume 0 has no gradients (they are not finite).
    """
    shapes, volumes = np.empty((len(cells), 4, 3)), np.empty(len(cells))
    _shapes(len(cells), points, cells, shapes, volumes)
    return shapes, volumes


@in_parts
@nb.njit(cache=True, nogil=True)
def _shapes(first, last, points, cells, shapes, volumes):
    """Gradients and volumes of cells; arrays as of :func:`shape_gradients`."""
    edge = np.empty((3, 3))
    for cell in range(first, last):
        for k in range(3):
            for axis in range(3):
                edge[k, axis] = points[cells[cell, k + 1], axis] - points[cells[cell, 0], axis]
        six_volumes = 0.0
        for axis in range(3):
            b, c = (axis + 1) % 3, (axis + 2) % 3
            six_volumes += edge[0, axis] * (edge[1, b] * edge[2, c] - edge[1, c] * edge[2, b])
        for axis in range(3):
            b, c = (axis + 1) % 3, (axis + 2) % 3
            total = 0.0
            for k in range(3):
                i, j = (k + 1) % 3, (k + 2) % 3
                value = (edge[i, b] * edge[j, c] - edge[i, c] * edge[j, b]) / six_volumes
                shapes[cell, k + 1, axis] = value
                total += value
            shapes[cell, 0, axis] = -total
        volumes[cell] = six_volumes / 6.0
