"""Projects on disk: reading and writing folders, zips and the project in a snapshot's PNG.

A project read from here is validated, but its parameters are not and its mesh is not loaded; see
:mod:`workbench.project.document` for that.
Nothing that is read is executed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from engines.api.errors import ProblemError
from engines.api.parameters import without_controls
from engines.named_files import Place
from engines.reading import resolved
from workbench.export.png import read_snapshot_text
from workbench.project.boundary import NOTHING, Permission, named_file
from workbench.project.meshes import SUFFIXES, fingerprint, mesh_files
from workbench.project.parameter_files import with_values
from workbench.project.project import MeshReference, Project
from workbench.project.reading.parsing import LARGEST_PROJECT, PROJECT_FILE, parse_project
from workbench.project.reading.unpacking import NamesOf, unpacked
from workbench.storage.atomic import (
    FORGOTTEN_SECONDS,
    StorageError,
    storing,
    sweep,
    write_atomically,
    write_stream,
    write_text,
)
from workbench.storage.overtaken import mark_of, mark_of_content, mark_of_zip
from workbench.storage.zips import undated

OF_RUN = "run.json"
"""In the folder that a run has written."""


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


TABLES = (".csv", ".tsv", ".txt", ".dat")
NO_FILES: Mapping[Place, Path] = MappingProxyType({})


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
            if path.suffix.lower() in TABLES:
                raise ProblemError(
                    f"'{path}' is a table, which no problem is made of: open a problem, and choose the table in its "
                    "form (a battery's drive cycle, the history of a load, connections of neurons), or drop it on a "
                    "chart to compare with it."
                )
            raise ProblemError(
                f"'{path}' is neither a project nor a mesh that can be read: choose a project's folder or .zip, "
                f"a snapshot .png, or a mesh ({', '.join(SUFFIXES)})."
            )
        return _from_zip(path, names_of)
    except OSError as error:
        raise ProblemError(f"'{path}' cannot be read: {error.strerror or error}.") from error


def write_folder(
    project: Project, mesh: Path | None, fibres: Path | None, folder: Path, files: Mapping[Place, Path] = NO_FILES
) -> tuple[Project, str]:
    """Save into ``folder``; returns the project as saved, all its files by relative path, its mesh by fingerprint, and
    the mark of what was written.

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
    text = as_file(saved)
    write_text(folder / PROJECT_FILE, text, durable=True)
    sweep(folder, older=FORGOTTEN_SECONDS)
    return saved, mark_of_content(text.encode())


def write_zip(
    project: Project, mesh: Path | None, fibres: Path | None, path: Path, files: Mapping[Place, Path] = NO_FILES
) -> tuple[Project, str]:
    """Save as one zip, as :func:`write_folder` does; returns the same. Raises StorageError."""
    with storing(path):
        saved, names = flat(project, mesh, fibres, files)
    text, mark = as_file(saved), ""

    def write(stream: Any) -> None:
        nonlocal mark
        packing = zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(stream, "w", packing, compresslevel=1, strict_timestamps=False) as archive:
            archive.writestr(undated(archive, PROJECT_FILE), text)
            for file, name in names:
                archive.write(file, name)
            mark = mark_of_zip(archive)

    write_atomically(path, write, durable=True)
    return saved, mark


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
    if not file.is_file() and (folder / OF_RUN).is_file():
        file = folder / OF_RUN  # which is refused with a better sentence
    if not file.is_file():
        raise ProblemError(f"'{folder}' holds no {PROJECT_FILE}: choose a project folder.")
    if file.stat().st_size > LARGEST_PROJECT:
        raise ProblemError(f"'{file}' is too large for a project file (over {LARGEST_PROJECT >> 20} MB).")
    content = file.read_bytes()
    project = parse_project(content, f"'{file}'")
    mesh, fibres = _located(project.geometry, folder, f"'{file}'", permission)
    return Stored(project, mesh, fibres, folder, folder, mark_of_content(content))


def _from_zip(path: Path, names_of: NamesOf) -> Stored:
    mark = mark_of(path)  # before it is read: what is saved meanwhile is another
    project, folder = unpacked(path, names_of)
    mesh, fibres = _located(project.geometry, folder, f"'{path}'")
    return Stored(project, mesh, fibres, path, folder, mark)


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
