"""A list of rows of numbers is one text."""

from __future__ import annotations

import pytest

from engines.api.parameters import ParameterGroup, quantity
from ui.forms.fields.rows import RowsEditor
from ui.forms.form import ParameterForm


class Shape(ParameterGroup):
    points: list[tuple[float, float]] = quantity([(0.0, 0.5), (1.0, 2.0)], "", "Corners")
    sites: list[tuple[int, int]] = quantity([], "", "Sites")


@pytest.fixture
def form(qtbot):
    form = ParameterForm()
    qtbot.addWidget(form)
    form.set_model(Shape)
    form.set_values({"points": [[0.0, 0.5], [1.0, 2.0]], "sites": []})
    return form


def test_rows_are_written_and_pasted_as_lines(form):
    points, sites = form.findChildren(RowsEditor)
    assert points.inner.text.toPlainText().split() == ["0", "0.5", "1", "2"]
    said = []
    form.edited.connect(lambda path, value: said.append((path, value)))
    points.inner.replace(["(0, 0)", "", "1.5, 2e-3", "3\t4;"])
    sites.inner.replace(["1 2"])
    assert said == [(("points",), [[0.0, 0.0], [1.5, 0.002], [3.0, 4.0]]), (("sites",), [[1, 2]])]
    assert isinstance(said[1][1][0][0], int)
    points.set_value([[0.0, 0.0], [1.5, 0.002], [3.0, 4.0]])  # the document's answer leaves the text as it is
    assert points.inner.text.toPlainText().startswith("(0, 0)")


@pytest.mark.parametrize(
    ("line", "sentence"), [("1 2 3", "Line 2 has 3 numbers: write 2."), ("1 x", "Line 2 is not 2 numbers.")]
)
def test_what_is_no_row_becomes_no_value(form, line, sentence):
    points = form.findChildren(RowsEditor)[0]
    said = []
    form.edited.connect(lambda path, value: said.append(value))
    points.inner.replace(["0 0", line])
    assert said == []
    assert points.inner.sentence.text() == sentence
    points.set_value([[5.0, 6.0]])
    assert points.inner.text.toPlainText().split() == ["5", "6"]
