"""A project in memory: the file's content, its geometry loaded, its parameters validated.

The window edits a document through commands on its undo stack; the command line opens one and runs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from engines.api import Engine, Finding, Imported, Problem, registry
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from engines.named_files import Place, file_parameters
from engines.reading import expanded, refuse_pipe, resolved
from workbench.project.boundary import NOTHING, Boundary, Permission, files_named, files_read
from workbench.project.kernels.expected import expect_kernels
from workbench.project.meshes import (
    SUFFIXES,
    check_companions,
    fingerprint,
    mesh_files,
    read_mesh_file,
    usual_length_unit,
)
from workbench.project.parameter_files import (
    check_files,
    check_kinds,
    missing_file,
    missing_files,
    named_files,
    value_at,
    with_values,
)
from workbench.project.project import MeshReference, Project
from workbench.project.reading.parsing import PROJECT_FILE, validated
from workbench.project.store import Stored, read_stored, write_folder, write_zip
from workbench.storage.atomic import write_text
from workbench.storage.overtaken import check_mark, saving

MOST_STAGES = 8
"""Files that name files that name files …, of another program's project."""
STORED = (".zip", ".png")
"""Suffixes of files that hold projects whatever engines there are."""
NOWHERE = Path()


@dataclass(frozen=True)
class Standing:
    """What a document stands on: the mesh, the files that it was read from, and how the project refers to them."""

    loaded: Any
    mesh: Path | None
    fibres: Path | None
    reference: MeshReference | None


@dataclass
class Document:
    """An open project.

    ``path`` is the folder or zip that it was opened from or saved to (None: never saved);
    ``parameters`` is the engine's validated model, which names files by absolute path; ``loaded`` is the mesh, None
    for an engine that makes its own geometry; ``mesh`` and ``fibres`` are the files that it was read from;
    ``noticed`` is what its owner should know of how it was opened.
    """

    project: Project
    engine: Engine
    parameters: BaseModel
    loaded: Any = None
    path: Path | None = None
    noticed: tuple[Finding, ...] = ()
    mesh: Path | None = None
    fibres: Path | None = None
    _led_to: Mapping[Path, Path] = field(default_factory=dict, repr=False, compare=False)
    """Where its files were, links followed, when the boundary let them in."""
    marks: dict[Path, str] = field(default_factory=dict, repr=False, compare=False)
    """Of what it was read from or saved to, links followed; copies of a document share them."""

    @property
    def problem(self) -> Problem:
        return Problem(self.parameters, self.loaded)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What its owner should know of the files that it is made of, as they and the parameters are now."""
        missing = (Finding(missing_file(found), place=found.place) for found in missing_files(self.parameters))
        return (*self.noticed, *getattr(self.loaded, "findings", ()), *missing)

    @property
    def geometry(self) -> Any:
        """What the problem is solved on, with the parameters as they are now. Raises ProblemError (where a file is
        missing, too)."""
        return self.engine.geometry_of(self.problem)

    @property
    def time_unit(self) -> str:
        """Unit of simulated time, with the parameters as they are now."""
        return self.engine.time_unit_of(self.parameters)

    @property
    def title(self) -> str:
        """The project's, or what is simulated where nobody has named it since it was made."""
        named = self.project.title
        return self.engine.title_of(self.parameters) if named == self.engine.title else named

    @property
    def standing(self) -> Standing:
        return Standing(self.loaded, self.mesh, self.fibres, self.project.geometry)

    def stand_on(self, standing: Standing) -> None:
        """Have another mesh from now on."""
        self.loaded, self.mesh, self.fibres = standing.loaded, standing.mesh, standing.fibres
        self.project.geometry = standing.reference

    def complete_problem(self) -> Problem:
        """The problem, with all files that it names in their places. Raises ProblemError."""
        check_files(self.parameters)
        return self.problem

    def files(self) -> list[Path]:
        """All files that it reads, links resolved."""
        return [resolved(file) for file in self._files()]

    def _files(self) -> list[Path]:
        meshes = [file for file in (self.mesh, self.fibres) if file is not None]
        return files_named((*meshes, *named_files(self.parameters).values()))

    def let_in(self, folder: Path | None) -> None:
        """What its files are now is what may be read of it; of what is missing, what is put into its ``folder``."""
        self._led_to = {file: resolved(file) for file in self._files()}
        for file in (Path(found.path) for found in missing_files(self.parameters)):
            own = folder is not None and resolved(file).is_relative_to(resolved(folder))
            self._led_to[file] = resolved(file) if own else NOWHERE

    def check_links(self) -> None:
        """Before its files are copied. Raises ProblemError where one leads elsewhere than when it was let in."""
        for file in self._files():
            if self._led_to.get(file, found := resolved(file)) != found:
                raise ProblemError(
                    f"'{file}' leads to '{found}', and did not when the project was opened: open it again, then go on."
                )

    def current_project(self) -> Project:
        """The project with the parameters as they are now."""
        return self.project.model_copy(
            update={"engine": self.engine.id, "parameters": self.parameters.model_dump(mode="json")}
        )

    def portable_project(self) -> Project:
        """The project with its mesh by absolute path, for what is kept apart from it (an autosave, a snapshot)."""
        project = self.current_project()
        if project.geometry is None or self.mesh is None:
            return project
        reference = project.geometry.model_copy(
            update={
                "path": str(resolved(self.mesh)),
                "fibres": None if self.fibres is None else str(resolved(self.fibres)),
            }
        )
        return project.model_copy(update={"geometry": reference})


