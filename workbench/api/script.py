"""A problem as the shortest script that makes it: from a problem that ships or from defaults, as edits of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from engines.api.errors import ProblemError
from workbench.api.editing import edited, idle
from workbench.api.starts import Start, of_engine, of_presets
from workbench.project.document import Document

if TYPE_CHECKING:
    from workbench.api.project import Project

KIND = "kind"
WIDTH = 110
TRIED = 2
"""Starts that are worked out to the end, those with the fewest raw edits."""


def script(project: Project | Path | str, *, of_defaults: bool = False) -> str:
    """The shortest Python script that makes this problem: mesh, parameters, probes, and how far it runs.

    ``of_defaults``: begin with the engine's defaults, not with what ships. How it is looked at is not in it.
    Raises ProblemError.
    """
    from workbench.api.opening import project_of

    return script_of(project_of(project)._document, of_defaults=of_defaults)


def script_of(document: Document, *, of_defaults: bool = False) -> str:
    """The same for a document, for the window."""
    starts = [of_engine(document), *(() if of_defaults else of_presets(document))]
    target = document.parameters.model_dump(mode="json")
    raw = [(start, dict(_changes(start.parameters.model_dump(mode="json"), target, ""))) for start in starts]
    raw.sort(key=lambda pair: len(pair[0].text) + len(json.dumps(pair[1])))
    return min(
        (_written(start, _trimmed(start, changes, document), document) for start, changes in raw[:TRIED]), key=len
    )


def _changes(before: Any, after: Any, name: str) -> Iterator[tuple[str, Any]]:
    """What is set, by dotted name, to make ``after`` of ``before``: as deep as both have the same form."""
    if type(before) is type(after) and before == after:
        return
    prefix = f"{name}." if name else ""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in after:
            yield from _changes(before[key], after[key], f"{prefix}{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and name:
        differ = [place for place, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
        if len(differ) > 1 and not isinstance(after[differ[0]], (dict, list)):
            yield name, after
            return
        for place in differ:
            yield from _changes(before[place], after[place], f"{prefix}{place}")
    else:
        yield name, after


def _trimmed(start: Start, changes: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """The same with groups and lists without what stands in them by default, wherever that makes the same."""
    target = document.parameters.model_dump(mode="json")
    short = {
        name: _without_defaults(_reached(document.parameters, name)) if isinstance(value, (dict, list)) else value
        for name, value in changes.items()
    }
    if _makes(start, short, target):
        return short
    found = dict(changes)
    for name, value in short.items():
        if _makes(start, {**found, name: value}, target):
            found[name] = value
    return found


def _makes(start: Start, changes: Mapping[str, Any], target: Any) -> bool:
    try:
        return bool(edited(start.parameters, changes).model_dump(mode="json") == target)
    except ProblemError:
        return False


def _reached(value: Any, name: str) -> Any:
    for key in name.split("."):
        value = value[int(key)] if isinstance(value, (list, tuple)) else getattr(value, key)
    return value


def _without_defaults(value: Any) -> Any:
    """Plain values of what differs from its default; a kind always stands, for it says what the rest is."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        return {
            name: _without_defaults(item)
            for name, item in value
            if name == KIND or item != fields[name].get_default(call_default_factory=True)
        }
    if isinstance(value, (list, tuple)):
        return [_without_defaults(item) for item in value]
    return value


def _written(start: Start, changes: Mapping[str, Any], document: Document) -> str:
    lines = ["import workbench as wb", "", f"project = {start.text}"]
    names = list(changes)
    if len(names) == 1 and not isinstance(changes[names[0]], (dict, list)) and not idle(document.parameters, changes):
        lines[-1] += f".set({names[0]!r}, {changes[names[0]]!r})"
    elif names:
        lines[-1] += ".set({"
        for name, value in changes.items():
            lines.append(f"    {name!r}: {_indented(value)},")
        lines.append("})")
    before, now = start.project, document.project
    if before.probes != now.probes:
        lines += [f"project.probe({probe.name!r}, None)" for probe in before.probes]
        lines += [f"project.probe({probe.name!r}, {probe.position})" for probe in now.probes]
    if before.lines != now.lines:
        lines += [f"project.line({line.name!r}, None)" for line in before.lines]
        lines += [f"project.line({line.name!r}, {line.field!r}, {line.start}, {line.end})" for line in now.lines]
    if before.run.until != now.run.until:
        lines.append(f"project.until = {now.run.until!r}  # {document.time_unit}")
    device = "" if now.run.device == "auto" else f"device={now.run.device!r}"
    if now.run.until is None and not document.engine.ends(document.problem):
        lines.append(f"# nothing says how far it runs: run = project.run(until=...)  # {document.time_unit}")
    else:
        lines.append(f"run = project.run({device})")
    return "\n".join(lines) + "\n"


def _indented(value: Any) -> str:
    return pformat(value, width=WIDTH, sort_dicts=False, compact=True).replace("\n", "\n    ")
