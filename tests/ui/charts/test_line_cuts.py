"""A line between two clicks: what is asked for next, which field and name it has, and where a typed one begins; the
list of all lines."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.charts.lines.area import FIRST, SECOND, LineCuts
from ui.charts.lines.dialog import EMPTY, LinesDialog

FIELDS = tuple(SimpleNamespace(name=name, title=name.upper()) for name in ("v", "c"))


class Model(QObject):
    opened = Signal()
    changed = Signal(tuple)

    def __init__(self):
        super().__init__()
        self.draft, self.document = {"lines": []}, None

    def edit(self, path, value, text):
        self.draft[path[0]] = value
        lines = [SimpleNamespace(**line) for line in value]
        self.document = SimpleNamespace(project=SimpleNamespace(lines=lines))
        self.changed.emit(path)


class Controller(QObject):
    info_changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.model, self.info = Model(), None

    def build(self, *bounds):
        geometry = SimpleNamespace(length_unit="mm", bounds=np.array(bounds or ((0, 0, 0), (4, 8, 2)), float))
        self.info = SimpleNamespace(fields=FIELDS, geometry=geometry)
        self.info_changed.emit(self.info)


class View:
    picking, shown = False, "c"
    measured = lines = ()

    def mark_measured(self, places):
        self.measured = list(places)

    def mark_lines(self, lines):
        self.lines = list(lines)

    def view_settings(self):
        return SimpleNamespace(field=self.shown)


@pytest.fixture
def cuts(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    cuts = LineCuts(Controller(), View(), window)
    cuts.heard = []
    cuts.said.connect(cuts.heard.append)
    yield cuts
    window.close()


def test_two_clicks_make_a_line_of_the_field_in_view(cuts):
    actions = (cuts.action, cuts.edit_action)
    assert not any(action.isEnabled() for action in actions)
    cuts._controller.build()
    assert all(action.isEnabled() for action in actions)
    assert not cuts.takes((0, 0, 0)), "clicks are not for a line"
    cuts.action.trigger()
    assert (cuts.heard, cuts._viewport.picking) == ([FIRST], True)
    for place in ((0.0, 1.0, 0.123456789), (0.0, 1.0, 0.123456789), (3.0, 1.0, 0.0)):
        assert cuts.takes(place)
        assert len(cuts._viewport.measured) == (place[0] == 0.0)
    assert cuts.heard == [FIRST, SECOND, ""]
    assert not cuts._viewport.picking
    (line,) = cuts._model.draft["lines"]
    assert line == {"name": "line 1", "field": "c", "start": [0.0, 1.0, 0.123457], "end": [3.0, 1.0, 0.0]}
    assert cuts._viewport.lines == [([0.0, 1.0, 0.123457], [3.0, 1.0, 0.0])]
    cuts._viewport.shown = "regions"
    for _ in range(2):
        cuts.add((0, 0, 0), (1, 0, 0))
    cuts._model.edit(("lines",), cuts._model.draft["lines"][1:], "")
    cuts.add((0, 0, 0), (1, 0, 0))
    assert [line["name"] for line in cuts._model.draft["lines"]] == ["line 2", "line 3", "line 1"]
    assert {line["field"] for line in cuts._model.draft["lines"]} == {"v"}, "the first where none of them is in view"
    cuts.action.trigger()
    cuts._controller.info_changed.emit(None)
    assert not cuts.action.isChecked()
    assert not any(action.isEnabled() for action in actions)


@pytest.mark.parametrize(
    ("high", "ends"),
    [((4, 8, 2), ((2, 0, 1), (2, 8, 1))), ((9, 8, 2), ((0, 4, 1), (9, 4, 1))), ((4, 4, 5), ((2, 2, 0), (2, 2, 5)))],
)
def test_a_line_that_is_typed_begins_through_the_middle_along_the_longest_side(cuts, high, ends):
    cuts._controller.build((0, 0, 0), high)
    assert cuts._across() == ends


def test_no_line_is_added_while_a_run_is_being_built(cuts):
    """The list stays open when the grid changes: Add was an exception until the next run was there."""
    cuts._controller.build()
    cuts._model.errors = {}
    cuts.edit()
    for info, ready in ((None, False), (cuts._controller.info, True)):
        cuts._controller.info = info
        cuts._controller.info_changed.emit(info)
        assert cuts.dialog.add_button.isEnabled() is ready
        cuts.dialog.add_button.click()
        assert len(cuts._model.draft["lines"]) == ready


@pytest.fixture
def dialog(cuts, qtbot):
    model, parent = cuts._model, QWidget()
    model.errors = {}
    dialog = LinesDialog(model, FIELDS, "mm", lambda: ((0.0, 4.0, 1.0), (4.0, 4.0, 1.0)), parent)
    qtbot.addWidget(parent)
    yield dialog
    dialog.close()


def texts(dialog):
    table = dialog.table
    return [[table.item(row, column).text() for column in (0, *range(2, 8))] for row in range(table.rowCount())]


def test_each_number_of_a_line_is_typed_in_its_column(dialog):
    model, headers = dialog._model, [dialog.table.horizontalHeaderItem(place).text() for place in range(8)]
    assert headers == ["Name", "Field", "From x [mm]", "y", "z", "To x [mm]", "y", "z"]
    assert dialog.note.text() == EMPTY
    assert (dialog.add_button.isEnabled(), dialog.remove_button.isEnabled()) == (True, False)
    for _ in range(3):
        dialog.add()
    dialog._model.draft["lines"].pop(1)
    dialog.add()
    assert [line["name"] for line in model.draft["lines"]] == ["line 1", "line 3", "line 2"], "the first that is free"
    assert texts(dialog)[2] == ["line 2", "0", "4", "1", "4", "4", "1"]
    assert dialog.note.text() == ""
    for column in range(2, 8):
        dialog.table.item(1, column).setText(f" {column},5 ")
    assert model.draft["lines"][1] == {
        "name": "line 3", "field": "v", "start": [2.5, 3.5, 4.5], "end": [5.5, 6.5, 7.5],
    }  # fmt: skip
    assert texts(dialog)[1] == ["line 3", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5"]
    for row in (0, 2):
        assert texts(dialog)[row][1:] == ["0", "4", "1", "4", "4", "1"], "the others are as they were"
    for column, text, said in (
        (0, " ", "name of its own"), (0, "line 1", "name of its own"), (4, "deep", "'deep' is no number."),
        (5, "a very long text that goes on", "'a very long text tha' is no number."),
    ):  # fmt: skip
        before = texts(dialog)
        dialog.table.item(1, column).setText(text)
        assert said in dialog.note.text()
        assert texts(dialog) == before
    dialog.table.item(1, 0).setText(" cut ")
    assert [line["name"] for line in model.draft["lines"]] == ["line 1", "cut", "line 2"]
    dialog.table.item(1, 0).setText("cut")
    assert dialog.note.text() == "", "its own name may stay"
    boxes = [dialog.table.cellWidget(row, 1) for row in range(3)]
    assert [box.currentText() for box in boxes] == ["V"] * 3
    boxes[2].setCurrentIndex(1)
    boxes[2].activated.emit(1)
    assert [line["field"] for line in model.draft["lines"]] == ["v", "v", "c"]
    assert dialog.table.cellWidget(2, 1).currentText() == "C"


def test_lines_that_are_chosen_are_removed_and_what_is_wrong_is_said(dialog):
    for _ in range(3):
        dialog.add()
    dialog.table.selectRow(0)
    assert dialog.remove_button.isEnabled()
    dialog.remove()
    assert [line["name"] for line in dialog._model.draft["lines"]] == ["line 2", "line 3"]
    dialog._model.errors = {("parameters", "a"): "Elsewhere.", ("lines", 0): "It begins where it ends."}
    dialog._model.changed.emit(("parameters",))
    assert dialog.note.text() == "", "of others nothing is shown"
    dialog._model.changed.emit(("lines",))
    assert dialog.note.text() == "It begins where it ends."
    dialog.set_fields(())
    assert not dialog.add_button.isEnabled()
