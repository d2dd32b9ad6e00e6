"""How many charts stand beside each other in a room of some width."""

import pytest
from PySide6.QtWidgets import QLabel

from ui.charts.grid import ChartGrid


@pytest.mark.parametrize(
    ("width", "count", "columns"),
    [(230, 3, 1), (480, 1, 1), (480, 3, 2), (720, 3, 3), (720, 4, 2), (1000, 4, 4), (1000, 5, 3), (1000, 9, 3)],
)
def test_charts_fill_their_rows_as_evenly_as_there_is_room(qtbot, width, count, columns):
    grid = ChartGrid()
    qtbot.addWidget(grid)
    grid.resize(width, 300)
    cells = [QLabel(str(place), grid.body) for place in range(count)]
    grid.set_cells(cells)
    grid.show()
    places = [grid._grid.getItemPosition(grid._grid.indexOf(cell))[:2] for cell in cells]
    assert places == [divmod(place, columns) for place in range(count)]
    assert [grid._grid.columnStretch(column) for column in range(columns)] == [1] * columns
    grid.set_cells(cells[:1])
    assert [cell.isVisible() for cell in cells] == [True] + [False] * (count - 1)
    assert columns == 1 or grid._grid.columnStretch(1) == 0


@pytest.mark.parametrize(
    ("size", "room"), [((600, 400), 4), ((260, 100), 1), ((820, 170), 3), ((280, 500), 3), ((532, 170), 2)]
)
def test_as_many_charts_have_room_as_have_a_good_size(qtbot, size, room):
    grid = ChartGrid()
    qtbot.addWidget(grid)
    grid.resize(*size)
    assert grid.room() == room
