"""Small defects in Python sources: a comparison turned, a sign, a constant, a ``not`` left out, an answer that is lost.

Which places there are comes from the syntax tree; a defect replaces the text of one place and leaves all lines where
they are. It is put into what is loaded: the bodies of functions are exchanged, constants of modules set anew wherever
they were imported. Left out is what such an exchange does not reach (bodies of classes, defaults of arguments, compiled
kernels), what packages compute that are not there; what no test but an eye can judge: texts, parts of colours, lengths
of layouts and their cells, widths of pens, a pixel more of what is painted, a millisecond more of a wait; and what
changes nothing that is defined: guards against round-off, how long is measured, ``strict`` of a zip, which holds what
is so anyway, on which side of a limit a measured length or time falls that equals it, None for the False that nobody
tells from it (whose becoming True is tried), the default of a lambda's argument that is called ``_`` as nobody reads
it, that a colour is more than opaque, and that what is not stale is drawn once more.
"""

from __future__ import annotations

import ast
import gc
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
LOOKS = re.compile(
    r"set(Contents)?Margins|set\w*(Spacing|Padding)|add(Spacing|Stretch)|set\w*(Width|Height|Size)|resize|setStretch\w*|QSize\w*|QMargins|"
    r"QColor|mkPen|sizeHint|adjusted|setPixelSize|setColumnStretch|setInterval|setAlpha|pixmap"
)
"""Calls whose numbers are lengths on a screen."""
PAINTED = re.compile(r"Q(Rect|Point|Size)F?|draw\w+|fillRect|translate|singleShot")
"""Calls to whose whole numbers one more is not seen: pixels of what is painted, milliseconds."""
PENS = ("QPen", "line_pen")
"""Calls whose numbers behind the colour are widths of lines, as those of ``mkPen``."""
FEW = 3
"""A larger whole number that is added to something in the window, or taken from it, is one of pixels."""
MANY = 100
"""Such a whole number, of points or samples, becomes twice as large: one more of them is met by nobody."""
LENGTHS = re.compile(r"WIDTH|HEIGHT|MARGIN|GAP|SIZE|PIXELS|SPACING|MILLISECONDS|_MS$")
"""Constants of the window that are lengths on a screen, or waits."""
DENSITY = ("ratio", "scale")
"""Pixels of the device in one of the window: a whole number times one of them is a length on a screen."""
OPAQUE = ("alpha", "opacity")
"""Of 255, as parts of colours are."""
MEASURED = re.compile(r"norm|hypot|dist|perf_counter|monotonic|process_time|time|horizontalAdvance")
"""Calls whose answers are lengths and times: that one equals a limit is met by nobody."""
DEPTHS = ("depth", "depths", "deep")
"""How far points are before the eye, as cameras tell it."""
ROUND_OFF = 1e-6
"""Numbers up to this stand beside others to guard against round-off, and may as well be twice as large."""
ACCOUNTS = re.compile(r"traffic|(?<!read_)bytes|memory|estimate|working_set|ceiling|core_seconds|bandwidth|\bneed\b")
"""Functions of the engines that count bytes, operations and what fits."""
DEFINED = (ast.FunctionDef, ast.ClassDef)
ACCOUNT_FILES = ("traffic.py", "memory.py")
MEASURING = re.compile(r"(SECONDS|ROUNDS|LAUNCHES|MESSAGES)$")
TIMED = re.compile(r"/ceilings/|^workbench/bench/|^workbench/ranks/scaling")
"""Constants, and where they say how long is measured: twice as long finds the same."""
KERNELS = re.compile(r"kernels|cuda|reference|vector_math|/warm\.py")
"""Files that a machine without a GPU does not run, that are compiled, or whose answers are thrown away (they warm)."""
STALE = re.compile(r"_?stale\w*")
"""What is drawn anew where these are true, and looks the same where it need not have been."""
PACKAGES = ("workbench", "ui", "accounting")


@dataclass(frozen=True)
class Mutant:
    """The text of a place, from byte ``begin`` to ``end`` of the file, becomes ``text``."""

    path: str
    line: int
    last_line: int
    begin: int
    end: int
    kind: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}:{self.begin}:{self.kind}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.begin] + self.text.encode() + source[self.end :]

    def edit(self, source: bytes) -> str:
        """What stands there and what takes its place."""
        was, now = (" ".join(text.split()) for text in (source[self.begin : self.end].decode(), self.text))
        return f"{was} -> {now}"

    def told(self, source: bytes) -> str:
        """For a report."""
        return f"{self.name}: {self.edit(source)}"


def package_of(path: str) -> str:
    """The package that a file counts for: ``accounting`` stands for what engines count."""
    first = path.split("/")[0]
    return "accounting" if first == "engines" else first


