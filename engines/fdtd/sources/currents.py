"""Sources as lists of places: what each step adds to E and to H, and the line that a plane wave travels on.

Each entry adds ``weight · signal[slot]`` to one place. The signals of a point source are its waveform; those of a plane
wave are E and H on a line of its own (a Yee grid of one dimension with the same step and spacing), so that the wave in
the total-field box and the wave on the line are the same numbers and nothing leaks but rounding (Taflove and Hagness,
ch. 5). A line ends in a CPML.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis, Face, make_axes
from engines.fdtd.grid.yee import METRES, SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee
from engines.fdtd.media.materials import Media, Medium
from engines.fdtd.sources.beams import beam_profile
from engines.fdtd.sources.incident import Entries, Incident, Part, Range, face_entries, joined, permutation
from engines.fdtd.sources.modes import mode_profile
from engines.fdtd.sources.oblique import TAPS, ObliqueLine, ObliqueWave, OnLine, check_open, make_line
from engines.fdtd.sources.sheets import (
    Beam,
    ModeLaunch,
    OnSheet,
    across,
    check_empty,
    open_range,
    sheet_node,
    window_of,
)
from engines.fdtd.sources.waveforms import Ahead, TimeCourse, band_of

LINE_END = 40
"""Cells of the CPML at the end of a line: four times as many as a face has, so that the line is not what one sees."""
LEAD = 2
"""Nodes of a line between its source and the box."""


@dataclass(frozen=True)
class Dipole:
    """A point current of moment ``I l`` [A · length unit] along an axis (0, 1, 2), at a place [length unit]."""

    place: tuple[float, float, float]
    axis: int
    moment: float
    waveform: TimeCourse


@dataclass(frozen=True)
class PlaneWave:
    """E of ``amplitude`` [V/m] along ``polarization``, travelling along ±``axis``, inside of the total-field box.

    margin: cells between the absorbing layers (or walls) and the box; it fills a periodic axis
    mirrors: the axes whose low and whose high face is a mirror of the wave itself, up to which the box reaches
    """

    axis: int
    forward: bool
    polarization: int
    amplitude: float
    waveform: TimeCourse
    margin: int = 4
    mirrors: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


@dataclass(frozen=True)
class Line:
    """The line of one plane wave: signals ``first … first + n`` are its E, the next ``n + 1`` its H.

    inverse_e … c_h: (n + 1,) as in :class:`Axis`; cb, db: of the medium around
    """

    first: int
    n: int
    axis: Axis
    cb: float
    db: float


@dataclass(frozen=True)
class Sources:
    """All that drives a problem.

    drives: (amplitude, waveform, slot, half), whose value goes to ``signals[slot]`` each step: ``half`` at the middle
    of the step (currents, H of sheets), else at its end (E of sheets and at the head of a line). count: signals in all
    """

    electric: Entries
    magnetic: Entries
    lines: tuple[Line, ...]
    drives: tuple[Drive, ...]
    count: int
    oblique: tuple[ObliqueLine, ...] = ()

    def table(self, step: int, steps: int, dt: float) -> Array:
        """(steps, drives) of the values for steps ``step`` … with times from the integer step, float64."""
        values = np.empty((steps, len(self.drives)))
        at = np.arange(step, step + steps)
        for n, (amplitude, waveform, _, half) in enumerate(self.drives):
            values[:, n] = amplitude * waveform.at((at + (0.5 if half else 1.0)) * dt)
        return values


Drive = tuple[float, "TimeCourse | Ahead", int, bool]


class _Assembly:
    """Entries and drives as one source after the other adds its own."""

    def __init__(self) -> None:
        self.electric: list[Part] = []
        self.magnetic: list[Part] = []
        self.drives: list[Drive] = []
        self.count = 0

    def faces(
        self, yee: Yee, axes: Sequence[Axis], media: Media, box: Sequence[Range], across: Sequence[int], wave: Incident,
        mirrors: Sequence[Sequence[int]] = ((), ()),
    ) -> None:  # fmt: skip
        """Both faces of a total-field box across each of these axes, but those (low, high) that are mirrors."""
        for d in across:
            for high in (False, True):
                if d not in mirrors[high]:
                    self.face(yee, axes, media, box, d, high, wave)

    def face(
        self, yee: Yee, axes: Sequence[Axis], media: Media, box: Sequence[Range], d: int, high: bool, wave: Incident
    ) -> None:
        electric, magnetic = face_entries(yee, axes, media, box, d, high, wave)
        self.electric += electric
        self.magnetic += magnetic


def make_sources(
    yee: Yee, axes: Sequence[Axis], media: Media, around: Medium, dt: float, unit: str,
    dipoles: Sequence[Dipole], waves: Sequence[PlaneWave], oblique: Sequence[ObliqueWave] = (),
    beams: Sequence[Beam] = (), launches: Sequence[ModeLaunch] = (),
) -> Sources:  # fmt: skip
    """Raises ProblemError for sources in an absorbing layer or without room, and for guides without the mode."""
    made = _Assembly()
    for number, dipole in enumerate(dipoles, 1):
        places, weights = _dipole(yee, axes, media, dipole, unit, number)
        made.electric.append((places, weights, np.full(len(places), made.count)))
        made.drives.append((1.0, dipole.waveform, made.count, True))
        made.count += 1
    lines = []
    for wave in waves:
        if wave.axis == wave.polarization:
            raise ProblemError(
                f"A plane wave along {'xyz'[wave.axis]} has its field across that: choose another polarization."
            )
        box = total_field_box(yee, axes, wave.margin, wave.axis, wave.mirrors)
        line = _line(yee, around, box[wave.axis], wave, dt, made.count)
        lines.append(line)
        open_axes = [d for d in range(3) if not axes[d].wraps]
        made.faces(yee, axes, media, box, open_axes, _OnAxis(line, wave, box[wave.axis]), wave.mirrors)
        made.drives.append((wave.amplitude, wave.waveform, made.count, False))
        made.count += 2 * (line.n + 1)
    long = []
    for tilted in oblique:
        check_open(yee, [axis.wraps for axis in axes], tilted)
        box = total_field_box(yee, axes, tilted.margin)
        row, origin = make_line(yee, around, tilted, box, dt, made.count)
        long.append(row)
        open_axes = [d for d in range(3) if not axes[d].wraps]
        made.faces(yee, axes, media, box, open_axes, OnLine(row, origin))
        for tap in range(TAPS):
            shifted = Ahead(tilted.waveform, (tap - TAPS // 2) * dt)
            made.drives.append((tilted.amplitude, shifted, made.count + tap, False))
        made.count += row.size
    for number, beam in enumerate(beams, 1):
        _sheet(made, yee, axes, media, around, dt, beam, f"Beam {number}")
    for number, launch in enumerate(launches, 1):
        _sheet(made, yee, axes, media, around, dt, launch, f"Mode source {number}")
    return Sources(
        joined(made.electric), joined(made.magnetic), tuple(lines), tuple(made.drives), made.count, tuple(long)
    )


def induced(yee: Yee, axes: Sequence[Axis], media: Media, electric: Entries) -> Entries:
    """What entries of E, had they been added before H took its step, would have changed of H in that step.

    H loses ``db curl E``, and each E stands in the curl at the halves beside its node along either axis across it.
    """
    nz, ny, row = yee.shape
    component, rest = np.divmod(electric.places, nz * ny * row)
    k, rest = np.divmod(rest, ny * row)
    j, i = np.divmod(rest, row)
    parts = []
    for c in range(3):
        chosen = component == c
        index = [each[chosen] for each in (i, j, k)]
        weights, slots = electric.weights[chosen], electric.slots[chosen]
        for d in ((c + 1) % 3, (c + 2) % 3):
            q = 3 - c - d
            for beside, sign in ((0, -1), (-1, 1)):
                at = list(index)
                at[d] = index[d] + beside
                there = (at[d] >= 0) & (at[d] < axes[d].n)
                places = yee.place(q, *(each[there] for each in at))
                ids = 0 if media.ids_h is None else media.ids_h.reshape(-1)[places]
                curl = permutation(q, d, c) * sign * axes[d].inverse_h[at[d][there]]
                parts.append((places, -media.db[ids] * curl * weights[there], slots[there]))
    return joined(parts)


def _sheet(
    made: _Assembly, yee: Yee, axes: Sequence[Axis], media: Media, around: Medium, dt: float,
    sheet: Beam | ModeLaunch, what: str,
) -> None:  # fmt: skip
    """One face of a box that reaches over the sheet's window."""
    s = sheet.axis
    if isinstance(sheet, Beam):
        node = sheet_node(yee, axes, s, sheet.sheet, what)
        box = [open_range(axis) for axis in axes]
        check_empty(media, around, s, node, box, what)
        profile = beam_profile(yee, axes, around, sheet, node, box, dt, what)
    else:
        node = sheet_node(yee, axes, s, sheet.place[s], what)
        box = window_of(yee, axes, sheet, what)
        profile = mode_profile(yee, axes, media, sheet, node, box, dt, what)
    box[s] = (node, node)
    first = across(s)
    slots = (made.count, made.count + 1, made.count + 2, made.count + 3)
    wave = OnSheet(profile, first, (box[first[0]][0], box[first[1]][0]), slots)
    made.face(yee, axes, media, box, s, not sheet.forward, wave)
    for slot, half in zip(slots, (False, False, True, True), strict=True):
        turned = (slot - made.count) % 2 == 1
        made.drives.append((1.0, Ahead(sheet.waveform, profile.advance if half else 0.0, turned), slot, half))
    made.count += 4


