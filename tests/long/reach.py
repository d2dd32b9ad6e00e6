"""Which tests reach which statements of the sources: noted by the statements themselves while each test runs once.

Before each statement of a function stands, in the copy of the process that looks and in whatever it starts, a call that
marks its number: what is not of ours runs as fast as ever. What was found is kept by file of tests, for as long as
neither that nor a source that it reaches nor what tests share has changed.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import marshal
import mmap
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

from tests.long.mutants import Mutant, exchange, is_compiled, mutants_of, names_set_by

PROBE = "__reached__"
COMPILED = re.compile(rb"jit|numba")
"""In files of engines whose functions may be compiled: there only those that may have defects have probes."""


class Statements:
    """All statements within functions of some files, numbered."""

    def __init__(self, root: Path, paths: Sequence[str]) -> None:
        self.root, self.paths = root, paths
        self._texts = {path: (root / path).read_bytes() for path in paths}
        self._numbers: dict[str, dict[int, int]] = {}
        """By file and line: of the innermost statement that the line belongs to."""
        self.spans: dict[str, tuple[int, int, str]] = {}
        """Of each file: the first number of its statements, how many there are, and a digest of its text."""
        count = 0
        for path, source in self._texts.items():
            numbers, first = self._numbers.setdefault(path, {}), count
            only = {each.line for each in mutants_of(path, source)} if _may_be_compiled(path, source) else None
            for each in _within_functions(ast.parse(source), only):
                numbers.update(dict.fromkeys(range(each.lineno, (each.end_lineno or each.lineno) + 1), count))
                count += 1
            for each in ast.walk(ast.parse(source)):
                if isinstance(each, ast.FunctionDef) and (first_of := numbers.get(each.body[0].lineno)) is not None:
                    for line in range(each.lineno, each.body[0].lineno):  # where defaults of arguments stand
                        numbers.setdefault(line, first_of)
            self.spans[path] = (first, count - first, hashlib.sha256(source).hexdigest())

    def of(self, mutant: Mutant) -> set[int]:
        """The statements that run what a defect changes: its own, and those that name a constant that it changes."""
        found = set(self._at(mutant.path, mutant.line))
        names = names_set_by(mutant, self._texts[mutant.path])
        if not names:
            return found
        module = re.compile(re.escape(".".join(Path(mutant.path).with_suffix("").parts)).encode() + rb"\b")
        word = re.compile(rb"\b(" + b"|".join(name.encode() for name in names) + rb")\b")
        for path, source in self._texts.items():
            if path == mutant.path or module.search(source):
                for line, text in enumerate(source.split(b"\n"), 1):
                    found |= self._at(path, line) if word.search(text) else set()
        return found

    def _at(self, path: str, line: int) -> set[int]:
        number = self._numbers[path].get(line)
        return set() if number is None else {number}

    @property
    def count(self) -> int:
        return sum(count for _, count, _ in self.spans.values())

    def put_probes(self, functions: dict[str, list[FunctionType]]) -> dict[Path, CodeType]:
        """Into what this process has loaded; the files with them, for others."""
        made = {}
        for path, source in self._texts.items():
            tree = ast.fix_missing_locations(_Probed(self._numbers[path]).visit(ast.parse(source)))
            made[self.root / path] = code = compile(tree, str(self.root / path), "exec")
            exchange(functions.get(path, ()), code)
        return made


BEGIN = f"""import builtins, marshal, mmap, os
from importlib.machinery import SourceFileLoader

here, plain = os.path.dirname(__file__), SourceFileLoader.get_code

def get_code(loader, name):
    file = os.path.join(here, loader.path.replace(os.sep, "|"))
    if not os.path.exists(file):
        return plain(loader, name)
    with open(file, "rb") as code:
        return marshal.load(code)

SourceFileLoader.get_code = get_code
if os.path.exists(os.path.join(here, "seen")):
    with open(os.path.join(here, "seen"), "r+b") as file:
        seen = mmap.mmap(file.fileno(), 0)
    builtins.{PROBE} = lambda number: seen.__setitem__(number, 1)
"""
"""What every Python process begins with that finds it as its ``sitecustomize``."""


def start_others_with(codes: Mapping[Path, CodeType], folder: Path) -> None:
    """Whatever Python process this one starts from now on imports these instead of the files, whichever environment it
    is given."""
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(BEGIN, "utf-8")
    for file, code in codes.items():
        (folder / str(file).replace(os.sep, "|")).write_bytes(marshal.dumps(code))
    begin: Any = subprocess.Popen.__init__

    def begin_so(process: Any, *given: Any, env: Mapping[str, str] | None = None, **options: Any) -> None:
        begin(process, *given, env=_finding(folder, os.environ if env is None else env), **options)

    subprocess.Popen.__init__ = begin_so  # type: ignore[method-assign]  # this process ends with its test
    os.environ.update(_finding(folder, os.environ))
    sys.path.append(str(folder))


def _finding(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    path = [each for each in environment.get("PYTHONPATH", "").split(os.pathsep) if each]
    return {**environment, "PYTHONPATH": os.pathsep.join(dict.fromkeys((str(folder), *path)))}


def _may_be_compiled(path: str, source: bytes) -> bool:
    return path.startswith("engines/") and COMPILED.search(source) is not None


def _within_functions(tree: ast.AST, lines: set[int] | None) -> Iterator[ast.stmt]:
    """Those that hold others before these; ``lines``: only within functions that have one of them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or is_compiled(node):
            continue
        if lines is None or lines.intersection(range(node.lineno, (node.end_lineno or node.lineno) + 1)):
            yield from (each for each in ast.walk(node) if isinstance(each, ast.stmt) and each is not node)


