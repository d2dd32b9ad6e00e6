"""The regions of a mesh, as rows of the import page."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from ui.importing.regions import RegionRows
from workbench.importing.report import RegionRow

COLOURS = np.array([[200, 10, 10], [10, 200, 10], *[[9, 9, 9]] * 12], np.uint8)


@pytest.fixture
def rows(qtbot):
    made = RegionRows()
    qtbot.addWidget(made)
    return made


def labels(rows, row):
    items = [rows._grid.itemAtPosition(row, column) for column in range(5)]
    return [item.widget() for item in items if item is not None]


def test_a_region_has_its_colour_its_name_its_cells_and_its_share(rows):
    rows.show_regions([RegionRow("left", 1200, 0.25, "tissue"), RegionRow("all of it", 1, 0.9996, "")], COLOURS)
    assert rows.lines == [["left", "1\u202f200 cells", "25.0 %", "tissue"], ["all of it", "1 cells", "all", ""]]
    for row, line in enumerate(rows.lines):
        swatch, *texts = labels(rows, row)
        colour = swatch.pixmap().toImage().pixelColor(5, 5)
        assert [colour.red(), colour.green(), colour.blue()] == COLOURS[row].tolist()
        assert [each.text() for each in texts] == line
        assert [each.objectName() for each in texts] == ["", "muted", "muted", ""]
        assert [bool(each.alignment() & Qt.AlignmentFlag.AlignRight) for each in texts] == [False, True, True, False]


@pytest.mark.parametrize(("count", "more"), [(12, None), (13, "and 1 more region"), (15, "and 3 more regions")])
def test_of_many_regions_the_rest_is_counted(rows, count, more):
    rows.show_regions([RegionRow(str(place), 1, 0.01, "") for place in range(count)], np.zeros((count, 3), np.uint8))
    assert len(rows.lines) == 12
    said = [each.text() for each in rows.findChildren(QLabel) if each.text().startswith("and ")]
    assert said == ([more] if more else [])
