"""Small defects: where they are put, that what is loaded has them, and when one counts as caught."""

from __future__ import annotations

import builtins
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest

from tests.long.many import in_turn, spread
from tests.long.mutants import Mutant, damaged, exchange, loaded, mutants_of, put, sources
from tests.long.reach import PROBE, Kept, Noting, Reached, Statements, start_others_with
from tests.long.trying import ROOT, Likeness, nearness, spent, spoken_of, words_in
from tests.long.typed import told_by_types

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
SOURCE = b'''"""A module of 3 lines."""
from functools import cache

LIMIT = 4
class Box:
    side: int = 7

    @property
    def wide(self) -> bool:
        return (self.side
                > LIMIT and not self.side == 5)

@cache
def area(box, by=2):
    text = f"{by + 1}\xc3\xa4"
    return box.side * (by + len(text))

WHOLE = area(Box())
def twice():
    return LIMIT + LIMIT
MOST = twice()
def limited(most=LIMIT, *, least=LIMIT):
    return most, least
'''


def kinds(path: str = "workbench/a.py") -> list[tuple[str, int, str]]:
    return [(each.kind, each.line, each.text) for each in mutants_of(path, SOURCE)]


def test_every_place_of_a_module_is_found_but_for_defaults_annotations_and_texts():
    assert kinds() == [
        ("constant", 4, "5"),
        ("lost", 10, "return None\n"),
        ("and or", 10, "(self.side > LIMIT or not self.side == 5\n)"),
        ("compare0", 10, "(self.side >= LIMIT\n)"),
        ("compare1", 10, "(self.side <= LIMIT\n)"),
        ("not", 11, "(bool(self.side == 5))"),
        ("compare0", 11, "(self.side != 5)"),
        ("constant", 11, "6"),
        ("lost", 16, "return None"),
        ("arithmetic", 16, "(box.side / (by + len(text)))"),
        ("arithmetic", 16, "(by - len(text))"),
        ("lost", 20, "return None"),
        ("arithmetic", 20, "(LIMIT - LIMIT)"),
        ("lost", 23, "return None"),
    ]
    assert kinds("engines/a.py") == [], "nothing there counts bytes"
    for each in mutants_of("workbench/a.py", SOURCE):
        assert each.applied(SOURCE).count(b"\n") == SOURCE.count(b"\n")
        compile(each.applied(SOURCE), "a.py", "exec")


def test_what_is_seen_by_an_eye_alone_and_what_guards_against_round_off_is_left_out():
    source = b"""
ROW_HEIGHT, COUNT = 22, 3
INK, SHAPE, FAR = (24, 27, 33, 200), (2, 3, 4), (1, 20)
def share(part, whole):
    rows.addWidget(part, 7)
    painter.drawRect(QRectF(2, part.width() - 8, 2 * part.height(), 0.5), part.width() - 2)
    return [a / max(b - 1e-9, 1e-9) + 1e-3 for a, b in zip(part, whole, strict=True)]
"""
    shared = ["2 -> 3", "3 -> 4", "4 -> 5", "1 -> 2", "20 -> 21", "2 -> 3", "0.5 -> 1.0", "2 -> 3", "1e-3 -> 0.002"]
    for path, others in (("ui/a.py", []), ("workbench/a.py", ["22 -> 23", "3 -> 4", "2 -> 3", "8 -> 9"])):
        edits = [each.edit(source) for each in mutants_of(path, source) if each.kind == "constant"]
        assert sorted(edits) == sorted([*others, *shared])
    measured = b"SECONDS, ROUNDS = 0.5, 2\nBATCH, MOST_SECONDS = 10, 0.1"
    for path, count in (("workbench/bench/a.py", 2), ("engines/backend/ceilings/a.py", 2), ("workbench/run/a.py", 4)):
        assert len(mutants_of(path, measured)) == count, "twice as long finds the same"
    peer = b"class Theirs:\n    def run(self):\n        return 1\ndef ours():\n    return 2"
    assert {each.line for each in mutants_of("workbench/bench/peers/cases/a.py", peer)} == {5}
    arithmetic = [each for each in mutants_of("ui/a.py", source) if each.kind == "arithmetic"]
    assert [each.line for each in arithmetic] == [6, 6, 6, 7, 7], "whichever way a length is made, it is a place"