class _Probed(ast.NodeTransformer):
    def __init__(self, number: dict[int, int]) -> None:
        self._number, self._inside = number, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before, self._inside = self._inside, self._inside or not is_compiled(node)
        if self._inside:
            self.generic_visit(node)
        self._inside = before
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            below = getattr(node, name, None)
            if self._inside and isinstance(below, list):
                setattr(node, name, [part for each in below for part in self._noted(each)])
        return node

    def _noted(self, statement: ast.stmt) -> list[ast.stmt]:
        number = self._number.get(statement.lineno)
        if number is None or isinstance(statement, ast.Nonlocal | ast.Global):
            return [statement]
        call = ast.Expr(ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(number)], []))
        return [ast.copy_location(call, statement), statement]


def _bits(numbers: set[int]) -> int:
    digits = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        digits[number // 8] |= 1 << number % 8
    return int.from_bytes(digits, "little")


@dataclass
class Reached:
    """What tests that passed reach: the numbers of statements as bits of one integer, and their seconds."""

    bits: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def by(self, numbers: set[int]) -> list[str]:
        """The tests that reach one of the statements."""
        mask = _bits(numbers)
        return [name for name, bits in self.bits.items() if bits & mask]


class Noting:
    """A plugin of pytest that knows what a test has reached, and what the wider fixtures that it uses have: in this
    process, its copies, and others that begin with the folder."""

    def __init__(self, folder: Path, count: int) -> None:
        """``count`` of the statements."""
        self._wider: dict[Any, set[int]] = {}
        self._before: set[int] = set()
        (folder / "seen").write_bytes(bytes(count + 1))
        with (folder / "seen").open("r+b") as file:
            self._seen = seen = mmap.mmap(file.fileno(), 0)
        setattr(builtins, PROBE, lambda number: seen.__setitem__(number, 1))

    def _since(self) -> set[int]:
        """What was reached since this was asked the last time."""
        marks = np.frombuffer(self._seen, np.uint8)
        found = np.flatnonzero(marks)
        marks[found] = 0
        return set(found.tolist())

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        self._before |= self._since()
        try:
            return (yield)
        finally:
            own = self._since()
            self._wider.setdefault(fixturedef, set()).update(own)
            self._before |= own

    def of(self, item: Any) -> int:
        """Bits of what the test that has just run reached; the next one begins with nothing."""
        numbers, self._before = self._before | self._since(), set()
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            numbers = numbers.union(*(self._wider.get(each, ()) for each in definitions))
        return _bits(numbers)


class Kept:
    """What was found earlier, in a file: of tests whose own text, sources that they reach and shared helpers are the
    same. A source that has changed elsewhere may have moved the numbers of all statements that come after it."""

    def __init__(self, file: Path, statements: Statements) -> None:
        shared = sorted((statements.root / "tests").rglob("*.py"))
        shared = [each for each in shared if not each.name.startswith("test_") and each.parent.name != "long"]
        shared.append(Path(__file__))
        self._key = hashlib.sha256(" ".join(map(_digest, shared)).encode()).hexdigest()
        self._file, self._spans = file, {path: list(span) for path, span in statements.spans.items()}
        self._files: dict[str, dict[str, Any]] = {}
        if file.exists() and (known := json.loads(file.read_text("utf-8"))).get("shared") == self._key:
            moved = [(span, self._spans.get(path)) for path, span in known["spans"].items()]
            self._files = {tests: each for tests, each in known["files"].items() if _renumbered(each["bits"], moved)}

    def of(self, tests: Path, names: Sequence[str] = ()) -> Reached | None:
        """What tests of a file reach; None where it, or which of its tests are asked for, is not as it was."""
        known = self._files.get(str(tests))
        if known is None or known["text"] != _digest(tests, names):
            return None
        return Reached({name: int(bits, 16) for name, bits in known["bits"].items()}, known["seconds"])

    def add(self, tests: Path, reached: Reached, names: Sequence[str] = ()) -> None:
        bits = {name: f"{each:x}" for name, each in reached.bits.items()}
        self._files[str(tests)] = {"text": _digest(tests, names), "bits": bits, "seconds": reached.seconds}

    def write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        whole = self._file.with_suffix(f".{os.getpid()}")  # others may read it meanwhile
        whole.write_text(json.dumps({"shared": self._key, "spans": self._spans, "files": self._files}), "utf-8")
        whole.replace(self._file)


def _digest(tests: Path, names: Sequence[str] = ()) -> str:
    return hashlib.sha256(tests.read_bytes() + "\0".join(names).encode()).hexdigest()


def _renumbered(bits: dict[str, str], moved: list[tuple[list[Any], list[Any] | None]]) -> bool:
    """Give what tests of a file reach the statements' present numbers; False where a source that they reach is another
    now. ``moved``: each source's span as it was and as it is."""
    if all(was == now for was, now in moved):
        return True
    for name, text in bits.items():
        before, after = int(text, 16), 0
        for (first, count, digest), now in moved:
            if part := before >> first & (1 << count) - 1:
                if now is None or now[2] != digest:
                    return False
                after |= part << now[0]
        bits[name] = f"{after:x}"
    return True
