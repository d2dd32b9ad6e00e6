"""Which cells a stimulus reaches; of one that reaches none that conduct, where it would; and what of it is rounded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.cardiac.parameters import (
    REACTION_STEP_LIMIT,
    Box,
    CardiacParameters,
    RegionSetting,
    Site,
    Sphere,
    Stimulus,
)
from engines.cardiac.parameters.cells import NON_CONDUCTING, TT06
from engines.cardiac.tissue.sites import Sites, region_cells
from engines.geometry.meshes.shapes import distances
from engines.quantities import percent, rounded_down

MOST_LIFT = 125.0
"""Of a pulse [mV] on all of a slab: with 140 mV and more the voltage is no number from 1 to 3 ms on, whatever the step;
with 125 mV it stays one."""

FAR_FROM_HELD = 0.05
"""Of the tissue within a site, by which that around its vertices may differ without a word."""

INTERVALS = {"coupling": "coupling interval", "shortest": "shortest period"}
"""What a person reads for the times of a stimulus whose name says less."""


def site_cells(site: Site, mesh: Sites) -> Array:
    """(n_cells,) bool: the cells of a site, by centroid."""
    if isinstance(site, Sphere):
        return np.asarray(distances(mesh.centroids, np.array(site.center)) <= site.radius)
    if isinstance(site, Box):
        axes = zip(mesh.centroids.T, site.lower, site.upper, strict=True)
        return np.logical_and.reduce([(low <= place) & (place <= high) for place, low, high in axes])
    return region_cells(site.region, mesh)


def idle_findings(stimuli: Sequence[Stimulus], regions: Sequence[RegionSetting], mesh: Sites) -> list[Finding]:
    """A warning for each stimulus that lies in scar alone."""
    dead = {setting.region for setting in regions if setting.condition == NON_CONDUCTING}
    numbers = [number for number, name in mesh.region_names.items() if name in dead]
    if not numbers:
        return []
    conducts = ~np.isin(mesh.regions, numbers)
    found = []
    for place, stimulus in enumerate(stimuli):
        reached = site_cells(stimulus.site, mesh)
        if reached.any() and not conducts[reached].any():
            message = f"Stimulus '{stimulus.name}' lies in {NON_CONDUCTING} alone: it excites nothing."
            remedy = onto_tissue(stimulus, place, mesh.centroids[conducts])
            found.append(Finding(message, place=("stimuli", place, "site"), remedy=remedy))
    return found


def reached_findings(stimuli: Sequence[Stimulus], mesh: Sites, vertices: Sites) -> list[Finding]:
    """Of each stimulus whose vertices have more or less tissue around them than the cells in its site are."""
    found = []
    for place, stimulus in enumerate(stimuli):
        held = float(mesh.volumes[site_cells(stimulus.site, mesh)].sum())
        reached = float(vertices.volumes[site_cells(stimulus.site, vertices)].sum())
        if held > 0 and abs(reached / held - 1) > FAR_FROM_HELD:
            text = (
                f"Stimulus '{stimulus.name}' acts on the tissue around the vertices in it, {reached:.3g} mm³, and "
                f"the cells in it are {held:.3g} mm³: its charge is {percent(abs(reached / held - 1))} "
                f"{'more' if reached > held else 'less'}. A wave that it starts is the same; a finer mesh, or cells as "
                "unknowns, bring them together."
            )
            found.append(Finding(text, "info", ("stimuli", place, "site")))
    return found


def strong_findings(parameters: CardiacParameters) -> list[Finding]:
    """A warning for each pulse that may lift TT06's cells to where its equations have no numbers."""
    found = []
    tissue = parameters.tissue
    for place, stimulus in enumerate(parameters.stimuli if parameters.cell_model == TT06 else ()):
        lift = 1e-3 * stimulus.amplitude * stimulus.duration / (tissue.surface_to_volume * tissue.membrane_capacitance)
        if lift > MOST_LIFT:
            weaker = rounded_down(stimulus.amplitude * MOST_LIFT / lift, 2)
            message = (
                f"Stimulus '{stimulus.name}' would lift cells by {lift:.0f} mV where little of it flows away, and "
                f"{TT06} has no numbers beyond about {MOST_LIFT:.0f} mV."
            )
            where = ("stimuli", place, "amplitude")
            found.append(Finding(message, place=where, remedy=Remedy(f"Take {weaker:g} µA/cm³", {where: weaker})))
    return found


