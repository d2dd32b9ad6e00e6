"""A problem on its way to another machine: its project, and the files that it names by their SHA-256.

A file that the other side has got before is not sent again. What has come lies in this person's cache, in a folder that
nobody else may look into.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time as clock
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.base import Geometry
from workbench.project.document import Document, open_document
from workbench.project.meshes import check_companions, fingerprint
from workbench.project.parameter_files import check_files, check_kinds, named_files, with_values
from workbench.project.project import Probe
from workbench.project.reading.parsing import PROJECT_FILE, parse_project, validated
from workbench.project.reading.unpacking import KEPT_SECONDS, LARGEST_FILE, LARGEST_MESH
from workbench.project.store import as_json, flat
from workbench.remote.codec import WireError
from workbench.remote.messages import FilePart, FileTold, GeometryTold, SentProblem
from workbench.run.session import nearest_elements
from workbench.storage.atomic import storing, write_text
from workbench.storage.paths import cache_dir

PART_BYTES = 1 << 22
SHA256 = re.compile(r"[0-9a-f]{64}")
COMPARED = 64
"""Elements whose centres are compared."""


def packed(document: Document) -> tuple[SentProblem, dict[str, Path]]:
    """What is sent, and where the files lie by SHA-256. Slow for large meshes. Raises ProblemError, StorageError."""
    check_files(document.parameters)
    document.check_links()
    check_kinds(document.engine, document.parameters, _nowhere())
    check_companions(document.mesh)
    files = named_files(document.parameters)
    with storing(document.mesh or _nowhere()):
        project, names = flat(document.current_project(), document.mesh, document.fibres, files)
        told = [(FileTold(name, fingerprint([file]), file.stat().st_size), file) for file, name in names]
    return SentProblem(as_json(project), tuple(each for each, _ in told)), {each.sha256: file for each, file in told}


def with_probes(problem: SentProblem, geometry: Geometry, followed: Sequence[tuple[str, int]]) -> SentProblem:
    """As it is sent back: with the probes (name, element) that its run follows now. One that has another element than
    its position stands at the middle of that."""
    project = parse_project(problem.project, "The problem")
    before = {probe.name: probe for probe in project.probes}

    def standing(name: str, element: int) -> Probe:
        probe = before.get(name)
        if probe is not None and nearest_elements(geometry, [probe.position]) == [element]:
            return probe
        x, y, z = geometry.centers(np.array([element], np.int64))[0]
        return Probe(name=name, position=(float(x), float(y), float(z)))

    project.probes = [standing(name, element) for name, element in followed]
    return replace(problem, project=as_json(project))


def with_changes(problem: SentProblem, parameters: BaseModel, names: Iterable[str]) -> SentProblem:
    """As it is sent back: with the values that these parameters, "numerics.step", have now."""
    project, now = parse_project(problem.project, "The problem"), parameters.model_dump(mode="json")
    for name in names:
        *above, last = name.split(".")
        before, after = (reduce(_inside, above, tree) for tree in (project.parameters, now))
        before[int(last) if isinstance(before, list) else last] = _inside(after, last)
    return replace(problem, project=as_json(project))


def _inside(tree: Any, key: str) -> Any:
    return tree[int(key)] if isinstance(tree, list) else tree[key]


def parts_of(sha256: str, file: Path) -> Iterator[FilePart]:
    """Raises ProblemError where it cannot be read any more."""
    try:
        with file.open("rb") as stream:
            content, offset = stream.read(PART_BYTES), 0
            while content or not offset:
                yield FilePart(sha256, offset, np.frombuffer(content, np.uint8))
                offset += len(content) or 1
                content = stream.read(PART_BYTES)
    except OSError as error:
        raise ProblemError(f"'{file}' cannot be read ({error.strerror}): put it back, then run again.") from error


class Received:
    """Files that have come, by SHA-256."""

    def __init__(self) -> None:
        self._folder = cache_dir() / "sent"
        self._coming: dict[str, int] = {}
        self._own = f".{uuid.uuid4().hex[:8]}.part"  # machines that share their homes may get one file at once

    def begin(self) -> None:
        """Of another sender: what the one before did not send whole is sent anew."""
        self._coming.clear()

    def missing(self, problem: SentProblem) -> tuple[str, ...]:
        """Those that are not there yet. Raises WireError for what no file can be called, and for two of one name: the
        second would be written into the first, which other problems share."""
        if len({file.name.casefold() for file in problem.files}) < len(problem.files):
            raise WireError("Two files of one name were to be sent: no project has them.")
        if sum(file.size for file in problem.files) > LARGEST_MESH + LARGEST_FILE:
            raise WireError(f"More than {LARGEST_MESH + LARGEST_FILE >> 30} GB of files were to be sent: not taken.")
        for file in problem.files:
            if not SHA256.fullmatch(file.sha256) or not 0 <= file.size <= LARGEST_MESH or not _is_name(file.name):
                raise WireError(f"A file '{file.name[:40]}' was to be sent that cannot be one of a project.")
        return tuple(dict.fromkeys(file.sha256 for file in problem.files if not self.path(file.sha256).is_file()))

    def path(self, sha256: str) -> Path:
        return self._folder / sha256

    def take(self, part: FilePart, wanted: dict[str, int]) -> bool:
        """Add a part of one of the ``wanted`` files (SHA-256 to size); whether that is whole now.

        Raises WireError, StorageError.
        """
        done = self._coming.get(part.sha256, 0)
        if part.sha256 not in wanted or part.offset != done or done + part.content.size > wanted[part.sha256]:
            raise WireError("A part of a file came that nobody had asked for.")
        fresh = self.path(part.sha256).with_suffix(self._own)
        with storing(fresh):
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
            with fresh.open("wb" if not done else "ab") as stream:
                stream.write(part.content.astype(np.uint8).tobytes())
        self._coming[part.sha256] = done + part.content.size
        if self._coming[part.sha256] < wanted[part.sha256]:
            return False
        del self._coming[part.sha256]
        with storing(fresh):
            if fingerprint([fresh]) != part.sha256:
                fresh.unlink()
                raise WireError("A file has changed while it was sent: run again.")
            fresh.replace(self.path(part.sha256))
        return True

    def forget_old(self) -> None:
        """What was last wanted long ago."""
        for old in (old for folder in ("sent", "runs", "shown") for old in (cache_dir() / folder).glob("*")):
            with suppress(OSError):
                if clock.time() - old.stat().st_mtime > KEPT_SECONDS:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()

    def document(self, problem: SentProblem, folder: Path) -> Document:
        """Open it in ``folder``, which is made. Raises ProblemError, StorageError."""
        with storing(folder):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(0o700, parents=True)
            for file in problem.files:
                source = self.path(file.sha256)
                os.utime(source)
                try:
                    os.link(source, folder / file.name)
                except OSError:  # a file system without
                    shutil.copyfile(source, folder / file.name)
        write_text(folder / PROJECT_FILE, problem.project)
        return replace(open_document(folder), path=None)


def edited(document: Document, problem: SentProblem, folder: Path) -> Document | None:
    """A problem of the same files as the ``document``, which was opened in ``folder``, without reading its mesh again;
    None where it stands on another. Raises ProblemError."""
    project = parse_project(problem.project, "The problem")
    if project.engine != document.engine.id or project.geometry != document.project.geometry:
        return None
    model = document.engine.Parameters
    files = named_files(validated(model, project.parameters, "The problem"))
    values = with_values(project.parameters, {place: str(folder / file.name) for place, file in files.items()})
    return replace(document, project=project, parameters=validated(model, values, "The problem"))


def geometry_told(geometry: Geometry) -> GeometryTold:
    (low, high), n = geometry.bounds, int(geometry.n_cells)
    some = np.unique(np.linspace(0, n - 1, COMPARED).astype(np.int64)) if n else np.empty(0, np.int64)
    centres = np.asarray(geometry.centers(some), float)
    return GeometryTold(n, geometry.length_unit, np.asarray(low, float), np.asarray(high, float), centres)


def same_geometry(one: GeometryTold, other: GeometryTold) -> bool:
    """But for what other processors round in another way."""

    def close(a: Array, b: Array) -> bool:
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-6, atol=1e-6 * float(np.abs(one.high).max())))

    plain = one.n_cells == other.n_cells and one.length_unit == other.length_unit
    return plain and all(close(getattr(one, each), getattr(other, each)) for each in ("low", "high", "centres"))


def folder_of(run: str, use: Literal["runs", "shown"]) -> Path:
    """Of a problem that ``runs`` here, or that runs elsewhere and is ``shown`` here: both may be on one machine."""
    return cache_dir() / use / hashlib.sha256(run.encode()).hexdigest()[:32]


def _is_name(name: str) -> bool:
    return bool(name) and name not in (".", "..", PROJECT_FILE) and not set(name) & set("/\\\0") and len(name) < 200


def _nowhere() -> Path:
    """No file of a problem is below it."""
    return cache_dir() / "sent"
