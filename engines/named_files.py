"""Files that parameters name (a picture to start from): found by the model's fields, whatever they are nested in.

A field made with ``quantity(..., file="picture")`` is a ``str`` (or may be None, or a list of texts). Empty is no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from engines.reading import Version, version_of

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


def named_versions(parameters: BaseModel) -> tuple[Version, ...]:
    """Of the files that the parameters name, in their order: who keeps what was made of parameters, by these, makes it
    anew when a file holds something else. Empty for a file that is not there, which is told by who reads it."""
    return tuple(_version(found.path) for found in file_parameters(parameters) if found.path)


def _version(path: str) -> Version:
    try:
        return version_of(path)
    except OSError:
        return ()


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
