"""Rule-based fibres and sheets by Laplace–Dirichlet problems.

The method is that of J. D. Bayer, R. C. Blake, G. Plank & N. A. Trayanova, "A novel rule-based algorithm for assigning
myocardial fiber orientation to computational heart models", Ann. Biomed. Eng. 40 (2012) 2243,
doi 10.1007/s10439-012-0593-5. Harmonic potentials φ_epi, φ_lv, φ_rv (1 on their surface, 0 on the other two) give the
directions across the wall, ψ (0 at the apex, 1 at the base) the one along it. In each cell the frames of left
endocardium, right endocardium and epicardium are turned by the helix angle α about the direction across the wall and
by the sheet angle β about the fibre, and blended by quaternions (the paper's bislerp).

Two things differ. The paper keeps the direction ∇ψ and makes the other one orthogonal to it; here the direction across
the wall is kept, so that fibres lie in the wall where the base bends ∇ψ. And the paper leaves φ_epi out of the angles
of the endocardial frames: α then goes with φ_epi² through the wall, and from +60° to −60° the frames to blend are
further apart than a right angle for φ_epi > 3/4, where bislerp takes the other way round and the fibres jump. Here all
frames have the angles of their depth, and α is linear in φ_epi.

As φ_epi + φ_lv + φ_rv = 1, two of these three are solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba as nb
import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.errors import ProblemError
from engines.backend.threads import in_turn
from engines.geometry.fibres.laplace import Laplace
from engines.geometry.fibres.walls import Walls
from engines.geometry.meshes.check import pieces
from engines.geometry.meshes.mesh import TetMesh

APEX_RADIUS = 0.02
"""Radius of the apex, where ψ is 0, as a part of the mesh's diagonal; in a single point it would have no meaning."""

BLOCK = 1024
"""Cells that share their scratch memory."""


@dataclass(frozen=True)
class Angles:
    """Helix angle α and sheet angle β at endocardium and epicardium [degrees]; defaults of Bayer et al. 2012 for β."""

    helix_endo: float = 60.0
    helix_epi: float = -60.0
    sheet_endo: float = -65.0
    sheet_epi: float = 25.0


@dataclass(frozen=True)
class RuleFibres:
    """Directions by rule.

    fibres, sheets: (n_cells, 3) float32 unit vectors, orthogonal to one another
    depth:  (n_cells,) float32, φ_epi: 0 at the endocardia, 1 at the epicardium
    right:  (n_cells,) float32, φ_rv / (φ_lv + φ_rv): 0 on the left side, 1 on the right
    helix:  (n_cells,) float32 [degrees] in −90..90: angle between fibre and circumference, seen from outside, in the
            septum from the right; positive where the fibre rises anticlockwise seen from the base
    lost:   (n_cells,) bool, where a potential is flat and some direction was chosen
    """

    fibres: Array
    sheets: Array
    depth: Array
    right: Array
    helix: Array
    lost: Array


class Potentials(NamedTuple):
    """In each cell: φ_lv and φ_rv, (n_cells,); their gradients and ∇ψ, (n_cells, 3); all float64."""

    lv: Array
    rv: Array
    slope_lv: Array
    slope_rv: Array
    along: Array


class Directions(NamedTuple):
    """What is written of each cell; as of :class:`RuleFibres`, but helix [rad]."""

    fibres: Array
    sheets: Array
    depth: Array
    right: Array
    helix: Array
    lost: Array


