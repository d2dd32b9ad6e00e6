"""Projects in zips: which members are wanted, and where they are unpacked; no name becomes a path out of the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import time as clock
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO

from engines.api.errors import ProblemError
from engines.reading import MOST_EXPANDED, foreign_file, opened_zip, refuse_pipe, resolved, swollen
from workbench.project.meshes import FAMILIES
from workbench.project.project import MeshReference, Project
from workbench.project.reading.parsing import LARGEST_PROJECT, PROJECT_FILE, parse_project, shortened
from workbench.storage.atomic import storing, write_stream
from workbench.storage.paths import cache_dir

LARGEST_MESH = 8 * 2**30
LARGEST_FILE = 2**30
"""Bytes of a file that a parameter names."""
KEPT_SECONDS = 30 * 86400
"""How long a mesh or picture stays in the cache after its zip was last opened."""

NamesOf = Callable[[Project], Iterable[str]]
"""The files besides the mesh that a project names."""


def unpacked(path: Path, names_of: NamesOf) -> tuple[Project, Path]:
    """The project in a zip, and the folder of the cache in which the files that it names are. Raises ProblemError."""
    damaged = f"'{path}' is a damaged zip: copy it again from where it is whole."
    refuse_pipe(path)
    path.open("rb").close()  # what may not be read is not damaged
    with foreign_file(damaged), opened_zip(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        members = {info.filename: info for info in files}
        if len(members) < len(files):
            counts = Counter(info.filename for info in files)
            twice = next(name for name, count in counts.items() if count > 1)
            twice = shortened(twice)
            raise ProblemError(f"'{path}' holds two files '{twice}', of which one would count: pack it anew.")
        homes = sorted((n for n in members if PurePosixPath(n).name == PROJECT_FILE), key=lambda n: n.count("/"))
        if not homes:
            raise ProblemError(f"'{path}' holds no {PROJECT_FILE}: choose a project that Workbench saved.")
        home = PurePosixPath(homes[0]).parent
        project = parse_project(_member(archive, members[homes[0]], LARGEST_PROJECT), f"'{path}'")
        wanted = _mesh_members(members, home, project.geometry, path)
        wanted += _other_members(members, home, names_of(project), path)
        return project, _unpack(archive, members, home, wanted, path)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    if info.file_size > limit:
        raise ProblemError(f"'{archive.filename}' holds a file '{info.filename}' of over {limit >> 20} MB: not opened.")
    with archive.open(info) as member:
        return member.read(limit)


def _mesh_members(
    members: Mapping[str, zipfile.ZipInfo], home: PurePosixPath, reference: MeshReference | None, path: Path
) -> list[str]:
    """The members that make up the mesh. Raises ProblemError if one is missing or too large."""
    if reference is None:
        return []
    wanted = [_inside(home, reference.path, path)]
    stem = PurePosixPath(wanted[0])
    for family in FAMILIES:
        if stem.suffix.lower() in family:
            wanted += [str(stem.with_suffix(s)) for s in family if str(stem.with_suffix(s)) in members]
    if reference.fibres is not None:
        wanted.append(_inside(home, reference.fibres, path))
    for name in wanted:
        if name not in members:
            raise ProblemError(f"The mesh '{name}' is missing in '{path}': save the project again where it is whole.")
        if members[name].file_size > LARGEST_MESH:
            raise ProblemError(f"The mesh '{name}' in '{path}' is over {LARGEST_MESH >> 30} GB: unpack the zip first.")
        _refuse_swollen(members[name], path)
    return wanted


def _other_members(
    members: Mapping[str, zipfile.ZipInfo], home: PurePosixPath, names: Iterable[str], path: Path
) -> list[str]:
    """The members that parameters name. Raises ProblemError if one is too large or not inside the zip."""
    wanted = [_inside(home, name, path) for name in names]
    for name in wanted:
        if name in members and members[name].file_size > LARGEST_FILE:
            raise ProblemError(f"The file '{name}' in '{path}' is over {LARGEST_FILE >> 30} GB: unpack the zip first.")
        if name in members:
            _refuse_swollen(members[name], path)
    return wanted


def _refuse_swollen(info: zipfile.ZipInfo, path: Path) -> None:
    """Raises ProblemError for a member that expands as no file of numbers does."""
    if swollen(info.file_size, info.compress_size):
        raise ProblemError(
            f"'{info.filename}' in '{path}' would expand to {info.file_size >> 20} MB, over {MOST_EXPANDED} times what "
            "is stored: not opened; unpack the zip first if you trust it."
        )


def _unpack(
    archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], home: PurePosixPath, wanted: list[str], path: Path
) -> Path:
    """Put the members into the cache, in a folder of their own, by their names relative to the project.

    A member that is missing is left out: whoever needs the file says which parameter names it.
    """
    infos = [members[name] for name in dict.fromkeys(wanted) if name in members]
    if swollen(size := sum(info.file_size for info in infos), path.stat().st_size):
        raise ProblemError(
            f"What '{path}' holds would expand to {size >> 20} MB, over {MOST_EXPANDED} times its size: not opened; "
            "unpack it first if you trust it."
        )
    key = hashlib.sha256(repr([(i.filename, i.CRC, i.file_size) for i in infos] + [str(resolved(path))]).encode())
    folder = cache_dir() / "unpacked" / key.hexdigest()[:24]
    if not infos:
        return folder
    _forget_old(folder.parent)
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    for info in infos:
        target = folder / PurePosixPath(info.filename).relative_to(home)
        if not _is_whole(target, info):
            with archive.open(info) as member:
                write_stream(target, _Member(member))
    return folder


def _is_whole(path: Path, info: zipfile.ZipInfo) -> bool:
    """Whether what was unpacked before is what the zip holds, and not what an editor or a crash made of it since."""
    check = 0
    with suppress(OSError):
        if not path.is_file() or path.stat().st_size != info.file_size:
            return False
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                check = zlib.crc32(part, check)
            return check == info.CRC
    return False


class _Member:
    """A file in a zip whose damage is not taken for that of the disk that it is written to."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        try:
            return self._stream.read(size)
        except OSError as error:  # bzip2's word for it
            raise zipfile.BadZipFile(str(error)) from error


def _forget_old(unpacked: Path) -> None:
    """Remove what was unpacked long ago; it comes out of its zip again when that is opened."""
    for folder in unpacked.glob("*/"):
        with suppress(OSError):
            if clock.time() - folder.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(folder)


def _inside(home: PurePosixPath, name: str, path: Path) -> str:
    """The member that ``name`` means. Raises ProblemError if it points out of the zip."""
    pure = PurePosixPath(name.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or ":" in name:
        raise ProblemError(f"'{path}' refers to '{name}', which is not inside it: not opened.")
    return (home / pure).as_posix()
