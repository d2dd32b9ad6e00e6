"""Where else in the parameters the name of an item stands, so that renaming it breaks nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from ui.forms.schema import FieldSpec, Kind, fields_of
from ui.forms.validation import Path
from workbench.project.parameter_files import value_at


def named_after(model: type[BaseModel], values: dict[str, Any], path: Path, new: Any) -> list[Path]:
    """Texts that name (:class:`engines.api.parameters.Among`) the item whose name stands at ``path``, which is about to
    be ``new``; none where another item is or would be called the same, for then nobody knows which is meant."""
    if len(path) < 3 or not isinstance(path[-2], int) or not isinstance(new, str):
        return []
    *group, field, place, key = path
    items = value_at(values, (*group, field))
    if not all(isinstance(each, dict) for each in items):
        return []
    old, others = items[place].get(key), [each.get(key) for at, each in enumerate(items) if at != place]
    if not old or not isinstance(old, str) or old in others or new in others:
        return []
    known = {f"{field}.{key}", f"{field}[{items[place].get('kind')}].{key}"}
    return [
        at for at, spec in _texts(model, values, ())
        if spec.among is not None and known & set(spec.among.places) and at[: len(group)] == tuple(group)
        and old not in spec.among.words and value_at(values, at) == old
    ]  # fmt: skip


def _texts(model: type[BaseModel], values: dict[str, Any], path: Path) -> Iterator[tuple[Path, FieldSpec]]:
    for spec in fields_of(model):
        if spec.key in values:
            yield from _below(spec, values[spec.key], (*path, spec.key))


def _below(spec: FieldSpec, value: Any, path: Path) -> Iterator[tuple[Path, FieldSpec]]:
    model = spec.model
    if spec.discriminator and isinstance(value, dict):
        model = spec.variants.get(str(value.get(spec.discriminator)))
    if spec.kind is Kind.TEXT:
        yield path, spec
    elif spec.kind is Kind.LIST and spec.item is not None:
        for place, item in enumerate(value):
            yield from _below(spec.item, item, (*path, place))
    elif model is not None and isinstance(value, dict):
        yield from _texts(model, value, path)
