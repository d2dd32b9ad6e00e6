"""What a ``.cu`` file says of itself: the sets of macros it is launched with, and the stack its kernels may use.

Lines of the comment at the top of the file:

    // variants: -DREAL=float; -DREAL=double -DCELLS=4     sets of compiler options, separated by semicolons
    // any: VARIED                                         macros that may have any value beside the declared ones
    // stack: my_kernel 128                                bytes of local memory that my_kernel needs on purpose

A file without ``variants`` is compiled once, without macros; a kernel without ``stack`` must use none. No kernel
may spill registers. The launcher compiles with the same strings, so what is checked is what runs.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"^//\s*(variants|any|stack):\s*(.+?)\s*$", re.MULTILINE)

Variant = tuple[str, ...]


@dataclass(frozen=True)
class Declared:
    """The declarations of one ``.cu`` file. ``stack`` maps a kernel to the bytes it may use; ``any`` names macros
    whose value is free where a variant has them: the declared values stand for all."""

    variants: tuple[Variant, ...]
    stack: dict[str, int]
    any: tuple[str, ...] = ()

    def allows(self, macros: Variant) -> bool:
        return self._shape(macros) in map(self._shape, self.variants)

    def _shape(self, macros: Variant) -> Variant:
        """The macros without the values that are free."""
        return tuple(m.partition("=")[0] if m[2:].partition("=")[0] in self.any else m for m in macros)


def declared(text: str) -> Declared:
    """Read the declarations from the text of a ``.cu`` file; raises ValueError for a stack line of another form."""
    variants: list[Variant] = []
    stack: dict[str, int] = {}
    free: list[str] = []
    for keyword, value in _LINE.findall(text):
        if keyword == "variants":
            variants += [tuple(shlex.split(options)) for options in value.split(";") if options.strip()]
        elif keyword == "any":
            free += value.split()
        else:
            kernel, size = value.split()
            stack[kernel] = int(size)
    return Declared(tuple(variants) or ((),), stack, tuple(free))


def check_declared(path: Path, macros: Variant) -> None:
    """Raise ValueError, which lists the variants there are, if ``path`` does not declare ``macros``."""
    known_to = declared(path.read_text(encoding="utf-8"))
    if not known_to.allows(macros):
        known = "; ".join(" ".join(variant) or "no macros" for variant in known_to.variants)
        raise ValueError(f"{path.name} does not declare the variant '{' '.join(macros)}' (it declares: {known})")


def sources(root: Path) -> list[Path]:
    """All ``.cu`` files below ``root``, sorted."""
    return sorted(root.rglob("*.cu"))
