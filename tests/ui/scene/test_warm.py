"""After warming, a real mesh compiles nothing more."""

import subprocess
import sys

import numpy as np

from engines.geometry.grid import Grid
from tests.ui.scene.meshes import ACTIVATION, VOLTAGE, kuhn_cube
from ui.scene.layers.layer import Plan
from ui.scene.layers.tetrahedra import TetLayer
from ui.scene.shapes import cut, decimate, picking, sampling, surface, vertex_means
from ui.scene.shapes.sheet import slices
from ui.scene.warm import warm
from workbench.project.project import ClipPlane

COMPILED = (
    surface._corner_normals,
    cut.march,
    picking._nearest,
    vertex_means._mean,
    decimate._collapse,
    sampling._blocks,
)


def test_a_mesh_compiles_nothing_after_warming() -> None:
    warm()
    before = [len(function.signatures) for function in COMPILED]
    assert min(before) > 0
    mesh = kuhn_cube(6)
    layer = TetLayer(mesh)
    decimate.coarse_surface(mesh, layer.full, 100)
    for field in (VOLTAGE, ACTIVATION):
        layer.adopt(layer.plan_shape(Plan(field, None, ACTIVATION, ClipPlane(origin=(5, 5, 5), normal=(0, 0, 1)))))
        layer.set_fields({"voltage": np.zeros(mesh.n_cells, np.float32), "activation": np.zeros(mesh.n_cells)}, 1.0)
    layer.pick(np.array([-30.0, 4.0, 6.0]), np.array([1.0, 0.0, 0.0]))
    grid = Grid((8, 9, 10), (1.0, 1.0, 1.0))
    for sheet in slices(grid, (0.5, 0.5, 0.5), 20, means=True):
        sheet.sampling.selection(grid)
    assert [len(function.signatures) for function in COMPILED] == before


TEXTS = """
import numba
from numba.core import event, types
import ui.scene.shapes.surface as surface
doubles, places = types.Array(types.float64, 1, "C"), types.Array(types.int64, 1, "C")
arguments = types.Array(types.float64, 2, "C"), doubles, places, places, places, types.float64
with event.install_recorder("numba:compile") as recorded:
    numba.njit(surface._corner_normals.py_func).compile(arguments)
print(*{each.data["dispatcher"].py_func.__module__ for _, each in recorded.buffer})
"""


def test_what_the_first_mesh_waits_for_compiles_no_texts() -> None:
    """Of errors that cannot be: half a second."""
    done = subprocess.run([sys.executable, "-c", TEXTS], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert "ui.scene.shapes.surface" in modules
    assert "numba.cpython.unicode" not in modules
