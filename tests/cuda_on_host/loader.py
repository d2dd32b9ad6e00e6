"""Compiles a ``.cu`` file with the host's C++ compiler and launches its kernels on NumPy arrays."""

from __future__ import annotations

import atexit
import ctypes
import functools
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.compile.source import ENGINES, headers_of
from tests.kept import digest, kept

COMPILER = (shutil.which("g++") or shutil.which("clang++")) if sys.platform == "linux" else None
"""None where the tests have to be skipped."""
HEADER = Path(__file__).with_name("cuda_on_host.h")
OPTIONS = (
    "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-U_FORTIFY_SOURCE",
    # The arithmetic is what the intrinsics say; fma is the hardware's where there is one (the same bits, but faster).
    "-ffp-contract=off", "-fno-strict-aliasing",
    "-fsanitize=alignment,bounds", "-fsanitize-undefined-trap-on-error",
)  # fmt: skip
KEPT = "cuda-on-host"
"""Folder of what was built."""
_KERNEL = re.compile(
    r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)\s*\('
)
_DYNAMIC = re.compile(r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w ]+?)\s+(\w+)\s*\[\s*\]\s*;")


class CudaOnHostError(Exception):
    """What a device would not forgive: divergence at a barrier, an access outside of memory, wrong arguments."""


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="cuda-on-host-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


_build_folder = functools.cache(_folder)


def host_source(text: str, kernels: Sequence[str], header: Path) -> str:
    """The C++ for a ``.cu`` file's text. Nothing but ``extern __shared__`` is rewritten; lines keep their numbers."""
    text = _DYNAMIC.sub(r"\1* \2 = reinterpret_cast<\1*>(host::dynamic_shared);", text)
    launchers = "\n".join(f"HOST_LAUNCHER({kernel})" for kernel in kernels)
    names = f'extern "C" {{ const char* host_kernels = "{" ".join(kernels)}"; }}'
    return f'#include "{header}"\n#line 1\n{text}\n{launchers}\n{names}\n'


def compile_for_host(text: str, macros: Sequence[str] = (), name: str = "kernel") -> HostModule:
    """The kernels of a ``.cu`` file's text. Raises CudaOnHostError with the compiler's words."""
    return HostModule(*_library(text, tuple(macros), name))


@functools.cache
def _library(text: str, macros: tuple[str, ...], name: str) -> tuple[ctypes.CDLL, list[str]]:
    defines = _defines(macros)
    made_of = (*_build(), _version(), HEADER.read_text("utf-8"), text, headers_of(text), defines)
    path = kept(f"{KEPT}/{digest(*made_of)}.so", functools.partial(_compile, text, defines, name))
    library = ctypes.CDLL(str(path))
    return library, (ctypes.c_char_p.in_dll(library, "host_kernels").value or b"").decode().split()


def _compile(text: str, defines: Sequence[str], name: str, library: Path) -> None:
    path = Path(tempfile.mkdtemp(dir=_build_folder())) / f"{name}.cpp"
    options = [*defines, f"-I{ENGINES}", str(path)]
    # Kernels may be hidden in macros, or left out by them: the preprocessor knows.
    path.write_text(text, "utf-8")
    kernels = _KERNEL.findall(_run([COMPILER, "-E", "-P", "-w", *options], name))
    path.write_text(host_source(text, kernels, _header()), "utf-8")
    _run([*_build(), "-o", str(library), *options], name)


@functools.cache
def _build() -> tuple[str, ...]:
    return str(COMPILER), *OPTIONS, *(["-mfma"] if "fma" in _cpu_flags() else [])


@functools.cache
def _header() -> Path:
    """The header, with what g++ made of it in advance beside it: 0.05 s instead of 0.27 for each file. Where g++ cannot
    use it, and for clang, it is text like any other."""
    name = f"{KEPT}/{digest(*_build(), _version(), HEADER.read_bytes())}.h"
    header = kept(name, functools.partial(shutil.copy, HEADER))
    kept(f"{name}.gch", lambda made: _run([*_build(), "-x", "c++-header", str(HEADER), "-o", str(made)], HEADER.name))
    return header


@functools.cache
def _version() -> str:
    return _run([COMPILER, "--version"], "the compiler's version")


def _run(command: Sequence[str | None], name: str) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise CudaOnHostError(f"{name} does not compile as C++: {done.stderr[:2000]}")
    return done.stdout


def _defines(macros: Sequence[str]) -> list[str]:
    """``macros`` without the options that only NVRTC knows."""
    return [macro for macro in macros if macro.startswith("-D")]


@functools.cache
def _cpu_flags() -> frozenset[str]:
    try:
        return frozenset(re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())  # type: ignore[index]  # no such line: TypeError
    except (OSError, TypeError):
        return frozenset()


class HostKernel:
    """Called as CuPy's kernels are: ``kernel(grid, block, arguments, shared_mem=0)``."""

    capturing: list[Callable[[], None]] | None = None
    """Launches are put here and do not run while this is a list."""

    def __init__(self, function: Any) -> None:
        self._function = function
        function.restype = ctypes.c_char_p
        self.max_dynamic_shared_size_bytes = 48 * 1024
        """As on a device, more than this has to be asked for."""

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], shared_mem: int = 0
    ) -> None:
        """Raises CudaOnHostError."""
        if shared_mem > self.max_dynamic_shared_size_bytes:
            raise CudaOnHostError(f"{shared_mem} bytes of shared memory were not asked for")
        if np.prod(block) > 1024:
            raise CudaOnHostError(f"a block of {block} has more than 1024 threads")
        values = [_value(argument) for argument in arguments]
        if HostKernel.capturing is not None:
            HostKernel.capturing.append(lambda: self._launch(grid, block, values, shared_mem))
            return
        self._launch(grid, block, values, shared_mem)

    def _launch(self, grid: Sequence[int], block: Sequence[int], values: list[Any], shared_mem: int) -> None:
        sizes = (ctypes.c_uint * 6)(*_three(grid), *_three(block))
        pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
        bytes_each = (ctypes.c_size_t * len(values))(*(value.nbytes for value in values))
        failed = self._function(sizes, ctypes.c_size_t(shared_mem), pointers, bytes_each, ctypes.c_size_t(len(values)))
        if failed:
            raise CudaOnHostError(failed.decode())


def _three(size: Sequence[int]) -> tuple[int, ...]:
    return (*(int(number) for number in size), 1, 1)[:3]


def _value(argument: Any) -> Any:
    """An argument's bytes: the address of an array (or of none), or a NumPy scalar as it is."""
    if argument is None:
        return np.zeros(1, np.uint64)
    if isinstance(argument, np.ndarray):
        if not argument.flags.c_contiguous:
            raise CudaOnHostError("an array that is not contiguous was given to a kernel")
        return np.array([argument.ctypes.data], np.uint64)
    if isinstance(argument, np.generic):
        return np.array([argument])
    raise CudaOnHostError(f"a kernel's scalars are NumPy scalars of the exact type, not {type(argument).__name__}")


class HostModule:
    """The kernels of one compiled file."""

    def __init__(self, library: ctypes.CDLL, kernels: Sequence[str]) -> None:
        self._library, self.kernels = library, tuple(kernels)

    def get_function(self, name: str) -> HostKernel:
        return HostKernel(getattr(self._library, f"launch_{name}"))
