"""Formulas typed as text: read without recursion, within limits, into a graph.

Nothing of the text is ever run. Operators bind as in Python, loosest first: ``a if c else b``, ``or``, ``and``,
``not``, comparisons (``a < b < c`` is both), ``+ -``, ``* /``, a sign, ``**``, which groups from the right. What a name
means and which functions there are is said by a :class:`Language`. ``#`` begins a comment.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from engines.api.errors import ProblemError
from engines.formulas.graph import CONDITIONS, Node, const, make

LONGEST = 20_000
"""Characters of a formula; published fits have some hundred."""
DEEPEST = 1_000
"""Brackets, calls, signs and choices that are open at one place."""
MOST_NODES = 10_000
"""Numbers, names and operations."""


@dataclass(frozen=True)
class Function:
    """Takes ``least`` values or, if ``more``, as many or more; ``build`` makes their node, or raises ValueError with
    what is wrong of them. ``chooses``: the first is a condition."""

    least: int
    build: Callable[..., Node]
    more: bool = False
    chooses: bool = False


def _operation(op: str) -> Function:
    return Function(1, lambda value: make(op, value))


def _folded(op: str) -> Function:
    """An operation of two values, taken from the left for more."""

    def build(first: Node, *rest: Node) -> Node:
        for other in rest:
            first = make(op, first, other)
        return first

    return Function(2, build, more=True)


FUNCTIONS: Mapping[str, Function] = {
    **{name: _operation(name) for name in ("exp", "tanh", "cosh", "sinh", "sqrt", "log", "log10", "sin", "cos", "tan")},
    **{name: _operation("atan") for name in ("atan", "arctan")},
    "abs": _operation("abs"),
    "min": _folded("min"),
    "max": _folded("max"),
    "where": Function(3, lambda condition, yes, no: make("select", condition, yes, no), chooses=True),
}


@dataclass(frozen=True)
class Language:
    """``names``: what each name stands for. ``conditions``: whether there are comparisons and choices. ``shorter``:
    what to do about a formula that is too long. ``listed``: the names that a sentence lists, where that is not all."""

    names: Mapping[str, Node]
    functions: Mapping[str, Function] = field(default_factory=lambda: FUNCTIONS)
    conditions: bool = True
    shorter: str = "give a part of it a name of its own"
    listed: tuple[str, ...] = ()


class FormulaError(ProblemError):
    """A formula that is not understood; ``at`` is the character (from 0) where reading stopped, ``unknown`` the name
    there that nothing is known by, if that is why."""

    def __init__(self, message: str, at: int, place: tuple[str | int, ...] = (), unknown: str = "") -> None:
        super().__init__(message, place)
        self.at, self.unknown = at, unknown


def parse(text: str, known: Language, where: str = "The formula") -> Node:
    """The graph of ``text``, a number. Raises FormulaError: a sentence that begins with ``where`` and says what to
    change."""
    return number(parse_either(text, known, where))


def parse_either(text: str, known: Language, where: str = "The formula") -> Node:
    """As :func:`parse`; what is true or false stays a condition, so that a name may stand for it."""
    return _Reader(text, known, where).formula()


def statements(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(its first line, from 0, and its text) of each statement: a line, and those after it while a bracket is open."""
    first, text, depth = 0, "", 0
    for place, line in enumerate(lines):
        code = line.split("#")[0]
        if not text and not code.strip():
            continue
        first, text = (first, f"{text}\n{line}") if text else (place, line)
        depth += code.count("(") - code.count(")")
        if depth <= 0:
            yield first, text
            text, depth = "", 0
    if text:
        yield first, text


def number(value: Node) -> Node:
    """What is true counts 1, what is not 0."""
    return make("select", value, const(1.0), const(0.0)) if value.op in CONDITIONS else value


_TOKEN = re.compile(
    r"(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.]*)"
    r"|(?P<comment>#[^\n]*)"
    r"|(?P<sign>\*\*|//|<=|>=|==|!=|<<|>>|&&|\|\||.)",
    re.DOTALL,
)
_COMPARED: Mapping[str, Callable[[Node, Node], Node]] = {
    "<": lambda a, b: make("lt", a, b),
    "<=": lambda a, b: make("le", a, b),
    ">": lambda a, b: make("lt", b, a),
    ">=": lambda a, b: make("le", b, a),
    "==": lambda a, b: make("eq", a, b),
    "!=": lambda a, b: make("not", make("eq", a, b)),
}
_BINDING = {
    "or": 1, "and": 2, "not": 3, **dict.fromkeys(_COMPARED, 4), "+": 5, "-": 5, "*": 6, "/": 6,
    "unary -": 7, "unary +": 7, "**": 8,
}  # fmt: skip
"""How tightly operators hold; brackets, calls and choices, which end otherwise, hold 0."""
_NODES = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow", "or": "or", "and": "and"}
WORDS = ("if", "else", "and", "or", "not")
_INSTEAD = {
    "^": "write powers as '**'",
    "−": "write minus as '-'",
    "–": "write minus as '-'",
    "×": "write products as '*'",
    "·": "write products as '*'",
    "=": "write equality as '=='",
    "&&": "write 'and'",
    "||": "write 'or'",
}


