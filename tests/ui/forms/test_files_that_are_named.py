"""The editor of a file: what it takes, what it refuses, and that a refusal ends with what was refused."""

from __future__ import annotations

import pytest

from engines.api.parameters import ParameterGroup, quantity
from tests.ui.forms.holder import Holder


class Named(ParameterGroup):
    path: str = quantity("", "", "A table", file="table")


def test_a_refused_file_that_is_taken_out_again_is_forgotten(qtbot, tmp_path):
    holder = Holder(qtbot, Named, Named())
    editor = holder.editor("path")
    line = holder.form.root._lines["path"]
    editor.line.setText(str(tmp_path / "not there.csv"))
    editor.line.editingFinished.emit()
    assert "There is no file" in line.sentence.text()
    assert editor.line.property("wrong")
    editor.line.setText("")
    editor.line.editingFinished.emit()
    assert line.sentence.text() == ""
    assert not editor.line.property("wrong")


@pytest.mark.parametrize("name", ["x" * 5000, "~nobody is called so/table.csv", "a\0b"])
def test_what_no_file_can_be_called_is_refused_in_a_sentence(qtbot, name):
    holder = Holder(qtbot, Named, Named())
    editor = holder.editor("path")
    editor._take(name)
    assert "There is no file" in holder.form.root._lines["path"].sentence.text()
    assert len(holder.form.root._lines["path"].sentence.text()) < 400
