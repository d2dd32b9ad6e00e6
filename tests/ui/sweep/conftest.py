"""The dialog of a sweep on the desk of a test."""

import pytest
from PySide6.QtWidgets import QWidget

from tests.ui.doubles import FakeServices
from ui.session.controller import Controller
from ui.session.model import DocumentModel
from ui.sweep.dialog import SweepDialog
from ui.widgets.background import Background


@pytest.fixture
def desk(qtbot):
    """What a dialog needs, without a window around it, which takes seconds to make."""
    parent, background, model = QWidget(), Background(), DocumentModel()
    qtbot.addWidget(parent)
    controller = Controller(model, FakeServices(), background)
    model.open(controller.services.document())
    controller.build()
    qtbot.waitUntil(lambda: controller.info is not None, timeout=10_000)
    dialog = SweepDialog(controller, parent)
    dialog.show()
    yield dialog
    dialog.hide()
    dialog.give_up()
    controller.close()
    background.close()


@pytest.fixture
def dialog(desk):
    """Each run of 2 ms."""
    assert not desk.isModal()
    desk.until.edited.emit(2.0)
    return desk
