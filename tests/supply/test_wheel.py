"""Wheel and sdist: the same bytes from either, everything that is needed and nothing else, and they run elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import locked
import pytest

PACKAGES = ("workbench", "engines", "ui", "assets", "sample_data")
KINDS = {".cu", ".cuh", ".json", ".png", ".mmt", ".vtu", ".csv", ".svg", ".frag", ".vert", ".otf", ".txt", ".py"}
"""What a wheel must hold of, beside what the checkout shows."""

INSTALLED = """
import json, sys
from importlib.metadata import distribution
from importlib.resources import files
told = {"data": [str(files(name)) for name in ("sample_data", "assets")]}
found = [point.load() for point in distribution("workbench-sim").entry_points]
from ui.window.help.manual import pages
told["manual"] = [len(pages.text_of(page.place)) for page in pages.contents()]
told["points"] = [sys.modules[each.__module__].__file__ for each in found]
from engines.backend.ceilings import memory
memory.cpu_array_size = lambda: 1 << 16  # a ceiling is measured in seconds otherwise
from workbench.cli import main
for given in (["--help"], ["presets"], ["run", "sine_mode", "--set", "grid.cells_x=8", "--set", "grid.cells_y=8",
              "--until", "0.01", "--device", "cpu", "--no-pictures", "--out", "out"]):
    assert main(given) == 0, given
modules = [module for name, module in sys.modules.items() if name.split(".")[0] in ("workbench", "engines", "ui")]
told["modules"] = [each.__file__ for each in modules if getattr(each, "__file__", None)]
print(json.dumps(told))
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sdist and wheel, both made of this checkout."""
    folder = tmp_path_factory.mktemp("built")
    _build(locked.ROOT, folder, "sdist", "wheel")
    return folder


@pytest.fixture(scope="session")
def installed(built: Path) -> Path:
    """A folder with the wheel installed, as ``pip install`` does it, without its dependencies."""
    (wheel,) = built.glob("*.whl")
    site = built / "site"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--no-compile", "--quiet"]
    subprocess.run([*install, "--target", str(site), str(wheel)], check=True, capture_output=True)
    return site


def _build(source: Path, folder: Path, *targets: str) -> None:
    wanted = [word for target in targets for word in ("-t", target)]
    build = [sys.executable, "-m", "hatchling", "build", *wanted, "-d", str(folder)]
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    subprocess.run(build, cwd=source, env=environment, check=True, capture_output=True)


def share_kernels(installed: Path) -> None:
    """Numba keeps what it compiled beside a module and for the module's time, so a copy of the same time need not
    compile again what this checkout has."""
    for room in ("engines/backend", "engines/stencil"):
        for kept in (locked.ROOT / room).rglob("__pycache__/*.nb[ci]"):
            folder = installed / kept.parent.relative_to(locked.ROOT)
            folder.mkdir(exist_ok=True)
            shutil.copy2(kept, folder)
        for module in (locked.ROOT / room).rglob("*.py"):
            shutil.copystat(module, installed / module.relative_to(locked.ROOT))


@pytest.fixture(scope="session")
def printed(installed: Path) -> list[str]:
    """The lines that :data:`INSTALLED` prints, as JSON the last one, when it sees that copy before this checkout."""
    share_kernels(installed)
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    result = subprocess.run(
        [sys.executable, "-c", INSTALLED], cwd=installed.parent, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def pages() -> set[str]:
    """Names in the wheel of the manual's files, which stand elsewhere in the checkout."""
    project = tomllib.loads((locked.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    taken = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    listing = subprocess.run(["git", "ls-files", "-z", *taken], cwd=locked.ROOT, capture_output=True, text=True)
    found = [Path(name) for name in listing.stdout.split("\0") if name]
    return {(Path(target) / name.relative_to(source)).as_posix() for source, target in taken.items() for name in found
            if name.is_relative_to(source)}  # fmt: skip


def test_the_wheel_has_every_file_and_no_other(built):
    listing = subprocess.run(["git", "ls-files", "-z", *PACKAGES], cwd=locked.ROOT, capture_output=True, text=True)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    expected = {name for name in listing.stdout.split("\0") if name and (locked.ROOT / name).is_file()} | pages()
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = {Path(name).name for name in archive.namelist() if ".dist-info/licenses/" in name}
    assert not expected - names
    untracked = subprocess.run(
        ["git", "ls-files", "-z", "-o", "--exclude-standard", *PACKAGES],
        cwd=locked.ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert not names - expected - set(untracked.stdout.split("\0"))
    assert {Path(name).suffix for name in names} >= KINDS
    assert licences == {"LICENSE", "LICENSE-Inter.txt"}


def test_the_wheel_of_the_sdist_is_the_same_to_the_byte(built, tmp_path):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path)  # our own; Python below 3.11.4 has no filter
    (source,) = tmp_path.iterdir()
    for path in source.rglob("*"):
        os.utime(path, (10**9, 10**9))  # another day, another checkout
    _build(source, tmp_path / "again", "wheel")
    (wheel,), (again,) = built.glob("*.whl"), (tmp_path / "again").glob("*.whl")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_installed_copy_finds_its_data_and_loads_its_entry_points(installed, printed):
    told = json.loads(printed[-1])
    assert [Path(folder) for folder in told["data"]] == [installed / "sample_data", installed / "assets"]
    project = tomllib.loads((locked.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(told["manual"]) > 30
    assert all(told["manual"])
    assert len(told["points"]) == 1 + sum(len(group) for group in project["entry-points"].values())
    assert all(path.startswith(str(installed)) for path in told["points"] + told["modules"])


def test_installed_copy_runs_a_problem(installed, printed):
    assert any(line.startswith("sine_mode ") for line in printed)
    assert (installed.parent / "out" / "run.json").is_file()
