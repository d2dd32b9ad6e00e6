"""Where the tags of probes stand in the 3D view."""

import numpy as np

from ui.scene.overlays.hud import free_place

TAG = (20, 60, 4)


def plate(left, top, wide, high):
    return "plate", np.zeros((high, wide, 4), np.uint8), left, top


def test_a_tag_stands_where_it_covers_nothing() -> None:
    spot = (200.0, 100.0)
    bar, left_tag = plate(215, 50, 80, 100), plate(100, 91, 50, 18)
    above = plate(180, 60, 40, 25)
    assert free_place(TAG, spot, [], 10) == (210, 90)
    assert free_place(TAG, spot, [bar], 10) == (130, 90), "left of the point"
    assert free_place(TAG, spot, [plate(215, 91, 80, 18), left_tag], 10) == (170, 70), "above"
    assert free_place(TAG, spot, [plate(215, 91, 80, 18), left_tag, above], 10) == (170, 110), "below"
    assert free_place(TAG, spot, [plate(0, 0, 400, 300)], 10) is None
