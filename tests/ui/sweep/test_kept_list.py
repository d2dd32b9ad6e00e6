"""What of each chart stands in the table of a sweep: what is offered, chosen, and stays when charts change."""

import pytest
from PySide6.QtCore import Qt

from engines.api.charts import ChartInfo
from ui.sweep.keeping import KeptList
from workbench.sweep.readings import Reading

VOLTAGE = ChartInfo("voltage", "Voltage", "V", ("mean",))
SIZES = ChartInfo("sizes", "Sizes", "1", kind="bar", x_title="Radius", x_unit="µm")
COUNT = ChartInfo("count", "Count", "1", x_title="Cycle")
OFF = Qt.CheckState.Unchecked


@pytest.fixture
def kept(qtbot):
    made = KeptList()
    qtbot.addWidget(made)
    made.heard = []
    made.changed.connect(lambda: made.heard.append(True))
    return made


def chosen(kept):
    return [(one.name, one.reading.what, one.reading.at) for one in kept.kept()]


def parts(kept, name):
    """The row of a chart: its item, what is read, and where."""
    return kept._rows[name]


def test_before_anything_is_built_all_charts_are_kept(kept):
    assert kept.kept() is None
    kept.set_charts([VOLTAGE, SIZES])
    assert chosen(kept) == [("voltage", "last", 0.0), ("sizes", "max", 0.0)], "what suits each chart"
    assert len(kept.heard) == 1
    kept.set_charts((VOLTAGE, SIZES))
    assert len(kept.heard) == 1, "the same charts are no news"


def test_a_chart_that_is_not_ticked_is_not_kept(kept):
    kept.set_charts([VOLTAGE, SIZES])
    kept.list.topLevelItem(0).setCheckState(0, OFF)
    assert [name for name, *_ in chosen(kept)] == ["sizes"]
    assert len(kept.heard) == 2
    kept.list.topLevelItem(1).setCheckState(0, OFF)
    assert kept.kept() == ()


def test_what_was_chosen_stays_when_charts_come_and_go(kept):
    kept.set_charts([VOLTAGE, SIZES])
    kept.choose("voltage", Reading("at", 4.5))
    kept.list.topLevelItem(1).setCheckState(0, OFF)
    kept.set_charts([SIZES, COUNT, VOLTAGE])
    assert chosen(kept) == [("count", "max", 0.0), ("voltage", "at", 4.5)], "a new one is kept, and one left out is not"
    assert [kept.list.topLevelItem(row).text(0) for row in range(3)] == ["Sizes", "Count", "Voltage"]


def test_an_abscissa_counts_and_is_shown_where_a_value_at_one_is_read(kept):
    kept.set_charts([VOLTAGE, SIZES])
    assert kept.list.isColumnHidden(2), "names have its room"
    _, choice, at = parts(kept, "sizes")
    assert at.isHidden()
    kept.choose("sizes", Reading("at", 2.5))
    assert (choice.currentText(), at.isHidden(), kept.list.isColumnHidden(2)) == ("value at", False, False)
    assert kept.reading("sizes") == Reading("at", 2.5)
    choice.setCurrentIndex(choice.findData("min"))
    assert kept.reading("sizes") == Reading("min", 0.0), "of which no abscissa is told"
    assert (at.isHidden(), kept.list.isColumnHidden(2)) == (True, True)


@pytest.mark.parametrize(("chart", "tip"), [(VOLTAGE, "Time"), (SIZES, "Radius [µm]"), (COUNT, "Cycle")])
def test_the_place_of_a_value_says_what_it_is_along(kept, chart, tip):
    kept.set_charts([chart])
    item, choice, at = parts(kept, chart.name)
    assert (at.toolTip(), item.toolTip(0)) == (tip, chart.title)
    assert choice.accessibleName() == f"What is read of {chart.title}"


def test_each_edit_is_told(kept):
    kept.set_charts([VOLTAGE])
    item, choice, at = parts(kept, "voltage")
    for change in (
        lambda: item.setCheckState(0, OFF),
        lambda: choice.setCurrentIndex(choice.findData("at")),
        lambda: at.changed.emit(3.0),
    ):
        kept.heard.clear()
        change()
        assert kept.heard


def test_no_number_is_chosen_of_a_raster(qtbot):
    shown = KeptList()
    qtbot.addWidget(shown)
    shown.set_charts([ChartInfo("dots", "Spikes", "1", kind="raster"), ChartInfo("line", "Line", "V")])
    choices = [shown.list.itemWidget(shown.list.topLevelItem(k), 1) for k in range(2)]
    assert [choice.isEnabled() for choice in choices] == [False, True]
