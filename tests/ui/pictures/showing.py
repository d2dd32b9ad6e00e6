"""The window on the real house with a view that draws nothing: problems opened and advanced, dialogs opened, one after
the other, as somebody would who looks at pictures of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication, QWidget

from engines.api.charts import ChartInfo
from tests.ui.viewport.doubles import FakeViewport
from ui.charts.plots.cell import ChartCell
from ui.importing.cycles import PLACE
from ui.recording.movie_dialog import MovieDialog
from ui.session.house import HouseServices
from ui.session.running.phase import Phase
from ui.widgets.theme import theme
from ui.window.help.tours.steps import Tour
from ui.window.main_window import MainWindow
from workbench import bench
from workbench.bench.records import LabRecord
from workbench.project.presets import preset_called

SIZES = ((1024, 768), (1366, 768), (1600, 1000), (1920, 1080))
LONGEST_WAIT = 120.0
STEPS = 3
RECORDS = Path(bench.__file__).parent / "records"


class SilentViewport(FakeViewport):
    """Asks for no values."""

    def set_simulation(self, info: object) -> None:
        pass


class Showing:
    """``make_viewport`` may be the real one, to have the 3D view in the pictures."""

    def __init__(self, application: QApplication, folder: Path, make_viewport: Callable = SilentViewport) -> None:
        self.application = application
        self._others = set(threading.enumerate())
        theme().apply("dark", application)
        settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        self.window = MainWindow(HouseServices(), make_viewport, settings)
        self.window.show()

    def until(self, reached: Callable[[], bool]) -> None:
        latest = time.monotonic() + LONGEST_WAIT
        while not reached():
            self.application.processEvents()
            if time.monotonic() > latest:
                raise TimeoutError(f"{self.window.controller.phase}: {self.window.banner.text}")
            time.sleep(0.005)
        self.settle()

    def wait(self, seconds: float) -> None:
        latest = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > latest)

    def settle(self) -> None:
        """Layouts that wait for their turn."""
        for _ in range(4):
            self.application.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    def open(self, name: str, steps: int = STEPS, *, estimated: bool = True) -> None:
        """Built, on its page, with its estimate, and advanced."""
        window, controller = self.window, self.window.controller
        before = window.model.document
        window.model.undo_stack.setClean()
        window.open_preset(preset_called(name))
        self.until(lambda: window.model.document is not before)
        self.until(lambda: controller.phase in (Phase.READY, Phase.FAILED))
        assert controller.phase is Phase.READY, window.banner.text
        window.pages.show_workspace()
        if estimated:
            self.until(lambda: window.estimates.estimate is not None)
        if steps:
            controller.step(steps)
            self.until(lambda: controller.phase in (Phase.PAUSED, Phase.FINISHED, Phase.FAILED))
            assert controller.phase is not Phase.FAILED, window.banner.text

    def fit(self, size: tuple[int, int]) -> None:
        """As it would begin on a screen of this size."""
        self.window.resize(*size)
        self.window.actions_["layout"].trigger()
        self.settle()

    def other_theme(self) -> None:
        self.window.switch_theme()
        self.settle()

    def show_lab(self) -> None:
        self.window.workspaces.show(1)

    def lab_views(self) -> Iterator[str]:
        """Each tab of the Kernel Lab with two records of other machines and a variant's source; their names."""
        self.show_lab()
        lab, background = self.window.pages.lab, self.window.background
        self.until(lambda: lab.setup.study is not None and not background.busy)
        shown, other = sorted(RECORDS.glob("lab-*.json"))[:2]
        for path, box in ((shown, lab.choice.show_box), (other, lab.choice.compare_box)):
            lab.choice.open(path, box)
            self.until(lambda: not background.busy)
        record = lab.choice.shown
        assert isinstance(record, LabRecord)
        lab.setup.choose_study(record.variants[0].study)
        lab.views.table.selectRow(0)
        for place in range(lab.views.count()):
            lab.views.setCurrentIndex(place)
            self.settle()
            yield f"lab_{lab.views.tabText(place).replace('&', '').lower()}"

    def cycle_dialog(self, folder: Path) -> QWidget:
        """A drive cycle whose columns leave a choice."""
        self.open("motorway", steps=0)
        path = folder / "cycler.csv"
        path.write_text('"Step","Elapsed, total [min]","Current [mA]","Power [kW]"\n1,0,"1,500",0.1\n2,2,250,0.3\n')
        self.window.cycles.look_into(PLACE, str(path))
        self.until(lambda: self.window.cycles.dialog is not None and self.window.cycles.dialog.use_button.isEnabled())
        return self.window.cycles.dialog

    @contextmanager
    def tour(self, tour: Tour) -> Iterator[None]:
        """Led through it, from its first step on."""
        guide, window = self.window.help.tour, self.window
        window.model.undo_stack.setClean()
        guide.start(tour)
        self.until(lambda: not guide.strayed and (not tour.preset or window.controller.phase is Phase.READY))
        yield
        guide.end()

    def tour_steps(self) -> Iterator[str]:
        """The card of the tour at each step, as far as Next leads."""
        guide = self.window.help.tour
        assert guide.tour is not None
        for place in range(len(guide.tour.steps)):
            guide._go(place)
            self.settle()
            guide.tick()
            yield f"tour_{guide.tour.id}_{place}"

    def dialogs(self) -> Iterator[QWidget]:
        """Of the open problem, one after the other."""
        window = self.window
        window.sweeps.open()
        assert window.sweeps.dialog is not None
        yield self._until_closed(window.sweeps.dialog)
        assert window.model.document is not None
        for tool in window.model.document.engine.tools():
            yield self._until_closed(window.tools.open(tool))
        window.tools.close_all()

    def dialogs_of_help(self) -> Iterator[QWidget]:
        """And of exports, which need no problem here."""
        window = self.window
        window.help.open_palette()
        yield self._until_closed(window.help.palette)
        window.help.shortcuts()
        assert window.help.dialog is not None
        yield self._until_closed(window.help.dialog)
        window.help.about()
        dialog = window.help.dialog
        yield self._until_closed(dialog)
        moments = [SimpleNamespace(time=0.1 * number) for number in range(50)]
        yield self._until_closed(MovieDialog(moments, "ms", 2_400_000, window))
        yield self._until_closed(ChartCell(ChartInfo("gain", "Gain", "V"), "s", window).ask_for_figure())

    def _until_closed(self, dialog: QWidget) -> QWidget:
        """The dialog, shown; the one before is closed."""
        for other in self.window.findChildren(QWidget):
            if other.isWindow() and other.isVisible() and other is not dialog and other.windowTitle():
                other.close()
        dialog.show()
        self.settle()
        return dialog

    def close(self) -> None:
        self.window.close_at_once()
        self.window.deleteLater()
        self.settle()
        new = set(threading.enumerate()) - self._others
        left = [thread.name for thread in new if thread.name.startswith("workbench-")]
        assert not left, f"threads left behind: {left}"
