"""Where rays along z cross a surface of triangles, on the CPU.

A ray through (x, y) crosses a triangle if it lies within its shadow on the plane z = 0. Each side of the shadow is half
open in y, and its crossing with the line y is computed from its lower end whichever triangle asks, so two triangles
with a common side decide alike to the last bit: no ray slips through between them or counts twice, and along each ray
a closed surface is entered as often as left. The GPU (``voxels.cu``) does the same arithmetic without contraction.

A ray upward counts +1 where it enters (the shadow runs clockwise) and −1 where it leaves: the sum below a point is how
often the surface winds around it, 0 outside and 1 inside; odd is inside whichever way the triangles are turned.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb
import numpy as np


@nb.njit(cache=True, nogil=True)
def _passed(x, y, xa, ya, xb, yb):
    """+1 or −1 if a ray from (x, y) along x meets the line from a to b, which is half open in y, going up or down."""
    if (ya > y) == (yb > y):
        return 0
    if ya > yb:
        return -1 if x < xb + (y - yb) / (ya - yb) * (xa - xb) else 0
    return 1 if x < xa + (y - ya) / (yb - ya) * (xb - xa) else 0


@nb.njit(cache=True, nogil=True)
def _crossing(x, y, corners, a, b, c):
    """(+1 entering, −1 leaving or 0 where the ray does not cross; z there)."""
    xa, ya, za = corners[a, 0], corners[a, 1], corners[a, 2]
    xb, yb, zb = corners[b, 0], corners[b, 1], corners[b, 2]
    xc, yc, zc = corners[c, 0], corners[c, 1], corners[c, 2]
    around = _passed(x, y, xa, ya, xb, yb) + _passed(x, y, xb, yb, xc, yc) + _passed(x, y, xc, yc, xa, ya)
    if around == 0:
        return 0, 0.0
    ux, uy, vx, vy = xb - xa, yb - ya, xc - xa, yc - ya
    area = ux * vy - uy * vx
    if area == 0.0:  # the shadow is as thin as rounding: the triangle stands on edge
        return -around, za
    s = ((x - xa) * vy - (y - ya) * vx) / area
    t = (ux * (y - ya) - uy * (x - xa)) / area
    at = za + (s * (zb - za) + t * (zc - za))
    return -around, min(max(at, min(za, min(zb, zc))), max(za, max(zb, zc)))


@nb.njit(cache=True, nogil=True)
def _first_above(values, at):
    """The first of ascending ``values`` that is not below ``at``."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < at:
            low = middle + 1
        else:
            high = middle
    return low


@nb.njit(cache=True, nogil=True, parallel=True)
def count_crossings(corners, triangles, x, y, z, bands, counts):
    """counts: (nz, ny, nx) int8 zeros, ±1 at the first z that is not below each crossing."""
    ny = len(y)
    for band in nb.prange(bands):
        first, last = band * ny // bands, (band + 1) * ny // bands
        for m in range(len(triangles)):
            a, b, c = triangles[m, 0], triangles[m, 1], triangles[m, 2]
            low_y = min(corners[a, 1], corners[b, 1], corners[c, 1])
            high_y = max(corners[a, 1], corners[b, 1], corners[c, 1])
            j0, j1 = max(first, _first_above(y, low_y)), min(last, _first_above(y, high_y) + 1)
            if j0 >= j1:
                continue
            i0 = _first_above(x, min(corners[a, 0], corners[b, 0], corners[c, 0]))
            i1 = min(len(x), _first_above(x, max(corners[a, 0], corners[b, 0], corners[c, 0])) + 1)
            for j in range(j0, j1):
                for i in range(i0, i1):
                    way, at = _crossing(x[i], y[j], corners, a, b, c)
                    if way != 0:
                        k = _first_above(z, at)
                        if k < len(z):
                            counts[k, j, i] += way


@nb.njit(cache=True, nogil=True, parallel=True)
def wind(counts):
    """Sums of ``counts`` along z, in place."""
    nz, ny, nx = counts.shape
    for j in nb.prange(ny):
        for k in range(1, nz):
            for i in range(nx):
                counts[k, j, i] += counts[k - 1, j, i]


@nb.njit(cache=True, nogil=True)
def bin_triangles(corners, triangles, low, inverse, bins):
    """(starts, members): the triangles whose shadow reaches into each of bins × bins rectangles, row by row."""
    starts = np.zeros(bins * bins + 1, np.int64)
    reach = np.empty((len(triangles), 4), np.int32)
    for m in range(len(triangles)):
        for d in range(2):
            lowest = min(corners[triangles[m, 0], d], corners[triangles[m, 1], d], corners[triangles[m, 2], d])
            highest = max(corners[triangles[m, 0], d], corners[triangles[m, 1], d], corners[triangles[m, 2], d])
            reach[m, 2 * d] = _bin(lowest, low[d], inverse[d], bins)
            reach[m, 2 * d + 1] = _bin(highest, low[d], inverse[d], bins)
        for j in range(reach[m, 2], reach[m, 3] + 1):
            for i in range(reach[m, 0], reach[m, 1] + 1):
                starts[j * bins + i + 1] += 1
    starts = np.cumsum(starts)
    ahead, members = starts[:-1].copy(), np.empty(starts[-1], np.int32)
    for m in range(len(triangles)):
        for j in range(reach[m, 2], reach[m, 3] + 1):
            for i in range(reach[m, 0], reach[m, 1] + 1):
                members[ahead[j * bins + i]] = m
                ahead[j * bins + i] += 1
    return starts, members


@nb.njit(cache=True, nogil=True)
def _bin(at, low, inverse, bins):
    return min(max(int((at - low) * inverse), 0), bins - 1)


@nb.njit(cache=True, nogil=True, parallel=True)
def windings_at(points, corners, triangles, starts, members, low, inverse, bins, found):
    """found: (m,) int8, how often the surface winds around points (m, 3)."""
    for p in nb.prange(len(points)):
        x, y = points[p, 0], points[p, 1]
        place = _bin(y, low[1], inverse[1], bins) * bins + _bin(x, low[0], inverse[0], bins)
        around = 0
        for n in range(starts[place], starts[place + 1]):
            m = members[n]
            way, at = _crossing(x, y, corners, triangles[m, 0], triangles[m, 1], triangles[m, 2])
            if way != 0 and at <= points[p, 2]:
                around += way
        found[p] = around
