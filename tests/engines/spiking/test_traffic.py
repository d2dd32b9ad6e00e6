"""What a step of a plain network moves, and what of matrices and networks fits, counted array by array."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.spiking.events import memory
from engines.spiking.events.memory import need_dense, need_sparse
from engines.spiking.lif.model import HISTORY, raster_stride
from engines.spiking.lif.traffic import lif_traffic
from engines.spiking.network.traffic import network_traffic
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.memory import need


def test_a_plain_network_reads_six_numbers_a_neuron_and_eight_bytes_an_event():
    """1,000 neurons; a million synapses at 4 Hz have 400 events in 0.1 ms: a target of 4 bytes, and a sum of 4."""
    (step,) = lif_traffic(1000, 1_000_000, 0.1, rate=4.0)
    v, g_e, g_i, ring_e, ring_i, release = np.zeros((6, 1000), np.float32)
    read = sum(array.nbytes for array in (v, g_e, g_i, ring_e, ring_i, release))
    assert step.kernel == "step"
    assert (step.bytes_read, step.bytes_written) == (read + 400 * (4 + 4), read - release.nbytes + 400 * 4)
    assert step.flops == 13 * 1000 + 400


@pytest.mark.parametrize("traffic", [lif_traffic, network_traffic])
def test_before_anything_has_fired_neurons_are_taken_to_fire_six_times_a_second(traffic):
    assert traffic(1000, 1_000_000, 0.1) == traffic(1000, 1_000_000, 0.1, 6.0)
    assert lif_traffic(1000, 1_000_000) == lif_traffic(1000, 1_000_000, 0.1)


def test_a_plain_network_takes_60_bytes_and_a_ring_of_a_neuron_and_a_target_of_a_synapse():
    """And its raster, of every so manieth neuron where there are many."""
    parameters = SpikingParameters()
    n = sum(each.number for each in parameters.populations)
    told = need(parameters, (1000,) * len(parameters.connections))
    ring = np.zeros((2, n), np.int32)
    raster = np.zeros((HISTORY, -(-n // raster_stride(n))), np.uint8)
    assert told.neurons == 60 * n + ring.nbytes + raster.nbytes
    assert told.synapses == np.zeros(1000 * len(parameters.connections), np.int32).nbytes
    assert told.total == told.neurons + told.synapses


@pytest.fixture
def room(monkeypatch):
    """A device with one million bytes free."""
    monkeypatch.setattr(memory, "free_bytes", lambda backend: 1_000_000)
    return SimpleNamespace(info=SimpleNamespace(name="A card"))


@pytest.mark.parametrize(("dtype", "side"), [(np.float32, 500), (np.float16, 707)])
def test_a_dense_matrix_that_does_not_fit_says_how_large_a_square_one_may_be(room, dtype, side):
    size = np.dtype(dtype).itemsize
    assert np.zeros((side, side), dtype).nbytes <= 1_000_000 < np.zeros((side + 1, side + 1), dtype).nbytes
    need_dense(room, side, side, size)
    need_dense(room, 1_000_000 // size, 1, size)
    with pytest.raises(ProblemError, match=rf"take 1 MB; A card has 1 MB free, room for {side:,} × {side:,}\."):
        need_dense(room, side + 1, side + 1, size)
    with pytest.raises(ProblemError, match=rf"50,000 × 20,000 weights of {size} bytes take {size} GB"):
        need_dense(room, 50_000, 20_000, size)
    with pytest.raises(ProblemError):
        need_dense(room, 1_000_000 // size + 1, 1, size)


@pytest.mark.parametrize(("size", "said"), [(999e6, "999 MB"), (1e9, "1 GB"), (1.5e9, "1.5 GB"), (2.5e5, "0.25 MB")])
def test_sizes_are_said_in_gigabytes_from_one_on(size, said):
    assert memory._amount(size) == said


@pytest.mark.parametrize("copies", [1, 2])
def test_a_sparse_matrix_takes_a_number_and_a_weight_of_each_entry(room, copies):
    """Of half as many synapses as entries: of those that fit half are synapses."""
    entry = np.zeros(copies, np.dtype([("to", np.int32), ("weight", np.float32)])).nbytes
    fit = 1_000_000 // entry
    need_sparse(room, fit // 2, fit, 4, copies)
    with pytest.raises(ProblemError, match=rf"{fit:,} synapses take 2 MB in this .* room for {fit // 2:,}\."):
        need_sparse(room, fit, 2 * fit, 4, copies)
    with pytest.raises(ProblemError):
        need_sparse(room, fit // 2, fit + 1, 4, copies)
