"""The lines of an openCARP ``.par`` file: ``name[0].of[1] = value``; what stands behind ``#`` is a comment."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from engines.api.errors import ProblemError

NAME = re.compile(r"[A-Za-z_]\w*(\[\d{1,6}\])?(\.\w+(\[\d{1,6}\])?)*")
INDEX = re.compile(r"\[(\d+)\]")
COMMENT = re.compile(r"""("[^"]*"|'[^']*')|#.*""")
MOST_TAGS = 100_000
"""Of a range of regions: more are none that a mesh has."""


@dataclass(frozen=True)
class Entry:
    """A parameter: its value as it stands, without quotes, and its line, from 1."""

    name: str
    value: str
    line: int

    def error(self, sentence: str) -> ProblemError:
        return ProblemError(f"Line {self.line}, {self.name}: {sentence}")

    def number(self) -> float:
        """Raises ProblemError where it is none."""
        return _number(self.value, self)

    def numbers(self) -> list[float]:
        """Those of a whole array, with blanks or commas between."""
        return [_number(word, self) for word in self.value.replace(",", " ").split()]

    def tags(self) -> list[int]:
        """Regions: numbers, and ranges ``first:last`` or ``first:step:last`` with both ends in them."""
        found: list[int] = []
        for word in self.value.replace(",", " ").split():
            ends = [round(_number(part, self)) for part in word.split(":")]
            step = ends[1] if len(ends) == 3 else 1
            if len(ends) > 3 or step < 1 or (ends[-1] - ends[0]) // step >= MOST_TAGS:
                raise self.error(f"'{word[:40]}' is no range of regions: write first:last or first:step:last.")
            found += range(ends[0], ends[-1] + 1, step)
        return found


def _number(word: str, entry: Entry) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise entry.error(f"'{word[:40]}' is not a number.")
    return value


class Parameters:
    """The parameters of a file, a later line counting before an earlier one, and which of them were asked for."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self._entries, self._read = entries, set[str]()

    def entry(self, name: str) -> Entry | None:
        found = self._entries.get(name)
        if found is not None:
            self._read.add(name)
        return found

    def text(self, name: str, otherwise: str = "") -> str:
        found = self.entry(name)
        return otherwise if found is None else found.value

    def number(self, name: str, otherwise: float = 0.0) -> float:
        """Raises ProblemError where there is another text."""
        found = self.entry(name)
        return otherwise if found is None else found.number()

    def place(self, name: str) -> tuple[float, float, float]:
        """``name = 1 2 3`` or ``name[0] = 1``, zero where nothing is said."""
        whole = self.entry(name)
        values = [] if whole is None else whole.numbers()
        if whole is not None and len(values) != 3:
            raise whole.error(f"{len(values)} numbers stand there; it takes three.")
        x, y, z = (self.number(f"{name}[{axis}]", values[axis] if values else 0.0) for axis in range(3))
        return x, y, z

    def tags(self, name: str) -> list[int]:
        """``name.ID = 1 4:6``, or ``name.ID[0] = 1`` and so on."""
        whole = self.entry(f"{name}.ID")
        found = [] if whole is None else whole.tags()
        self.entry(f"{name}.num_IDs")  # says how many follow, which is seen
        for each in [each for each in self._entries if each.startswith(f"{name}.ID[")]:
            entry = self.entry(each)
            found += [] if entry is None else entry.tags()
        return found

    def indices(self, family: str, counter: str) -> list[int]:
        """Which of ``family[…]`` the file says anything of, of those that ``counter`` lets count."""
        count = self.number(counter, math.inf)
        found = {int(INDEX.findall(each)[0]) for each in self._entries if each.startswith(f"{family}[")}
        return sorted(index for index in found if index < count)

    def rest(self) -> list[str]:
        """Those that nobody asked for, each once whatever its indices, in the order of the file."""
        return list(dict.fromkeys(INDEX.sub("[]", each) for each in self._entries if each not in self._read))


def parameters_of(path: Path) -> Parameters:
    """Raises ProblemError with the line that is none."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ProblemError(f"'{path.name}' cannot be read: {error.strerror}.") from error
    found: dict[str, Entry] = {}
    for number, text in enumerate(lines, 1):
        name, sign, value = COMMENT.sub(lambda part: part[1] or "", text).partition("=")
        name, value = name.strip(), value.strip()
        if not name and not sign:
            continue
        if not sign or not NAME.fullmatch(name):
            raise ProblemError(f"Line {number}: '{text.strip()[:40]}' is no parameter: write 'name = value'.")
        found.pop(name, None)
        found[name] = Entry(name, value.strip("\"'").strip(), number)
    return Parameters(found)
