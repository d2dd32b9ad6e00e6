"""The language of typed laws: lines ``name = value`` of which one defines the damage ``d``.

Each value is a formula that :mod:`engines.formulas` reads, in which a name stands for what lines above define.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.formulas.graph import CONDITIONS, Node, depends_on, make, ordered, rebuild, symbol
from engines.formulas.parse import FUNCTIONS, number, statements
from engines.formulas.typed.definitions import check_size, checked, defined, refusal

STRETCH, DAMAGE = "s", "d"
GIVEN = ("s0", "sb", "sc")
"""s0: the elastic limit; sb: where a brittle bond would break; sc: chosen so that a crack takes the fracture energy."""
KNOWN = {name: FUNCTIONS[name] for name in ("exp", "log", "sqrt", "abs", "tanh", "min", "max", "where")}
PRODUCTS = (2.0, 3.0, 4.0)
"""Powers that are written as products."""


@dataclass(frozen=True)
class Number:
    """What has a name and depends on neither s nor d: a graph of the given names and of numbers before it; ``line``
    from 0."""

    name: str
    value: Node
    line: int


@dataclass(frozen=True)
class Formula:
    """``damage``: a graph of s, d, the given names and those of the numbers. ``uses``: the given names in any line."""

    numbers: tuple[Number, ...]
    damage: Node
    uses: frozenset[str]


def parse(lines: Sequence[str]) -> Formula:
    """Raises ProblemError whose ``place`` is the line (from 0)."""
    own = {name: symbol(name) for name in (STRETCH, DAMAGE, *GIVEN)}
    names, numbers, values = dict(own), list[Number](), list[Node]()
    for line, text in statements(lines):
        name, value = _defined(line, text, names)
        values.append(value)
        check_size(line, values, "law")
        if value.op not in CONDITIONS and not depends_on([value], STRETCH) and not depends_on([value], DAMAGE):
            # its value is left out of the code, which is that of all laws that differ in it
            numbers.append(Number(f"v{len(numbers)}", value, line))
            value = symbol(numbers[-1].name)
        names[name] = value
    if names[DAMAGE] is own[DAMAGE]:
        raise refusal(max(len(lines) - 1, 0), ": no line says what the damage is: one begins with 'd ='")
    uses = {str(node.value) for node in ordered(values) if node.op == "symbol"}
    return Formula(tuple(numbers), number(names[DAMAGE]), frozenset(uses.intersection(GIVEN)))


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    return checked(parse, lines)


def _defined(line: int, text: str, names: dict[str, Node]) -> tuple[str, Node]:
    """The name that a statement defines, and its value. Raises ProblemError."""
    name, value = defined(line, text, names, KNOWN, (STRETCH, *GIVEN, *KNOWN), "s < s1")
    return name, rebuild([value], _made)[0]


def _made(op: str, *args: Node) -> Node:
    if op == "pow" and args[1].op == "const" and args[1].number in PRODUCTS:
        product = args[0]
        for _ in range(int(args[1].number) - 1):
            product = make("mul", product, args[0])
        return product
    return make(op, *args)
