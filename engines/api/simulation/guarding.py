"""What engines of others answer, behind one wrapper: they may raise anything, answer something else, or never.

What can be gone without (tools, studies, whether a run ends of itself) is as an engine has it that says nothing, and is
told of once. What is asked of a problem raises BrokenContract. On the main thread, where a window would stand still, an
alarm ends what takes too long, where the system has one; it is not asked again then.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api.charts import Diagram, Forecast, Inspection
from engines.api.engine import Engine
from engines.api.errors import ProblemError, WorkbenchError, told_of
from engines.api.lab import LabTable, Study
from engines.api.placing import Change, Faces, NewItem, PlacedItem, Placement
from engines.api.simulation.base import Simulation
from engines.api.simulation.contract import FOR_THE_AUTHOR, BrokenContract, check_inspection
from engines.api.tools import Tool
from engines.api.values import Benchmark, Estimate, Finding, Imported, Problem
from engines.api.verification import VerificationCase

log = logging.getLogger(__name__)

LONGEST_LINE = 500
MOST = 10_000
"""Things that are listed or drawn."""
SECONDS = 10.0
"""That an answer may take which a window stands still for."""

told: list[str] = []
"""A sentence for each thing that is done without."""


Check = Callable[[Any], bool]


class _Other(TypeError):
    """An answer that is none."""


class _TooLong(BaseException):
    """Not to be caught by ``except Exception`` in whatever takes too long."""


def guard(engine: Engine, whose: str) -> None:
    """Put the wrapper around what this engine is asked; ``whose``: as sentences begin with it."""
    lingering: set[str] = set()
    for name in (*LEFT_OUT, *ASKED):
        method = getattr(engine, name)
        setattr(engine, name, partial(_answer, whose, name, method, getattr(Engine, name), engine, lingering))


def _answer(
    whose: str,
    name: str,
    method: Callable[..., Any],
    nothing: Callable[..., Any],
    engine: Engine,
    lingering: set[str],
    *arguments: Any,
    **named: Any,
) -> Any:
    try:
        if name in lingering:
            raise _TooLong
        with ended_after(SECONDS, _TooLong):
            found = method(*arguments, **named)
            if not (LEFT_OUT.get(name) or ASKED[name])(found):
                raise _Other(f"its {type(found).__name__} is not what the contract has")
        if name == "benchmarks":
            return tuple(replace(one, problem=partial(_act, whose, one.problem, _is(Problem))) for one in found)
        return _with_guarded_handles(whose, found) if isinstance(found, Placement) else found
    except (WorkbenchError, KeyboardInterrupt, MemoryError):
        raise
    except _TooLong:
        lingering.add(name)
        why = f"it has not answered within {SECONDS:g} s"
    except BaseException as error:
        if name == "build" and not isinstance(error, _Other):
            raise  # as of a run that is closed; what it is of others is put in a sentence there
        why = str(error) if isinstance(error, _Other) else told_of(error)
    if name in ASKED:
        raise BrokenContract(f"{whose} was asked for '{name}', in vain ({why}).")
    sentence = f"{whose} was asked for '{name}', in vain ({why}): it is done without."
    if sentence not in told:
        told.append(sentence)
        log.warning(sentence)
    return nothing(engine, *arguments, **named)


def _with_guarded_handles(whose: str, found: Placement) -> Placement:
    """What a person does to items by hand is asked of the engine, too, and is refused where that fails."""

    def guarded(call: Callable[..., Any] | None, *kinds: type | None) -> Callable[..., Any] | None:
        return None if call is None else partial(_act, whose, call, _is(*kinds))

    def item(one: PlacedItem) -> PlacedItem:
        moved, renamed = guarded(one.moved, Change), guarded(one.renamed, BaseModel)
        return replace(one, moved=moved, renamed=renamed, faces=guarded(one.faces, Faces, None))

    def new(one: NewItem) -> NewItem:
        return replace(one, make=partial(_act, whose, one.make, _is(BaseModel)))

    groups = (replace(one, items=tuple(map(item, one.items)), new=tuple(map(new, one.new))) for one in found.groups)
    return replace(found, groups=tuple(groups))


def _act(whose: str, call: Callable[..., Any], is_right: Check, *arguments: Any) -> Any:
    try:
        with ended_after(SECONDS, _TooLong):
            found = call(*arguments)
        if not is_right(found):
            raise TypeError(f"its {type(found).__name__} is not what the contract has")
        return found
    except (WorkbenchError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ProblemError(f"{whose} could not do that ({told_of(error)}). {FOR_THE_AUTHOR}") from error


@contextmanager
def ended_after(seconds: float, error: type[BaseException] | BaseException) -> Iterator[None]:
    """Raises this in what takes longer, where an alarm can: on the main thread, unless an alarm is set already."""
    alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not alarm or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def end(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def is_line(text: object, least: int = 0) -> bool:
    """Whether it can stand in a list or a menu."""
    return isinstance(text, str) and least <= len(text) <= LONGEST_LINE and (not text or text.isprintable())


# What is the kind of answer that the contract has.


def _is_list(found: Any, kind: type, *texts: str) -> bool:
    """Of things that are listed by these texts of theirs."""
    if not isinstance(found, Sequence) or len(found) > MOST:
        return False
    return all(isinstance(each, kind) and all(is_line(getattr(each, text), 1) for text in texts) for each in found)


def _are_names(found: Any) -> bool:
    return isinstance(found, Mapping) and all(
        is_line(kind) and isinstance(names, Sequence) and len(names) <= MOST and all(map(is_line, names))
        for kind, names in found.items()
    )


def _is_path(path: Any) -> bool:
    return isinstance(path, tuple) and all(isinstance(part, str | int) for part in path)


def _is_geometry(found: Any) -> bool:
    return found is None or bool(
        is_line(found.length_unit)
        and isinstance(found.n_cells, int | np.integer)
        and found.n_cells >= 0
        and _are_points(np.stack(found.bounds))
    )


def _is_placement(found: Any) -> bool:
    """A window draws it, point by point."""
    if found is None:
        return True
    items = [item for group in found.groups for item in group.items]
    lines = [line for item in items for line in item.outline]
    handles = [handle for item in items for handle in item.handles]
    positions = [at for one in handles for at in (one.position, one.direction, one.reference) if at is not None]
    return (
        isinstance(found, Placement)
        and len(items) <= MOST
        and all(_is_path(one.path) and is_line(one.title) for one in (*found.groups, *items))
        and all(_are_points(line) for line in lines)
        and all(_are_points(np.atleast_2d(position)) for position in positions)
        and len(found.snaps) == 3
        and all(np.ndim(axis) == 1 and np.isfinite(axis).all() for axis in found.snaps)
    )


def _are_points(line: Any) -> bool:
    points = np.asarray(line)
    return points.ndim == 2 and points.shape[1] == 3 and points.dtype.kind in "iuf" and bool(np.isfinite(points).all())


def _are_previews(found: Any) -> bool:
    if not isinstance(found, Mapping) or not all(
        _is_path(path) and isinstance(told, Inspection) for path, told in found.items()
    ):
        return False
    for told_there in found.values():
        check_inspection(told_there)
    return True


def _is_diagram(found: Any) -> bool:
    if found is None:
        return True
    ends = [end for edge in found.edges for end in (edge.source, edge.target)]
    return (
        isinstance(found, Diagram)
        and all(is_line(node.title) and _is_path(node.place) and all(map(is_line, node.lines)) for node in found.nodes)
        and all(isinstance(end, int) and 0 <= end < len(found.nodes) for end in ends)
        and all(np.isfinite(edge.weight) and is_line(edge.label) and _is_path(edge.place) for edge in found.edges)
    )


def _is(*kinds: type | None) -> Callable[[Any], bool]:
    return lambda found: any(found is None if kind is None else isinstance(found, kind) for kind in kinds)


LEFT_OUT: Mapping[str, Check] = {
    "tools": lambda found: (
        _is_list(found, Tool, "id", "title", "summary")
        and all(isinstance(tool.Parameters, type) and issubclass(tool.Parameters, BaseModel) for tool in found)
    ),
    "studies": lambda found: _is_list(found, Study, "id", "title"),
    "tables": lambda found: _is_list(found, LabTable, "id", "title"),
    "benchmarks": lambda found: (
        _is_list(found, Benchmark, "name") and all(isinstance(each.elements, int) for each in found)
    ),
    "verification": lambda found: _is_list(found, VerificationCase, "id", "title"),
    "suggestions": _are_names,
    "ends": _is(bool),
    "without_end": _is(Finding, None),
    "regions_become": lambda found: (
        isinstance(found, Mapping) and all(is_line(text) for pair in found.items() for text in pair)
    ),
    "time_unit_of": is_line,
    "title_of": is_line,
}  # fmt: skip
ASKED: Mapping[str, Check] = {
    "default_parameters": _is(BaseModel),
    "geometry_of": _is_geometry,
    "estimate": _is(Estimate),
    "build": _is(Simulation),
    "imported": _is(Imported, None),
    "of_body": _is(BaseModel),
    "check_file": _is(bool),
    "placed": _is_placement,
    "previews": _are_previews,
    "diagram": _is_diagram,
    "forecast": _is(Forecast, None),
}  # fmt: skip
