"""Pictures of the real window, 3D view included, to look at:

    xvfb-run -a -s "-screen 0 1920x1080x24 -noreset +extension GLX" python -m tests.ui.pictures FOLDER [PRESET …]

At a scale of 2: ``QT_SCALE_FACTOR=2`` and a screen of 3840x2160.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

_home = tempfile.TemporaryDirectory(prefix="workbench-pictures-")
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = os.path.join(_home.name, _name)

from PySide6.QtWidgets import QWidget  # noqa: E402  # after the folders are said

from tests.ui.pictures.showing import SIZES, Showing  # noqa: E402
from ui.app import create_application  # noqa: E402
from ui.viewport.viewport import Viewport  # noqa: E402
from ui.widgets.theme import theme  # noqa: E402
from workbench.project.presets import presets  # noqa: E402

RUN_SECONDS = 1.0


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    showing = Showing(create_application([]), Path(_home.name), Viewport)
    window = showing.window

    def save(name: str, widget: QWidget = window) -> None:
        for _ in range(2):
            widget.grab().save(str(folder / f"{name}_{theme().palette.name}.png"))
            showing.other_theme()

    for size in SIZES:
        window.resize(*size)
        window.pages.show_gallery()
        showing.settle()
        save(f"gallery_{size[0]}")
        showing.show_lab()
        showing.settle()
        save(f"lab_{size[0]}")
    for name in showing.lab_views():
        for size in SIZES:
            window.resize(*size)
            showing.settle()
            save(f"{name}_{size[0]}")
    dialog = showing.cycle_dialog(Path(_home.name))
    save("cycle", dialog)
    dialog.close()
    for tour in window.help.tours():
        with showing.tour(tour):
            showing.fit(SIZES[0])
            for name in showing.tour_steps():
                save(f"{name}_{SIZES[0][0]}")
    for name in names or [preset.id for preset in presets()]:
        showing.open(name, steps=0)
        window.controller.run()
        showing.wait(RUN_SECONDS)
        for size in SIZES:
            showing.fit(size)
            showing.wait(0.3)
            save(f"{name}_{size[0]}")
    showing.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
