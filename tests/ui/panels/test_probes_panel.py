"""The probes' panel by itself: which probes the document has after each edit, and what is told of them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal

from engines.api import FieldInfo, SeriesInfo, SimulationInfo
from engines.api.charts import ChartInfo
from ui.panels.probes.panel import SERIES, ProbesPanel
from workbench.run.streams.traces import TraceBuffer

FIELDS = (FieldInfo("v", "Voltage", "mV", "cell", (-80.0, 40.0)), FieldInfo("c", "Calcium", "µM", "cell", (0.0, 1.0)))
INFO = SimulationInfo(None, 0.1, "ms", FIELDS, (SeriesInfo("mean", "Mean voltage", "mV"),), (), None)


class Model(QObject):
    opened = Signal()
    changed = Signal(tuple)

    def __init__(self):
        super().__init__()
        self.document, self.draft, self.said = object(), {"probes": []}, []

    def edit(self, path, value, text):
        self.draft[path[0]] = value
        self.said.append(text)
        self.changed.emit(path)


@pytest.fixture
def model(qapp):
    return Model()


@pytest.fixture
def panel(model, qtbot, monkeypatch):
    monkeypatch.setattr(ProbesPanel, "_seen_first", "c")
    panel = ProbesPanel(model)
    qtbot.addWidget(panel)
    panel.set_info(INFO)
    return panel


def bring(panel, name, field, values):
    buffer = panel.store.probes.setdefault((name, field), TraceBuffer())
    buffer.append(np.arange(len(values), dtype=float), np.array(values, float))


def test_a_new_probe_has_the_first_free_number(panel, model):
    for place in range(3):
        panel.add((place, 0, 0.5))
    assert panel.names() == ["P1", "P2", "P3"]
    assert model.draft["probes"][2] == {"name": "P3", "position": [2.0, 0.0, 0.5]}
    panel.remove(1)
    assert panel.names() == ["P1", "P3"]
    panel.add((9, 9, 9))
    assert panel.names() == ["P1", "P3", "P2"]
    assert [probe["position"][0] for probe in model.draft["probes"]] == [0.0, 2.0, 9.0]
    model.document = None
    panel.add((1, 1, 1))
    assert len(panel.names()) == 3
    assert set(model.said) == {"new probe", "removal of a probe"}


def test_a_name_that_another_probe_has_gets_a_number_and_traces_keep_their_probe(panel):
    for _ in range(3):
        panel.add((0, 0, 0))
    bring(panel, "P3", "v", [7.0])
    panel.rename(0, "apex")
    panel.rename(1, "apex")
    panel.rename(2, "apex")
    assert panel.names() == ["apex", "apex 2", "apex 3"]
    assert set(panel.store.probes) == {("apex 3", "v")}
    panel.rename(2, "apex 3")
    assert panel.names()[2] == "apex 3", "its own name is free"
    panel.remove(2)
    assert panel.store.probes == {}


def test_each_quantity_is_offered_and_its_values_stand_at_the_probes(panel):
    assert [panel.field.itemText(k) for k in range(panel.field.count())] == [
        "Voltage",
        "Calcium",
        "Mean voltage, in all",
    ]
    assert panel.field.currentText() == "Calcium", "what the problem shows"
    panel.add((0, 0, 0))
    panel.add((1, 0, 0))
    told = []
    panel.list.show_values = told.append
    bring(panel, "P1", "v", [1.0, 2.0, -3.5])
    bring(panel, "P1", "c", [0.25])
    bring(panel, "P2", "v", [5.0])
    panel.store.series["mean"] = TraceBuffer()
    panel.store.series["mean"].append(np.array([0.0]), np.array([-60.0]))
    for place, values, axes in (
        (0, {0: "−3.500 mV", 1: "5.000 mV"}, ("Voltage", "mV", "ms")),
        (1, {0: "0.2500 µM"}, ("Calcium", "µM", "ms")),
        (2, {0: "−60.00 mV"}, ("Mean voltage", "mV", "ms")),
    ):
        panel.field.setCurrentIndex(place)
        panel.field.activated.emit(place)
        assert told[-1] == values
        assert panel.plot.axes == axes
    panel.field.setCurrentIndex(0)
    panel.look_back(1.0)
    assert told[-1] == {0: "2.000 mV", 1: "5.000 mV"}
    panel.look_back(None)
    assert told[-1] == {0: "−3.500 mV", 1: "5.000 mV"}
    panel.set_info(INFO)
    assert panel.field.currentText() == "Voltage", "what was chosen stays"


def test_what_a_run_brought_is_put_before_the_next_part_of_it(panel, model, tmp_path):
    panel.add((0, 0, 0))
    bring(panel, "P1", "v", [1.0, 2.0])
    panel.store.series["mean"] = TraceBuffer()
    panel.store.series["mean"].append(np.array([0.5]), np.array([-60.0]))
    curves = panel.curves()
    assert set(curves) == {("mean",), ("P1", "v")}
    panel.clear_traces()
    assert panel.curves() == {}
    panel.put_before(curves)
    assert {key: [each.tolist() for each in pair] for key, pair in panel.curves().items()} == {
        ("mean",): [[0.5], [-60.0]],
        ("P1", "v"): [[0.0, 1.0], [1.0, 2.0]],
    }
    panel.as_csv()(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines == ["probe,field,unit,time [ms],value", "P1,v,mV,0.0,1.0", "P1,v,mV,1.0,2.0"]
    model.opened.emit()
    assert panel.curves() == {}
    assert panel.field.count() == 0


def test_few_rows_stand_whole_and_of_many_half_a_one_tells_that_they_scroll(panel):
    heights = []
    for _ in range(6):
        panel.add((0, 0, 0))
        heights.append(panel._rows.height())
    assert [height / heights[0] for height in heights] == [1.0, 1.0, 1.5, 2.0, 2.25, 2.25]


def test_a_series_that_is_one_of_a_chart_is_offered_by_its_name(panel):
    """``X`` alone says nothing of a pseudo-ECG."""
    panel.set_info(replace(INFO, charts=(ChartInfo("ecg", "Pseudo-ECG", "mV", series=("mean", "other")),)))
    assert panel.field.itemText(2) == "Pseudo-ECG: Mean voltage"


def test_traces_are_written_as_they_were_when_that_was_asked_for(panel, tmp_path):
    """They grew, and were thinned, under whoever wrote them: times stood beside values of other moments."""
    panel.add((0, 0, 0))
    bring(panel, "P1", "v", [1.0, 2.0])
    write = panel.as_csv()
    buffer = panel.store.probes["P1", "v"]
    buffer.append(np.arange(2.0, 70_000.0), np.arange(2.0, 70_000.0))
    write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1:] == ["P1,v,mV,0.0,1.0", "P1,v,mV,1.0,2.0"]


def test_of_branches_that_were_left_is_drawn_what_is_chosen():
    """By the names of the plot: of a series its title, of a field those of the probes."""
    one = SimpleNamespace(series={"mean": 1, "most": 2}, probes={("a", "v"): 3, ("b", "v"): 4, ("a", "c"): 5})
    panel = SimpleNamespace(store=SimpleNamespace(left=[one, SimpleNamespace(series={}, probes={})]))
    assert ProbesPanel._left(panel, (SERIES, "most", "Largest")) == [{"Largest": 2}, {}]
    assert ProbesPanel._left(panel, ("field", "v", "Voltage")) == [{"a": 3, "b": 4}, {}]


def typed_place(row, text):
    row.place.setText(text)
    row.place.setModified(True)
    row.place.editingFinished.emit()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("50.25 12 0", [50.25, 12.0, 0.0]),
        ("1; 2.5 ;-3", [1.0, 2.5, -3.0]),
        ("4,5,6e-1", [4.0, 5.0, 0.6]),
        ("1 2", [1.0, 2.0, 0.0]),
        ("1", None),
        ("here", None),
        ("1 2 nan", None),
    ],
)
def test_a_probe_stands_where_it_says_and_another_place_is_typed(panel, model, text, place):
    """Its trace was that of another point."""
    panel.add((7.123456, 8, 0))
    (row,) = panel.list.rows
    assert row.place.text() == "7.1235, 8"
    assert "Stands at x 7.123456, y 8, z 0" in row.place.toolTip()
    bring(panel, "P1", "v", [1.0, 2.0])
    typed_place(row, text)
    if place is None:
        assert model.draft["probes"][0]["position"] == [7.123456, 8.0, 0.0]
        assert row.place.text() == "7.1235, 8"
        assert panel.readout.text() == "A place is two or three numbers, as 10, 20.5, 0."
        assert ("P1", "v") in panel.store.probes
        typed_place(row, "1 2 3")
    assert model.draft["probes"][0]["position"] == (place or [1.0, 2.0, 3.0])
    assert ("P1", "v") not in panel.store.probes
    assert panel.readout.text() == ""


def test_a_place_that_is_left_as_it_was_moves_no_probe(panel, model):
    """What stands there is rounded."""
    panel.add((7.123456, 8, 0))
    panel.list.rows[0].place.editingFinished.emit()
    typed_place(panel.list.rows[0], "7.1235, 8")
    assert model.draft["probes"][0]["position"] == [7.123456, 8.0, 0.0]
    assert model.said == ["new probe"]