def rule_fibres(
    mesh: TetMesh, walls: Walls, angles: Angles, apex_radius: float | None = None, progress: Progress = no_progress
) -> RuleFibres:
    """Fibres of a mesh whose surfaces are known; ``apex_radius`` [mm]. Raises ProblemError."""
    _require_walls_in_every_piece(mesh, walls)
    progress("Assembling Laplace's equation", 0.05)
    laplace = Laplace(mesh)
    fixed = np.concatenate([walls.epi, walls.lv, walls.rv])

    def solve(message: str, fraction: float, points: Array, values: Array) -> tuple[Array, Array]:
        progress(message, fraction)
        solution = laplace.solve(points, values, lambda: progress(message, fraction))
        return laplace.at_cells(solution), laplace.gradients(solution)

    of_lv = np.repeat([0.0, 1.0, 0.0], [len(walls.epi), len(walls.lv), len(walls.rv)])
    lv, slope_lv = solve("Solving across the left wall", 0.2, fixed, of_lv)
    if len(walls.rv):
        of_rv = np.repeat([0.0, 0.0, 1.0], [len(walls.epi), len(walls.lv), len(walls.rv)])
        rv, slope_rv = solve("Solving across the right wall", 0.4, fixed, of_rv)
    else:
        rv, slope_rv = np.zeros_like(lv), np.zeros_like(slope_lv)
    if len(walls.base):
        apex = np.setdiff1d(_apex(mesh, walls, apex_radius), walls.base)
        ends = np.concatenate([apex, walls.base])
        _, along = solve("Solving from apex to base", 0.6, ends, np.repeat([0.0, 1.0], [len(apex), len(walls.base)]))
    else:
        along = np.tile(walls.axis.astype(float), (mesh.n_cells, 1))
    progress("Turning the frames", 0.85)
    np.clip(lv, 0.0, 1.0, out=lv)  # meshes with obtuse angles overshoot a little
    np.clip(rv, 0.0, 1.0, out=rv)
    fibres, sheets = np.empty((mesh.n_cells, 3), np.float32), np.empty((mesh.n_cells, 3), np.float32)
    depth, right, helix = (np.empty(mesh.n_cells, np.float32) for _ in range(3))
    lost = np.zeros(mesh.n_cells, np.bool_)
    directions = Directions(fibres, sheets, depth, right, helix, lost)
    turns = np.radians([angles.helix_endo, angles.helix_epi, angles.sheet_endo, angles.sheet_epi])
    _directions(Potentials(lv, rv, slope_lv, slope_rv, along), turns, directions)
    progress("Fibres are made", 1.0)
    return RuleFibres(fibres, sheets, depth, right, np.degrees(helix), lost)


def _apex(mesh: TetMesh, walls: Walls, radius: float | None) -> Array:
    """Points round the lowest one of the epicardium."""
    tip = mesh.points[walls.epi[(mesh.points[walls.epi] @ walls.axis).argmin()]]
    low, high = mesh.bounds
    within = APEX_RADIUS * float(np.linalg.norm(high - low)) if radius is None else radius
    distances = np.linalg.norm(mesh.points - tip, axis=1)
    return np.flatnonzero(distances <= max(within, float(distances.min())))


def _require_walls_in_every_piece(mesh: TetMesh, walls: Walls) -> None:
    """Raises ProblemError that names a piece of the mesh without both sides of a wall, and a cell of it."""
    for title, points in (("epicardium", walls.epi), ("left endocardium", walls.lv)):
        if not len(points):
            raise ProblemError(f"The {title} was found to be empty: choose the surfaces another way.")
    of_cell = pieces(mesh.n_points, mesh.cells)
    count = int(of_cell.max()) + 1
    if count == 1:
        return
    of_point = np.empty(mesh.n_points, np.int32)
    of_point[mesh.cells] = of_cell[:, None]
    outside = np.isin(np.arange(count), of_point[walls.epi])
    inside = np.isin(np.arange(count), of_point[np.concatenate([walls.lv, walls.rv])])
    bad = np.flatnonzero(~(outside & inside))
    if len(bad):
        cell = int(np.flatnonzero(of_cell == bad[0])[0])
        x, y, z = mesh.centers(np.array([cell]))[0]
        raise ProblemError(
            f"{len(bad):,} of the {count:,} pieces of the mesh have no wall between endocardium and epicardium (the "
            f"first has {int((of_cell == bad[0]).sum()):,} cells, one of them cell {cell} near {x:.4g}, {y:.4g}, "
            f"{z:.4g} mm): remove them or merge coincident points."
        )


