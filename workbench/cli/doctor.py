"""``workbench doctor``: what this machine has, and the exact command that adds what is missing."""

from __future__ import annotations

import ctypes.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, entry_points, requires, version
from pathlib import Path
from typing import Any

from engines.api.errors import ProblemError
from workbench import __version__
from workbench.storage import paths
from workbench.words.extras import load
from workbench.words.units import percent

COMPUTING = ("numpy", "numba", "scipy", "pydantic", "meshio", *(() if sys.platform == "win32" else ("pymetis",)))
WINDOW = ("PySide6-Essentials", "vispy", "pyqtgraph")

LIBRARIES = {
    "GL": "libgl1",
    "EGL": "libegl1",
    "xkbcommon": "libxkbcommon0",
    "dbus-1": "libdbus-1-3",
    "fontconfig": "libfontconfig1",
    "glib-2.0": "libglib2.0-0",
    "xcb-cursor": "libxcb-cursor0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-shape": "libxcb-shape0",
    "xkbcommon-x11": "libxkbcommon-x11-0",
    "X11-xcb": "libx11-xcb1",
}
"""Shared libraries that Qt's window needs on Debian and Ubuntu, and the packages that hold them."""

STATUS_PROBE = """
import json
from dataclasses import asdict
from engines.backend.devices.cuda_status import cuda_status
print(json.dumps(asdict(cuda_status())))
"""
"""Run in a process of its own: a broken driver may end the process that asks."""


@dataclass(frozen=True)
class Diagnosis:
    """One line: what was looked at, what was found, and the command that mends it (empty if all is well)."""

    subject: str
    found: str
    remedy: str = ""


def doctor_command(options: Namespace) -> int:
    """Print what this machine has; with ``--warm`` compile the kernels too."""
    found = options.answer["found"] = []
    for diagnosis in examine():
        found.append(asdict(diagnosis))
        print(f"{diagnosis.subject:<20} {diagnosis.found}")
        if diagnosis.remedy:
            print(f"{'':<20} → {diagnosis.remedy}")
    if options.warm:
        from engines.backend.compile.warm import warm  # compiles; only on demand

        others = []
        for point in entry_points(group="workbench.warm"):
            with suppress(ProblemError):  # where nothing draws, nothing of what draws is compiled
                others.append(load(point, "The 3D view needs"))
        warm(lambda message, fraction: print(f"{percent(fraction):>5}  {message}", file=sys.stderr), others)
        print("All kernels are compiled.")
    return 0


def examine() -> Iterator[Diagnosis]:
    """Everything that matters to the application, in the order in which it matters."""
    yield Diagnosis("Workbench", __version__)
    yield Diagnosis("Python", f"{platform.python_version()} at {sys.executable}")
    yield Diagnosis("System", platform.platform())
    yield from _packages()
    yield from _engines()
    yield _processor()
    yield from _graphics_card()
    yield from _display()
    yield from _folders()


def _packages() -> Iterator[Diagnosis]:
    asked = [*_requirements(), *_requirements("window")]
    for name in COMPUTING + WINDOW:
        try:
            yield Diagnosis(name, version(name))
        except PackageNotFoundError:
            line = next((text for text in asked if text.lower().startswith(name.lower())), name)
            found = "missing: no window and no pictures, the rest goes without" if name in WINDOW else "missing"
            yield Diagnosis(name, found, f"{sys.executable} -m pip install '{line}'")


def _engines() -> Iterator[Diagnosis]:
    from engines.api import registry  # loads the engines; the rest of this page needs none of them

    yield Diagnosis("Engines", ", ".join(registry.engines()) or "none")
    for sentence in registry.left_out():
        yield Diagnosis("", sentence)
    from workbench.project.presets import left_out, presets

    yield Diagnosis("Presets", str(len(presets())))
    for sentence in left_out():
        yield Diagnosis("", sentence)


def _requirements(extra: str = "") -> list[str]:
    """What the application asks pip for; with ``extra`` only what that one adds."""
    try:
        lines = [line.partition(";") for line in requires("workbench-sim") or []]
    except PackageNotFoundError:
        lines = []
    mark = re.compile(rf"extra == ['\"]{extra}['\"]" if extra else "^(?!.*extra)")
    return [line.strip() for line, _, condition in lines if mark.search(condition)]


def _processor() -> Diagnosis:
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = os.environ.get("NUMBA_NUM_THREADS", str(usable))
    return Diagnosis("CPU", f"{model}, {usable} usable threads, kernels use {threads}")


def _graphics_card() -> Iterator[Diagnosis]:
    cards = _output(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"])
    if not cards and not _has_nvidia_card():
        yield Diagnosis("NVIDIA GPU", "none; kernels run on the CPU")
        return
    if not cards:
        yield Diagnosis("NVIDIA GPU", "there, but its driver does not answer", "sudo apt-get install -y nvidia-driver")
    for line in cards.splitlines():
        yield Diagnosis("NVIDIA GPU", line)
    answer = _output([sys.executable, "-P", "-c", STATUS_PROBE])
    status: dict[str, Any] = {"missing": "runtime", "sentence": "CUDA cannot start."}
    if answer:
        status = json.loads(answer.splitlines()[-1])
    if not status["missing"]:
        versions = ", ".join(f"{name} {text}" for name, text in status["devices"][0]["versions"].items())
        yield Diagnosis("CUDA", f"{status['sentence']} {versions}")
        return
    major = 13 if "CUDA Version: 13" in _output(["nvidia-smi"]) else 12
    force = "" if status["missing"] == "cupy" else " --force-reinstall"
    wanted = " ".join(f"'{line}'" for line in _requirements(f"cuda{major}"))
    install = f"{sys.executable} -m pip install{force} {wanted}"
    by_pip = status["missing"] in ("cupy", "cupy-broken", "nvrtc")
    yield Diagnosis("CUDA", status["sentence"], install if by_pip else "")


def _has_nvidia_card() -> bool:
    try:
        vendors = [path.read_text().strip() for path in Path("/sys/bus/pci/devices").glob("*/vendor")]
    except OSError:
        return False
    return "0x10de" in vendors


def _display() -> Iterator[Diagnosis]:
    if sys.platform != "linux":
        return
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    yield Diagnosis("Display", display or "none: use 'workbench run', or xvfb-run for the window")
    missing = [package for name, package in LIBRARIES.items() if ctypes.util.find_library(name) is None]
    found = f"{len(LIBRARIES) - len(missing)} of {len(LIBRARIES)} system libraries of the window"
    yield Diagnosis("Qt and OpenGL", found, f"sudo apt-get install -y {' '.join(missing)}" if missing else "")


def _folders() -> Iterator[Diagnosis]:
    places = (("Settings", paths.config_dir()), ("Autosaves", paths.state_dir()), ("Cache", paths.cache_dir()))
    for name, folder in places:
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = shutil.disk_usage(there).free / 2**30
        writable = os.access(there, os.W_OK)
        remedy = "" if writable else f"sudo chown -R $USER '{there}'"
        yield Diagnosis(name, f"{folder}, {free:.0f} GB free{'' if writable else ', not writable'}", remedy)


def _output(command: list[str]) -> str:
    """What a program prints, or nothing if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
