"""What a run is held against: the memory's bandwidth, or that of the caches where they hold what a step moves."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from engines.api import KernelTraffic, SimulationInfo
from engines.api.device import Ceilings
from engines.backend.ceilings import curve
from engines.backend.ceilings.curve import BandwidthPoint, ceiling_over, working_set_of
from engines.backend.cpu import CpuBackend
from workbench.run.frames import KernelRate, Sample
from workbench.run.timing_log import TimingLog

MEMORY = 11e9


@pytest.fixture
def device(monkeypatch):
    """A device with a cache of 8 MB, where a copy is as fast as ``device.speed`` says; counts what is measured."""
    made = SimpleNamespace(
        id="test", info=SimpleNamespace(kind="cpu", threads=1), ceilings=lambda: Ceilings(copy=10e9, triad=MEMORY),
        speed=50e9, measured=[],
    )  # fmt: skip

    def measure(threads, sizes, quick, operations):
        made.measured += sizes
        return [BandwidthPoint(name, sizes[0], made.speed - 1e9 * k) for k, name in enumerate(operations)]

    monkeypatch.setattr(curve, "cache_bytes", lambda backend: 8 << 20)
    monkeypatch.setattr(curve, "free_bytes", lambda backend: 1 << 30)
    monkeypatch.setattr(curve, "_over", {})
    monkeypatch.setattr("engines.backend.ceilings.curve_cpu.measure", measure)
    return made


def test_beyond_the_caches_it_is_the_memory(device):
    assert ceiling_over(device, 32 << 20) == MEMORY
    assert not device.measured


def test_within_the_caches_it_is_measured_once_a_size(device):
    assert ceiling_over(device, 1_000_000) == 50e9
    assert ceiling_over(device, 1_100_000) == 50e9
    assert device.measured == [1 << 20]
    assert ceiling_over(device, 0) == 50e9
    assert device.measured == [1 << 20, curve.SMALLEST]


def test_it_is_never_below_the_memory(device):
    device.speed = 1e9  # a set so small that entering a parallel loop takes longest
    assert ceiling_over(device, 100_000) == MEMORY


def test_a_real_cache_is_at_least_as_fast_as_the_memory():
    backend = CpuBackend()
    assert backend.ceiling_over(1 << 18) >= backend.ceilings().best


def test_the_working_set_is_what_a_launch_moves():
    traffic = (
        KernelTraffic("a", 100, 50, 0, fused=4),
        KernelTraffic("b", 10, 0, 0, fused=6),
        KernelTraffic("c", 1, 1, 0),
    )
    assert working_set_of(traffic) == 12 * (150 + 10 + 2)
    assert working_set_of(()) == 0


def test_the_timing_log_names_that_ceiling():
    device = SimpleNamespace(name="d", driver="", versions={})
    info = SimulationInfo(
        None, 1.0, "s", (), (), (KernelTraffic("k", 100, 0, 0),), None, device_info=device,
        ceilings=Ceilings(10e9, 10e9), ceiling=40e9,
    )  # fmt: skip
    log = TimingLog()
    assert log.flush() == [], "nothing has begun"
    log.begin(replace(info, ceilings=None))
    assert log.flush() == [], "nobody has measured what it is held against"
    log.begin(info)
    rate = KernelRate("k", 1e-8, 1e10, 0.25, launches=10, seconds=1e-7)
    (row,) = log.add(Sample(1, 1.0, 1, 2.0, 1, 1, 1, 0.25, (rate,), None, [], {}, (), {}))
    assert (row.ceiling, row.fraction) == (40e9, pytest.approx(0.25))
