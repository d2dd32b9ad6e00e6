"""Makes ``meshes.npz`` with gmsh 4 (not needed to run the tests): ``python make_meshes.py``.

cube_<n>: unit cube, the sizes of VERIFICATION.md; sheared_<n>: the image of the unit cube under ``SHEAR``, meshed
isotropically in its own space.
"""

from pathlib import Path

import gmsh
import numpy as np

FIBRE = np.array([2.0, 2.0, 1.0]) / 3.0
SHEAR = np.eye(3) + 2.0 * np.outer(FIBRE, FIBRE)
"""Maps isotropic diffusion on the unit cube to diffusion 9 times faster along FIBRE on a sheared box."""


def mesh(size: float, shear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    box = gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    if not np.array_equal(shear, np.eye(3)):
        transform = np.eye(4)
        transform[:3, :3] = shear
        gmsh.model.occ.affineTransform([(3, box)], transform.ravel().tolist())
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", size)
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.model.mesh.generate(3)
    tags, points, _ = gmsh.model.mesh.getNodes()
    number = np.zeros(int(tags.max()) + 1, np.int64)
    number[tags.astype(np.int64)] = np.arange(len(tags))
    cells = number[gmsh.model.mesh.getElements(3)[2][0].astype(np.int64).reshape(-1, 4)]
    gmsh.finalize()
    used, cells = np.unique(cells, return_inverse=True)
    return points.reshape(-1, 3)[used], cells.reshape(-1, 4).astype(np.uint16)


if __name__ == "__main__":
    arrays = {}
    for name, sizes, shear in (("cube", (0.2, 0.12, 0.07), np.eye(3)), ("sheared", (0.2, 0.1), SHEAR)):
        for size in sizes:
            points, cells = mesh(size, shear)
            arrays[f"{name}_{len(cells)}_points"], arrays[f"{name}_{len(cells)}_cells"] = points, cells
    np.savez_compressed(Path(__file__).with_name("meshes.npz"), **arrays)
