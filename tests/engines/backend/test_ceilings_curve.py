"""The curve of bandwidths: which bytes count at each point, what stands between points, what is measured once."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import numpy as np
import pytest

from engines.backend import timing
from engines.backend.ceilings import compute, curve, curve_cpu, curve_cuda, machine
from engines.backend.ceilings import curve_kernels as kernels
from engines.backend.ceilings.curve import BandwidthPoint, ceiling_at, working_sets
from engines.backend.threads import parallel_region

MOVED = {"copy": 2, "mul": 2, "add": 3, "triad": 3, "read": 1}
"""Arrays by STREAM's definition: c = a, c = s a, c = a + b, a = b + s c, and a sum."""


def test_between_two_sizes_the_logarithm_counts_and_beyond_the_ends_the_end():
    points = [BandwidthPoint("copy", 1 << 20, 8e9), BandwidthPoint("copy", 1 << 16, 40e9)]  # in any order
    points += [BandwidthPoint("triad", 1 << 16, 10e9), BandwidthPoint("triad", 1 << 20, 20e9)]
    copies = [(1 << 10, 40e9), (1 << 16, 40e9), (1 << 17, 32e9), (1 << 18, 24e9), (1 << 20, 8e9), (1 << 30, 8e9)]
    for size, expected in copies:
        assert ceiling_at(points, size, ("copy",)) == pytest.approx(expected)
    assert ceiling_at(points, 1 << 18, ("triad",)) == pytest.approx(15e9)
    assert ceiling_at(points, 1 << 18) == pytest.approx(24e9), "of the best operation"
    assert ceiling_at(points, 1 << 20) == pytest.approx(20e9)
    assert ceiling_at([], 1 << 18) == ceiling_at(points, 1 << 18, ("read",)) == 0.0


def test_a_set_of_less_than_four_caches_is_held_against_the_curve(monkeypatch):
    monkeypatch.setattr(curve, "cache_bytes", lambda backend: 1000)
    assert curve.fits_caches(None, 3999)
    assert not curve.fits_caches(None, 4000)


