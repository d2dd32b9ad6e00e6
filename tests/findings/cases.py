"""What a case is, and how its project is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engines.api import registry
from workbench.project.document import new_document, save_document

Values = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A project that provokes findings.

    write:  makes the project, or the file that opens as one, in a folder, and returns its path
    places: where its findings are made, as ``sites.py`` calls them
    prepared: patches that stand for what would take long
    """

    write: Callable[[Path], Path]
    places: tuple[str, ...]
    prepared: Callable[[pytest.MonkeyPatch], None] = lambda _: None


def project(
    engine: str,
    values: Values | Callable[[Path], Values],
    mesh: Callable[[Path], Path] | None = None,
    until: float | None = 0.02,
) -> Callable[[Path], Path]:
    """A saved project with these parameters; ``values`` and ``mesh`` may write files into the folder."""

    def write(folder: Path) -> Path:
        document = new_document(registry.engine(engine), None if mesh is None else mesh(folder))
        given = values(folder) if callable(values) else values
        document.parameters = type(document.parameters).model_validate(given)
        document.project.run.until, document.project.run.device = until, "cpu"
        return save_document(document, folder / "project")

    return write
