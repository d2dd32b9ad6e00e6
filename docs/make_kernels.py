"""Writes which kernels each preset asks for on a CPU until its third picture in the window:
workbench/project/kernels/ENGINE.json, by which other processes compile them ahead of the first run.

python docs/make_kernels.py                  writes all; needs a display (xvfb-run), takes some seconds a preset
python docs/make_kernels.py PRESET …         writes these anew, keeps the others
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time as clock
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "workbench" / "project" / "kernels"
LONGEST, PICTURES = 120.0, 3
ASKED = "--asked-by"


class Asked:
    """Kernels by the order in which they were asked for, from now on."""

    def __init__(self) -> None:
        from numba.core.caching import FunctionCache
        from numba.core.dispatcher import Dispatcher
        from numba.core.sigutils import normalize_signature
        from numba.core.targetconfig import ConfigStack

        from engines.backend.threads import parallel_region  # has its own way of compiling

        dispatchers: Any = Dispatcher
        compile_for = dispatchers.compile
        self.found: dict[str, tuple[Any, ...]] = {}

        def ask(kernel: Any, signature: Any) -> Any:
            if isinstance(kernel._cache, FunctionCache) and not len(ConfigStack()):
                kinds = normalize_signature(signature)[0]
                self.found.setdefault(f"{kernel.py_func} {kinds}", (kernel, kinds))
            return compile_for(kernel, signature)

        dispatchers.compile = ask
        with parallel_region(2):  # who makes this on two cores leaves one to the window
            pass

    def listed(self) -> list[Any]:
        """Those that can be told by name."""
        from engines.backend.compile.listed import listed

        found = []
        for kernel, kinds in self.found.values():
            try:
                one = listed(kernel, kinds)
            except KeyError as error:  # a module that is made of typed equations
                print("left out:", kernel.py_func.__qualname__, error, file=sys.stderr)
                continue
            if one is None:
                print("left out:", kernel.py_func.__module__, kernel.py_func.__qualname__, kinds, file=sys.stderr)
            else:
                found.append(one)
        return found


def asked_by_window(preset: str) -> None:
    """Print, as JSON, what the window asks for."""
    asked = Asked()
    from PySide6.QtCore import QSettings

    from engines.api import registry
    from ui.app import create_application, load_engines
    from ui.session.house import HouseServices
    from ui.session.running.phase import Phase
    from ui.viewport.viewport import Viewport
    from ui.window.main_window import MainWindow
    from workbench.project.kernels.expected import traits
    from workbench.project.presets import open_named, preset_called

    own = Path(tempfile.mkdtemp())
    app = create_application([])
    window = MainWindow(HouseServices(), Viewport, QSettings(str(own / "x.ini"), QSettings.Format.IniFormat), None)
    window.resize(1600, 1000)
    window.show()
    load_engines(window, registry.own_names())
    pictures: set[int] = set()
    window.controller.frame_arrived.connect(lambda frame: pictures.add(frame.step))
    found = preset_called(preset)
    assert found is not None, preset
    window.open_preset(found)
    ends, begun = clock.time() + LONGEST, False
    while len(pictures) < PICTURES and clock.time() < ends:
        app.processEvents()
        clock.sleep(0.001)
        if not begun and window.controller.phase is Phase.READY:
            window.controller.run()
            begun = True
    if len(pictures) < PICTURES:
        sys.exit(f"{preset}: {len(pictures)} pictures after {LONGEST} s")
    document = open_named(preset)
    told = {"engine": document.engine.id, "traits": traits(document.parameters), "kernels": asked.listed()}
    print(json.dumps(told), flush=True)
    os._exit(0)


def asked_by(preset: str) -> dict[str, Any]:
    """By a process of its own, for what is asked for once is not asked for again."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT), WORKBENCH_COMPILERS="0")
    done = subprocess.run(
        [sys.executable, __file__, ASKED, preset], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


class Made:
    """The file of one engine, in which what occurs twice stands once."""

    def __init__(self, engine: str) -> None:
        self.path = FOLDER / f"{engine}.json"
        self.presets: dict[str, Any] = {}
        if self.path.is_file():
            made = json.loads(self.path.read_text(encoding="utf-8"))
            for name, each in made["presets"].items():
                kernels = [made["kernels"][at] for at in each["kernels"]]
                told = [[*kernel[:4], [made["kinds"][at] for at in kernel[4]]] for kernel in kernels]
                self.presets[name] = {"traits": [made["traits"][at] for at in each["traits"]], "kernels": told}

    def write(self) -> None:
        tables: dict[str, dict[str, int]] = {"kinds": {}, "kernels": {}, "traits": {}}

        def place(table: str, value: Any) -> int:
            return tables[table].setdefault(json.dumps(value), len(tables[table]))

        presets = {
            name: {
                "traits": [place("traits", trait) for trait in each["traits"]],
                "kernels": [
                    place("kernels", [*kernel[:4], [place("kinds", kind) for kind in kernel[4]]])
                    for kernel in each["kernels"]
                ],
            }
            for name, each in sorted(self.presets.items())
        }
        lines = [f'"{name}": [\n' + ",\n".join(table) + "\n]" for name, table in tables.items()]
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in presets.items())
        FOLDER.mkdir(exist_ok=True)
        self.path.write_text("{\n" + ",\n".join(lines) + f',\n"presets": {{\n{rows}\n}}\n}}\n', encoding="utf-8")


def main(arguments: list[str]) -> int:
    if arguments[:1] == [ASKED]:
        asked_by_window(arguments[1])
    from workbench.project.presets import presets

    known = [preset.id for preset in presets()]
    made: dict[str, Made] = {}
    for preset in arguments or known:
        told = asked_by(preset)
        of_engine = made.setdefault(told["engine"], Made(told["engine"]))
        of_engine.presets[preset] = {"traits": told["traits"], "kernels": told["kernels"]}
        of_engine.presets = {name: each for name, each in of_engine.presets.items() if name in known}
        of_engine.write()
        print(preset, len(told["kernels"]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
