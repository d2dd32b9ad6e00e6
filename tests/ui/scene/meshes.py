"""Meshes and fields with known answers."""

from itertools import pairwise

import numpy as np

from engines.api import Array, FieldInfo, FrontInfo, Selection, SimulationInfo
from engines.geometry.meshes.mesh import TetMesh

VOLTAGE = FieldInfo("voltage", "Transmembrane voltage", "mV", "cell", (-90.0, 40.0), "voltage")
ACTIVATION = FieldInfo("activation", "Activation time", "ms", "cell", (0.0, 60.0), summary=True, missing=-1.0)


def kuhn_cube(n: int, side: float = 10.0) -> TetMesh:
    """A cube of ``side`` mm from the origin, n³ boxes of six tetrahedra each; left half region 1, right half 2."""
    axis = np.linspace(0.0, side, n + 1)
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    boxes = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    cells = []
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        corner = boxes.copy()
        path = [number[tuple(corner.T)]]
        for direction in order:
            corner[:, direction] += 1
            path.append(number[tuple(corner.T)])
        cells.append(np.stack(path, axis=1))
    tets = np.concatenate(cells).astype(np.int32)
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    inverted = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    tets[inverted] = tets[inverted][:, [0, 2, 1, 3]]
    regions = np.where(points[tets].mean(axis=1)[:, 0] < side / 2, 1, 2).astype(np.int32)
    return TetMesh(points, tets, regions, {1: "left", 2: "right"})


def info(mesh: TetMesh) -> SimulationInfo:
    front = FrontInfo("activation", 4.0)
    return SimulationInfo(mesh, 0.02, "ms", (VOLTAGE, ACTIVATION), (), (), front)


def gather(values: Array, selection: Selection) -> Array:
    """What a simulation answers to a selection."""
    if selection.offsets is None:
        return values[selection.elements].astype(np.float32)
    runs = pairwise(selection.offsets)
    return np.array([values[selection.elements[i:j]].mean() for i, j in runs], np.float32)
