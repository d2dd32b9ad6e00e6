"""A project in memory: the file's content, its geometry loaded, its parameters validated.

The window edits a document through commands on its undo stack; the command line opens one and runs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engines.api import Engine, Finding, Problem
from workbench.project import Project


@dataclass
class Document:
    """An open project.

    ``path`` is the folder or zip that it was opened from or saved to (None: never saved);
    ``geometry`` is the loaded mesh, ``parameters`` the engine's validated model.
    """

    project: Project
    engine: Engine
    parameters: BaseModel
    geometry: Any = None
    path: Path | None = None
    findings: tuple[Finding, ...] = field(default=())

    @property
    def problem(self) -> Problem:
        return Problem(self.parameters, self.geometry)
