"""How the tests themselves run: whole files, the longest first; what hangs ends; what was compiled is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import kept as kept_files

order = pytest.importorskip("tests.order", reason="pytest-xdist is not installed", exc_type=ImportError)
ROOT = Path(__file__).parents[1]

# ---- examples ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["makes", "tries"])
def test_an_example_takes_as_long_as_a_busy_machine_wants(tmp_path: Path, where: str) -> None:
    """Hypothesis lets one have 0.2 s, and ten a second to be made up: the run after would have gone well."""
    (tmp_path / "conftest.py").write_text("import tests.conftest\n")
    (tmp_path / "test_busy.py").write_text(
        "import time, hypothesis, hypothesis.strategies as st\n\n"
        f"def busy(n):\n    time.sleep(0.25)\n    return n\n\nmakes, tries = [busy if one == {where!r} else int "
        "for one in ('makes', 'tries')]\n\n@hypothesis.settings(max_examples=8)\n"
        "@hypothesis.given(st.integers().map(makes))\ndef test(n):\n    tries(n)\n"
    )
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert told.returncode == 0, told.stdout


# ---- what hangs ----------------------------------------------------------------------------------------------------

HANGS = """
import ctypes, pytest

@pytest.mark.timeout(0.2)
def test_hangs():
    lock, library = ctypes.create_string_buffer(64), ctypes.PyDLL(None)  # which keeps the interpreter's lock
    library.pthread_mutex_lock(lock)
    library.pthread_mutex_lock(lock)

def test_after():
    pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="waits for a lock of Linux's C library")
def test_a_test_that_hangs_in_c_ends_and_the_run_goes_on(tmp_path: Path) -> None:
    """Without Python: no signal's handler and no other thread of it runs while C keeps the interpreter's lock."""
    (tmp_path / "conftest.py").write_text(
        "import tests.hang\ntests.hang.GRACE_SECONDS = 0.2\npytest_plugins = ['tests.hang', 'tests.order']\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_hangs.py").write_text(HANGS)
    command = [sys.executable, "-m", "pytest", "-n", "1", "--dist", "loadfile", "-p", "no:cacheprovider", str(tmp_path)]
    found = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=150
    )
    assert found.returncode == 1
    assert 'test_hangs.py", line 8 in test_hangs' in found.stderr
    assert "crashed while running 'test_hangs.py::test_hangs'" in found.stdout
    assert "1 failed, 1 passed" in found.stdout


def test_a_worker_that_waits_for_the_others_does_not_hang(tmp_path: Path) -> None:
    """It was ended with its stacks named, as if it did, two minutes before the last test of another one came."""
    (tmp_path / "conftest.py").write_text(
        "import os, tests.hang\npytest_plugins = ['tests.hang', 'tests.order']\n"
        "if 'PYTEST_XDIST_WORKER' in os.environ:\n    tests.hang.ENDING_SECONDS = 0.2\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_short.py").write_text("def test(): pass\n")
    (tmp_path / "test_long.py").write_text("import time\ndef test(): time.sleep(2)\n")
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider", str(tmp_path)]
    ours = {name: each for name, each in os.environ.items() if name != "PYTEST_XDIST_WORKER"}  # which this may be, too
    found = subprocess.run(
        command, cwd=tmp_path, env={**ours, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=150
    )
    assert "2 passed" in found.stdout
    assert "Timeout" not in found.stderr


# ---- in which order ------------------------------------------------------------------------------------------------


class Node:
    """A worker that is given tests."""

    shutting_down = False

    def __init__(self) -> None:
        self.given: list[int] = []

    def send_runtest_some(self, tests: list[int]) -> None:
        self.given += tests

    def shutdown(self) -> None:
        self.shutting_down = True


class Config:
    """As much of pytest's as a scheduler of pytest-xdist asks for."""

    option = SimpleNamespace(loadscopereorder=True)

    def getvalue(self, name: str) -> list[str]:
        assert name == "tx"
        return ["popen"]


def begun(tests: list[str], seconds: dict[str, float]) -> tuple[Any, Node]:
    """A scheduler that knows how long tests took, and its one worker with the first tests."""
    made, node = order.LongestFirst(Config()), Node()
    made.seconds = order.seconds_of_files(tests, seconds)
    join(made, node, tests)
    return made, node


def join(made: Any, node: Node, tests: list[str]) -> None:
    made.add_node(node)
    made.add_node_collection(node, tests)
    made.schedule()


def test_the_file_that_takes_longest_comes_first() -> None:
    tests = ["a.py::1", "b.py::1", "b.py::2", "c.py::1", "c.py::2", "c.py::3"]
    _, node = begun(tests, {"a.py::1": 3.0, "b.py::1": 2.0, "b.py::2": 2.0, "c.py::1": 0.5})
    assert [tests[each] for each in node.given] == ["b.py::1", "b.py::2", "a.py::1"]


def test_a_second_worker_begins_with_another_engine() -> None:
    """Which the first one's kernels are not of; the same engine's next file where no other is left."""
    long, same, other = (f"tests/engines/{file}.py" for file in ("fdtd/test_a", "fdtd/step/test_b", "spiking/test_c"))
    tests = [*(f"{long}::{each}" for each in range(3)), f"{same}::1", f"{other}::1"]
    made, first = begun(tests, dict.fromkeys(tests[:3], 3.0) | {tests[3]: 2.0, tests[4]: 1.0})
    second = Node()
    join(made, second, tests)
    assert ([tests[each] for each in second.given], first.given) == ([f"{other}::1"], [0, 1, 2])
    made.mark_test_complete(second, 4)
    assert [tests[each] for each in second.given] == [f"{other}::1", f"{same}::1"]


def test_what_ended_a_worker_is_not_tried_again() -> None:
    tests = ["a.py::1", "a.py::2", "a.py::3", "a.py::4"]
    made, first = begun(tests, {})
    made.mark_test_complete(first, 0)
    assert made.remove_node(first) == "a.py::2"
    second = Node()
    join(made, second, tests)
    assert [tests[each] for each in second.given] == ["a.py::3", "a.py::4"]


def test_long_files_are_there() -> None:
    assert [name for name in order.LONG if not (ROOT / name).is_file()] == []


# ---- what is kept --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_files, "FOLDER", tmp_path)
    return tmp_path / "made"


def test_a_kept_file_is_made_once_and_what_fails_leaves_nothing(folder: Path) -> None:
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text("begun")
        if len(made) == 1:
            raise ValueError("it does not compile")

    with pytest.raises(ValueError, match="compile"):
        kept_files.kept("made/a.so", make)
    assert list(folder.iterdir()) == []
    assert kept_files.kept("made/a.so", make) == kept_files.kept("made/a.so", make) == folder / "a.so"
    assert len(made) == 2
    assert [file.name for file in folder.iterdir()] == ["a.so"]


def test_what_was_not_used_for_longest_goes(folder: Path) -> None:
    folder.mkdir()
    now = kept_files.time.time()
    for days, name in enumerate(["new", "recent", "old", "oldest"]):
        (folder / name).write_bytes(bytes(100))
        os.utime(folder / name, (now - days * 86_500,) * 2)
    kept_files.prune(folder, 250)
    assert sorted(file.name for file in folder.iterdir()) == ["new", "recent"]
    kept_files.prune(folder, 50)
    assert sorted(file.name for file in folder.iterdir()) == ["new"]
