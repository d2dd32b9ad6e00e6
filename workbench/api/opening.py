"""How a script comes by a problem: one that ships, a project's file, a mesh, or an engine's defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engines.api import registry
from engines.api.errors import ProblemError
from workbench.api.names import Named
from workbench.api.project import Project
from workbench.api.runs.run import Run
from workbench.project.boundary import EVERYTHING, NOTHING
from workbench.project.document import new_document
from workbench.project.meshes import SUFFIXES
from workbench.project.presets import open_named
from workbench.project.presets import presets as known_presets


def open(name: Path | str, *, allow_outside: bool = False) -> Project:
    """Open a ready problem by its name, a project (folder, ``.zip``, snapshot ``.png``), a mesh, or a file that an
    engine imports (BPX, gprMax, openCARP's ``.par``).

    ``allow_outside`` lets it read the files outside of its folder that it names. Raises ProblemError, with the nearest
    names where there is no such problem.
    """
    return Project(open_named(str(name), EVERYTHING if allow_outside else NOTHING))


def new(
    engine: str, mesh: Path | str | None = None, *, length_unit: str | None = None, fibres: Path | str | None = None
) -> Project:
    """A problem of this engine's defaults, on a mesh where it takes one.

    ``length_unit``: of the mesh's file, um, mm, cm or m (default: as usual for its format). Raises ProblemError.
    """
    found = registry.engine(engine)
    if mesh is None and found.geometry_type is not None:
        raise ProblemError(f"The engine '{engine}' needs a mesh: new('{engine}', 'FILE') ({', '.join(SUFFIXES)}).")
    return Project(new_document(found, mesh, length_unit=length_unit, fibres=fibres))


def presets() -> Named[str]:
    """The ready problems: what each is, by the name that :func:`open` takes."""
    found = {preset.id: f"{preset.title}: {preset.summary}" for preset in known_presets()}
    return Named("preset", found, found.__getitem__)


def project_of(what: Project | Path | str) -> Project:
    """The project itself, or what :func:`open` makes of a name."""
    return what if isinstance(what, Project) else open(what)


def simulate(project: Project | Path | str, **options: Any) -> Run:
    """Build a problem and take no step yet (:meth:`Project.simulate`)::

    with workbench.simulate("heat_on_a_plate") as run:
        run.advance(100).paint("source", (50, 50))
    """
    return project_of(project).simulate(**options)
