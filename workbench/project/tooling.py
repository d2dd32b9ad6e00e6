"""An engine's tools, for the window and the command line: finding one, its numbers, and taking over what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from engines.api import Engine, Problem, Progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.tools import Tool, ToolResult
from workbench.project.document import Document, Standing
from workbench.project.kept_meshes import keep_mesh
from workbench.project.reading.commas import commas_in
from workbench.project.reading.parsing import validated


class ToolCancelled(Exception):
    """Raised through the tool by its ``progress`` when nobody wants its answer any more."""


def find_tool(engine: Engine, name: str) -> Tool:
    """The tool with this id. Raises ProblemError that lists those there are."""
    tools = engine.tools()
    for tool in tools:
        if tool.id == name:
            return tool
    known = ", ".join(tool.id for tool in tools) or "none"
    raise ProblemError(f"The engine '{engine.id}' has no tool '{name}'; its tools are: {known}.")


def tool_parameters(tool: Tool, problem: Problem, values: Mapping[str, Any]) -> BaseModel:
    """The tool's own numbers for this problem, with ``values`` by dotted name in their place. Raises ProblemError."""
    if not isinstance(values, Mapping):
        raise ProblemError(f"The values of '{tool.id}' are given by their names, {{'NAME': 1}}, not as {values!r:.60}.")
    content = tool.defaults(problem).model_dump(mode="json")
    for name, value in values.items():
        *groups, last = str(name).split(".")
        place: Any = content
        for group in groups:
            place = place.get(group) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            raise ProblemError(f"'{tool.id}' has no value '{name}'; it has: {', '.join(content)}.")
        place[last] = value
    return validated(tool.Parameters, content, f"'{tool.id}'")


def carried_out(
    tool: Tool, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress
) -> ToolResult:
    """What the tool gives, and how it has read tables that leave a doubt."""
    result = tool.run(problem, parameters, backend, progress)
    return replace(result, message=" ".join([result.message, *(each.message for each in commas_in(parameters))]))


def kept_standing(document: Document, result: ToolResult) -> Standing | None:
    """The changed mesh of ``result`` in a file of its own; None where the tool left the mesh as it is.

    Slow for large meshes. Raises ProblemError, StorageError.
    """
    if result.geometry is None:
        return None
    return keep_mesh(result.geometry, document.engine, document.mesh.stem if document.mesh else document.project.title)


def changed_parameters(before: BaseModel, result: ToolResult, now: Mapping[str, Any]) -> dict[str, Any]:
    """``now`` with what the tool has changed since ``before``: what a person edited meanwhile stays."""
    if result.parameters is None:
        return dict(now)
    changed = _carried(before.model_dump(mode="json"), result.parameters.model_dump(mode="json"), dict(now))
    assert isinstance(changed, dict)
    return changed


def moved_end(result: ToolResult, until: float | None) -> float | None:
    """Where runs are to end from now on, because they had no end or not gone far enough; None: where they did."""
    return result.until if result.until is not None and (until is None or until < result.until) else None


def goes_with(before: Document, result: ToolResult, now: Document) -> bool:
    """Whether nobody has changed what the tool has, from the document that it was given to that of now."""
    if now.project.engine != before.project.engine or now.project.geometry != before.project.geometry:
        return False
    if result.geometry is not None:
        return now.parameters == before.parameters  # which may be of places on the mesh
    was, theirs = (each.parameters.model_dump(mode="json") for each in (before, now))
    ours = was if result.parameters is None else result.parameters.model_dump(mode="json")
    return bool(_carried(was, ours, theirs) == _carried(was, theirs, ours))


def take_over(document: Document, result: ToolResult, since: BaseModel | None = None) -> None:
    """Give the document what the tool has changed ``since`` these parameters, or those that it has. Raises
    ProblemError, StorageError."""
    if (until := moved_end(result, document.project.run.until)) is not None:
        document.project.run.until = until
    standing = kept_standing(document, result)
    if standing is not None:
        document.stand_on(standing)
    values = changed_parameters(since or document.parameters, result, document.parameters.model_dump(mode="json"))
    document.parameters = validated(type(document.parameters), values, "The tool's result")


def _carried(before: Any, after: Any, now: Any) -> Any:
    if before == after:
        return now
    if isinstance(before, dict) and isinstance(after, dict) and isinstance(now, dict):
        return {key: _carried(before.get(key), value, now.get(key)) for key, value in after.items()}
    return after
