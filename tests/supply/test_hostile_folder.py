"""A folder that a person happens to be in, full of a stranger's files: nothing of it is imported, taken as settings or
loaded as compiled code."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines import numba_settings
from engines.api.errors import ProblemError
from engines.backend.cuda import CudaBackend
from engines.backend.threads import LAYERS

ROOT = Path(__file__).parents[2]
MODULES = ("numpy", "numba", "json", "yaml", "engines", "workbench", "ui", "sitecustomize", "multiprocessing", "dask")
SETTINGS = """cache_dir: here
cache_locator_classes: stranger.Locator
chrome_trace: overwritten
disable_jit: 1
cuda_driver: /tmp/stranger.so
boundscheck: 1
num_threads: 1
opt: 0
"""
ASK = """import engines.backend.threads as t
c = t.numba.core.config
def told(): return {name: str(getattr(c, name)) for name in dir(c) if name.isupper() and not callable(getattr(c, name))}
first = told(); c.reload_config(); assert told() == first; print(first)"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of a stranger was imported')")
    (tmp_path / ".numba_config.yaml").write_text(SETTINGS)
    return tmp_path


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("settings", [SETTINGS, "no: [mapping", "- 1"])
def test_numba_takes_no_settings_from_the_folder(folder: Path, settings: str) -> None:
    """Its caches are pickled objects: a stranger's cache would be a stranger's code, and so would be a driver."""
    pytest.importorskip("yaml", reason="without it Numba reads no such file")
    file = folder / ".numba_config.yaml"
    file.write_text(settings)
    told = python(folder, "-c", ASK)
    file.unlink()
    assert told.stdout, told.stderr
    assert told.stdout == python(folder, "-c", ASK).stdout


def test_numba_takes_what_the_person_says(folder: Path) -> None:
    told = python(folder, "-c", f"import os; os.environ.update(NUMBA_OPT='2', NUMBA_CACHE_DIR='mine'); {ASK}")
    assert "_OptLevel(2)" in told.stdout, told.stderr
    assert "'CACHE_DIR': 'mine'" in told.stdout


