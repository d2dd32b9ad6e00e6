"""Lines ``name = formula``, each of which may name what those above define: typed laws, waveforms and histories."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape

from engines.api.errors import ProblemError
from engines.formulas.graph import Node, const, ordered, symbol
from engines.formulas.parse import FUNCTIONS, WORDS, FormulaError, Function, Language, number, parse_either, statements
from engines.formulas.typed.printed import LONGEST, Anything, name_of, printed

MOST_OPERATIONS = 500
_DEFINITION = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)")
_STATEMENT = re.compile(r"\s*(if|for|while|def)\b")


def function_of(
    lines: Sequence[str], name: str, given: Collection[str], what: str, functions: Mapping[str, Function] = FUNCTIONS
) -> Node:
    """What ``name`` is. Raises ProblemError whose ``place`` is the line (from 0)."""
    names = definitions(lines, given, what, functions)
    if name not in names:
        raise refusal(max(len(lines) - 1, 0), f": no line says what the {what} is: one begins with '{name} ='")
    return number(names[name])


def definitions(
    lines: Sequence[str], given: Collection[str], what: str, functions: Mapping[str, Function] = FUNCTIONS
) -> dict[str, Node]:
    """All names by ``given`` ones, which are among them; ``pi`` is known. what: "waveform". Raises ProblemError whose
    ``place`` is the line (from 0)."""
    names = {**{each: symbol(each) for each in given}, "pi": const(3.141592653589793)}
    taken, values, first = (*names, *functions), list[Node](), next(iter(given))
    for line, text in statements(lines):
        own, value = defined(line, text, names, functions, taken, f"{first} < 1")
        values.append(value)
        check_size(line, values, what)
        names[own] = value
    return names


def checked(read: Callable[[Sequence[str]], object], lines: Sequence[str]) -> tuple[int, str] | None:
    """The first line (from 0) that ``read`` does not understand and the sentence that says why; None if all are."""
    try:
        read(lines)
    except ProblemError as error:
        return int(error.place[-1]), str(error)
    return None


def defined(
    line: int, text: str, names: Mapping[str, Node], functions: Mapping[str, Function], taken: Collection[str],
    condition: str,
) -> tuple[str, Node]:  # fmt: skip
    """The name that a statement defines, and its value. taken: what it may not be called; condition: of a choice, as an
    example. Raises ProblemError."""
    match = _DEFINITION.match(text)
    if match is None:
        if _STATEMENT.match(text):
            raise refusal(line, f": write a choice as 'a if {condition} else b', or where({condition}, a, b)")
        raise refusal(line, f": '{text.splitlines()[0].strip()}' does not begin with a name and '='")
    if match[1] in (*taken, *WORDS):
        raise refusal(line, f": '{match[1]}' has a meaning here: choose another name")
    value = " " * match.end() + text[match.end() :]  # characters are counted from the beginning of the line
    try:
        return match[1], parse_either(value, Language(names, functions), where="")
    except FormulaError as error:
        raise refusal(line + value.count("\n", 0, error.at), str(error).removesuffix(".")) from None


def check_size(line: int, values: Sequence[Node], what: str) -> None:
    if sum(bool(node.args) for node in ordered(values)) > MOST_OPERATIONS:
        raise refusal(line, f": the {what} is too long")


def refusal(line: int, reason: str) -> ProblemError:
    return ProblemError(f"Line {line + 1}{reason}.", (line,))


def html(lines: Sequence[str]) -> str:
    """A paragraph for each line that is understood; the others as they are typed."""
    return "".join(f"<p style='margin: 2px 0'>{_line(text)}</p>" for _, text in statements(lines))


def _line(text: str) -> str:
    match = _DEFINITION.match(text)
    if match is None:
        return escape(text)
    try:
        right = printed(parse_either(text[match.end() :], Language(Anything())))
    except FormulaError:
        right = escape(text[match.end() :].strip())
    return f"{name_of(match[1])} = {right}" if len(right) <= LONGEST else f"{name_of(match[1])} = …"
