"""The CUDA backend against NumPy: gathering, looking for NaN, timing, ceilings, pinned copies and memory."""

from __future__ import annotations

import gc
import itertools
import threading

import numpy as np
import pytest

from engines.api import Selection
from engines.api.errors import DeviceError
from engines.backend import open_backend
from engines.backend.ceilings import memory as ceilings
from engines.backend.ceilings.memory import SOURCE
from engines.backend.compile.nvrtc import compile_cubin
from engines.backend.compile.warm import all_variants, warm_cuda
from engines.backend.cpu import CpuBackend

pytestmark = pytest.mark.gpu

N = 1_000_003


def random_field(seed: int, dtype=np.float32) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=N) * 100).astype(dtype)


def random_runs(seed: int, count: int = 20_000) -> Selection:
    random = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(random.integers(0, 12, count))]).astype(np.int32)
    return Selection(random.integers(0, N, offsets[-1]).astype(np.int32), offsets)


def test_the_device_says_what_it_is(gpu):
    info = gpu.info
    assert info.kind == "cuda"
    assert info.id == gpu.id == "cuda:0"
    assert info.memory_bytes > 1 << 30
    assert float(info.compute_capability) >= 7.5
    assert set(info.versions) == {"cupy", "cuda_runtime", "cuda_driver", "nvrtc"}
    assert info.driver


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8])
def test_gather(gpu, dtype):
    values = random_field(1).astype(dtype)
    elements = np.random.default_rng(2).integers(0, N, 50_001).astype(np.int32)
    elements[:2] = 0, N - 1
    got = gpu.gather(gpu.array(values), gpu.select(Selection(elements)))
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, values[elements].astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_means_over_runs_equal_those_of_the_cpu(gpu, dtype):
    values, runs = random_field(3, dtype), random_runs(4)
    cpu = CpuBackend()
    expected = cpu.gather(values, cpu.select(runs))
    # Both sum in float64 in the same order and divide in float64: not a bit may differ.
    np.testing.assert_array_equal(gpu.gather(gpu.array(values), gpu.select(runs)), expected)


@pytest.mark.parametrize("missing", [-1.0, 1e30, np.nan])
def test_missing_values_do_not_enter_means(gpu, missing):
    values, runs = random_field(5), random_runs(6)
    values[np.random.default_rng(7).random(N) < 0.5] = missing
    cpu = CpuBackend()
    expected = cpu.gather(values, cpu.select(runs), missing)
    assert np.isclose(expected, np.float32(missing), equal_nan=True).any()
    np.testing.assert_array_equal(gpu.gather(gpu.array(values), gpu.select(runs), missing), expected)


def test_components_in_either_layout(gpu):
    structure_of_arrays = random_field(8)[: 3 * 1000].reshape(3, 1000)
    handle = gpu.select(Selection(np.array([999, 0, 5], np.int32)))
    expected = structure_of_arrays.T[[999, 0, 5]]
    np.testing.assert_array_equal(gpu.gather(gpu.array(structure_of_arrays).T, handle), expected)
    np.testing.assert_array_equal(gpu.gather(gpu.array(structure_of_arrays.T.copy()), handle), expected)


def test_a_gathered_array_is_the_callers_own(gpu):
    handle = gpu.select(Selection(np.arange(10, dtype=np.int32)))
    first = gpu.gather(gpu.array(np.arange(10, dtype=np.float32)), handle)
    second = gpu.gather(gpu.array(np.arange(1, 11, dtype=np.float32)), handle)
    assert first.tolist() == list(range(10))
    assert second.tolist() == list(range(1, 11))


def test_a_selection_beyond_the_field_is_refused(gpu):
    handle = gpu.select(Selection(np.array([10], np.int32)))
    with pytest.raises(ValueError, match="element 10 of a field of 10"):
        gpu.gather(gpu.array(np.zeros(10, np.float32)), handle)
    assert gpu.gather(gpu.array(np.zeros(3)), gpu.select(Selection(np.empty(0, np.int32)))).shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", [0, 12_345, N - 1])
