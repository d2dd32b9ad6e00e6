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
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import METRES, SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee
from engines.fdtd.media.materials import Media, widened
from engines.fdtd.sources.currents import Entries, Sources
from engines.fdtd.sources.waveforms import TimeCourse


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
    """In two dimensions a gap is one unit of length wide, or long.

    Raises ProblemError for ports in absorbing layers, on walls, in conductors, and on a line.
    """
    a, b, c = port.axis, (port.axis + 1) % 3, (port.axis + 2) % 3
    if yee.flat[1]:
        raise ProblemError(f"Port {number} has nothing around it on a line: use two or three dimensions.")
    flat = yee.flat[a]
    first = 0 if flat else yee.node_at(a, port.place[a])
    last = 1 if flat else max(first + 1, yee.node_at(a, port.place[a] + port.length))
    nodes = {axis: yee.nodes(axis) for axis in range(3)}
    index = {axis: 0 if yee.flat[axis] else yee.node_at(axis, port.place[axis]) for axis in (b, c)}
    before = {axis: 0 if yee.flat[axis] else index[axis] - 1 for axis in (b, c)}
    for axis, begin, end in ((a, first, last), (b, before[b], index[b] + 1), (c, before[c], index[c] + 1)):
        low, high = axes[axis].clear
        if begin < low or end > high:
            raise ProblemError(
                f"Port {number} lies on a wall or in an absorbing layer of {'xyz'[axis]}: "
                f"place it between {nodes[axis][low]:g} and {nodes[axis][high]:g}, a cell away from both."
            )

    def place(component: int, at: dict[int, int]) -> int:
        return int(yee.place(component, at[0], at[1], at[2]))

    electric = np.array([place(a, {a: half, **index}) for half in range(first, last)])
    if (media.cb[media.ids_e.reshape(-1)[electric]] == 0).any():
        raise ProblemError(f"The gap of port {number} is filled by a perfect conductor: leave it open.")
    wide_b, wide_c = (float(yee.around(axis, axes[axis].wraps)[index[axis]]) for axis in (b, c))
    middle = {a: (first + last - 1) // 2, **index}
    # around axis a, from b to c: H_c on the far side of b, less that on the near side, and H_b the other way round
    magnetic = [
        place(c, middle), place(c, {**middle, b: before[b]}),
        place(b, middle), place(b, {**middle, c: before[c]}),
    ]  # fmt: skip
    circulation = np.array([wide_c, -wide_c, -wide_b, wide_b])
    return Gap(electric, np.diff(nodes[a][first : last + 1]), wide_b * wide_c, np.array(magnetic), circulation)


def with_resistors(yee: Yee, media: Media, gaps: Sequence[Gap], ports: Sequence[Port], dt: float) -> Media:
    """``media`` whose edges in the gaps conduct; ids become 16 bits wide if there is no number left for them.

    With D = cΔt/(Δ cb) and N = ca D, the denominator and numerator of ca, a conductivity takes σΔt/2ε₀ from N and gives
    it to D, whatever else is in them.
    """
    media = replace(
        media, ids_e=media.ids_e.copy(), ca=media.ca.copy(), cb=media.cb.copy(), permittivity=media.permittivity.copy()
    )
    if media.dispersion is not None:
        media = replace(media, dispersion=replace(media.dispersion, beta=media.dispersion.beta.copy()))
    used = int(np.flatnonzero(media.permittivity).max()) + 1
    courant = SPEED_OF_LIGHT * dt / yee.smallest
    made: dict[tuple[int, float], int] = {}
    for gap, port in zip(gaps, ports, strict=True):
        conductance = len(gap.electric) / port.resistance
        for at, length in zip(gap.electric, gap.lengths, strict=True):
            mixture = int(media.ids_e.reshape(-1)[at])
            # σΔt/2ε₀ of σ in S per length unit
            extra = float(0.5 * conductance * length / gap.area * VACUUM_IMPEDANCE * SPEED_OF_LIGHT * dt)
            if (mixture, extra) not in made:
                if used == len(media.ca):
                    media = widened(media)
                divisor = courant / media.cb[mixture]
                media.ca[used] = (media.ca[mixture] * divisor - extra) / (divisor + extra)
                media.cb[used] = courant / (divisor + extra)
                media.permittivity[used] = media.permittivity[mixture]
                if media.dispersion is not None:
                    media.dispersion.beta[:, used] = media.dispersion.beta[:, mixture]
                made[mixture, extra] = used
                used += 1
            media.ids_e.reshape(-1)[at] = made[mixture, extra]
    return media


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