@nb.njit(cache=True, nogil=True)
def _wall_frame(along, across, frame):
    """Columns of ``frame`` (3, 3): circumference, longitudinal, across the wall. False where a direction is lost."""
    length = np.sqrt(across[0] ** 2 + across[1] ** 2 + across[2] ** 2)
    found = length > 1e-12
    if found:
        for a in range(3):
            frame[a, 2] = across[a] / length
    else:
        frame[0, 2], frame[1, 2], frame[2, 2] = 0.0, 0.0, 1.0
    size = np.sqrt(along[0] ** 2 + along[1] ** 2 + along[2] ** 2)
    product = along[0] * frame[0, 2] + along[1] * frame[1, 2] + along[2] * frame[2, 2]
    for a in range(3):
        frame[a, 1] = along[a] - product * frame[a, 2]
    length = np.sqrt(frame[0, 1] ** 2 + frame[1, 1] ** 2 + frame[2, 1] ** 2)
    if not length > 1e-6 * size:
        found = False
        smallest = 0
        for a in range(1, 3):
            if abs(frame[a, 2]) < abs(frame[smallest, 2]):
                smallest = a
        for a in range(3):
            frame[a, 1] = (1.0 if a == smallest else 0.0) - frame[smallest, 2] * frame[a, 2]
        length = np.sqrt(frame[0, 1] ** 2 + frame[1, 1] ** 2 + frame[2, 1] ** 2)
    for a in range(3):
        frame[a, 1] /= length
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        frame[a, 0] = frame[b, 1] * frame[c, 2] - frame[c, 1] * frame[b, 2]
    return found


@nb.njit(cache=True, nogil=True)
def _turn(frame, helix, sheet):
    """Turn ``frame`` by α about its last column, then by −β about its first (the paper's orient)."""
    for a in range(3):
        around, along, across = frame[a, 0], frame[a, 1], frame[a, 2]
        beside = -np.sin(helix) * around + np.cos(helix) * along
        frame[a, 0] = np.cos(helix) * around + np.sin(helix) * along
        frame[a, 1] = np.cos(sheet) * beside - np.sin(sheet) * across
        frame[a, 2] = np.sin(sheet) * beside + np.cos(sheet) * across


@nb.njit(cache=True, nogil=True)
def _to_quaternion(frame, q):
    """Scalar first; the largest component decides the formula (S. W. Shepperd, J. Guid. Control 1, 1978)."""
    trace = frame[0, 0] + frame[1, 1] + frame[2, 2]
    if trace > 0.0:
        s = 2.0 * np.sqrt(1.0 + trace)
        q[0] = 0.25 * s
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            q[1 + a] = (frame[c, b] - frame[b, c]) / s
        return
    a = 0
    for k in range(1, 3):
        if frame[k, k] > frame[a, a]:
            a = k
    b, c = (a + 1) % 3, (a + 2) % 3
    s = 2.0 * np.sqrt(max(1.0 + frame[a, a] - frame[b, b] - frame[c, c], 0.0))
    q[0] = (frame[c, b] - frame[b, c]) / s
    q[1 + a] = 0.25 * s
    q[1 + b] = (frame[b, a] + frame[a, b]) / s
    q[1 + c] = (frame[c, a] + frame[a, c]) / s


