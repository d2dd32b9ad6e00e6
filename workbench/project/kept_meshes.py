"""Meshes and tables that were made in a session and belong to no project yet: kept until the project is saved.

A project that stands on such a file names it by absolute path, as one that was never saved names its mesh, so that an
autosave finds it again; saving copies it beside the project file.
"""

from __future__ import annotations

import hashlib
import shutil
import time as clock
import uuid
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engines.api import Array, Engine, Imported
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from engines.reading import read_json
from workbench.export.vtu import VtuWriter
from workbench.project.document import Standing
from workbench.project.meshes import read_mesh_file
from workbench.project.parameter_files import named_files, with_values
from workbench.project.project import MeshReference
from workbench.project.reading.unpacking import KEPT_SECONDS
from workbench.storage.atomic import write_atomically
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


def keep_tables(imported: Imported) -> tuple[dict[str, Any], list[Path]]:
    """The parameters with paths of the tables that they name, and these files, which are the same for the same tables.
    Raises StorageError."""
    _forget_old(_folder())
    files = {}
    for name, columns in imported.tables.items():
        digest = hashlib.sha256()
        for column, values in columns.items():
            digest.update(column.encode() + np.ascontiguousarray(values).tobytes())
        files[name] = _folder() / digest.hexdigest()[:32] / name
        write_atomically(files[name], partial(_put, columns))
    named = named_files(imported.parameters)
    paths = {place: str(files[str(file)]) for place, file in named.items() if str(file) in files}
    return with_values(imported.parameters.model_dump(mode="json"), paths), list(files.values())


def _put(columns: Mapping[str, Array], stream: BinaryIO) -> None:
    np.savez(stream, **columns)  # type: ignore[arg-type]  # its last argument is no column


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
