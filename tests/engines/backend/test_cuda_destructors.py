"""CuPy's destructors raise on a device that is lost: nobody is told once a CUDA device was opened."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engines.backend.devices.cuda_status import cuda_status

LOST = """
import ctypes, sys
from cupy.cuda.function import Module
from engines.backend.devices.cuda_errors import hush_destructors

def module_that_cannot_be_unloaded():
    module = Module()
    held = (ctypes.c_int64 * (module.__sizeof__() // 8)).from_address(id(module))
    for place in range(2, len(held)):  # where its pointer to CUDA's module is depends on the build
        before, held[place] = held[place], 12345 if held[place] == 0 else held[place]
        if module.ptr == 12345:
            return module
        held[place] = before
    raise LookupError("no pointer found")

if "hushed" in sys.argv:
    hush_destructors()
module = module_that_cannot_be_unloaded()
del module
kept = sys.modules["collections"].kept = module_that_cannot_be_unloaded()  # until the interpreter ends
"""


def told(*arguments: str, then: str = "") -> str:
    done = subprocess.run([sys.executable, "-c", LOST + then, *arguments], capture_output=True, text=True, timeout=60)
    return done.stderr


def test_what_destructors_raise_is_not_told_and_what_calls_raise_is():
    pytest.importorskip("cupy")
    if cuda_status().devices:
        pytest.skip("the driver is given a pointer that is none; tests/gpu/test_real_faults.py provokes the real one")
    assert "Exception ignored in: 'cupy.cuda.function.Module.__dealloc__'" in told()
    assert told("hushed") == ""
    ours = told("hushed", then="Module().load(b'')\n")
    assert 'File "<string>"' in ours, ours
    assert "cudaErrorInsufficientDriver" in ours, ours
