"""The whole window says and does what it did when somebody looked at it last: texts, tips, keys, what is offered when,
without the fields of the problem, which are the engine's (tests/ui/recorded.py)."""

import pytest
from PySide6.QtWidgets import QWidget

from tests.ui.recorded import compare, said
from ui.forms.form import ParameterForm


def test_a_window_says_what_it_did_without_a_problem(window):
    compare("window", "without a problem", said(window, ParameterForm))


def test_a_window_says_what_it_did_with_a_problem(opened, qtbot):
    qtbot.waitUntil(lambda: opened.estimates.estimate is not None and not opened.background.busy)
    compare("window", "with a problem", said(opened, ParameterForm))


@pytest.mark.parametrize("name", ["preferences", "where", "sweep", "palette", "shortcuts"])
def test_a_dialog_says_what_it_did(opened, qtbot, qapp, name):
    before = set(opened.findChildren(QWidget))
    opened.actions_[name].trigger()
    qapp.processEvents()
    new = [each for each in opened.findChildren(QWidget) if each not in before]
    shown = [each for each in new if each.parentWidget() not in new]
    if name == "palette":
        shown = [opened.help.palette]
    assert len(shown) == 1, shown
    compare("window", name, said(shown[0]))
    shown[0].close()
