"""Bytes that the monitors of a problem move per step."""

from __future__ import annotations

from engines.api import KernelTraffic
from engines.fdtd.monitors.decay import steps_between
from engines.fdtd.monitors.fourier import FourierPlan
from engines.fdtd.monitors.plans import MonitorPlans
from engines.fdtd.parameters import FdtdParameters, TraceMonitor

MONITORS = "monitors"
"""What everything that watches a run is timed as."""


def monitors_traffic(plans: MonitorPlans, parameters: FdtdParameters) -> tuple[KernelTraffic, ...]:
    """Of Fourier sums and of looks at the energy; traces and ports, a few values each, count for nothing. Empty where
    nothing watches."""
    if not plans.plans and not parameters.ports and not parameters.ending.at_decay:
        return ()
    around, read, written, flops = plans.around, 0, 0, 0
    for each in plans.plans:
        if not isinstance(each, TraceMonitor):
            taken, put, operations = _sums(each.plan)
            read, written, flops = read + taken, written + put, flops + operations
    read, written = read * around.value_bytes, written * around.value_bytes
    if parameters.ending.at_decay:
        every = steps_between(around)
        read += around.yee.cells * (6 * around.value_bytes + 3) // every
        flops += 18 * around.yee.cells // every
    return (KernelTraffic(MONITORS, read, written, flops),)


def _sums(plan: FourierPlan) -> tuple[int, int, int]:
    """Values read and written and operations per step: a sample goes into the buffer, and each batch of them into the
    sums of all frequencies."""
    values = sum(block.size for block in plan.blocks)
    beside = sum(block.size for block in plan.blocks if block.neighbour)
    sums = 2 * len(plan.frequencies) * values // plan.batch
    read, written = 2 * values + beside + sums, values + sums
    return read // plan.every, written // plan.every, 4 * len(plan.frequencies) * values // plan.every
