// Explicit diffusion where the conductivity differs from cell to cell, in two or three dimensions (-DDIMENSIONS); varying.cuh
// has the equation. One step per launch, or in 2D DEPTH steps with the same bits, as diffusion2d.cu takes them.
//
// line_R: a thread takes W columns and R cells along the last axis, W = V or 1 for any nx; all that it reads is on its way
//     before the first is used. Bytes per point and step: one value and DIMENSIONS faces read, one value written.
// fused (-DDEPTH=T): bytes per point and launch as many, and the halo.
//
// variants: -DREAL=float -DDIMENSIONS=2; -DREAL=float -DDIMENSIONS=3; -DREAL=double -DDIMENSIONS=2
// variants: -DREAL=double -DDIMENSIONS=3
// variants: -DREAL=float -DDIMENSIONS=2 -DDEPTH=4; -DREAL=float -DDIMENSIONS=2 -DDEPTH=4 -DSOURCE
// variants: -DREAL=double -DDIMENSIONS=2 -DDEPTH=4; -DREAL=double -DDIMENSIONS=2 -DDEPTH=4 -DSOURCE

#include "stencil/diffusion/launches/cells.cuh"
#include "stencil/diffusion/launches/varying.cuh"

#ifdef DEPTH

#define VARYING

#include "stencil/diffusion/launches/fused2d.cuh"

extern "C" __global__ void __launch_bounds__(128, 3) fused(
    const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny,
    const int rows, const int wraps, const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL dt,
    const REAL* __restrict__ k, const REAL* __restrict__ faces)
{
    fused_strips(u, out, source, nx, ny, rows, wraps, sides, rate_x, rate_y, dt, {k, faces, (long long)nx * ny});
}

#else

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

