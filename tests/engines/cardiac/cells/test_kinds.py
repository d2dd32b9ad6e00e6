"""Kinds of cells: what a modeller changed reaches the kernel, and nothing else changes."""

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06
from engines.cardiac.cells.cpu import CpuTissue
from engines.cardiac.cells.kinds import CELL_TYPES, CHANGEABLE, Kind, kinds_table, varied
from engines.cardiac.cells.tt06 import CellType
from tests.engines.cardiac.cells.conftest import changes_of, random_kinds
from tests.engines.cardiac.cells.test_tt06_cpu import physical, place


@pytest.mark.parametrize("runs", [1, 32], ids=["kinds mixed in a vector", "a kind for many cells"])
def test_66_kinds_equal_the_reference(host, random_cells, runs):
    """One step of 1 ms in float64 to 1e-10 of the largest change, as for the three types."""
    n = 66 * 32
    state, _ = random_cells(n, seed=runs)
    of = random_kinds(66)
    kinds = (np.arange(n) // runs % 66).astype(np.uint8)
    types = (kinds % 3).astype(np.uint8)
    tissue = CpuTissue(host, kinds, of=of, precision="float64")
    voltage = place(tissue, state, types)
    tissue.step(voltage, voltage.copy(), 0, 1.0)
    expected, got = reference.step(state, types, 1.0, changes=changes_of(of, kinds)), physical(tissue, voltage)
    unchanged = reference.step(state, types, 1.0)
    assert np.abs(expected[0] - unchanged[0]).max() > 1.0, "the changes must matter"
    for k, name in enumerate(tt06.STATES):
        change = np.abs(expected[k] - state[k]).max()
        np.testing.assert_allclose(
            got[k], expected[k], rtol=0, atol=1e-10 * change + 4e-16 * np.abs(state[k]).max(), err_msg=name
        )


@pytest.mark.parametrize("name", CHANGEABLE)
def test_every_changeable_parameter_is_a_column(name):
    value = 0.5 * tt06.PARAMETERS[CellType.EPI][name]
    kinds = (*CELL_TYPES, Kind(CellType.EPI, ((name, value),)))
    table = kinds_table(kinds)
    assert (table[:, 3] != table[:, 0]).any()
    assert len(table) == 11 + varied(kinds).bit_count()
    assert (varied(kinds) == 0) == (name in ("g_Ks", "g_to")), "those are columns of every table"


def test_the_three_types_need_no_column_more():
    assert varied(CELL_TYPES) == 0
    np.testing.assert_array_equal(kinds_table(CELL_TYPES), tt06.constants_table().T)


def test_action_potentials_of_changed_cells_are_the_references(host):
    """The kernel's voltage in float64 stays within 1e-6 mV of the reference's over a beat."""
    changes_by_cell = {
        "control": {},
        "less I_Kr": {"g_Kr": 0.5 * 0.153},
        "border zone": {"g_Na": 0.38 * 14.838, "g_CaL": 0.31 * 3.98e-5, "g_Kr": 0.3 * 0.153, "g_Ks": 0.2 * 0.392},
        "ischaemia": {"K_o": 9.0, "g_Na": 0.75 * 14.838, "g_CaL": 0.75 * 3.98e-5},
        "passive": dict.fromkeys(("g_Na", "g_CaL", "g_to", "g_Kr", "g_Ks"), 0.0),
    }
    of = (*CELL_TYPES, *(Kind(CellType.EPI, tuple(changes.items())) for changes in changes_by_cell.values()))
    rows, n = np.arange(3, len(of)), len(changes_by_cell)
    dt, steps = 0.1, 4500
    tissue = CpuTissue(host, rows, np.ones(n, np.uint32), of=of, precision="float64", potassium_stimulus=True)
    voltage, types = tissue.new_voltage(), np.zeros(n, np.uint8)
    state = np.repeat(tt06.start_state(CellType.EPI)[:, None], n, axis=1)
    traces = np.empty((2, steps + 1, n))
    traces[:, 0] = state[0]
    changes = changes_of(of, rows)
    for k in range(steps):
        current = 52.0 if k < 10 else 0.0
        tissue.step(voltage, voltage, k, dt, np.array([current]))
        state = reference.step(state, types, dt, current, stimulus_moves_potassium=True, changes=changes)
        traces[:, k + 1] = voltage[:n], state[0]
    np.testing.assert_allclose(traces[0], traces[1], rtol=0, atol=1e-6)
    control, less, zone, ischaemia = dt * (traces[0, :, :4] > -60.0).sum(axis=0)
    assert less > control + 15, "less I_Kr, longer action potential"
    assert zone > control + 15
    assert ischaemia < control - 15
    assert traces[0, -1, 3] > traces[0, -1, 0] + 8, "potassium outside depolarises"
    assert (np.diff(traces[0, 11:, 4]) < 1e-6).all(), "a passive cell only falls back from its stimulus"


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_tissue_begins_cell_by_cell(precision):
    """Rounded once, of the difference in float64; the padding is cell 0."""
    rng, n = np.random.default_rng(4), 1003
    types, kinds = rng.integers(0, len(CellType), n).astype(np.uint8), rng.integers(0, 5, n)
    starts = 10 * rng.random((5, 19))
    voltage, states = tt06.tissue_start(types, precision, kinds, starts)
    offsets, padding = tt06.offsets(types), states.shape[1] - n
    assert voltage.dtype == states.dtype == np.dtype(precision)
    assert np.array_equal(voltage[:n], starts[kinds, 0].astype(precision))
    assert np.array_equal(states[:, :n], (starts[kinds, 1:].T - offsets).astype(precision))
    assert np.array_equal(states[:, n:], np.repeat(states[:, :1], padding, axis=1))