def _twins(index: int, axis: Axis) -> tuple[int, ...]:
    """The places that node ``index`` has: two at the ends of a periodic axis."""
    return (0, axis.n) if axis.wraps and index in (0, axis.n) else (index,)


def check_place(yee: Yee, axes: Sequence[Axis], dipole: Dipole, number: int) -> None:
    """Raises ProblemError for a point source outside of the grid or in an absorbing layer."""
    for d, axis in enumerate(axes):
        if yee.flat[d]:
            continue
        x, nodes = dipole.place[d], yee.nodes(d)
        if not nodes[0] <= x <= nodes[-1]:
            raise ProblemError(f"Point source {number} lies outside of the grid along {'xyz'[d]}: move it inside.")
        low, high = nodes[list(axis.clear)]
        if not low <= x <= high:
            raise ProblemError(
                f"Point source {number} lies in the absorbing layer of {'xyz'[d]}: "
                f"place it between {low:g} and {high:g}."
            )


def _dipole(
    yee: Yee, axes: Sequence[Axis], media: Media, dipole: Dipole, unit: str, number: int
) -> tuple[Array, Array]:
    check_place(yee, axes, dipole, number)
    at: list[tuple[int, ...]] = []
    widths = []
    for d, axis in enumerate(axes):
        x = dipole.place[d]
        if yee.flat[d]:
            at.append((0,) if d == dipole.axis else (0, 1))
            widths.append(yee.spacing[d])
            continue
        along = d == dipole.axis
        index = yee.cell_at(d, x) if along else yee.node_at(d, x)
        at.append((index,) if along else _twins(index, axis))
        widths.append(yee.sizes(d)[index] if along else yee.around(d, axis.wraps)[index])
    places = np.array([yee.place(dipole.axis, *map(np.asarray, each)) for each in itertools.product(*at)])
    ids = media.ids_e.reshape(-1)[places]
    if (media.cb[ids] == 0).any():
        raise ProblemError(f"Point source {number} stands on a perfect conductor: move it by a cell.")
    # E loses Δt J/(ε₀ ε_r), J = I l/volume [A/m²]; lengths to metres
    metre = METRES[unit]
    current = dipole.moment * metre / (np.prod(widths) * metre**3)
    return places, -media.cb[ids] * yee.smallest * metre * VACUUM_IMPEDANCE * current


