"""Projects on disk: reading and writing folders, zips and the project in a snapshot's PNG.

A project read from here is validated, but its parameters are not and its mesh is not loaded; see
:mod:`workbench.project.document` for that.
Nothing that is read is executed, and a zip's names never become paths outside of the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time as clock
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, Any, TypeVar

from pydantic import BaseModel, ValidationError

from engines.api.errors import ProblemError
from engines.api.parameters import without_controls
from engines.reading import MOST_EXPANDED, foreign_file, opened_zip, refuse_pipe, resolved, swollen
from workbench.export.png import read_snapshot_text
from workbench.project.boundary import NOTHING, Permission, named_file
from workbench.project.meshes import FAMILIES, SUFFIXES, fingerprint, mesh_files
from workbench.project.migrations import migrate
from workbench.project.parameter_files import Place, with_values
from workbench.project.project import MeshReference, Project
from workbench.storage.atomic import (
    FORGOTTEN_SECONDS,
    StorageError,
    storing,
    sweep,
    write_atomically,
    write_stream,
    write_text,
)
from workbench.storage.overtaken import mark_of, mark_of_content
from workbench.storage.paths import cache_dir
from workbench.storage.zips import undated

Model = TypeVar("Model", bound=BaseModel)

PROJECT_FILE = "project.json"
LARGEST_PROJECT = 16 * 2**20
LARGEST_MESH = 8 * 2**30
LARGEST_FILE = 2**30
"""Bytes of a file that a parameter names."""
MOST_VALUES, MOST_WRONG = 400_000, 1000
"""Of a project: values beside the numbers of curves, and wrong ones that are looked at one by one; each costs some 5 µs
and 1 kB to tell of."""
OF_CURVES = ("x", "y")
HALVES = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""Of characters that have two in JSON."""
LONG_WORD = re.compile(r"\S{80,}")
KEPT_SECONDS = 30 * 86400
"""How long a mesh or picture stays in the cache after its zip was last opened."""


@dataclass(frozen=True)
class Stored:
    """A project and where its mesh files lie. ``path`` is where saving in place goes (None: nowhere yet).

    ``folder`` is where the names of its other files begin; ``mark`` is of what stands at ``path``.
    """

    project: Project
    mesh: Path | None
    fibres: Path | None
    path: Path | None
    folder: Path | None = None
    mark: str = ""

    def locate(self, name: str, permission: Permission = NOTHING) -> Path:
        """Where the file lies that the project names, or may lie where a picture came from another machine.

        Raises ProblemError where the name is none of a file.
        """
        if self.folder is None:
            return Path(name)
        file = named_file(self.folder, name, f"'{self.path or self.project.title}'", permission)
        beside = self.folder / PurePosixPath(name.replace("\\", "/")).name
        return beside if beside.is_file() and not file.is_file() else file


NO_FILES: Mapping[Place, Path] = MappingProxyType({})

NamesOf = Callable[[Project], Iterable[str]]
"""The files besides the mesh that a project names."""


def no_names(project: Project) -> Iterable[str]:
    """A :data:`NamesOf` for whoever needs the project alone."""
    return ()


def read_stored(path: Path, names_of: NamesOf = no_names, permission: Permission = NOTHING) -> Stored:
    """The project in a folder, a ``project.json``, a zip or a snapshot. Nothing that it names is read yet.

    Raises ProblemError.
    """
    try:
        if path.is_dir():
            return _from_folder(path, PROJECT_FILE, permission)
        if not path.exists():
            raise ProblemError(f"There is no '{path}': check the name.")
        if path.suffix.lower() == ".json":
            return _from_folder(path.parent, path.name, permission)
        if path.suffix.lower() == ".png":
            return _from_snapshot(path, permission)
        if path.suffix.lower() != ".zip" and not zipfile.is_zipfile(path):
            raise ProblemError(
                f"'{path}' is neither a project nor a mesh that can be read: choose a project's folder or .zip, "
                f"a snapshot .png, or a mesh ({', '.join(SUFFIXES)})."
            )
        return _from_zip(path, names_of)
    except OSError as error:
        raise ProblemError(f"'{path}' cannot be read: {error.strerror or error}.") from error


def parse_project(text: str | bytes, name: str) -> Project:
    """A validated project from JSON. Raises ProblemError that names ``name`` and the first thing to change."""
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        content = json.loads(text, object_pairs_hook=_each_once)
        if HALVES.search(text):
            json.dumps(content, ensure_ascii=False).encode()  # halves of characters, which could not be saved again
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"{name} is not a project: it is no valid JSON ({error}).") from error
    if not isinstance(content, dict):
        raise ProblemError(f"{name} is not a project: it must hold one JSON object.")
    return validated(Project, migrate(content, name), name)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A group of JSON, of which a person reads the first of two values of a name and Python the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"'{_shortened(twice)}' stands twice in one group: remove one")
    return found