def open_document(path: Path | str, engine: Engine | None = None, permission: Permission = NOTHING) -> Document:
    """Open a project (folder, ``project.json``, zip, PNG snapshot) or a bare mesh file.

    A mesh becomes a new project of ``engine`` (default: the first that takes such meshes), and a file of parameters
    from elsewhere one of the engine that knows it.
    Raises OutsideFiles where the project names files that ``permission`` does not cover, and ProblemError with a
    sentence for the person.
    """
    path = expanded(path)
    refuse_pipe(path)
    if path.suffix.lower() in SUFFIXES and not path.is_dir():
        return new_document(engine or default_engine(), path, permission=permission)
    if path.is_file() and path.suffix.lower() not in STORED and path.name != PROJECT_FILE:
        if engines_for(path):
            return new_document(engine or engines_for(path)[0], path, permission=permission)
        imported = _imported(path.absolute(), permission)
        if imported is not None:
            return imported
    return document_of(read_stored(path, names_of_files, permission), permission)


def _imported(path: Path, permission: Permission) -> Document | None:
    """A new project of the engine that knows this file; None where it is a project, or nothing."""
    for engine in registry.engines().values():
        imported = engine.imported(path) if path.suffix.lower() in engine.imports else None
        if imported is not None:
            return _document_of_imported(engine, imported, path, permission.with_files(files_read([path])))
    return None


def _document_of_imported(engine: Engine, imported: Imported, path: Path, permission: Permission) -> Document:
    """Raises OutsideFiles, ProblemError."""
    boundary = Boundary(f"'{path.name}'", path.parent, permission, alone=True)
    nothing = Stored(Project(title=path.stem, engine=engine.id), None, None, None, path.parent)

    def readable(mesh: Sequence[Path]) -> dict[str, Path]:
        files = {name: nothing.locate(name, permission) for name in imported.files}
        boundary.check((*mesh, *files.values()), needed=mesh)
        return {name: file for name, file in files.items() if not boundary.leaves_out(file)}

    for _ in range(MOST_STAGES):
        if imported.mesh or imported.on is None:
            break
        imported = imported.on(None, path, readable(()))
    project = Project(title=path.stem, engine=engine.id, parameters=imported.parameters.model_dump(mode="json"))
    project.run.until = imported.until
    if imported.tables:
        from workbench.project.kept_meshes import keep_tables  # it stands on documents

        project.parameters, kept = keep_tables(imported)
        permission = permission.with_files(kept)
    stored = replace(nothing, project=project)
    files: dict[str, Path] = {}
    if imported.mesh:
        mesh = stored.locate(imported.mesh, permission)
        files = readable([mesh])
        place = {"path": str(mesh.absolute()), "length_unit": imported.length_unit}
        project.geometry = MeshReference.model_validate(place)
        stored = replace(stored, project=project, mesh=mesh.absolute())
    document = document_of(stored, permission)
    if imported.on is not None and stored.mesh is not None:
        imported = imported.on(document.loaded, stored.mesh, files)
        document.parameters = imported.parameters
    return replace(document, noticed=(*imported.findings, *document.noticed))


