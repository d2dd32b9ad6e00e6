"""Names that a CUDA kernel and its twin on the CPU share: declared once in Python, written from there as a header.

An enumeration becomes one in a namespace of its own, so that ``Row.VOLTAGE`` of the Numba twin is ``Row::VOLTAGE``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


def header(
    source: str, command: str, numbers: Mapping[str, float | str], *enumerations: type[IntEnum], real: str = "REAL"
) -> str:
    """The text of a header of what ``source`` declares, which ``python -m command`` writes.

    A number that is no integer is of the type ``real``; a text stands as it is.
    """
    lines = [f"// Names of {source}, which says what they are; written by `python -m {command}`.", "#pragma once", ""]
    for name, value in numbers.items():
        if isinstance(value, int):
            lines.append(f"constexpr int {name} = {value};")
        else:
            lines.append(f"constexpr {real} {name} = {value if isinstance(value, str) else f'{real}({value!r})'};")
    for enumeration in enumerations:
        lines += ["", f"namespace {enumeration.__name__} {{", "enum {"]
        lines += [f"    {each.name} = {each.value}," for each in enumeration]
        lines += ["};", "}"]
    return "\n".join([*lines, ""])
