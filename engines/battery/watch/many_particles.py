"""What is shown of many particles besides their fields: charts, size histograms, one particle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array, Finding
from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection
from engines.battery.setup.sizes import MICROMETRE, Sizes
from engines.battery.step.many_particle_rows import ELECTRODES

if TYPE_CHECKING:
    from engines.battery.mpm.many_particles import ManyParticles

BINS = 30
PROFILE_POINTS = 61

CHARTS = (
    ChartInfo("voltage", "Terminal voltage", "V", series=("voltage",), comparable=True),
    ChartInfo(
        "stoichiometry",
        "Stoichiometry at the surfaces",
        "1",
        series=tuple(f"{name}_stoichiometry" for name in ELECTRODES),
        bands=tuple((f"{name}_stoichiometry_p05", f"{name}_stoichiometry_p95") for name in ELECTRODES),
    ),
    *(
        ChartInfo(
            f"{name}_sizes", f"Surface by size, {name} electrode", "%", kind="bar", y_title="Surface",
            x_title="Radius", x_unit="µm",
        )
        for name in ELECTRODES
    ),
)  # fmt: skip


def weighted_percentiles(values: Array, weights: Array, shares: Sequence[float]) -> list[float]:
    """The least value that at least each of ``shares`` of the weight does not exceed."""
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    places = np.searchsorted(upto, np.asarray(shares) * upto[-1])
    return [float(values[order[min(place, len(order) - 1)]]) for place in places]


SLACK = 1e-5
"""Of a stoichiometry, by which float32 may be beyond its ends."""
NOTHING_SEEN = np.array([[(-1.0, 0.0, 0.0), (-1.0, 0.0, 1.0)]] * 2)


class Overfilled:
    """What has been seen of surfaces whose stoichiometry is beyond 0 to 1, of each electrode and each of the two ends.

    Where a measured potential is flat (that of graphite, full) nothing holds the smallest particles back.
    """

    def __init__(self) -> None:
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

    def noticed(self) -> list[Finding]:
        found = []
        for name, ends in zip(ELECTRODES, self.seen, strict=True):
            for end, filled, (first, share, worst) in zip((0, 1), ("empty", "full"), ends, strict=True):
                if first >= 0:
                    bound = "less lithium than none" if end == 0 else "more lithium than there are sites"
                    found.append(
                        Finding(
                            f"Particles of the {name} electrode are {filled} from {first:.6g} s on, with up to "
                            f"{100 * share:.2g} % of its surface: stoichiometries there come to {worst:.4f}, {bound}. "
                            "Its potential does not hold them back, so what these take is not what they would: end the "
                            f"{'discharge' if (name == 'negative') == (end == 0) else 'charge'} earlier, or take less "
                            "current.",
                            place=("protocol",),
                            distorts=True,
                        )
                    )
        return found


def size_histogram(electrode: str, sizes: Sizes, stoichiometry: Array) -> ChartData:
    """Share of the electrode's surface [%] by radius [µm]; the colour of a bar is its particles' mean stoichiometry,
    each counted as its volume."""
    radii = sizes.radii / MICROMETRE
    low, high = float(radii.min()), float(radii.max())
    margin = 0.02 * high if high - low < 0.02 * high else 0.0
    edges = np.linspace(low - margin, high + margin, BINS + 1)
    shares, _ = np.histogram(radii, edges, weights=100 * sizes.shares)
    volumes, _ = np.histogram(radii, edges, weights=sizes.volume_shares)
    lithium, _ = np.histogram(radii, edges, weights=sizes.volume_shares * stoichiometry)
    shade = np.divide(lithium, volumes, out=np.zeros(BINS), where=volumes > 0)
    return ChartData((Curve(f"{electrode.capitalize()} electrode", edges, shares, shade),), "Mean stoichiometry")


def inspection(particles: ManyParticles, element: int) -> Inspection:
    """Radius, current, overpotential and stoichiometries of one particle, and its profile from centre to surface."""
    e, i = divmod(element, particles.n)
    column = int(particles.columns_of(np.array([element]))[0])
    chosen = np.array([column])
    sizes, radius = particles.sizes[e], float(particles.sizes[e].radii[i]) / MICROMETRE
    facts = (
        Fact("Radius", radius, "µm"),
        Fact("Share of the electrode's surface", float(100 * sizes.shares[i]), "%"),
        Fact("Current density", float(particles.current_densities(chosen)[0]), "A/m²"),
        Fact("Overpotential", 1000 * particles.overpotential(column), "mV"),
        Fact("Stoichiometry at the surface", float(particles.surfaces(chosen)[0]), "1"),
        Fact("Stoichiometry, mean", float(particles.means(chosen)[0]), "1"),
    )
    x = np.linspace(0, 1, PROFILE_POINTS)
    info = ChartInfo("profile", "Stoichiometry", "1", x_title="Distance from the centre", x_unit="µm")
    curve = Curve("Stoichiometry", x * radius, particles.profile(x, column))
    title = f"{ELECTRODES[e].capitalize()} particle {i + 1:,}"
    return Inspection(title, facts, ((info, ChartData((curve,))),))
