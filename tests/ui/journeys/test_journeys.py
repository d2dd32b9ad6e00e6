"""Each journey comes to its end by clicks and keys alone, and takes no more of them than it did."""

import os
import sys

import pytest
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from tests.ui.journeys import person as people
from tests.ui.journeys.all import JOURNEYS
from tests.ui.journeys.desk import walk
from tests.ui.journeys.person import NotSeen, Person

pytestmark = pytest.mark.skipif(
    not os.environ.get("DISPLAY") and sys.platform.startswith("linux"), reason="needs a display: run under xvfb-run"
)


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.title)
def test_a_journey_and_what_it_takes(qapp, tmp_path, journey):
    taken = walk(journey, qapp, tmp_path)
    assert taken.clicks + taken.entries <= journey.most


@pytest.mark.parametrize("fault", ["hidden", "disabled", "covered"])
def test_what_is_hidden_disabled_or_covered_is_not_pressed(qtbot, qapp, monkeypatch, fault):
    monkeypatch.setattr(people, "PATIENCE_SECONDS", 0.5)
    page, pressed = QWidget(), []
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    button = QPushButton("Press me", page)
    button.clicked.connect(lambda: pressed.append(1))
    layout.addWidget(button)
    page.show()
    qtbot.waitExposed(page)
    Person().does(lambda person: person.clicks_on("Press me"))
    assert pressed == [1]
    if fault == "covered":
        lid = QPushButton("Lid", page)
        lid.setGeometry(page.rect())
        lid.show()
        lid.raise_()
    else:
        (button.hide if fault == "hidden" else lambda: button.setEnabled(False))()
    with pytest.raises(NotSeen, match={"hidden": "was not seen"}.get(fault, fault)):
        Person().does(lambda person: person.clicks_on("Press me"))
    assert pressed == [1]
