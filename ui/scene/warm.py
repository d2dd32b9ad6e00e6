"""Compiles what the 3D view needs, so that the first mesh does not wait for it. Numba keeps it on disk."""

from __future__ import annotations

import numpy as np

from engines.api import FieldInfo, FrontInfo
from engines.geometry.grid import Grid
from engines.geometry.meshes.mesh import TetMesh
from ui.scene.layers.layer import Plan
from ui.scene.layers.tetrahedra import TetLayer
from ui.scene.shapes.boxes import first_box
from ui.scene.shapes.decimate import coarse_surface
from ui.scene.shapes.levels import level_surface
from ui.scene.shapes.sheet import image
from ui.scene.shapes.sphere_corner import first_sphere
from workbench.project.project import ClipPlane


def warm() -> None:
    """Take one tetrahedron through surface, cut, values, picking and decimation, a small grid through its means
    and a sphere through picking (6 s on one core, once)."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = TetMesh(corners, np.array([[0, 1, 2, 3]], np.int32), np.zeros(1, np.int32))
    layer = TetLayer(mesh)
    field = FieldInfo("value", "Value", "1", "cell", (0.0, 1.0))
    time = FieldInfo("time", "Time", "ms", "cell", (0.0, 1.0), missing=-1.0)
    clip = ClipPlane(origin=(0.2, 0.2, 0.2), normal=(1.0, 0.0, 0.0))
    layer.adopt(layer.plan_shape(Plan(field, FrontInfo("time", 1.0, "value"), time, clip, inside=1)))
    values = {"value": np.zeros(1, np.float32), "time": np.zeros(1, np.float32)}
    layer.set_fields(values, 0.0)
    layer.pick(np.array([5.0, 0.1, 0.1]), np.array([-1.0, 0.0, 0.0]))
    coarse_surface(mesh, layer.full, 2)
    grid = Grid((4, 4), (1.0, 1.0))
    image(grid, 4, means=True).sampling.selection(grid)
    level_surface(np.eye(2, dtype=np.float32)[None].repeat(2, axis=0), 0.5, (np.arange(2.0),) * 3, 1)
    first_sphere(np.zeros((1, 3)), np.ones(1), np.array([5.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0]))
    first_box(np.zeros((1, 3)), np.ones(3), np.array([5.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0]))