def total_field_box(
    yee: Yee, axes: Sequence[Axis], margin: int, along: int = -1, mirrors: Sequence[Sequence[int]] = ((), ())
) -> list[Range]:
    """Nodes of the total-field box along x, y, z; it fills periodic axes across ``along``. Raises ProblemError."""
    found = []
    for d, axis in enumerate(axes):
        if axis.phase:
            raise ProblemError(
                f"A plane wave has no phase along {'xyz'[d]}: use periodic faces there, or a point source."
            )
        if axis.wraps and d != along:
            found.append((0, axis.n))
            continue
        if yee.flat[d]:
            raise ProblemError(f"Nothing goes along {'xyz'[d]} here: choose another direction of the plane wave.")
        if axis.wraps:
            raise ProblemError(
                f"A plane wave along {'xyz'[d]} needs faces of {'xyz'[d]} that are not periodic: use CPML."
            )
        low = 0 if d in mirrors[0] else axis.clear[0] + margin
        high = axis.n if d in mirrors[1] else axis.clear[1] - margin
        if high - low < 2:
            raise ProblemError(
                f"The box of the plane wave has no room along {'xyz'[d]}: use more cells, or a smaller margin."
            )
        found.append((low, high))
    return found


class _OnAxis:
    """A :class:`Line` as what is known around a box."""

    def __init__(self, line: Line, wave: PlaneWave, box: Range) -> None:
        self._line, self._wave, self._box = line, wave, box

    def terms(self, electric: bool, component: int, i: Array, j: Array, k: Array) -> list[tuple[Array, Array]]:
        wave, (low, high) = self._wave, self._box
        a, p = wave.axis, wave.polarization
        q = 3 - a - p
        if component != (p if electric else q):
            return []
        index = (i, j, k)[a]
        place = index - low + LEAD if wave.forward else high + LEAD - index - (0 if electric else 1)
        first = self._line.first + (0 if electric else self._line.n + 1)
        sign = 1 if electric else (1 if wave.forward else -1) * permutation(a, p, q)
        return [(first + place, np.full(place.shape, float(sign)))]


def _line(yee: Yee, around: Medium, ends: tuple[int, int], wave: PlaneWave, dt: float, first: int) -> Line:
    """Its cells are those of the grid from before the box to behind it, the other way round for a wave that goes back;
    then come equal ones."""
    sizes = yee.sizes(wave.axis)
    cells = sizes[np.clip(np.arange(ends[0] - LEAD, ends[1] + LEAD), 0, len(sizes) - 1)]
    if not wave.forward:
        cells = cells[::-1]
    cells = np.concatenate([cells, np.full(LINE_END, cells[-1])])
    n, spacing = len(cells), float(cells.min())
    nodes = np.concatenate([[0.0], np.cumsum(cells)])
    graded = yee.lines[wave.axis] is not None
    alone = Yee((n, 1, 1), (spacing,) * 3, flat=(False, True, True), lines=(nodes if graded else None, None, None))
    wall, end, side = Face("PEC"), Face("CPML", LINE_END), Face("periodic")
    band = band_of([wave.waveform])
    axis = make_axes(alone, [(wall, end), (side, side), (side, side)], dt, around.index, band)[0]
    courant = SPEED_OF_LIGHT * dt / alone.smallest
    return Line(first, n, axis, courant / around.permittivity, courant / around.permeability)
