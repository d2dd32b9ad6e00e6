"""Which editor a composite field gets, and the section that it stands in."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ui.forms.editor import Editor
from ui.forms.fields.knobs import KnobsEditor, is_knobs
from ui.forms.fields.lines import LinesEditor
from ui.forms.fields.rows import RowsEditor, is_rows
from ui.forms.fields.scalars import make_scalar
from ui.forms.group import GroupEditor
from ui.forms.lists import ListEditor
from ui.forms.schema import FieldSpec, Kind, fields_of
from ui.forms.section import Section
from ui.forms.unions import UnionEditor


def make_composite(spec: FieldSpec, level: int, parent: QWidget | None = None) -> tuple[Editor, QWidget]:
    """(editor, the widget to place) of a group, a list or a union."""
    if spec.kind is Kind.UNION:
        editor = UnionEditor(spec, level, parent)
        return editor, editor
    section = Section(spec.title, level=level, expanded=not spec.folded, parent=parent)
    section.header.setToolTip(spec.help)
    if spec.lines is not None:
        inner: Editor = LinesEditor(spec, section, section.body)
    elif is_knobs(spec):
        inner = KnobsEditor(spec, section, section.body)
    elif is_rows(spec):
        inner = RowsEditor(spec, section, section.body)
    elif spec.kind is Kind.LIST:
        inner = ListEditor(spec, section, level, section.body)
    else:
        assert spec.model is not None
        inner = GroupEditor(spec, fields_of(spec.model), level + 1, section.body)
    section.rows.addWidget(inner)
    return inner, section


def make_item(spec: FieldSpec, level: int, parent: QWidget | None = None) -> Editor:
    """The editor of one element of a list."""
    if spec.kind is Kind.GROUP:
        assert spec.model is not None
        return GroupEditor(spec, fields_of(spec.model), level, parent)
    if spec.kind is Kind.UNION:
        return UnionEditor(spec, level, parent)
    return make_scalar(spec, parent)
