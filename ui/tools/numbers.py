"""A form with values of its own: the numbers of a tool, which are no part of the document."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engines.api.parameters import Around
from ui.forms.form import ParameterForm
from ui.forms.schema import plain
from ui.forms.validation import Path, validated
from workbench.project.parameter_files import value_at


class NumbersForm(ParameterForm):
    """Keeps a draft of a model; ``changed`` after each edit."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: type[BaseModel] | None = None
        self.draft: dict[str, Any] = {}
        self.parameters: BaseModel | None = None
        """What the form says; None while something is wrong."""
        self.edited.connect(self._edit)

    def show_numbers(self, parameters: BaseModel) -> None:
        self._model = type(parameters)
        self.set_model(self._model)
        self.draft = plain(parameters)
        self._check()

    def set_around(self, around: Around) -> None:
        """The problem's own values, which units may hang on."""
        if self.root is not None:
            self.root.set_around(around)
            self.set_values(self.draft)

    def mark(self, place: Path, sentence: str) -> None:
        """Say what is wrong at one place, beyond what the form can know."""
        self.set_errors({place: sentence})

    def _edit(self, path: Path, value: Any) -> None:
        value_at(self.draft, path[:-1])[path[-1]] = deepcopy(plain(value))
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        assert self._model is not None
        self.parameters, errors = validated(self._model, self.draft)
        self.set_values(self.draft)
        self.set_errors(errors)
