"""What the gauge says of its percentage."""

from __future__ import annotations

import pytest

from engines.api import KernelTraffic, SimulationInfo
from engines.backend.base import Ceilings
from ui.meters.gauge import MEANING
from ui.meters.panel import MetersPanel

MEMORY = Ceilings(copy=20e9, triad=22e9)


@pytest.mark.parametrize(
    ("ceiling", "fused", "said"),
    [
        (22e9, 1, []),
        (120e9, 1, ["The caches hold", "120 GB/s", "the memory delivers 22 GB/s"]),
        (22e9, 8, ["up to 8 steps in one pass"]),
        (120e9, 8, ["The caches hold", "up to 8 steps"]),
    ],
)
def test_the_tooltip_says_what_the_percentage_is_of(qtbot, ceiling, fused, said):
    panel = MetersPanel()
    qtbot.addWidget(panel)
    traffic = (KernelTraffic("a", 1, 1, 1), KernelTraffic("b", 1, 1, 1, fused=fused))
    info = SimulationInfo(None, 1.0, "s", (), (), traffic, None, device="d", ceilings=MEMORY, ceiling=ceiling)
    panel.set_info(info)
    tip = panel.gauge.toolTip()
    assert tip.startswith(MEANING)
    for words in said:
        assert words in tip
    assert said or tip == MEANING
