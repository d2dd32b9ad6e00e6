"""Fluxes by what they are compared with: power over that through another plane, and cross-sections of what a plane wave
meets, as areas or as parts of the geometric one (efficiencies Q)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Finding
from engines.api.abilities import Axes
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from engines.fdtd.far.walls import IMAGES
from engines.fdtd.grid.yee import METRES, SECONDS, VACUUM_IMPEDANCE
from engines.fdtd.monitors.balance import FAR_FROM_ONE, LEAST
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.frequencies import over_at, source_spectrum
from engines.fdtd.parameters import BoxMonitor, FdtdParameters, ObliqueWaveSource, PlaneMonitor, WaveSource
from engines.fdtd.watch.watcher import NEVER, FieldWatcher

TRANSMISSION, CROSS_SECTIONS = "transmission", "cross_sections"
SIGNS = {"scattering": 1.0, "absorption": -1.0}
"""Of the power out of a box: around the wave's box it is what is scattered, within that it is less what is absorbed."""


class _Compared(FieldWatcher):
    """Sums nothing itself: the planes and boxes look."""

    every = NEVER

    def look(self, step: int) -> None:
        """Never called."""

    def parts(self) -> dict[str, Any]:
        return {}


class Transmission(_Compared):
    """Power through planes over that through the ones they name."""

    def __init__(self, pairs: Sequence[tuple[FluxWatcher, FluxWatcher]]) -> None:
        self._pairs = tuple(pairs)
        title, unit, self._x = pairs[0][0].abscissa()
        of = {below.plan.name for _, below in pairs}
        said = f"Part of the power through '{of.pop()}'" if len(of) == 1 else "Part of the power"
        self.charts = (
            ChartInfo(
                TRANSMISSION, said, "1", x_title=title, x_unit=unit, comparable=True, y_title="Part of the power"
            ),
        )

    def shares(self) -> dict[str, Array]:
        """(frequencies,) by the name of the plane, without a sign; NaN where hardly anything passes the other, and
        until the pulse is over."""
        found = {}
        for above, below in self._pairs:
            energy = np.abs(below.energy())
            enough = below.given & (energy > LEAST * energy.max())
            found[above.plan.name] = np.divide(
                np.abs(above.energy()), energy, out=np.full(len(energy), np.nan), where=enough
            )
        return found

    def noticed(self) -> Sequence[Finding]:
        """A sentence for each plane through which more passes than through the one that it is a part of."""
        found = []
        title, unit, x = self._pairs[0][0].abscissa()
        for (above, below), share in zip(self._pairs, self.shares().values(), strict=True):
            worst = int(np.nan_to_num(share).argmax())
            if share[worst] > 1 + FAR_FROM_ONE:
                found.append(
                    Finding(
                        f"{share[worst]:.3g} times as much passes '{above.plan.name}' as '{below.plan.name}', at a "
                        f"{title.lower()} of {x[worst]:.4g} {unit.replace('um', 'µm')}: it is no part of that. Place "
                        f"'{below.plan.name}' before the source's wave meets anything, across all of its beam or "
                        "guide, and run until the field has died down.",
                        place=("monitors",),
                        distorts=True,
                    )
                )
        return found

    def chart(self, name: str) -> ChartData:
        return ChartData(tuple(Curve(title, self._x, y) for title, y in self.shares().items()))

    def results(self) -> Mapping[str, Array]:
        return {f"{TRANSMISSION}/{name}": values for name, values in self.shares().items()}

    def axes(self) -> Mapping[str, Axes]:
        names = [above.plan.name for above, _ in self._pairs]
        return {f"{TRANSMISSION}/{name}": {"frequency": f"{name}/frequency"} for name in names}


