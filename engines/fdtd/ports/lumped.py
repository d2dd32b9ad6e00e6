"""Lumped ports: a resistive voltage source on the edges of a gap.

The source's current ``(V_s − V)/R`` flows along the gap. Its part ``V/R`` is a conductivity ``Δ/(R_edge A)`` of the
edges, so that it enters E's update half before and half after the step and stays stable for any R; ``V_s/R`` is a
current like a dipole's (Taflove and Hagness, ch. 15.10.1; Piket-May, doi 10.1109/22.297814). A is the area of an
edge's dual face, and a gap of n edges has R/n on each. An edge of its own resistance has a mixture of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from engines.errors import ProblemError
from engines.fdtd.boundaries import Axis
from engines.fdtd.materials import Media
from engines.fdtd.sources import Entries, Sources
from engines.fdtd.waveforms import TimeCourse
from engines.fdtd.yee import METRES, SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee


@dataclass(frozen=True)
class Port:
    """A gap from ``place`` [length unit] along ``axis`` (0, 1, 2); resistance [Ω], amplitude [V] of the source."""

    place: tuple[float, float, float]
    axis: int
    length: float
    resistance: float
    amplitude: float
    waveform: TimeCourse


@dataclass(frozen=True)
class Gap:
    """A port's edges on a grid.

    electric: (n,) places of E; lengths: (n,) of the edges [length unit]; area: of their dual faces [length unit²]
    magnetic: (4,) places of H around the middle edge; circulation: (4,) signed lengths [length unit]
    """

    electric: Array
    lengths: Array
    area: float
    magnetic: Array
    circulation: Array


def gap_of(yee: Yee, axes: Sequence[Axis], media: Media, port: Port, number: int) -> Gap:
    """Raises ProblemError for ports in absorbing layers, on walls, and in conductors."""
    a, b, c = port.axis, (port.axis + 1) % 3, (port.axis + 2) % 3
    first = yee.node_at(a, port.place[a])
    last = max(first + 1, yee.node_at(a, port.place[a] + port.length))
    nodes = {axis: yee.nodes(axis) for axis in range(3)}
    index = {b: yee.node_at(b, port.place[b]), c: yee.node_at(c, port.place[c])}
    for axis, begin, end in ((a, first, last), (b, index[b] - 1, index[b] + 1), (c, index[c] - 1, index[c] + 1)):
        low, high = axes[axis].clear
        if begin < low or end > high:
            raise ProblemError(
                f"Port {number} lies on a wall or in an absorbing layer of {'xyz'[axis]}: "
                f"place it between {nodes[axis][low]:g} and {nodes[axis][high]:g}, a cell away from both."
            )
    nz, ny, row = yee.shape

    def place(component: int, at: dict[int, int]) -> int:
        return ((component * nz + at[2]) * ny + at[1]) * row + at[0]

    electric = np.array([place(a, {a: half, **index}) for half in range(first, last)])
    if (media.cb[media.ids_e.reshape(-1)[electric]] == 0).any():
        raise ProblemError(f"The gap of port {number} is filled by a perfect conductor: leave it open.")
    halves_b, halves_c = yee.halves(b), yee.halves(c)
    wide_b = float(halves_b[index[b]] - halves_b[index[b] - 1])
    wide_c = float(halves_c[index[c]] - halves_c[index[c] - 1])
    middle = {a: (first + last - 1) // 2, **index}
    # around axis a, from b to c: H_c on the far side of b, less that on the near side, and H_b the other way round
    magnetic = [
        place(c, middle), place(c, {**middle, b: index[b] - 1}),
        place(b, middle), place(b, {**middle, c: index[c] - 1}),
    ]  # fmt: skip
    circulation = np.array([wide_c, -wide_c, -wide_b, wide_b])
    return Gap(electric, np.diff(nodes[a][first : last + 1]), wide_b * wide_c, np.array(magnetic), circulation)


def with_resistors(media: Media, gaps: Sequence[Gap], ports: Sequence[Port], dt: float) -> Media:
    """``media`` whose edges in the gaps conduct. Raises ProblemError where there is no number left for them."""
    ids, tables = media.ids_e.copy(), {name: getattr(media, name).copy() for name in ("ca", "cb", "permittivity")}
    used = int(np.flatnonzero(tables["permittivity"]).max()) + 1
    made: dict[tuple[int, float], int] = {}
    for gap, port in zip(gaps, ports, strict=True):
        conductance = len(gap.electric) / port.resistance
        for at, length in zip(gap.electric, gap.lengths, strict=True):
            mixture = int(ids.reshape(-1)[at])
            # σΔt/2ε, in S per length unit
            extra = 0.5 * conductance * length / gap.area * VACUUM_IMPEDANCE * SPEED_OF_LIGHT * dt
            extra /= tables["permittivity"][mixture]
            key = mixture, float(extra)
            if key not in made:
                if used == len(tables["ca"]):
                    raise ProblemError("There are too many materials for the ports: use fewer of either.")
                before = (1 - tables["ca"][mixture]) / (1 + tables["ca"][mixture])
                tables["ca"][used] = (1 - before - extra) / (1 + before + extra)
                tables["cb"][used] = tables["cb"][mixture] * (1 + before) / (1 + before + extra)
                tables["permittivity"][used] = tables["permittivity"][mixture]
                made[key] = used
                used += 1
            ids.reshape(-1)[at] = made[key]
    return replace(media, ids_e=ids, **tables)


def with_port_currents(
    sources: Sources, yee: Yee, media: Media, gaps: Sequence[Gap], ports: Sequence[Port], unit: str
) -> Sources:
    """``sources`` and the currents ``V_s/R`` of the ports; ``media`` are those with resistors."""
    metre = METRES[unit]
    entries, drives, count = sources.electric, list(sources.drives), sources.count
    for gap, port in zip(gaps, ports, strict=True):
        if port.amplitude == 0:
            continue
        density = port.amplitude / port.resistance / (gap.area * metre**2)  # [A/m²]
        weights = -media.cb[media.ids_e.reshape(-1)[gap.electric]] * yee.smallest * metre * VACUUM_IMPEDANCE * density
        entries = Entries(
            np.concatenate([entries.places, gap.electric]),
            np.concatenate([entries.weights, weights]),
            np.concatenate([entries.slots, np.full(len(weights), count)]),
        )
        drives.append((1.0, port.waveform, count, True))
        count += 1
    order = np.argsort(entries.places, kind="stable")
    entries = Entries(
        entries.places[order].astype(np.int64), entries.weights[order], entries.slots[order].astype(np.int32)
    )
    return replace(sources, electric=entries, drives=tuple(drives), count=count)
