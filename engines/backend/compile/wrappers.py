"""Numba compiles what is called, and no more: a function's wrapper for callers in C is left out.

Every ``njit`` function comes with one, for functions that are handed over as values and called by pointer; nothing here
is (laws are ``cfunc``, which have theirs). Without it compiling takes a tenth less, and gives the same kernels.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from numba.core.cpu import CPUTargetOptions


def leave_out_wrappers_for_c() -> None:
    """In all that this process compiles from now on, unless ``njit(no_cfunc_wrapper=False)`` says otherwise."""
    finalize = CPUTargetOptions.finalize
    if hasattr(finalize, "__wrapped__"):  # was done before
        return

    @wraps(finalize)
    def finalize_without(self: CPUTargetOptions, flags: Any, options: dict[str, Any]) -> None:
        finalize(self, flags, options)
        flags.inherit_if_not_set("no_cfunc_wrapper", default=True)

    CPUTargetOptions.finalize = finalize_without
