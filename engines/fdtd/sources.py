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
from engines.errors import ProblemError
from engines.fdtd.boundaries import Axis, Face, make_axes
from engines.fdtd.materials import Media, Medium
from engines.fdtd.waveforms import Waveform
from engines.fdtd.yee import METRES, SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee

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
    waveform: Waveform


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
    waveform: Waveform
    margin: int = 4
    mirrors: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


@dataclass(frozen=True)
class Entries:
    """places: (n,) int64 in a field of (3, …), ascending; weights: (n,) float64; slots: (n,) int32 of the signals."""

    places: Array
    weights: Array
    slots: Array


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
    of the step (currents), else at its end (E at the head of a line). count: signals in all
    """

    electric: Entries
    magnetic: Entries
    lines: tuple[Line, ...]
    drives: tuple[tuple[float, Waveform, int, bool], ...]
    count: int

    def table(self, step: int, steps: int, dt: float) -> Array:
        """(steps, drives) of the values for steps ``step`` … with times from the integer step, float64."""
        values = np.empty((steps, len(self.drives)))
        at = np.arange(step, step + steps)
        for n, (amplitude, waveform, _, half) in enumerate(self.drives):
            values[:, n] = amplitude * waveform.at((at + (0.5 if half else 1.0)) * dt)
        return values


def make_sources(
    yee: Yee, axes: Sequence[Axis], media: Media, around: Medium, dt: float, unit: str,
    dipoles: Sequence[Dipole], waves: Sequence[PlaneWave],
) -> Sources:  # fmt: skip
    """Raises ProblemError for sources in an absorbing layer or without room."""
    electric: list[tuple[Array, Array, Array]] = []
    magnetic: list[tuple[Array, Array, Array]] = []
    drives: list[tuple[float, Waveform, int, bool]] = []
    count = 0
    for number, dipole in enumerate(dipoles, 1):
        places, weights = _dipole(yee, axes, media, dipole, unit, number)
        electric.append((places, weights, np.full(len(places), count)))
        drives.append((1.0, dipole.waveform, count, True))
        count += 1
    lines = []
    for wave in waves:
        line, of_e, of_h = _wave(yee, axes, media, around, wave, dt, count)
        lines.append(line)
        electric += of_e
        magnetic += of_h
        drives.append((wave.amplitude, wave.waveform, count, False))
        count += 2 * (line.n + 1)
    return Sources(_joined(electric), _joined(magnetic), tuple(lines), tuple(drives), count)


def _joined(parts: Sequence[tuple[Array, Array, Array]]) -> Entries:
    if not parts:
        return Entries(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int32))
    places, weights, slots = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(places, kind="stable")
    return Entries(places[order].astype(np.int64), weights[order], slots[order].astype(np.int32))


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
                places = _place(yee, q, *(each[there] for each in at))
                ids = 0 if media.ids_h is None else media.ids_h.reshape(-1)[places]
                curl = _permutation(q, d, c) * sign * axes[d].inverse_h[at[d][there]]
                parts.append((places, -media.db[ids] * curl * weights[there], slots[there]))
    return _joined(parts)


def _place(yee: Yee, component: int, i: Array, j: Array, k: Array) -> Array:
    nz, ny, row = yee.shape
    return np.asarray(((component * nz + k) * ny + j) * row + i)


def _twins(index: int, axis: Axis) -> tuple[int, ...]:
    """The places that node ``index`` has: two at the ends of a periodic axis."""
    return (0, axis.n) if axis.wraps and index in (0, axis.n) else (index,)


def _dipole(
    yee: Yee, axes: Sequence[Axis], media: Media, dipole: Dipole, unit: str, number: int
) -> tuple[Array, Array]:
    at: list[tuple[int, ...]] = []
    widths = []
    for d, axis in enumerate(axes):
        x, nodes = dipole.place[d], yee.nodes(d)
        if yee.flat[d]:
            at.append((0,) if d == dipole.axis else (0, 1))
            widths.append(yee.spacing[d])
            continue
        if not nodes[0] <= x <= nodes[-1]:
            raise ProblemError(f"Point source {number} lies outside of the grid along {'xyz'[d]}: move it inside.")
        low, high = (nodes[node] for node in axis.clear)
        if not low <= x <= high:
            raise ProblemError(
                f"Point source {number} lies in the absorbing layer of {'xyz'[d]}: "
                f"place it between {low:g} and {high:g}."
            )
        along = d == dipole.axis
        index = yee.cell_at(d, x) if along else yee.node_at(d, x)
        at.append((index,) if along else _twins(index, axis))
        widths.append(yee.sizes(d)[index] if along else yee.around(d, axis.wraps)[index])
    places = np.array([_place(yee, dipole.axis, *map(np.asarray, each)) for each in itertools.product(*at)])
    ids = media.ids_e.reshape(-1)[places]
    if (media.cb[ids] == 0).any():
        raise ProblemError(f"Point source {number} stands on a perfect conductor: move it by a cell.")
    # E loses Δt J/(ε₀ ε_r), J = I l/volume [A/m²]; lengths to metres
    metre = METRES[unit]
    current = dipole.moment * metre / (np.prod(widths) * metre**3)
    return places, -media.cb[ids] * yee.smallest * metre * VACUUM_IMPEDANCE * current


def _box(yee: Yee, axes: Sequence[Axis], wave: PlaneWave) -> list[tuple[int, int]]:
    """Nodes of the total-field box along x, y, z. Raises ProblemError."""
    found = []
    for d, axis in enumerate(axes):
        if axis.phase:
            raise ProblemError(
                f"A plane wave has no phase along {'xyz'[d]}: use periodic faces there, or a point source."
            )
        if axis.wraps and d != wave.axis:
            found.append((0, axis.n))
            continue
        if yee.flat[d]:
            raise ProblemError(f"Nothing goes along {'xyz'[d]} here: choose another direction of the plane wave.")
        if axis.wraps:
            raise ProblemError(
                f"A plane wave along {'xyz'[d]} needs faces of {'xyz'[d]} that are not periodic: use CPML."
            )
        low = 0 if d in wave.mirrors[0] else axis.clear[0] + wave.margin
        high = axis.n if d in wave.mirrors[1] else axis.clear[1] - wave.margin
        if high - low < 2:
            raise ProblemError(
                f"The box of the plane wave has no room along {'xyz'[d]}: use more cells, or a smaller margin."
            )
        found.append((low, high))
    return found


def _sides(box: Sequence[tuple[int, int]], axis: int, wave: PlaneWave) -> list[tuple[int, int]]:
    """(node, ±1 inward) of the faces of the box across ``axis`` that are no mirrors."""
    ends = zip(box[axis], (1, -1), wave.mirrors, strict=True)
    return [(end, inward) for end, inward, mirrors in ends if axis not in mirrors]


def _permutation(a: int, b: int, c: int) -> int:
    """Levi-Civita's symbol."""
    return (b - a) * (c - a) * (c - b) // 2


