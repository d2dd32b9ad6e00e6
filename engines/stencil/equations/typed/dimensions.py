"""Units of typed equations: of each formula as it is typed, as far as those of what it names are given.

Nothing is converted: derivatives are by mm and seconds, so that what a sum adds must have the same unit, prefix and
all. What has no unit given goes with anything, and so do x, y, z and t, which numbers stand beside. In lines a number
is a plain one (0 apart); in where fields begin and in what holds at sides it has whatever unit is wanted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import pairwise, product

from engines.api.errors import ProblemError
from engines.formulas.graph import CONDITIONS, Node, ordered
from engines.formulas.typed.printed import printed
from engines.formulas.typed.units import KEPT, LARGEST_POWER, NONE, PHYSICAL, SMALLEST, Dimension, named, unit
from engines.stencil.equations.language import System, rate_of
from engines.stencil.equations.spatial import DIVERGENCE, FIRST, SECOND
from engines.stencil.equations.typed.rendered import OPERATORS

Unit = tuple[Dimension, float]
"""Dimension, and how many of the kept units one is."""
PLAIN: Unit = (NONE, 1.0)
SAME = 1e-9
"""By how much two sizes of a unit may differ by rounding."""
LONGEST = 60
_DONE = {
    "add": "adds", "sub": "subtracts", "min": "takes the lesser of", "max": "takes the larger of",
    "vector": "puts together", "upwind": "puts together",
}  # fmt: skip
_ALIKE = ("add", "sub", "min", "max", "vector", "lt", "le", "eq", "select")
_DERIVED = {**dict.fromkeys((*FIRST, "grad", DIVERGENCE), -1), **dict.fromkeys((*SECOND, "laplacian"), -2)}
"""Operators, and the power of a length that they bring."""
_TOLD = (
    "1", "mM", "uM", "nM", "M", "K", "kg", "g", "mV", "V", "mA", "A", "Pa", "kPa", "MPa", "N", "J", "W", "C", "mol",
)  # fmt: skip
_UNDER = ("1", "K", "kg", "mM", "mol")
"""Units that a sentence calls what it finds by, with mm and s, above and below a stroke."""


class _Differ(Exception):
    """What a line does to what cannot be: goes on where the line has been named."""


def unit_of(text: str) -> Unit | None:
    """None where none is given. Raises ProblemError."""
    return unit(text, PHYSICAL) if text.strip() else None


MM, SECOND_ = unit("mm", PHYSICAL), unit("s", PHYSICAL)


def check(system: System, units: Mapping[str, Unit | None]) -> dict[str, Unit | None]:
    """units: of parameters, fields and names of lines, as far as they are given. Returns those of all names and fields,
    nothing where none is given. Raises ProblemError, whose ``place`` is the line, for what adds, compares or equates
    what differs."""
    known = dict(units)
    if not any(units.values()):
        return known
    for name in system.second:
        if known.get(name) is not None:
            known.setdefault(rate_of(name), _times(known[name], SECOND_, -1))
    for name, order, node in system.typed:
        place = system.lines[name]
        try:
            found = _of(node, known, strict=True)
            wanted = _times(known.get(name), SECOND_, -order)
            if not order and wanted is None:
                known[name] = found
            elif not _agree(wanted, found):
                left = {0: f"'{name}'", 1: f"d{name}/dt", 2: f"d2{name}/dt2"}[order]
                raise _Differ(f"says that {left}, {_in(wanted)}, is {_piece(node, found)}: {_advice(node, found)}")
        except _Differ as error:
            raise ProblemError(f"Line {place + 1} {error}.", (place,)) from None
    return known


def check_formula(node: Node, wanted: Unit | None, units: Mapping[str, Unit | None], where: str) -> None:
    """Of a start or a side. Raises ProblemError, a sentence that begins with ``where``."""
    try:
        found = _of(node, units, strict=False)
    except _Differ as error:
        raise ProblemError(f"{where} {error}.") from None
    if not _agree(wanted, found):
        raise ProblemError(f"{where} is {_in(found)}, and has to be {_in(wanted)}: look at the units.")


def per_length(one: Unit | None, power: int) -> Unit | None:
    """One of a derivative in space."""
    return _times(one, MM, -power)


def _of(root: Node, names: Mapping[str, Unit | None], strict: bool) -> Unit | None:
    found: dict[Node, Unit | None] = {}
    for node in ordered([root]):
        found[node] = one = _unit(node, [found[arg] for arg in node.args], names, strict)
        if one is not None and not (SMALLEST <= one[1] <= 1 / SMALLEST and max(map(abs, one[0])) <= LARGEST_POWER):
            raise _Differ(f"makes a unit of '{_plain(node)}' that nothing is measured in: use smaller powers")
    return found[root]


def _unit(node: Node, args: Sequence[Unit | None], names: Mapping[str, Unit | None], strict: bool) -> Unit | None:
    op = node.op
    if op == "const":
        return PLAIN if strict and node.number else None
    if op == "symbol":
        return names.get(str(node.value))
    if op in _ALIKE:
        return _alike(node, args)
    if op in ("neg", "abs", "floor"):
        return args[0]
    if op in ("mul", "dot"):
        return _times(args[0], args[1], 1)
    if op == "div":
        return _times(args[0], args[1], -1)
    if op == "sqrt":
        return _raised(args[0], 0.5)
    if op in _DERIVED:
        return _times(args[0], MM, _DERIVED[op])
    if op == "upwind":
        _alike(node, args[:-1])
        return args[0] if len(args) == 1 else _times(_times(args[0], args[-1], 1), MM, -1)
    if op in CONDITIONS or op.startswith("@"):
        return PLAIN if op in CONDITIONS else None
    if op == "pow" and node.args[1].op == "const":
        return _raised(args[0], node.args[1].number)
    for arg, each in zip(node.args, args, strict=True):
        if not _agree(each, PLAIN):
            done = {"pow": "raises to a power, or by one,", "atan": "takes arctan of"}.get(op, f"takes {op} of")
            raise _Differ(f"{done} {_piece(arg, each)}: divide it by what has that unit")
    return PLAIN if strict or None not in args else None


def _alike(node: Node, args: Sequence[Unit | None]) -> Unit | None:
    parts = [(arg, each) for arg, each in zip(node.args, args, strict=False) if each is not None]
    parts = [(arg, each) for arg, each in parts if node.op != "select" or arg is not node.args[0]]
    for (first, one), (other, another) in pairwise(parts):
        if not _agree(one, another):
            done = _DONE.get(node.op, "compares" if node.op in CONDITIONS else "chooses between")
            advice = _advice(other, another) if another == PLAIN else _advice(first, one)
            raise _Differ(f"{done} {_piece(first, one)} and {_piece(other, another)}: {advice}")
    return PLAIN if node.op in CONDITIONS else parts[0][1] if parts else None


def _times(one: Unit | None, other: Unit | None, power: float) -> Unit | None:
    if one is None or other is None:
        return None
    try:
        size = one[1] * other[1] ** power
    except OverflowError:
        size = math.inf
    return tuple(a + power * b for a, b in zip(one[0], other[0], strict=True)), size


def _raised(one: Unit | None, power: float) -> Unit | None:
    return None if one is None else _times(PLAIN, one, power)


def _agree(one: Unit | None, other: Unit | None) -> bool:
    if one is None or other is None:
        return True
    near = all(abs(a - b) < SAME for a, b in zip(one[0], other[0], strict=True))
    return near and abs(one[1] / other[1] - 1) < SAME


def _advice(node: Node, one: Unit | None) -> str:
    if one == PLAIN and node.op == "const":
        return f"give {node.number:g} a name, and its unit under Parameters"
    return "look at the units under Parameters and Fields"


def _piece(node: Node, one: Unit | None) -> str:
    """Of a formula, with its unit."""
    return f"the plain number {_plain(node)}" if node.op == "const" else f"'{_plain(node)}' {_in(one)}"


def _plain(node: Node) -> str:
    marked = printed(node, OPERATORS).replace("<sup>", "^").replace("</sup>", "")
    text = unescape(re.sub("<[^>]*>", "", marked))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _in(one: Unit | None) -> str:
    return "without a unit" if one == PLAIN else f"in {told(one)}"


def told(one: Unit | None) -> str:
    """``mM*mm/s``, ``1``: by those of some units that leave the least powers of mm and s."""
    assert one is not None
    found: list[tuple[float, str]] = []
    for under, name in product(_UNDER, _TOLD):
        rest = _times(_times(one, unit(name, PHYSICAL), -1), unit(under, PHYSICAL), 1)
        assert rest is not None
        length, time = rest[0][0], rest[0][2]
        if _agree(_times(_times(rest, MM, -length), SECOND_, -time), PLAIN):
            powers = [(name, float(name != "1")), ("mm", length), ("s", time), (under, -float(under != "1"))]
            above = "*".join(_power(each, power) for each, power in powers if power > 0)
            below = "".join(f"/{_power(each, -power)}" for each, power in powers if power < 0)
            found.append((sum(abs(power) for _, power in powers), (above or "1") + below))
    if found:
        return min(found, key=lambda each: each[0])[1]
    size = one[1] * math.prod(kept**power for kept, power in zip(KEPT, one[0], strict=True))
    return f"{size:.3g} {named(one[0])}"


def _power(name: str, power: float) -> str:
    return name if power == 1 else f"{name}**{power:g}"
