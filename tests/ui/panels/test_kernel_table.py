"""The table of kernels in the meters: what its cells say, what is repainted, and that it is as tall as its rows."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView

from ui.panels.meters.kernels import KernelTable
from workbench.run.frames import KernelRate

RATES = (
    KernelRate("diffuse_x", 1.5e-3, 80e9, 0.42),
    KernelRate("react", 2e-6, 1.25e9, 0.0712),
    KernelRate("stimulate", 1.0, 3e6, 1.0),
)
ROW, HEADER = 24, 28


@pytest.fixture
def table(qtbot):
    table = KernelTable()
    qtbot.addWidget(table)
    return table


def texts(table):
    model = table.kernels
    return [
        [model.data(model.index(row, column)) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_each_row_tells_of_a_kernel_under_named_columns(table):
    table.kernels.set_rates(RATES)
    model, across, down = table.kernels, Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert [model.headerData(column, across) for column in range(4)] == ["Kernel", "per step", "bandwidth", "ceiling"]
    assert model.headerData(0, down) is None
    assert texts(table) == [
        ["diffuse x", "1.50 ms", "80 GB/s", "42 %"],
        ["react", "2 µs", "1.25 GB/s", "7 %"],
        ["stimulate", "1.0 s", "3 MB/s", "100 %"],
    ]
    assert model.rowCount(model.index(0, 0)) == 0


def test_names_stand_at_the_left_and_figures_at_the_right(table):
    table.kernels.set_rates(RATES)
    model, role = table.kernels, Qt.ItemDataRole.TextAlignmentRole
    left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
    sides = [Qt.AlignmentFlag(model.headerData(column, Qt.Orientation.Horizontal, role)) for column in range(4)]
    assert [bool(side & left) for side in sides] == [True, False, False, False]
    assert [bool(side & right) for side in sides] == [False, True, True, True]
    assert model.data(model.index(0, 0), role) is None
    assert all(Qt.AlignmentFlag(model.data(model.index(1, column), role)) & right for column in (1, 2, 3))
    assert model.data(model.index(0, 0), Qt.ItemDataRole.ToolTipRole) is None
    assert model.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) is None


def test_it_is_as_tall_as_its_rows_and_wide_for_names(table):
    for rates, rows in (((), 1), (RATES[:1], 1), (RATES, 3), (RATES[:2], 2)):
        table.kernels.set_rates(rates)
        assert table.height() == HEADER + rows * ROW
    header = table.horizontalHeader()
    modes = [header.sectionResizeMode(column) for column in range(4)]
    assert modes == [QHeaderView.ResizeMode.Stretch] + 3 * [QHeaderView.ResizeMode.Fixed]


def test_new_figures_of_the_same_kernels_repaint_all_cells_and_lay_out_nothing(table):
    model, heard = table.kernels, []
    model.modelReset.connect(lambda: heard.append("reset"))
    model.dataChanged.connect(
        lambda first, last: heard.append((first.row(), first.column(), last.row(), last.column()))
    )
    model.set_rates(RATES)
    model.set_rates([KernelRate(each.kernel, 1.0, 1e9, 0.5) for each in RATES])
    assert heard == ["reset", (0, 0, 2, 3)]
    assert texts(table)[0] == ["diffuse x", "1.0 s", "1 GB/s", "50 %"]
    model.set_rates(RATES[:1])
    model.set_rates(())
    model.set_rates(())
    assert heard[2:] == ["reset", "reset"], "of no kernel nothing is repainted"
