"""Files that parameters name (a picture to start from): whether they are there, and values at their places."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engines.api import Engine
from engines.api.errors import ProblemError, placed_at
from engines.geometry.file_kinds import check_file
from engines.named_files import FileParameter, Place, file_parameters
from engines.reading import resolved


def named_files(parameters: BaseModel) -> dict[Place, Path]:
    """The files that the parameters name."""
    return {found.place: Path(found.path) for found in file_parameters(parameters) if found.path}


def with_values(values: Mapping[str, Any], changes: Mapping[Place, Any]) -> dict[str, Any]:
    """A copy of a tree of parameters with other values at these places."""
    changed = deepcopy(dict(values))
    for place, value in changes.items():
        value_at(changed, place[:-1])[place[-1]] = deepcopy(value)
    return changed


def value_at(tree: Any, place: Place) -> Any:
    """What stands at a place of nested dicts and lists."""
    for key in place:
        tree = tree[key]
    return tree


def check_files(parameters: BaseModel) -> None:
    """Raises ProblemError in one sentence if a file that the parameters name is not there."""
    for found in missing_files(parameters):
        raise ProblemError(missing_file(found), found.place)


def check_kinds(engine: Engine, parameters: BaseModel, target: Path) -> None:
    """Raises ProblemError in one sentence if a file that would be copied into ``target`` is not of its kind."""
    root = resolved(target)
    for found in file_parameters(parameters):
        if found.path and not resolved(Path(found.path)).is_relative_to(root):
            with placed_at(*found.place):
                if not engine.check_file(Path(found.path), found.kind):
                    check_file(Path(found.path), found.kind)


def missing_files(parameters: BaseModel) -> list[FileParameter]:
    """Those that name a file that is not there."""
    return [found for found in file_parameters(parameters) if found.path and not Path(found.path).is_file()]


def missing_file(found: FileParameter) -> str:
    return f"The file '{found.path}' of '{found.title}' is missing: put it back or choose another {found.kind}."
