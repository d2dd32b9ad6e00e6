"""``tt06.cu`` compiled as C++ and run cell by cell on the host: a slip in the CUDA source shows where there is no GPU.

Its intrinsics become the functions they approximate; the arithmetic is the file's own. What only a device can show
(the intrinsics' errors, launches) is in ``tests/gpu/test_tt06_cuda.py``.
"""

import numpy as np
import pytest

from engines.cardiac.cells import cuda, reference, tt06
from engines.cardiac.cells.kinds import CELL_TYPES, changed, kinds_table, varied
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from tests.cuda_on_host.loader import COMPILER, compile_for_host
from tests.engines.cardiac.cells.conftest import changes_of, random_kinds

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@pytest.mark.parametrize("kinds_of", [lambda: CELL_TYPES, random_kinds], ids=["types", "kinds"])
@pytest.mark.parametrize(("real", "dtype", "dt"), [("double", np.float64, 1.0), ("float", np.float32, 0.02)])
def test_the_cuda_source_equals_the_reference(random_cells, real, dtype, dt, kinds_of):
    """double: 1e-10 of the change in 1 ms; float: a few roundings of what is stored and of the change in 0.02 ms."""
    n, stride = 1000, 1024
    physical, types = random_cells(n, seed=30)
    of = kinds_of()
    kinds = (types + 3 * np.random.default_rng(3).integers(0, len(of) // 3, n)).astype(np.uint8)
    table = kinds_table(of, dtype)
    mask = np.random.default_rng(30).integers(0, 2**32, n, dtype=np.uint32)
    currents = np.zeros(32, dtype)
    currents[[0, 5, 31]] = 10.0, -4.0, 7.0
    states, voltage = np.zeros((18, stride), dtype), np.zeros(stride, dtype)
    states[:, :n], voltage[:n] = physical[1:] - tt06.offsets(types), physical[0]
    activation = np.full(stride, NOT_ACTIVATED, dtype)
    stored = states[:, :n].astype(float)
    state = np.array([voltage[:n].astype(float), *(stored + tt06.offsets(types))])

    before = voltage.copy()
    macros = (f"-DREAL={real}", *([f"-DVARIED={varied(of):#x}u"] if changed(of) else []))
    react = compile_for_host(cuda.SOURCE.read_text("utf-8"), macros, "tt06").get_function("react")
    react(
        (-(-n // 64),), (64,),
        (
            states, np.int64(stride), voltage, before, activation, kinds, table, np.int32(len(of)), mask,
            np.uint32(1 << 0 | 1 << 5 | 1 << 31), currents, dtype(1.0), dtype(0.0), dtype(7.0), None,
            dtype(dt), np.int64(n),
        ),
    )  # fmt: skip

    stimulus = sum(float(currents[k]) * ((mask >> k) & 1) for k in (0, 5, 31))
    expected = reference.step(state, types, dt, stimulus, stimulus_moves_potassium=True, changes=changes_of(of, kinds))
    got = np.array([voltage[:n].astype(float), *(states[:, :n].astype(float) + tt06.offsets(types))])
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


@pytest.mark.parametrize("kinds_of", [lambda: CELL_TYPES, random_kinds], ids=["types", "kinds"])
def test_groups_that_are_due_react_as_all_cells(random_cells, kinds_of):
    """Waiting for three steps is one step three times as long, and a stimulus of a step does not last longer."""
    n, dt, of, real = 100, 0.02, kinds_of(), np.float64
    physical, types = random_cells(n, seed=31)
    macros = ("-DREAL=double", *([f"-DVARIED={varied(of):#x}u"] if changed(of) else []))
    source, table = cuda.SOURCE.read_text("utf-8"), kinds_table(of, real)
    mask, due = np.ones(n, np.uint32), np.array([3, 0, 2], np.int32)
    found = []
    for grouped in (False, True):
        states, voltage = physical[1:] - tt06.offsets(types), physical[0].copy()
        activation = np.full(n, NOT_ACTIVATED)
        step, current = (dt, 9.0) if grouped else (3 * dt, 3.0)
        arguments = (
            states, np.int64(n), voltage, voltage.copy(), activation, types, table, np.int32(len(of)), mask,
            np.uint32(1), np.full(32, current), real(1.0), real(0.0), real(7.0), None, real(step), np.int64(n),
        )  # fmt: skip
        if grouped:
            waiting, hold = np.full(4, 3, np.int32), np.zeros(4, np.int32)
            low, high = np.zeros(4), np.zeros(4)
            groups = (due, np.array([3], np.int32), waiting, hold, low, high, real(4.0), np.int32(100))
            kernel = compile_for_host(source, (*macros, "-DGROUPS"), "tt06").get_function("react_groups")
            kernel((1,), (64,), (*arguments, *groups))
            np.testing.assert_array_equal(waiting, [0, 3, 0, 0])
            assert low[2] == voltage[64:96].min()
            assert high[3] == voltage[96:].max()
        else:
            compile_for_host(source, macros, "tt06").get_function("react")((2,), (64,), arguments)
        found.append(np.array([voltage, *states]))
    waits = np.arange(n) // 32 == 1
    np.testing.assert_allclose(found[1][:, ~waits], found[0][:, ~waits], rtol=1e-14, atol=1e-17)
    np.testing.assert_array_equal(found[1][0, waits], physical[0, waits])