def document_of(stored: Stored, permission: Permission = NOTHING) -> Document:
    """Load what a stored project refers to. Raises OutsideFiles, ProblemError."""
    project = stored.project
    name = f"'{stored.path or project.title}'"
    engine = registry.engine(project.engine)
    parameters = validated(engine.Parameters, project.parameters, name) if project.parameters else None
    files = {} if parameters is None else named_files(parameters)
    files = {place: stored.locate(str(file), permission).absolute() for place, file in files.items()}
    alone = stored.path is None
    stored, left_out = _within(Boundary(name, stored.folder, permission, alone), stored, files)
    expect_kernels(engine.id, parameters)
    loaded, noticed = _load_geometry(engine, stored, name)
    if parameters is not None:
        paths = {place: "" if file in left_out else str(file) for place, file in files.items()}
        parameters = validated(engine.Parameters, with_values(parameters.model_dump(mode="json"), paths), name)
    else:
        parameters = engine.default_parameters(loaded)
    noticed = (*noticed, *(Finding(f"The file '{file}' was left out.") for file in left_out))
    document = Document(stored.project, engine, parameters, loaded, stored.path, noticed, stored.mesh, stored.fibres)
    document.marks = {} if stored.path is None else {resolved(stored.path): stored.mark}
    document.let_in(stored.folder)
    try:
        engine.geometry_of(document.problem)  # refuses here what it would refuse wherever it is looked at
    except ProblemError:
        if not left_out and not missing_files(parameters):
            # else it opens all the same, so that the files can be put back or others chosen
            raise
    return document


def _within(boundary: Boundary, stored: Stored, files: Mapping[Place, Path]) -> tuple[Stored, list[Path]]:
    """The project with what it may read, and the files that it goes without. Raises OutsideFiles, ProblemError."""
    mesh = [] if stored.mesh is None else [stored.mesh]
    others = list(files.values()) if stored.fibres is None else [stored.fibres, *files.values()]
    boundary.check((*mesh, *others), needed=mesh)
    left_out = [file for file in dict.fromkeys(others) if boundary.leaves_out(file)]
    if stored.fibres in left_out and stored.project.geometry is not None:
        reference = stored.project.geometry.model_copy(update={"fibres": None, "sha256": None})
        stored = replace(stored, project=stored.project.model_copy(update={"geometry": reference}), fibres=None)
    return stored, left_out


def names_of_files(project: Project) -> list[str]:
    """The files that the project's parameters name, as they stand in it; none where they cannot be understood."""
    try:
        parameters = registry.engine(project.engine).Parameters.model_validate(project.parameters)
    except (ProblemError, ValidationError):
        return []  # said when the document is made of it
    return [found.path for found in file_parameters(parameters) if found.path]


def new_document(
    engine: Engine,
    mesh: Path | str | None = None,
    *,
    length_unit: str | None = None,
    fibres: Path | str | None = None,
    permission: Permission = NOTHING,
) -> Document:
    """A new project of ``engine`` on the mesh in this file (None for an engine that makes its own geometry), or with
    the body in it.

    ``length_unit`` None takes what is usual for the format: micrometres for CARP, else millimetres. ``permission`` is
    for further files of the mesh that are links out of its folder. Raises OutsideFiles, ProblemError.
    """
    if mesh is None:
        return document_of(
            Stored(Project(title=engine.title, summary=engine.summary, engine=engine.id), None, None, None)
        )
    source = expanded(mesh).absolute()
    if engine.geometry_type is None:
        return _with_body(engine, source, length_unit or usual_length_unit(source), permission)
    fibre_file = None if fibres is None else expanded(fibres).absolute()
    reference = validated(
        MeshReference,
        {
            "path": str(source),
            "length_unit": length_unit or usual_length_unit(source),
            "fibres": None if fibre_file is None else str(fibre_file),
        },
        "The mesh",
    )
    project = Project(title=_title(source), engine=engine.id, geometry=reference)
    chosen = [resolved(file) for file in (source, fibre_file) if file is not None]
    return document_of(Stored(project, source, fibre_file, None, source.parent), permission.with_files(chosen))


def _with_body(engine: Engine, source: Path, length_unit: str, permission: Permission) -> Document:
    if source.suffix.lower() not in engine.bodies:
        known = f"; it takes {', '.join(engine.bodies)}" if engine.bodies else ""
        raise ProblemError(f"The engine '{engine.id}' makes nothing of '{source.name}': leave the mesh out{known}.")
    if not source.is_file():
        raise ProblemError(f"There is no file '{source}': choose another.")
    values = engine.of_body(source, length_unit).model_dump(mode="json")
    project = Project(title=_title(source), engine=engine.id, parameters=values)
    return document_of(Stored(project, None, None, None, source.parent), permission.with_files(files_read([source])))


