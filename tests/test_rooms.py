"""The rooms of the house: every engine has the same ones under the same names, so that a seventh cannot drift.

docs/architecture.md draws them.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engines.api.presets import presets_in
from engines.api.registry import engines

ROOT = Path(__file__).parents[1]
ENGINES = sorted(engines())
ROOMS = ("setup", "step", "watch", "lab")
"""Folders that every engine has, beside ``engine.py`` and its parameters (a folder, or a file while one will do)."""
MOST_FILES = 16
"""Modules and kernels in one folder, with its ``__init__``: what is found at a glance."""
MOST_ARGUMENTS = 12
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
        assert not re.search(r"backend\.id\b", text), f"{told(path)} asks for the device: use engines.backend.twins"
        assert not re.search(r"^(PRECISIONS|REAL)\b.*=", text, re.MULTILINE), f"{told(path)}: engines.backend.precision"
        assert not re.search(r"^class (Observer|Recorder|Instruments)\b", text, re.MULTILINE), (
            f"{told(path)}: a Watcher"
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
        assert len(tests) <= MOST_FILES + 4, f"{told(folder)} has {len(tests)} files"
