"""Small defects: where they are put, that what is loaded has them, and that a process that never ends is given up."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from tests.long.mutants import Mutant, mutants_of, put, sources

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
    ]
    assert kinds("engines/a.py") == [], "nothing there counts bytes"
    for each in mutants_of("workbench/a.py", SOURCE):
        assert each.applied(SOURCE).count(b"\n") == SOURCE.count(b"\n")
        compile(each.applied(SOURCE), "a.py", "exec")


def test_the_tree_has_defects_in_each_package():
    files = sources(Path(__file__).parents[2])
    assert {name.split("/")[0] for name in files} == {"workbench", "ui", "engines"}
    assert not [name for name in files if "kernels" in name or "/lab/" in name]


def alone(check: str, *arguments: str) -> None:
    """Carry out a function of this file in a process of its own: a copy of one that has run many tests is large, and
    threads that it had are gone."""
    program = f"import sys; from tests.long import test_mutants; test_mutants.{check}(*sys.argv[1:])"
    command, root = [sys.executable, "-c", program, *arguments], Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in (str(root), *sys.path) if each)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr


def test_a_defect_is_in_what_is_loaded_wherever_it_was_imported(tmp_path):
    alone("defects_in_copies", str(tmp_path))


def test_a_process_that_dies_or_never_ends_has_no_answer():
    alone("copies_that_die_or_never_end")


def defects_in_copies(folder: str) -> None:
    """In a module, and in another that has imported its constant."""
    from tests.long.mutations import in_a_copy

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
    other.LIMIT = module.LIMIT
    sys.modules["importer_of_mutants"] = other
    found = {(each.kind, each.line): each for each in mutants_of("workbench/a.py", SOURCE)}

    def wide_area_limit(mutant: Mutant) -> tuple[bool, bool | None, int, int]:
        done = put(mutant, root)
        return done, module.Box().wide, module.area(module.Box()), other.LIMIT

    def answer(kind: str, line: int) -> object:
        return in_a_copy(lambda: wide_area_limit(found[kind, line]), 20.0)

    assert (module.Box().wide, module.area(module.Box()), other.LIMIT) == (True, 28, 4)
    assert answer("compare1", 10) == (True, False, 28, 4)
    assert answer("lost", 10) == (True, None, 28, 4)
    assert answer("constant", 4) == (True, True, 28, 5)
    assert (module.Box().wide, other.LIMIT) == (True, 4), "of the copies nothing stays"


def copies_that_die_or_never_end() -> None:
    from tests.long.mutations import in_a_copy

    assert in_a_copy(lambda: 7, 20.0) == 7
    assert in_a_copy(lambda: sys.exit(3), 20.0) is None
    began = time.monotonic()
    assert in_a_copy(lambda: time.sleep(60), 0.2) is None
    assert time.monotonic() - began < 10.0


def test_what_is_through_is_known_when_the_time_ends_before_the_rest(tmp_path):
    from tests.long.mutations import Part, Session

    first, second = mutants_of("workbench/a.py", SOURCE)[:2]
    part = Part({"workbench/a.py": [first, second]}, 0.0, 1.0, tmp_path / "a.jsonl")
    assert part.told() == []
    Session(part.mutants, part.until, part.seconds, part.journal)._tell(second, "killed", ["a", "b"])
    assert part.told() == [(second, "killed", 2)]
