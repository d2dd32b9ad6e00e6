"""The text of a CUDA source as the compiler gets it, and the options that all kernels share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

ENGINES = Path(__file__).resolve().parents[2]
"""Folder of the package ``engines``: the one include path, so ``#include "cardiac/cells/gates.cuh"`` works anywhere."""

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def compile_options(macros: Sequence[str]) -> tuple[str, ...]:
    """NVRTC options of every kernel, then ``macros`` (``"-DREAL=float"``)."""
    return ("-std=c++17", f"-I{ENGINES.as_posix()}", *macros)


def source_text(path: Path) -> str:
    """The file, with the digest of the headers it includes as its last line.

    CuPy's kernel cache knows a kernel by this text and the options, not by its headers: without the digest a
    changed header would go on running the old code.
    """
    text = path.read_text(encoding="utf-8")
    headers = headers_of(text)
    if not headers:
        return text
    digest = hashlib.sha256("\0".join(f"{name}\0{headers[name]}" for name in sorted(headers)).encode()).hexdigest()
    return f"{text}\n// headers {digest}\n"


def headers_of(text: str) -> dict[str, str]:
    """Names and texts of all headers that this text includes, and they in turn, in their order."""
    return _headers(text, {})


def _headers(text: str, seen: dict[str, str]) -> dict[str, str]:
    for name in _INCLUDE.findall(text):
        header = ENGINES / name
        if name not in seen and header.is_file():
            seen[name] = header.read_text(encoding="utf-8")
            _headers(seen[name], seen)
    return seen


def source_digest(path: Path) -> str:
    """A short digest of the source and its headers, for keys of what was measured with it."""
    return hashlib.sha256(source_text(path).encode()).hexdigest()[:16]
