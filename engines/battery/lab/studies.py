"""The battery kernels in the ways that people write them, for the Kernel Lab.

Block shapes of two-dimensional diffusion, the seed of dendrite's occupancy table, are in the stencil engine's studies.
"""

from __future__ import annotations

from engines.api.lab import Study


def studies() -> tuple[Study, ...]:
    """All studies of batteries; imported when they are asked for."""
    from engines.battery.lab.variants import butler_volmer, discharges, spherical_step, spherical_steps

    return (spherical_step.STUDY, spherical_steps.STUDY, butler_volmer.STUDY, butler_volmer.INVERSE, discharges.STUDY)
