"""The box around a grid: its edges, and which of them nothing of it hides from where one looks."""

from itertools import product
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from engines.geometry.grid import Grid
from ui.scene.layers import grid_draw
from ui.scene.layers.grid_draw import GridPainter, _crossings, _edges
from ui.scene.shapes.sampling import Sampling

LOW, HIGH = np.array([0.0, 0.0, 0.0]), np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(("high", "count"), [(HIGH, 12), (np.array([1.0, 2.0, 0.0]), 4)])
def test_a_box_has_twelve_edges_and_a_flat_one_four(high, count):
    edges, faces = _edges(LOW, high)
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).tolist()
    assert len(edges) == len(faces) == count
    assert {length: lengths.count(length) for length in lengths} == dict.fromkeys(
        (high - LOW)[high > LOW], 12 // 3
    ) or (count == 4 and sorted(lengths) == [1.0, 1.0, 2.0, 2.0])
    for edge, beside in zip(edges, faces, strict=True):
        for axis, side in beside:
            assert (edge[:, axis] == (LOW, high)[side][axis]).all(), "it lies in the faces that are said to be at it"
        assert len(beside) == 2
    assert len({tuple(edge.ravel()) for edge in edges}) == count


def test_three_slices_cross_in_three_lines_through_their_corner():
    corners = np.diag([0.5, 1.0, 2.0])
    lines = _crossings(corners, LOW, HIGH)
    for axis in range(3):
        assert lines[axis, :, axis].tolist() == [LOW[axis], HIGH[axis]]
        others = [k for k in range(3) if k != axis]
        np.testing.assert_array_equal(lines[axis][:, others], np.tile(np.diag(corners)[others], (2, 1)))


@pytest.mark.parametrize("way", list(product((-1, 0, 1), repeat=3)))
def test_edges_in_front_are_those_of_faces_that_look_at_the_eye(way):
    grid = Grid((1, 2, 3), (1.0, 1.0, 1.0))
    low, high = grid.bounds
    eye = (low + high) / 2 + 10.0 * np.array(way)
    view = np.eye(4)
    view[:3, 3] = -eye
    seen = GridPainter(grid)._in_front(view)
    for edge, front in zip(_edges(low, high)[0], seen, strict=True):
        middle = edge.mean(axis=0) - (low + high) / 2
        assert front == any(middle[axis] and np.sign(middle[axis]) == way[axis] for axis in range(3))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_three_slices_have_edges_and_lines_where_they_cross(monkeypatch, count):
    """Four edges each, and a line along each axis; a plane alone has what its box has."""
    monkeypatch.setattr(grid_draw, "SheetVisual", Mock)
    painter, drawn, axes = GridPainter(Grid((1, 2, 3), (1.0, 1.0, 1.0))), [], np.diag(HIGH)
    monkeypatch.setattr(
        painter, "_draw_lines", lambda lines, look, view, projection, *more: drawn.append((lines, *more))
    )
    places = [(axes[k] / 2, axes[k - 2], axes[k - 1]) for k in range(3)]
    sheets = [
        SimpleNamespace(name=str(k), detail=False, span=None, place=lambda grid, k=k: places[k]) for k in range(count)
    ]
    painter.draw(sheets, {}, 0.0, SimpleNamespace(mapped=False), np.eye(4), np.eye(4), None)
    assert [(len(lines), opacity) for lines, opacity in drawn[1:]] == [(3 + 3 * 4, 0.45)] * (count == 3)
    assert all((lines >= 0).all() for lines, _ in drawn[1:]), "none reaches out of the grid"


def test_a_volume_is_sent_where_it_is_stale_and_told_how_many_blocks_it_spans(monkeypatch):
    """The last block may be cut: 9 cells in blocks of 4 are two blocks and a quarter."""
    monkeypatch.setattr(grid_draw, "VolumeVisual", Mock)
    grid, look = Grid((12, 10, 6), (1.0, 1.0, 1.0)), SimpleNamespace(diverging=True)
    painter, box = GridPainter(grid), Sampling((3, 2, 1), (12, 10, 6), (4, 2, 1))
    for stale in (False, False, True):
        if stale:
            painter.stale.add("volume")
        painter.draw_volume(box, "values", look, "view", "projection", None)
    visual = painter._volume
    assert [each.args for each in visual.set.call_args_list] == [("values",)] * 2, "on a new canvas, and then a new one"
    assert painter.stale == set()
    assert visual.draw.call_args.args[:3] == (look, "view", "projection")
    assert visual.draw.call_args.args[4:] == ((2.25, 4.0, 5.0), True)
