"""What a ``.cu`` file says of itself: the sets of macros it is launched with, and the stack its kernels may use.

Lines of the comment at the top of the file:

    // variants: -DREAL=float; -DREAL=double -DCELLS=4     sets of compiler options, separated by semicolons
    // stack: my_kernel 128                                bytes of local memory that my_kernel needs on purpose

A file without ``variants`` is compiled once, without macros; a kernel without ``stack`` must use none. No kernel
may spill registers. The launcher compiles with the same strings, so what is checked is what runs.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"^//\s*(variants|stack):\s*(.+?)\s*$", re.MULTILINE)

Variant = tuple[str, ...]


@dataclass(frozen=True)
class Declared:
    """The declarations of one ``.cu`` file. ``stack`` maps a kernel to the bytes it may use."""

    variants: tuple[Variant, ...]
    stack: dict[str, int]


def declared(text: str) -> Declared:
    """Read the declarations from the text of a ``.cu`` file; raises ValueError for a stack line of another form."""
    variants: list[Variant] = []
    stack: dict[str, int] = {}
    for keyword, value in _LINE.findall(text):
        if keyword == "variants":
            variants += [tuple(shlex.split(options)) for options in value.split(";") if options.strip()]
        else:
            kernel, size = value.split()
            stack[kernel] = int(size)
    return Declared(tuple(variants) or ((),), stack)


def check_declared(path: Path, macros: Variant) -> None:
    """Raise ValueError, which lists the variants there are, if ``path`` does not declare ``macros``."""
    variants = declared(path.read_text(encoding="utf-8")).variants
    if macros not in variants:
        known = "; ".join(" ".join(variant) or "no macros" for variant in variants)
        raise ValueError(f"{path.name} does not declare the variant '{' '.join(macros)}' (it declares: {known})")


def sources(root: Path) -> list[Path]:
    """All ``.cu`` files below ``root``, sorted."""
    return sorted(root.rglob("*.cu"))
