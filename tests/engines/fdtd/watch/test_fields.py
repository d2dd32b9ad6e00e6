"""What viewers are given of the fields."""

import numpy as np

from engines.api import Selection
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.watch.fields import vectors_of
from tests.engines.fdtd.problems import ENGINE, GRID, small


def test_gathered_values_are_those_of_the_field(backend):
    simulation = ENGINE.build(small(), backend)
    simulation.advance(40)
    cells = np.array([0, 5, 17_000, 17_001, GRID.cells_x * GRID.cells_y * GRID.cells_z - 1], np.int32)
    offsets = np.array([0, 2, 5], np.int32)
    for info in simulation.fields:
        whole = simulation.field(info.name)
        assert whole.shape == (simulation.geometry.n_cells,)
        scale = np.abs(whole).max()
        assert scale > 0
        got = simulation.gather(info.name, simulation.select(Selection(cells)))
        np.testing.assert_allclose(got, whole[cells], rtol=0, atol=1e-6 * scale)
        means = simulation.gather(info.name, simulation.select(Selection(cells, offsets)))
        expected = [whole[cells[:2]].mean(), whole[cells[2:]].mean()]
        np.testing.assert_allclose(means, expected, rtol=0, atol=1e-6 * scale)
    assert simulation.non_finite() is None


def test_what_has_a_direction_is_made_of_fields_that_there_are(backend):
    """Of a plane: E across it, H within, and so the power."""
    simulation = ENGINE.build(small(), backend)
    names = {info.name for info in simulation.fields}
    assert [vector.name for vector in simulation.vectors] == ["E", "H", "S"]
    for vector in simulation.vectors:
        assert set(vector.named) <= names
    plane = vectors_of(Parts((False, False, True), (True, True, False)))
    assert [vector.parts for vector in plane] == [("", "", "Ez"), ("Hx", "Hy", ""), ("", "", "Ez")]
    assert plane[2].crossed == plane[1].parts
