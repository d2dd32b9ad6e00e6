"""Puts the fake engine, a small reader and a NumPy backend in the place of the real ones.

Also runs the command line in a process of its own: ``python house.py run PROJECT …``.
"""

from __future__ import annotations

import signal
import sys
import types
from pathlib import Path
from typing import Any

import meshio
import numpy as np

from engines.api import Finding, registry
from engines.api.errors import DeviceError, MeshError
from engines.geometry.meshes.mesh import TetMesh
from tests.workbench.fake_engine import FakeBackend, WaveEngine

SCALE = {"um": 1e-3, "mm": 1.0, "cm": 10.0, "m": 1000.0}


def read_mesh(path: Path, length_unit: str = "mm", fibres: Path | None = None) -> TetMesh:
    try:
        found = meshio.read(path)
        cells = found.cells_dict["tetra"]
    except (Exception, SystemExit) as error:  # meshio ends the process over a file it cannot read
        raise MeshError(f"'{path}' holds no tetrahedra: choose a volume mesh.") from error
    directions = None if fibres is None else np.loadtxt(fibres, np.float32)
    points = found.points * SCALE[length_unit]
    mesh = TetMesh(points, cells.astype(np.int32), np.zeros(len(cells), np.int32), {0: "tissue"}, directions)
    if "bare" in path.name:
        object.__setattr__(mesh, "findings", (Finding("The mesh names no regions: all of it is one.", "info"),))
    return mesh


def write_mesh(mesh: TetMesh, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    meshio.write(path, meshio.Mesh(mesh.points, [("tetra", mesh.cells)]))
    return path


def open_backend(device: str, reserve_core: bool = False) -> FakeBackend:
    if device.startswith("cuda"):
        raise DeviceError(f"There is no device '{device}' here: use --device cpu.")
    return FakeBackend()


def modules() -> dict[str, Any]:
    """The modules that stand in for the parts that tests of the workbench do without."""
    reading, select = types.ModuleType("engines.geometry.reading"), types.ModuleType("engines.backend.devices.select")
    reading.read_mesh = read_mesh  # type: ignore[attr-defined]  # that is what makes it one
    select.open_backend = open_backend  # type: ignore[attr-defined]
    select.available = list  # type: ignore[attr-defined]
    return {reading.__name__: reading, select.__name__: select}


def engines() -> dict[str, Any]:
    return {"wave": WaveEngine()}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs the tests may have it ignored
    sys.modules.update(modules())
    registry.engines = engines  # type: ignore[assignment]  # cached function replaced by a plain one
    from workbench.cli import command

    command()