def sources(root: Path) -> list[str]:
    """Files that may have defects, relative to the root."""
    files = [path for name in ("workbench", "ui", "engines") for path in sorted((root / name).rglob("*.py"))]
    names = (path.relative_to(root).as_posix() for path in files)
    return [name for name in names if "/lab/" not in name and "/verification/" not in name and not KERNELS.search(name)]


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Every defect of a file, in the order of its text."""
    tree = ast.parse(source)
    tree.body = [each for each in tree.body if not _is_length(path, each) and not _is_of_a_peer(path, each)]
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    everywhere = package_of(path) != "accounting" or path.endswith(ACCOUNT_FILES) or "/ceilings/" in path
    unseen = list(_unseen(tree)) if package_of(path) == "ui" else []
    found = []
    for node, kind, after in _edits(tree, everywhere):
        if node in unseen:
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        begin, end = starts[first - 1] + node.col_offset, starts[last - 1] + (node.end_col_offset or 0)
        lost = source[begin:end].count(b"\n") * "\n"
        after = f"{after[:-1]}{lost})" if after.startswith("(") else f"{after}{lost}"
        found.append(Mutant(path, first, last, begin, end, kind, after))
    return sorted(found, key=lambda each: (each.begin, each.kind))


def _edits(node: ast.AST, inside: bool) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """(place, kind, text) below a node; ``inside``: what is mutated stands here."""
    below: list[ast.AST]
    if isinstance(node, ast.Module):
        below = [each for each in node.body if isinstance(each, (*DEFINED, ast.Assign, ast.AnnAssign))]
    elif isinstance(node, ast.ClassDef):
        below = [each for each in node.body if isinstance(each, DEFINED)]
    elif isinstance(node, ast.FunctionDef):
        inside = inside or bool(ACCOUNTS.search(node.name))
        below = [] if is_compiled(node) else list(node.body)
    elif isinstance(node, ast.AnnAssign):
        below = [node.value] if node.value else []
    elif isinstance(node, ast.arguments):  # of a lambda
        named = zip(node.args[::-1], node.defaults[::-1], strict=False)
        below = [default for name, default in named if not name.arg.startswith("_")]
    elif _is_left_out(node):
        return
    else:
        below = list(ast.iter_child_nodes(node))
    if inside and isinstance(node, ast.expr | ast.stmt):
        yield from ((node, kind, text) for kind, text in _replaced(node))
    for each in below:
        yield from _edits(each, inside)


def is_compiled(function: ast.FunctionDef) -> bool:
    return any("jit" in ast.unparse(each) for each in function.decorator_list)


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case ast.If(test=test):
            return "TYPE_CHECKING" in ast.unparse(test)
        case ast.Call():
            return bool(LOOKS.fullmatch(_called(node))) or _is_stretch(node)
        case ast.keyword(arg="strict" | "size" | "width", value=ast.Constant()):
            return True
        case ast.Tuple(elts=parts):
            return _is_colour([getattr(part, "value", None) for part in parts])
        case ast.Constant(value=float() as value):
            return 0 < value <= ROUND_OFF
        case _:
            return isinstance(node, ast.JoinedStr)  # whose parts have no places of their own


def _is_stretch(call: ast.Call) -> bool:
    """Whether a widget is added to a layout with how much of the room it takes."""
    added = _called(call) in ("addWidget", "addLayout") and not any(isinstance(each, ast.Call) for each in call.args)
    return added and len(call.args) == 2


def _is_colour(values: list[object]) -> bool:
    """Red, green and blue of 255, and perhaps how opaque; three small numbers are places or shapes."""
    numbers = [value for value in values if type(value) is int and 0 <= value <= 255]
    return len(values) == len(numbers) in (3, 4) and max(numbers) > 16


def _is_length(path: str, statement: ast.stmt) -> bool:
    """Whether a statement of a module names a length on a screen, or how long is measured."""
    names = [each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and _is_set(each)]
    if not isinstance(statement, ast.Assign):
        return False
    if package_of(path) == "ui":
        return any(map(LENGTHS.search, names))
    return bool(TIMED.search(path)) and all(map(MEASURING.search, names))


def _is_of_a_peer(path: str, statement: ast.stmt) -> bool:
    """Whether a statement carries out what another package has, which is not there."""
    if not path.startswith("workbench/bench/peers/cases/") or not isinstance(statement, DEFINED):
        return False
    return statement.name.lower() == "theirs"


def _unseen(tree: ast.AST) -> Iterator[ast.expr]:
    """Whole numbers that nobody sees a difference of."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=[_, *widths]) if _called(node) in PENS:
                yield from (each for width in widths for each in ast.walk(width) if isinstance(each, ast.Constant))
            case ast.Tuple(elts=[ast.Starred(), ast.Constant(value=255) as opaque]):
                yield opaque
            case ast.Call() if PAINTED.fullmatch(_called(node)):
                yield from (each for each in node.args if _whole(each) is not None)
            case ast.Call(args=[ast.Attribute(attr=name), *args]) if _called(node) == "partial" and PAINTED.fullmatch(
                name
            ):
                yield from (each for each in args if _whole(each) is not None)
            case ast.Call(args=[_, row, column, *spans]) if _called(node) in ("addWidget", "addLayout"):
                for place in (row, column, *spans):
                    yield from (each for each in ast.walk(place) if isinstance(each, ast.expr))
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
                yield from (each for each in (left, right) if (_whole(each) or 0) > FEW)
            case ast.BinOp(op=ast.Mult(), left=left, right=ast.Name(id=name)) if name in DENSITY:
                yield from (each for each in ast.walk(left) if isinstance(each, ast.expr) and _whole(each) is not None)
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Constant(value=False) as value):
                yield from [value] if STALE.fullmatch(name) else []
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in OPAQUE:
                yield from (each for each in ast.walk(value) if isinstance(each, ast.expr) and _whole(each) is not None)


