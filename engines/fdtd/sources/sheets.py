"""Sheets of electric and magnetic current that send a known field one way: beams and modes.

A sheet is one face of a total-field box: behind it stands the field that it sends, in front of it only what is
reflected. Across the sheet the field is that of the carrier, ``Re(profile · e^{iωt})``: a real part that follows the
waveform and an imaginary one that follows its quadrature. H, half a cell before the sheet, is ahead by half a cell's
phase. Two signals for E and two for H drive it all, however many places it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media, Medium
from engines.fdtd.sources.incident import Range
from engines.fdtd.sources.waveforms import TimeCourse

NAMES = "xyz"


@dataclass(frozen=True)
class Beam:
    """A Gaussian beam along ±``axis`` from a sheet at ``sheet``, of radius ``waist`` at ``focus`` [length unit].

    amplitude: E along ``polarization`` at the focus [V/m]
    """

    axis: int
    forward: bool
    sheet: float
    focus: tuple[float, float, float]
    waist: float
    polarization: int
    amplitude: float
    waveform: TimeCourse


@dataclass(frozen=True)
class ModeLaunch:
    """Mode ``number`` (from 1, by falling effective index) of the cross-section of ``size`` around ``place``, along
    ±``axis``; amplitude: its largest E across [V/m]."""

    axis: int
    forward: bool
    place: tuple[float, float, float]
    size: tuple[float, float, float]
    number: int
    amplitude: float
    waveform: TimeCourse


@dataclass(frozen=True)
class Profile:
    """What a sheet sends, at the carrier.

    fields: (electric, component) to complex128 over the sheet's window, first index the lower of the two axes across,
    from the window's first node or half on; advance: time by which H, half a cell before the sheet, is ahead
    """

    fields: dict[tuple[bool, int], Array]
    advance: float


@dataclass(frozen=True)
class OnSheet:
    """A :class:`Profile` as what is known on a face (:class:`engines.fdtd.sources.incident.Incident`).

    slots: of E in phase, E in quadrature, H in phase, H in quadrature
    """

    profile: Profile
    across: tuple[int, int]
    first: tuple[int, int]
    slots: tuple[int, int, int, int]

    def terms(self, electric: bool, component: int, i: Array, j: Array, k: Array) -> list[tuple[Array, Array]]:
        values = self.profile.fields.get((electric, component))
        if values is None:
            return []
        at = (i, j, k)
        found = values[at[self.across[0]] - self.first[0], at[self.across[1]] - self.first[1]]
        slots = self.slots[:2] if electric else self.slots[2:]
        return [
            (np.full(found.shape, slots[0]), np.ascontiguousarray(found.real)),
            (np.full(found.shape, slots[1]), -found.imag),
        ]


def across(axis: int) -> tuple[int, int]:
    """The two axes across, the lower one first."""
    first, second = (d for d in range(3) if d != axis)
    return first, second


def sheet_node(yee: Yee, axes: Sequence[Axis], axis: int, place: float, what: str) -> int:
    """The node of ``axis`` nearest to ``place``, with open cells on both sides. Raises ProblemError."""
    along, nodes = axes[axis], yee.nodes(axis)
    if along.wraps:
        raise ProblemError(f"{what} along {NAMES[axis]} needs faces of {NAMES[axis]} that are not periodic: use CPML.")
    low, high = along.clear[0] + 1, along.clear[1] - 1
    node = yee.node_at(axis, place)
    if not (nodes[0] <= place <= nodes[-1]) or not low <= node <= high:
        layer = "the absorbing layer of" if along.clear != (0, along.n) else "the wall of"
        raise ProblemError(
            f"{what} stands outside of the grid or in {layer} {NAMES[axis]}: "
            f"place it between {nodes[min(low, high)]:.4g} and {nodes[max(low, high)]:.4g}."
        )
    return node


def open_range(axis: Axis) -> Range:
    """Nodes between the absorbing layers."""
    return axis.clear


def window_of(yee: Yee, axes: Sequence[Axis], launch: ModeLaunch, what: str) -> list[Range]:
    """Nodes of a mode's window along x, y, z, as far as the absorbing layers leave it; all of a periodic axis. Raises
    ProblemError."""
    found = []
    for d, axis in enumerate(axes):
        low, high = open_range(axis)
        if d != launch.axis and not axis.wraps:
            low = max(low, yee.node_at(d, launch.place[d] - launch.size[d] / 2))
            high = min(high, yee.node_at(d, launch.place[d] + launch.size[d] / 2))
            if high - low < 2:
                raise ProblemError(
                    f"The window of {what[0].lower() + what[1:]} has no cells along {NAMES[d]} outside of the "
                    "absorbing layers: move it, or make it larger."
                )
        found.append((low, high))
    return found


def check_empty(media: Media, around: Medium, axis: int, node: int, box: Sequence[Range], what: str) -> None:
    """Raises ProblemError where something else than ``around`` lies on the sheet."""
    for component in across(axis):
        other = 3 - axis - component
        at: list[slice] = [slice(0)] * 3
        at[2 - axis] = slice(node, node + 1)
        at[2 - component] = slice(*box[component])
        at[2 - other] = slice(box[other][0] + 1, box[other][1])
        found = media.permittivity[media.ids_e[component][tuple(at)]]
        if found.size and np.abs(found - around.permittivity).max() > 1e-9:
            raise ProblemError(f"The sheet of {what[0].lower() + what[1:]} cuts through an object: move one of them.")


def carrier_of(waveform: TimeCourse, what: str) -> float:
    """Its carrier's angular frequency. Raises ProblemError for a waveform without one."""
    if not waveform.carrier:
        raise ProblemError(f"{what} needs a carrier, which this signal has not: use a pulse or a continuous wave.")
    return 2 * np.pi * waveform.carrier
