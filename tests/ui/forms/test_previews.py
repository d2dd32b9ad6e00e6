"""What a group of parameters describes, drawn below it: in nested groups, while a law is typed, after each edit."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.parameters.laws import Typed
from tests.ui.forms.holder import Holder
from ui.forms.schema import plain
from ui.session.model import DocumentModel
from ui.session.previews import Previews
from ui.widgets.background import Background
from workbench.project.document import new_document

CHART = ChartInfo("law", "Force", "MPa", x_title="Stretch", x_unit="%")
LAW = ("parameters", "material", "law")


def inspection(peak):
    curve = Curve("Force", np.array([0.0, 1.0, 2.0]), np.array([0.0, peak, 0.0]), told=1)
    return Inspection("Odd." if peak > 3 else "", (Fact("Largest", peak, "MPa"),), ((CHART, ChartData((curve,))),))


def test_a_preview_stands_below_the_group_at_its_place(qtbot):
    holder = Holder(qtbot, PeridynamicParameters, PeridynamicParameters())
    holder.form.show()
    law = holder.editor("material", "law")
    assert law.form.preview is None
    holder.form.set_previews({("material", "law"): inspection(2.0), ("notches", 0): inspection(3.0)})
    box = law.form.preview
    assert box.isVisible()
    assert not box.title.isVisible()
    assert box.facts["Largest"].text() == "2.000 MPa"
    assert box._grid.itemAtPosition(0, 0).widget().text() == "Largest"
    assert box._grid.itemAtPosition(0, 1).widget() is box.facts["Largest"]
    assert box.cells[0].plot.data.curves[0].y[1] == 2.0
    assert holder.editor("notches", 0).form.preview.facts["Largest"].text() == "3.000 MPa"
    assert holder.editor("material").preview is None
    cells = box.cells
    holder.form.set_previews({("material", "law"): inspection(4.0)})
    assert box.cells == cells  # the chart is the same one, with another curve
    assert (box.title.text(), box.facts["Largest"].text()) == ("Odd.", "4.000 MPa")
    assert not holder.editor("notches", 0).form.preview.isVisible()
    law.kind.edited.emit((), "bilinear")
    assert holder.editor("material", "law").form.preview.facts["Largest"].text() == "4.000 MPa"  # until the next


def test_the_wheel_over_a_chart_scrolls_the_form(qtbot):
    holder = Holder(qtbot, PeridynamicParameters, PeridynamicParameters())
    holder.form.show()
    holder.form.set_previews({("material", "law"): inspection(2.0)})
    plot = holder.editor("material", "law").form.preview.cells[0].plot
    shown = plot.getViewBox().viewRange()
    middle = QPointF(plot.viewport().rect().center())
    turned = QWheelEvent(
        middle, QPointF(plot.viewport().mapToGlobal(middle)), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(plot.viewport(), turned)
    assert not turned.isAccepted()  # so Qt passes it on to what is around
    assert plot.getViewBox().viewRange() == shown


@pytest.fixture
def followed(qtbot):
    model, background = DocumentModel(), Background()
    previews = Previews(model, background)
    found = []
    previews.found.connect(found.append)
    model.open(new_document(PeridynamicsEngine()))
    yield model, found
    previews.stop()
    background.close()


def newest(found):
    return {fact.title: fact.value for fact in found[-1]["material", "law"].facts}


def test_edits_are_followed_and_what_is_wrong_leaves_the_last(qtbot, followed):
    model, found = followed
    qtbot.waitUntil(lambda: bool(found), timeout=5000)
    assert newest(found)["Largest stress"] == pytest.approx(19.55, rel=1e-3)
    for text in ("d = 1 - s0/s*(sc - s)/(sc - s0)", "d = where(s > 2*s0, 1, 0)"):  # the second before the first is told
        model.edit(LAW, plain(Typed(lines=[text])))
    qtbot.waitUntil(lambda: newest(found)["Largest stress"] == pytest.approx(20.0, rel=1e-6), timeout=5000)
    count = len(found)
    model.edit(("parameters", "material", "young"), -1.0)
    qtbot.wait(150)
    assert len(found) == count
    model.edit(("parameters", "material", "young"), 36.0)
    qtbot.waitUntil(lambda: len(found) > count, timeout=5000)
    assert newest(found)["Elastic limit"] == pytest.approx(2 * 100 * 10e6 / 36e9, rel=1e-6)


def test_what_the_engine_refuses_is_marked_where_it_is(qtbot):
    holder = Holder(qtbot, PeridynamicParameters, PeridynamicParameters.model_validate({"penetrators": [{}]}))
    holder.form.show()
    load, penetrator = holder.editor("loads", 1), holder.editor("penetrators", 0)
    holder.form.set_errors({("loads", 1): "Two loads.", ("penetrators", 0, "motion"): "No mass."})
    assert (load._line.sentence.text(), load._line.sentence.isVisible()) == ("Two loads.", True)
    motion = penetrator.children_by_key["motion"]
    assert (motion._line.sentence.text(), motion._line.sentence.isVisible()) == ("No mass.", True)
    assert bool(load.kind.property("wrong")) or bool(load.kind.combo.property("wrong"))
    holder.form.set_errors({})
    assert not load._line.sentence.isVisible()
    holder.form.set_errors({("penetrators", 0): "Inside."})
    assert penetrator.children_by_key["form"]._line.sentence.text() == "Inside."
