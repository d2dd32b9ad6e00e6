"""What the environment says to Numba before anybody imports it, and to CuPy before it compiles."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

CACHE, THREADS, NOT_COMPILED = "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT"
OWN_CACHE, CUPY_CACHE = "WORKBENCH_CACHE_DIR", "CUPY_CACHE_DIR"
PLAIN = "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"
"""Numba dresses each error message for a terminal, also of the hundreds that it catches itself while it tries rules:
a twentieth of the time of compiling."""
LEAST_ADDRESSES = 1 << 30
"""Bytes of addresses (``ulimit -v``) without which nothing runs: on two cores the smallest problem took 1.4 GB; with
0.5 GB SciPy's OpenBLAS looked for ever for room for its threads, or interrupted the process."""
IN_NEED = ("numba.np.arraymath", "scipy.linalg")
"""What loads that: at the first use of a kernel."""
MOST_THREADS = 4096
"""More than any machine has cores; with 100,000 a process ends where they are started."""


class NoSettingsOfTheFolder(MetaPathFinder):
    """Numba takes settings from a file of the folder that a person happens to be in, which may be a stranger's: from
    where compiled code, classes and drivers are loaded, where a trace is written, whether code is compiled. It is told
    that there is no reader for that file, and afterwards that there is no such file; the environment counts as ever."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in IN_NEED:
            check_addresses()
        if fullname != "numba.core.config":
            return None
        others = (each.find_spec(fullname, path, target) for each in sys.meta_path if each is not self)
        spec = next(filter(None, others), None)
        if spec is not None and spec.loader is not None:
            carry_out = spec.loader.exec_module
            vars(spec.loader)["exec_module"] = lambda module: self._carry_out(carry_out, module)
        return spec

    def _carry_out(self, carry_out: Any, module: ModuleType) -> None:
        _check_settings(*(os.environ.get(name, "") for name in (THREADS, NOT_COMPILED)))
        check_caches(CACHE, OWN_CACHE)
        reader = {name: each for name, each in sys.modules.items() if name == "yaml"}
        modules: dict[str, Any] = sys.modules
        modules["yaml"] = None  # of which Python says that it cannot be imported
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                carry_out(module)
        finally:
            del modules["yaml"]
            modules.update(reader)
        vars(module)["_config_fname"] = ""


def prepare() -> None:
    """Before Numba is imported."""
    sys.meta_path.insert(0, NoSettingsOfTheFolder())
    os.environ.setdefault(PLAIN, "1")
    if sys.platform == "linux" and not _has_place() and not _takes_files(os.environ.get(CACHE, "")):
        _keep_here(CACHE)


def prepare_cupy() -> None:
    """Before CuPy compiles: where its folder takes nothing, or is one of strangers, it has one of this process."""
    chosen = os.environ.get(CUPY_CACHE, os.path.expanduser("~/.cupy/kernel_cache"))
    if not _takes_files(chosen) or _others_write(Path(chosen)):
        _keep_here(CUPY_CACHE)


def _keep_here(name: str) -> None:
    os.environ[name] = folder = tempfile.mkdtemp(prefix="workbench-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def check_caches(*names: str) -> None:
    """Raises ProblemError for a folder in one of these variables that is one of strangers. Numba's holds pickled
    objects, whose code is run by being read, CuPy's machine code of kernels, ours their sources, and states to begin
    with."""
    from engines.api.errors import ProblemError

    for name in names:
        kept = os.environ.get(name, "")
        if kept and _others_write(Path(kept)):
            raise ProblemError(
                f"{name} is '{kept:.200}', where others may write, and what is kept there is run: let it be a folder "
                "of your own, or remove it."
            )


def _check_settings(threads: str, not_compiled: str) -> None:
    """Raises ProblemError for what Numba would pass over without a word, or fail with."""
    from engines.api.errors import ProblemError

    try:
        right = not threads or 1 <= int(threads) <= MOST_THREADS
    except ValueError:
        right = False
    if not right:
        raise ProblemError(
            f"{THREADS} is '{threads:.20}' here: let it be a whole number from 1 to {MOST_THREADS}, or remove it."
        )
    if not_compiled.strip() not in ("", "0"):  # hints to the compiler are no Python
        raise ProblemError(f"{NOT_COMPILED} is '{not_compiled:.20}' here, and kernels are to be compiled: remove it.")


def check_addresses() -> None:
    """Raises ProblemError where this session may not use as many addresses as kernels and their libraries take."""
    from engines.api.errors import ProblemError

    limit = address_limit()
    if limit is not None and limit < LEAST_ADDRESSES:
        raise ProblemError(
            f"This session may use {limit / 1e6:.0f} MB of addresses (ulimit -v), and kernels need more than "
            f"{LEAST_ADDRESSES / 1e6:.0f} MB before any problem: raise the limit (ulimit -v unlimited)."
        )


def address_limit() -> int | None:
    """Bytes that this process may have addresses of; None where nothing limits them."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _others_write(folder: Path) -> bool:
    """Whether it is there and is somebody else's, or open to everybody. A group may share one, and root may anyway."""
    if os.name != "posix":
        return False
    try:
        found = folder.stat()
    except OSError:
        return False
    return found.st_uid not in (os.getuid(), 0) or bool(found.st_mode & stat.S_IWOTH)


def _has_place() -> bool:
    """Whether Numba finds where to keep what it compiles, without which it refuses to, also where the folder that is
    chosen takes nothing: beside the sources, or in this person's cache, where no stranger may write, as where the home
    folder is ``/tmp``."""
    if os.access(Path(__file__).parent, os.W_OK):
        return True
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "numba")
    except RuntimeError:
        return False
    return _takes_files(str(home)) and not _others_write(home)


def _takes_files(folder: str) -> bool:
    """Makes it where it is not there yet."""
    try:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return bool(folder) and os.access(folder, os.W_OK)
