"""What NVRTC makes of a kernel, kept: the same text, compiler, options and architecture give the same code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from engines.backend.compile.nvrtc import KernelResources, compile_cubin
from engines.backend.compile.source import compile_options, headers_of, source_text
from tests.kept import digest, kept

COMPILERS = ("cupy-cuda", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime")


@cache
def _compiler() -> tuple[str, ...]:
    """The packages that bring the compiler and its headers, with their versions."""
    named = ((each.name, each.version) for each in distributions())
    return tuple(sorted(f"{name} {version}" for name, version in named if name.startswith(COMPILERS)))


@cache
def _own() -> str:
    """The function that compiles and reads the report, of which what is kept is a copy."""
    return Path(compile_cubin.__code__.co_filename).read_text("utf-8")


def resources_of(path: Path, macros: Sequence[str], architecture: int) -> tuple[KernelResources, ...]:
    """As ``compile_cubin(...).resources``: compiled where this was never done before. Raises DeviceError."""
    text = source_text(path)

    def make(made: Path) -> None:
        found = compile_cubin(path, macros, architecture).resources
        made.write_text(json.dumps([asdict(kernel) for kernel in found]), "utf-8")

    made_of = (text, headers_of(text), path.name, compile_options(macros), architecture, _compiler(), _own())
    report = kept(f"nvrtc/{digest(*made_of)}.json", make)
    return tuple(KernelResources(**kernel) for kernel in json.loads(report.read_text("utf-8")))