def test_what_is_met_by_nobody_is_left_out():
    """Neither the side of a limit that a measured number falls on that equals it, nor None for False."""
    source = b"""
def share(a, b, ratio):
    alpha = 90 if a else 255
    line_pen((*a, 255), 3.0 if b else 1)
    a._stale, b.stale_values, a.shown = False, True, False
    a._stale_values = False
    rows.addWidget(draw(5), a + 6, 1, 6, 6).clicked.connect(lambda _=True, b=True: draw(99 if b else 100))
    if (math.hypot(a, b) < 3 or font.horizontalAdvance(a) < b or a > 0.3 or clock.monotonic() >= b
            or a < 2 or b <= 0.5 or depth[0] > 0):
        return False
    return draw(7 * ratio, 7 * a)
"""
    found = mutants_of("ui/a.py", source)
    told = [each.edit(source) for each in found]
    assert [each.edit(source) for each in found if each.kind.startswith("compare")] == [
        "math.hypot(a, b) < 3 -> (math.hypot(a, b) >= 3)",
        "font.horizontalAdvance(a) < b -> (font.horizontalAdvance(a) >= b)",
        "a > 0.3 -> (a <= 0.3)",
        "clock.monotonic() >= b -> (clock.monotonic() < b)",
        "a < 2 -> (a <= 2)",
        "a < 2 -> (a >= 2)",
        "b <= 0.5 -> (b < 0.5)",
        "b <= 0.5 -> (b > 0.5)",
        "depth[0] > 0 -> (depth[0] <= 0)",
    ]
    told = [each for each in told if each != "0 -> 1"]
    numbers = [each for each in told if re.fullmatch(r"\d+ -> \d+", each)]
    assert numbers == ["5 -> 6", "99 -> 100", "100 -> 200", "3 -> 4", "2 -> 3", "7 -> 8"], "of many twice as many"
    assert [each for each in told if each.startswith(("False", "return False"))] == ["False -> True"] * 3
    assert told.count("True -> False") == 2


def test_a_pixel_more_is_not_seen_either_where_it_is_painted_later():
    source = b"marks = {1: partial(painter.drawEllipse, 4, 9), 2: partial(share, 17)}\npainter.fillRect(4, 9)"
    seen = {each.edit(source) for each in mutants_of("ui/a.py", source)}
    assert seen == {"1 -> 2", "2 -> 3", "17 -> 18"}
    assert {"4 -> 5", "9 -> 10"} < {each.edit(source) for each in mutants_of("workbench/a.py", source)}


def test_what_is_multiplied_by_one_is_what_is_divided_by_it():
    source = b"def f(a, b):\n    a *= -1\n    b /= 1.0\n    a *= 2\n    return a * -1.0 + b / 3"
    found = [each.edit(source) for each in mutants_of("ui/a.py", source) if each.kind == "arithmetic"]
    assert found == ["a *= 2 -> a /= 2", "a * -1.0 + b / 3 -> (a * -1.0 - b / 3)", "b / 3 -> (b * 3)"]


def test_the_tree_has_defects_in_each_package():
    files = sources(ROOT)
    assert {name.split("/")[0] for name in files} == {"workbench", "ui", "engines"}
    assert not [name for name in files if "kernels" in name or "/lab/" in name]


def alone(check: str, *arguments: str) -> None:
    """Carry out a function of this file in a process of its own: a copy of one that has run many tests is large, and
    threads that it had are gone."""
    program = f"import sys; from tests.long import test_mutants; test_mutants.{check}(*sys.argv[1:])"
    command, root = [sys.executable, "-c", program, *arguments], ROOT
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in (str(root), *sys.path) if each)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr


def test_a_defect_is_in_what_is_loaded_wherever_it_was_imported_and_in_what_is_started(tmp_path):
    alone("defects_in_copies", str(tmp_path))


def defects_in_copies(folder: str) -> None:
    """In a module, in constants that its functions have made, in another that has imported them, and in a process that
    a test starts with an environment of its own."""
    root = Path(folder)
    file = root / "workbench" / "a.py"
    file.parent.mkdir()
    file.write_bytes(SOURCE)
    spec = importlib.util.spec_from_file_location("of_mutants", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["of_mutants"] = module
    spec.loader.exec_module(module)
    other = ModuleType("importer_of_mutants")
    other.LIMIT, other.WHOLE = module.LIMIT, module.WHOLE
    sys.modules["importer_of_mutants"] = other
    found = {(each.kind, each.line): each for each in mutants_of("workbench/a.py", SOURCE)}
    functions = loaded(root)

    def seen(mutant: Mutant) -> tuple[object, ...]:
        done = put(mutant, root, functions)
        start_others_with({file: damaged(mutant, root)}, root / f"{mutant.line} {mutant.kind}")
        program = "import a; print(a.Box().wide, a.area(a.Box()), a.LIMIT, a.WHOLE, a.limited(), a.MOST, sep=', ')"
        told = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONPATH": str(file.parent)}, stdout=-1, text=True
        )
        here = (module.Box().wide, module.area(module.Box()), other.LIMIT, other.WHOLE, module.limited(), module.MOST)
        assert ", ".join(map(str, here)) == told.stdout.strip()
        return done, *here

    def answer(kind: str, line: int) -> object:
        told = dict(spread(seen, in_turn([found[kind, line]]), 1, time.monotonic() + 20, 20.0))
        return told[found[kind, line]]

    assert (module.Box().wide, module.area(module.Box()), other.LIMIT, other.WHOLE) == (True, 28, 4, 28)
    assert answer("compare1", 10) == (True, False, 28, 4, 28, (4, 4), 8)
    assert answer("lost", 10) == (True, None, 28, 4, 28, (4, 4), 8)
    assert answer("constant", 4) == (True, True, 28, 5, 28, (5, 5), 10)
    assert answer("lost", 16) == (True, True, None, 4, None, (4, 4), 8)
    assert (module.Box().wide, other.LIMIT) == (True, 4), "of the copies nothing stays"


