"""Measured bandwidth of this machine's memory, and what is known of the machine."""

import numpy as np
import pytest

from engines.backend.ceilings import curve_kernels, machine
from engines.backend.ceilings import memory as ceilings
from engines.backend.ceilings.memory import cpu_array_size
from engines.backend.cpu import CpuBackend
from engines.backend.threads import parallel_region


def test_ceilings_are_those_of_a_memory_and_measured_once(monkeypatch):
    monkeypatch.setattr(ceilings, "cpu_array_size", cpu_array_size)  # the machine's own, not that of other tests
    monkeypatch.setattr(ceilings, "_measured", {})
    backend = CpuBackend(reserve_core=True)
    measured = backend.ceilings()
    # From one channel of old DDR3 on a busy machine to a large server with HBM; a cache would deliver more than
    # the upper bound only on servers, a wrong unit misses either by 1e3.
    assert 5e8 < measured.copy < 5e12
    assert 5e8 < measured.triad < 5e12
    # Counted alike, the two differ by write-allocate and by read/write turns: at most a factor of 3 was ever seen.
    assert 1 / 3 < measured.copy / measured.triad < 3
    assert backend.ceilings() is measured


def test_arrays_exceed_the_last_level_cache(monkeypatch):
    monkeypatch.setattr(machine, "last_level_cache_bytes", lambda: 32 << 20)
    monkeypatch.setattr(machine, "memory_bytes", lambda: 64 << 30)
    assert cpu_array_size() * 8 == 4 * (32 << 20)
    monkeypatch.setattr(machine, "memory_bytes", lambda: 512 << 20)
    assert cpu_array_size() * 8 == 32 << 20


def test_arrays_take_a_32nd_of_the_memory_where_that_exceeds_the_cache(monkeypatch):
    """Of 23 GB beside the cache of a whole server, of 8 GB, which hold that cache by more than a 32nd, and of 2 GB."""
    monkeypatch.setattr(machine, "last_level_cache_bytes", lambda: 480 << 20)
    for memory, array in ((23 << 30, (23 << 30) // 32), (8 << 30, 480 << 20), (2 << 30, 256 << 20)):
        monkeypatch.setattr(machine, "memory_bytes", lambda memory=memory: memory)
        assert cpu_array_size() * 8 == array


def test_the_kernels_do_what_stream_defines():
    b, c = np.random.default_rng(3).normal(size=(2, 10_001))
    a, copied = np.empty_like(b), np.empty_like(b)
    with parallel_region():
        curve_kernels.copy(b, copied, 1, 3)
        curve_kernels.triad(b, c, a, 1, 3)
    np.testing.assert_array_equal(copied, b)
    # A fused multiply-add rounds once where NumPy rounds twice.
    np.testing.assert_allclose(a, b + 3.0 * c, rtol=0, atol=4 * np.finfo(float).eps * np.abs(3 * c).max())


def cpu_folder(root, caches):
    """A copy of what Linux shows: per processor, (index, level, size, processors that share it)."""
    for processor, entries in enumerate(caches):
        for index, (level, size, shared) in enumerate(entries):
            folder = root / f"cpu{processor}/cache/index{index}"
            folder.mkdir(parents=True)
            (folder / "level").write_text(f"{level}\n")
            (folder / "size").write_text(f"{size}\n")
            (folder / "shared_cpu_list").write_text(f"{shared}\n")
    return root


@pytest.mark.parametrize(
    ("caches", "expected"),
    [
        # Two processors under one third-level cache; two dies with one each; no third level.
        ([[(2, "1024K", "0"), (3, "32768K", "0-1")], [(2, "1024K", "1"), (3, "32768K", "0-1")]], 32 << 20),
        ([[(3, "16M", "0")], [(3, "16M", "1")]], 32 << 20),
        ([[(1, "32K", "0"), (2, "512K", "0")]], 512 << 10),
        ([[(3, "8388608", "0")]], 8 << 20),  # in bytes
        ([[(3, "unknown", "0")]], machine.UNKNOWN_CACHE_BYTES),
        ([], machine.UNKNOWN_CACHE_BYTES),
    ],
)
def test_last_level_cache(tmp_path, monkeypatch, caches, expected):
    monkeypatch.setattr("sys.platform", "linux")
    assert machine.last_level_cache_bytes(cpu_folder(tmp_path, caches)) == expected


def test_the_machine_has_a_name_and_memory():
    assert machine.processor_name().strip()
    assert machine.memory_bytes() > 256 << 20