def rounded_findings(parameters: CardiacParameters) -> list[Finding]:
    """What of a stimulus, or of the one that paces cells before the run, is no whole number of steps, in which currents
    flow: of a short pulse that is much charge."""
    found = []
    for what, where, time, step, fewest in _in_steps(parameters):
        whole = max(fewest, round(time / step))
        off = abs(whole * step - time)
        if off > 1e-6 * time:
            exact = float(f"{max(1, whole) * step:.9g}")
            text = f"The {what}, {time:g} ms, is {time / step:g} steps: it is rounded to {whole}."
            severity: Literal["info", "warning"] = "warning" if off > 1e-3 * time else "info"
            found.append(Finding(text, severity, where, Remedy(f"Make it {exact:g} ms", {where: exact})))
    return found


def _in_steps(parameters: CardiacParameters) -> Iterator[tuple[str, tuple[str | int, ...], float, float, int]]:
    """What is rounded to whole steps: its name, its place, the time and the step [ms], and the fewest steps of it."""
    numerics = parameters.numerics
    for place, stimulus in enumerate(parameters.stimuli):
        least = {"duration": 1}
        if stimulus.begins == "after":
            least["coupling"] = 0
        if stimulus.pulses > 1:
            least |= {"period": 1, "decrement": 0}
            if stimulus.decrement > 0:
                least["shortest"] = 1
        for name, fewest in least.items():
            what = f"{INTERVALS.get(name, name)} of stimulus '{stimulus.name}'"
            yield what, ("stimuli", place, name), getattr(stimulus, name), numerics.step, fewest
    if numerics.initial_state == "paced":
        pacing = numerics.pacing
        step = pacing.cycle_length / steps_of_cycle(pacing.cycle_length, pacing_step(parameters))
        yield "duration of the pacing before the run", ("numerics", "pacing", "duration"), pacing.duration, step, 1


def pacing_step(parameters: CardiacParameters) -> float:
    """The longest step [ms] of cells that are paced before the run."""
    step = parameters.numerics.step / parameters.numerics.reaction_substeps
    return min(step, REACTION_STEP_LIMIT) if parameters.cell_model == TT06 else step


def steps_of_cycle(cycle_length: float, step: float) -> int:
    """How many steps up to ``step`` [ms] a cycle of pacing is divided into."""
    return math.ceil(cycle_length / step - 1e-9)


def onto_tissue(stimulus: Stimulus, number: int, centroids: Array) -> Remedy | None:
    """The edit that moves stimulus ``number`` as little as brings it over one of ``centroids: (n, 3)`` [mm]; None for a
    region, which is not moved, and where there is nothing to move to."""
    site = stimulus.site
    changes = None if not len(centroids) else _moved(site, centroids)
    if changes is None:
        return None
    text = f"Move '{stimulus.name}' onto the tissue"
    return Remedy(text, {("stimuli", number, "site", name): value for name, value in changes.items()})


def _moved(site: Site, centroids: Array) -> dict[str, list[float]] | None:
    if isinstance(site, Sphere):
        return {"center": _rounded(_nearest(centroids, np.array(site.center)))}
    if isinstance(site, Box):
        low, high = np.array(site.lower), np.array(site.upper)
        way = _nearest(centroids, (low + high) / 2) - (low + high) / 2
        return {"lower": _rounded(low + way), "upper": _rounded(high + way)}
    return None


def _nearest(centroids: Array, place: Array) -> Array:
    return np.asarray(centroids[np.argmin(distances(centroids, place))])


def _rounded(place: Array) -> list[float]:
    """To a micrometre."""
    return [round(float(value), 3) for value in place]
