"""Checkpoints: the state of a simulation as NumPy arrays in a zip (.npz), never pickled.

The newest bears the name that is asked for, ``checkpoint.npz``; those before it are ``checkpoint-1.npz`` and on. Each
knows a sum over all that it holds: what is torn or was edited is not gone on from.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.parameters import RECORDING
from engines.named_files import Place
from engines.reading import foreign_file, opened_npz, read_npz
from workbench.project.document import Document
from workbench.project.meshes import fingerprint
from workbench.project.parameter_files import named_files, with_values
from workbench.storage.atomic import check_room, storing, write_atomically
from workbench.storage.zips import add_array, undated

META = "checkpoint.json"
VERSION = 2
WITHOUT_CHECKSUM = 1
"""The version whose checkpoints have none."""
KEPT = 2
"""Checkpoints that a run keeps, as many as cost a disk what they are worth: one, and one to fall back on."""


@dataclass(frozen=True)
class CheckpointMeta:
    """What a checkpoint belongs to. ``problem`` is :func:`problem_fingerprint`, ``checksum`` is over the state, too;
    ``later``: live parameters that may have been set after this moment to what they are in the problem."""

    problem: str
    device: str
    step: int
    time: float
    version: int = VERSION
    checksum: str = ""
    later: tuple[str, ...] = ()

    def told(self) -> dict[str, Any]:
        """As it is written."""
        return {key: value for key, value in asdict(self).items() if key != "later" or value}


@dataclass(frozen=True)
class Checkpoint:
    """A state to continue from. ``noticed``: a sentence, where it is not the newest that there is."""

    meta: CheckpointMeta
    state: Mapping[str, Array]
    noticed: str = ""


def problem_fingerprint(document: Document, probes: Sequence[tuple[str, int]], without: Sequence[Place] = ()) -> str:
    """SHA-256 of all that a run's numbers and its tables' columns depend on, but for the parameters at the places
    ``without`` and for what decides of other files alone."""
    digest = hashlib.sha256()
    recording = getattr(document.parameters, RECORDING, None)
    only_written = {RECORDING: set(getattr(recording, "only_written", ()))}
    contents = {
        place: fingerprint([file]) for place, file in named_files(document.parameters).items() if file.is_file()
    }
    changes = {**contents, **{place: None for place in without if not _only_written(place, only_written)}}
    content = {
        "engine": document.engine.id,
        "parameters": with_values(document.parameters.model_dump(mode="json", exclude=only_written), changes),
        "probes": [list(probe) for probe in probes],
        "regions": sorted(getattr(document.loaded, "region_names", {}).items()),
    }
    digest.update(json.dumps(content, sort_keys=True).encode())
    for name in ("points", "cells", "regions", "fibres", "sheets"):
        values = getattr(document.loaded, name, None)
        if values is not None:
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _only_written(place: Place, groups: Mapping[str, set[str]]) -> bool:
    return len(place) > 1 and str(place[1]) in groups.get(str(place[0]), ())


def write_checkpoint(path: Path, meta: CheckpointMeta, state: Mapping[str, Array], kept: int = KEPT) -> None:
    """Write ``state`` beside those before, of which so many stay that there are ``kept``.

    Raises StorageError; then those before are unchanged.
    """
    meta = replace(meta, checksum=_checksum(meta, state))

    def write(stream: BinaryIO) -> None:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for name, values in state.items():
                add_array(archive, name, values)
            archive.writestr(undated(archive, META), json.dumps(meta.told()))
        stream.flush()
        os.fsync(stream.fileno())  # it is whole, and takes its place next
        for number in range(max(kept, 1) - 2, -1, -1):
            with suppress(FileNotFoundError):  # nor need it be there still: two windows may keep a run of one problem
                _before(path, number).replace(_before(path, number + 1))

    check_room(path, sum(np.asarray(values).nbytes for values in state.values()))
    write_atomically(path, write, durable=True)
    with storing(path):
        for file in checkpoints_at(path)[max(kept, 1) :]:
            file.unlink(missing_ok=True)


def checkpoints_at(path: Path) -> list[Path]:
    """The checkpoints that there are, newest first: ``path``, and those before it."""
    older = (each for each in path.parent.glob(f"{path.stem}-*{path.suffix}") if each.stem.split("-")[-1].isdecimal())
    found = [path, *sorted(older, key=lambda each: int(each.stem.split("-")[-1]))]
    return [each for each in found if each.is_file()]


def remove_checkpoints(path: Path) -> None:
    """Remove all that there are. Raises StorageError."""
    with storing(path):
        for file in checkpoints_at(path):
            file.unlink(missing_ok=True)


def read_checkpoint(path: Path, problem: str) -> Checkpoint:
    """The newest checkpoint at ``path`` that is whole. Raises ProblemError if there is none, or of another problem."""
    files = checkpoints_at(path)
    if not files:
        raise ProblemError(f"There is no checkpoint '{path}' to resume from: run without --resume.")
    failure: ProblemError | None = None
    for file in files:
        try:
            meta, state = _read(file)
        except ProblemError as error:
            failure = failure or error
            continue
        if meta.problem != problem:
            raise ProblemError(
                f"The checkpoint '{file}' belongs to another problem (mesh, parameters, what is recorded "
                "or probes differ): "
                "run without --resume or into another folder."
            )
        noticed = f"The checkpoint '{path}' is damaged: the run goes on from the one before, '{file}'."
        return Checkpoint(meta, state, "" if failure is None else noticed)
    assert failure is not None
    raise failure


def kept_meta(path: Path) -> CheckpointMeta | None:
    """Of the checkpoint in this very file; None where there is none that can be read."""
    try:
        with foreign_file(f"The checkpoint '{path}' is damaged."), opened_npz(path) as archive:
            return _meta(json.loads(archive.read(META)), path)
    except ProblemError:
        return None


def _read(path: Path) -> tuple[CheckpointMeta, dict[str, Array]]:
    """Raises ProblemError."""
    with foreign_file(f"The checkpoint '{path}' is damaged: run without --resume."), opened_npz(path) as archive:
        meta = _meta(json.loads(archive.read(META)), path)
        state = {name.removesuffix(".npy"): read_npz(archive, name) for name in archive.namelist() if name != META}
        if meta.version != WITHOUT_CHECKSUM and meta.checksum != _checksum(meta, state):
            raise ValueError("its checksum is another")
        if meta.time < 0 or int(state.get("step", meta.step)) != meta.step:  # tables would be cut at another moment
            raise ValueError("it is of two moments")
    return meta, state


def _before(path: Path, number: int) -> Path:
    return path.with_stem(f"{path.stem}-{number}") if number else path


def _checksum(meta: CheckpointMeta, state: Mapping[str, Array]) -> str:
    """SHA-256 of all that a checkpoint holds."""
    digest = hashlib.sha256(json.dumps(replace(meta, checksum="").told(), sort_keys=True).encode())
    for name in sorted(state):
        values = np.ascontiguousarray(state[name])
        digest.update(f"{name} {values.dtype.str} {values.shape} ".encode())
        digest.update(values.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _meta(content: Any, path: Path) -> CheckpointMeta:
    if content["version"] not in (VERSION, WITHOUT_CHECKSUM):
        raise ProblemError(f"The checkpoint '{path}' is of another Workbench: run without --resume.")
    meta = CheckpointMeta(**{**content, "later": tuple(content.get("later", ()))})
    if not (
        isinstance(meta.device, str) and isinstance(meta.step, int) and meta.step >= 0 and math.isfinite(meta.time)
    ) or not all(isinstance(name, str) for name in meta.later):
        raise ValueError("it is of no moment of a run")  # tables would be cut there
    return meta
