"""Tables in the Lab's window: chosen, measured, cancelled, sorted, drawn as a map, exported, of another machine."""

import csv
from itertools import product

import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt

from engines.api.lab import Column
from tests.ui.lab.doubles import STUDY, machine, table_record
from tests.workbench.fake_tables import DIFFUSION_BLOCKS, STEP_TIMES
from ui.lab.figures.heat import dark_end
from ui.lab.figures.table_heat import TableMap
from ui.lab.setup_panel import TABLE
from ui.lab.tables.measured_model import BEGINS
from ui.widgets.theme import theme
from workbench.bench.record_files import read_record, write_json
from workbench.bench.records import LabRecord, TableRecord

RISING, FALLING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def item_of(lab, identifier):
    return next(item for item in lab.setup._items() if item.data(0, TABLE) == identifier)


def check(lab, *identifiers, alone=True):
    for item in lab.setup._items():
        if item.data(0, TABLE) in identifiers or alone:
            wanted = item.data(0, TABLE) in identifiers
            item.setCheckState(0, Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked)
    lab.setup.choose_table(identifiers[0])


def texts(lab):
    model = lab.table_page.lines.lines
    return [[model.index(row, c).data() for c in range(model.columnCount())] for row in range(model.rowCount())]


def header(lab):
    model = lab.table_page.lines.lines
    return [model.headerData(place, Qt.Orientation.Horizontal) for place in range(model.columnCount())]


@pytest.fixture
def tables(lab, qtbot):
    """The Lab after both tables were measured, the first one seen."""
    check(lab, "wave_step", "wave_blocks")
    lab.setup.run_button.click()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    return lab


def test_tables_stand_beside_the_studies_and_show_what_was_published(lab, services):
    item = item_of(lab, "wave_step")
    assert item.parent().text(0) == "Tables"
    assert item.parent().parent().text(0) == "Stencil"
    lab.setup.choose_table("wave_step")
    assert lab.setup.study is None
    assert lab.centre.currentWidget() is lab.table_page
    assert "Not measured here yet" in lab.table_page.state.text()
    assert lab.table_page.sources.text().splitlines()[0] == "Tesla P100: A paper on waves, table 5.4"
    assert len(texts(lab)) == 5
    assert not lab.source.isVisible()
    assert lab.setup.thorough.isVisible()
    assert not lab.setup.sizes.isVisible()
    lab.setup.choose_study(STUDY.id)
    assert lab.setup.sizes.isVisible()
    assert lab.centre.currentWidget() is lab.empty


def test_what_is_checked_is_measured_and_kept(lab, qtbot, services):
    check(lab, "wave_step", alone=False)
    lab.setup.thorough.click()
    lab.setup.run_button.click()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    assert services.lab_tables_asked == [(["wave_step"], True)]
    assert services.lab_asked[-1][1] == [STUDY.id]  # checked from the start
    kept = services.lab_folder / "kept.json"
    qtbot.waitUntil(kept.exists)
    assert [(table.table, table.thorough) for table in read_record(kept).tables] == [("wave_step", True)]
    assert "published sizes" in lab.table_page.state.text()


def test_a_table_alone_is_shown_when_another_was_looked_at(lab, qtbot, services):
    check(lab, "wave_blocks")
    lab.setup.choose_study(STUDY.id)
    lab.run()
    assert lab.setup.table is DIFFUSION_BLOCKS
    assert services.lab_asked[-1][1] == []
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    assert lab.setup.activity.text() == "Finished: 1 measured."


def test_measured_rows_have_published_ones_below_them_with_ratios(tables):
    assert header(tables) == [
        "Kernel", "N", "Device", "Time\nms", "Ratio", "Throughput\ncells/s", "Ratio", "Limit",
    ]  # fmt: skip
    rows = texts(tables)
    assert rows[2] == [
        "follow",
        "11\u202f688\u202f851",
        "NVIDIA H200",
        "2.10",
        "",
        "5\u202f566\u202f000\u202f000",
        "",
        "memory",
    ]
    assert rows[3][:5] == ["", "", "Tesla P100", "7.6", "0.28×"]
    assert rows[4][2:5] == ["Tesla V100-SXM3", "4.2", "0.50×"]
    assert rows[5][2:] == ["NVIDIA H200", "–", "", "–", "", "–"]
    assert rows[7][:4] == ["lead", "14\u202f007\u202f495", "Tesla P100", "10.5"]
    model = tables.table_page.lines.lines
    own, theirs = (model.index(row, 3).data(Qt.ItemDataRole.ForegroundRole) for row in (2, 3))
    assert own is None
    assert theirs == theme().palette.color("muted")
    assert "table 5.4" in model.index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert [row for row in range(8) if model.index(row, 0).data(BEGINS)] == [2, 5, 7]


