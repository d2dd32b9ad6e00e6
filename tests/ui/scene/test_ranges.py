"""The range of the colours: a person's own, one that follows the values, and that of an angle, which has no other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo
from tests.ui.scene.meshes import VOLTAGE, info, kuhn_cube
from ui.scene.scene import Scene
from workbench.project.project import ViewSettings

AMPLITUDE = replace(VOLTAGE, title="Amplitude", range=(-1.0, 1.0))
ANGLE = replace(AMPLITUDE, range=(-180.0, 180.0), cyclic=True)


def shown(field: FieldInfo, **view) -> Scene:
    mesh = kuhn_cube(2)
    scene = Scene()
    scene.set_geometry(mesh)
    scene.info = replace(info(mesh), fields=(field,))
    scene.apply_view(ViewSettings(field="voltage", **view), 1.0)
    return scene


def show(scene: Scene, peak: float) -> tuple[float, float]:
    """The range once every other value is ``peak`` and the others are its opposite."""
    values = np.full(kuhn_cube(2).n_cells, peak, np.float32)
    values[::2] *= -1
    scene.show_fields({"voltage": values}, 0.0)
    return scene.limits(scene.shown_field)


def test_a_range_that_follows_grows_stays_and_shrinks_with_the_values():
    scene = shown(AMPLITUDE, follow=True)
    assert show(scene, 0.9) == (-1.0, 1.0)
    assert show(scene, 3.8) == (-5.0, 5.0)
    assert show(scene, 2.0) == (-5.0, 5.0), "while the values fill a good part of it, the bar stays calm"
    assert show(scene, 40.0) == (-50.0, 50.0)
    assert show(scene, 0.02) == (-0.02, 0.02)


def test_a_persons_own_range_counts_where_nothing_is_followed():
    scene = shown(AMPLITUDE, range=(0.0, 7.0))
    assert show(scene, 40.0) == (0.0, 7.0)
    scene = shown(AMPLITUDE)
    assert show(scene, 40.0) == AMPLITUDE.range


@pytest.mark.parametrize("view", [{"range": (0.0, 7.0)}, {"follow": True}, {}])
def test_an_angle_has_the_whole_circle_whatever_is_asked(view):
    assert show(shown(ANGLE, **view), 40.0) == (-180.0, 180.0)
