"""The lines of a gprMax ``.in`` file: ``#command: words``; everything else in it is a comment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from engines.api.errors import ProblemError

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Command:
    """One command: its name without ``#``, what follows the colon, and its line, from 1."""

    name: str
    words: tuple[str, ...]
    line: int

    def error(self, sentence: str) -> ProblemError:
        return ProblemError(f"Line {self.line}, #{self.name}: {sentence}")

    def check(self, fewest: int, most: int, syntax: str) -> None:
        """Raises ProblemError if it has fewer or more words; ``syntax`` names them."""
        if not fewest <= len(self.words) <= most:
            raise self.error(f"{len(self.words)} values stand there; it takes {syntax}.")

    def number(self, at: int) -> float:
        try:
            value = float(self.words[at])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.error(f"'{self.words[at]}' is not a number.")
        return value

    def place(self, at: int) -> Place:
        """Three numbers from ``at`` on."""
        return self.number(at), self.number(at + 1), self.number(at + 2)


MOST_COMMANDS = 20_000
"""A form of as many objects is worked through for seconds at each edit."""


def commands_of(path: Path) -> list[Command]:
    """In the order of the file. Raises ProblemError."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ProblemError(f"'{path.name}' cannot be read: {error.strerror}.") from error
    found = []
    for number, text in enumerate(lines, 1):
        if not text.startswith("#") or text.startswith("##"):
            continue
        name, colon, rest = text[1:].partition(":")
        if not colon:
            raise ProblemError(f"Line {number}: '{text.strip()[:40]}' has no colon: write '#command: values'.")
        found.append(Command(name.strip(), tuple(rest.split()), number))
        if len(found) > MOST_COMMANDS:
            raise ProblemError(
                f"'{path.name}' has over {MOST_COMMANDS:,} commands: put objects that are alike together."
            )
    return found