def validated(model: type[Model], content: Any, name: str) -> Model:
    """``content`` as ``model``; raises ProblemError that tells the first thing to change in one sentence."""
    if _has_more_values(content, MOST_VALUES):
        raise ProblemError(
            f"{name} has more than {MOST_VALUES:,} values beside curves: not looked through; thin it out."
        )
    try:
        return model.model_validate(content)
    except ValidationError as error:
        if error.error_count() > MOST_WRONG:
            raise ProblemError(
                f"{name} has {error.error_count():,} values that are wrong or that nothing reads: it is damaged, or no "
                "project."
            ) from error
        problems = error.errors(include_url=False, include_input=False)
        where = _shortened(".".join(str(part) for part in problems[0]["loc"]) or "the whole")
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        if problems[0]["type"] == "extra_forbidden":
            raise ProblemError(
                f"{name} has a value '{where}' that nothing reads: correct its name or remove it{more}."
            ) from error
        what = _shortened(problems[0]["msg"].removeprefix("Value error, "))
        raise ProblemError(f"{name} has a wrong value at {where}: {what[0].lower()}{what[1:]}{more}.") from error
    except Exception as error:  # of what reads the forms of former versions, of engines that others wrote too
        raise ProblemError(
            f"{name} has values of a form that nothing reads ({type(error).__name__}): put a list, a group or a number "
            "back where one was."
        ) from error


def _has_more_values(content: Any, most: int) -> bool:
    """Whether there are, those of curves not counted."""
    groups = [content]
    while groups and most >= 0:
        group = groups.pop()
        if isinstance(group, dict):
            most -= len(group)
            groups += [each for name, each in group.items() if name not in OF_CURVES or not _are_numbers(each)]
        elif isinstance(group, list):
            most -= len(group)
            groups += [each for each in group if isinstance(each, (dict, list))]
    return most < 0


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and {type(each) for each in values} <= {int, float, type(None)}


def _shortened(text: str) -> str:
    """Without most of a word that nobody reads to its end."""
    return LONG_WORD.sub(lambda found: f"{found[0][:40]}…", text)


def write_folder(
    project: Project, mesh: Path | None, fibres: Path | None, folder: Path, files: Mapping[Place, Path] = NO_FILES
) -> Project:
    """Save into ``folder``; returns the project as saved, all its files by relative path, its mesh by fingerprint.

    ``files`` stand at these places of the parameters. The project file comes last and in one piece, and a file of
    other content is never overwritten, so whatever happens the folder holds the old project or the new one.
    Raises StorageError.
    """
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        names = _place_files(mesh_files(mesh, fibres), folder) if mesh is not None else {}
        others: dict[Path, str] = {}
        for file in dict.fromkeys(files.values()):
            others |= _place_files([file], folder, {*names.values(), *others.values(), PROJECT_FILE})
        saved = _with_names(_with_reference(project, mesh, fibres, names), files, others)
    write_text(folder / PROJECT_FILE, as_file(saved), durable=True)
    sweep(folder, older=FORGOTTEN_SECONDS)
    return saved


def write_zip(
    project: Project, mesh: Path | None, fibres: Path | None, path: Path, files: Mapping[Place, Path] = NO_FILES
) -> Project:
    """Save as one zip, as :func:`write_folder` does; returns the project as saved. Raises StorageError."""
    with storing(path):
        saved, names = flat(project, mesh, fibres, files)
    text = as_file(saved)

    def write(stream: Any) -> None:
        packing = zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(stream, "w", packing, compresslevel=1, strict_timestamps=False) as archive:
            archive.writestr(undated(archive, PROJECT_FILE), text)
            for file, name in names:
                archive.write(file, name)

    write_atomically(path, write, durable=True)
    return saved


def flat(
    project: Project, mesh: Path | None, fibres: Path | None, files: Mapping[Place, Path] = NO_FILES
) -> tuple[Project, list[tuple[Path, str]]]:
    """The project as it names its files where they stand in one folder beside it, and what each is called there."""
    names = _flat_names(mesh_files(mesh, fibres)) if mesh is not None else {}
    others: dict[Path, str] = {}
    for file in dict.fromkeys(files.values()):
        others |= _flat_names([file], taken={*names.values(), *others.values(), PROJECT_FILE})
    return _with_names(_with_reference(project, mesh, fibres, names), files, others), [*names.items(), *others.items()]


def as_json(project: Project) -> str:
    """Raises StorageError, as :meth:`Project.as_text` does."""
    return project.as_text(indent=2) + "\n"


def as_file(project: Project) -> str:
    """The same for a file. Raises StorageError for what :func:`parse_project` would not take back."""
    text = as_json(project)
    if len(text.encode()) > LARGEST_PROJECT:
        raise StorageError(
            f"The project would have more than {LARGEST_PROJECT >> 20} MB beside its files, which no Workbench opens "
            "again: keep the curves of fewer runs with it."
        )
    return text


def _with_reference(project: Project, mesh: Path | None, fibres: Path | None, names: dict[Path, str]) -> Project:
    if mesh is None or project.geometry is None:
        return project
    reference = project.geometry.model_copy(
        update={
            "path": names[mesh],
            "fibres": None if fibres is None else names[fibres],
            "sha256": fingerprint(mesh_files(mesh, fibres)),
        }
    )
    return project.model_copy(update={"geometry": reference})


