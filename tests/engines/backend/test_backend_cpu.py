"""The CPU backend against NumPy, and two threads that use it at once."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Selection
from engines.backend import threads
from engines.backend.cpu import CpuBackend
from engines.backend.fields.cpu_kernels import SCAN_CHUNK


@pytest.fixture(scope="module", params=["few by NumPy", "all by kernels"])
def backend(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "all by kernels":
            patch.setattr("engines.backend.cpu.FEW", 0)
        yield CpuBackend()


def reference_means(values, elements, offsets, missing=None):
    """Means over runs in float64, one run at a time."""
    result = []
    for begin, end in itertools.pairwise(offsets):
        run = values[elements[begin:end]].astype(float)
        kept = run if missing is None else run[run != missing]
        result.append(kept.mean() if len(kept) else (missing if len(run) and missing is not None else np.nan))
    return np.array(result)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_gather_takes_the_elements_in_their_order(backend, dtype):
    values = np.arange(1000, dtype=dtype) * 3
    elements = np.array([999, 0, 7, 7, 500], np.int32)
    got = backend.gather(values, backend.select(Selection(elements)))
    assert got.dtype == np.float32
    assert got.tolist() == [2997, 0, 21, 21, 1500]


def test_gather_of_components_in_either_layout(backend):
    structure_of_arrays = np.random.default_rng(1).normal(size=(3, 200)).astype(np.float32)
    elements = np.array([5, 199, 0], np.int32)
    handle = backend.select(Selection(elements))
    expected = structure_of_arrays.T[elements]
    np.testing.assert_array_equal(backend.gather(structure_of_arrays.T, handle), expected)
    np.testing.assert_array_equal(backend.gather(np.ascontiguousarray(structure_of_arrays.T), handle), expected)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_means_over_runs(seed, lengths):
    backend = CpuBackend()
    random = np.random.default_rng(seed)
    values = random.normal(size=100).astype(np.float32)
    values[random.random(100) < 0.4] = -1.0
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    elements = random.integers(0, 100, offsets[-1]).astype(np.int32)
    handle = backend.select(Selection(elements, offsets))
    # The sum is in float64; what is left is the rounding of the result to float32, half a unit in the last place.
    plain = backend.gather(values, handle)
    np.testing.assert_array_equal(plain, reference_means(values, elements, offsets).astype(np.float32))
    skipping = backend.gather(values, handle, missing=-1.0)
    np.testing.assert_array_equal(skipping, reference_means(values, elements, offsets, -1.0).astype(np.float32))


def test_a_missing_value_that_float32_rounds_is_still_missing(backend):
    values = np.array([1e30, 2.0], np.float32)
    handle = backend.select(Selection(np.array([0, 1], np.int32), np.array([0, 2], np.int32)))
    assert backend.gather(values, handle, missing=1e30).tolist() == [2.0]
    values = np.array([np.nan, 2.0], np.float32)
    assert backend.gather(values, handle, missing=np.nan).tolist() == [2.0]


def test_results_do_not_change_with_the_next_gather(backend):
    values = np.arange(10, dtype=np.float32)
    handle = backend.select(Selection(np.arange(10, dtype=np.int32)))
    first = backend.gather(values, handle)
    values += 1
    backend.gather(values, handle)
    assert first.tolist() == list(range(10))


def test_a_selection_beyond_the_field_is_refused(backend):
    handle = backend.select(Selection(np.array([10], np.int32)))
    with pytest.raises(ValueError, match="element 10 of a field of 10"):
        backend.gather(np.zeros(10, np.float32), handle)
    with pytest.raises(ValueError, match="indices from 0"):
        backend.select(Selection(np.array([-1], np.int32)))
    for offsets in ([0, 3], [1, 0], [], [-1, 1]):
        with pytest.raises(ValueError, match="offsets"):
            backend.select(Selection(np.array([1, 2], np.int32), np.array(offsets, np.int32)))


def test_an_empty_selection_gives_nothing(backend):
    assert backend.gather(np.zeros(4, np.float32), backend.select(Selection(np.empty(0, np.int32)))).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", [0, 1, SCAN_CHUNK - 1, SCAN_CHUNK, 3 * SCAN_CHUNK + 16])
def test_the_first_non_finite_value_is_found(backend, dtype, bad, where):
    values = np.full(3 * SCAN_CHUNK + 17, -np.finfo(dtype).max, dtype)  # the largest finite numbers are no alarm
    values[::3] = 0
    assert backend.first_non_finite(values) is None
    values[where] = bad
    values[-1] = np.nan
    assert backend.first_non_finite(values) == where


def test_non_finite_counts_in_c_order_and_integers_are_finite(backend):
    structure_of_arrays = np.zeros((2, 5))
    structure_of_arrays[1, 3] = np.nan
    assert backend.first_non_finite(structure_of_arrays) == 8
    assert backend.first_non_finite(structure_of_arrays.T) == 7
    assert backend.first_non_finite(np.arange(3)) is None
    assert backend.first_non_finite(np.empty(0)) is None


@pytest.mark.parametrize("n", [100, 100_000])
def test_the_first_value_beyond_a_limit_is_found(backend, n):
    values = np.ones(n)
    assert backend.first_beyond(values, 3.4e38) is None
    values[n - 2] = -1e39
    assert backend.first_beyond(values, 3.4e38) == n - 2
    assert backend.first_non_finite(values) is None
    values[n // 2] = np.nan
    assert backend.first_beyond(values, 3.4e38) == n // 2


def test_arrays_are_copies(backend):
    host = np.arange(4.0)
    device = backend.array(host)
    host[:] = 9
    back = backend.to_host(device)
    device[:] = 7
    assert back.tolist() == [0, 1, 2, 3]


def test_timings_add_up_by_kernel_and_drain_once(backend):
    backend.drain_timings()
    pause = threading.Event()
    for _ in range(3):
        with backend.timed("slow"):
            pause.wait(0.01)
    with backend.timed("batch", launches=40):
        pass
    timings = {timing.kernel: timing for timing in backend.drain_timings()}
    assert timings["slow"].launches == 3
    assert timings["batch"].launches == 40
    assert 0.03 <= timings["slow"].seconds < 3.0  # three waits of 10 ms; the bound above only tells units apart
    assert backend.drain_timings() == ()


def test_a_kernel_that_fails_is_not_timed_and_leaves_the_cores_free(backend):
    backend.drain_timings()
    with pytest.raises(ZeroDivisionError), backend.timed("broken"):
        raise ZeroDivisionError
    with pytest.raises(ValueError, match="threads"), threads.parallel_region(10_000):
        pass
    assert backend.drain_timings() == ()
    entered = threading.Event()

    def enter() -> None:
        with threads.parallel_region():
            entered.set()

    threading.Thread(target=enter, daemon=True).start()
    assert entered.wait(5)


def test_one_core_is_left_to_a_window():
    cores = threads.usable_cores()
    assert CpuBackend().threads == cores
    assert CpuBackend(reserve_core=True).threads == max(1, cores - 1)


def test_the_thread_count_is_that_of_the_region_and_comes_back():
    import numba

    before = numba.get_num_threads()
    with threads.parallel_region(1):
        assert numba.get_num_threads() == 1
        with threads.parallel_region():
            assert numba.get_num_threads() == threads.usable_cores()
        assert numba.get_num_threads() == 1
    assert numba.get_num_threads() == before


def test_parallel_regions_of_two_threads_never_overlap():
    inside, most, lock = 0, 0, threading.Lock()

    def work():
        nonlocal inside, most
        for _ in range(50):
            with threads.parallel_region():
                with lock:
                    inside += 1
                    most = max(most, inside)
                threading.Event().wait(0.0002)
                with lock:
                    inside -= 1

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert most == 1


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4.0),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({}, None),
    ],
)
def test_the_limit_of_a_container(tmp_path, files, expected):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert threads.cgroup_quota(tmp_path) == expected
