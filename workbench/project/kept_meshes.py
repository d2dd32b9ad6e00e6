"""Meshes that were made in a session and belong to no project yet: kept as .vtu until the project is saved.

A project that stands on such a mesh names it by absolute path, as one that was never saved names its mesh, so that an
autosave finds it again; saving copies it beside the project file.
"""

from __future__ import annotations

import shutil
import time as clock
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from engines.api import Engine
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from engines.reading import read_json
from workbench.export.vtu import VtuWriter
from workbench.project.document import Standing
from workbench.project.meshes import read_mesh_file
from workbench.project.project import MeshReference
from workbench.project.store import KEPT_SECONDS
from workbench.storage.paths import state_dir


def keep_mesh(geometry: Any, engine: Engine, name: str) -> Standing:
    """Write ``geometry`` into a file called after ``name`` and stand on what is read from it: what is shown now is
    what opens later. Slow for large meshes. Raises ProblemError, StorageError.
    """
    if engine.geometry_type is None or not isinstance(geometry, TetMesh):
        raise ProblemError(f"The engine '{engine.id}' takes no mesh of this kind: nothing was changed.")
    folder = _folder()
    _forget_old(folder)
    path = folder / uuid.uuid4().hex / f"{name or 'mesh'}.vtu"
    VtuWriter(geometry).write(path, {})
    loaded = read_mesh_file(path, "mm", None)
    return Standing(loaded, path, None, MeshReference(path=str(path), length_unit="mm"))


def _folder() -> Path:
    return state_dir() / "meshes"


def _forget_old(folder: Path) -> None:
    """Remove what was made long ago and no autosave refers to: its project was saved, or given up."""
    try:
        told = str([read_json(file) for file in (state_dir() / "autosave").glob("*/project.json")])
    except ProblemError:  # a session ends meanwhile: another time
        return
    for old in folder.glob("*/"):
        with suppress(OSError):
            if clock.time() - old.stat().st_mtime > KEPT_SECONDS and old.name not in told:
                shutil.rmtree(old)