@nb.njit(cache=True, nogil=True)
def _blend(first, second, fraction, frame, scratch):
    """``frame`` between two others by bislerp: fibre and sheet are lines, so of the four frames that have the lines of
    ``first`` (half turns about its columns) the nearest to ``second`` is taken. ``scratch`` (6, 4)."""
    turned, p, r = scratch[:4], scratch[4], scratch[5]
    q = turned[0]
    _to_quaternion(first, q)
    _to_quaternion(second, p)
    turned[1, 0], turned[1, 1], turned[1, 2], turned[1, 3] = -q[1], q[0], q[3], -q[2]
    turned[2, 0], turned[2, 1], turned[2, 2], turned[2, 3] = -q[2], -q[3], q[0], q[1]
    turned[3, 0], turned[3, 1], turned[3, 2], turned[3, 3] = -q[3], q[2], -q[1], q[0]
    best, cosine = 0, 0.0
    for k in range(4):
        dot = 0.0
        for a in range(4):
            dot += turned[k, a] * p[a]
        if abs(dot) > abs(cosine):
            best, cosine = k, dot
    sign = 1.0 if cosine >= 0.0 else -1.0
    angle = np.arccos(min(abs(cosine), 1.0))
    one, two = 1.0 - fraction, fraction
    if angle > 1e-6:
        one, two = np.sin(one * angle) / np.sin(angle), np.sin(two * angle) / np.sin(angle)
    length = 0.0
    for a in range(4):
        r[a] = sign * one * turned[best, a] + two * p[a]
        length += r[a] ** 2
    length = np.sqrt(length)
    w, x, y, z = r[0] / length, r[1] / length, r[2] / length, r[3] / length
    frame[0, 0], frame[0, 1], frame[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    frame[1, 0], frame[1, 1], frame[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    frame[2, 0], frame[2, 1], frame[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@nb.njit(cache=True, nogil=True)
def _directions_of(first, last, potentials, turns, directions):
    """Fibres and sheets of cells ``first`` … ``last`` − 1: frames of both endocardia and of the epicardium, turned by
    α = α_endo (1 − φ_epi) + α_epi φ_epi and β alike, blended by φ_rv/(φ_lv + φ_rv) and then by φ_epi.

    turns: (4,) α_endo, α_epi, β_endo, β_epi [rad]. Bytes of a cell: 88 are read, 37 written.
    """
    lv, rv, slope_lv, slope_rv, along = potentials
    fibres, sheets, depth, right, helix, lost = directions
    frames, scratch, across = np.empty((5, 3, 3)), np.empty((6, 4)), np.empty(3)
    circumference, longitudinal = np.empty(3), np.empty(3)
    left_frame, right_frame, inner, outer, frame = frames[0], frames[1], frames[2], frames[3], frames[4]
    for cell in range(first, last):
        inside = lv[cell] + rv[cell]
        epi = min(max(1.0 - inside, 0.0), 1.0)
        side = rv[cell] / inside if inside > 1e-12 else 0.0
        wall_helix = turns[0] * (1.0 - epi) + turns[1] * epi
        wall_sheet = turns[2] * (1.0 - epi) + turns[3] * epi
        # seen from the left the angles change sign across the septum
        sign = 1.0 - 2.0 * side
        for a in range(3):
            across[a] = -slope_lv[cell, a]
        found_left = _wall_frame(along[cell], across, left_frame)
        for a in range(3):
            circumference[a], longitudinal[a] = left_frame[a, 0], left_frame[a, 1]
        _turn(left_frame, sign * wall_helix, sign * wall_sheet)
        found_right = _wall_frame(along[cell], slope_rv[cell], right_frame)
        _turn(right_frame, sign * wall_helix, sign * wall_sheet)
        for a in range(3):
            across[a] = -slope_lv[cell, a] - slope_rv[cell, a]
        found_outer = _wall_frame(along[cell], across, outer)
        to_epi, to_right = 0.0, 0.0
        for a in range(3):
            to_epi += across[a] ** 2
            to_right += (slope_rv[cell, a] - slope_lv[cell, a]) ** 2
        if to_epi > 0.25 * to_right:  # no septum
            for a in range(3):
                circumference[a], longitudinal[a] = outer[a, 0], outer[a, 1]
        _turn(outer, wall_helix, wall_sheet)
        if side > 0.0:
            _blend(left_frame, right_frame, side, inner, scratch)
            _blend(inner, outer, epi, frame, scratch)
        else:
            _blend(left_frame, outer, epi, frame, scratch)
        lost[cell] = (not found_left and side < 1.0) or (not found_right and side > 0.0) or not found_outer
        forward, upward = 0.0, 0.0
        for a in range(3):
            fibres[cell, a] = frame[a, 0]
            sheets[cell, a] = frame[a, 2]
            forward += frame[a, 0] * circumference[a]
            upward += frame[a, 0] * longitudinal[a]
        depth[cell] = epi
        right[cell] = side
        helix[cell] = np.arctan2(upward if forward >= 0.0 else -upward, abs(forward))


@in_turn
@nb.njit(cache=True, nogil=True, parallel=True)
def _directions(potentials, turns, directions):
    """All cells, in blocks that share scratch memory."""
    n = len(potentials.lv)
    for block in nb.prange((n + BLOCK - 1) // BLOCK):
        first, last = block * BLOCK, min((block + 1) * BLOCK, n)
        _directions_of(first, last, potentials, turns, directions)
