"""What keys do in the 3D view."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.overlays.test_gripping import placement
from tests.ui.viewport.on_screen import NEEDS_DISPLAY
from ui.scene.marks import Marks
from ui.viewport.viewport import Viewport

pytestmark = NEEDS_DISPLAY


@pytest.mark.parametrize(
    ("key", "moved"),
    [
        (Qt.Key.Key_Right, (0.0, 0.75, 0.0)),
        (Qt.Key.Key_Left, (0.0, -1.25, 0.0)),
        (Qt.Key.Key_Up, (-1.25, 0.0, 0.0)),
        (Qt.Key.Key_Down, (0.75, 0.0, 0.0)),
    ],
)
def test_an_arrow_key_moves_what_is_chosen_to_that_side(qtbot, key, moved) -> None:
    """Seen along z and turned by a right angle, so that y is to the right and x down."""
    viewport, heard = Viewport(), []
    qtbot.addWidget(viewport)
    viewport.set_geometry(kuhn_cube(2))
    viewport.set_marks(Marks(placement(), ("objects", 0), None, grips=True))
    viewport.scene.camera.azimuth, viewport.scene.camera.elevation = 0.0, 90.0
    viewport.item_dragged.connect(lambda item, handle, position: heard.append((item.path, handle, position)))
    viewport.item_dropped.connect(heard.append)
    viewport.keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))
    assert heard == [(("objects", 0), "move", pytest.approx(np.add((5.0, 5.0, 5.0), moved))), True]
    viewport.close_canvas()
