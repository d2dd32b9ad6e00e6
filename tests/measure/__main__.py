"""What a person waits for at the window, and what it takes: a table.

    xvfb-run -a -s "-screen 0 1600x1000x24 -noreset +extension GLX" python -m tests.measure [PRESET …]
        [--showing PRESET …] [--meshes CELLS …] [--device DEVICE] [--out FILE.json]

``--showing``: what a run loses to the window that shows it; ``--meshes``: from a file to the first step.

With ``WORKBENCH_CACHE_DIR`` an empty folder the first picture is that of kernels which are not compiled yet. Wall
times are those of this machine as busy as it is; beside them stand seconds of processor time of this process, all
threads together, where other processes only add what sharing a core costs. Settings go to a folder of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.measure.rows import Rows

_home = tempfile.TemporaryDirectory(prefix="workbench-measure-")
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = os.path.join(_home.name, _name)

START = """
import os, time
began, cpu = time.perf_counter(), time.process_time()
import sys
from pathlib import Path
from ui.app import create_application
application = create_application([])
from PySide6.QtCore import QSettings
from ui.app import remember, remembered
from ui.session.house import HouseServices
from ui.viewport.viewport import Viewport
from ui.widgets.theme import theme
from ui.window.main_window import MainWindow
theme().apply("dark", application)
settings = QSettings(str(Path(sys.argv[1], "window.ini")), QSettings.Format.IniFormat)
window = MainWindow(HouseServices(), Viewport, settings, remembered())
window.show()
application.processEvents()
print(time.perf_counter() - began, time.process_time() - cpu, flush=True)
window.take_engines()
remember(window.first_page)
os._exit(0)
"""
TWENTY = (
    "one_particle", "small_slab", "fdtd_slab", "cuba_4000", "gray_scott_coral", "notched_concrete_beam",
    "thousand_cells", "spiral_wave", "fdtd_ring", "izhikevich_2003", "heat_on_a_plate", "plate_with_a_hole",
    "particle_sizes", "niederer_slab", "fdtd_young", "waves", "composite_heat", "brazilian_disc", "voltage_losses",
    "scarred_slab",
)  # fmt: skip
LONGEST = 600.0
RUN_SECONDS = 4.0
TICK_MILLISECONDS = 10


def resident() -> float:
    """Megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock, and of processors."""
    began, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - cpu


def start_to_gallery() -> tuple[float, float]:
    """Of a new process; the second of two, when files are in memory and modules compiled, as in an installed copy."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", START, _home.name],
            capture_output=True, text=True, check=True, timeout=LONGEST, env=environment,
        )  # fmt: skip
    wall, cpu = done.stdout.split()[:2]
    return float(wall), float(cpu)


def seconds(rows: Rows, what: str, wanted: str, taken: tuple[float, float]) -> None:
    rows.add(what, taken[0], "s", wanted=wanted, of_processors=f"{taken[1]:.2f} s")


def apart(module: str, *words: str) -> dict[str, Any]:
    """What a module of this folder says in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.measure.{module}", *words], capture_output=True, text=True, timeout=LONGEST
    )
    if done.returncode:
        raise SystemExit(f"{module} {' '.join(words)}: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def of_showing(rows: Rows, name: str, device: str) -> None:
    alone = apart("showing", name, device, "alone")["steps_per_second"]
    rows.add(f"{name} alone", alone, "steps/s")
    for where, words in (("window", "in the window"), ("beside", "beside the window")):
        told = apart("showing", name, device, where)
        lost = 100 * (1 - told["steps_per_second"] / alone)
        shown = f"{told['pictures_per_second']:.1f} pictures/s, drawn by {told['renderer']}"
        rows.add(f"{name} {words}", told["steps_per_second"], "steps/s", of_processors=shown)
        rows.add(f"{name} {words}: lost", lost, "%", wanted="5 %")


def of_a_mesh(rows: Rows, cells: int, device: str) -> None:
    told = apart("meshes", str(cells), device)
    for part in ("reading and checking", "estimate", "build", "first step", "to the first step"):
        rows.add(f"{told['cells']:,} tetrahedra, {part}", told[part], "s")


def of_a_run(rows: Rows, showing: Any, name: str) -> None:
    """From the click on a card to its first picture; the window's ticks and pictures beside the run."""
    from PySide6.QtCore import QTimer

    from ui.session.running.phase import Phase

    controller = showing.window.controller
    pictures: list[float] = []
    ticks: list[float] = []
    controller.frame_arrived.connect(lambda _: pictures.append(time.perf_counter()))

    def first_picture() -> None:
        showing.open(name, steps=0, estimated=False)
        pictures.clear()
        controller.step(1)
        showing.until(lambda: bool(pictures))

    seconds(rows, f"Click to picture, {name}, first", "10 s", timed(first_picture))
    seconds(rows, f"Click to picture, {name}, warm", "", timed(first_picture))
    controller.run()
    showing.until(lambda: controller.phase in (Phase.RUNNING, Phase.FINISHED))
    timer = QTimer(interval=TICK_MILLISECONDS)
    timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
    timer.start()
    pictures.clear()
    wall, cpu = timed(lambda: showing.wait(RUN_SECONDS))
    timer.stop()
    controller.pause()
    gaps = sorted(1e3 * (later - sooner) for sooner, later in pairwise(ticks))
    late = gaps[int(0.95 * len(gaps))] if gaps else float("nan")
    of = f"{cpu / wall:.2f} cores"
    rows.add(f"Tick of the window beside it, {name}, 95 %", late, "ms", wanted="50 ms", of_processors=of)
    rows.add(f"Pictures, {name}", len(pictures) / wall, "/s")


def of_the_window(rows: Rows, names: list[str]) -> None:
    seconds(rows, "Start to gallery, warm", "2 s", start_to_gallery())
    from tests.ui.pictures.showing import Showing
    from ui.app import create_application
    from ui.memory import share_arenas
    from ui.viewport.viewport import Viewport
    from ui.widgets.garbage import GuiThreadCollector

    share_arenas()
    application = create_application([])
    collector = GuiThreadCollector(application)
    showing = Showing(application, Path(_home.name), Viewport)
    window = showing.window
    window.model.opened.connect(collector.collect_soon)
    window.resize(1600, 1000)
    showing.settle()
    seconds(rows, "Theme, on the gallery", "0.2 s", timed(showing.other_theme))
    for name in names:
        of_a_run(rows, showing, name)
        seconds(rows, f"Theme, on {name}", "0.2 s", timed(showing.other_theme))
    for name in TWENTY:
        showing.open(name, steps=3, estimated=False)
    showing.wait(1.0)
    rows.add("Memory after twenty problems", resident(), "MB", wanted="700 MB")
    showing.close()
    collector.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure")
    parser.add_argument("presets", nargs="*")
    parser.add_argument("--showing", nargs="*", default=(), metavar="PRESET")
    parser.add_argument("--meshes", nargs="*", default=(), type=int, metavar="CELLS")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = Rows()
    for name in asked.showing:
        of_showing(rows, name, asked.device)
    for cells in asked.meshes:
        of_a_mesh(rows, cells, asked.device)
    if asked.presets or not (asked.showing or asked.meshes):
        of_the_window(rows, asked.presets or ["one_particle", "fdtd_slab", "small_slab"])
    if asked.out is not None:
        rows.write(asked.out, asked.device)


if __name__ == "__main__":
    main()
