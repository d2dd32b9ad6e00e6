"""Functions of typed neurons by themselves, over all that float32 holds: NumPy's value, and the same bits on a GPU.

A rounding of float32 is 6e-8 of a value; the functions add up some of them. Exponentials are bounded at e^88.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from engines.formulas.graph import OPERATIONS
from engines.spiking.typed.cpu_functions import FUNCTIONS
from engines.spiking.typed.cuda_source import OWN
from tests.cuda_on_host.loader import COMPILER, compile_for_host

ALONE = ("exp", "log", "log10", "sqrt", "tanh", "sinh", "cosh", "sin", "cos", "tan", "atan", "floor")
SPECIAL = [0.0, np.inf, -np.inf, np.nan, 1e9, 3e38]
SIZES = np.geomspace(1e-6, 1e8, 3000)
X = np.concatenate([SIZES, -SIZES, SPECIAL]).astype(np.float32)
LARGEST = {"exp": 87.0, "sinh": 87.0, "cosh": 87.0}
"""Of arguments: beyond, the value is that of the bound."""
SOURCE = """// A function of each value.
#define TYPED_NEURONS
#include "spiking/typed/functions.cuh"
extern "C" __global__ void all(const float* values, float* found, const int n) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) found[i] = F({}).v;
}}
"""


def by_cpu(name: str) -> np.ndarray:
    function = njit(error_model="numpy")(FUNCTIONS[name])

    @njit(error_model="numpy")
    def all_of(values, found):
        for i in range(len(values)):
            found[i] = function(values[i])

    found = np.empty_like(X)
    all_of(X, found)
    return found


@pytest.mark.parametrize("name", ALONE)
def test_a_function_is_numpys_and_what_is_no_number_stays_so(name):
    found = by_cpu(name)
    with np.errstate(all="ignore"):
        wanted = OPERATIONS[name](X.astype(float))
    inside = np.abs(X) <= LARGEST.get(name, np.inf)
    if name in ("sin", "cos", "tan"):
        inside = np.abs(X) <= 1e9
        assert np.isnan(found[~inside]).all()
    assert (np.isnan(found) == np.isnan(wanted))[inside | np.isnan(X)].all()
    known = inside & np.isfinite(wanted)
    assert (found[inside & np.isinf(wanted)] == wanted[inside & np.isinf(wanted)]).all()
    slope = 1 + wanted[known] ** 2 if name == "tan" else 1.0  # near its poles
    error = np.abs(found[known] - wanted[known])
    near_zero = np.minimum(np.abs(X[known]), 1.0)  # sin, tan, sinh: parts of the argument; others: of 1
    scale = np.maximum(np.abs(wanted[known]), near_zero if name in ("sin", "tan", "sinh", "tanh", "atan") else 1.0)
    assert (error <= 5e-7 * scale * slope).all(), X[known][np.argmax(error / scale / slope)]


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("name", ALONE)
def test_a_gpu_has_the_same_bits(name):
    kernel = compile_for_host(SOURCE.format(OWN[name].format("F(values[i])")), (), f"function_{name}").get_function(
        "all"
    )
    found = np.empty_like(X)
    kernel((-(-len(X) // 32),), (32,), (X, found, np.int32(len(X))))
    np.testing.assert_array_equal(found, by_cpu(name))
