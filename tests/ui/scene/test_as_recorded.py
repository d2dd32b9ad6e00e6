"""Each scene is drawn as it was when somebody looked at its picture last: camera, colours, light, triangles, lines,
values, plates and strokes (tests/ui/scene/recorded.py)."""

from __future__ import annotations

import itertools
import re

import pytest

from tests.ui.scene.recorded import SCENES, file_of, told

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
PLATE = re.compile(r"x4 \d")
"""A picture with texts, which are set with slightly other edges by another version of what sets them."""


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_drawn_as_it_was(name) -> None:
    before = file_of(name).read_text("utf-8").splitlines()
    for was, now in itertools.zip_longest(before, told(name), fillvalue=""):
        assert NUMBER.sub("#", now) == NUMBER.sub("#", was), "other things are drawn"
        figures = [list(map(float, NUMBER.findall(line))) for line in (now, was)]
        same = pytest.approx(figures[1], rel=1e-2 if PLATE.search(was) else 2e-4, abs=2e-3)
        assert figures[0] == same, f"it was: {was}; it is: {now}"
