"""What the Help menu does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from shiboken6 import isValid

from ui.forms.lists import ListEditor
from ui.window.help.commands import DEEPER, Command, commands_of
from ui.window.help.manual.reader import ManualWindow
from ui.window.help.palette import Palette
from ui.window.help.sheets import AboutDialog, FieldEntry, ShortcutSheet, field_asked_for, machine_report
from ui.window.help.tours.guide import TourGuide
from ui.window.help.tours.steps import Tour, tours

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow


class HelpArea(QObject):
    """Belongs to a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.palette = Palette(window)
        self.dialog: ShortcutSheet | AboutDialog | None = None
        self.entry: FieldEntry | None = None
        self.reader: ManualWindow | None = None
        self.tour = TourGuide(window)

    def commands(self) -> list[Command]:
        """Of the menus, the fields of the form, and the ready problems."""
        window = self._window
        ready = [
            Command(preset.title, "Gallery", partial(window.open_preset, preset))
            for preset in window.first_page.presets
        ]
        fields = [
            Command(titles[-1], DEEPER.join(titles[:-1]) or "Problem", partial(window.show_field, editor))
            for titles, editor in window.problem.form.fields()
        ]
        offered = [
            Command(
                titles[-1], DEEPER.join((*titles[:-1], around.add_button.toolTip())),
                partial(self._add, around, titles[-1]), enabled=around.add_button.isEnabled(),
            )
            for titles, around in window.problem.form.offered()
        ]  # fmt: skip
        return [*commands_of(window.menuBar()), *fields, *ready, *offered]

    def _add(self, around: ListEditor, title: str) -> None:
        """A first item, and its field of that title, unless it is one of another kind of item."""
        around.add()
        inside = [each for titles, each in self._window.problem.form.fields() if around.isAncestorOf(each)]
        shown = [each for each in inside if each.spec.title == title] or inside
        self._window.show_field(shown[0])

    def open_palette(self) -> None:
        self.palette.open_with(self.commands())

    def help(self) -> None:
        """What the field with the focus, or a locked one under the mouse, means; the keys, where there is none."""
        editor = field_asked_for()
        if editor is None:
            self.shortcuts()
        else:
            self.entry = FieldEntry(editor, self._window.problem.form.place_of(editor))
            self.entry.show()

    def tours(self) -> list[Tour]:
        """Those whose engine and problem are installed."""
        ready = {preset.id for preset in self._window.first_page.presets}
        return [tour for tour in tours() if not tour.preset or tour.preset in ready]

    def begin_measuring(self) -> None:
        self.tour.start(next(tour for tour in tours() if not tour.preset))

    def manual(self) -> None:
        """Opened once and kept, so that the page and its place stay."""
        if self.reader is None:
            self.reader = ManualWindow(self._window.background, self._window)
        self.reader.show()
        self.reader.raise_()

    def shortcuts(self) -> None:
        self.dialog = ShortcutSheet(commands_of(self._window.menuBar()), self._window)
        self.dialog.show()

    def about(self) -> None:
        dialog = self.dialog = AboutDialog(self._window)
        dialog.show()
        show = partial(_if_there, dialog)
        self._window.background.submit("devices", machine_report, show)


def _if_there(dialog: AboutDialog, text: str) -> None:
    if isValid(dialog):
        dialog.show_report(text)
