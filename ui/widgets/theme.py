"""Two themes from one style sheet: colours by name for the widgets that paint themselves."""

from __future__ import annotations

import json
import string
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import pyqtgraph
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from ui.widgets.dressing import Dressing
from ui.widgets.fonts import window_font

THEMES = ("dark", "light")


@dataclass(frozen=True)
class Palette:
    """The colours of a theme, as ``#rrggbb``; ``traces`` are told apart by most eyes."""

    name: str
    window: str
    surface: str
    raised: str
    hover: str
    border: str
    strong: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    accent_text: str
    accent_soft: str
    good: str
    warn: str
    bad: str
    bad_soft: str
    warn_soft: str
    plot: str
    traces: tuple[str, ...]

    def color(self, name: str, alpha: int = 255) -> QColor:
        color = QColor(getattr(self, name))
        color.setAlpha(alpha)
        return color

    def trace(self, place: int) -> QColor:
        return QColor(self.traces[place % len(self.traces)])


@cache
def palette(name: str) -> Palette:
    """The palette of a theme; raises KeyError's message for an unknown one."""
    if name not in THEMES:
        raise KeyError(f"There is no theme '{name}' (there are: {', '.join(THEMES)}).")
    values = json.loads((files("assets") / "themes" / f"{name}.json").read_text("utf-8"))
    return Palette(**{**values, "traces": tuple(values["traces"])})


class Theme(QObject):
    """The theme of the application; ``changed`` after every switch."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.palette = palette("dark")
        self._dressing = Dressing(self)
        self._images = tempfile.TemporaryDirectory(prefix="workbench-theme-")

    def apply(self, name: str, application: QApplication | None = None) -> None:
        """Dress the application. Self-painted widgets and icons follow ``changed``."""
        application = application or _application()
        colors = self.palette = palette(name)
        sheet, worn = self._style_sheet(), application.styleSheet()
        if sheet == worn:  # put on again, it would make Qt look up the rules of every kind of widget once more
            return
        if not worn:  # set again, it would polish every widget once more: half a second
            application.setStyle("Fusion")
        application.setFont(window_font())
        application.setPalette(_qt_palette(colors))
        self._dressing.put_on(application, sheet)
        pyqtgraph.setConfigOptions(background=colors.plot, foreground=colors.muted, antialias=False)
        self.changed.emit()

    def _style_sheet(self) -> str:
        if not Path(self._images.name).is_dir():  # removed by what cleans the system's temporary folder now and then
            self._images = tempfile.TemporaryDirectory(prefix="workbench-theme-")
        template = string.Template((files("assets") / "themes" / "workbench.qss").read_text("utf-8"))
        sizes = {"small": "12", "size": "13", "large": "15", "title": "24", "row": "19"}
        images = {
            "chevron": self._image("chevron-down", self.palette.muted),
            "closed": self._image("chevron-right", self.palette.muted),
            "check": self._image("check", self.palette.accent_text),
            "shut_check": self._image("check", self.palette.muted),
            "sorted_up": self._image("up", self.palette.muted),
            "sorted_down": self._image("down", self.palette.muted),
        }
        return template.substitute({**vars(self.palette), **sizes, **images})

    def _image(self, name: str, color: str) -> str:
        """A tinted icon as a file, since style sheets take images by path only."""
        path = Path(self._images.name) / f"{name}-{color.removeprefix('#')}.svg"
        if not path.exists():
            text = (files("assets") / "icons" / f"{name}.svg").read_text("utf-8")
            path.write_text(text.replace("currentColor", color), "utf-8")
        return path.as_posix()


@cache
def theme() -> Theme:
    """The one theme of this process."""
    return Theme()


def _application() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return application


def _qt_palette(colors: Palette) -> QPalette:
    roles = QPalette.ColorRole
    result = QPalette()
    for role, name in (
        (roles.Window, "window"),
        (roles.WindowText, "text"),
        (roles.Base, "raised"),
        (roles.AlternateBase, "surface"),
        (roles.Text, "text"),
        (roles.Button, "raised"),
        (roles.ButtonText, "text"),
        (roles.ToolTipBase, "raised"),
        (roles.ToolTipText, "text"),
        (roles.Highlight, "accent"),
        (roles.HighlightedText, "accent_text"),
        (roles.PlaceholderText, "muted"),
        (roles.Link, "accent"),
    ):
        result.setColor(role, colors.color(name))
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, colors.color("disabled"))
    return result
