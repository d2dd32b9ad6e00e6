"""Each scene is drawn as it was when somebody looked at its picture last: camera, colours, light, triangles, lines,
values, plates and strokes (tests/ui/scene/recorded.py)."""

from __future__ import annotations

import pytest

from tests.ui.recorded import compare
from tests.ui.scene.recorded import ROOM, SCENES, told


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_drawn_as_it_was(name) -> None:
    compare(ROOM, name, told(name))