// Cells (x .. x + W - 1, y) of R planes from `first` on; in 2D of R rows, and y is 0.
template <int W, int R, bool EDGE>
DEVICE void line_cells(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source,
                       const Medium& medium, const int nx, const int ny, const int nz, const int x, const int y,
                       const int first, const int wraps, const REAL* __restrict__ sides, const REAL rate_x,
                       const REAL rate_y, const REAL rate_z, const REAL dt)
{
    constexpr int LAST = DIMENSIONS - 1;
    const int count = LAST == 1 ? ny : nz;
    const long long stride = LAST == 1 ? nx : (long long)ny * nx, corner = (long long)y * nx + x;
    const bool around_x = wraps & 1, around_y = wraps & 2, around = wraps >> LAST & 1;
    const bool at_left = EDGE && x == 0, at_right = EDGE && x + W == nx;
    const REAL *const faces_y = medium.faces + medium.cells, *const faces_last = medium.faces + LAST * medium.cells;
    const auto line = [&](const int i) {
        return corner + (EDGE ? at_most_one_out(min(first + i, count), count, around) : first + i) * stride;
    };
    const int lower = EDGE ? (at_most_one_out(y - 1, ny, around_y) - y) * nx : -nx;
    const int upper = EDGE ? (at_most_one_out(y + 1, ny, around_y) - y) * nx : nx;

    REAL line_u[R + 2][W], left[R], right[R], below[R][W], above[R][W];
    REAL face_x[R][W], face_left[R], face_y[R][W], face_lower[R][W], face_last[R + 1][W];
#pragma unroll
    for (int i = 0; i < R + 2; ++i) load_cells<W>(u + line(i - 1), line_u[i]);
#pragma unroll
    for (int i = 0; i <= R; ++i) load_cells<W>(faces_last + line(i - 1), face_last[i]);
    if (EDGE && first == 0 && !around) load_cells<W>(medium.k + line(0), face_last[0]);
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const long long place = line(i);
        const int beside = !at_left ? -1 : around_x ? nx - 1 : 0;
        left[i] = __ldg(u + place + beside);
        right[i] = __ldg(u + place + (!at_right ? W : around_x ? W - nx : 0));
        load_cells<W>(medium.faces + place, face_x[i]);
        face_left[i] = __ldg((at_left && !around_x ? medium.k : medium.faces) + place + beside);
        if constexpr (LAST == 2) {
            load_cells<W>(u + place + lower, below[i]);
            load_cells<W>(u + place + upper, above[i]);
            load_cells<W>(faces_y + place, face_y[i]);
            load_cells<W>((EDGE && y == 0 && !around_y ? medium.k + place : faces_y + place + lower), face_lower[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int last = first + i;
        if (EDGE && last >= count) return;
        REAL lo = left[i], hi = right[i];
        if (at_left && !around_x) lo = ghost(sides, 0, 0, line_u[i + 1][0]);
        if (at_right && !around_x) hi = ghost(sides, 0, 1, line_u[i + 1][W - 1]);
        REAL next[W];
#pragma unroll
        for (int j = 0; j < W; ++j) {
            const REAL c = line_u[i + 1][j];
            const REAL x_hi = j < W - 1 ? line_u[i + 1][j < W - 1 ? j + 1 : j] : hi;
            REAL back = line_u[i][j], forth = line_u[i + 2][j];
            next[j] = flux(c, rate_x, face_x[i][j], x_hi, j ? face_x[i][j ? j - 1 : 0] : face_left[i],
                           j ? line_u[i + 1][j ? j - 1 : 0] : lo, c);
            if constexpr (LAST == 2) {
                REAL y_lo = below[i][j], y_hi = above[i][j];
                if (EDGE && !around_y && y == 0) y_lo = ghost(sides, 1, 0, c);
                if (EDGE && !around_y && y == ny - 1) y_hi = ghost(sides, 1, 1, c);
                next[j] = flux(next[j], rate_y, face_y[i][j], y_hi, face_lower[i][j], y_lo, c);
            }
            if (EDGE && !around && last == 0) back = ghost(sides, LAST, 0, c);
            if (EDGE && !around && last == count - 1) forth = ghost(sides, LAST, 1, c);
            next[j] = flux(next[j], LAST == 1 ? rate_y : rate_z, face_last[i + 1][j], forth, face_last[i][j], back, c);
        }
        const long long place = corner + last * stride;
        add_source<W>(source, place, dt, next);
        store_cells<W, true>(out + place, next);
    }
}

// In 2D block (i, j) takes W a columns and R b rows; in 3D block (i, j, l) W a columns, b rows and R planes.
template <int W, int R>
DEVICE void line_block(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source,
                       const Medium& medium, const int nx, const int ny, const int nz, const int wraps,
                       const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL rate_z,
                       const REAL dt)
{
    constexpr bool FLAT = DIMENSIONS == 2;
    const int first_x = blockIdx.x * blockDim.x * W, x = first_x + (int)threadIdx.x * W;
    const int first_y = FLAT ? 0 : (int)(blockIdx.y * blockDim.y), y = FLAT ? 0 : first_y + (int)threadIdx.y;
    const int lines = FLAT ? (int)blockDim.y * R : R, first_line = (FLAT ? blockIdx.y : blockIdx.z) * lines;
    const int first = FLAT ? first_line + (int)threadIdx.y * R : first_line, count = FLAT ? ny : nz;
    const bool clear = first_x > 0 && first_x + (int)blockDim.x * W < nx && first_line > 0 && first_line + lines < count &&
                       (FLAT || (first_y > 0 && first_y + (int)blockDim.y < ny));
    if (clear)
        line_cells<W, R, false>(u, out, source, medium, nx, ny, nz, x, y, first, wraps, sides, rate_x, rate_y, rate_z, dt);
    else if (x < nx && first < count && (FLAT || y < ny))
        line_cells<W, R, true>(u, out, source, medium, nx, ny, nz, x, y, first, wraps, sides, rate_x, rate_y, rate_z, dt);
}

// Blocks of (a, b) threads.
#define KERNEL(NAME, W, R, THREADS, BLOCKS)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) NAME(                                                  \
        const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const REAL* __restrict__ k, \
        const REAL* __restrict__ faces, const int nx, const int ny, const int nz, const int wraps,                      \
        const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL rate_z, const REAL dt)         \
    {                                                                                                                    \
        const Medium medium = {k, faces, (long long)nx * ny * nz};                                                       \
        line_block<W, R>(u, out, source, medium, nx, ny, nz, wraps, sides, rate_x, rate_y, rate_z, dt);                  \
    }

KERNEL(line_1, V, 1, 256, 3)
KERNEL(line_2, V, 2, 256, 2)
KERNEL(line_4, V, 4, 128, 3)
KERNEL(line_2_any, 1, 2, 256, 4)
KERNEL(line_4_any, 1, 4, 256, 3)
#undef KERNEL

#endif
