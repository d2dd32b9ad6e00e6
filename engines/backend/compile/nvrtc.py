"""Compiling ``.cu`` files: their text, the options, and a compiler's report that needs no GPU and no driver."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engines.api.errors import DeviceError
from engines.backend.compile.source import compile_options, source_text
from engines.backend.cuda import load_cupy
from engines.backend.devices.cuda_errors import translated

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
"""Compute capabilities (times ten) that every kernel is compiled for in the tests: Turing to Blackwell."""


FIRST_WITH_NO_CACHE = (12, 9)
"""Versions of NVRTC from this one on were seen to know ``--no-cache``."""


@dataclass(frozen=True)
class KernelResources:
    """What the assembler gave one kernel, per thread (shared memory per block), in bytes but for the registers.

    ``stack`` is local memory: arrays that are indexed at run time, and what was spilled.
    """

    kernel: str
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int


@dataclass(frozen=True)
class Compiled:
    """Machine code for one architecture, its SHA-256 and what each of its functions uses."""

    cubin: bytes
    sha256: str
    resources: tuple[KernelResources, ...]


def supported_architectures() -> tuple[int, ...]:
    """Compute capabilities (times ten) that this NVRTC compiles for; raises DeviceError if it cannot be loaded."""
    with translated():
        nvrtc = load_cupy().cuda.nvrtc
        try:
            return tuple(nvrtc.getSupportedArchs())
        except (OSError, RuntimeError) as error:  # the loader's own errors: the shared library is not there
            raise DeviceError(f"NVRTC cannot be loaded ({' '.join(str(error).split())}).") from error


def compile_cubin(path: Path, macros: Sequence[str], architecture: int) -> Compiled:
    """Compile as :meth:`engines.backend.cuda.CudaBackend.compile` does, but for ``architecture`` and without a device.

    ``--ptxas-options=-v`` makes the assembler report registers, stack and spills in NVRTC's log. Raises
    DeviceError with the compiler's first error.
    """
    nvrtc = load_cupy().cuda.nvrtc
    more = ["--ptxas-options=-v"]
    if tuple(nvrtc.getVersion()) >= FIRST_WITH_NO_CACHE:
        more.append("--no-cache")  # what comes from NVRTC's own cache has no report
    with _program(path, macros, f"sm_{architecture}", more) as program:
        cubin = nvrtc.getCUBIN(program)
        resources = parse_resources(nvrtc.getProgramLog(program))
    if not resources:
        raise DeviceError(f"NVRTC reported no resource usage for {path.name}, so spills cannot be ruled out.")
    return Compiled(cubin, hashlib.sha256(cubin).hexdigest(), resources)


def compile_ptx(path: Path, macros: Sequence[str], architecture: int) -> str:
    """The same up to PTX, NVIDIA's documented assembly, before registers are given. Raises DeviceError."""
    nvrtc = load_cupy().cuda.nvrtc
    with _program(path, macros, f"compute_{architecture}") as program:
        text = nvrtc.getPTX(program)
    return text.decode("ascii") if isinstance(text, bytes) else str(text)


@contextmanager
def _program(path: Path, macros: Sequence[str], target: str, more: Sequence[str] = ()) -> Iterator[Any]:
    """A compiled program of NVRTC, destroyed at the end."""
    nvrtc = load_cupy().cuda.nvrtc
    # CuPy's RawModule adds the last two to whatever it is given.
    own = (f"--gpu-architecture={target}", "-ftz=true", "--device-as-default-execution-space")
    program = nvrtc.createProgram(source_text(path), path.name, [], [])
    try:
        try:
            nvrtc.compileProgram(program, (*compile_options(macros), *own, *more))
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            reason = next((line for line in log.splitlines() if "error" in line), str(error))
            variant = " ".join(macros) or "no macros"
            raise DeviceError(f"{path.name} does not compile for {target} with {variant}: {reason}") from error
        yield program
    finally:
        nvrtc.destroyProgram(program)


_FUNCTION = re.compile(r"Function properties for (\S+)")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def parse_resources(log: str) -> tuple[KernelResources, ...]:
    """Read the report of ``ptxas -v``; device functions that were not inlined appear too, with 0 registers."""
    found: dict[str, KernelResources] = {}
    entry = function = ""
    for line in log.splitlines():
        if match := _ENTRY.search(line):
            entry = match[1]
        elif match := _FUNCTION.search(line):
            function = match[1]
        elif match := _FRAME.search(line):
            stack, stores, loads = map(int, match.groups())
            found[function] = KernelResources(function, 0, stack, stores, loads, 0)
        elif (match := _USED.search(line)) and entry in found:
            shared = _SHARED.search(line)
            found[entry] = replace(found[entry], registers=int(match[1]), shared=int(shared[1]) if shared else 0)
    return tuple(found.values())
