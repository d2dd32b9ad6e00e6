"""Where the sources make findings, and which of these places a finding came from.

A place is called by its module and function, ``engines.fdtd.grid.resolution.resolution_findings#2``: the second call of
``Finding`` in it.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from engines.api import Finding

ROOT = Path(__file__).parents[2]


@lru_cache(1)
def places() -> dict[Path, list[tuple[range, str]]]:
    """Of every source file that calls ``Finding``: the lines of each call, and what the place is called."""
    found: dict[Path, list[tuple[range, str]]] = {}
    for path in sorted(path for package in ("engines", "workbench", "ui") for path in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "Finding as " not in text, f"{path}: by another name it would not be seen here"
        if "Finding(" in text:
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            calls = list(_calls(ast.parse(text), module))
            if calls:
                found[path] = _numbered(calls)
    return found


def _calls(node: ast.AST, where: str) -> Iterator[tuple[range, str]]:
    for child in ast.iter_child_nodes(node):
        inside = where
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inside = f"{where}.{child.name}"
        elif isinstance(child, ast.Call) and _called(child.func) == "Finding":
            yield range(child.lineno, (child.end_lineno or child.lineno) + 1), where
        yield from _calls(child, inside)


def _called(function: ast.expr) -> str:
    """``Finding`` and ``api.Finding``."""
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _numbered(calls: list[tuple[range, str]]) -> list[tuple[range, str]]:
    """With a number where a function makes several."""
    names = [name for _, name in calls]
    counted: dict[str, int] = defaultdict(int)
    made = []
    for lines, name in calls:
        counted[name] += 1
        made.append((lines, name if names.count(name) == 1 else f"{name}#{counted[name]}"))
    return made


def all_places() -> set[str]:
    """The names of all of them."""
    return {name for calls in places().values() for _, name in calls}


@contextmanager
def traced() -> Iterator[dict[str, set[str]]]:
    """While inside: from which places findings came, by their message; one that is copied keeps its message."""
    made: dict[str, set[str]] = defaultdict(set)
    known = {str(path): calls for path, calls in places().items()}
    make = Finding.__init__

    def traced_make(self: Finding, *values: Any, **named: Any) -> None:
        make(self, *values, **named)
        frame = sys._getframe(1)
        for lines, name in known.get(frame.f_code.co_filename, ()):
            if frame.f_lineno in lines:
                made[self.message].add(name)

    Finding.__init__ = traced_make  # type: ignore[method-assign]  # restored below
    try:
        yield made
    finally:
        Finding.__init__ = make  # type: ignore[method-assign]
