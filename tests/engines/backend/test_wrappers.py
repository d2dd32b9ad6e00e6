"""Compiled functions have no wrapper for callers in C, unless they ask for one."""

from __future__ import annotations

import pytest
from numba.core.compiler import Flags
from numba.core.cpu import CPUTargetOptions

import engines.backend.threads  # noqa: F401  # which who compiles imports
from engines.backend.compile.wrappers import leave_out_wrappers_for_c


@pytest.mark.parametrize(
    ("options", "left_out"), [({}, True), ({"no_cfunc_wrapper": False}, False), ({"parallel": True}, True)]
)
def test_wrappers_for_c_are_left_out(options, left_out):
    assert CPUTargetOptions.parse_as_flags(Flags(), options).no_cfunc_wrapper is left_out


def test_leaving_them_out_again_changes_nothing():
    finalize = CPUTargetOptions.finalize
    leave_out_wrappers_for_c()
    assert CPUTargetOptions.finalize is finalize
