"""What a heart takes and a step moves, counted array by array for a few cells."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import KernelTraffic
from engines.cardiac.compiler import tissue
from engines.cardiac.diffusion.forward_euler import diffusion_traffic, expected_traffic
from engines.cardiac.diffusion.packing import PackedMatrix
from engines.cardiac.diffusion.sliced import SlicedMatrix
from engines.cardiac.multirate.groups import thinned
from engines.cardiac.step.stepping import times
from engines.cardiac.watch import watchers
from engines.cardiac.watch.ecg import ecg_traffic
from engines.cardiac.watch.maps import MapArrays, maps_traffic
from engines.cardiac.watch.phase import phase_traffic

CELLS = 70
TYPES = [np.float32, np.float64]


def matrix(entries: int = 96 * 5) -> SlicedMatrix:
    starts = np.array([0, 160, 320, 480], np.int64)
    return SlicedMatrix(CELLS, starts, np.zeros(entries, np.int32), np.zeros(entries, np.float32))


def test_packed_columns_are_codes_wide_ones_segments_and_starts():
    """A wide column is one of four bytes in place of a code of two: what it reads beyond its code counts."""
    packed = PackedMatrix(
        np.zeros(4, np.int32),
        np.zeros((3, 4), np.int32),
        np.zeros(480, np.uint16),
        np.zeros(64, np.int32),
        np.zeros(480),
    )
    narrow = np.zeros(480 - 64, np.uint16)
    arrays = (narrow, packed.wide, packed.segments, packed.starts)
    assert packed.column_bytes == sum(array.nbytes for array in arrays)
    assert packed.wide_share == 64 / 480


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_diffusion_on_a_gpu_is_told_with_packed_columns(precision):
    """Of each slice a start and four segments, of each entry a code; on the CPU columns and starts as they are."""
    given = matrix()
    cpu, gpu = (expected_traffic(SimpleNamespace(id=name), given, precision) for name in ("cpu", "cuda:0"))
    codes = np.zeros(len(given.columns), np.uint16)
    slices = np.zeros((len(given.starts), 1 + 4), np.int32)
    columns = given.columns.nbytes + given.starts.nbytes
    assert cpu == diffusion_traffic(given, precision)
    assert cpu.bytes_read - gpu.bytes_read == columns - codes.nbytes - slices.nbytes
    assert (cpu.bytes_written, cpu.flops) == (gpu.bytes_written, gpu.flops)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_compiled_reaction_reads_states_and_two_voltages_and_writes_states_and_one(monkeypatch, dtype):
    monkeypatch.setattr(tissue, "count", lambda graph: SimpleNamespace(add=3, mul=5, fma=7))
    step = SimpleNamespace(model=SimpleNamespace(rows="abcd"), precision=np.dtype(dtype).name, after=None)
    states, voltage = np.zeros((4, CELLS), dtype), np.zeros(CELLS, dtype)
    told = tissue.compiled_traffic(step, CELLS)
    assert told.kernel == "reaction"
    assert told.bytes_read == states.nbytes + 2 * voltage.nbytes
    assert told.bytes_written == states.nbytes + voltage.nbytes
    assert told.flops == CELLS * (3 + 5 + 2 * 7)


@pytest.mark.parametrize("dtype", TYPES)
def test_looks_are_spread_over_the_steps_between_them(dtype):
    """Maps read the voltage, the one before and the peak and write the one before; a phase copies the voltage."""
    voltage = np.zeros(CELLS, dtype)
    for told, read, written in (
        (maps_traffic(CELLS, voltage.itemsize, 7), 3, 1),
        (phase_traffic(CELLS, voltage.itemsize, 7), 1, 1),
    ):
        assert (told.bytes_read, told.bytes_written) == (read * voltage.nbytes // 7, written * voltage.nbytes // 7)
        assert (told.fused, told.flops) == (7, 0)
    leads = ecg_traffic(CELLS, voltage.itemsize, 3, 7)
    assert leads.bytes_read == (voltage.nbytes + np.zeros((3, CELLS), np.float32).nbytes) // 7
    assert (leads.bytes_written, leads.flops, leads.fused) == (0, 2 * 3 * CELLS // 7, 7)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("maps", "leads", "phase"), [(True, 0, False), (False, 12, False), (True, 3, True)])
def test_what_watches_takes_its_arrays(monkeypatch, dtype, maps, leads, phase):
    monkeypatch.setattr(watchers, "lead_places", lambda recording, mesh: ("lead",) * leads)
    monkeypatch.setattr(watchers, "phase_looks", lambda delay, step: (2, 5))
    monkeypatch.setattr(watchers, "sample_steps", lambda step: 20)
    recording = SimpleNamespace(maps=maps, phase=phase, phase_delay=5.0, interval=0.5)
    parameters = SimpleNamespace(recording=recording, numerics=SimpleNamespace(step=0.02))
    sites, voltage = SimpleNamespace(n_cells=CELLS), np.zeros(CELLS, dtype)
    taken = (len(MapArrays._fields) if maps else 0) * voltage.nbytes + np.zeros((leads, CELLS), np.float32).nbytes
    taken += (5 + 2) * voltage.nbytes if phase else 0
    assert watchers.watchers_memory(parameters, sites, voltage.itemsize) == taken
    told = watchers.watchers_traffic(parameters, sites, voltage.itemsize)
    expected = [maps_traffic(CELLS, voltage.itemsize, 25)] if maps else []
    expected += [ecg_traffic(CELLS, voltage.itemsize, leads, 20)] if leads else []
    expected += [phase_traffic(CELLS, voltage.itemsize, 2)] if phase else []
    assert told == tuple(expected)


def test_launches_multiply_and_cells_that_rest_are_left_out():
    one = KernelTraffic("reaction", 1000, 600, 5000)
    assert times(one, 3) == replace(one, bytes_read=3000, bytes_written=1800, flops=15000)
    quarter = thinned(one, 0.25, 280)
    assert quarter == replace(one, bytes_read=250 + 280, bytes_written=150, flops=1250)