def test_a_function_has_a_defect_that_loses_what_it_was_closed_over():
    whole = b"""class Base:
    def told(self):
        return 1
class Own(Base):
    def told(self):
        return super().told()
def adds(a, b):
    def added():
        return a + b
    return added
"""
    (own,) = (each for each in mutants_of("ui/a.py", whole) if each.line == 6)
    (lost,) = (each for each in mutants_of("ui/a.py", whole) if each.line == 9 and each.kind == "lost")
    names: dict[str, Any] = {}
    exec(compile(whole, "a.py", "exec"), names)  # noqa: S102  # our own text, right above
    added = names["adds"](2, 3)
    for mutant, function, before in ((own, names["Own"].told, 1), (lost, added, 5)):
        of_whom = () if function is added else (names["Own"](),)
        assert function(*of_whom) == before
        assert exchange([function], compile(mutant.applied(whole), "a.py", "exec")) == 1
        assert function(*of_whom) is None


def test_what_tests_reach_is_kept_until_a_source_that_they_reach_or_they_change(tmp_path):
    tests, source, other = tmp_path / "test_b.py", tmp_path / "b.py", tmp_path / "a.py"
    tests.write_text("")
    for file in (source, other):
        file.write_bytes(SOURCE)

    def statements() -> Statements:
        return Statements(tmp_path, ["a.py", "b.py"])

    def last() -> set[int]:
        return statements().of(mutants_of("b.py", SOURCE)[-1])

    def again() -> Reached | None:
        return Kept(tmp_path / "kept.json", statements()).of(tests)

    kept = Kept(tmp_path / "kept.json", statements())
    assert kept.of(tests) is None
    found = Reached({"test_b.py::b": 1 << min(last())}, {"test_b.py::b": 0.25})
    kept.add(tests, found)
    kept.write()
    assert again() == found
    assert again().by({0, *last()}) == ["test_b.py::b"]
    assert again().by({0, min(last()) - 1}) == []
    before = last()
    other.write_bytes(SOURCE + b"\ndef more():\n    return 1\n")
    assert last() != before, "all numbers after another source's have moved"
    assert again().by(last()) == ["test_b.py::b"]
    assert again().by(before) == []
    tests.write_text("import b")
    assert again() is None
    tests.write_text("")
    source.write_bytes(SOURCE + b"\n")
    assert again() is None


def test_a_constant_is_reached_where_it_is_a_default(tmp_path):
    (tmp_path / "a.py").write_bytes(SOURCE)
    statements = Statements(tmp_path, ["a.py"])
    constant, *_, of_limited = mutants_of("a.py", SOURCE)
    assert constant.kind == "constant"
    assert statements.of(of_limited) < statements.of(constant)


def test_what_engines_count_beside_compiled_functions_is_looked_at(tmp_path):
    """Such a file has no other statements: one of a function that is compiled elsewhere would not compile."""
    source = b"""
from numba import njit
def bytes_of(n):
    return 8 * n
def looped(n):
    return n + 1
@njit
def compiled_bytes(n):
    return 4 * n
"""
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines/a.py").write_bytes(source)
    statements = Statements(tmp_path, ["engines/a.py"])
    (counted,) = {each.line for each in mutants_of("engines/a.py", source)}
    assert counted == 4
    assert statements.spans["engines/a.py"][:2] == (0, 1)


def test_statements_tell_which_of_them_run():
    alone("statements_that_run")


