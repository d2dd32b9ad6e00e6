"""A project in memory: the file's content, its geometry loaded, its parameters validated.

The window edits a document through commands on its undo stack; the command line opens one and runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engines import registry
from engines.api import Engine, Finding, Problem
from engines.errors import ProblemError
from engines.geometry.mesh import TetMesh
from workbench.meshes import SUFFIXES, fingerprint, mesh_files, read_mesh_file, usual_length_unit
from workbench.project import MeshReference, Project
from workbench.store import Stored, read_stored, validated, write_folder, write_zip


@dataclass
class Document:
    """An open project.

    ``path`` is the folder or zip that it was opened from or saved to (None: never saved);
    ``geometry`` is the loaded mesh, ``parameters`` the engine's validated model; ``mesh`` and ``fibres`` are the
    files that the geometry was read from.
    """

    project: Project
    engine: Engine
    parameters: BaseModel
    geometry: Any = None
    path: Path | None = None
    findings: tuple[Finding, ...] = field(default=())
    mesh: Path | None = None
    fibres: Path | None = None

    @property
    def problem(self) -> Problem:
        return Problem(self.parameters, self.geometry)

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
                "path": str(self.mesh.resolve()),
                "fibres": None if self.fibres is None else str(self.fibres.resolve()),
            }
        )
        return project.model_copy(update={"geometry": reference})


def open_document(path: Path | str, engine: Engine | None = None) -> Document:
    """Open a project (folder, ``project.json``, zip, PNG snapshot) or a bare mesh file.

    A mesh becomes a new project of ``engine`` (default: the first that takes such meshes).
    Raises ProblemError with a sentence for the person.
    """
    path = Path(path).expanduser()
    if path.suffix.lower() in SUFFIXES and not path.is_dir():
        return new_document(engine or default_engine(), path)
    return document_of(read_stored(path))


def document_of(stored: Stored) -> Document:
    """Load what a stored project refers to. Raises ProblemError."""
    project = stored.project
    name = f"'{stored.path or project.title}'"
    engine = registry.engine(project.engine)
    geometry, findings = _load_geometry(engine, stored, name)
    if project.parameters:
        parameters = validated(engine.Parameters, project.parameters, name)
    else:
        parameters = engine.default_parameters(geometry)
    return Document(project, engine, parameters, geometry, stored.path, findings, stored.mesh, stored.fibres)


def new_document(
    engine: Engine, mesh: Path | str | None = None, *, length_unit: str | None = None, fibres: Path | str | None = None
) -> Document:
    """A new project of ``engine`` on the mesh in this file (None for an engine that makes its own geometry).

    ``length_unit`` None takes what is usual for the format: micrometres for CARP, else millimetres.
    Raises ProblemError.
    """
    if mesh is None:
        return document_of(Stored(Project(title=engine.title, engine=engine.id), None, None, None))
    source = Path(mesh).expanduser().absolute()
    fibre_file = None if fibres is None else Path(fibres).expanduser().absolute()
    reference = validated(
        MeshReference,
        {
            "path": str(source),
            "length_unit": length_unit or usual_length_unit(source),
            "fibres": None if fibre_file is None else str(fibre_file),
        },
        "The mesh",
    )
    project = Project(title=source.stem, engine=engine.id, geometry=reference)
    return document_of(Stored(project, source, fibre_file, None))


def save_document(document: Document, path: Path | str | None = None) -> Path:
    """Save to ``path``: a ``.zip``, or else a folder (or the ``project.json`` in it); None saves in place.

    The mesh is copied next to the project file. On success the document stands at its new place; on
    StorageError the document and the file that was there are as they were. Returns where it was saved.
    """
    target = document.path if path is None else Path(path).expanduser()
    if target is None:
        raise ProblemError("This project has no file yet: choose a folder or a .zip to save it to.")
    if target.name == "project.json":
        target = target.parent
    for file in (document.mesh, document.fibres):
        if file is not None and not file.is_file():
            raise ProblemError(f"The mesh '{file}' is no longer there: put it back, then save again.")
    write: Callable[..., Project] = write_zip if target.suffix.lower() == ".zip" else write_folder
    document.project = write(document.current_project(), document.mesh, document.fibres, target)
    document.path = target
    if write is write_folder and document.project.geometry is not None:
        document.mesh = target / document.project.geometry.path
        if document.project.geometry.fibres is not None:
            document.fibres = target / document.project.geometry.fibres
    return target


def _load_geometry(engine: Engine, stored: Stored, name: str) -> tuple[Any, tuple[Finding, ...]]:
    reference = stored.project.geometry
    if engine.geometry_type is None:
        return None, ()
    if reference is None or stored.mesh is None:
        raise ProblemError(f"{name} names no mesh: the engine '{engine.id}' needs one.")
    geometry, findings = read_mesh_file(stored.mesh, reference.length_unit, stored.fibres)
    if not isinstance(geometry, engine.geometry_type):
        raise ProblemError(f"The engine '{engine.id}' does not take the geometry in '{stored.mesh}'.")
    if reference.sha256 is not None and fingerprint(mesh_files(stored.mesh, stored.fibres)) != reference.sha256:
        text = f"The mesh '{stored.mesh.name}' has changed since the project was saved: check regions and results."
        findings = (*findings, Finding(text))
    return geometry, tuple(findings)


def default_engine() -> Engine:
    """The engine for a bare mesh: the first that takes tetrahedra. Raises ProblemError."""
    for engine in registry.engines().values():
        if engine.geometry_type is TetMesh:
            return engine
    raise ProblemError("No engine of this installation takes a mesh: open a project instead.")
