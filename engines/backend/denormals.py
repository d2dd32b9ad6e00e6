"""Numbers below the smallest normal one (1.2e-38 in float32) become zero, as they do on a GPU.

A wave or a front leaves such numbers before it, each cell a factor smaller than the one behind, and a processor takes
some 150 cycles for every vector in which it makes one: heat that enters a cold plate took five times as long, and a
kernel's speed told more of its state than of itself. Numbers that are loaded are taken as they are.
"""

from __future__ import annotations

import platform
import threading
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, prange
from numba.core import cgutils, types
from numba.extending import intrinsic

FLUSH = 1 << 15
"""Of a thread's MXCSR: results below the smallest normal number are zero."""
KNOWN = platform.machine().lower() in ("x86_64", "amd64")
"""Other processors have other registers, and make such numbers at nearly full speed."""

_own = threading.local()
"""Of each thread that starts loops: on how many that share them numbers are flushed."""


@intrinsic
def _control(context: Any) -> Any:
    """The thread's MXCSR."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = cgutils.alloca_once(builder, ir.IntType(32))
        _call(builder, "llvm.x86.sse.stmxcsr", word)
        return builder.load(word)

    return types.uint32(), code


@intrinsic
def _set_control(context: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _call(builder, "llvm.x86.sse.ldmxcsr", cgutils.alloca_once_value(builder, arguments[0]))
        return context.get_dummy_value()

    return types.void(types.uint32), code


def _call(builder: Any, name: str, word: Any) -> None:
    place = builder.bitcast(word, ir.IntType(8).as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [place.type])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [place])


@njit(nogil=True, cache=True)
def _flush() -> int:
    before = _control()
    _set_control(np.uint32(before | FLUSH))
    return before


@njit(nogil=True, cache=True)
def _restore(before: int) -> None:
    _set_control(np.uint32(before))


@njit(nogil=True, cache=True, parallel=True)
def _flush_on(threads: int) -> None:
    """Each of ``threads`` threads takes one turn, and flushes from then on."""
    for _ in prange(threads):
        _set_control(np.uint32(_control() | FLUSH))


def flush() -> int:
    """From now on on this thread, and on Linux on threads that it starts; what :func:`restore` takes. Some 0.3 µs."""
    return int(_flush()) if KNOWN else 0


def flush_on(threads: int) -> None:
    """From now on on so many of the threads that share loops with this one, which do nothing else. Once for each."""
    if KNOWN and threads > getattr(_own, "flushed", 1):
        _own.flushed = threads
        _flush_on(threads)


def restore(before: int) -> None:
    """As it was before :func:`flush`."""
    if KNOWN:
        _restore(before)
