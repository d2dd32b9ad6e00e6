"""What Numba keeps on disk goes stale silently: it notices a change in the kernel's own file and in no other.

So a cached kernel uses nothing of ours that was imported from another file, or closes over a digest of its
``sources`` (as the kernel of the cells does), or is one that is ``noticing`` the modules that its names come from.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.backend.compile.numba_cache import mend_numba_cache

ROOT = Path(__file__).parents[1]
OURS = ("engines", "workbench", "ui")
MODULES = [
    path
    for package in OURS
    for path in sorted((ROOT / package).rglob("*.py"))
    if "cache=True" in path.read_text("utf-8")
]


def names_in(nodes: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)}


def foreign_names(source: str) -> dict[str, set[str]]:
    """Cached kernel to the names of ours that it uses, directly or through its file, and that come from elsewhere."""
    tree = ast.parse(source)
    imported, uses, homes = set(), {}, {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            imported |= {alias.asname or alias.name for alias in node.names}
            homes |= {alias.asname or alias.name: {node.module, f"{node.module}.{alias.name}"} for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            uses[node.name] = names_in(node.body)
        elif isinstance(node, ast.Assign):
            for target in names_in(node.targets):
                uses[target] = names_in([node.value])
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any("cache=True" in ast.unparse(d) for d in node.decorator_list):
            reached, ahead = set(), names_in(node.body)
            while ahead:
                reached |= ahead
                ahead = set().union(*(uses.get(name, set()) for name in ahead)) - reached
            if "sources" not in reached:
                noticed = noticed_by(node, homes)
                found[node.name] = {name for name in reached & imported if not homes[name] & noticed}
    return found


def noticed_by(kernel: ast.FunctionDef, homes: dict[str, set[str]]) -> set[str]:
    """Full names of the modules that stand in its ``@noticing(...)``."""
    found = set()
    for each in kernel.decorator_list:
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "noticing":
            found |= set().union(*(homes[name] for name in names_in(list(each.args))))
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_cached_kernels_are_whole_in_their_file(path: Path) -> None:
    foreign = {kernel: names for kernel, names in foreign_names(path.read_text("utf-8")).items() if names}
    assert not foreign


def test_a_helper_from_another_file_is_found() -> None:
    source = (
        "from engines.a import WIDTH, helper\n_2WIDTH = 2 * WIDTH\n"
        "@njit\ndef inner(x):\n    return helper(x)\n"
        "@njit(cache=True)\ndef kernel(x):\n    return inner(x) + _2WIDTH\n"
        "@njit(cache=True)\ndef whole(x):\n    return x\n"
    )
    assert foreign_names(source) == {"kernel": {"helper", "WIDTH"}, "whole": set()}


def test_names_are_free_where_their_module_is_noticed() -> None:
    source = (
        "from engines import a\nfrom engines.a import WIDTH\nfrom engines.b import helper\n"
        "@njit(cache=True)\n@noticing(a)\ndef kernel(x):\n    return WIDTH * x\n"
        "@njit(cache=True)\n@noticing(a)\ndef half(x):\n    return WIDTH * helper(x)\n"
    )
    assert foreign_names(source) == {"kernel": set(), "half": {"helper"}}


def test_a_noticed_module_that_changes_has_the_kernel_compiled_anew(tmp_path: Path) -> None:
    """In processes of their own: what is compiled is found on disk again, and not after the other file changed."""
    (tmp_path / "rows.py").write_text("WIDTH = 3\n", "utf-8")
    (tmp_path / "kernel.py").write_text(
        "import rows\nfrom numba import njit\nfrom rows import WIDTH\n"
        "from engines.backend.compile.digest import noticing\n"
        "@njit(cache=True)\n@noticing(rows)\ndef kernel(x, more=1):\n    return WIDTH * x + more\n",
        "utf-8",
    )
    ask = "from kernel import kernel; print(kernel(2), sum(kernel.stats.cache_hits.values()))"
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    environment.pop("NUMBA_CACHE_DIR", None)

    def answer() -> list[str]:
        done = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert answer() == ["7", "0"]
    assert answer() == ["7", "1"]
    (tmp_path / "rows.py").write_text("WIDTH = 5\n", "utf-8")
    assert answer() == ["11", "0"]


@pytest.mark.parametrize(("forgiven", "answer"), [(True, "7"), (False, "AttributeError")])
def test_arguments_whose_class_has_moved_are_compiled_anew(tmp_path: Path, forgiven: bool, answer: str) -> None:
    (tmp_path / "one.py").write_text("import collections\nPair = collections.namedtuple('Pair', 'a b')\n", "utf-8")
    (tmp_path / "kernel.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef kernel(pair):\n    return pair.a + pair.b\n", "utf-8"
    )
    first = "from one import Pair; from kernel import kernel; print(kernel(Pair(3, 4)))"
    if forgiven:
        first = "from engines.backend.compile.numba_cache import mend_numba_cache; mend_numba_cache(); " + first
    then = first.replace("one", "two")
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    environment.pop("NUMBA_CACHE_DIR", None)

    def told(program: str) -> str:
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        return done.stdout + done.stderr

    assert told(first) == "7\n"
    (tmp_path / "two.py").write_text((tmp_path / "one.py").read_text("utf-8"), "utf-8")
    (tmp_path / "one.py").write_text("", "utf-8")
    assert answer in told(then)


def flipped(content: bytes) -> bytes:
    """One bit of the last eighth, which is machine code where it is no digest."""
    at = len(content) - len(content) // 8
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "zeros": lambda content: bytes(len(content)),
    "cut": lambda content: content[: len(content) // 2],
    "flipped": flipped,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_files_are_compiled_anew_and_written_again(tmp_path: Path, ending: str, damage: str) -> None:
    from numba.core.caching import IndexDataCacheFile

    mend_numba_cache()
    cache, other = (IndexDataCacheFile(str(tmp_path), f"{name}-1.py3", (0.0, 1)) for name in ("kernel", "other"))
    cache.save("double", code := bytes(range(256)) * 40)
    assert cache.load("double") == code
    assert other.load("double") is None
    (path,) = tmp_path.glob(f"*.{ending}")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert cache.load("double") is None
    cache.save("double", code)
    assert cache.load("double") == code
    assert other.load("double") is None


def test_a_disk_without_room_is_no_reason_not_to_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from numba.core.caching import IndexDataCacheFile

    mend_numba_cache()
    cache = IndexDataCacheFile(str(tmp_path / "gone"), "kernel-1.py3", (0.0, 1))
    cache.save("double", "code")
    assert cache.load("double") is None
    assert "cannot be kept" in caplog.text


def test_two_processes_that_keep_code_at_once_do_not_take_each_others(tmp_path: Path) -> None:
    """Both have read an empty index before either writes, and the one whose index stays writes its code first."""
    from numba.core.caching import IndexDataCacheFile

    both_read, first_wrote = threading.Barrier(2), threading.Event()

    class Cache(IndexDataCacheFile):
        def _load_index(self):
            found = super()._load_index()
            both_read.wait(10)
            return found

        def _save_index(self, overloads):
            if "single" in overloads:
                first_wrote.wait(10)
            super()._save_index(overloads)
            first_wrote.set()

        def _save_data(self, name, data):
            if data == "code of double":
                one.join(10)
            super()._save_data(name, data)

    mend_numba_cache()
    caches = [Cache(str(tmp_path), "kernel-1.py3", (0.0, 1)) for _ in range(2)]
    one = threading.Thread(target=caches[0].save, args=("single", "code of single"))
    one.start()
    caches[1].save("double", "code of double")
    one.join()
    plain = IndexDataCacheFile(str(tmp_path), "kernel-1.py3", (0.0, 1))
    assert plain.load("single") == "code of single"
    assert plain.load("double") in (None, "code of double")
