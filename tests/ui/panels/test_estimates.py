"""What a run will need is one line on a small screen, and unfolds."""

from __future__ import annotations

import pytest

from tests.ui.doubles import FakeServices
from ui.panels import estimates
from ui.panels.estimates import EstimatesPanel
from ui.session.model import DocumentModel
from ui.widgets.background import Background


@pytest.mark.parametrize("room", [False, True])
def test_the_title_says_memory_and_time_where_the_figures_are_folded(qtbot, monkeypatch, room):
    monkeypatch.setattr(estimates, "_has_room", lambda: room)
    model, services, background = DocumentModel(), FakeServices(), Background()
    panel = EstimatesPanel(model, services, background)
    qtbot.addWidget(panel)
    panel.show()
    model.open(services.document())
    panel.show_estimate(services.estimate(model.document))
    figures = f"{panel.figures['memory'].text()}, {panel.figures['pace'].text()}"
    for unfolded in (room, not room):
        panel.section.set_expanded(unfolded)
        assert panel.figures["memory"].isVisible() == unfolded
        assert panel.section.note.text() == ("" if unfolded else figures)
    model.open(None)
    assert panel.section.note.text() == ""
    panel.stop()
    background.close()