def _whole(node: ast.expr) -> int | None:
    value = getattr(node, "value", None)
    return value if type(value) is int else None


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _replaced(node: ast.expr | ast.stmt) -> Iterator[tuple[str, str]]:
    """(kind, text) of what may stand in a node's place."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            for number, other in enumerate(COMPARED[type(operator)]):
                if number == 0 and len(COMPARED[type(operator)]) > 1 and (_is_measured(left) or _is_measured(right)):
                    continue
                yield f"compare{number}", f"({ast.unparse(ast.Compare(left, [other()], [right]))})"
        case ast.BinOp(right=ast.Constant(value=float() as value)) if 0 < value <= ROUND_OFF:
            pass
        case ast.BinOp(op=ast.Mult() | ast.Div(), right=by) | ast.AugAssign(op=ast.Mult() | ast.Div(), value=by) if (
            _is_one(by)
        ):
            pass  # what is multiplied by it or by -1 is what is divided by it
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in COUNTED and not _is_text(left, right):
            yield "arithmetic", f"({ast.unparse(ast.BinOp(left, COUNTED[type(operator)](), right))})"
        case ast.AugAssign(target=target, op=operator, value=value) if type(operator) in COUNTED:
            yield "arithmetic", ast.unparse(ast.AugAssign(target, COUNTED[type(operator)](), value))
        case ast.BoolOp(op=operator, values=values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "and or", f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", f"(bool({ast.unparse(operand)}))"
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "sign", f"({ast.unparse(operand)})"
        case ast.IfExp(test=test, body=body, orelse=other) if not isinstance(test, ast.Compare | ast.BoolOp):
            yield "condition", f"({ast.unparse(ast.IfExp(ast.UnaryOp(ast.Not(), test), body, other))})"
        case ast.Return(value=value) if value is not None and not _is_nothing(value):
            yield "lost", "return None"
        case ast.Constant(value=bool() as value):
            yield "constant", str(not value)
        case ast.Constant(value=int() as value):
            yield "constant", str(value + 1 if value < MANY else 2 * value)
        case ast.Constant(value=float() as value):
            yield "constant", repr(2 * value if value else 1.0)
        case _:
            pass


def _is_one(node: ast.expr) -> bool:
    """Whether this is 1 or -1."""
    number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(number, ast.Constant) and type(number.value) in (int, float) and number.value == 1


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def _is_measured(node: ast.expr) -> bool:
    """Whether a real number is compared that nothing equals but by chance: a measured one, a share, no sum of 64ths."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and MEASURED.fullmatch(_called(each)):
            return True
        if isinstance(each, ast.Name) and (each.id.endswith(("SHARE", "SECONDS")) or each.id in DEPTHS):
            return True
        value = getattr(each, "value", None)
        if isinstance(value, float) and 64 * value % 1:
            return True
    return False


def _is_text(*nodes: ast.expr) -> bool:
    return any(isinstance(each, ast.JoinedStr) or isinstance(getattr(each, "value", None), str) for each in nodes)


def loaded(root: Path) -> dict[str, list[FunctionType]]:
    """The functions that this process has, by the file of the root that they stand in."""
    gc.unfreeze()
    found: dict[str, list[FunctionType]] = {}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(f"{root}{os.sep}"):
            found.setdefault(each.__code__.co_filename.removeprefix(f"{root}{os.sep}"), []).append(each)
    gc.freeze()
    return found


