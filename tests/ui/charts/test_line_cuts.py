"""A line between two clicks: what is asked for next, which field and name it has, and where a typed one begins."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.charts.lines.area import FIRST, SECOND, LineCuts


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
        self.info = SimpleNamespace(fields=(SimpleNamespace(name="v"), SimpleNamespace(name="c")), geometry=geometry)
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
    [
        ((4, 8, 2), ((2, 0, 1), (2, 8, 1))),
        ((9, 8, 2), ((0, 4, 1), (9, 4, 1))),
        ((4, 4, 5), ((2, 2, 0), (2, 2, 5))),
    ],
)
def test_a_line_that_is_typed_begins_through_the_middle_along_the_longest_side(cuts, high, ends):
    cuts._controller.build((0, 0, 0), high)
    assert cuts._across() == ends
