"""Equations in the strings of a Brian2 text: lines with their kinds, and names that are called otherwise here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from engines.api.errors import ProblemError
from engines.formulas.parse import WORDS
from engines.formulas.typed.units import UNITS
from engines.spiking.brian2.objects import Text
from engines.spiking.typed.lines import heading
from engines.spiking.typed.names import KNOWN, OUTSIDE, parts_of
from engines.spiking.typed.population import TAKEN

_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")
_STATEMENT = re.compile(r"\s*([^\W\d]\w*)\s*([-+*/]?)=(?!=)(.*)", re.DOTALL)
PLAIN = {"integer": "1", "boolean": "1"}
WITHOUT = ("shared", "constant over dt", "constant")
"""Flags that say how Brian2 keeps a value, and change nothing."""


class Item(NamedTuple):
    """A line of equations; kind: variable, name or parameter; ``line``: of the file."""

    line: int
    kind: str
    name: str
    formula: str
    unit: str
    flags: tuple[str, ...]

    def written(self) -> list[str]:
        """Lines."""
        left = {"variable": f"d{self.name}/dt = ", "name": f"{self.name} = ", "parameter": self.name}[self.kind]
        flags = f" ({', '.join(self.flags)})" if self.flags else ""
        return f"{left}{self.formula} : {self.unit}{flags}".split("\n")


def items_of(model: Text) -> list[Item]:
    """Each ends with its unit, on whatever line. Raises ProblemError with the line."""
    found, text, first = [], "", 0
    for k, raw in enumerate(model.split("\n")):
        code = raw.split("#")[0].strip()
        if not code:
            continue
        within = text.count("(") > text.count(")")  # a line goes on by itself there
        first, text = (first, f"{text}{chr(10) if within else ' '}{code}") if text else (k, code)
        if ":" in code:
            found.append(_item(text, model.line + first))
            text = ""
    if text:
        raise ProblemError(f"Line {model.line + first}: '{text[:40]}' says no unit: equations end as ': volt' does.")
    return found


def _item(text: str, line: int) -> Item:
    head = heading(text)
    if head is None:
        raise ProblemError(f"Line {line}: '{text[:40]}' is no equation, as dv/dt = … : volt is.")
    kind, name, formula, unit, flags = head
    kept = tuple(each for each in flags if each not in WITHOUT)
    return Item(line, kind, name, formula.strip(), PLAIN.get(unit, unit), kept)


def words(text: str) -> list[str]:
    """Names in a formula, in its order."""
    return [each for each in _WORD.findall("\n".join(line.split("#")[0] for line in text.split("\n"))) if
            each not in WORDS]  # fmt: skip


def renamed(text: str, names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda found: names.get(found[0], found[0]), text) if names else text


def statements_of(text: str) -> Iterator[tuple[str, str, str]]:
    """(name, operator before ``=``, formula) of ``v = V_r; w += b``. Raises ProblemError."""
    for part in parts_of(text):
        match = _STATEMENT.match(part)
        if match is None:
            raise ProblemError(f"'{' '.join(part.split())[:40]}' is no statement, as v = V_r is.")
        yield match[1], match[2], " ".join(match[3].split())


def written(statements: Sequence[tuple[str, str, str]]) -> str:
    return "; ".join(f"{name} {op}= {formula}" for name, op, formula in statements)


def free_names(own: Sequence[str], used: Sequence[str]) -> dict[str, str]:
    """What to call names that have another meaning here; ``used``: those that stay as they are."""
    found: dict[str, str] = {}
    for name in own:
        new = name
        while (new in TAKEN and new != OUTSIDE) or (new != name and new in (*own, *used, *found.values())):
            new += "_"
        if new != name:
            found[name] = new
    return found


def is_known(name: str) -> bool:
    """Whether a name is no variable or parameter but a unit, a function or given."""
    return name in UNITS or name in KNOWN or name in TAKEN or name in ("rand", "randn")
