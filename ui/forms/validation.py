"""From a tree of values to a validated model, or to one sentence per wrong field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from workbench.words.numbers import figure

Path = tuple[str | int, ...]
Errors = Mapping[Path, str]
T = TypeVar("T")


def validated(model: type[BaseModel], values: Mapping[str, Any]) -> tuple[BaseModel | None, dict[Path, str]]:
    """The model and no errors, or None and a sentence per path of ``values`` that is wrong."""
    try:
        return model.model_validate(values), {}
    except ValidationError as error:
        found: dict[Path, str] = {}
        for detail in error.errors(include_url=False):
            found.setdefault(_path(detail["loc"], values), _sentence(detail))
        return None, found


def below(errors: Mapping[Path, T], key: str | int) -> dict[Path, T]:
    """The errors (or whatever else has a place) of the child ``key``, with paths relative to it."""
    return {path[1:]: text for path, text in errors.items() if path and path[0] == key}


def _path(location: tuple[int | str, ...], values: Any) -> Path:
    """pydantic's location without the tags that it adds for the members of unions."""
    path: list[str | int] = []
    for place, part in enumerate(location):
        if isinstance(values, Mapping):
            if part not in values and place + 1 < len(location):
                continue
            values = values.get(part)
        elif isinstance(values, (list, tuple)) and isinstance(part, int):
            values = values[part] if part < len(values) else None
        path.append(part)
    return tuple(path)


def _sentence(detail: Any) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "greater_than":
            return f"Must be above {figure(context['gt'], 6)}."
        case "greater_than_equal":
            return f"Must be at least {figure(context['ge'], 6)}."
        case "less_than":
            return f"Must be below {figure(context['lt'], 6)}."
        case "less_than_equal":
            return f"Must be at most {figure(context['le'], 6)}."
        case "missing" | "string_too_short":
            return "Must not be empty."
        case "too_short":
            least = context["min_length"]
            return f"Needs at least {least} {'entry' if least == 1 else 'entries'}."
        case "too_long":
            return f"May have at most {context['max_length']} entries."
        case "finite_number":
            return "Must be a finite number."
        case "value_error":
            text = str(detail["msg"]).removeprefix("Value error, ")
        case _:
            text = str(detail["msg"])
    return text[:1].upper() + text[1:].rstrip(".") + "."
