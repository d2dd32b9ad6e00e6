"""The rooms of the house: every engine has the same ones under the same names, so that a seventh cannot drift.

No room of the rest is a heap either, each says what it is for, and no two of them import each other in a circle.
docs/architecture.md draws them.
"""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.api.presets import presets_in
from engines.api.registry import engines

ROOT = Path(__file__).parents[1]
ENGINES = sorted(engines())
ROOMS = ("setup", "step", "watch", "lab")
"""Folders that every engine has, beside ``engine.py`` and its parameters (a folder, or a file while one will do)."""
MOST_FILES = 15
"""Modules and kernels in one folder, with its ``__init__``: what is found at a glance."""
MOST_ARGUMENTS, MOST_LINES = 12, 80
"""Positional arguments and lines of a function: what a reader can hold, and what fits a screen."""
STRANGERS = {
    "choice.py": "setup", "making.py": "setup", "assembly.py": "setup", "scene.py": "setup",
    "launcher.py": "an abstract base named after what it advances, opened by backend.twins",
    "own.py": "reference.py", "measuring.py": "watch", "recorders.py": "watch", "instruments.py": "watch",
}  # fmt: skip
"""Names that say nothing to a stranger, and what stands in their place."""


def sources(engine: str, *suffixes: str) -> list[Path]:
    found = [path for path in (ROOT / "engines" / engine).rglob("*") if path.suffix in (suffixes or (".py",))]
    assert found
    return found


