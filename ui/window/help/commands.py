"""All commands of a window: what stands in its menus, wherever it was made; for the palette and the sheet of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

DEEPER = " › "


@dataclass(frozen=True)
class Command:
    """``place``: the menus that lead to it. ``keys`` as a person presses them; empty without."""

    title: str
    place: str
    run: Callable[[], object]
    keys: str = ""
    enabled: bool = True

    def matches(self, words: list[str]) -> bool:
        """Whether each of ``words``, in lower case, is in its title or place."""
        text = f"{self.title} {self.place}".lower()
        return all(word in text for word in words)


def commands_of(menus: QMenuBar) -> list[Command]:
    """In the order of the menus."""
    return list(_commands(menus.actions(), ""))


def _commands(actions: list[QAction], place: str) -> Iterator[Command]:
    for action in actions:
        if action.isSeparator() or not action.isVisible():
            continue
        title = action.text().replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…")
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _commands(menu.actions(), f"{place}{DEEPER}{title}" if place else title)
        else:
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            yield Command(title, place, action.trigger, keys, action.isEnabled())
