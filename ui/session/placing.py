"""What stands in space, as the window edits it: which item is chosen, and what a drag or the list makes of it.

Every change goes through the model's undo stack; a drag is one step of it. While a run goes on nothing is changed, as
in the form.
"""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import Any

import numpy as np
from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.api.placing import Change, NewItem, Path, PlacedGroup, PlacedItem, Placement, Position
from engines.api.simulation.contract import BrokenContract
from ui.forms.lists import named_unlike
from ui.forms.schema import plain
from ui.forms.validation import validated
from ui.scene.marks import Marks
from ui.session.model import DocumentModel
from workbench.project.parameter_files import value_at


class Placing(QObject):
    """Follows a model; :attr:`marks` is what the 3D view shows."""

    changed = Signal()
    """Other items, another one chosen, or they can be changed no longer."""
    marks_changed = Signal(object)
    """The :class:`Marks` of this moment."""
    revealed = Signal(tuple)
    """A person chose this item: its parameters are worth showing."""
    refused = Signal(str)
    """A sentence: what a person did is not possible."""

    def __init__(self, model: DocumentModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.placement: Placement | None = None
        self.chosen: Path | None = None
        self.locked = False
        self._dragged: PlacedItem | None = None
        self._change: Change | None = None
        self._said, self._wrong = "", False
        model.opened.connect(self._opened)
        model.changed.connect(lambda path: self._follow() if path[0] == "parameters" else None)

    # What there is.

    @property
    def editable(self) -> bool:
        """Whether items can be changed now."""
        return not self.locked and self._model.valid

    @property
    def group(self) -> PlacedGroup | None:
        """The group of the chosen item."""
        if self.placement is None or self.chosen is None:
            return None
        return next((group for group, item in self.placement.items() if item.path == self.chosen), None)

    @property
    def in_list(self) -> bool:
        """Whether the chosen item is one of a list, which it may leave."""
        return self.chosen is not None and isinstance(self.chosen[-1], int)

    def set_locked(self, locked: bool) -> None:
        """While a run goes on its parameters stay as they are."""
        if locked != self.locked:
            self.locked = locked
            self._tell()

    def choose(self, path: Path | None, reveal: bool = True) -> None:
        self.chosen = path
        self._tell()
        if path is not None and reveal:
            self.revealed.emit(path)

    def middle(self) -> tuple[float, float, float] | None:
        """Where slices through the chosen item are, as parts of the sides of the geometry."""
        item = None if self.placement is None else self.placement.at(self.chosen)
        return None if item is None else self._parts(item)

    # What a person does to items of lists.

    def add(self, group: PlacedGroup, new: NewItem) -> None:
        try:
            made = plain(new.make())
        except ProblemError as error:
            self.refused.emit(str(error))
            return
        items = self._items(group.path)
        self._put(group.path, [*items, named_unlike(made, items)], len(items), f"adding of a {new.title.lower()}")

    def fresh(self, model: type[BaseModel]) -> dict[str, Any] | None:
        """The plain values of a new item of this class that fits the problem; None where there is none such."""
        for group in () if self.placement is None else self.placement.groups:
            for new in group.new:
                if new.model is model:
                    with suppress(ProblemError):
                        return dict(plain(new.make()))
        return None

    def duplicate(self) -> None:
        if self.chosen is not None and self.in_list:
            *owner, place = self.chosen
            items, at = self._items(tuple(owner)), int(place)
            copy = named_unlike(deepcopy(items[at]), items)
            self._put(tuple(owner), [*items[: at + 1], copy, *items[at + 1 :]], at + 1, "duplication")

    def remove(self) -> None:
        if self.chosen is not None and self.in_list and self.editable:
            *owner, place = self.chosen
            items, at = self._items(tuple(owner)), int(place)
            left = [*items[:at], *items[at + 1 :]]
            self._put(tuple(owner), left, min(at, len(left) - 1) if left else None, "removal")

    def shift(self, by: int) -> None:
        """Up or down in the list."""
        if self.chosen is not None and self.in_list:
            *owner, place = self.chosen
            items, at = self._items(tuple(owner)), int(place)
            if 0 <= at + by < len(items):
                items[at], items[at + by] = items[at + by], items[at]
                self._put(tuple(owner), items, at + by, "change of the order")

    def rename(self, path: Path, name: str) -> None:
        item = None if self.placement is None else self.placement.at(path)
        if item is None or item.renamed is None or not self.editable:
            return
        try:
            self._model.replace_problem(plain(item.renamed(name.strip())), None, f"renaming of {item.title}")
        except ProblemError as error:
            self.refused.emit(str(error))
            self._tell()

    def _items(self, path: Path) -> list[Any]:
        return list(value_at(self._model.draft, ("parameters", *path)))

    def _put(self, path: Path, items: list[Any], chosen: int | None, text: str) -> None:
        if self.editable:
            self._model.edit(("parameters", *path), items, text)
            self.choose(None if chosen is None else (*path, chosen), reveal=text != "removal")

    # What a person drags.

    def drag(self, item: PlacedItem, handle: str, position: Position) -> None:
        """Show ``item``, as it was when it was gripped, with its handle elsewhere."""
        if item.moved is None or not self.editable:
            return
        try:
            change = item.moved(handle, position)
            self._dragged = self._moved(item.path, change) or self._dragged
            self._change, self._said, self._wrong = change, change.said, False
        except ProblemError as error:
            self._change, self._said, self._wrong = None, str(error), True
        self.marks_changed.emit(self.marks)

    def drop(self, keep: bool) -> None:
        """The drag is over: what it made becomes one edit, a place that is not possible is said."""
        change, said, wrong = self._change, self._said, self._wrong
        self._dragged, self._change, self._said, self._wrong = None, None, "", False
        if keep and change is not None and self.chosen is not None and self.editable:
            item = None if self.placement is None else self.placement.at(self.chosen)
            title = "item" if item is None else " ".join(item.title.split())
            self._model.edit(("parameters", *self.chosen), change.value, f"placing of {title}")
        elif keep and wrong:
            self.refused.emit(said)
        self.marks_changed.emit(self.marks)

    def _moved(self, path: Path, change: Change) -> PlacedItem | None:
        """How the item is drawn with this change."""
        document = self._model.document
        assert document is not None
        values = plain(document.parameters)
        value_at(values, path[:-1])[path[-1]] = plain(change.value)
        parameters, errors = validated(type(document.parameters), values)
        if parameters is None:
            raise ProblemError(next(iter(errors.values())))
        placement = document.engine.placed(Problem(parameters, document.loaded))
        return None if placement is None else placement.at(path)

    # Inside.

    @property
    def marks(self) -> Marks:
        return Marks(
            self.placement, self.chosen, None, self.editable, self._dragged, self._said, self._wrong
        )  # fmt: skip

    def _opened(self) -> None:
        self.placement, self.chosen = None, None
        self._follow()
        document = self._model.document
        if document is not None and document.project.view.slices is None:
            self._slice_first()

    def _slice_first(self) -> None:
        """A new view's slices go through the first object, or the first source."""
        placed = [] if self.placement is None else list(self.placement.items())
        for role in ("object", "source"):
            for group, item in placed:
                parts = self._parts(item) if group.role == role else None
                if parts is not None:
                    assert self._model.document is not None
                    self._model.document.project.view.slices = parts
                    return

    def _parts(self, item: PlacedItem) -> tuple[float, float, float] | None:
        bounds, geometry = item.bounds, self._model.geometry
        if bounds is None or geometry is None:
            return None
        low, high = geometry.bounds
        middle = 0.5 * (bounds[0] + bounds[1])
        x, y, z = np.clip((middle - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
        return float(x), float(y), float(z)

    def _follow(self) -> None:
        document = self._model.document
        self.placement = None
        if document is not None:
            try:
                self.placement = document.engine.placed(Problem(document.parameters, document.loaded))
            except ProblemError:
                pass  # the form and the estimate say what is wrong
            except BrokenContract as error:
                self.refused.emit(str(error))
        if self.placement is None or self.placement.at(self.chosen) is None:
            self.chosen = None
        self._tell()

    def _tell(self) -> None:
        self.changed.emit()
        self.marks_changed.emit(self.marks)
