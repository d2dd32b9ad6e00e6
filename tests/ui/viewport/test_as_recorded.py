"""How finely and how often a view draws comes to what it did, whatever drawing costs (see tests/ui/recorded.py)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from types import SimpleNamespace

from tests.ui.recorded import compare
from ui.viewport import quality
from ui.viewport.quality import Quality

COSTS = (0.001, 0.015, 0.017, 0.031, 0.033, 0.2)
"""Seconds that frames take."""


def answers(software: bool) -> Iterator[str]:
    for cost, shared in product(COSTS, (1, 2)):
        drawn = Quality(lambda: None)
        drawn.set_renderer("a renderer", software)
        drawn.shared_by = shared
        for frames in (2, 1, 11, 1, 12, 40):
            for _ in range(frames):
                drawn.took(cost)
            drawn.hands_on = not drawn.hands_on
            yield f"{cost} s, {shared}, {frames} more: {drawn.seconds:.4f}, every {drawn.interval:.4f}"
            sizes = ((300, 200), (1366, 768), (3840, 2160), (7680, 4320))
            found = (f"{drawn.resolution(*size):.4f} {drawn.samples(*size)}" for size in sizes)
            yield f"  {', '.join(found)}"
            yield f"  {drawn.rest()} {drawn.resolution(800, 600):.4f} {drawn.news(None)}"


def test_how_finely_is_drawn_follows_what_it_costs(monkeypatch):
    """With news asked for each two seconds."""
    monkeypatch.setattr(quality, "clock", SimpleNamespace(monotonic=count(100.0, 2.0).__next__))
    compare("viewport", "in software", list(answers(True)))
    compare("viewport", "on a card", list(answers(False)))
