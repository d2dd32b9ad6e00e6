"""The window: puts the panels together and connects them to the model, the controller and the viewport."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt, QTimer, QUrl
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from engines.api import Engine, Preset
from ui.charts.diagram.area import DiagramArea
from ui.comparing.area import ComparingArea
from ui.connecting.area import ConnectingArea
from ui.forms.section import unfold_to
from ui.importing.area import ImportArea
from ui.importing.cycles import CycleColumns
from ui.panels.estimates import EstimatesPanel
from ui.panels.log import LogPane
from ui.panels.meters.panel import MetersPanel
from ui.panels.probes.panel import ProbesPanel
from ui.panels.problem import ProblemPanel
from ui.panels.timeline import Timeline
from ui.panels.view.panel import ViewPanel
from ui.recording.area import RecordingArea
from ui.session.controller import Controller
from ui.session.files import FileActions
from ui.session.forecaster import Forecaster
from ui.session.keeping import Keeper
from ui.session.model import DocumentModel
from ui.session.placing import Placing
from ui.session.previews import Previews
from ui.session.redrawing import Redrawing
from ui.session.running.phase import Phase
from ui.session.services import Services
from ui.sweep.area import SweepArea
from ui.tools.area import ToolsArea
from ui.widgets.background import Background
from ui.widgets.icons import dress
from ui.widgets.theme import THEMES, theme
from ui.window import signals
from ui.window.actions import EXPORTS, Actions
from ui.window.brushing import Brushing
from ui.window.centre.first_page import FirstPage
from ui.window.centre.pages import Pages
from ui.window.centre.sentences import Sentences
from ui.window.centre.welcome import Welcome
from ui.window.centre.workspaces import Workspaces
from ui.window.charts import ChartsArea
from ui.window.document_display import DocumentDisplay
from ui.window.help.area import HelpArea
from ui.window.layout import Areas, DockLayout
from ui.window.menus import ChoiceMenu, NewMenu, RecentMenu, TourMenu
from ui.window.questions import preferences
from ui.window.questions.going_on import GoingOn
from ui.window.questions.leaving import Leaving
from ui.window.questions.outside import OutsideDialog
from ui.window.questions.overtaken import OvertakenDialog
from ui.window.questions.starting_over import StartingOver
from ui.window.run_display import RunDisplay
from ui.window.status import StatusBar
from ui.window.unsaved import UnsavedSessions
from workbench.project.boundary import Permission
from workbench.project.document import Document
from workbench.project.project import ViewSettings

LENGTH_UNITS = (("um", "micrometres"), ("mm", "millimetres"), ("cm", "centimetres"), ("m", "metres"))
DEVICES_MILLISECONDS = 300
"""Until devices are looked for: importing CuPy beside the first page would make that wait."""
OF_THE_SIMULATION = (
    "undo", "redo", "rename", "run", "step", "reset", "rewind", "sweep", "converge", "fit", "outlines", "brush",
    "measure", "line", "lines", "runs", "compare", "network", "layout", *EXPORTS,
)  # fmt: skip


class MainWindow(QMainWindow):
    """One window, one document."""

    def __init__(
        self,
        services: Services,
        make_viewport: Callable[[QWidget], Any],
        settings: QSettings,
        first_page: FirstPage | None = None,
    ) -> None:
        """``first_page`` is shown until somebody calls :meth:`take_engines`; without one engines are loaded here."""
        super().__init__()
        self.setWindowTitle("Workbench")
        self.setAcceptDrops(True)
        self.setMinimumSize(1024, 640)
        self.settings = settings
        self.services = services
        self.background = Background(self)
        self.model = DocumentModel(self)
        self.controller = Controller(self.model, services, self.background, self)
        self._closed = False
        self._asked = False
        self.first_page = first_page or FirstPage.of(services.presets(), services.engines())
        self.pages = Pages(self)
        self.document_display = DocumentDisplay(self)
        self._make_panels(make_viewport)
        self.starting_over = StartingOver(self.controller, self.banner, self)
        self.brushing = Brushing(self.controller, self.view_panel, self.banner, self)
        self.going_on = GoingOn(self.controller, self.banner, self)
        self.display = RunDisplay(self)
        self.recording = RecordingArea(self)
        self.comparing = ComparingArea(self, make_viewport)
        self.forecaster = Forecaster(self.controller, self)
        self.keeper = Keeper(self.model, services, self.background, self.view_settings, self.viewport.image, self)
        self.unsaved = UnsavedSessions(self.welcome.unsaved, self.controller, self.keeper, self)
        self.files = FileActions(self.controller, self.viewport.image, self.view_settings, self)
        self.files.curves = self.controller.curves = self.probes.curves
        self.leaving = Leaving(self.model, self.files, self.keeper, [self.problem, self.timeline], self)
        self.leaving.run_text = lambda: self.timeline.run_text if self.controller.keeps_its_time else ""
        self.leaving.of_other_values = lambda: self.controller.is_of_other_values
        self.leaving.unkept = self._unkept
        self.leaving.field_asked.connect(self.show_field)
        self.controller.opening.before = self.leaving.ask
        self.tools = ToolsArea(self.controller, self.files, self)
        self.imports = ImportArea(self.controller, self.files, self.tools, self)
        self.cycles = CycleColumns(self.model, self.problem, self.background, self)
        self.sweeps = SweepArea(self.controller, self.files, self)
        self.connecting = ConnectingArea(self)
        self._make_layout()
        self.help = HelpArea(self)
        self._make_actions()
        signals.connect_all(self)
        self._show_page()
        if first_page is None:
            self.take_engines()
        self.pages.show_recent()
        preferences.apply(self, settings)
        self.dock_layout.restore()
        self.pages.show_what_works()
        self.display.show_phase(Phase.EMPTY.value)
        self.controller.opening.outside_asked.connect(lambda outside: OutsideDialog(outside, self).open())
        self.files.overtaken.connect(lambda error, over: OvertakenDialog(error, over, self.files.save_as, self).open())
        self.unsaved.refresh()

    # Putting together.

    def _make_panels(self, make_viewport: Callable[[QWidget], Any]) -> None:
        self.sentences = Sentences(self)
        self.banner, self.findings = self.sentences.banner, self.sentences.findings
        self.welcome = Welcome(self)
        self.stack = QStackedWidget(self)
        self.viewport = make_viewport(self.stack)
        self.viewport.stand_beside_plates()
        self.stack.addWidget(self.welcome)
        self.stack.addWidget(self.viewport)
        for page in (self.welcome, self.viewport):  # the page that is hidden must not take room from the docks
            page.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.estimates = EstimatesPanel(self.model, self.services, self.background)
        self.placing = Placing(self.model, self)
        self.redrawing = Redrawing(self.controller, self.placing, self)
        self.problem = ProblemPanel(self.model, self.placing, self.estimates)
        self.estimates.refused.connect(lambda _: self.problem.ask_engine())
        self.controller.noticed.connect(self.estimates.show_noticed)
        self.estimates.estimated.connect(self.redrawing.estimated)
        self.estimates.refused.connect(self.problem.mark)
        self.estimates.noted.connect(self.problem.form.set_findings)
        self.estimates.found.connect(self.findings.show_findings)
        self.estimates.answered.connect(self.findings.point_at)
        self.estimates.findings_asked.connect(self.sentences.open_findings)
        self.findings.place_asked.connect(self.problem.form.reveal)
        self.previews = Previews(self.model, self.background, self)
        self.previews.found.connect(self.problem.form.set_previews)
        self.network = DiagramArea(self.viewport, self)
        self.previews.drawn.connect(self.network.show_diagram)
        self.network.place_asked.connect(self._show_place)
        self.view_panel = ViewPanel()
        self.meters = MetersPanel()
        self.probes = ProbesPanel(self.model)
        self.charts = ChartsArea(self.controller, self.viewport, self.probes, self.settings, self)
        self.timeline = Timeline()
        self.log = LogPane()
        self.status = StatusBar(self)
        self.setStatusBar(self.status)

    def _make_layout(self) -> None:
        centre = QWidget(self)
        centre.setObjectName("centre")
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.stack)
        self.sentences.lie_over(centre)
        self.workspaces = Workspaces(self)
        self.workspaces.add("Simulate", centre)
        self.workspaces.add("Kernel Lab", self.pages.lab_page)
        self.setCentralWidget(self.workspaces.pages)
        self.dock_layout = DockLayout(self, self.settings)
        left, right, bottom = Areas.LeftDockWidgetArea, Areas.RightDockWidgetArea, Areas.BottomDockWidgetArea
        for name, title, widget, area, bare in (
            ("problem", "Problem", self.problem, left, True),
            ("view", "View", self.view_panel, left, True),
            ("meters", "Meters", self.meters, right, False),
            ("probes", "Probes", self.probes, right, False),
            ("inspection", "Element", self.charts.inspection, right, True),
            ("measurement", "Measure", self.charts.measurement, right, True),
            ("timeline", "Timeline", self.timeline, bottom, True),
            ("charts", "Charts", self.charts.panel, bottom, True),
            ("log", "Log", self.log, bottom, False),
        ):
            self.dock_layout.add(name, title, widget, area, bare)

    def _make_actions(self) -> None:
        self.actions_ = Actions(self)
        self.actions_.adopt("undo", self.model.undo_stack.createUndoAction(self, "Undo"), "Ctrl+Z", "undo")
        self.actions_.adopt("redo", self.model.undo_stack.createRedoAction(self, "Redo"), "Ctrl+Shift+Z", "redo")
        self.actions_.adopt("measure", self.charts.measure, "M", "measure")
        self.actions_.adopt("line", self.charts.lines.action, "L", "line")
        self.actions_.adopt("runs", self.charts.runs.action, None, "log")
        self.actions_.adopt("compare", self.comparing.action, None, "compare")
        self.actions_.adopt("lines", self.charts.lines.edit_action, None, "line")
        self.actions_.adopt("network", self.network.action, "N", "branch")
        self.new_menu = NewMenu(self)
        self.recent_menu = RecentMenu(self)
        self.device_menu = ChoiceMenu("&Device", "auto", self)
        self.unit_menu = ChoiceMenu("The &mesh is in", "mm", self)
        self.unit_menu.set_choices(LENGTH_UNITS)
        self.tour_menu = TourMenu(self.help.tours(), self)
        docks = (dock for name, dock in self.dock_layout.docks.items() if name != "timeline")
        toggles = {dock.toggleViewAction(): dock for dock in docks}
        for toggle, dock in toggles.items():
            toggle.triggered.connect(lambda shown, dock=dock: dock.raise_() if shown else None)
        self.actions_.build_menus(
            self.new_menu,
            self.recent_menu,
            self.unit_menu,
            self.device_menu,
            self.workspaces.actions_,
            list(toggles),
            self.tools.menu,
            self.tour_menu,
        )
        meters = self.dock_layout.docks["meters"].toggleViewAction()
        dress(meters, "gauge")
        self.toolbar = self.actions_.build_toolbar([self.workspaces.tabs], [meters])
        self.workspaces.keep_to_simulation([*(self.actions_[name] for name in OF_THE_SIMULATION), *toggles])
        self.actions_["mesh"].setVisible(False)
        self.actions_["parameters"].setVisible(False)
        QTimer.singleShot(DEVICES_MILLISECONDS, self, self.look_for_devices)

    def take_engines(self) -> None:
        """Those of this installation: what can be begun with each, and on the gallery what is not shown there yet."""
        engines = list(self.services.engines())
        page = FirstPage.of(self.services.presets(), engines)
        if page != self.first_page:
            self.first_page = page
            self._show_page()
        self.welcome.gallery.set_notes(self.services.left_out())
        self.new_menu.set_engines(engines)

    def _show_page(self) -> None:
        self.welcome.gallery.set_presets(self.first_page.presets, self.first_page.titles, self.first_page.new)

    def look_for_devices(self) -> None:
        self.background.submit("devices", self.services.devices, self.device_menu.set_choices)

    # What a person asks for.

    def open_path(self, path: Path, then: Callable[[], None] = lambda: None) -> None:
        """A project, a mesh or a snapshot, from the menu, the command line, a drop or the recent files."""
        self.banner.hide()
        if self.imports.takes(Path(path)):
            self.imports.ask(Path(path), then)
        else:
            self.files.open_path(Path(path), then)

    def new_project(self, engine: Engine) -> None:
        """A project of an engine that makes its own geometry, with the values it suggests."""
        self.banner.hide()
        self.controller.opening.open_with(lambda _: self.services.new(engine), f"Making a project of {engine.title}")

    def open_preset(self, preset: Preset, run: Mapping[str, float] | None = None) -> None:
        """``run``: settings of its run that are other than those that it brings."""
        self.banner.hide()
        self.document_display.opened_at = clock.monotonic()

        def load(_: Permission) -> Document:
            document = self.services.open_preset(preset)
            document.project.run = document.project.run.model_copy(update=dict(run or {}))
            return document

        self.controller.opening.open_with(load, f"Opening {preset.title}")

    def run_preset(self, preset: Preset) -> None:
        """A double click: the first click of it has begun to open the preset."""
        self.controller.opening.run_when_open()

    def rename(self) -> None:
        """The title of the problem is there to be typed over."""
        self.show_dock("problem")
        self.problem.title.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.problem.title.selectAll()

    def dock_widget(self, name: str) -> QWidget:
        return self.dock_layout.docks[name]

    def show_dock(self, name: str) -> None:
        """In front of those that it is tabbed with."""
        self.dock_layout.docks[name].show()
        self.dock_layout.docks[name].raise_()

    def _show_place(self, place: tuple[str | int, ...]) -> None:
        self.show_dock("problem")
        self.problem.form.reveal(place)

    def show_field(self, field: QWidget) -> None:
        """To be typed over."""
        self.pages.show_workspace()
        if self.problem.isAncestorOf(field):
            self.show_dock("problem")
            unfold_to(field)
        field.setFocus()

    def show_clean(self, clean: bool) -> None:
        """Whether everything is saved."""
        self.setWindowModified(not clean)

    def switch_theme(self) -> None:
        name = THEMES[(THEMES.index(theme().palette.name) + 1) % len(THEMES)]
        theme().apply(name)
        self.settings.setValue("theme", name)

    def view_settings(self) -> ViewSettings:
        settings: ViewSettings = self.viewport.view_settings()
        return settings.model_copy(update={"charts": self.charts.panel.views()})

    # Qt's own events.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if QUrl(url).isLocalFile()]
        if paths:
            event.acceptProposedAction()
            if not self.files.use_as_picture(paths[0]):
                self.open_path(paths[0])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.activateWindow()
        self.dock_layout.show_whole()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.dock_layout.fit_sides()

    def _unkept(self) -> str:
        runner = self.controller.runner
        if runner is None or not self.controller.keeps_its_time:
            return ""
        why = self.services.unkept(runner, self.controller.time)
        return f"Its run stands at {self.timeline.run_text} and would be given up. {why}" if why else ""

    def close_at_once(self) -> None:
        """Close without a question: what is unsaved is kept aside, unless it was given up."""
        self._asked = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks about unsaved edits, and says what becomes of a run elsewhere; then timers stop, edits are kept, the
        worker ends, and the canvas goes."""
        if not self._closed and not self._asked:
            unsaved = self.leaving.unsaved
            of_the_run = self.connecting.at_closing(unsaved) or self.leaving.unkept()
            if unsaved or of_the_run:
                event.ignore()
                self.leaving.ask(self.close_at_once, of_the_run)
                return
        if not self._closed:
            self._closed = True
            self.keeper.timer.stop()
            self.estimates.stop()
            self.previews.stop()
            self.forecaster.stop()
            self.dock_layout.save()
            if self.pages.made_lab is not None:
                self.pages.made_lab.close_lab()
            self.imports.close()
            self.tools.close_all()
            self.sweeps.close()
            self.files.leave()
            self.controller.close()
            self.background.close()
            self.services.disconnect()
            self.comparing.close()
            self.recording.close()
            self.forecaster.close()
            self.keeper.keep_at_end()
            self.viewport.close_canvas()
            self.settings.sync()
        event.accept()
