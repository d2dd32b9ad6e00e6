"""After warming, a real mesh compiles nothing more."""

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