@pytest.mark.parametrize("operation", MOVED)
def test_a_point_is_the_bytes_of_the_arrays_that_a_kernel_takes_over_its_fastest_seconds(monkeypatch, operation):
    """A kernel of 1 µs a repetition, or 2 µs now and then; arrays as its definition has them."""
    clock, taken, calls = [0.0], [], []

    def kernel(*given):
        *arrays, repeats, threads = given
        assert threads == 3
        taken[:] = [sum(each.nbytes for each in arrays if each.size > 3)]  # those of sums by thread are none
        calls.append(repeats)
        clock[0] += repeats * (1e-6 if len(calls) % 3 else 2e-6)

    monkeypatch.setattr(curve_cpu, "kernels", SimpleNamespace(**{operation: kernel}))
    monkeypatch.setattr(curve_cpu, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    arrays = [np.zeros(1024) for _ in range(MOVED[operation])]
    point = curve_cpu._point(operation, 9999, arrays, 3, quick=False)
    assert (point.operation, point.working_set) == (operation, 9999)
    assert taken == [MOVED[operation] * 8192]
    assert point.bytes_per_second == pytest.approx(taken[0] / 1e-6)
    assert calls[0] == 1, "to compile it"
    assert calls[-1] * 1e-6 >= curve_cpu.TIMING_SECONDS
    assert len(calls) - calls.index(calls[-1]) >= 2 + curve_cpu.POINT_SECONDS // (2 * calls[-1] * 1e-6)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_arrays_share_a_working_set_and_lie_apart(count):
    memory = np.zeros(10_000)
    arrays = curve_cpu._arrays(memory, 24_000, count)
    assert [each.nbytes for each in arrays] == [24_000 // count] * count
    starts = [(each.ctypes.data - memory.ctypes.data) for each in arrays]
    assert starts == [k * (24_000 // count + 384) for k in range(count)]


def test_every_size_is_measured_with_every_operation_in_memory_that_holds_the_largest(monkeypatch):
    seen = []

    def point(operation, size, arrays, threads, quick):
        seen.append((operation, size, len(arrays), sum(each.nbytes for each in arrays), (arrays[0] > 0).all()))
        assert arrays[0].base.nbytes == (48 << 10) + 3 * 384 or size != 48 << 10
        return BandwidthPoint(operation, size, 1.0)

    monkeypatch.setattr(curve_cpu, "_point", point)
    sizes = [24 << 10, 48 << 10]
    found = list(curve_cpu.measure(1, sizes, True))
    assert [(each.operation, each.working_set) for each in found] == [(name, n) for n in sizes for name in MOVED]
    assert seen == [(name, n, MOVED[name], n, True) for n in sizes for name in MOVED]
    assert [each.operation for each in curve_cpu.measure(1, sizes[:1], True, curve.METERED)] == ["copy", "triad"]


def test_entering_a_parallel_loop_costs_the_median(monkeypatch):
    clock, calls = [0.0], []

    def loop(counts):
        assert len(counts) == 1
        calls.append(1)
        clock[0] += 1e-3 if len(calls) == 1 else 5e-6 if len(calls) % 4 else 9e-6

    monkeypatch.setattr(curve_cpu.kernels, "empty_loop", loop)
    monkeypatch.setattr(curve_cpu, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    assert curve_cpu.parallel_loop_seconds(1) == pytest.approx(5e-6)
    assert len(calls) > 100


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_a_curve_is_measured_once_and_the_whole_one_serves_where_a_quick_one_would(monkeypatch, kind):
    measured, told = [], []

    def measure(device, sizes, quick):
        measured.append(quick)
        return [BandwidthPoint(name, size, 1e9) for size in sizes for name in MOVED]

    for module in (curve_cpu, curve_cuda):
        monkeypatch.setattr(module, "measure", measure)
    monkeypatch.setattr(curve_cpu, "parallel_loop_seconds", lambda threads: 1e-5)
    monkeypatch.setattr(curve_cuda, "launch_seconds", lambda backend: 4e-6)
    monkeypatch.setattr(curve_cuda, "graph_node_seconds", lambda backend: 2e-6)
    monkeypatch.setattr(compute, "cpu_operations_per_second", lambda threads: 1e11 * threads)
    monkeypatch.setattr(compute, "cuda_operations_per_second", lambda backend: 6e13)
    monkeypatch.setattr(curve, "free_bytes", lambda backend: 1 << 20)
    monkeypatch.setattr(curve, "_measured", {})
    backend = SimpleNamespace(id=kind, threads=2, info=SimpleNamespace(kind=kind, threads=2))
    quick = curve.measured_curve(backend, quick=True, progress=lambda sentence, share: told.append(share))
    assert [each.working_set for each in quick.points[::5]] == [1 << 15, 1 << 17]
    assert told == pytest.approx([(k + 1) / 10 for k in range(10)])
    assert curve.measured_curve(backend, quick=True) is quick
    whole = curve.measured_curve(backend)
    assert len(whole.points) == 5 * 4
    assert curve.measured_curve(backend, quick=True) is whole
    assert curve.measured_curve(backend) is whole
    assert measured == [True, False]
    costs = (whole.launch_seconds, whole.graph_node_seconds, whole.operations_per_second)
    assert costs == ((1e-5, None, 2e11) if kind == "cpu" else (4e-6, 2e-6, 6e13))


class Card:
    """A GPU of four multiprocessors, two gigabytes free, whose launches take 1 s, and now and then 3."""

    id, multiprocessors, device = "cuda:0", 4, 0
    info = SimpleNamespace(kind="cuda")

    def __init__(self) -> None:
        self.launched: list[tuple[int, int]] = []
        properties = {"l2CacheSize": 123}
        runtime = SimpleNamespace(getDeviceProperties=lambda device: properties)
        self.cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))

    def memory(self):
        return 2 << 30, 80 << 30

    def empty(self, n, dtype):
        return np.empty(n, dtype)

    def active(self):
        return contextlib.nullcontext()

    def compile(self, source):
        def kernel(grid, block, given):
            self.launched.append((grid[0] * block[0], int(given[-1])))

        return SimpleNamespace(get_function=lambda name: kernel)

    def elapsed(self, launch):
        launch()
        return 3.0 if len(self.launched) % 4 == 0 else 1.0


def test_a_gpus_arithmetic_is_two_operations_of_each_chain_of_each_thread():
    card = Card()
    found = compute.cuda_operations_per_second(card)
    (threads, rounds), *_ = card.launched
    assert set(card.launched) == {(threads, rounds)}
    assert threads == 4 * 8 * 256
    assert found == 2 * compute.CHAINS * rounds * threads / 1.0
    assert len(card.launched) == 1 + 10


def test_what_of_a_device_is_free_and_cached(monkeypatch):
    card, cpu = Card(), SimpleNamespace(info=SimpleNamespace(kind="cpu"))
    monkeypatch.setattr(machine, "memory_bytes", lambda: 24 << 30)
    monkeypatch.setattr(machine, "last_level_cache_bytes", lambda: 32 << 20)
    assert (timing.free_bytes(card), timing.free_bytes(cpu)) == (2 << 30, 12 << 30)
    assert (timing.cache_bytes(card), timing.cache_bytes(cpu)) == (123, 32 << 20)
    monkeypatch.setattr(machine, "memory_bytes", lambda: 0)
    assert timing.free_bytes(cpu) == 1 << 30, "where the system does not tell"


@pytest.mark.parametrize(
    ("told", "cache"),
    [
        ({"hw.l3cachesize": "4194304", "hw.l2cachesize": "99"}, 4 << 20),
        ({"hw.l2cachesize": "12582912"}, 12 << 20),
        ({"hw.l3cachesize": "0"}, machine.UNKNOWN_CACHE_BYTES),
        ({}, machine.UNKNOWN_CACHE_BYTES),
    ],
)
def test_a_mac_says_its_caches_and_its_processor(monkeypatch, tmp_path, told, cache):
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(machine, "_sysctl", lambda name: told.get(name, ""))
    assert machine.last_level_cache_bytes(tmp_path) == cache
    told["machdep.cpu.brand_string"] = "M9"
    assert machine.processor_name() == "M9"


def test_what_a_program_of_the_system_says_has_no_end_of_line(monkeypatch):
    asked = []

    def run(command, **options):
        assert options == {"capture_output": True, "text": True, "timeout": 5}
        asked.append(command)
        return SimpleNamespace(stdout=" 17\n")

    monkeypatch.setattr(machine.subprocess, "run", run)
    assert machine._sysctl("hw.memsize") == "17"
    assert asked == [["sysctl", "-n", "hw.memsize"]]


def test_batches_and_calls_are_timed_by_launch(monkeypatch):
    """Of five launches of 2 s each, numbered on from batch to batch; and the best of three calls."""
    clock, numbers = [0.0], []

    def launch(number=0):
        numbers.append(number)
        clock[0] += 2.0

    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    info = SimpleNamespace(kind="cpu")
    backend = SimpleNamespace(info=info, active=contextlib.nullcontext, synchronize=lambda: None)
    batch = timing.batch(backend, launch, 5, 1.0)
    assert type(batch) is timing.Batch
    assert (batch.seconds(), batch.seconds()) == (2.0, 2.0)
    assert numbers == list(range(10))
    assert timing.estimated(backend, launch, 7) == 2.0
    assert numbers[-1] == 7
    assert timing.host_seconds(backend, launch, 4) == 2.0
    waits = iter([5.0, 1.0, 3.0])

    def call():
        clock[0] += next(waits)

    assert timing.best_seconds(backend, call) == 1.0
    assert next(waits, None) is None, "three calls"


@pytest.mark.parametrize(
    ("free", "wanted", "measured"),
    [
        (1 << 22, 1 << 19, 1 << 19),
        (1 << 20, 1 << 19, 1 << 18),  # a quarter of what is free
        (1 << 10, 1 << 19, 1 << 15),  # but never less than the smallest
        (1 << 40, 3 << 33, 1 << 32),  # nor more than the largest
        (1 << 22, 5, 1 << 15),
    ],
)
def test_a_working_set_is_measured_at_a_size_that_there_is_room_for(monkeypatch, free, wanted, measured):
    sizes = []

    def measure(threads, asked, quick, operations):
        sizes.extend(asked)
        return [BandwidthPoint("copy", asked[0], 9e9)]

    monkeypatch.setattr(curve, "_over", {})
    monkeypatch.setattr(curve, "fits_caches", lambda backend, size: True)
    monkeypatch.setattr(curve, "free_bytes", lambda backend: free)
    for module in (curve_cpu, curve_cuda):
        monkeypatch.setattr(module, "measure", measure)
    for kind in ("cpu", "cuda"):
        info = SimpleNamespace(kind=kind, threads=1)
        backend = SimpleNamespace(id=kind, info=info, ceilings=lambda: SimpleNamespace(best=1e9))
        assert curve.ceiling_over(backend, wanted) == 9e9
    assert sizes == [measured] * 2


def test_the_ceiling_is_interpolated_in_the_logarithm_of_the_size():
    points = [
        BandwidthPoint("copy", 1 << 20, 100.0),
        BandwidthPoint("copy", 1 << 22, 50.0),
        BandwidthPoint("triad", 1 << 22, 60.0),
    ]
    assert ceiling_at(points, 1 << 21, ("copy",)) == 75.0
    assert ceiling_at(points, 1 << 10) == 100.0  # beyond the ends: the end
    assert ceiling_at(points, 1 << 40) == 60.0  # the best operation
    assert ceiling_at([], 1 << 20) == 0.0


def test_working_sets_fit_the_memory():
    assert working_sets(1 << 40)[0] == 1 << 15
    assert working_sets(1 << 40)[-1] == 1 << 32
    assert working_sets(1 << 30)[-1] == 1 << 28
    assert set(working_sets(1 << 40, quick=True)) < set(working_sets(1 << 40))


def test_the_curve_of_this_processor():
    """All operations at two sizes, and plausible: a byte takes between a picosecond and 10 ns."""
    points = list(curve_cpu.measure(1, [1 << 15, 1 << 18], quick=True))
    assert [(point.operation, point.working_set) for point in points] == [
        (operation, size) for size in (1 << 15, 1 << 18) for operation in curve.OPERATIONS
    ]
    assert all(1e8 < point.bytes_per_second < 1e12 for point in points)
    assert 0 < curve_cpu.parallel_loop_seconds(1) < 1.0


def test_the_curve_kernels_compute_what_they_say():
    """What is timed is really done; 3 + repeat is the factor of the last repetition."""
    a, b = np.arange(101.0), np.arange(101.0) ** 2
    c = np.empty(101)
    with parallel_region():
        kernels.copy(a, c, 2, 2)
        np.testing.assert_array_equal(c, a)
        kernels.mul(a, c, 2, 2)
        np.testing.assert_array_equal(c, 4 * a)
        kernels.add(a, b, c, 2, 2)
        np.testing.assert_array_equal(c, a + b)
        kernels.triad(a, b, c, 2, 2)
        np.testing.assert_array_equal(c, a + 4 * b)
        sums = np.zeros(2, np.int64)
        numbers = np.arange(101)
        kernels.read(numbers, sums, 2, 2)
        assert sums.sum() == numbers.sum() + (numbers ^ 1).sum()