def exchange(functions: Iterable[FunctionType], text: CodeType) -> int:
    """Give functions the bodies that they have in another text of their file; how many have another now."""
    bodies, changed = _functions(text), 0
    for each in functions:
        code = bodies.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
        if code is not None and not code.co_freevars:  # what it was closed over, or its ``super()``, may be lost
            code = code.replace(co_freevars=each.__code__.co_freevars)
        if code is not None and code != each.__code__ and code.co_freevars == each.__code__.co_freevars:
            each.__code__ = code
            changed += 1
    return changed


def damaged(mutant: Mutant, root: Path) -> CodeType:
    """The whole file with its defect."""
    file = root / mutant.path
    return compile(mutant.applied(file.read_bytes()), str(file), "exec")


def put(mutant: Mutant, root: Path, functions: dict[str, list[FunctionType]]) -> bool:
    """Put a defect into what this process has loaded, into the constants that a changed function has made, and into
    the defaults of arguments that name a changed constant; whether there was anything to change."""
    source = mutant.applied((root / mutant.path).read_bytes())
    changed = exchange(functions.get(mutant.path, ()), damaged(mutant, root)) > 0
    assigned = _assigned(mutant, root / mutant.path, source)
    if names := names_set_by(mutant, source):
        for path, of_file in functions.items():
            _set_defaults(of_file, (root / path).read_text("utf-8"), names)
    return assigned or changed


def names_set_by(mutant: Mutant, source: bytes) -> set[str]:
    """The module's names that have other values with a defect than without it."""
    named = (each for statement in _setting(mutant, ast.parse(source)) for each in ast.walk(statement))
    return {each.id for each in named if isinstance(each, ast.Name) and _is_set(each)}


def _setting(mutant: Mutant, tree: ast.Module) -> list[ast.stmt]:
    """The statements of a module that give its names other values: the defect's, and whatever names a constant that
    changes or calls a function that does or that names one."""
    holds = next((each for each in tree.body if each.lineno <= mutant.line <= (each.end_lineno or 0)), None)
    if holds is None or isinstance(holds, ast.ClassDef):
        return []
    found, names = [holds], {each.id for each in ast.walk(holds) if isinstance(each, ast.Name) and _is_set(each)}
    functions = set()
    if isinstance(holds, ast.FunctionDef):
        found, names, functions = [], set(), {holds.name}
    while True:
        before = len(found) + len(functions)
        for each in tree.body:
            if isinstance(each, ast.FunctionDef) and _uses(each, names, functions):
                functions.add(each.name)
            elif isinstance(each, ast.Assign | ast.AnnAssign) and each not in found and _uses(each, names, functions):
                found.append(each)
                names |= {inner.id for inner in ast.walk(each) if isinstance(inner, ast.Name) and _is_set(inner)}
        if len(found) + len(functions) == before:
            return [each for each in tree.body if each in found]


def _uses(node: ast.AST, names: set[str], functions: set[str]) -> bool:
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    if any(isinstance(each, ast.Name) and each.id in functions for each in called):
        return True
    return any(isinstance(each, ast.Name) and not _is_set(each) and each.id in names for each in ast.walk(node))


def _is_set(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _assigned(mutant: Mutant, file: Path, source: bytes) -> bool:
    """Set the names of a module anew, there and wherever they were imported from it."""
    module = next((each for each in sys.modules.values() if getattr(each, "__file__", None) == str(file)), None)
    statements = _setting(mutant, ast.parse(source))
    if module is None or not statements:
        return False
    before = {name: getattr(module, name) for name in names_set_by(mutant, source)}
    exec(compile(ast.Module(statements, []), str(file), "exec"), module.__dict__)  # noqa: S102  # our own text, but for a place
    for other in list(sys.modules.values()):
        for name, value in before.items():
            if vars(other).get(name) is value and value is not None:
                setattr(other, name, getattr(module, name))
    return bool(before)


def _set_defaults(functions: list[FunctionType], text: str, names: set[str]) -> None:
    """Of the functions of a file, those that are constants of these names: as they are now."""
    if not any(name in text for name in names):
        return
    nodes = {
        (node.name, min(each.lineno for each in (node, *node.decorator_list))): node.args
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }
    for function in functions:
        arguments = nodes.get((function.__name__, function.__code__.co_firstlineno))
        if arguments is None:
            continue

        def anew(node: ast.expr | None, value: object, known: dict[str, object] = function.__globals__) -> object:
            return known[node.id] if isinstance(node, ast.Name) and node.id in names & known.keys() else value

        function.__defaults__ = tuple(map(anew, arguments.defaults, function.__defaults__ or ()))
        for each, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if node is not None and function.__kwdefaults__:
                function.__kwdefaults__[each.arg] = anew(node, function.__kwdefaults__[each.arg])


def _functions(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """Every function below a code object, by its name and line."""
    found = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found.update(_functions(each))
            found[each.co_qualname, each.co_firstlineno] = each
    return found
