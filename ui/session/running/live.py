"""Live parameters on their way to the run: which it has, has yet to take, could not take, or never got."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from engines.api.errors import ProblemError
from ui.forms.validation import Path
from ui.session.model import DocumentModel
from workbench.project.document import Document
from workbench.project.parameter_files import value_at, with_values
from workbench.project.reading.parsing import validated
from workbench.remote.messages import OnTheWay
from workbench.remote.runner import AnyRunner
from workbench.remote.streams import LineLost


class LiveChanges(QObject):
    """Belongs to a controller, which calls :meth:`follow` at each tick; ``runner()`` is the run of the moment."""

    refused = Signal(str)
    """The run cannot make a change, why, and what it goes on with: the change waits for Reset like any other, for Run
    where no step was taken yet."""
    held_back = Signal()
    """The first of :attr:`unsent`."""
    refusals_changed = Signal()

    def __init__(self, model: DocumentModel, runner: Callable[[], AnyRunner | None], parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._runner = model, runner
        self._pending: list[tuple[Path, Any, Future[None]]] = []
        """Not known to have been carried out yet."""
        self._has: dict[str, Any] = {}
        """The parameters that the run is known to have."""
        self._waiting: tuple[Path, ...] = ()
        """What was changed while the form had a mistake."""
        self.unsent: set[Path] = set()
        """What was changed while the line to the run was lost, and :attr:`lost`."""
        self.lost: OnTheWay = ()
        """What was on its way then, by the names of controls, in this order: nobody knows whether it came."""
        self.refusals: dict[Path, str] = {}
        """Why what stands in the form now is not what the run has."""
        self.sent: tuple[Path, ...] = ()
        """What was changed since the run began, in this order, whether it got there or not."""

    def begin(self, document: Document) -> None:
        """A run of it."""
        self._has = document.parameters.model_dump(mode="json")
        self.refusals = {}

    def before(self, paths: tuple[Path, ...], document: Document) -> Document:
        """With what the run is known to have had of these: as such it was kept."""
        values, parameters = document.parameters.model_dump(mode="json"), document.parameters
        with suppress(LookupError, TypeError, ProblemError):
            had = {path[1:]: value_at(self._has, path[1:]) for path in paths}
            parameters = validated(type(parameters), with_values(values, had), "The run")
        return replace(document, parameters=parameters)

    def value(self, path: Path) -> Any:
        """What the run has there; None where nobody knows."""
        with suppress(LookupError, TypeError):
            return value_at(self._has, path[1:])
        return None

    def going_on(self, path: Path) -> str:
        """``The run goes on with Feed F 0.0545 1/s``."""
        value = self.value(path)
        return f"The run goes on with {'what it had' if value is None else self._model.told(path, value)}"

    def change(self, path: Path) -> str:
        """Have the run take what was changed at ``path``, and all that waited, unless the form has a mistake: then what
        keeps it from there, in a sentence, where that is another field's."""
        self._waiting = (*(each for each in self._waiting if each != path), path)
        if self._model.valid:
            waiting, self._waiting = self._waiting, ()
            self.send(*waiting)
        elif not any(wrong[: len(path)] == path for wrong in self._model.errors):
            return f"{self._model.first_error()} {self.going_on(path)} until that is mended."
        return ""

    def send(self, *paths: Path) -> None:
        """Have the run take these as they are now; beyond a line that is lost, when it is there again."""
        runner = self._runner()
        assert runner is not None
        self.sent = (*(path for path in self.sent if path not in paths), *paths)
        if isinstance(runner.error, LineLost):
            first, self.unsent = not self.unsent, self.unsent.union(paths)
            if first:
                self.held_back.emit()
            return
        for path in paths:
            value = deepcopy(value_at(self._model.draft, path))
            self._pending.append((path, value, runner.set_control(_name(path), value)))

    def follow(self) -> None:
        """Take up what has become of them."""
        done = [each for each in self._pending if each[2].done()]
        for each in done:
            self._pending.remove(each)
            path, value, change = each
            runner = self._runner()
            if change.cancelled():
                if runner is not None and isinstance(runner.error, LineLost):
                    self.unsent.add(path)
                    self.lost = (*self.lost, (_name(path), value))
            elif (error := change.exception()) is not None:
                self.refusals[path] = str(error)
                self.refusals_changed.emit()
                self.refused.emit(f"{error} {self.going_on(path)}")
            else:
                if self.refusals.pop(path, ""):
                    self.refusals_changed.emit()
                with suppress(LookupError, TypeError):
                    self._has = with_values(self._has, {path[1:]: value})

    def forget(self) -> None:
        """The run is let go of."""
        self._pending.clear()
        self.sent = self._waiting = ()


def _name(path: Path) -> str:
    """Of a control."""
    return ".".join(str(key) for key in path[1:])
