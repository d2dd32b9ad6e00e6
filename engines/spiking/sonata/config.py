"""SONATA's configurations: JSON that names the files of a circuit, by variables of a manifest, and sets of nodes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.api.errors import ProblemError
from engines.reading import read_json

HERE = ("configdir", "workingdir")
"""Variables that BMTK knows without a manifest: where the configuration lies."""
LONGEST_NAME = 2048
DEEPEST = 20
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


@dataclass(frozen=True)
class Config:
    """name: of its file; folder: where names in it begin, from that of the file that is opened on"""

    name: str
    content: Mapping[str, Any]
    folder: str = ""

    def group(self, *keys: str) -> Mapping[str, Any]:
        """An object within it; empty where there is none."""
        found: Any = self.content
        for key in keys:
            found = found.get(key) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def rows(self, *keys: str) -> list[Mapping[str, Any]]:
        """Objects of a list within it."""
        *outer, last = keys
        found = self.group(*outer).get(last)
        return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []

    def number(self, given: Mapping[str, Any], key: str, otherwise: float) -> float:
        """Raises ProblemError for what is none."""
        value = given.get(key, otherwise)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
            raise ProblemError(f"'{self.name}' has the value {str(value)[:40]!r} for {key}: give it a number.")
        return float(value)

    def file(self, text: Any) -> str:
        """The name of a file, from the opened file's folder on; empty where ``text`` is none. Raises ProblemError."""
        if not isinstance(text, str) or not text:
            return ""
        name = self._resolved(text)
        return name if posixpath.isabs(name) else posixpath.normpath(posixpath.join(self.folder, name))

    def within(self, folder: Any, name: str) -> str:
        """Of a file ``name`` in a folder that it names; ``name`` alone where it names none."""
        if not isinstance(folder, str) or not folder:
            return self.file(name)
        return posixpath.normpath(posixpath.join(self.file(folder), self._resolved(name)))

    def _resolved(self, text: str) -> str:
        manifest = {key.strip("${}"): value for key, value in self.group("manifest").items()}
        known: dict[str, str] = {}

        def value(name: str, within: tuple[str, ...]) -> str:
            if name in within or len(within) > DEEPEST:
                raise ProblemError(f"'{self.name}' says what ${name[:40]} is by itself: write a folder instead.")
            if name in manifest and isinstance(manifest[name], str):
                return whole(manifest[name], (*within, name))
            if name in HERE:
                return "."
            raise ProblemError(f"'{self.name}' names ${name[:40]}, which its manifest lacks: add it there.")

        def whole(text: str, within: tuple[str, ...]) -> str:
            for name in _VARIABLE.findall(text):
                if name not in known:
                    known[name] = value(name, within)
            found = _VARIABLE.sub(lambda match: known[match[1]], text)
            if len(found) > LONGEST_NAME:
                raise ProblemError(f"'{self.name}' names '{found[:40]}…', which is longer than names of files can be.")
            return found

        return whole(text, ())


def config_of(path: Path, name: str = "", folder: str = "") -> Config | None:
    """None for JSON that is no such configuration. Raises ProblemError for what is no JSON."""
    content = read_json(path)
    if not isinstance(content, dict):
        return None
    circuit = isinstance(content.get("networks"), dict) and "nodes" in content["networks"]
    if circuit or (isinstance(content.get("network"), str) and content.keys() & {"run", "simulation", "manifest"}):
        return Config(name or path.name, content, folder)
    return None


class NodeSets:
    """Rules by name: attributes and their values, or a list of names."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = rules

    def rules_of(self, given: Any, depth: int = 0, seen: set[str] | None = None) -> Iterator[Mapping[str, Any]]:
        """Each of which chooses nodes: of a name, a list or an object. Raises ProblemError for names of none.

        ``seen``: names that need not be looked at once more."""
        seen = set() if seen is None else seen
        if isinstance(given, Mapping):
            yield given
        elif isinstance(given, list) and depth < DEEPEST:
            for each in given:
                yield from self.rules_of(each, depth + 1, seen)
        elif isinstance(given, str) and given in self.rules and depth < DEEPEST:
            if given not in seen:
                seen.add(given)
                yield from self.rules_of(self.rules[given], depth + 1, seen)
        elif given in (None, "", "all"):
            yield {}
        else:
            raise ProblemError(f"there is no node set {str(given)[:40]!r}")
