// One step of explicit diffusion where the conductivity k (in units of that in the rates) differs from cell to cell, in two
// or three dimensions (-DDIMENSIONS), in flux form:
//
//   per axis, from out = c, axes in the order x, y, z:
//     t = above * (hi - c);   t = fma(below, lo - c, t);   out = fma(rate_axis, t, out);   then out = fma(dt, s, out)
//
// `above` and `below` are the coefficients of the faces: the harmonic mean 2ab/(a + b) of both cells, across periodic sides
// too; at other sides the cell's own k. What one cell loses through a face the other gains, and a constant stays constant
// to the last bit. Ghosts: update.cuh.
//
// faces: (DIMENSIONS, cells), the face above each cell along each axis; the one below a cell is the one above its lower
// neighbour. Lanes take single cells and march along the last axis.
// Bytes per point and step: one value and DIMENSIONS faces read, one value written.
//
// variants: -DREAL=float -DDIMENSIONS=2; -DREAL=float -DDIMENSIONS=3; -DREAL=double -DDIMENSIONS=2
// variants: -DREAL=double -DDIMENSIONS=3

#include "stencil/step/update.cuh"

DEVICE REAL mean(const REAL a, const REAL b) { return REAL(2) * (a * (b / (a + b))); }

// One thread per cell.
extern "C" __global__ void make_faces(const REAL* __restrict__ k, REAL* __restrict__ faces, const int nx, const int ny,
                                      const int nz, const int wraps)
{
    const long long cells = (long long)nx * ny * nz;
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    const int counts[3] = {nx, ny, nz};
    long long stride = 1, rest = i;
#pragma unroll
    for (int axis = 0; axis < DIMENSIONS; ++axis) {
        const int count = counts[axis], index = (int)(rest % count);
        rest /= count;
        long long neighbour = i;
        if (index + 1 < count) neighbour = i + stride;
        else if (wraps >> axis & 1) neighbour = i - index * stride;
        faces[axis * cells + i] = mean(k[i], k[neighbour]);
        stride *= count;
    }
}

DEVICE REAL flux(const REAL out, const REAL rate, const REAL above, const REAL hi, const REAL below, const REAL lo,
                 const REAL c)
{
    return multiply_add(rate, multiply_add(below, subtract(lo, c), multiply(above, subtract(hi, c))), out);
}

// Neighbours and face coefficients of a cell along an axis that is not marched along.
DEVICE REAL across(const REAL out, const REAL rate, const REAL* __restrict__ u, const REAL* __restrict__ face,
                   const REAL* __restrict__ k, const REAL* __restrict__ sides, const int axis, const int wraps,
                   const long long i, const int index, const int count, const long long stride, const REAL c)
{
    const bool around = wraps >> axis & 1;
    const long long below = index > 0 ? i - stride : i + (count - 1) * stride;
    const long long above = index + 1 < count ? i + stride : i - index * stride;
    const bool low_side = index == 0 && !around, high_side = index + 1 == count && !around;
    const REAL lo = low_side ? ghost(sides, axis, 0, c) : __ldg(u + below);
    const REAL hi = high_side ? ghost(sides, axis, 1, c) : __ldg(u + above);
    return flux(out, rate, __ldg(face + i), hi, low_side ? __ldg(k + i) : __ldg(face + below), lo, c);
}

// Blocks of (32, w) threads; a warp takes 32 cells of a row. 2D: block (i, j) takes `span` rows per warp; 3D: block (i, j, l)
// takes w rows and `span` planes.
extern "C" __global__ void __launch_bounds__(256) single(
    const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const REAL* __restrict__ k,
    const REAL* __restrict__ faces, const int nx, const int ny, const int nz, const int span, const int wraps,
    const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL rate_z, const REAL dt)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const long long cells = (long long)nx * ny * nz;
#if DIMENSIONS == 2
    const int axis = 1, count = ny, start = (blockIdx.y * blockDim.y + threadIdx.y) * span;
    const long long stride = nx, base = x;
    const REAL rate = rate_y;
    const bool there = x < nx;
#else
    const int axis = 2, count = nz, start = blockIdx.z * span;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const long long stride = (long long)nx * ny, base = (long long)y * nx + x;
    const REAL rate = rate_z;
    const bool there = x < nx && y < ny;
#endif
    if (!there || start >= count) return;
    const bool around = wraps >> axis & 1;
    const REAL* face = faces + axis * cells;
    const int end = min(start + span, count);
    REAL here = __ldg(u + base + start * stride), lower, below;
    if (start > 0 || around) {
        const long long before = base + (start > 0 ? start - 1 : count - 1) * stride;
        lower = __ldg(u + before);
        below = __ldg(face + before);
    } else {
        lower = ghost(sides, axis, 0, here);
        below = __ldg(k + base);
    }
#pragma unroll 2
    for (int m = start; m < end; ++m) {
        const long long i = base + m * stride;
        const REAL upper = m + 1 < count ? __ldg(u + i + stride) : around ? __ldg(u + base) : ghost(sides, axis, 1, here);
        const REAL above = __ldg(face + i);
        REAL next = across(here, rate_x, u, faces, k, sides, 0, wraps, i, x, nx, 1, here);
#if DIMENSIONS == 3
        next = across(next, rate_y, u, faces + cells, k, sides, 1, wraps, i, y, ny, nx, here);
#endif
        next = flux(next, rate, above, upper, below, lower, here);
        if (source) next = multiply_add(dt, __ldg(source + i), next);
        __stcs(out + i, next);
        lower = here;
        here = upper;
        below = above;
    }
}
