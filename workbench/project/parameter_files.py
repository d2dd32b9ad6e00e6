"""Files that parameters name (a picture to start from): found by the model's fields, whatever they are nested in.

A field made with ``quantity(..., file="picture")`` is a ``str`` (or may be None, or a list of texts). Empty is no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engines.api import Engine
from engines.api.errors import ProblemError, placed_at
from engines.geometry.file_kinds import check_file
from engines.reading import resolved

Place = tuple[str | int, ...]
"""Where a value stands in the tree of parameters: ``("start", "pictures", 0)``."""
PLAIN = (int, float, str, type(None))
"""What most values are, which name no file unless they stand where one is named; files are asked for at each edit."""


@dataclass(frozen=True)
class FileParameter:
    """A parameter that names a file of some ``kind``; ``path`` is empty where none is chosen."""

    place: Place
    path: str
    kind: str
    title: str


def file_parameters(parameters: BaseModel) -> list[FileParameter]:
    """All parameters that name files, those that name none yet too."""
    return list(_walk(parameters, (), "", ""))


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


def _walk(value: Any, place: Place, kind: str, title: str) -> Iterator[FileParameter]:
    if isinstance(value, BaseModel):
        for name, info in type(value).model_fields.items():
            extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
            item, named = getattr(value, name), str(extra.get("file", ""))
            if named or not isinstance(item, PLAIN):
                heading = info.title or name.replace("_", " ").capitalize()
                yield from _walk(item, (*place, name), named, heading)
    elif isinstance(value, dict | Mapping):
        for key, item in value.items():
            if kind or not isinstance(item, PLAIN):
                yield from _walk(item, (*place, key), kind, title)
    elif isinstance(value, list | tuple | Sequence) and not isinstance(value, str):
        for index, item in enumerate(value):
            if kind or not isinstance(item, PLAIN):
                yield from _walk(item, (*place, index), kind, title)
    elif kind and (value is None or isinstance(value, str)):
        yield FileParameter(place, value or "", kind, title)