def engines_for(path: Path) -> list[Engine]:
    """The engines that a mesh or a surface in a file of this name can be a new problem of, the usual one first."""
    suffix = path.suffix.lower()
    meshes = [engine for engine in registry.engines().values() if engine.geometry_type is TetMesh]
    bodies = [engine for engine in registry.engines().values() if suffix in engine.bodies]
    return [*(meshes if suffix in SUFFIXES else []), *bodies]


def save_document(document: Document, path: Path | str | None = None, *, over: bool = False) -> Path:
    """Save to ``path``: a ``.zip``, or else a folder (or the ``project.json`` in it); None saves in place.

    Raises Overtaken where that holds another project than this document was read from or saved to there, unless it is
    to be saved ``over`` it.

    The mesh and the files that parameters name are copied next to the project file. On success the document stands at
    its new place; on StorageError the document and the file that was there are as they were. Returns where it was
    saved.
    """
    target = document.path if path is None else expanded(path)
    if target is None:
        raise ProblemError("This project has no file yet: choose a folder or a .zip to save it to.")
    if target.name == "project.json":
        target = target.parent
    for file in (document.mesh, document.fibres):
        if file is not None and not file.is_file():
            raise ProblemError(f"The mesh '{file}' is no longer there: put it back, then save again.")
    check_files(document.parameters)
    document.check_links()
    check_kinds(document.engine, document.parameters, target)
    check_companions(document.mesh)
    files = named_files(document.parameters)
    write: Callable[..., tuple[Project, str]] = write_zip if target.suffix.lower() == ".zip" else write_folder
    with saving(target):
        if not over:
            check_mark(target, document.marks)
        saved = write(document.current_project(), document.mesh, document.fibres, target, files)
    document.project, document.marks[resolved(target)] = saved
    document.path = target
    if write is write_folder:
        _move_into(target, document, files)
    return target


def export_parameters(document: Document, path: Path) -> None:
    """Write the parameters in the form that the engine has for other programs. Raises ProblemError, StorageError."""
    form = document.engine.parameter_file
    if form is None:
        raise ProblemError(f"The engine '{document.engine.id}' writes no such file: save the project instead.")
    write_text(path, form.text(document.complete_problem()))


def _move_into(folder: Path, document: Document, files: Mapping[Place, Path]) -> None:
    """From now on the document reads the copies in the folder that it was saved to."""
    saved = document.project
    if saved.geometry is not None:
        document.mesh = folder / saved.geometry.path
        if saved.geometry.fibres is not None:
            document.fibres = folder / saved.geometry.fibres
    if files:
        paths = {place: str((folder / value_at(saved.parameters, place)).absolute()) for place in files}
        document.parameters = type(document.parameters).model_validate(with_values(saved.parameters, paths))
    document.let_in(folder)


def _load_geometry(engine: Engine, stored: Stored, name: str) -> tuple[Any, tuple[Finding, ...]]:
    reference = stored.project.geometry
    if engine.geometry_type is None:
        if reference is not None:
            raise ProblemError(f"The engine '{engine.id}' makes its own geometry: leave the mesh out.")
        return None, ()
    if reference is None or stored.mesh is None:
        raise ProblemError(f"{name} names no mesh: the engine '{engine.id}' needs one.")
    geometry = read_mesh_file(stored.mesh, reference.length_unit, stored.fibres)
    if not isinstance(geometry, engine.geometry_type):
        raise ProblemError(f"The engine '{engine.id}' does not take the geometry in '{stored.mesh}'.")
    if reference.sha256 is not None and fingerprint(mesh_files(stored.mesh, stored.fibres)) != reference.sha256:
        text = f"The mesh '{stored.mesh.name}' has changed since the project was saved: check regions and results."
        return geometry, (Finding(text),)
    return geometry, ()


def default_engine() -> Engine:
    """The engine for a bare mesh: the first that takes tetrahedra. Raises ProblemError."""
    for engine in registry.engines().values():
        if engine.geometry_type is TetMesh:
            return engine
    raise ProblemError("No engine of this installation takes a mesh: open a project instead.")


def _title(file: Path) -> str:
    """Its name without what is no text, as old systems called files."""
    return os.fsencode(file.stem).decode(errors="replace")
