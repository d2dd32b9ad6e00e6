"""The editor of a file: what it takes, what it refuses, and that a refusal ends with what was refused."""

from __future__ import annotations

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
