"""What a form is tested with."""

from PySide6.QtCore import Qt

from ui.forms.form import ParameterForm
from ui.forms.schema import plain
from ui.forms.validation import validated


class Holder:
    """What a document model does: takes edits, shows them again."""

    def __init__(self, qtbot, model, values):
        self.form = ParameterForm()
        qtbot.addWidget(self.form)
        self.model, self.values, self.edits = model, plain(values), []
        self.form.set_model(model)
        self.form.set_suggestions({"region": ["left", "right"]})
        self.form.edited.connect(self.edit)
        self.show()

    def edit(self, path, value):
        self.edits.append((path, value))
        owner = self.values
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] = value
        self.show()

    def show(self):
        self.form.set_values(self.values)
        self.parameters, errors = validated(self.model, self.values)
        self.form.set_errors(errors)

    def editor(self, *keys):
        editor = self.form.root
        for key in keys:
            if isinstance(key, int):
                editor = editor.editors[key]
            elif hasattr(editor, "form") and editor.form is not None and key in editor.form.children_by_key:
                editor = editor.form.children_by_key[key]
            else:
                editor = editor.children_by_key[key]
        return editor


def type_in(qtbot, box, text):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    qtbot.keyClick(box, Qt.Key.Key_Return)
