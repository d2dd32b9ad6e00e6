"""Monitors: traces, running Fourier sums, fluxes, R and T, and the end at decay."""

from __future__ import annotations

from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.making import MonitorPlans, make_recorders, plan_monitors

__all__ = ["MonitorPlans", "Surroundings", "make_recorders", "plan_monitors"]
