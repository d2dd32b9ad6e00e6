// One step in 2D, without a word between lanes: a thread takes W columns of R rows. Its R + 2 rows and the cells beside
// them, which L1 has, are all on their way before the first is used. Blocks of any form that lie inside
// the grid know nothing of sides.
#pragma once
#include "stencil/diffusion/launches/cells.cuh"

template <int W, int R, bool EDGE>
DEVICE void plain_cells(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                        const int ny, const int x, const int y0, const int wraps, const REAL* __restrict__ sides,
                        const REAL rate_x, const REAL rate_y, const REAL dt)
{
    const bool wraps_x = wraps & 1, wraps_y = wraps & 2;
    const bool at_left = EDGE && x == 0, at_right = EDGE && x + W == nx;
    const REAL* corner = u + (long long)y0 * nx + x;
    REAL rows[R + 2][W], left[R], right[R];
#pragma unroll
    for (int i = 0; i < R + 2; ++i) {
        const int up = EDGE ? at_most_one_out(min(y0 + i - 1, ny), ny, wraps_y) - y0 : i - 1;
        load_cells<W>(corner + (long long)up * nx, rows[i]);
    }
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const REAL* place = corner + (long long)(EDGE ? min(i, ny - 1 - y0) : i) * nx;
        left[i] = __ldg(place + (!at_left ? -1 : wraps_x ? nx - 1 : 0));
        right[i] = __ldg(place + (!at_right ? W : wraps_x ? W - nx : 0));
    }
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int y = y0 + i;
        if (EDGE && y >= ny) return;
        REAL lo = left[i], hi = right[i];
        if (at_left && !wraps_x) lo = ghost(sides, 0, 0, rows[i + 1][0]);
        if (at_right && !wraps_x) hi = ghost(sides, 0, 1, rows[i + 1][W - 1]);
        REAL next[W];
#pragma unroll
        for (int j = 0; j < W; ++j) {
            const REAL c = rows[i + 1][j];
            REAL y_lo = rows[i][j], y_hi = rows[i + 2][j];
            if (EDGE && !wraps_y && y == 0) y_lo = ghost(sides, 1, 0, c);
            if (EDGE && !wraps_y && y == ny - 1) y_hi = ghost(sides, 1, 1, c);
            const REAL x_lo = j ? rows[i + 1][j ? j - 1 : 0] : lo, x_hi = j < W - 1 ? rows[i + 1][j < W - 1 ? j + 1 : j] : hi;
            next[j] = step2(c, x_lo, x_hi, y_lo, y_hi, rate_x, rate_y);
        }
        const long long place = (long long)y * nx + x;
        add_source<W>(source, place, dt, next);
        store_cells<W, false>(out + place, next);
    }
}

template <int W, int R>
DEVICE void plain_block(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                        const int ny, const int wraps, const REAL* __restrict__ sides, const REAL rate_x,
                        const REAL rate_y, const REAL dt)
{
    const int first_x = blockIdx.x * blockDim.x * W, first_y = blockIdx.y * blockDim.y * R;
    const int x = first_x + (int)threadIdx.x * W, y0 = first_y + (int)threadIdx.y * R;
    if (first_x > 0 && first_y > 0 && first_x + (int)blockDim.x * W < nx && first_y + (int)blockDim.y * R < ny)
        plain_cells<W, R, false>(u, out, source, nx, ny, x, y0, wraps, sides, rate_x, rate_y, dt);
    else if (x < nx && y0 < ny)
        plain_cells<W, R, true>(u, out, source, nx, ny, x, y0, wraps, sides, rate_x, rate_y, dt);
}

// Blocks of (a, b) threads, at most 256; block (i, j) takes W a columns and R b rows; W = V, or 1 for _any nx.
#define KERNEL(NAME, W, R, THREADS, BLOCKS)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) NAME(                                                  \
        const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny, \
        const int wraps, const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL dt)            \
    {                                                                                                                    \
        plain_block<W, R>(u, out, source, nx, ny, wraps, sides, rate_x, rate_y, dt);                             \
    }

KERNEL(plain_2, V, 2, 256, 4)
KERNEL(plain_4, V, 4, 256, 3)
KERNEL(plain_8, V, 8, 256, 2)
KERNEL(plain_4_any, 1, 4, 256, 4)
KERNEL(plain_8_any, 1, 8, 256, 3)
#undef KERNEL