def told(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_its_rooms(engine):
    place = ROOT / "engines" / engine
    missing = [room for room in ROOMS if not (place / room).is_dir()]
    assert not missing, f"engines/{engine} lacks {missing}"
    assert (place / "engine.py").is_file()
    assert (place / "README.md").is_file()
    assert (place / "parameters.py").is_file() or (place / "parameters").is_dir()
    loose = sorted(
        path.name for path in place.glob("*.py") if path.name not in ("__init__.py", "engine.py", "parameters.py")
    )
    assert not loose, f"engines/{engine} has modules that stand in no room: {loose}"
    assert (place / "presets").is_dir() or engine in {preset.engine for preset in presets_in(ROOT / "sample_data")}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_offers_has_its_room(engine):
    offered = engines()[engine]
    place = ROOT / "engines" / engine
    assert (place / "tools").is_dir() == bool(offered.tools())
    assert (place / "verification").is_dir() == bool(offered.verification())
    assert (place / "lab" / "studies.py").is_file() or not offered.studies()
    assert (place / "lab" / "tables.py").is_file() or not offered.tables()
    assert (place / "lab" / "benchmarks.py").is_file() or not offered.benchmarks()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_room_says_in_a_sentence_what_it_is_for(engine):
    for folder in {path.parent for path in sources(engine)}:
        init = folder / "__init__.py"
        assert init.is_file(), f"{told(folder)} has no __init__.py"
        sentence = (ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
        assert sentence.endswith("."), f"{told(init)} does not begin with a sentence"


@pytest.mark.parametrize("engine", ENGINES)
def test_one_name_for_each_role(engine):
    strange = {told(path): STRANGERS[path.name] for path in sources(engine) if path.name in STRANGERS}
    assert not strange
    for path in sources(engine):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^(PRECISIONS|REAL)\b.*=", text, re.MULTILINE), f"{told(path)}: engines.backend.precision"
        assert not re.search(r"^class (Observer|Recorder|Instruments)\b", text, re.MULTILINE), (
            f"{told(path)}: a Watcher"
        )


@pytest.mark.parametrize("place", [*ENGINES, "formulas", "geometry"])
def test_one_door_to_what_is_written_twice(place):
    for path in sources(place):
        assert not re.search(r"backend\.id\b", path.read_text(encoding="utf-8")), (
            f"{told(path)} asks for the device: use engines.backend.twins"
        )


@pytest.mark.parametrize("engine", ENGINES)
def test_no_room_is_a_heap(engine):
    for folder in {path.parent for path in sources(engine, ".py", ".cu", ".cuh")}:
        files = [path.name for path in folder.iterdir() if path.suffix in (".py", ".cu", ".cuh")]
        assert len(files) <= MOST_FILES, f"{told(folder)} has {len(files)} files"


@pytest.mark.parametrize("engine", ENGINES)
def test_tests_stand_where_the_sources_do(engine):
    place = ROOT / "tests" / "engines" / engine
    for folder in (
        path
        for path in place.rglob("*")
        if path.is_dir() and path.name not in ("__pycache__", "data") and any(path.glob("*.py"))
    ):
        mirrored = ROOT / "engines" / engine / folder.relative_to(place)
        assert mirrored.is_dir(), f"{told(folder)} tests no room of engines/{engine}"
        tests = list(folder.glob("test_*.py"))
        assert len(tests) <= MOST_FILES + 5, f"{told(folder)} has {len(tests)} files"


@pytest.mark.parametrize("engine", ENGINES)
def test_what_kernels_know_by_number_is_declared_once(engine):
    """In Python, for both twins: an enumeration in a CUDA source that Python does not write, a list of names defined as
    numbers, or a tuple of row numbers in a Numba kernel, would be a second declaration."""
    enums = re.compile(r"^\s*enum\b|(?:^#define [A-Z_]+ \d+\n){3}", re.MULTILINE)
    rows = re.compile(r"^[A-Z_]+(, [A-Z_]+)+ = (\d+(, \d+)+|range\(\d+\))$", re.MULTILINE)
    for path in sources(engine, ".cu", ".cuh", ".py"):
        text = path.read_text(encoding="utf-8")
        if path.suffix != ".py":
            written = re.match(r"// .*written (by|from .* by) `python -m", text)
            assert written or not enums.search(text), f"{told(path)} declares rows: let engines.backend.compile.headers"
        elif path.name.startswith("cpu") and "lab" not in path.parts:
            assert not rows.search(text), f"{told(path)} declares rows: take them from where its twin's header does"


@pytest.mark.parametrize("engine", [*ENGINES, "backend", "geometry"])
def test_every_parallel_kernel_says_what_it_computes(engine):
    """The equation, what arrays are, and of those that a step launches the bytes: a person reads the last two."""
    silent = [
        f"{told(path)}:{node.name}"
        for path in sources(engine)
        if "parallel=True" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and any("parallel=True" in ast.unparse(each) for each in node.decorator_list)
        and not ast.get_docstring(node)
    ]
    assert not silent


@pytest.mark.parametrize("engine", ENGINES)
def test_every_room_has_its_tests(engine):
    """Parameters and presets are declarations, which the tests of the engine and of its presets take up."""
    place = ROOT / "engines" / engine
    rooms = {path.relative_to(place).parts[0] for path in sources(engine, ".py", ".cu") if path.name != "__init__.py"}
    rooms -= {"engine.py", "parameters.py", "parameters", "presets"}
    empty = [room for room in ROOMS if room not in rooms]
    assert not empty, f"engines/{engine} has rooms that hold nothing: {empty}"
    tests = ROOT / "tests" / "engines" / engine
    without = sorted(room for room in rooms if not any((tests / room).rglob("test_*.py")))
    assert not without, f"tests/engines/{engine} has no tests of {without}"
    assert list(tests.glob("test_*engine*.py")), f"tests/engines/{engine} has no tests of the whole engine"


def test_no_module_has_a_folder_of_its_name_beside_it():
    """Python would import the folder and never the module."""
    modules = [path for place in ("engines", "tests", "ui", "workbench") for path in (ROOT / place).rglob("*.py")]
    assert len(modules) > 1000
    clashing = [told(path) for path in modules if any(path.with_suffix("").glob("*.py"))]
    assert not clashing, f"a folder of the same name stands beside {clashing}"


def test_no_engine_knows_another():
    """All stand side by side among the layers that import-linter holds; one that does not may import any."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (line,) = (layer for each in contracts for layer in each.get("layers", []) if "engines.stencil" in layer)
    listed = sorted(line.split(" | "))
    assert listed == [f"engines.{engine}" for engine in ENGINES], "name every engine among the layers in pyproject.toml"


def is_suspect(text: str) -> bool:
    """Whether a function of ``text`` may be large; parsing all files would take three times as long."""
    if re.search(rf"def \w+\((?:(?:(?!\)(?::| ->))[^,])*,){{{MOST_ARGUMENTS}}}", text):
        return True
    begun: list[tuple[int, int]] = []  # how far definitions are indented, and their lines
    for number, line in enumerate([*text.splitlines(), "def "]):
        code = line.lstrip()
        if code.startswith(("def ", "async def ", "class ", "@")):
            while begun and begun[-1][0] >= len(line) - len(code):
                if number - begun.pop()[1] > MOST_LINES:
                    return True
            begun.append((len(line) - len(code), number))
    return False


def large_functions(text: str) -> Iterator[str]:
    """Names of the functions in ``text`` that have too many lines, or too many positional arguments."""
    for node in ast.walk(ast.parse(text if is_suspect(text) else "")):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments, lines = node.args.posonlyargs + node.args.args, (node.end_lineno or 0) - node.lineno + 1
            if len(arguments) > MOST_ARGUMENTS or lines > MOST_LINES:
                yield node.name


def test_functions_fit_a_screen_and_a_reader():
    """Kernels, too: their arguments are structs with named fields."""
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{name}"
        for place in ("engines", "ui", "workbench")
        for path in (ROOT / place).rglob("*.py")
        for name in large_functions(path.read_text("utf-8"))
    ]
    assert not found, "divide these, or group their arguments"


@pytest.mark.parametrize(
    ("text", "large"),
    [
        ("def f(a, /, b, *, c): pass", False),
        ("async def f(" + ", ".join(f"a{i}" for i in range(12)) + ", *, more): pass", False),
        ("async def f(" + ", ".join(f"a{i}" for i in range(12)) + ", *, more): pass".replace("*, ", ""), True),
        ("class C:\n    def f(self):\n" + "        pass\n" * 79, False),
        ("class C:\n    def f(self):\n" + "        pass\n" * 80, True),
    ],
)
def test_large_functions_are_found(text, large):
    assert list(large_functions(text)) == ["f"] * large


# ---- the window, the application without one, and what the engines share ---------------------------------------------


SHARED = ("ui", "workbench", "engines/api", "engines/backend", "engines/geometry")


def rooms(place: str) -> list[Path]:
    """The folder ``place`` and those in it that hold modules."""
    return sorted({path.parent for path in (ROOT / place).rglob("*.py")})


@pytest.mark.parametrize("place", SHARED)
def test_no_shared_room_is_a_heap(place):
    for folder in rooms(place):
        files = [path.name for path in folder.iterdir() if path.suffix in (".py", ".cu", ".cuh")]
        assert len(files) <= MOST_FILES, f"{told(folder)} has {len(files)} files"


@pytest.mark.parametrize("place", SHARED)
def test_every_shared_room_says_in_a_sentence_what_it_is_for(place):
    for folder in rooms(place):
        init = folder / "__init__.py"
        assert init.is_file(), f"{told(folder)} has no __init__.py"
        sentence = (ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
        assert sentence.endswith("."), f"{told(init)} does not begin with a sentence"


def imported(node: ast.AST) -> Iterator[str]:
    """What is imported at run time, wherever it stands: modules, and names of modules that may be modules."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
            yield child.module
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from imported(child)


@pytest.mark.parametrize("place", ["ui", "workbench"])
def test_no_two_rooms_import_each_other_in_a_circle(place):
    """A room and one inside it may: they are one subject. In any other circle a module stands in a wrong place."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / place).rglob("*.py")}
    above: dict[Path, set[Path]] = {}
    for path in modules.values():
        others = {modules[name].parent for name in imported(ast.parse(path.read_text("utf-8"))) if name in modules}
        room = above.setdefault(path.parent, set())
        room |= {
            other for other in others if not other.is_relative_to(path.parent) and not path.parent.is_relative_to(other)
        }
    assert sum(map(len, above.values())) > 10
    try:
        graphlib.TopologicalSorter(above).prepare()
    except graphlib.CycleError as error:
        raise AssertionError("rooms import each other: " + " ← ".join(told(room) for room in error.args[1])) from None


def test_the_drawing_of_the_rooms_is_todays():
    drawn = subprocess.run([sys.executable, str(ROOT / "docs" / "make_architecture.py"), "--check"])
    assert drawn.returncode == 0, "run python docs/make_architecture.py"
