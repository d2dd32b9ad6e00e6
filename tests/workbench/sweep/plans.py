"""Plans of sweeps from texts, as the command line has them."""

from __future__ import annotations

from workbench.sweep.plan import SweepPlan, variation


def plan_of(document, *varied, until=0.5, kept=None):
    return SweepPlan(document, tuple(variation(document, name, text) for name, text in varied), until, kept)
