"""Bytes and operations of a step and what a grid takes, counted array by array for a small one."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.monitors import traffic as monitors
from engines.fdtd.setup.speed import expected_rate
from engines.fdtd.step.traffic import faded_values, layer_values, memory_bytes, source_bytes, traffic

NZ, NY, ROW = 5, 6, 8
CELLS, PLANES = 160, 4
YEE = SimpleNamespace(shape=(NZ, NY, ROW), cells=CELLS, planes=PLANES, places=NZ * NY * ROW)
LAYERS = ((1, 2), (0, 3), (2, 2))
TM = Parts(electric=(False, False, True), magnetic=(True, True, False))


def axes(fading=((0, 0), (0, 0), (0, 0))):
    rows = zip(LAYERS, fading, (10, 8, 4), strict=True)
    return [SimpleNamespace(low=low, high=high, fading=fades, n=n) for (low, high), fades, n in rows]


def psi(dtype):
    """Of the x, y and z layers, for both components that have a difference along the axis."""
    return [np.zeros(shape, dtype) for shape in ((2, NZ, NY, 3), (2, NZ, 3, ROW), (2, 4, NY, ROW))]


def test_layers_keep_two_components_of_each_of_their_axes():
    assert layer_values(YEE, axes()) == sum(array.size for array in psi(np.float32))


def test_an_absorber_fades_three_components_of_its_cells():
    assert faded_values(YEE, axes()) == 0
    assert faded_values(YEE, axes(((1, 2), (0, 0), (0, 1)))) == 3 * CELLS * 3 // 10 + 3 * CELLS // 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("id_dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    ("magnetic", "passes", "copies", "states"), [(False, 2, 1, 0), (True, 1, 2, 0), (True, 2, 1, 70)]
)
@pytest.mark.parametrize("parts", [ALL, TM], ids=["3D", "TM"])
def test_a_step_reads_fields_and_ids_and_both_what_its_layers_keep(
    dtype, id_dtype, magnetic, passes, copies, states, parts
):
    """ψ of E and of H, of the planes that there are; in a plane a difference belongs to one component of two."""
    fading = ((1, 2), (0, 0), (0, 0))
    field, ids = np.zeros(CELLS, dtype), np.zeros(CELLS, id_dtype)
    components = parts.count
    kept = 2 * sum(array.size for array in psi(dtype)) * PLANES // NZ // (1 if parts is ALL else 2)
    faded = 2 * 3 * CELLS * 3 // 10
    beside = (kept + states + faded) * field.itemsize
    named = sum(parts.electric) + (sum(parts.magnetic) if magnetic else 0)
    told = traffic(YEE, axes(fading), field.itemsize, magnetic, parts, states, ids.itemsize, passes, copies)
    assert told.kernel == "yee"
    assert told.bytes_read == copies * (passes * components * field.nbytes + beside + named * ids.nbytes)
    assert told.bytes_written == copies * (components * field.nbytes + beside)
    assert told.flops == copies * (7 * components * CELLS + 4 * (kept + states) + faded)


@pytest.mark.parametrize(("magnetic", "states"), [(False, 0), (True, 50)])
def test_a_grid_takes_six_fields_their_ids_what_layers_keep_and_the_spans_of_poles(magnetic, states):
    fields, ids = np.zeros((6, YEE.places), np.float32), np.zeros((6 if magnetic else 3, YEE.places), np.uint16)
    spans = np.zeros((3, NZ, NY, 4), np.int32) if states else np.zeros(0)
    kept = 2 * sum(array.nbytes for array in psi(np.float32)) + 4 * states
    assert memory_bytes(YEE, axes(), 4, magnetic, states, 2) == fields.nbytes + ids.nbytes + spans.nbytes + kept


@pytest.mark.parametrize("induced", [False, True])
def test_entries_of_sources_lie_on_the_faces_of_boxes_and_on_sheets(induced):
    """Within layers of (2, 12), (1, 6) and (0, 4), of which y wraps: no face of a box across it. An entry has a place,
    a signal and a weight; on a GPU one of E has four of H beside it."""
    around = [
        SimpleNamespace(clear=clear, wraps=wraps)
        for clear, wraps in (((2, 12), False), ((1, 6), True), ((0, 4), False))
    ]
    x, y, z = 11, 6, 5
    box, beam, launch = 2 * y * z + 2 * x * y, y * z, x * z
    driven = SimpleNamespace(
        beams=[SimpleNamespace(axis=0)], launches=[SimpleNamespace(axis=1)], waves=[object()], oblique=[object()]
    )
    entry = np.zeros(1, np.dtype([("place", np.int64), ("signal", np.int32), ("weight", np.float32)]))
    points = box + 2 * box + 2 * (beam + launch)
    assert source_bytes(YEE, around, driven, 4, induced) == points * (2 + (4 if induced else 0)) * entry.nbytes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_look_at_the_energy_reads_all_fields_and_the_ids_of_e(monkeypatch, dtype):
    """Every tenth step; of each of six components a product with its field, a weight and a sum."""
    monkeypatch.setattr(monitors, "steps_between", lambda around: 10)
    fields, ids = np.zeros((6, CELLS), dtype), np.zeros((3, CELLS), np.uint8)
    plans = SimpleNamespace(plans=[], around=SimpleNamespace(value_bytes=fields.itemsize, yee=YEE))
    (told,) = monitors.monitors_traffic(plans, SimpleNamespace(ports=(), ending=SimpleNamespace(at_decay=True)))
    assert told.kernel == "monitors"
    assert (told.bytes_read, told.bytes_written) == ((fields.nbytes + ids.nbytes) // 10, 0)
    assert told.flops == 3 * fields.size // 10


def test_on_a_gpu_a_step_moves_its_bytes_at_a_share_of_the_bandwidth():
    """2.3 of 4.2 TB/s were measured: 0.55."""
    card = SimpleNamespace(id="cuda:0", ceilings=lambda: SimpleNamespace(best=4e12))
    assert expected_rate(card, "float32") == pytest.approx(2.2e12)