def test_a_click_on_a_header_sorts_groups_and_a_third_gives_the_order_back(tables, qtbot):
    view = tables.table_page.lines
    before = texts(tables)
    bar = view.horizontalHeader()
    place = header(tables).index("Time\nms")

    def click():
        point = bar.rect().center()
        point.setX(bar.sectionViewportPosition(place) + 10)
        qtbot.mouseClick(bar.viewport(), Qt.MouseButton.LeftButton, pos=point)

    click()
    first = [row[place] for row in texts(tables) if row[0]]
    assert first == ["0.00512", "2.10", "10.5", "–"]  # what is missing stays last
    assert [row[2] for row in texts(tables)][2:4] == ["NVIDIA H200", "Tesla P100"]
    click()
    assert [row[place] for row in texts(tables) if row[0]] == ["10.5", "2.10", "0.00512", "–"]
    tables._refresh()
    assert view.horizontalHeader().sortIndicatorOrder() == FALLING
    assert next(row[place] for row in texts(tables) if row[0]) == "10.5"
    click()
    assert texts(tables) == before


def test_every_column_sorts_and_groups_stay_whole(tables):
    whole = {tuple(map(tuple, part)) for part in _groups(texts(tables))}
    for place, order in product(range(len(header(tables))), (RISING, FALLING)):
        tables.table_page.lines.sortByColumn(place, order)
        assert {tuple(map(tuple, part)) for part in _groups(texts(tables))} == whole


def _groups(rows):
    groups = []
    for row in rows:
        if row[0]:
            groups.append([])
        groups[-1].append(row)
    return groups


def test_the_map_frames_the_least_time_and_offers_the_published_one(tables, qtbot):
    tables.setup.choose_table("wave_blocks")
    page = tables.table_page
    assert page.tabs.isTabVisible(1)
    page.tabs.setCurrentIndex(1)
    page.map.settle()
    shown = [item for item in page.map.getPlotItem().items if isinstance(item, pg.TextItem)]
    assert len(shown) == 24
    assert [item.toPlainText() for item in shown if item.textItem.font().bold()] == ["2"]
    assert page.colors.text() == "Time: 2 ms (bright) to 5.44 ms (dark)"
    assert [name for _, name in page.map.getAxis("left")._tickLevels[0]] == ["10", "20", "40", "80"]
    page.device_box.setCurrentIndex(1)
    page.device_box.activated.emit(1)
    assert page.device_box.currentText() == "Tesla P100"
    assert len(page.map.cells) == 2
    assert tables._picture().width() > 100
    tables.setup.choose_table("wave_step")
    assert not page.tabs.isTabVisible(1)
    assert tables._picture() is None


def test_cancelling_ends_it_and_keeps_the_table_that_is_done(lab, qtbot, services):
    services.lab_hold = True
    check(lab, "wave_step")
    lab.run()
    qtbot.waitUntil(lambda: "NVIDIA H200" in {row[2] for row in texts(lab)}, timeout=5000)
    assert lab.setup.run_button.text() == "Cancel"
    assert not lab.setup.thorough.isEnabled()
    qtbot.mouseClick(lab.setup.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=5000)
    assert lab.setup.activity.text() == "Cancelled: 1 measured."
    assert texts(lab)[2][3] == "2.10"


def test_a_refused_table_says_why_and_does_not_replace_a_measured_one(lab):
    measuring = lab.measuring
    measuring._set_machine(machine())
    refused = TableRecord(
        STEP_TIMES.id, STEP_TIMES.title, STEP_TIMES.columns, (), False, 0.1, "Too small: choose more."
    )
    measuring._take_table(refused)
    lab.setup.choose_table("wave_step")
    lab._refresh()
    assert lab.table_page.state.text() == "Not measured: Too small: choose more."
    assert len(texts(lab)) == 5
    measuring._take_table(table_record(STEP_TIMES))
    measuring._take_table(refused)
    assert measuring.record().tables[0].rows


