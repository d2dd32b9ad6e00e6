"""What a monitor samples: blocks of places of one component, and the rectangles whose flux is measured.

On a rectangle across axis a, with p < q the two other axes, E_p and H_q stand together at the halves of p and the nodes
of q, and E_q and H_p at the nodes of p and the halves of q; H, half a cell before and behind, is interpolated to the
plane. The flux ``½ Re Σ (E_p H_q* − E_q H_p*) ΔA``, with half a weight on the rectangle's edges, is then the one of the
discrete Poynting theorem: between two closed surfaces without loss it differs by rounding alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.sums.rows import Entry

AXES = "xyz"


@dataclass(frozen=True)
class Block:
    """Places ``low … low + counts − 1`` (x, y, z; x fastest) of a component of E or H.

    neighbour: how far from each place, in places, a second one is, of weight ``part``; 0 and 0.0 where there is none
    """

    electric: bool
    component: int
    low: tuple[int, int, int]
    counts: tuple[int, int, int]
    neighbour: int = 0
    part: float = 0.0

    @property
    def size(self) -> int:
        return self.counts[0] * self.counts[1] * self.counts[2]

    def row(self, yee: Yee, start: int) -> list[int]:
        """As the kernels read it (``Entry``); ``start``: where its values begin among the samples."""
        _, ny, row = yee.shape
        entries = {
            Entry.ELECTRIC: int(self.electric), Entry.PLACE: yee.place(self.component, *self.low),
            Entry.NEXT_Y: row, Entry.NEXT_Z: row * ny,
            Entry.COUNT_X: self.counts[0], Entry.COUNT_Y: self.counts[1], Entry.COUNT_Z: self.counts[2],
            Entry.NEIGHBOUR: self.neighbour, Entry.START: start,
        }  # fmt: skip
        return [entries[entry] for entry in Entry]


@dataclass(frozen=True)
class Rectangle:
    """Nodes ``low … high`` of axes p < q, at ``node`` of ``axis``; sign: of the direction that counts as positive.

    part: weight of H behind (the half ``node``) in H on the plane; before: where H before it is, in places
    """

    axis: int
    node: int
    low: tuple[int, int]
    high: tuple[int, int]
    sign: int
    part: float
    before: int

    @property
    def across(self) -> tuple[int, int]:
        p, q = (axis for axis in range(3) if axis != self.axis)
        return p, q

    @property
    def orientation(self) -> int:
        """ε_apq: the flux along the axis is this times ``E_p H_q* − E_q H_p*``."""
        return -1 if self.axis == 1 else 1

    @property
    def counts(self) -> tuple[int, int]:
        """Nodes along p and q."""
        return self.high[0] - self.low[0] + 1, self.high[1] - self.low[1] + 1

    @property
    def size(self) -> int:
        return self.counts[0] * self.counts[1]

    def blocks(self) -> tuple[Block, Block, Block, Block]:
        """E_p, H_q, E_q, H_p, each (nodes of q, nodes of p); the last half of each row or column is not used."""
        p, q = self.across
        low, counts = [0, 0, 0], [1, 1, 1]
        low[self.axis] = self.node
        for axis, a, n in zip((p, q), self.low, self.counts, strict=True):
            low[axis], counts[axis] = a, n
        at, many = (low[0], low[1], low[2]), (counts[0], counts[1], counts[2])
        magnetic = (self.before, 1.0 - self.part)
        return (
            Block(True, p, at, many), Block(False, q, at, many, *magnetic),
            Block(True, q, at, many), Block(False, p, at, many, *magnetic),
        )  # fmt: skip

    def widths(self, yee: Yee) -> tuple[Array, Array, Array, Array]:
        """(Δ of halves of p, of q, then around nodes of p, of q) [length unit]; the last half, beyond, has 0."""
        cells, around = [], []
        for axis, low, high in zip(self.across, self.low, self.high, strict=True):
            nodes = yee.nodes(axis)[low : high + 1]
            steps = np.diff(nodes)
            cells.append(np.append(steps, 0.0))
            around.append(0.5 * (np.append(steps, 0.0) + np.append(0.0, steps)))
        return cells[0], cells[1], around[0], around[1]


def rectangle(
    yee: Yee, axes: Sequence[Axis], axis: int, node: int, low: Sequence[int], high: Sequence[int], sign: int = 1
) -> Rectangle:
    """low, high: nodes along x, y, z; those along ``axis`` are of no account."""
    halves, at = yee.halves(axis), yee.nodes(axis)[node]
    n = yee.counts[axis]
    stride = (1, yee.row, yee.row * yee.shape[1])[axis]
    if 0 < node < n:
        part, before = float((at - halves[node - 1]) / (halves[node] - halves[node - 1])), -stride
    else:  # the node where a periodic axis begins and ends: the halves n − 1 and 0
        part, before = 0.5, (n - 1) * stride if node == 0 else -stride
        if node == n:
            raise ValueError("node n of a periodic axis is node 0")
    p, q = (each for each in range(3) if each != axis)
    return Rectangle(axis, node, (low[p], low[q]), (high[p], high[q]), sign, part, before)


def inner_nodes(yee: Yee, axes: Sequence[Axis], name: str, low: Sequence[float], high: Sequence[float]) -> Array:
    """(3, 2) int: the nodes nearest to the corners, brought to where absorbing layers begin. Raises ProblemError."""
    found = np.zeros((3, 2), int)
    for d, axis in enumerate(axes):
        nodes = yee.nodes(d)
        if yee.flat[d]:  # nothing varies there: all of the one cell
            found[d] = 0, axis.n
            continue
        if low[d] > high[d]:
            raise ProblemError(f"Monitor '{name}': its lowest corner lies above its highest along {AXES[d]}.")
        if high[d] < nodes[0] or low[d] > nodes[-1]:
            raise ProblemError(f"Monitor '{name}' lies outside of the grid along {AXES[d]}: move it inside.")
        ends = [min(max(yee.node_at(d, x), axis.clear[0]), axis.clear[1]) for x in (low[d], high[d])]
        if ends[0] == ends[1]:
            raise ProblemError(
                f"Monitor '{name}' has no cell along {AXES[d]} between the absorbing layers: make it larger, "
                f"between {nodes[axis.clear[0]]:g} and {nodes[axis.clear[1]]:g}."
            )
        found[d] = ends
    return found


def plane_node(yee: Yee, axes: Sequence[Axis], name: str, d: int, position: float) -> int:
    """The node of axis d nearest to a plane. Raises ProblemError for one outside, on a wall or in a layer."""
    axis, nodes = axes[d], yee.nodes(d)
    if yee.flat[d]:
        raise ProblemError(f"Monitor '{name}': nothing goes along {AXES[d]} here: place it across another axis.")
    if not nodes[0] <= position <= nodes[-1]:
        raise ProblemError(
            f"Monitor '{name}' at {AXES[d]} = {position:g} lies outside of the grid: "
            f"place it between {nodes[0]:g} and {nodes[-1]:g}."
        )
    node = yee.node_at(d, position)
    if axis.wraps:
        return node % axis.n
    first, last = max(axis.clear[0], 1), min(axis.clear[1], axis.n - 1)
    if not first <= node <= last:
        what = "in the absorbing layer" if axis.clear != (0, axis.n) else "on the wall"
        raise ProblemError(
            f"Monitor '{name}' at {AXES[d]} = {position:g} lies {what}: "
            f"place it between {nodes[first]:g} and {nodes[last]:g}."
        )
    return node


def box_rectangles(
    yee: Yee, axes: Sequence[Axis], name: str, low: Sequence[float], high: Sequence[float],
    walls: Collection[tuple[int, int]] = (),
) -> list[Rectangle]:  # fmt: skip
    """The faces of a box, outwards; a periodic axis that it fills has none. Raises ProblemError.

    walls: (axis, end) of the grid's faces that let no power through, PEC and PMC; a box that ends there needs no face
    """
    open_ends = {
        (d, end) for d, end in walls if yee.node_at(d, (low, high)[end][d]) == (0, axes[d].n)[end]
    }  # fmt: skip
    for d in range(3):
        full = yee.flat[d] or (axes[d].wraps and low[d] <= yee.nodes(d)[0] and high[d] >= yee.nodes(d)[-1])
        for end, corner in enumerate((low, high)):
            if not full and (d, end) not in open_ends:
                plane_node(yee, axes, name, d, corner[d])
    ends = inner_nodes(yee, axes, name, low, high)
    found = []
    for d, axis in enumerate(axes):
        if axis.wraps and tuple(ends[d]) == (0, axis.n):
            continue
        for end, (node, sign) in enumerate(zip(ends[d], (-1, 1), strict=True)):
            if (d, end) in open_ends:
                continue
            at = int(node) % axis.n if axis.wraps else int(node)
            found.append(rectangle(yee, axes, d, at, ends[:, 0].tolist(), ends[:, 1].tolist(), sign))
    if not found:
        raise ProblemError(f"Monitor '{name}' fills a grid without an open face: make it smaller.")
    return found