class CrossSections(_Compared):
    """incident: (frequencies,) [J/Hz per unit of length squared] of the plane wave; images: how many times the grid's
    part is there, with its mirror images"""

    fixes_sources = True

    def __init__(
        self, boxes: Sequence[tuple[BoxMonitor, FluxWatcher]], incident: Sequence[Array], images: int, unit: str
    ) -> None:
        self._boxes, self._incident, self._images = tuple(boxes), tuple(incident), images
        title, x_unit, self._x = boxes[0][1].abscissa()
        self.told = "1" if all(box.area for box, _ in boxes) else unit
        name = "Efficiency Q" if self.told == "1" else "Cross-section"
        self.charts = (ChartInfo(CROSS_SECTIONS, name, self.told, x_title=title, x_unit=x_unit, comparable=True),)

    def values(self) -> dict[str, Array]:
        """(frequencies,) by the name of the box; NaN where the wave has hardly anything, and until it is over."""
        found = {}
        for (box, flux), incident in zip(self._boxes, self._incident, strict=True):
            energy = SIGNS[box.measures] * self._images * flux.energy()
            over = np.where(flux.given & (incident > LEAST * incident.max()), incident, np.nan)
            found[flux.plan.name] = energy / over / (box.area if self.told == "1" else 1.0)
        return found

    def chart(self, name: str) -> ChartData:
        return ChartData(tuple(Curve(title, self._x, y) for title, y in self.values().items()))

    def results(self) -> Mapping[str, Array]:
        unit = "" if self.told == "1" else f" [{self.told}]"
        return {f"{CROSS_SECTIONS}/{name}{unit}": values for name, values in self.values().items()}

    def axes(self) -> Mapping[str, Axes]:
        names = [flux.plan.name for _, flux in self._boxes]
        return {f"{CROSS_SECTIONS}/{name}": {"frequency": f"{name}/frequency"} for name in names}


def check_compared(parameters: FdtdParameters, waveforms: Sequence[Any]) -> None:
    """Raises ProblemError for planes and boxes that have nothing to be compared with."""
    planes = {each.name: each for each in parameters.monitors if isinstance(each, PlaneMonitor)}
    for each in planes.values():
        if not each.relative_to or each.measures != "power":
            continue
        other = planes.get(each.relative_to)
        if other is None or other is each or other.measures != "power":
            raise ProblemError(
                f"Plane '{each.name}' is told as a part of '{each.relative_to}': name another that measures power."
            )
        if other.frequencies != each.frequencies:
            raise ProblemError(f"Planes '{each.name}' and '{other.name}' are compared: give them the same frequencies.")
    boxes = compared_boxes(parameters)
    if not boxes:
        return
    (kind, *more) = (type(source) for source in parameters.sources) if parameters.sources else (None,)
    if more or kind not in (WaveSource, ObliqueWaveSource) or any(each.steady for each in waveforms):
        raise ProblemError(
            f"Box '{boxes[0].name}' measures a cross-section: let one plane wave with a pulse be the only source."
        )


def compared_boxes(parameters: FdtdParameters) -> list[BoxMonitor]:
    """Those that measure cross-sections."""
    return [each for each in parameters.monitors if isinstance(each, BoxMonitor) and each.measures != "power"]


def compared(parameters: FdtdParameters, fluxes: Mapping[str, FluxWatcher], around: Surroundings) -> list[FieldWatcher]:
    """What compares the planes and boxes of a problem; ``fluxes`` by their names."""
    found: list[FieldWatcher] = []
    pairs = [
        (fluxes[each.name], fluxes[each.relative_to])
        for each in parameters.monitors
        if isinstance(each, PlaneMonitor) and each.measures == "power" and each.relative_to
    ]
    if pairs:
        found.append(Transmission(pairs))
    boxes = [(box, fluxes[box.name]) for box in compared_boxes(parameters)]
    if boxes:
        incident = [_incident(parameters, flux, around) for _, flux in boxes]
        mirrors = [kind for pair in parameters.faces.pairs() for kind in pair if kind in IMAGES and not IMAGES[kind][1]]
        flat = any(count == 1 for count in around.yee.counts)
        unit = around.unit.replace("um", "µm") + ("" if flat else "²")
        found.append(CrossSections(boxes, incident, 2 ** len(mirrors), unit))
    return found


def _incident(parameters: FdtdParameters, flux: FluxWatcher, around: Surroundings) -> Array:
    """(frequencies,) what the plane wave brings, 2 |E(f)|² / η₀, in the units of :attr:`CrossSections`."""
    (source,) = parameters.sources
    (waveform, *_) = around.waveforms
    frequencies = flux.plan.frequencies
    steps = int(over_at(waveform) / around.dt) + 1
    spectrum = np.abs(source_spectrum([waveform], frequencies, around.dt, steps)[0]) * SECONDS[around.unit]
    assert isinstance(source, (WaveSource, ObliqueWaveSource))
    field = parameters.source_scale * source.amplitude * spectrum
    return np.asarray(2 * field**2 / VACUUM_IMPEDANCE * METRES[around.unit] ** 2)
