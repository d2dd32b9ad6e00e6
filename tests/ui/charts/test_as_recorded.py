"""Charts, meters and bars look as they did when somebody looked at them last: each line, area and text with its colours
and its place (tests/ui/charts/recorded.py)."""

import pytest

from tests.ui.charts.recorded import ROOM, SEEN, seen
from tests.ui.recorded import compare
from ui.widgets.theme import theme


@pytest.mark.parametrize("name", SEEN)
def test_a_chart_looks_as_it_did(qtbot, qapp, name):
    theme().apply("dark", qapp)
    compare(ROOM, name, seen(name), pixels=1.0)
