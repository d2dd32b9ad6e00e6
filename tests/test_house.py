"""The house itself: pinned versions, import rules, what an installed copy carries, and that nothing is a stub."""

from __future__ import annotations

import ast
import gc
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import locked
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
TOP = {
    ".ci", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md",
    "SECURITY.md", "assets", "docs", "engines", "examples", "packaging", "pyproject.toml", "requirements.lock",
    "sample_data", "tests", "ui", "workbench", "workbench.sh",
}  # fmt: skip
PACKAGES = ("workbench", "engines", "ui", "assets", "sample_data")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = [
    Requirement(line)
    for line in (
        *PROJECT["dependencies"],
        *(line for extra in PROJECT["optional-dependencies"].values() for line in extra),
    )
]
LOCK = [Requirement(f"{pin.name}=={pin.version}") for pin in locked.locked().values()]


@cache
def tracked_files() -> list[Path]:
    """Files under version control, relative to the root; an unpacked source archive has none to ask about."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [Path(name) for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


# ---- versions ----------------------------------------------------------------------------------------------------


def test_signals_leave_true_alone() -> None:
    """PySide6 6.12.0 drops a reference to True per signal under Python 3.11 and older, and aborts in the end."""
    from PySide6.QtCore import QObject, Signal

    class Source(QObject):
        toggled = Signal(bool)

    source = Source()
    received = 0

    def receive(value: bool) -> None:
        nonlocal received
        received += value

    source.toggled.connect(receive)
    gc.collect()
    before = sys.getrefcount(True)
    for _ in range(100_000):
        source.toggled.emit(True)
    after = sys.getrefcount(True)
    assert received == 100_000
    if sys.version_info >= (3, 12):
        assert after >= 2**31  # True is immortal there: the count wanders, and must only stay in the immortal range
    else:
        assert abs(after - before) < 100  # a reference a signal is 100,000; other threads and caches hold or drop a few


def test_lock_agrees_with_pyproject() -> None:
    pinned = {canonicalize_name(pin.name): pin for pin in LOCK}
    for requirement in DECLARED:
        pin = pinned.get(canonicalize_name(requirement.name))
        assert pin is not None, f"requirements.lock lacks {requirement.name}"
        version = str(pin.specifier).removeprefix("==")
        assert requirement.specifier.contains(version), f"requirements.lock has {pin}, pyproject.toml {requirement}"


def test_versions_tried_together_stay_together() -> None:
    window = PROJECT["optional-dependencies"]["window"]
    dependencies = {Requirement(line).name: str(Requirement(line).specifier) for line in window}
    assert dependencies["PySide6-Essentials"] == "==6.11.3"
    assert dependencies["vispy"] == "~=0.17.0"
    assert dependencies["pyqtgraph"] == "~=0.14.0"


def test_installed_packages_are_those_of_the_lock() -> None:
    differing = []
    for pin in LOCK:
        try:
            version = importlib.metadata.version(pin.name)
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that is not installed, or another system's package
        if pin.name not in ("setuptools", "pip") and not pin.specifier.contains(version, prereleases=True):
            differing.append(f"{pin.name} {version} (lock: {pin.specifier})")
    assert not differing, "run ./workbench.sh again: " + ", ".join(differing)


# ---- packages ------------------------------------------------------------------------------------------------


def test_no_package_is_empty() -> None:
    files = tracked_files()
    within = Counter(folder for path in files for folder in path.parents)
    for init in (path for path in files if path.name == "__init__.py" and path.parts[0] in PACKAGES):
        assert within[init.parent] > 1, f"{init.parent} is an empty package"


DOCSTRING = re.compile(r'''(?:\s*#.*\n)*\s*[rR]?("""|["'])(?!\1)\s*\w''')
"""At the beginning of a file; to parse them all would take a hundred times as long."""


def test_every_module_says_what_it_is_for() -> None:
    for path in tracked_files():
        if path.suffix == ".py":
            text = (ROOT / path).read_text(encoding="utf-8")
            assert DOCSTRING.match(text) or ast.get_docstring(ast.parse(text)), f"{path} has no docstring"


IMPORT = re.compile(r"^ *(?:from +([a-zA-Z_]\w*)[\w.]* +import|import +([\w., ]+))", re.MULTILINE)


def may_import(text: str) -> set[str]:
    """The libraries of all lines that look like imports, those in texts among them."""
    modules = (module for one, several in IMPORT.findall(text) for module in [one, *several.split(",")])
    return {module.split(".")[0].split()[0] for module in modules if module.strip()}


def imports(text: str) -> set[str]:
    """The libraries that are imported, wherever it stands."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_every_library_that_is_imported_is_declared() -> None:
    """What comes along with another package today may stay away tomorrow. (Sample data is made by hand, with gmsh.)"""
    distributions = importlib.metadata.packages_distributions()
    declared = {canonicalize_name(requirement.name) for requirement in DECLARED}
    known = {*sys.stdlib_module_names, *PACKAGES}
    if "cupy-cuda13x" in declared:
        known.add("cupy")  # has a distribution for each CUDA, none of which need be installed

    def undeclared_of(libraries: set[str]) -> set[str]:
        return {
            library
            for library in libraries - known
            if not declared & {canonicalize_name(name) for name in distributions.get(library, [library])}
        }

    undeclared = set()
    for path in tracked_files():
        if path.suffix == ".py" and path.parts[0] in PACKAGES and not path.is_relative_to("sample_data/make"):
            text = (ROOT / path).read_text(encoding="utf-8")
            if undeclared_of(may_import(text)):
                undeclared |= {f"{library} ({path})" for library in undeclared_of(imports(text))}
    assert not undeclared


def test_the_top_holds_what_was_agreed() -> None:
    """What a trial leaves there would be carried into the next commit without a word."""
    assert {path.parts[0] for path in tracked_files()} <= TOP


def test_no_file_is_large() -> None:
    large = [str(path) for path in tracked_files() if (ROOT / path).stat().st_size > 5_000_000]
    assert not large


def test_every_engine_loads_and_is_whole() -> None:
    from engines.api import Engine
    from engines.api.registry import engines

    entries = PROJECT["entry-points"]["workbench.engines"]
    assert set(entries) == set(engines()), "an engine's id is the name of its entry point"
    for engine in engines().values():
        assert isinstance(engine, Engine)
        assert engine.title
        assert engine.summary
        assert engine.time_unit
        engine.Parameters.model_json_schema()  # the form in the window is made from it
        for preset in engine.presets():
            assert preset.project.joinpath("project.json").is_file(), f"preset {preset.id} has no project"


def test_import_rules_hold() -> None:
    """The contracts of pyproject.toml, here too so that plain pytest finds a broken one."""
    linter = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert linter, "import-linter is not installed beside this Python"
    check = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("package", ["engines.api.registry", "workbench.run.runner"])
def test_physics_and_application_import_without_a_window(package: str) -> None:
    """Imports made inside functions and by name escape the linter; this is what a server without libGL sees."""
    program = f"import sys, {package}; print(*sorted({{'PySide6', 'pyqtgraph', 'vispy', 'cupy'}} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


# ---- the tests themselves ------------------------------------------------------------------------------------


LEAKS = {
    "thread 'forgotten'": "threading.Thread(target=time.sleep, args=(30,), name='forgotten', daemon=True).start()",
    "QThread 'forgotten'": "kept.append(QThread(objectName='forgotten')); kept[-1].start()",
    "QTimer (1000 ms)": "kept.append(QTimer()); kept[-1].start(1000)",
}


def test_a_test_that_leaves_something_running_fails(tmp_path: Path) -> None:
    given = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    hasty = given.replace("GRACE_SECONDS = 10.0\n", "GRACE_SECONDS = 2.0\n")
    assert hasty != given
    (tmp_path / "conftest.py").write_text(hasty, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    for plugin in ("quick.py", "hang.py", "order.py"):
        shutil.copy(ROOT / "tests" / plugin, tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text("[pytest]\nqt_api = pyside6\n")
    (tmp_path / "test_leak.py").write_text(
        "import threading, time\n"
        "from PySide6.QtCore import QThread, QTimer\n"
        "kept = []\n"
        "def test_tidy(qapp): threading.Thread(target=time.sleep, args=(0.1,)).start()\n"
        + "".join(f"def test_leak{number}(qapp): {leak}\n" for number, leak in enumerate(LEAKS.values()))
        + "def test_end(qapp):\n"
        "    for thing in kept: thing.quit() if isinstance(thing, QThread) else thing.stop()\n"
        "    for thing in kept: isinstance(thing, QThread) and thing.wait()\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=short", str(tmp_path)]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert "PASSED test_leak.py::test_tidy" in report
    for number, what in enumerate(LEAKS):
        assert f"ERROR test_leak.py::test_leak{number}" in report
        line = rf"{re.escape(what)} started at .*test_leak.py:{number + 5} in test_leak{number}\b"
        assert re.search(line, report), report
    assert "5 passed, 3 errors" in report
