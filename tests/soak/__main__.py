"""Runs, pauses, edits, resets, rewinds, sweeps and opens problems in the real window, again and again.

    xvfb-run -a -s "-screen 0 1600x1000x24 -noreset +extension GLX" python -m tests.soak 600

The application's own ways of giving memory back are on: few arenas, and what a collection has freed goes to the system.
After each round, paused, it prints the memory of its own [MB] (what is mapped from files comes and goes as the system
likes), how much of that malloc has given out (the rest are holes, Python's own and GL's), threads and open files. At
the end it says how these, objects of Qt and active timers differ from after the tenth round, when everything has been
open before and what is bounded is full: kept runs, and the log, which begins with as many lines as it holds. One
round's memory differs from the next by a few per cent of what happens to be free, so growth is that of the mean, of the
last quarter of the rounds over the first after the tenth. Settings and autosaves go to a folder of their own.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable

_home = tempfile.TemporaryDirectory(prefix="workbench-soak-")
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = os.path.join(_home.name, _name)

from PySide6.QtCore import QObject, QSettings, QTimer  # noqa: E402  # after the folders are said

from tests.soak.given import given_out  # noqa: E402
from ui.app import create_application  # noqa: E402
from ui.memory import give_back_freed, share_arenas  # noqa: E402
from ui.panels.log import LIMIT  # noqa: E402
from ui.session.house import HouseServices  # noqa: E402
from ui.session.running.phase import Phase  # noqa: E402
from ui.viewport.viewport import Viewport  # noqa: E402
from ui.widgets.garbage import GuiThreadCollector  # noqa: E402
from ui.widgets.theme import theme  # noqa: E402
from ui.window.main_window import MainWindow  # noqa: E402
from workbench.project.presets import preset_called  # noqa: E402
from workbench.run.frames import Message  # noqa: E402

SWEPT = "particles.drive.c_rate"
"""Of the first of the problems, in each round."""
PROBLEMS = ("one_particle", "cuba_4000", "notched_concrete_beam", "gray_scott_coral", "fdtd_slab", "small_slab")
LONGEST_WAIT = 120.0
SETTLED = 10
"""Rounds after which everything has been open before, and what is bounded is full."""


def measured() -> tuple[float, float, int, int]:
    """Anonymous resident memory and what malloc has given out [MB], threads, open files."""
    gc.collect()
    give_back_freed()
    with open("/proc/self/status") as file:
        resident = next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) * 1024 / 1e6
    return resident, given_out() / 1e6, threading.active_count(), len(os.listdir("/proc/self/fd"))


def counted(window: MainWindow) -> tuple[int, Counter[str]]:
    """Objects of Qt below the window, and active timers among them by what they belong to, but for those that fire
    once: whether one of them waits is a matter of the moment. To be asked seldom: Python has an object for each of them
    from then on, some of which stay when theirs is gone, 9 lists with all their parts a round."""
    objects = window.findChildren(QObject)
    active = [each for each in objects if isinstance(each, QTimer) and each.isActive() and not each.isSingleShot()]
    return len(objects), Counter(f"{type(each.parent()).__name__} {each.interval()} ms" for each in active)


class Soak:
    """One person at one window."""

    def __init__(self) -> None:
        share_arenas()
        self.application = create_application([])
        self.collector = GuiThreadCollector(self.application)
        theme().apply("dark", self.application)
        settings = QSettings(os.path.join(_home.name, "window.ini"), QSettings.Format.IniFormat)
        self.window = MainWindow(HouseServices(), Viewport, settings)
        self.window.model.opened.connect(self.collector.collect_soon)
        self.window.resize(1366, 768)
        for number in range(LIMIT):
            self.window.log.lines.add(
                Message(f"Line {number} of as many as the log holds, about as long as those of a run.")
            )
        self.window.show()

    def until(self, reached: Callable[[], bool], what: str) -> None:
        latest = time.monotonic() + LONGEST_WAIT
        while not reached():
            self.application.processEvents()
            if time.monotonic() > latest:
                raise TimeoutError(f"{what}: {self.window.controller.phase}, {self.window.banner.text}")
            time.sleep(0.002)

    def phase(self, *wanted: Phase) -> None:
        self.until(lambda: self.window.controller.phase in wanted, f"to be {wanted}")

    def work(self, seconds: float) -> None:
        latest = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > latest, "")

    def turn(self, name: str) -> None:
        window, controller = self.window, self.window.controller
        preset = preset_called(name)
        assert preset is not None
        before = window.model.document
        window.model.undo_stack.setClean()  # no question about what is unsaved
        window.open_preset(preset)
        self.until(lambda: window.model.document is not before, f"{name} to be open")
        self.phase(Phase.READY)
        controller.run()
        self.phase(Phase.RUNNING, Phase.FINISHED)
        self.work(0.8)
        controller.pause()
        self.phase(Phase.PAUSED, Phase.FINISHED)
        controller.rewinding.rewind_to_last()
        self.until(lambda: not controller.rewinding.pending, "to be rewound")
        controller.step(3)
        self.phase(Phase.PAUSED, Phase.FINISHED)
        window.model.edit(("title",), f"{name} again", "title")
        window.model.undo_stack.undo()
        controller.reset()
        self.phase(Phase.READY)
        if name == PROBLEMS[0]:
            self.sweep()
        controller.run()
        self.work(0.2)

    def sweep(self) -> None:
        window = self.window
        window.sweeps.open()
        dialog = window.sweeps.dialog
        assert dialog is not None
        dialog.numbers.set_chosen(SWEPT, True)
        dialog.until.edited.emit(60.0)
        dialog.run()
        self.until(lambda: not dialog.job.busy, "the sweep to be through")
        assert len(dialog.rows) > 1, dialog.sentence.text()
        assert not any(row.error for row in dialog.rows), dialog.sentence.text()
        dialog.close()

    def rest(self) -> None:
        """Paused, and all that was under way has come."""
        self.window.controller.pause()
        self.phase(Phase.PAUSED, Phase.FINISHED)
        self.work(0.5)

    def close(self) -> None:
        self.window.close_at_once()
        self.collector.stop()


def main(seconds: float) -> None:
    soak, began, number = Soak(), time.monotonic(), 0
    rounds: list[tuple[float, float, int, int]] = []
    settled: tuple[int, Counter[str]] = (0, Counter())
    print("round  seconds  memory   given  threads  files", flush=True)
    while time.monotonic() - began < seconds:
        for name in PROBLEMS:
            soak.turn(name)
            number += 1
        soak.rest()
        rounds.append(measured())
        resident, given, *others = rounds[-1]
        passed = time.monotonic() - began
        row = f"{number:5}  {passed:7.0f}  {resident:6.1f}  {given:6.1f}"
        print(row + "".join(f"  {each:7}" for each in others), flush=True)
        if len(rounds) == SETTLED:
            settled = counted(soak.window)
    if len(rounds) > SETTLED:
        quarter = max(1, (len(rounds) - SETTLED) // 4)
        first, last = rounds[SETTLED:][:quarter], rounds[-quarter:]
        print(f"since round {SETTLED}: ", end="")
        for which, place in (("memory", 0), ("given", 1)):
            before, after = (sum(each[place] for each in part) / quarter for part in (first, last))
            print(f"{which} {after - before:+.1f} MB ({after / before - 1:+.2%}), ", end="")
        grown = [rounds[-1][place] - rounds[SETTLED][place] for place in (2, 3)]
        objects, timers = counted(soak.window)
        timers.subtract(settled[1])
        changed = {whose: count for whose, count in timers.items() if count}
        print(f"threads and files {grown}, objects {objects - settled[0]:+}, timers {timers.total():+} {changed}")
    soak.close()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 600.0)
