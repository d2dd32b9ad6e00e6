"""Kinds of cells: what a modeller changed reaches the kernel, and nothing else changes."""

from __future__ import annotations

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