def test_another_machines_record_is_shown_and_compared(tables, qtbot, tmp_path):
    path = tmp_path / "a100.json"
    other = LabRecord(machine("NVIDIA A100", "2026-11-02"), tables=(table_record(STEP_TIMES, speed=0.5),))
    write_json(other, path)
    choice = tables.choice
    choice.open(path, choice.compare_box)
    qtbot.waitUntil(lambda: choice.compared is not None, timeout=5000)
    row = next(row for row in texts(tables) if row[2] == "NVIDIA A100" and row[3] == "4.2")
    assert row[4] == "0.50×"
    choice.open(path, choice.show_box)
    qtbot.waitUntil(lambda: tables.machine.text().startswith("NVIDIA A100"), timeout=5000)
    assert texts(tables)[2][2:4] == ["NVIDIA A100", "4.20"]
    assert tables.table_page.state.text() == "Measured with the quick sizes in 12.3 s."


def test_a_table_is_exported_as_csv_and_markdown(tables, tmp_path):
    menu = tables.export_button.menu()
    menu.aboutToShow.emit()
    seen = [action.text() for action in menu.actions() if action.isVisible() and action.isEnabled()]
    assert seen == ["Record as &JSON…", "&Table as CSV…", "Table as &Markdown…", "All plots as &PNG…"]
    tables.export.table_csv(tmp_path / "t.csv")
    assert len(list(csv.DictReader((tmp_path / "t.csv").open()))) == 8
    tables.export.table_markdown(tmp_path / "t.md")
    assert "| Tesla P100 " in (tmp_path / "t.md").read_text("utf-8")
    tables.setup.choose_study(STUDY.id)
    menu.aboutToShow.emit()
    assert "&Table as CSV…" not in [action.text() for action in menu.actions() if action.isVisible()]


def test_exporting_a_table_that_was_not_measured_is_a_sentence(lab, tmp_path):
    lab.setup.choose_table("wave_step")
    lab.export.table_csv(tmp_path / "none.csv")
    assert lab.banner.text.startswith("There is nothing to export yet")


def test_a_map_may_take_its_columns_from_the_results(qtbot):
    """Bandwidth: more is better, so the largest is the brightest; a row that comes twice shows its best."""
    columns = (Column("N", result=False), Column("copy", "GB/s", 3), Column("triad", "GB/s", 3))
    chart = TableMap()
    qtbot.addWidget(chart)
    chart.set_data(columns, True, ((20.0, 3.5, 4.5), (10.0, 1.5, None), (20.0, 5.5, 2.5)))
    chart.resize(700, 500)
    chart.show()
    chart.settle()
    assert {place: cell.value for place, cell in chart.cells.items()} == {
        ("copy", 20.0): 5.5, ("triad", 20.0): 4.5, ("copy", 10.0): 1.5, ("triad", 10.0): None,
    }  # fmt: skip
    assert chart.legend() == "5.50 GB/s (bright) to 1.50 GB/s (dark)"
    assert [name for _, name in chart.getAxis("left")._tickLevels[0]] == ["10", "20"]
    assert [name for _, name in chart.getAxis("bottom")._tickLevels[0]] == ["copy", "triad"]
    shown = [item for item in chart.getPlotItem().items if isinstance(item, pg.TextItem)]
    assert [item.toPlainText() for item in shown if item.textItem.font().bold()] == ["5.50"]


def test_texts_that_do_not_fit_their_cells_are_left_to_the_tips(qtbot):
    columns = (Column("N", result=False), Column("M", result=False), Column("Time", "ms", 6))
    chart = TableMap()
    qtbot.addWidget(chart)
    chart.set_data(columns, ("N", "M", "Time"), [(float(n), float(m), n + m / 7) for n in range(3) for m in range(40)])
    chart.resize(500, 300)
    chart.show()
    chart.settle()
    assert not [item for item in chart.getPlotItem().items if isinstance(item, pg.TextItem)]
    assert len(chart.cells) == 120


def test_colours_are_not_spent_on_what_is_far_off():
    assert dark_end([1.0, 2.0, 3.0, 4.0, 5.0]) == 1.0
    assert dark_end([-1.0, -1.1, -1.2, -1.3, -50.0]) == pytest.approx(-2.0)  # five times as far as the median


def test_long_titles_take_several_lines_and_nothing_of_a_table_is_cut(tables, qtbot):
    short, long = item_of(tables, "wave_step").parent(), item_of(tables, "wave_blocks")
    tree = tables.setup.tree
    assert tree.visualItemRect(long).height() >= tree.visualItemRect(short).height() + tree.fontMetrics().height()
    view = tables.table_page.lines
    for place, title in enumerate(header(tables)):
        widest = max(view.fontMetrics().horizontalAdvance(line) for line in title.split("\n"))
        texts_wide = max(view.fontMetrics().horizontalAdvance(row[place]) for row in texts(tables))
        assert view.columnWidth(place) >= max(widest, texts_wide)
    assert view.horizontalScrollBar().maximum() == 0
