"""What is shown of many particles besides their fields: charts, size histograms, one particle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array
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
