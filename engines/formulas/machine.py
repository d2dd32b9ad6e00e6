"""Instructions of a kernel read from its compiled code.

NVRTC compiles for a GPU that need not be there. PTX is NVIDIA's documented assembly; divisions and roots in float64 are
one instruction there. The machine code has them written out; only the operations counted here are known in it.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

_INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z][a-z0-9]*)((?:\.\w+)*)\s", re.MULTILINE)
_KINDS = {"add": "add", "sub": "add", "mul": "mul", "fma": "fma", "mad": "fma"}
_SPECIAL = ("div", "rcp", "ex2", "lg2", "sqrt", "rsqrt")
_MACHINE = {
    "float32": {0x021: "add", 0x020: "mul", 0x023: "fma"},
    "float64": {0x029: "add", 0x028: "mul", 0x02B: "fma"},
}
"""The nine lowest bits of FADD, FMUL, FFMA and of DADD, DMUL, DFMA in the 16-byte instructions from sm_70 on; the tests
check them by kernels of known operations."""


@dataclass(frozen=True)
class Counted:
    """Floating-point instructions of one precision. ``other``: divisions, reciprocals, exponentials, roots …, by
    their PTX names."""

    add: int
    mul: int
    fma: int
    other: Mapping[str, int]

    @property
    def total(self) -> int:
        """ADD, MUL and FMA, as the thesis counts."""
        return self.add + self.mul + self.fma


def count_ptx(text: str, precision: str) -> Counted:
    """Of a whole PTX text. A division by the special function unit counts as ``div``, as the exact one does."""
    suffix = ".f32" if precision == "float32" else ".f64"
    found: Counter[str] = Counter()
    for match in _INSTRUCTION.finditer(text):
        if match[2].endswith(suffix) and match[1] in (*_KINDS, *_SPECIAL):
            found[_KINDS.get(match[1], match[1])] += 1
    other = {name: found[name] for name in _SPECIAL if found[name]}
    return Counted(found["add"], found["mul"], found["fma"], other)


def count_machine_code(cubin: bytes, precision: str) -> Counted:
    """Of all functions in a cubin, which is an ELF file. Raises ValueError if it is none of 64 bit."""
    found: Counter[str] = Counter()
    for section in _code(cubin):
        for at in range(0, len(section) - 15, 16):
            (low,) = struct.unpack_from("<H", section, at)
            name = _MACHINE[precision].get(low & 0x1FF)
            if name is not None:
                found[name] += 1
    return Counted(found["add"], found["mul"], found["fma"], {})


def _code(cubin: bytes) -> list[bytes]:
    """The sections of executable code of an ELF file."""
    if cubin[:5] != b"\x7fELF\x02":
        raise ValueError("this is no 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    size, number = struct.unpack_from("<HH", cubin, 0x3A)
    sections = []
    for k in range(number):
        _, _, flags, _, offset, length = struct.unpack_from("<IIQQQQ", cubin, table + k * size)
        if flags & 0x4:  # SHF_EXECINSTR
            sections.append(cubin[offset : offset + length])
    return sections
