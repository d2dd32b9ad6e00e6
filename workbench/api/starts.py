"""Where a script may begin that is to make a problem: the defaults of its engine, and the problems that ship."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from engines.api import Preset
from engines.api.errors import ProblemError
from engines.reading import resolved
from workbench.project.document import Document
from workbench.project.presets import open_preset, presets
from workbench.project.project import MeshReference, Project
from workbench.project.reading.parsing import PROJECT_FILE, parse_project


@dataclass(frozen=True)
class Start:
    """Where a script may begin: the expression, and what that has before any edit."""

    text: str
    parameters: BaseModel
    project: Project


def of_engine(document: Document) -> Start:
    """Its engine's defaults on its mesh."""
    text = [repr(document.engine.id)]
    reference = document.project.geometry
    if document.mesh is not None and reference is not None:
        text += [repr(str(document.mesh)), f"length_unit={reference.length_unit!r}"]
        text += [] if document.fibres is None else [f"fibres={str(document.fibres)!r}"]
    project = Project(engine=document.engine.id)
    return Start(f"wb.new({', '.join(text)})", document.engine.default_parameters(document.loaded), project)


def of_presets(document: Document) -> Iterator[Start]:
    """The problems that ship of the same engine on the same mesh."""
    for preset in presets():
        if preset.engine == document.engine.id:
            try:
                found = _start_of(preset, document)
            except ProblemError:  # left out of the gallery too
                continue
            if found is not None:
                yield found


def _start_of(preset: Preset, document: Document) -> Start | None:
    """None for another mesh. A mesh takes seconds to read, so what stands on one is looked at without."""
    text = f"wb.open({preset.id!r})"
    project = parse_project(preset.project.joinpath(PROJECT_FILE).read_text(encoding="utf-8"), preset.id)
    ours, theirs = document.project.geometry, project.geometry
    if (ours is None) != (theirs is None):
        return None
    if ours is None or theirs is None:
        opened = open_preset(preset)
        return Start(text, opened.parameters, opened.project)
    if ours.length_unit != theirs.length_unit or not _same_mesh(preset, theirs, document):
        return None
    parameters = (
        document.engine.Parameters.model_validate(project.parameters)
        if project.parameters
        else document.engine.default_parameters(document.loaded)
    )
    return Start(text, parameters, project)


def _same_mesh(preset: Preset, theirs: MeshReference, document: Document) -> bool:
    """Whether a preset stands on the document's files, or on files of the same content."""
    ours = document.project.geometry
    if ours is not None and ours.sha256 is not None and ours.sha256 == theirs.sha256:
        return True
    names = (theirs.path, theirs.fibres)
    files = [None if name is None else resolved(Path(str(preset.project)).joinpath(name)) for name in names]
    return files == [None if file is None else resolved(file) for file in (document.mesh, document.fibres)]
