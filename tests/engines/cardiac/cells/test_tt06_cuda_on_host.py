"""``tt06.cu`` compiled as C++ and run cell by cell on the host: a slip in the CUDA source shows where there is no GPU.

CUDA's words become nothing, its intrinsics the functions they approximate; the arithmetic is the file's own. What
only a device can show (the intrinsics' errors, launches) is in ``tests/gpu/test_tt06_cuda.py``.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from engines.backend.source import ENGINES
from engines.cardiac.cells import NOT_ACTIVATED, cuda, reference, tt06

COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

BEFORE = """
#include <cmath>
using std::exp; using std::fma; using std::log; using std::sqrt;
#define __device__
#define __global__
#define __constant__ static
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __restrict__
struct Index { long long x; };
static Index blockIdx, blockDim = {1}, threadIdx = {0};
static float fast_exp(float x) { return std::exp(x); }
static float fast_log(float x) { return std::log(x); }
static float fast_sqrt(float x) { return std::sqrt(x); }
static float fast_divide(float a, float b) { return a / b; }
static int first_bit(unsigned x) { int k = 1; while (!(x & 1)) { x >>= 1; ++k; } return k; }
"""
AFTER = """
extern "C" void react_all(REAL* states, long long stride, REAL* voltage, const REAL* before, REAL* activation,
                          const unsigned char* types, const unsigned* mask, unsigned active, const REAL* currents,
                          REAL potassium_share, REAL threshold, REAL time, REAL dt, long long n_cells) {
    for (blockIdx.x = 0; blockIdx.x < n_cells; ++blockIdx.x)
        react(states, stride, voltage, before, activation, types, mask, active, currents, potassium_share, threshold,
              time, nullptr, dt, n_cells);
}
"""
WORDS = {
    "__expf": "fast_exp", "__logf": "fast_log", "__fsqrt_rn": "fast_sqrt", "__fdividef": "fast_divide",
    "__ffs": "first_bit",
}  # fmt: skip


def compile_for_host(folder: Path, real: str) -> ctypes.CDLL:
    source = cuda.SOURCE.read_text("utf-8")
    # The hardware's reciprocal has 20 bits; a float's 24 leave the same Newton steps to do.
    source, replaced = re.subn(r'asm\("rcp\.approx.*;', "r = 1.0f / static_cast<float>(b);", source)
    assert replaced == 1
    for word, stand_in in WORDS.items():
        source = source.replace(word, stand_in)
    path, library = folder / "tt06.cpp", folder / "tt06.so"
    path.write_text(BEFORE + source + AFTER, "utf-8")
    command = [COMPILER, "-std=c++17", "-O1", "-shared", "-fPIC", f"-DREAL={real}", f"-I{ENGINES}", "-o", library, path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize(("real", "dtype", "dt"), [("double", np.float64, 1.0), ("float", np.float32, 0.02)])
def test_the_cuda_source_equals_the_reference(tmp_path, random_cells, real, dtype, dt):
    """double: 1e-10 of the change in 1 ms; float: a few roundings of what is stored and of the change in 0.02 ms."""
    n, stride = 1000, 1024
    physical, kinds = random_cells(n, seed=30)
    mask = np.random.default_rng(30).integers(0, 2**32, n, dtype=np.uint32)
    currents = np.zeros(32, dtype)
    currents[[0, 5, 31]] = 10.0, -4.0, 7.0
    states, voltage = np.zeros((18, stride), dtype), np.zeros(stride, dtype)
    states[:, :n], voltage[:n] = physical[1:] - tt06.offsets(kinds), physical[0]
    activation = np.full(stride, NOT_ACTIVATED, dtype)
    stored = states[:, :n].astype(float)
    state = np.array([voltage[:n].astype(float), *(stored + tt06.offsets(kinds))])

    before = voltage.copy()
    number = ctypes.c_double if real == "double" else ctypes.c_float
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (voltage, before, activation, kinds, mask)]
    compile_for_host(tmp_path, real).react_all(
        states.ctypes.data_as(ctypes.c_void_p), ctypes.c_longlong(stride), *pointers,
        ctypes.c_uint(1 << 0 | 1 << 5 | 1 << 31), currents.ctypes.data_as(ctypes.c_void_p),
        number(1.0), number(0.0), number(7.0), number(dt), ctypes.c_longlong(n),
    )  # fmt: skip

    stimulus = sum(float(currents[k]) * ((mask >> k) & 1) for k in (0, 5, 31))
    expected = reference.step(state, kinds, dt, stimulus, stimulus_moves_potassium=True)
    got = np.array([voltage[:n].astype(float), *(states[:, :n].astype(float) + tt06.offsets(kinds))])
    relative, rounding = (1e-10, 4e-16) if real == "double" else (2e-5, 2e-7)
    for k, name in enumerate(tt06.STATES):
        size = np.abs(state[k]).max() if real == "double" or k == 0 else np.abs(stored[k - 1]).max()
        tolerance = relative * np.abs(expected[k] - state[k]).max() + rounding * size
        np.testing.assert_allclose(got[k], expected[k], rtol=0, atol=tolerance, err_msg=name)

    crossed = (state[0] < 0) & (got[0] >= 0)
    assert crossed.any()
    np.testing.assert_array_equal(activation[:n] >= 0, crossed)
    times = 7.0 - dt * state[0][crossed] / (got[0] - state[0])[crossed]
    np.testing.assert_allclose(activation[:n][crossed], times, rtol=2e-7)
