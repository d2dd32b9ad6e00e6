"""Means with and without missing values against sums written out."""

import numpy as np
import pytest

from engines.api import Selection
from tests.ui.scene.meshes import ACTIVATION, VOLTAGE, gather
from ui.scene.shapes.vertex_means import NO_DATA, VertexMeans

MEANS = VertexMeans(Selection(np.array([4, 2, 2, 7, 1], np.int32), np.array([0, 2, 3, 5], np.int32)))
CELLS = np.array([0.0, -1.0, 6.0, 0.0, 10.0, 0.0, 0.0, -1.0], np.float32)


def test_plain_fields_are_reduced_by_the_simulation() -> None:
    asked = MEANS.selection(VOLTAGE)
    assert len(asked) == 3
    assert MEANS.reduce(VOLTAGE, gather(CELLS, asked)) == pytest.approx([8.0, 6.0, -1.0])


def test_missing_values_do_not_enter_the_mean() -> None:
    asked = MEANS.selection(ACTIVATION)
    assert asked.offsets is None
    assert MEANS.reduce(ACTIVATION, gather(CELLS, asked)) == pytest.approx([8.0, 6.0, np.float32(NO_DATA)])
    mixed = CELLS.copy()
    mixed[4] = -1.0
    assert MEANS.reduce(ACTIVATION, gather(mixed, asked)) == pytest.approx([6.0, 6.0, np.float32(NO_DATA)])


def test_front_counts_missing_cells_as_soon_to_come() -> None:
    mixed = CELLS.copy()
    mixed[4] = -1.0
    answer = gather(mixed, MEANS.selection(ACTIVATION))
    assert MEANS.reduce_front(ACTIVATION, answer, 12.0) == pytest.approx([9.0, 6.0, 12.0])


@pytest.mark.parametrize("field", [VOLTAGE, ACTIVATION])
def test_whole_field_gives_what_the_simulation_would_answer(field) -> None:
    assert MEANS.of_whole(field, CELLS) == pytest.approx(gather(CELLS, MEANS.selection(field)))