def _wave(
    yee: Yee, axes: Sequence[Axis], media: Media, around: Medium, wave: PlaneWave, dt: float, first: int
) -> tuple[Line, list[tuple[Array, Array, Array]], list[tuple[Array, Array, Array]]]:
    a, p = wave.axis, wave.polarization
    if a == p:
        raise ProblemError(f"A plane wave along {'xyz'[a]} has its field across that: choose another polarization.")
    q = 3 - a - p
    box = _box(yee, axes, wave)
    sign = (1 if wave.forward else -1) * _permutation(a, p, q)
    line = _line(yee, around, box[a], wave, dt, first)
    hs = first + line.n + 1

    def node(index: Array) -> Array:
        """Slot of E at nodes along the wave's axis."""
        return first + (index - box[a][0] + LEAD if wave.forward else box[a][1] + LEAD - index)

    def half(index: Array) -> Array:
        return hs + (index - box[a][0] + LEAD if wave.forward else box[a][1] + LEAD - 1 - index)

    def entries(
        electric: bool, component: int, ranges: dict[int, Array], d: int, partner: int, value: float, slot: Array
    ) -> tuple[Array, Array, Array]:
        """``component`` over ``ranges``: the term ∂_d partner of its curl gains ``value · signal``."""
        grid = np.meshgrid(*(ranges[axis] for axis in range(3)), indexing="ij")
        i, j, k = (each.reshape(-1) for each in grid)
        places = _place(yee, component, i, j, k)
        index = (i, j, k)[d]
        axis = axes[d]
        curl = _permutation(component, d, partner)
        if electric:
            weights = curl * media.cb[media.ids_e.reshape(-1)[places]] * axis.inverse_e[index]
        else:
            ids = 0 if media.ids_h is None else media.ids_h.reshape(-1)[places]
            weights = -curl * media.db[ids] * axis.inverse_h[index]
        return places, weights * value, slot[(i, j, k)[a]]

    reach = max(axis.n for axis in axes) + 1
    node_slots, half_slots = node(np.arange(reach)), half(np.arange(reach))
    nodes = {d: np.arange(box[d][0], box[d][1] + 1) for d in range(3)}
    halves = {d: np.arange(box[d][0], box[d][1]) for d in range(3)}
    electric, magnetic = [], []
    shifted = half(np.arange(reach) - 1)
    for end, inward in ((box[a][0], 1), (box[a][1], -1)):
        # E on the box's face along the wave takes H from outside of the box
        beyond = shifted if inward > 0 else half_slots
        face = {a: np.array([end]), p: halves[p], q: nodes[q]}
        electric.append(entries(True, p, face, a, q, -inward * sign, beyond))
        # H just outside takes E from the face
        face[a] = np.array([end - 1 if inward > 0 else end])
        on_face = np.full(reach, node_slots[end])
        magnetic.append(entries(False, q, face, a, p, -inward, on_face))
    if not axes[p].wraps:
        for end, inward in _sides(box, p, wave):
            face = {a: halves[a], p: np.array([end]), q: nodes[q]}
            electric.append(entries(True, a, face, p, q, -inward * sign, half_slots))
    if not axes[q].wraps:
        for end, inward in _sides(box, q, wave):
            face = {a: nodes[a], p: halves[p], q: np.array([end - 1 if inward > 0 else end])}
            magnetic.append(entries(False, a, face, q, p, -inward, node_slots))
    return line, electric, magnetic


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
    axis = make_axes(alone, [(wall, end), (side, side), (side, side)], dt, around.index)[0]
    courant = SPEED_OF_LIGHT * dt / alone.smallest
    return Line(first, n, axis, courant / around.permittivity, courant / around.permeability)