def test_the_first_non_finite_value_is_found(gpu, dtype, bad, where):
    values = np.full(N, np.finfo(dtype).max, dtype)
    assert gpu.first_non_finite(gpu.array(values)) is None
    values[where:] = bad  # all that follow compete for the minimum
    assert gpu.first_non_finite(gpu.array(values)) == where
    assert gpu.first_non_finite(gpu.array(np.arange(5))) is None


def test_copies_through_pinned_memory_are_exact_while_the_stream_is_busy(gpu):
    """The gather waits for the kernels before it on the stream, and its copy ends before it returns."""
    n = 1 << 24
    field = gpu.empty(n, np.float32)
    fill = gpu.compile(SOURCE).get_function("stream_fill")
    handle = gpu.select(Selection(np.arange(0, n, 1001, dtype=np.int32)))
    for repeat in range(50):
        with gpu.active():
            for value in (-1.0, float(repeat)):
                fill((64,), (256,), (field, np.float32(value), np.int64(n // 4)))
        assert (gpu.gather(field, handle) == repeat).all()


def test_arrays_are_copies(gpu):
    host = random_field(9)
    device = gpu.array(host)
    before = host.copy()
    host[:] = 0
    np.testing.assert_array_equal(gpu.to_host(device), before)


@pytest.mark.keeps_time  # others on the card share its memory
def test_timing_is_that_of_the_device(gpu):
    """Ten copies of 256 MB take at least what the measured ceiling allows, and drain by kernel once."""
    measured = gpu.ceilings()
    n = 1 << 24  # float4
    a, c = gpu.empty(4 * n, np.float32), gpu.empty(4 * n, np.float32)
    copy = gpu.compile(SOURCE).get_function("stream_copy")
    copy_once = (-(-n // 256),), (256,), (a, c, np.int64(n))
    with gpu.active():
        copy(*copy_once)
    gpu.synchronize()
    gpu.drain_timings()
    for _ in range(10):
        with gpu.timed("copy"):
            copy(*copy_once)
    with gpu.timed("batch", launches=10):
        for _ in range(10):
            copy(*copy_once)
    gpu.synchronize()
    timings = {timing.kernel: timing for timing in gpu.drain_timings()}
    assert timings["copy"].launches == timings["batch"].launches == 10
    rate = 10 * 32 * n / timings["batch"].seconds
    # A large last-level cache (50 MB on the largest cards) may serve a tenth of the traffic; launches cost a little.
    assert 0.5 * measured.copy < rate < 1.3 * measured.copy
    assert gpu.drain_timings() == ()


def test_undrained_timings_do_not_pile_up(gpu):
    field = gpu.empty(4, np.float32)
    fill = gpu.compile(SOURCE).get_function("stream_fill")
    for _ in range(10_000):
        with gpu.timed("fill"):
            fill((1,), (1,), (field, np.float32(0), np.int64(1)))
    gpu.synchronize()
    (timing,) = gpu.drain_timings()
    assert timing.launches == 10_000
    assert timing.seconds > 0


def test_ceilings_are_plausible_and_repeat(gpu):
    first, second = ceilings._measure_cuda(gpu), ceilings._measure_cuda(gpu)
    for one, other in ((first.copy, second.copy), (first.triad, second.triad)):
        assert 10e9 < one < 20e12
        assert abs(one / other - 1) < 0.10
    assert gpu.ceilings() is gpu.ceilings()


@pytest.mark.keeps_time  # alone: others on the card change what is free
def test_closing_gives_the_memory_back():
    backend = open_backend("cuda:0")
    backend.close()  # the context itself, which stays, is there from here on
    cupy = backend.cupy
    with cupy.cuda.Device(0):
        before = cupy.cuda.runtime.memGetInfo()[0]
        backend = open_backend("cuda:0")
        field = backend.empty(1 << 28, np.uint8)
        assert cupy.cuda.runtime.memGetInfo()[0] <= before - (1 << 28)
        del field
        backend.close()
        gc.collect()
        # Modules and events come from small blocks that the driver may keep.
        assert cupy.cuda.runtime.memGetInfo()[0] >= before - (32 << 20)


def test_asking_for_too_much_is_a_sentence_and_the_device_goes_on(gpu):
    with pytest.raises(DeviceError, match="ran out of memory"):
        gpu.empty(1 << 50, np.uint8)
    np.testing.assert_array_equal(gpu.to_host(gpu.array(np.arange(3))), [0, 1, 2])


def test_two_backends_in_two_threads_do_not_disturb_each_other():
    wrong: list[str] = []

    def work(seed: int) -> None:
        backend = open_backend("cuda:0")
        values = random_field(seed)
        device = backend.array(values)
        handle = backend.select(Selection(np.arange(0, N, 7, dtype=np.int32)))
        for _ in range(100):
            if not np.array_equal(backend.gather(device, handle), values[::7]):
                wrong.append(f"thread {seed}")
        backend.close()

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_everything_declared_compiles_for_this_device_and_the_report_agrees_with_the_driver(gpu):
    warm_cuda(gpu)
    architecture = int(float(gpu.info.compute_capability) * 10 + 0.5)
    for path, macros in itertools.islice(all_variants(), 8):
        module = gpu.compile(path, macros)
        for kernel in compile_cubin(path, macros, architecture).resources:
            if kernel.registers:
                attributes = module.get_function(kernel.kernel).attributes
                assert attributes["num_regs"] == kernel.registers
                assert attributes["local_size_bytes"] == kernel.stack
                assert attributes["shared_size_bytes"] == kernel.shared


def test_a_held_device_has_nothing_left_to_enter(gpu, monkeypatch):
    """What a launch enters and leaves takes as long as it, and is entered once around a run."""
    entered = []
    contexts = gpu._current._contexts
    monkeypatch.setattr(gpu._current, "_contexts", lambda: entered.append(1) or contexts())
    with gpu.held():
        for _ in range(5):
            with gpu.active():
                array = gpu.array(np.arange(4.0))
            assert gpu.to_host(array).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert entered == [1]
    with gpu.active():
        pass
    assert entered == [1, 1]


def test_gather_takes_any_table_after_another(gpu):
    """The launch that lies ready is of a kind of table: not of its place, nor of another kind."""
    elements = np.array([3, 1], np.int32)
    handle = gpu.select(Selection(elements))
    runs = gpu.select(Selection(elements, np.array([0, 2], np.int32)))
    for values in (np.arange(5.0), np.arange(5.0) + 10, np.arange(5, dtype=np.float32) - 7, np.arange(10.0)[::2]):
        on_device = gpu.array(values) if values.flags.c_contiguous else gpu.array(np.arange(10.0))[::2]
        assert gpu.gather(on_device, handle).tolist() == values[elements].tolist()
        assert gpu.gather(on_device, runs, np.nan).tolist() == [values[elements].mean()]
        assert gpu.gather(on_device, runs, float(values[3])).tolist() == [values[1]]
    assert len(handle.launches) == 3
    assert len(runs.launches) == 3 + 4  # one for each value that is missing


def test_several_that_are_begun_are_waited_for_once(gpu):
    handle = gpu.select(Selection(np.array([3, 1], np.int32)))
    fields = [gpu.array(np.arange(5.0) + k) for k in range(3)]
    before = gpu._waits
    begun = [gpu.gather_later(field, handle) for field in fields]
    with gpu.active():
        for field in fields:
            field[...] = 0  # they are of then
    assert [found().tolist() for found in begun] == [[3.0 + k, 1.0 + k] for k in range(3)]
    assert gpu._waits == before + 1