@dataclass
class _Open:
    """An operator, bracket, call or choice whose end has not come. ``below``: values that were there before it;
    ``before``: what the comparisons before this one say."""

    what: str
    at: int
    below: int
    function: Function | None = None
    before: Node | None = None


class _Reader:
    """Two stacks: values, and what is open between them."""

    def __init__(self, text: str, known: Language, where: str) -> None:
        self._text, self._known, self._where = text, known, where
        self._values: list[Node] = []
        self._open: list[_Open] = []
        self._at = self._made = self._deep = 0
        self._called = False
        self._last = ""
        """The token before this one."""

    def formula(self) -> Node:
        if len(self._text) > LONGEST:
            raise self._refused(f"is a formula of {len(self._text):,} characters: {self._known.shorter}")
        wanted = True
        for match in _TOKEN.finditer(self._text):
            token, self._at = match[0], match.start()
            if token.isspace() or match["comment"]:
                continue
            wanted = self._value(match, token) if wanted else self._after_value(token)
            self._last = token
        self._at = len(self._text)
        if not self._last:
            raise self._refused("is no formula that can be read: it is empty")
        if wanted:
            raise self._unreadable(f"a value is missing after '{self._last}'")
        self._close(0)
        if self._open:
            self._at = self._open[-1].at
            missing = "an 'else'" if self._open[-1].what == "if" else "its closing ')'"
            raise self._unreadable(f"'{self._open[-1].what}' lacks {missing}")
        return self._values.pop()

    # --- where a value may begin, and after one ---------------------------------------------------------------------

    def _value(self, match: re.Match[str], token: str) -> bool:
        """Whether a value is still wanted after ``token``."""
        if match["number"]:
            follows = self._text[match.end() : match.end() + 1]
            if follows.isalpha() or follows == "_":
                raise self._unreadable(f"'{_short(token)}{follows}' is no number, and products are written with '*'")
            self._put(const(self._float(token)))
            return False
        if token in ("-", "+", "not"):
            self._allow(token)
            self._push("not" if token == "not" else f"unary {token}")
            return True
        if token == "(":
            if not self._called:
                self._push("(")
            self._called = False
            return True
        if match["name"] and token not in WORDS:
            return self._name(token, self._text[match.end() :].lstrip()[:1] == "(")
        if token == ")" and self._last == "(" and self._open[-1].function and not self._open[-1].function.least:
            self._end_bracket()
            return False
        if token in (",", ")", *_BINDING, *WORDS):
            if token in WORDS:
                self._allow(token)
            raise self._unreadable(f"a value is missing before '{token}'")
        raise self._strange(token)

    def _name(self, name: str, called: bool) -> bool:
        if called:
            if name not in self._known.functions:
                known = ", ".join(self._known.functions)
                hint = _hint(name, self._known.functions)
                raise self._refused(f"calls the unknown function '{_short(name)}'{hint}; known are {known}")
            self._push(name, self._known.functions[name])
            self._called = True
            return True
        if name in self._known.names:
            self._put(self._known.names[name])
            return False
        if name in self._known.functions:
            raise self._refused(f"uses '{name}', which needs its arguments in brackets")
        if len(self._known.names) == 1:
            raise self._refused(f"uses '{_short(name)}', but the only variable of a formula is {self._all_names}")
        hint = _hint(name, self._known.names)
        raise self._refused(f"uses '{_short(name)}', which is not known{hint}: there are {self._all_names}", name)

    def _after_value(self, token: str) -> bool:
        """As :meth:`_value`."""
        if token == ")":
            self._close(0)
            self._end_bracket()
            return False
        if token == ",":
            self._close(0)
            if not self._open or self._open[-1].function is None:
                raise self._unreadable("',' stands between the arguments of no function")
            return True
        if token in _COMPARED or token in ("if", "else", "and", "or"):
            self._allow(token)
        if token in ("if", "else"):
            self._choice(token)
            return True
        if token not in _BINDING or token == "not":
            if token in _INSTEAD or not (token[0].isalnum() or token[0] in "_.("):
                raise self._strange(token)
            raise self._unreadable(f"an operator is missing before '{_short(token)}'")
        # '**' groups from the right, all others from the left.
        self._close(_BINDING[token] + (token == "**"))
        self._push(token)
        return True

    def _choice(self, token: str) -> None:
        self._close(1)
        if token == "if":
            self._push("if")
            return
        while self._open and self._open[-1].what == "else":
            self._end()
        if not self._open or self._open[-1].what != "if":
            raise self._unreadable("'else' has no 'if' before it")
        self._open[-1].what = "else"

    # --- the stacks -------------------------------------------------------------------------------------------------

    def _push(self, what: str, function: Function | None = None) -> None:
        before = None
        if what in _COMPARED and self._open and self._open[-1].what in _COMPARED:
            # a < b < c: the first is worked out, and b is what the second begins with
            first = self._open.pop()
            right, left = self._values.pop(), self._values.pop()
            before = self._compared(first, left, right)
            self._values.append(number(right))
        self._open.append(_Open(what, self._at, len(self._values), function, before))
        if len(self._open) > DEEPEST:
            raise self._refused(f"is a formula nested too deeply: {self._known.shorter}")

    def _put(self, value: Node) -> None:
        self._made += 1
        if self._made > MOST_NODES:
            raise self._refused(
                f"is a formula of more than {MOST_NODES:,} numbers, names and operations: {self._known.shorter}"
            )
        self._values.append(value)

    def _close(self, least: int) -> None:
        """End what holds at least so tightly; 0: up to the next bracket."""
        while self._open:
            top = self._open[-1]
            tight = _BINDING.get(top.what, 0)
            if top.function is not None or top.what in ("(", "if") or (top.what == "else" and least > 0):
                return
            if least and (tight < least or (top.what in _COMPARED and least == _BINDING["<"])):
                return
            self._end()

    def _end(self) -> None:
        """The value of the operator on top."""
        top = self._open.pop()
        last = self._values.pop()
        if top.what == "unary -":
            self._put(make("neg", number(last)))
        elif top.what == "unary +":
            self._put(number(last))
        elif top.what == "not":
            self._put(make("not", self._truth(last)))
        elif top.what == "else":
            condition, yes = self._values.pop(), self._values.pop()
            self._put(make("select", self._truth(condition), number(yes), number(last)))
        elif top.what in _COMPARED:
            self._put(self._compared(top, self._values.pop(), last))
        else:
            kind = self._truth if top.what in ("and", "or") else number
            self._put(make(_NODES[top.what], kind(self._values.pop()), kind(last)))

    def _compared(self, top: _Open, left: Node, right: Node) -> Node:
        found = _COMPARED[top.what](number(left), number(right))
        return found if top.before is None else make("and", top.before, found)

    def _end_bracket(self) -> None:
        if not self._open or self._open[-1].what == "if":
            raise self._unreadable("')' closes nothing" if not self._open else "'if' lacks an 'else'")
        top = self._open.pop()
        if top.function is None:
            return
        arguments = self._values[top.below :]
        del self._values[top.below :]
        least, more = top.function.least, top.function.more
        if len(arguments) < least or (len(arguments) > least and not more):
            told = {0: "no argument", 1: "one argument", 2: "two arguments", 3: "three arguments"}.get(
                least, f"{least} arguments"
            )
            raise self._refused(f"calls {top.what} with other than {told}{' or more' if more else ''}")
        values = [number(each) for each in arguments]
        if top.function.chooses:
            values[0] = self._truth(arguments[0])
        try:
            self._put(top.function.build(*values))
        except ValueError as error:
            raise self._refused(str(error)) from None

    def _truth(self, value: Node) -> Node:
        if value.op in CONDITIONS:
            return value
        raise self._refused("has a condition that is neither true nor false: compare it with something")

    def _float(self, token: str) -> float:
        try:
            value = float(token)
        except ValueError:
            raise self._unreadable(f"'{_short(token)}' is no number") from None
        if not isfinite(value):
            raise self._refused(f"holds the number '{_short(token)}', which is too large")
        return value

    # --- what is wrong ----------------------------------------------------------------------------------------------

    @property
    def _character(self) -> int:
        """Where reading stopped, in its line and from 1."""
        return self._at - self._text.rfind("\n", 0, self._at)

    @property
    def _all_names(self) -> str:
        return ", ".join(self._known.listed or self._known.names)

    def _allow(self, token: str) -> None:
        if not self._known.conditions and token not in ("+", "-"):
            raise self._strange(token)

    def _strange(self, token: str) -> FormulaError:
        shown = token if token.isprintable() else ascii(token).strip("'")
        if token in _INSTEAD and (self._known.conditions or token not in ("=", "&&", "||")):
            return self._refused(f"uses '{shown}': {_INSTEAD[token]}")
        more = ", comparisons, choices" if self._known.conditions else ""
        return self._refused(
            f"holds '{shown}' at character {self._character}: "
            f"a formula has numbers, {self._all_names}, + - * / **{more} and functions only"
        )

    def _unreadable(self, reason: str) -> FormulaError:
        return self._refused(f"is no formula that can be read, at character {self._character}: {reason}")

    def _refused(self, reason: str, unknown: str = "") -> FormulaError:
        return FormulaError(f"{self._where} {reason}.", self._at, unknown=unknown)


def _hint(name: str, known: Collection[str]) -> str:
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name[:60].lower(), by_lower, 1)
    return f" (perhaps {by_lower[close[0]]})" if close else ""


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
