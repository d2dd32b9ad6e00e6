"""A view that closes many times says nothing and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.ui.viewport.on_screen import NEEDS_DISPLAY

pytestmark = NEEDS_DISPLAY


@pytest.mark.parametrize("software", [True, False])
def test_closing_many_times_says_nothing_and_ends_well(tmp_path: Path, software: bool) -> None:
    script = textwrap.dedent(
        f"""
        import sys
        from PySide6.QtCore import QCoreApplication, Qt
        from PySide6.QtWidgets import QApplication, QMainWindow
        QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
        application = QApplication(sys.argv)
        from tests.ui.scene.meshes import info, kuhn_cube
        from ui.viewport import surfaces as viewport_surfaces
        from ui.viewport.viewport import Viewport
        viewport_surfaces.OffscreenContext.is_software = property(lambda self: {software})
        for turn in range(8):
            window = QMainWindow()
            viewport = Viewport()
            window.setCentralWidget(viewport)
            window.show()
            viewport.set_geometry(kuhn_cube(4))
            viewport.set_simulation(info(kuhn_cube(4)))
            viewport.set_busy("Building", 0.5)
            for _ in range(20):
                application.processEvents()
            viewport.redraw()
            if turn % 2:
                viewport.close_canvas()
            window.close()
            viewport.close_canvas()
            if turn % 3 == 0:
                window.deleteLater()
            application.processEvents()
        print("closed")
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env=environment, check=False
    )
    # Mesa looks for Vulkan and for a software driver of its own before it finds llvmpipe, and tells what it missed.
    said = [line for line in done.stderr.splitlines() if not line.startswith(("MESA: ", "glx: "))]
    assert (done.returncode, done.stdout.strip(), said) == (0, "closed", [])
