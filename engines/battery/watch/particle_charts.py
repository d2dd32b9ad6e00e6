"""What is plotted of particles: stoichiometry over time and radius, the radii, and all that is known of one."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection, histogram
from engines.battery.particles.shells import shells

MOST_PROFILES = 4096
"""Particles that the profile's band and the colours of the radii are taken from, evenly chosen."""
FINE = np.linspace(0.0, 1.0, 129)
"""r/R at which the series is drawn."""
MICROMETRE = 1e-6
BARS = 48

STOICHIOMETRY = ChartInfo(
    "stoichiometry", "Stoichiometry", "1", series=("surface", "mean"),
    bands=(("surface_p05", "surface_p95"), ("mean_p05", "mean_p95")),
)  # fmt: skip
PROFILE = ChartInfo("profile", "Stoichiometry inside", "1", x_title="Radius r/R", x_unit="1")
RADII = ChartInfo("radii", "Particles", "1", kind="bar", x_title="Radius", x_unit="µm", y_title="Particles")
FLUX = ChartInfo("flux", "Flux into the particles", "µmol/m²/s", series=("flux",))
BALANCE = ChartInfo("balance", "Lithium balance error", "1", series=("balance",))
ERROR = ChartInfo("error", "Error against the series", "1", series=("error",))
INSIDE = ChartInfo("inside", "Stoichiometry", "1", x_title="Distance from the centre", x_unit="µm")


def infos(has_series: bool, differ: bool) -> tuple[ChartInfo, ...]:
    """``has_series``: D is constant; ``differ``: the radii do."""
    radii = (RADII,) if differ else ()
    error = (ERROR,) if has_series else ()
    return (STOICHIOMETRY, PROFILE, *radii, FLUX, *error, BALANCE)


def profile(profiles: Array, surfaces: Array, exact: Array | None, number: int) -> ChartData:
    """``profiles: (m, shells)`` and ``surfaces: (m,)`` of some of ``number`` particles, the first one first; ``exact``
    of that one at FINE."""
    x = np.append(shells(profiles.shape[1]).centers, 1.0)
    profiles = np.column_stack((profiles, surfaces))
    first = Curve("Particle" if number == 1 else "First particle", x, profiles[0].astype(float))
    curves = [first] if exact is None else [first, Curve("Series", FINE, exact)]
    if number > 1:
        low, high = np.percentile(profiles, (5, 95), axis=0)
        curves.insert(0, Curve("Mean of all", x, profiles.mean(axis=0, dtype=float), low=low, high=high))
    return ChartData(tuple(curves))


def radii(radius: Array, chosen: Array, profiles: Array) -> ChartData:
    """``radius: (n,)`` [m]; ``profiles: (m, shells)`` of those ``chosen: (m,)``, whose means colour the bars."""
    size, means = radius / MICROMETRE, profiles @ shells(profiles.shape[1]).volumes
    edges = np.linspace(size.min(), size.max(), min(BARS, max(8, round(np.sqrt(len(size))))) + 1)
    bars = histogram(size, edges, "Particles")
    counts, _ = np.histogram(size[chosen], edges)
    sums, _ = np.histogram(size[chosen], edges, weights=means)
    order = np.argsort(size[chosen])
    between = np.interp((edges[1:] + edges[:-1]) / 2, size[chosen][order], means[order])  # for bars with none of these
    shade = np.divide(sums, counts, out=between, where=counts > 0)
    return ChartData((Curve(bars.title, bars.x, bars.y, shade),), "Mean stoichiometry")


def inspection(
    element: int, radius: float, stoichiometry: Array, surface: float, flux: float, exact: Array | None
) -> Inspection:
    """``stoichiometry: (shells,)``; ``radius`` [m], ``flux`` [mol/m²/s], ``exact`` at FINE where there is a series."""
    size, points = radius / MICROMETRE, len(stoichiometry)
    grid = shells(points)
    facts = [
        Fact("Radius", size, "µm"),
        Fact("Stoichiometry, mean", float(stoichiometry @ grid.volumes), "1"),
        Fact("At the surface", surface, "1"),
        Fact("At the centre", float(stoichiometry[0]), "1"),
        Fact("Flux inwards", flux, "mol/m²/s"),
    ]
    inside = Curve(
        "Finite volumes" if exact is not None else "Stoichiometry",
        np.append(grid.centers, 1.0) * size,
        np.append(stoichiometry, surface).astype(float),
    )
    curves = [inside] if exact is None else [inside, Curve("Series", FINE * size, exact)]
    if exact is not None:
        facts.append(Fact("Surface by the series", float(exact[-1]), "1"))
    return Inspection(f"Particle {element + 1:,}", tuple(facts), ((INSIDE, ChartData(tuple(curves))),))
