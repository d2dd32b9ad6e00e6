"""Scenes with all over them that can be, on a camera whose rays are known."""

import numpy as np

from engines.api import FieldInfo, VectorInfo
from engines.api.charts import Links
from engines.geometry.grid import Grid
from tests.ui.scene.grids import info
from tests.ui.scene.meshes import info as of_mesh
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.overlays.test_gripping import placement
from ui.scene.arrows import Arrows
from ui.scene.marks import Marks
from ui.scene.scene import Scene
from workbench.project.project import CameraView, ClipPlane, ViewSettings

FIELD = FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0))


SIZE = (800, 600)


SEEN = {
    "slanted": CameraView(azimuth=30.0, elevation=20.0, distance=45.0),
    "above": CameraView(azimuth=-90.0, elevation=90.0, distance=60.0),
}


def full(seen="slanted", size=SIZE, clipped=False):
    """A box of 10 mm with everything over it that can be: a grid with ticks, or a mesh with a plane that cuts it."""
    scene = Scene()
    box = kuhn_cube(2) if clipped else Grid((10, 10, 10), (1.0, 1.0, 1.0))
    scene.set_simulation(of_mesh(box) if clipped else info(box, FIELD))
    clip = ClipPlane(origin=(5.0, 5.0, 4.0), normal=(0.0, 0.0, 1.0))
    scene.apply_view(ViewSettings(field="voltage" if clipped else "u", camera=SEEN[seen], clip=clip), size[0] / size[1])
    if not clipped:
        scene.show_fields({"u": np.zeros(box.n_cells, np.float32)}, 1.5)
        flow = VectorInfo("flow", "Flow", "m/s", ("a", "b", ""))
        scene.arrows = Arrows(flow, np.zeros((1, 3)), np.ones((1, 3)), None, apart=2.0, longest=3.0)
    scene.time, scene.lines = 1.5, ["Bandwidth\t4.70 GB/s", "Steps\t4650 /s"]
    scene.probes = [("P1", (1.0, 1.0, 10.0), (220, 20, 20)), ("P2", (9.0, 9.0, 0.0), (20, 200, 20))]
    scene.measured, scene.cuts = ((0.0, 0.0, 10.0), (10.0, 0.0, 10.0)), (((0.0, 2.0, 10.0), (10.0, 2.0, 10.0)),)
    scene.inspected, scene.brush = (5.0, 5.0, 10.0), ((5.0, 5.0, 10.0), 2.0)
    scene.marks = Marks(placement(), ("objects", 0), None, grips=True)
    return scene


def at(scene, *point, size=SIZE):
    (pixel,), _ = scene.camera.to_pixels(np.array([point], float), *size)
    return pixel


def linked(values=(1.0, np.nan, -2.0, 0.5), low=-2.0, high=2.0):
    ends = np.array([[[5.0, 5, 5], [5 + k, 6, 5 + k]] for k in range(4)])
    return Links("Stretch", "%", (low, high), ends, np.array(values))
