"""Panels and forms say and do what they did when somebody looked at them last: texts, tips, names for readers, what is
on, what wraps, what takes the keys (tests/ui/panels/recorded.py)."""

import pytest

from tests.ui.panels.recorded import ROOM, SEEN, seen
from tests.ui.recorded import compare
from ui.widgets.theme import theme


@pytest.mark.parametrize("name", SEEN)
def test_a_panel_says_what_it_did(qtbot, qapp, name):
    theme().apply("dark", qapp)
    compare(ROOM, name, seen(name))
