"""Where the things are that tours point at, and when what they ask for has come about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from ui.forms.section import unfold_to
from ui.session.running.phase import Phase

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

PLACES = (
    "view", "run", "reset", "timeline", "objects", "gallery", "brush", "meter",
    "lab runs", "lab run", "lab table", "lab roofline",
)  # fmt: skip
"""Names of :func:`_widget`, besides fields, charts and docks."""
DONE = ("edited", "running", "quick", "measured", "row", "roofline")
"""Names of :func:`has_come_about`, and ``edited``: the field's value is another than when the step began."""


def _widget(window: MainWindow, place: str) -> QWidget | None:
    match place:
        case "run" | "reset":
            button: QWidget = getattr(window.timeline, f"{place}_button")
            return button
        case "timeline":
            return window.timeline.bar
        case "objects":
            return window.problem.objects
        case "gallery" | "brush":
            return window.toolbar.widgetForAction(window.actions_[place])
        case "meter" if window.meters.isVisible():
            return window.meters
        case "lab runs":
            return window.pages.lab.setup.extent
        case "lab run":
            return window.pages.lab.setup.run_button
        case "lab table":
            return window.pages.lab.views.table
        case "lab roofline":
            return window.pages.lab.views.tabBar()
    return window.viewport  # with the meter in its margin, where the window is narrow


def has_come_about(window: MainWindow, until: str) -> bool:
    lab = window.pages.lab
    match until:
        case "running":
            return window.controller.phase is Phase.RUNNING
        case "quick":
            return bool(lab.setup.extent.currentData())
        case "measured":
            return not lab.measuring.running and lab.measuring.record() is not None
        case "row":
            return lab.source.record is not None
        case "roofline":
            return lab.views.roofline.isVisible()
    return False


def path_of(place: str) -> tuple[str, ...]:
    """Of the form's field that a place names; empty for other places."""
    kind, _, name = place.partition(" ")
    return tuple(name.split(".")) if kind == "field" else ()


def value_at(window: MainWindow, path: tuple[str, ...]) -> Any:
    """Of a parameter in the draft; None without a path."""
    value: Any = window.model.draft.get("parameters") if path and window.model.document is not None else None
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def bring(window: MainWindow, place: str) -> None:
    """Have it in view: raise its dock, unfold its section."""
    kind, _, name = place.partition(" ")
    docks = {"field": "problem", "chart": "charts", "objects": "problem", "dock": name}
    if kind in docks:
        window.show_dock(docks[kind])
    if kind == "chart":
        window.charts.panel.choose(name, True)
    if path := path_of(place):
        widget = window.problem.form.editor_at(path)
        if widget is not None:
            unfold_to(widget)


def area_of(window: MainWindow, place: str) -> QRect | None:
    """What is seen of it in the window, None where it is not seen."""
    kind, _, name = place.partition(" ")
    widget: QWidget | None
    if kind == "field":
        editor = window.problem.form.editor_at(path_of(place))
        widget = editor if editor is None or editor.has_fields else editor.parentWidget()  # with its title
    elif kind == "chart":
        widget = window.charts.panel.cells.get(name)
    elif kind == "dock":
        widget = window.dock_widget(name)
    else:
        widget = _widget(window, place)
    if widget is None or not widget.isVisible():
        return None
    area = widget.rect()
    if place == "lab roofline":
        area = window.pages.lab.views.tabBar().tabRect(window.pages.lab.views.roofline_place)
    area = QRect(widget.mapTo(window, area.topLeft()), area.size())
    above = widget.parentWidget()
    while above is not None and above is not window:  # what a scroll area hides of it
        area &= QRect(above.mapTo(window, above.rect().topLeft()), above.size())
        above = above.parentWidget()
    return area if area.width() > 4 and area.height() > 4 else None


def controls(window: MainWindow) -> list[QRect]:
    """What has to be seen and pressed whatever is shown: the tool bar, and how a run is steered."""
    parts = (window.toolbar, window.timeline)
    return [QRect(part.mapTo(window, part.rect().topLeft()), part.size()) for part in parts if part.isVisible()]
