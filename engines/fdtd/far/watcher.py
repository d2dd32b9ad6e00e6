"""The far field of a box monitor: charts at one frequency and over frequency, and all of it for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.abilities import Axes
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from engines.fdtd.far.charts import azimuth_chart, elevation_chart, far_chart_infos, pattern_chart
from engines.fdtd.far.directions import Directions, circle, sphere
from engines.fdtd.far.fields import FarField, decibels, far_field
from engines.fdtd.far.spectra import Mirror, SurfaceSpectra, with_images
from engines.fdtd.grid.yee import METRES, SECONDS, SPEED_OF_LIGHT
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.parameters import FarSetting
from engines.fdtd.watch.watcher import NEVER, FieldWatcher

FINEST, COARSEST = 180, 36
"""Steps of the polar angle: five degrees, or as many as the waves that a large box makes."""
BEYOND = 8
"""Waves around the sphere beyond kR, where those of a source in a ball of radius R have died away."""
ONE_SIDED = 4.0
"""2 Re ∫ E × H* · dA, the energy per positive frequency of spectra, over ½ Re of amplitudes."""


class FarWatcher(FieldWatcher):
    """Made of what ``flux`` sums; it sums nothing itself. ``line``: the axis along which nothing varies, if any."""

    every = NEVER

    def __init__(
        self, number: int, flux: FluxWatcher, setting: FarSetting, mirrors: Sequence[Mirror], line: int | None,
        unit: str, depth: float,
    ) -> None:  # fmt: skip
        self._flux, self._mirrors, self._line = flux, tuple(mirrors), line
        self._metre, self._second = METRES[unit], SECONDS[unit]
        self._depth = depth * self._metre
        self._axis = "xyz".index(setting.axis) if line is None else line
        # between mirrors only a part of the problem is computed, and far away is what all of it sends
        self._images = 2 ** sum(not mirror.ground for mirror in mirrors)
        title, shown_unit, shown = flux.abscissa()
        self._shown = int(np.abs(shown - setting.shown).argmin()) if setting.shown else len(shown) // 2
        self._kept: dict[tuple[int, ...], tuple[int, FarField]] = {}
        self._directions: Directions | None = None
        name, prefix = flux.plan.name, f"monitor_{number}_far"
        at = f"{shown[self._shown]:.4g} {shown_unit}"
        patterns = far_chart_infos(prefix, f", '{name}' at {at}")
        self.charts = (
            *(patterns if line is None else patterns[1:2]),
            ChartInfo(
                f"{prefix}_directivity", f"Largest directivity of '{name}'", "dBi", x_title=title, x_unit=shown_unit
            ),
            ChartInfo(
                f"{prefix}_energy", f"Energy radiated from '{name}' per frequency", flux.unit, x_title=title,
                x_unit=shown_unit,
            ),
        )  # fmt: skip

    def look(self, step: int) -> None:
        """The box looks."""

    def surface(self, chosen: Sequence[int] | None = None) -> SurfaceSpectra:
        """Of the box; in two dimensions of its contour."""
        found = self._flux.surface(chosen)
        if self._line is None:
            return found
        areas = found.areas / self._depth
        return SurfaceSpectra(
            found.frequencies, found.positions, areas, found.normals, found.electric, found.magnetic
        )  # fmt: skip

    def directions(self, surface: SurfaceSpectra) -> Directions:
        """Fine enough for all frequencies."""
        if self._directions is None:
            places = with_images(surface, self._mirrors).positions
            radius = 0.5 * float(np.linalg.norm(np.ptp(places, axis=0)))
            highest = float(self._flux.plan.frequencies.max())
            waves = 2 * np.pi * highest / SPEED_OF_LIGHT * radius / self._metre + BEYOND
            polar = int(np.clip(4 * np.ceil(waves / 2), COARSEST, FINEST))
            self._directions = sphere(polar, 2 * polar, self._axis) if self._line is None else circle(axis=self._axis)
        return self._directions

    def far(self, chosen: Sequence[int] | None = None) -> FarField:
        """At all frequencies, or those ``chosen``; spectra as the surface's: r E exp(ikr) in V s."""
        key = tuple(range(len(self._flux.plan.frequencies)) if chosen is None else chosen)
        taken, found = self._kept.get(key, (-1, None))
        if found is None or taken != self._flux.taken:
            surface = self.surface(key)
            directions = self.directions(surface)
            found = far_field(surface, directions, mirrors=self._mirrors, line=self._line is not None)
            self._kept[key] = self._flux.taken, found
        return found

    def chart(self, name: str) -> ChartData:
        if not self._flux.taken:
            return EMPTY
        kind = name.rpartition("_")[2]
        if kind in ("elevation", "azimuth", "pattern"):
            far = self.far([self._shown])
            make = {"elevation": elevation_chart, "azimuth": azimuth_chart, "pattern": pattern_chart}[kind]
            return make(far, far.directivity()[0])
        far, (_, _, x) = self.far(), self._flux.abscissa()
        if kind == "directivity":
            largest = far.directivity().max(axis=(1, 2))
            if not (largest > 0).all():
                return EMPTY
            return ChartData((Curve("In the loudest direction", x, np.array([decibels(each) for each in largest])),))
        return ChartData(
            (Curve("Far away", x, self._energy(far)), Curve("Through the box", x, self._images * self._flux.energy()))
        )  # fmt: skip

    def _energy(self, far: FarField) -> Array:
        """(frequencies,) [J/Hz], in two dimensions of the depth of the grid."""
        return ONE_SIDED * far.radiated_power() * (1.0 if self._line is None else self._depth)

    def parts(self) -> dict[str, Any]:
        return {}

    def restored(self, step: int) -> None:
        self._kept.clear()

    def results(self) -> Mapping[str, Array]:
        """E_theta, E_phi (frequencies, θ, φ): ``r E e^{−ikr}`` of sums with ``e^{+iωt}``, as all of monitors; 0 behind
        grounds."""
        far, name = self.far(), self._flux.plan.name
        unit = "V s" if self._line is None else "V s/m^0.5"
        return {
            f"{name}/theta [rad]": far.directions.theta,
            f"{name}/phi [rad]": far.directions.phi,
            f"{name}/E_theta [{unit}]": (far.theta.conj() * far.lit).astype(np.complex128),
            f"{name}/E_phi [{unit}]": (far.phi.conj() * far.lit).astype(np.complex128),
            f"{name}/directivity": far.directivity(),
            f"{name}/radiated energy [{self._flux.unit}]": self._energy(far),
        }

    def axes(self) -> Mapping[str, Axes]:
        name = self._flux.plan.name
        theta, phi, frequency = ({axis: f"{name}/{axis}"} for axis in ("theta", "phi", "frequency"))
        whole = {f"{name}/{each}": frequency | theta | phi for each in ("E_theta", "E_phi", "directivity")}
        return {**whole, f"{name}/theta": theta, f"{name}/phi": phi, f"{name}/radiated energy": frequency}