NO_THREADS = "NUMBA_NUM_THREADS is '{}' here: let it be a whole number from 1 to 4096, or remove it."
NOT_COMPILED = "NUMBA_DISABLE_JIT is '{}' here, and kernels are to be compiled: remove it."
NO_LAYER = "Numba has no threads here with {}='{}': remove that."


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        *(("NUMBA_NUM_THREADS", each, NO_THREADS.format(each)) for each in ("-5", "0", "text", "1e3", "99999")),
        ("NUMBA_DISABLE_JIT", "1", NOT_COMPILED.format("1")),
        *((name, "none", NO_LAYER.format(name, "none")) for name in LAYERS),
    ],
)
def test_settings_of_numba_that_are_none_are_told(folder: Path, name: str, value: str, told: str) -> None:
    """Numba failed with some, passed over others without a word, and ended the process where it started 99,999."""
    ask = f"import os; os.environ['{name}'] = '{value}'; from workbench.cli import main; "
    run = ["run", "sine_mode", "--until", "1", "--device", "cpu", "--no-pictures"]
    done = python(folder, "-c", ask + f"raise SystemExit(main({run}))")
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (2, [told])
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no such limit")
@pytest.mark.parametrize(
    ("words", "megabytes", "code"),
    [
        (["run", "sine_mode", "--until", "1e-9", "--device", "cpu", "--no-pictures"], 400, 2),
        (["run", "sine_mode", "--until", "1e-9", "--device", "cpu", "--no-pictures"], 500, 2),
        (["bench"], 500, 2),
        (["presets"], 500, 0),
    ],
)
def test_a_limit_of_addresses_is_told_before_anything_looks_for_them(
    folder: Path, words: list[str], megabytes: int, code: int
) -> None:
    """A run with ``ulimit -v 500000`` went on for ever where OpenBLAS began its threads, or ended without a word."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20,) * 2); "
    done = python(folder, "-c", limit + f"from workbench.cli import main; raise SystemExit(main({words}))")
    assert done.returncode == code, done.stderr
    told = "MB of addresses (ulimit -v), and kernels need more than"
    assert (len(done.stderr.splitlines()), told in done.stderr) == ((1, True) if code else (0, False))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no such limit")
@pytest.mark.parametrize("module", numba_settings.IN_NEED)
def test_what_looks_for_addresses_without_end_is_not_loaded_where_there_are_none(folder: Path, module: str) -> None:
    limit = "import resource, engines; resource.setrlimit(resource.RLIMIT_AS, (600 << 20,) * 2); "
    done = python(folder, "-c", limit + f"import {module}")
    assert "kernels need more than" in done.stderr.splitlines()[-1]


def test_commands_import_nothing_from_the_folder(folder: Path) -> None:
    done = python(folder, "-m", "workbench", "presets")
    assert done.returncode == 0, done.stderr


def test_every_python_that_is_started_leaves_the_folder_out() -> None:
    """Without -P or -I the folder that a person is in comes first of all where modules are looked for."""
    found = []
    for package in ("engines", "workbench", "ui", "packaging"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if not isinstance(node, (ast.List, ast.Tuple)):
                    continue
                words = [ast.unparse(each) for each in node.elts]
                if "sys.executable" in words:
                    found.append((file.name, words[words.index("sys.executable") + 1]))
    assert len(found) >= 5
    assert [each for each in found if each[1] not in ("'-P'", "'-I'")] == []


OTHERS = "{} is '{}', where others may write, and what is kept there is run: "
POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions of another kind")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")  # what one test compiles the next one finds there


@POSIX
@pytest.mark.parametrize(
    ("name", "mode", "refused"),
    [("NUMBA_CACHE_DIR", mode, mode & 2 > 0) for mode in (0o775, 0o700, 0o777, 0o1777)]
    + [("WORKBENCH_CACHE_DIR", 0o1777, True)],
)
def test_a_cache_where_strangers_write_is_not_loaded_from(
    folder: Path, shared: Path, name: str, mode: int, refused: bool
) -> None:
    """A stranger who puts an index there before had his code run by the next import of kernels; in ours, states to
    begin with."""
    shared.chmod(mode)
    ask = f"import os; os.environ[{name!r}] = {str(shared)!r}; from workbench.cli import main; "
    run = ["run", "sine_mode", "--until", "1e-9", "--device", "cpu", "--no-pictures", "--out", str(folder / "out")]
    done = python(folder, "-c", ask + f"raise SystemExit(main({run}))")
    told = OTHERS.format(name, shared)
    assert (done.returncode, told in done.stderr) == ((2, True) if refused else (0, False)), done.stderr
    assert refused or list(shared.rglob("*.nbi"))


@POSIX
@pytest.mark.parametrize("name", ["CUPY_CACHE_DIR", "WORKBENCH_CACHE_DIR"])
def test_no_machine_code_is_taken_from_where_strangers_write(tmp_path: Path, monkeypatch, name: str) -> None:
    """CuPy runs on the GPU what it finds there under the name of a kernel."""
    tmp_path.chmod(0o1777)
    monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(ProblemError, match=f"{name} is '.*', where others may write"):
        CudaBackend(0)


@POSIX
@pytest.mark.skipif(getattr(os, "getuid", int)() != 0, reason="only root gives files away")
def test_a_cache_of_somebody_else_is_one_where_strangers_write(tmp_path: Path) -> None:
    assert not numba_settings._others_write(tmp_path)
    assert not numba_settings._others_write(tmp_path / "not there")
    os.chown(tmp_path, 65534, 65534)
    assert numba_settings._others_write(tmp_path)


@pytest.mark.parametrize("chosen", ["", "/proc/nowhere", "/dev/null/nowhere"])
@pytest.mark.parametrize("there", [True, False, pytest.param("everybody's", marks=POSIX)])
def test_kernels_are_compiled_where_nothing_may_be_written(
    tmp_path: Path, monkeypatch, there: bool | str, chosen: str
) -> None:
    """As in a container of nothing but read-only disks: Numba refused to import each module of kernels. Neither where
    anybody may write, as where the home folder is /tmp."""
    if there == "everybody's":
        (tmp_path / "numba").mkdir()
        (tmp_path / "numba").chmod(0o1777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", chosen)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path if there else "/proc/nowhere"))
    monkeypatch.setattr("engines.numba_settings.tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(numba_settings, "__file__", "/proc/engines/numba_settings.py")
    numba_settings.prepare()
    used = os.environ["NUMBA_CACHE_DIR"]
    assert used == chosen if there is True else Path(used or "/").is_relative_to(tmp_path)


@pytest.mark.parametrize("there", [True, False, pytest.param("everybody's", marks=POSIX)])
@pytest.mark.parametrize("named", [True, False])
def test_kernels_of_a_gpu_are_compiled_where_nothing_may_be_written(
    tmp_path: Path, monkeypatch, there: bool | str, named: bool
) -> None:
    home = tmp_path if there else Path("/proc/nowhere")
    folder = home / ".cupy" / "kernel_cache"
    if there == "everybody's":
        folder.mkdir(parents=True)
        folder.chmod(0o1777)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CUPY_CACHE_DIR", str(folder))
    if not named:
        monkeypatch.delenv("CUPY_CACHE_DIR")
    monkeypatch.setattr("engines.numba_settings.tempfile.tempdir", str(tmp_path))
    numba_settings.prepare_cupy()
    used = os.environ.get("CUPY_CACHE_DIR", "")
    assert used == (str(folder) if named else "") if there is True else Path(used).parent == tmp_path
