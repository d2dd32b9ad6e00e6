"""What NVRTC makes of a kernel, kept: the same text, compiler, options and architecture give the same code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import pytest

from engines.api.errors import DeviceError
from engines.backend.compile.nvrtc import KernelResources, compile_cubin, supported_architectures
from engines.backend.compile.source import compile_options, headers_of, source_text
from tests.kept import digest, kept

COMPILERS = ("cupy-cuda", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime")


@cache
def known_architectures() -> tuple[int, ...]:
    try:
        return supported_architectures()
    except (ImportError, DeviceError) as error:
        pytest.skip(f"no NVRTC on this platform: {error}")


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


def assert_no_spills(path: Path, macros: Sequence[str], *architectures: int) -> None:
    """On these, or on all that the compiler knows."""
    for architecture in architectures or known_architectures():
        for kernel in resources_of(path, macros, architecture):
            assert (kernel.spill_stores, kernel.spill_loads) == (0, 0), f"{kernel} for sm_{architecture}"
