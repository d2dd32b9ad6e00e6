"""What a person may choose about cells that react less often than they diffuse."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity

BUSY_SHARE = 0.010
"""Part of a beat of 1000 ms in which a cell's group reacts at each step, for the estimate (README, "Multirate")."""


class Multirate(ParameterGroup):
    """Groups of 32 neighbouring cells react at each step near their upstroke, and every few steps elsewhere."""

    on: bool = quantity(False, "", "Quiet cells react less often", title="Multirate reaction")
    slow_step: float = quantity(
        0.2, "ms", "Time between two reactions of a quiet cell", title="Quiet cells' step", gt=0, le=0.2
    )
    wake: float = quantity(
        1.0, "mV", "Change of voltage since its last reaction that wakes a group", gt=0, le=20, advanced=True
    )
    quiet: float = quantity(
        4.0, "mV/ms", "Largest ionic current over capacitance in a quiet group", gt=0, le=100, advanced=True
    )
    hold: float = quantity(
        2.0, "ms", "How long a group reacts at each step after it was last woken or not quiet", ge=0.1, le=100,
        advanced=True,
    )  # fmt: skip

    def slow_steps(self, step: float) -> int:
        """Steps of ``step`` ms between two reactions of a quiet group, at least one."""
        return max(1, int(self.slow_step / step + 1e-9))

    def expected_share(self, step: float) -> float:
        """Part of the cell steps that is left of a beat of 1000 ms."""
        return BUSY_SHARE + (1.0 - BUSY_SHARE) / self.slow_steps(step) if self.on else 1.0
