"""What keeps a run from going faster, as far as its samples tell: where it is not the memory, a small percentage is
right."""

from __future__ import annotations

from engines.api import SimulationInfo
from ui.widgets.formatting import duration_text, rate_text
from workbench.run.frames import Sample

AT_PACE = 0.9
"""The part of the pace that was set from which a run keeps it."""
MOST = 0.6
"""The part of the copy's bandwidth from which the memory is taken for the bound."""
KERNELS_SHARE = 0.75
"""The part of the wall time below which something else takes enough of it to be named."""
LAUNCHES_SECONDS = 2e-3
"""More than launches of a step take: what takes longer is the 3D view, other programs, or looking at the run."""

LAUNCHES, OTHER_WORK = "launches", "other work on the processor"
SHORT = {
    OTHER_WORK: "other work",
    "the pace that was set": "the pace",
    "the memory's bandwidth": "the memory",
    "the kernels' instructions, not the memory": "instructions",
}


def shortly(bound: str) -> str:
    """In a few words, for the margin of the 3D view."""
    what = bound.partition(":")[0]
    return SHORT.get(bound, SHORT.get(what, what))


def waits_its_turn(bound: str) -> bool:
    """Whether a window in the same process may be what a run waits for: the two take turns in the interpreter."""
    return bound.startswith((LAUNCHES, OTHER_WORK))


def bound_of(last: Sample, steps_per_second: float, fraction: float, info: SimulationInfo, is_paced: bool) -> str:
    """``is_paced``: the run keeps the pace that was set. ``fraction`` is of the bandwidth that a copy of as many bytes
    reaches on the device; ``last`` has the times of the kernels."""
    if is_paced:
        return "the pace that was set"
    if fraction >= MOST:
        small = info.ceilings is not None and info.ceiling > info.ceilings.best
        return f"the caches: a copy in them makes {rate_text(info.ceiling)}" if small else "the memory's bandwidth"
    kernels = sum(rate.seconds_per_step for rate in last.kernels)
    if not kernels or steps_per_second <= 0:
        return ""
    step = 1.0 / steps_per_second
    if kernels < KERNELS_SHARE * step:
        what = LAUNCHES if step - kernels < LAUNCHES_SECONDS else OTHER_WORK
        return f"{what}: a step takes {duration_text(step)}, its kernels {duration_text(kernels)}"
    device = info.device_info
    one_core = device is not None and device.kind == "cpu" and device.threads == 1
    return "one core: its instructions, not the memory" if one_core else "the kernels' instructions, not the memory"
