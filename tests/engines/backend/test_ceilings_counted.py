"""What a ceiling is: the bytes of the arrays that were moved, over the seconds that it took, neither more nor less."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engines.backend.ceilings import compute, curve_kernels, memory
from engines.backend.threads import parallel_region, usable_cores
from tests.cuda_on_host.loader import COMPILER, compile_for_host


def test_a_cpus_ceilings_are_the_bytes_of_the_arrays_over_the_seconds(monkeypatch):
    moved: list[int] = []
    written: list[int] = []  # also by who touches the arrays first
    seconds = iter([0.5, 0.25])

    def once(launch):
        del written[:]
        launch()
        moved.extend(written)
        return next(seconds)

    for name in ("copy", "triad"):
        monkeypatch.setattr(curve_kernels, name, lambda *given: written.append(_bytes(given)))
    monkeypatch.setattr(memory, "_best", once)
    found = memory.measure_cpu(1, 1000)
    assert moved == [2 * 8000, 3 * 8000], "copy reads one and writes one, triad reads two and writes one"
    assert (found.copy, found.triad) == (moved[0] / 0.5, moved[1] / 0.25)


def test_a_gpus_ceilings_are_the_bytes_of_the_arrays_over_the_seconds():
    moved: dict[str, set[int]] = {}
    launched: dict[str, set[tuple[int, int]]] = {}

    class Kernel:
        def __init__(self, name: str) -> None:
            self.name = name

        def __call__(self, grid, block, given) -> None:
            length = int(given[-1])
            arrays = [each for each in given if isinstance(each, np.ndarray)]
            assert all(each.nbytes == 16 * length for each in arrays), "a length in float4"
            moved.setdefault(self.name, set()).add(_bytes(given))
            launched.setdefault(self.name, set()).add((grid[0], block[0]))

    class Device:
        id, multiprocessors = "test", 4

        def memory(self):
            return (1 << 20) + 128, 1 << 21

        def compile(self, source):
            return SimpleNamespace(get_function=Kernel)

        def empty(self, n, dtype):
            return np.empty(n, dtype)

        def active(self):
            return memory.threading.Lock()

        def elapsed(self, launch):
            launch()
            return 0.125

    found = memory._measure_cuda(Device())
    eighth = (1 << 20) // 8 + 16
    assert {size // 2 for size in moved["stream_copy"]} == {eighth}, "of what is free, each array"
    threads = eighth // 16  # of a float4 each, in whole blocks; or a few blocks of each multiprocessor, with strides
    whole = (threads // 256 + 1, 256)
    assert launched["stream_copy"] == {whole, (threads // 1024 + 1, 1024), (4 * 4, 512), (4 * 16, 256)}
    assert launched["stream_fill"] == {whole}
    assert found.copy == moved["stream_copy"].pop() / 0.125
    assert found.triad == moved["stream_triad"].pop() / 0.125
    assert not moved["stream_copy"], "of one size"


def test_the_best_of_at_least_three_counts_after_one_that_compiles(monkeypatch):
    clock, durations = [0.0], iter([0.1, 3.0, 1.0, 2.0])

    def launch() -> None:
        clock[0] += next(durations)

    monkeypatch.setattr(memory, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    assert memory._best(launch) == pytest.approx(1.0)


def _bytes(given) -> int:
    return sum(each.nbytes for each in given if isinstance(each, np.ndarray))


def test_a_processors_arithmetic_is_two_operations_per_multiply_add(monkeypatch):
    """x = x/2 + 1 from 1 on, 16 times per repetition, and its operations over the seconds of the fastest timing."""
    values = np.ones((1, 8), np.float32)
    with parallel_region():
        compute.multiply_add(values, compute.S, compute.T, 1)
    np.testing.assert_allclose(values, 2 - 0.5**16, rtol=1e-7)
    counts: list[int] = []
    monkeypatch.setattr(compute, "multiply_add", lambda v, s, t, repeats: counts.append(2 * 16 * repeats * v.size))
    clock = iter([0.0, 1.0, 1.5, 2.0, 2.25, 3.0, 3.5, 9.0])
    monkeypatch.setattr(compute, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert compute.cpu_operations_per_second(usable_cores()) == counts[-1] / 0.25


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
def test_a_gpus_arithmetic_kernel_computes_what_is_counted():
    out = np.zeros(1, np.float32)
    kernel = compile_for_host(memory.SOURCE.read_text()).get_function("multiply_add")
    rounds = np.int32(40)
    kernel((1,), (32,), (out, compute.S, compute.T, np.float32(16.0), rounds))  # eight chains that have come to 2
    assert out[0] == 2.0 * compute.CHAINS