def _with_names(project: Project, files: Mapping[Place, Path], names: Mapping[Path, str]) -> Project:
    parameters = with_values(project.parameters, {place: names[file] for place, file in files.items()})
    return project.model_copy(update={"parameters": parameters})


def _place_files(files: list[Path], folder: Path, taken: Set[str] = frozenset()) -> dict[Path, str]:
    """Copy ``files`` into ``folder`` where they are not below it already; their names relative to it."""
    root = resolved(folder)
    if all(resolved(file).is_relative_to(root) for file in files):
        return {file: resolved(file).relative_to(root).as_posix() for file in files}
    names = _flat_names(files, taken=taken)
    if any(_holds_other_content(folder / name, file) for file, name in names.items()):
        names = _flat_names(files, mark=f"-{fingerprint(files)[:8]}", taken=taken)
    for file, name in names.items():
        target = folder / name
        if not target.exists():
            with file.open("rb") as source:
                write_stream(target, source)
    return names


def _flat_names(files: list[Path], mark: str = "", taken: Set[str] = frozenset()) -> dict[Path, str]:
    """A name for each file in one common folder; ``mark`` tells apart what would meet another file there.

    Fibres that are called as their mesh get a name of their own, and so does a file whose name is ``taken``.
    """
    names: dict[Path, str] = {}
    for file in files:
        stem = without_controls(file.stem)
        name, number = f"{stem}{mark}{file.suffix}", 1
        if name in names.values():
            name = f"fibres-{name}"
        while name.lower() in {other.lower() for other in taken}:  # one file to Windows and macOS
            number += 1
            name = f"{stem}{mark}-{number}{file.suffix}"
        names[file] = name
    return names


def _holds_other_content(target: Path, file: Path) -> bool:
    return target.exists() and fingerprint([target]) != fingerprint([file])


def _from_folder(folder: Path, name: str, permission: Permission) -> Stored:
    file = folder / name
    if not file.is_file():
        raise ProblemError(f"'{folder}' holds no {PROJECT_FILE}: choose a project folder.")
    if file.stat().st_size > LARGEST_PROJECT:
        raise ProblemError(f"'{file}' is too large for a project file (over {LARGEST_PROJECT >> 20} MB).")
    content = file.read_bytes()
    project = parse_project(content, f"'{file}'")
    mesh, fibres = _located(project.geometry, folder, f"'{file}'", permission)
    return Stored(project, mesh, fibres, folder, folder, mark_of_content(content))


def _from_snapshot(path: Path, permission: Permission) -> Stored:
    name = f"The project in '{path}'"
    project = parse_project(read_snapshot_text(path), name)
    mesh, fibres = _located(project.geometry, path.parent, name, permission)
    return Stored(project, _or_beside(mesh, path), _or_beside(fibres, path), None, path.parent)


def _or_beside(file: Path | None, picture: Path) -> Path | None:
    """``file``, or the one of that name beside the picture, for pictures that came from another machine."""
    if file is None or file.is_file():
        return file
    beside = picture.parent / file.name
    return beside if beside.is_file() else file


def _located(
    reference: MeshReference | None, folder: Path, where: str, permission: Permission = NOTHING
) -> tuple[Path | None, Path | None]:
    """Where the mesh and its fibres lie. Raises ProblemError for names that are none of files."""
    names = (None, None) if reference is None else (reference.path, reference.fibres)
    mesh, fibres = (None if name is None else named_file(folder, name, where, permission) for name in names)
    return mesh, fibres


def _from_zip(path: Path, names_of: NamesOf) -> Stored:
    damaged = f"'{path}' is a damaged zip: copy it again from where it is whole."
    refuse_pipe(path)
    path.open("rb").close()  # what may not be read is not damaged
    with foreign_file(damaged), opened_zip(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        members = {info.filename: info for info in files}
        if len(members) < len(files):
            counts = Counter(info.filename for info in files)
            twice = next(name for name, count in counts.items() if count > 1)
            twice = _shortened(twice)
            raise ProblemError(f"'{path}' holds two files '{twice}', of which one would count: pack it anew.")
        homes = sorted((n for n in members if PurePosixPath(n).name == PROJECT_FILE), key=lambda n: n.count("/"))
        if not homes:
            raise ProblemError(f"'{path}' holds no {PROJECT_FILE}: choose a project that Workbench saved.")
        home = PurePosixPath(homes[0]).parent
        project = parse_project(_member(archive, members[homes[0]], LARGEST_PROJECT), f"'{path}'")
        wanted = _mesh_members(members, home, project.geometry, path)
        wanted += _other_members(members, home, names_of(project), path)
        folder = _unpack(archive, members, home, wanted, path)
    mesh, fibres = _located(project.geometry, folder, f"'{path}'")
    return Stored(project, mesh, fibres, path, folder, mark_of(path))


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
