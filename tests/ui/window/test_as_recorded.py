"""The whole window says and does what it did when somebody looked at it last: texts, tips, keys, what is offered when,
without the fields of the problem, which are the engine's (tests/ui/recorded.py)."""

from tests.ui.recorded import compare, said
from ui.forms.form import ParameterForm


def test_a_window_says_what_it_did_without_a_problem(window):
    compare("window", "without a problem", said(window, ParameterForm))


def test_a_window_says_what_it_did_with_a_problem(opened, qtbot):
    qtbot.waitUntil(lambda: opened.estimates.estimate is not None and not opened.background.busy)
    compare("window", "with a problem", said(opened, ParameterForm))
