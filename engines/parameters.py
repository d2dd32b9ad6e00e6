"""Parameters that carry their unit, bounds and help: the form in the window is made from these."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict


class ParameterGroup(BaseModel):
    """Base of all parameter models: unknown names, NaN and infinity are refused, assignments are validated."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Lines:
    """Annotates a list of texts that are the lines of a small language: ``Annotated[list[str], Lines(check)]``.

    The form edits them as one text. ``check`` gives the first line (from 0) that is not understood and a sentence, or
    None; ``steps`` are lines to offer, ``whole`` (title, lines) texts to begin with.
    """

    check: Callable[[Sequence[str]], tuple[int, str] | None]
    steps: tuple[str, ...] = ()
    whole: tuple[tuple[str, tuple[str, ...]], ...] = ()


def quantity(
    default: Any,
    unit: str,
    help: str,
    *,
    title: str | None = None,
    live: bool = False,
    advanced: bool = False,
    file: str = "",
    labels: Mapping[str, str] | None = None,
    **bounds: Any,
) -> Any:
    """A pydantic field with a unit.

    ``unit`` is written as people read it (``"mS/cm"``, ``"1"`` for a pure number, ``""`` for none);
    ``help`` is one line; ``bounds`` are pydantic's ``gt, ge, lt, le``, ``min_length`` and so on.
    ``live`` marks what may change while the simulation runs; ``advanced`` what the form folds away.
    ``file`` says what kind of file a text names (``"picture"``): such files are chosen, not typed, travel with the
    project, and reach the engine by absolute path. ``labels`` are what a person reads for the values of a choice.
    The form reads these from ``field.json_schema_extra``.
    """
    extra: JsonDict = {"unit": unit, "live": live, "advanced": advanced}
    if file:
        extra["file"] = file
    if labels:
        extra["labels"] = dict(labels)
    field: dict[str, Any] = {"title": title, "description": help, "json_schema_extra": extra, **bounds}
    if default is ...:
        return Field(**field)
    if isinstance(default, (list, dict, BaseModel)):
        return Field(default_factory=lambda: deepcopy(default), **field)
    return Field(default=default, **field)
