"""What is said where a stroke of the brush cannot be taken back, and the way back that is offered."""

from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QObject, Signal

from engines.api import Dab, FieldInfo
from ui.panels.view.panel import ViewPanel
from ui.widgets.banner import Banner
from ui.window.brushing import NO_MARK, Brushing
from workbench.run.states.history import Mark
from workbench.run.strokes import Outcome, TakenBack

MARKS = [Mark(0, 0.0), Mark(100, 5.0), Mark(200, 10.0)]


class Painting(QObject):
    refused = Signal(object)
    wanted_again = Signal()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("outcome", "began", "to"),
    [(Outcome.GONE_ON, 150, 100), (Outcome.GONE_ON, 100, 0), (Outcome.GONE_ON, 0, None)]
    + [(other, 150, None) for other in Outcome if other is not Outcome.GONE_ON and other.value],
)
def test_a_way_back_is_offered_to_the_last_checkpoint_before_the_stroke(qapp, outcome, began, to, known):
    owner, painting, banner = QObject(), Painting(), Mock()
    rewinding = Mock(marks=MARKS)
    info = SimpleNamespace(time_unit="ms") if known else None
    controller = Mock(painting=painting, kept_paint=Mock(), rewinding=rewinding, info=info)
    brushing = Brushing(controller, Mock(), banner, owner)
    painting.refused.emit(TakenBack(outcome, began))
    if to is None or not known:
        said = f"{outcome.value} {NO_MARK}" if outcome is Outcome.GONE_ON else outcome.value
        banner.say.assert_called_once_with(said, "info", stays=True)
        banner.ask.assert_not_called()
        return
    banner.say.assert_not_called()
    (question, ((label, answer),)) = banner.ask.call_args.args[0], banner.ask.call_args.args[1].items()
    assert question == f"{outcome.value} Rewind to the last checkpoint before it?"
    assert label == f"Rewind to {5.0 if to else 0.0:.2f} ms"
    answer()
    rewinding.rewind.assert_called_once_with(to)
    assert brushing.parent() is owner


@pytest.mark.parametrize("phase", ["ready", "paused", "running"])
@pytest.mark.parametrize("brush", ["source", "u", "touch"])
def test_what_is_painted_unseen_is_told_with_a_way_to_see_it(qtbot, phase, brush):
    """A source on a plate that stands still left no trace, as if the brush did nothing."""
    owner, banner, view = QObject(), Banner(), ViewPanel()
    for widget in (banner, view):
        qtbot.addWidget(widget)
    fields = [FieldInfo(name, title, "1", "cell", (0.0, 1.0)) for name, title in (("u", "Heat"), ("source", "Source"))]
    for field in fields:
        view.field.addItem(f"{field.title} [1/s]", field.name)
    edited = []
    view.edited.connect(edited.append)
    brushing = Brushing(Mock(phase=phase, painting=Painting()), view, banner, owner)
    brushing.tell_what_is_unseen(Dab(brush, (0.0, 0.0, 0.0), 1.0, 1.0))
    if brush != "source" or phase == "running":
        assert not banner.answers
        return
    assert banner.text == "Source is painted, and Heat is shown: it changes when the run goes on."
    banner.answers[0].click()
    assert edited[-1].field == "source"
