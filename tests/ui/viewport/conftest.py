"""A viewport on the screen."""

import threading

import pytest

from tests.ui.scene.meshes import kuhn_cube
from tests.ui.viewport.on_screen import Shown
from ui.viewport import surfaces as viewport_surfaces


@pytest.fixture(params=["raster", "direct"])
def shown(request, qtbot, monkeypatch):
    """Both ways to the screen, whatever renderer this machine has."""
    software = request.param == "raster"
    monkeypatch.setattr(viewport_surfaces.OffscreenContext, "is_software", property(lambda self: software))
    before = set(threading.enumerate())
    shown = Shown(qtbot, kuhn_cube(6))
    expected = viewport_surfaces.RasterView if software else viewport_surfaces.DirectView
    assert isinstance(shown.viewport._view, expected)
    yield shown
    shown.viewport.close_canvas()
    shown.viewport.close()
    assert set(threading.enumerate()) <= before
