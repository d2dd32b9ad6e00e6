"""The base of all editors: a widget that shows a value and says when a person changed it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from textwrap import fill
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engines.api.charts import Inspection
from engines.api.parameters import Around
from engines.quantities import depends
from ui.forms.notes import Notes
from ui.forms.schema import FieldSpec, default_values
from ui.forms.validation import Errors, Path
from ui.widgets.dressing import polish_anew

LONGEST_LINE = 80
"""Letters of a line of a tool tip, which Qt does not fold."""
LOCK_HINT = "Reset to change"
Suggestions = Mapping[str, Collection[str]]
"""Field key ("region") to the texts that make sense there: in a mapping, with what a person reads for each."""


Previews = Mapping[Path, Inspection]
"""What groups of parameters describe, by their place."""


Maker = Callable[[type[BaseModel]], Mapping[str, Any] | None]
"""The plain values of a new model that fits the problem; None where nobody knows better than its defaults."""


def new_values(widget: QWidget | None, model: type[BaseModel]) -> dict[str, Any]:
    """What a new ``model`` begins with, in the form that ``widget`` stands in."""
    while widget is not None:
        maker: Maker | None = getattr(widget, "maker", None)
        made = None if maker is None else maker(model)
        if made is not None:
            return dict(made)
        widget = widget.parentWidget()
    return default_values(model)


def run_goes_on(widget: QWidget) -> str:
    """With which value, in the form that ``widget`` stands in, where it was typed into while a run goes on; else an
    empty text."""
    above = widget.parentWidget()
    while above is not None:
        if (form := getattr(above, "run_goes_on", None)) is not None:
            return str(form(widget))
        above = above.parentWidget()
    return ""


class Editor(QWidget):
    """Shows one value of a tree. It owns no value: what it shows comes by :meth:`set_value`.

    ``edited(path, value)`` carries the path below this editor: ``()`` for the value itself.
    """

    has_fields = False
    """Whether there are editors inside that findings of single fields go to."""
    edited = Signal(tuple, object)
    refused = Signal(str)
    """What was typed cannot be a value; the text stays in the field."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self._help: str | None = None

    def set_value(self, value: Any) -> None:
        """Show ``value``; emits nothing."""
        raise NotImplementedError

    def set_around(self, around: Around) -> None:
        """The values of the groups around this editor, the innermost first; comes before :meth:`set_value`.

        Only editors with fields in them care: what is shown there may depend on it.
        """

    def set_errors(self, errors: Errors) -> None:
        """Sentences by path below this editor; an empty mapping clears them."""
        self.mark(bool(errors))

    def set_locked(self, locked: bool) -> None:
        """Refuse edits while a run goes on, unless the field is live."""
        locked = locked and not self.spec.live
        self.setEnabled(not locked)
        self.setToolTip(f"{LOCK_HINT}. {self.help_text()}" if locked else self.help_text())

    def set_suggestions(self, suggestions: Suggestions) -> None:
        """Texts to offer; only text editors care."""

    def set_previews(self, previews: Previews) -> None:
        """What to draw below groups, by path below this editor; only editors with groups in them care."""

    def set_findings(self, notes: Notes) -> None:
        """What is known of fields before a run, by path below this editor; its owner shows what is of the whole."""

    def help_text(self) -> str:
        """Help and bounds for the tooltip."""
        if self._help is None:  # asked for by each field whenever a run begins or ends
            self._help = self._make_help()
        return self._help

    def _make_help(self) -> str:
        limits = self.spec.bounds.sentence("" if depends(self.spec.unit) else self.spec.unit)
        parts = [self.spec.help, limits[:1].upper() + limits[1:]]
        return fill(". ".join(part.rstrip(".") for part in parts if part), LONGEST_LINE)

    def mark(self, wrong: bool) -> None:
        """Draw or remove the red outline (the style sheet's ``[wrong="true"]``)."""
        self.repolish(self, wrong)

    @staticmethod
    def repolish(widget: QWidget, wrong: bool) -> None:
        if bool(widget.property("wrong")) != wrong:
            widget.setProperty("wrong", wrong)
            polish_anew(widget)
