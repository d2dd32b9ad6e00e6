"""Particles that hold less lithium than none, or more than there are sites: what a run says of them at its end."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Finding
from engines.battery.step.many_particle_rows import ELECTRODES
from engines.quantities import percent

SLACK = 1e-5
"""Of a stoichiometry, by which float32 may be beyond its ends."""
MOST_LOOKED_AT = 64
"""Cells of an ensemble, or elements of a pack, that are looked at."""
NOTHING_SEEN = np.array([[(-1.0, 0.0, 0.0), (-1.0, 0.0, 1.0)]] * 2)


class Overfilled:
    """What has been seen of surfaces whose stoichiometry is beyond 0 to 1, of each electrode and each of the two ends.

    Where a measured potential is flat (that of graphite, full) nothing holds the smallest particles back, and where its
    curve ends nothing holds back any.

    of: what shares are of, as "of its surface"; empty: there is one surface alone
    """

    def __init__(self, of: str) -> None:
        self._of = of
        self.seen = NOTHING_SEEN.copy()
        """(electrode, empty or full): time of the first [s], −1 for never; largest share of the surface; the worst
        stoichiometry."""

    def see(self, time: float, electrode: int, surfaces: Array, shares: Array) -> None:
        """``surfaces, shares: (n,)``: stoichiometries, and parts of the electrode's surface."""
        lowest, highest = (surfaces.min(), surfaces < -SLACK), (surfaces.max(), surfaces > 1 + SLACK)
        for end, (worst, beyond) in enumerate((lowest, highest)):
            if beyond.any():
                first, share, before = self.seen[electrode, end]
                first = time if first < 0 else first
                further = max(before, worst, key=lambda each: abs(each - end))
                self.seen[electrode, end] = first, max(share, shares[beyond].sum()), further

    def see_cells(self, time: float, surfaces: tuple[Array, Array]) -> None:
        """``surfaces``: (n,) each, of the negative and the positive particle of each cell."""
        for electrode, values in enumerate(surfaces):
            self.see(time, electrode, values, np.full(len(values), 1 / len(values)))

    def noticed(self) -> list[Finding]:
        found = []
        for name, ends in zip(ELECTRODES, self.seen, strict=True):
            for end, filled, (first, share, worst) in zip((0, 1), ("empty", "full"), ends, strict=True):
                if first >= 0:
                    bound = "less lithium than none" if end == 0 else "more lithium than there are sites"
                    with_so_much = f", with up to {percent(share)} {self._of}" if self._of else ""
                    found.append(
                        Finding(
                            f"Particles of the {name} electrode are {filled} from {first:.6g} s on{with_so_much}: "
                            f"stoichiometries there come to {worst:.4f}, {bound}. Its potential does not hold them "
                            "back, so what these take is not what they would: end the "
                            f"{'discharge' if (name == 'negative') == (end == 0) else 'charge'} earlier, or take less "
                            "current.",
                            place=("protocol",),
                            distorts=True,
                        )
                    )
        return found


def some_of(n: int) -> Array:
    """Places of cells that are looked at, evenly among ``n``."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_LOOKED_AT)).astype(int))
