"""Checkpoints: the state of a simulation as NumPy arrays in a zip (.npz), never pickled."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import foreign_file, read_npz
from workbench.project.document import Document
from workbench.project.meshes import fingerprint
from workbench.project.parameter_files import named_files, with_values
from workbench.storage.atomic import write_atomically

META = "checkpoint.json"
VERSION = 1


@dataclass(frozen=True)
class CheckpointMeta:
    """What a checkpoint belongs to. ``problem`` is :func:`problem_fingerprint`."""

    problem: str
    device: str
    step: int
    time: float
    version: int = VERSION


@dataclass(frozen=True)
class Checkpoint:
    """A state to continue from."""

    meta: CheckpointMeta
    state: Mapping[str, Array]


def problem_fingerprint(document: Document, probes: Sequence[tuple[str, int]]) -> str:
    """SHA-256 of all that a run's numbers and its tables' columns depend on."""
    digest = hashlib.sha256()
    contents = {
        place: fingerprint([file]) for place, file in named_files(document.parameters).items() if file.is_file()
    }
    content = {
        "engine": document.engine.id,
        "parameters": with_values(document.parameters.model_dump(mode="json"), contents),
        "probes": [list(probe) for probe in probes],
    }
    digest.update(json.dumps(content, sort_keys=True).encode())
    for name in ("points", "cells", "regions", "fibres", "sheets"):
        values = getattr(document.loaded, name, None)
        if values is not None:
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def write_checkpoint(path: Path, meta: CheckpointMeta, state: Mapping[str, Array]) -> None:
    """Atomically write ``state``. Raises StorageError; then the checkpoint before is unchanged."""

    def write(stream: BinaryIO) -> None:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(META, json.dumps(asdict(meta)))
            for name, values in state.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(values), allow_pickle=False)

    write_atomically(path, write, durable=True)


def read_checkpoint(path: Path, problem: str) -> Checkpoint:
    """The checkpoint at ``path``. Raises ProblemError if there is none, it is damaged, or of another problem."""
    if not path.is_file():
        raise ProblemError(f"There is no checkpoint '{path}' to resume from: run without --resume.")
    with foreign_file(f"The checkpoint '{path}' is damaged: run without --resume."), zipfile.ZipFile(path) as archive:
        meta = _meta(json.loads(archive.read(META)), path)
        state = {name.removesuffix(".npy"): read_npz(archive, name) for name in archive.namelist() if name != META}
    if meta.problem != problem:
        raise ProblemError(
            f"The checkpoint '{path}' belongs to another problem (mesh, parameters or probes differ): "
            "run without --resume or into another folder."
        )
    return Checkpoint(meta, state)


def _meta(content: Any, path: Path) -> CheckpointMeta:
    meta = CheckpointMeta(**content)
    if meta.version != VERSION:
        raise ProblemError(f"The checkpoint '{path}' is of another Workbench: run without --resume.")
    return meta
