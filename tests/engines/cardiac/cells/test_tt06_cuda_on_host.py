"""``tt06.cu`` compiled as C++ and run cell by cell on the host: a slip in the CUDA source shows where there is no GPU.

Its intrinsics become the functions they approximate; the arithmetic is the file's own. What only a device can show
(the intrinsics' errors, launches) is in ``tests/gpu/test_tt06_cuda.py``.
"""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.cells import NOT_ACTIVATED, cuda, reference, tt06
from tests.cuda_on_host.loader import COMPILER, compile_for_host

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@pytest.mark.parametrize(("real", "dtype", "dt"), [("double", np.float64, 1.0), ("float", np.float32, 0.02)])
def test_the_cuda_source_equals_the_reference(random_cells, real, dtype, dt):
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
    react = compile_for_host(cuda.SOURCE.read_text("utf-8"), (f"-DREAL={real}",), "tt06").get_function("react")
    react(
        (-(-n // 64),), (64,),
        (
            states, np.int64(stride), voltage, before, activation, kinds, mask, np.uint32(1 << 0 | 1 << 5 | 1 << 31),
            currents, dtype(1.0), dtype(0.0), dtype(7.0), dtype(dt), np.int64(n),
        ),
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