def statements_that_run() -> None:
    """Of a file with every kind of statement that holds others; what a wider fixture has run counts for its tests."""
    source = b"""
LIMIT = 2
def one(a):
    match a:
        case 1 if (
            a < LIMIT
        ):
            return 1
        case _:
            pass
    try:
        for each in range(a):
            a += each
    finally:
        a = (a
             + 1)
    return (lambda b: b + LIMIT)(a)
"""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "ui").mkdir()
        (root / "ui/a.py").write_bytes(source)
        spec = importlib.util.spec_from_file_location("of_probes", root / "ui/a.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["of_probes"] = module
        spec.loader.exec_module(module)
        statements = Statements(root, ["ui/a.py"])
        start_others_with(statements.put_probes(loaded(root)), root / "path")
        noting = Noting(root / "path", statements.count)
        wide = Mock(scope="module")
        item = Mock(_fixtureinfo=Mock(name2fixturedefs={"wide": [wide]}))
        reached = Reached({})
        for name, given, answer in (("early", 1, 1), ("whole", 2, 6)):
            assert module.one(given) == answer
            reached.bits[name] = noting.of(item)
        started = [sys.executable, "-c", "import a; a.one(1)"]
        subprocess.run(started, env={"PYTHONPATH": str(root / "ui")}, check=True)
        assert noting.of(item) == reached.bits["early"]
        lines = {}
        for each in mutants_of("ui/a.py", source):
            lines[each.line] = sorted(reached.by(statements.of(each)))
        both, late = ["early", "whole"], ["whole"]
        assert lines == {2: both, 5: both, 6: both, 8: ["early"], 13: late, 15: late, 16: late, 17: late}
        fixture = noting.pytest_fixture_setup(wide)
        next(fixture)
        module.one(1)
        with pytest.raises(StopIteration):
            fixture.send(None)
        assert noting.of(item) == noting.of(item) == reached.bits["early"], "for all tests that use it"
        assert hasattr(builtins, PROBE)


@pytest.mark.parametrize(
    ("path", "rank"), [("tests/ui/scene/visuals/test_told_to_shaders.py", 1), ("tests/ui/test_app.py", 5)]
)
def test_a_file_of_tests_names_a_module_with_its_package_or_imports_it_from_there(path, rank):
    for module in ("grid", "lattice", "surface"):
        assert nearness(f"ui/scene/visuals/{module}.py")(ROOT / path) == rank


def test_a_test_is_like_what_it_shares_rare_words_with():
    likeness = Likeness({"a": "def test_the_gauge(): meter", "b": "def test_meter(): meter", "c": "meter openCircuit"})
    for text, order in (("meters of a Gauge", ["a"]), ("open_circuit", ["c"]), ("meter", [])):
        told = likeness.to(text)
        assert [name for name in sorted(told, key=told.__getitem__, reverse=True) if told[name] > 0] == order


def test_processes_that_a_test_starts_take_of_its_time():
    before = spent()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    assert spent() - before > 0.25  # the system counts in hundredths


def test_of_a_constant_what_uses_it_is_spoken_of():
    path = "ui/panels/view/grid.py"
    source = (ROOT / path).read_bytes()
    highest = next(each for each in mutants_of(path, source) if b"HIGHEST =" in source.splitlines()[each.line - 1])
    assert {"relief", "slider", "height"} <= words_in(spoken_of(highest))


def test_what_types_tell_of_is_found_in_a_file_after_the_other(tmp_path):
    """Two defects of one file are told apart, and what is wrong anyway is none."""
    pytest.importorskip("mypy")
    sources = {
        "a.py": b"def told(n: int) -> str:\n    return str(n)\ndef twice(n: int) -> int:\n    return n + n\n",
        "b.py": b"def wrong() -> int:\n    return ''\n",
    }
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nfiles = {', '.join(sources)}\n")
    for name, source in sources.items():
        (tmp_path / name).write_bytes(source)
    (tmp_path / "shadows").mkdir()
    mutants = [each for name, source in sources.items() for each in mutants_of(name, source)]
    assert [each.kind for each in mutants] == ["lost", "lost", "arithmetic", "lost"]
    found = told_by_types(mutants, tmp_path, tmp_path / "shadows")
    assert sorted((each.path, each.line, each.kind) for each in found) == [("a.py", 2, "lost"), ("a.py", 4, "lost")]


@pytest.mark.slow
def test_tests_fail_with_a_defect_and_pass_without_and_a_module_is_loaded_for_it(tmp_path):
    """The whole command, of one defect that its test catches."""
    path = "workbench/storage/zips.py"
    name = next(each.name for each in mutants_of(path, (ROOT / path).read_bytes()) if each.kind == "lost")
    out = tmp_path / "counts.json"
    command = [sys.executable, "-m", "tests.long", "mutations", "--only", name, "--seconds", "5", "-j", "1"]
    done = subprocess.run(
        [*command, "--out", str(out), "--folder", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=170
    )
    assert done.returncode == 0, done.stdout + done.stderr
    line = json.loads(out.with_suffix(".jsonl").read_text("utf-8"))
    assert (line["file"], line["what"]) == (path, "killed")
    assert line["by"].startswith("tests/workbench/")
    assert not list(tmp_path.glob("workbench-mutations-*"))
