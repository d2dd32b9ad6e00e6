"""Which cells stand for a grid: each cell in one block, no more blocks than asked for, the right means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.geometry.grid import Grid, rectilinear
from tests.ui.scene.grids import gather
from ui.scene.shapes.sampling import sampling

# Written out: what the sources have is held against these.
LONGEST_SIDE = 4096
MEANS_CELLS = 4_000_000

SIDES = st.integers(1, 23)


def whole(grid: Grid, most: int, means: bool = True):
    x, y, z = [*grid.counts, 1][:3]
    return sampling(grid, (0, 0, 0), (x, y, z), most, means)


@settings(max_examples=60)
@given(SIDES, SIDES, SIDES, st.integers(1, 600), st.tuples(*[st.sampled_from([0.3, 1.0, 2.5])] * 3))
def test_every_cell_is_in_one_block_and_there_are_not_too_many(nx, ny, nz, most, spacing) -> None:
    grid = Grid((nz, ny, nx), spacing)
    box = whole(grid, most)
    assert box.size <= most
    selection = box.selection(grid)
    assert len(selection) == box.size
    if box.means:
        assert np.array_equal(np.sort(selection.elements), np.arange(grid.n_cells))
        assert (np.diff(selection.offsets) > 0).all()
    else:
        assert len(np.unique(selection.elements)) == box.size


def test_means_are_those_of_the_blocks() -> None:
    grid = Grid((6, 9), (1.0, 1.0))
    values = np.random.default_rng(1).random((6, 9)).astype(np.float32)
    box = whole(grid, 6)
    assert box.strides == (3, 3, 1)
    expected = values.reshape(2, 3, 3, 3).mean(axis=(1, 3)).ravel()
    # Sums of nine float32 below 1 are right to a few units in the last place.
    assert gather(values.ravel(), box.selection(grid)) == pytest.approx(expected, rel=1e-6)
    assert box.of_whole(grid, values.ravel()) == pytest.approx(expected, rel=1e-6)
    parts = np.stack([values.ravel(), 2 * values.ravel()], axis=1)
    np.testing.assert_allclose(box.of_whole(grid, parts), np.stack([expected, 2 * expected], axis=1), rtol=1e-6)


def test_a_huge_grid_lists_no_cell_that_it_does_not_show() -> None:
    grid = Grid((16384, 16384), (1.0, 1.0))
    box = whole(grid, 1_000_000)
    selection = box.selection(grid)
    assert grid.n_cells > MEANS_CELLS
    assert selection.offsets is None
    assert len(selection) == box.size <= 1_000_000
    assert selection.elements.dtype == np.int32
    assert selection.elements.max() < grid.n_cells
    row, column = np.divmod(selection.elements[[0, -1]], 16384)
    assert (row == column).all()
    assert row[0] < box.strides[1]
    assert row[1] >= 16384 - box.strides[1]


def test_a_long_grid_fits_a_texture() -> None:
    assert max(whole(Grid((2, 100_000), (1.0, 1.0)), 1_000_000).counts) <= LONGEST_SIDE


def test_fields_that_miss_are_not_mixed() -> None:
    assert not whole(Grid((8, 8), (1.0, 1.0)), 16, means=False).means


def test_blocks_of_long_cells_are_as_square_as_can_be() -> None:
    assert whole(Grid((100, 400), (1.0, 4.0)), 10_000).strides[:2] == (4, 1)


def test_samples_of_a_grid_with_lines_are_means_by_area() -> None:
    x, y = np.array([1.0, 1.5, 3.0, 3.25]), np.array([-1.0, 1.0, 2.0])
    grid = rectilinear([x, y])
    values = np.arange(6.0)
    whole = sampling(grid.raster, (0, 0, 0), (9, 3, 1), 1, True)
    areas = np.outer(np.diff(y), np.diff(x)).ravel()
    assert whole.of_whole(grid, values)[0] == pytest.approx((areas @ values) / areas.sum(), rel=1e-6)
    each = sampling(grid.raster, (0, 0, 0), (9, 3, 1), 100, True)
    np.testing.assert_array_equal(each.of_whole(grid, values), values[grid.under(np.arange(27))])
