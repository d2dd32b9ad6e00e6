"""Reflection, transmission and absorption: fluxes over that of a run without objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Finding
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.monitors.settling import END_AT_DECAY
from engines.fdtd.watch.watcher import FieldWatcher

LEAST = 1e-3
"""Of the largest incident energy in the band: where there is less (or none), R and T would be noise."""
CHART = "balance"
WORDS = (("R", "Reflection"), ("T", "Transmission"), ("A = 1 − R − T", "Absorption"))
FAR_FROM_ONE = 0.02
"""Of R + T: ten times what a slab of 12 cells per wavelength leaves between absorbing layers."""


class Balance(FieldWatcher):
    """R and T of planes with the same frequencies, of each for itself: the same power may cross one after the other.
    R + T and the rest are those of two planes alone. It sums nothing itself.

    incident: (frequencies,) [J/Hz] without objects, all positive
    decays: whether a run ends when the field has died down
    whole: whether R and T must be all of it: nothing absorbs, and no face beside the way of the wave lets it out
    """

    fixes_sources = True

    def __init__(
        self, reflected: Sequence[FluxWatcher], transmitted: Sequence[FluxWatcher], incident: Array, every: int,
        whole: bool = False, decays: bool = False,
    ) -> None:  # fmt: skip
        self._planes = {**_named("R", reflected), **_named("T", transmitted)}
        self._incident, self.every, self._decays = incident, every, decays
        self._whole = whole and len(self._planes) == 2
        self._first = (*reflected, *transmitted)[0]
        title, unit, self._x = self._first.abscissa()
        several = [(name, f"{dict(WORDS)[name[0]]}{name[1:]}") for name in self._planes if name[1:]]
        self.charts = (
            ChartInfo(
                CHART,
                "Part of the incident power",
                "1",
                x_title=title,
                x_unit=unit,
                comparable=True,
                words=(*WORDS, *several),
            ),
        )

    def look(self, step: int) -> None:
        """The planes look."""

    def parts_of_incident(self) -> dict[str, Array]:
        """R, T, R + T and the rest, each (frequencies,), NaN where nothing comes in and until the pulse is over:
        what planes of R have is less the whole incident wave from the start, which is no reflection. Of several planes
        ``R, name`` or ``T, name`` alone."""
        enough = self._first.given & (self._incident > LEAST * self._incident.max())
        over = np.where(enough, self._incident, np.nan)
        found = {title: np.abs(plane.energy()) / over for title, plane in self._planes.items()}
        if list(found) == ["R", "T"]:
            found["R + T"] = found["R"] + found["T"]
            found["A = 1 − R − T"] = 1.0 - found["R + T"]
        return found

    def noticed(self) -> Sequence[Finding]:
        """A sentence where R + T (or the one that is measured), of several planes the largest of each, is more than
        one, or less where it must be one."""
        parts = self.parts_of_incident()
        both = {
            what: np.max(found, axis=0)
            for what in "RT"
            if (found := [parts[title] for title in self._planes if title[0] == what])
        }
        told, total = " + ".join(both), np.sum(list(both.values()), axis=0)
        whole = self._whole and len(both) == 2
        off = np.nan_to_num(total - 1.0)
        worst = int(np.abs(off).argmax() if whole else off.argmax())
        if (abs(off[worst]) if whole else off[worst]) < FAR_FROM_ONE:
            return ()
        title, unit, x = self._first.abscissa()
        why = "nothing here absorbs" if whole else "no more than what comes in can leave"
        wrong = "R and T are wrong" if len(both) == 2 else f"{told} is wrong"
        return (
            Finding(
                f"{told} is {total[worst]:.3g} at a {title.lower()} of {x[worst]:.4g} {unit.replace('um', 'µm')}, and "
                f"{why}: {wrong} by about as much. Run until the field has died down, and keep the planes "
                "beside all objects and out of their near field; smaller cells help where the error stays.",
                place=("monitors",),
                remedy=None if self._decays else END_AT_DECAY,
                distorts=True,
            ),
        )

    def chart(self, name: str) -> ChartData:
        return ChartData(tuple(Curve(title, self._x, y) for title, y in self.parts_of_incident().items()))

    def parts(self) -> dict[str, Any]:
        return {}

    def results(self) -> Mapping[str, Array]:
        first = self._first
        named = {"A = 1 − R − T": "A"}
        values = {f"balance/{named.get(title, title)}": y for title, y in self.parts_of_incident().items()}
        found = {key.replace(first.plan.name, "balance", 1): part for key, part in first.frequency_results().items()}
        return {**found, f"balance/incident [{first.unit}]": self._incident, **values}


def _named(what: str, planes: Sequence[FluxWatcher]) -> dict[str, FluxWatcher]:
    """``R``, or of several ``R, name``."""
    return {what if len(planes) == 1 else f"{what}, {each.plan.name}": each for each in planes}


def incident_energy(energies: Sequence[Array], names: Sequence[str], least: float, reached: bool = True) -> Array:
    """The largest of what passes each plane without objects. reached: whether pulses have anything at its frequencies.
    Raises ProblemError if that stays below ``least``."""
    found = np.max(np.abs(energies), axis=0)
    if not found.max() > least:
        why = "place it inside of the plane wave's box, in the beam, or let it measure power"
        if not reached:
            why = "the sources have nothing at its wavelengths. Measure where they have, or give them a shorter pulse"
        raise ProblemError(f"Nothing comes to '{names[0]}' without objects: {why}.")
    return np.asarray(found)
