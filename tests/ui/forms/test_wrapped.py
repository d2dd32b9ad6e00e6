"""Long texts, such as formulas: all of them is seen, and they become values as other texts do."""

import pytest
from PySide6.QtCore import QMimeData, Qt

from engines.stencil.parameters.equations import FieldSetting
from ui.forms.fields.scalars import TextEditor, make_scalar
from ui.forms.fields.wrapped import WrappedTextEditor
from ui.forms.schema import fields_of
from ui.widgets.theme import theme

FORMULA = "where((x - 90)**2 + (y - 150)**2 < 60, 0.25, 0) + where((x - 30)**2 + (y - 40)**2 < 60, 0.25, 0)"


@pytest.fixture
def editor(qtbot, qapp):
    theme().apply("dark", qapp)  # as in the window: rows are as high as its font
    (spec,) = (each for each in fields_of(FieldSetting) if each.key == "start")
    editor = make_scalar(spec)
    qtbot.addWidget(editor)
    editor.resize(160, 200)
    editor.show()
    return editor


def test_formulas_are_long_and_names_are_not(editor):
    assert isinstance(editor, WrappedTextEditor)
    (name,) = (each for each in fields_of(FieldSetting) if each.key == "name")
    assert type(make_scalar(name)) is TextEditor


def test_all_of_a_formula_is_seen_at_any_width(editor, qtbot):
    editor.set_value("0")
    low = editor.text.height()
    editor.set_value(FORMULA)
    qtbot.waitUntil(lambda: editor.text.height() > 3 * low)
    text = editor.text
    assert not text.verticalScrollBar().maximum()
    assert not text.horizontalScrollBar().maximum()
    high = text.height()
    editor.resize(900, 200)
    qtbot.waitUntil(lambda: text.height() < high)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_wrong_formula_is_tinted_as_other_fields_are(editor, qapp, name):
    theme().apply(name, qapp)
    editor.set_value("x +")

    def ground():
        image = editor.text.grab().toImage()
        return image.pixelColor(image.width() - 8, image.height() // 2).name()

    assert ground() == theme().palette.raised
    editor.mark(True)
    assert ground() == theme().palette.bad_soft
    editor.mark(False)
    assert ground() == theme().palette.raised


def test_enter_takes_it_over_and_what_is_pasted_stays_one_line(editor, qtbot):
    editor.set_value("0")
    taken = []
    editor.edited.connect(lambda path, value: taken.append((path, value)))
    editor.text.selectAll()
    pasted = QMimeData()
    pasted.setText("x +\n  y")
    editor.text.insertFromMimeData(pasted)
    assert not taken
    qtbot.keyClick(editor.text, Qt.Key.Key_Return)
    assert taken == [((), "x + y")]
    qtbot.keyClick(editor.text, Qt.Key.Key_Return)
    assert len(taken) == 1
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, "y*2")
    editor.text.left.emit()
    assert taken[1:] == [((), "y*2")]
