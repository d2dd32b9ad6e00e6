// One step in 2D, marching: a warp goes down a strip of 32 W columns in batches of B rows. While it works on one batch the
// next is on its way, so that each row is read once and the loads never pause.
#pragma once
#include "stencil/diffusion/cells.cuh"

// EDGE: a side of y is beside the strip. Rows y0 .. end - 1 of the lane whose first column is x.
template <int W, int B, bool EDGE>
DEVICE void march_rows(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                       const int ny, const int x, const int y0, const int end, const int wraps,
                       const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL dt)
{
    const bool wraps_y = wraps & 2;
    Strip<W> strip;
    strip.begin(x, nx, wraps & 1);
    const REAL* column = u + strip.place;
    const auto row = [&](const int y) {
        return column + (long long)(EDGE ? at_most_one_out(min(y, end), ny, wraps_y) : y) * nx;
    };

    // rows y - 1 and y, then y + 1 .. y + B; and what the first and the last lane have beside rows y .. y + B - 1
    REAL older[W], here[W], batch[B][W], edges[B];
    load_cells<W>(row(y0 - 1), older);
    load_cells<W>(row(y0), here);
#pragma unroll
    for (int i = 0; i < B; ++i) {
        load_cells<W>(row(y0 + 1 + i), batch[i]);
        edges[i] = strip.edge(row(y0 + i));
    }
    if (EDGE) {
#pragma unroll
        for (int j = 0; j < W; ++j)
            if (y0 == 0 && !wraps_y) older[j] = ghost(sides, 1, 0, here[j]);
    }

#pragma unroll 1
    for (int y = y0; y < end; y += B) {
        REAL coming[B][W], coming_edges[B];
        if (y + B < end) {
            const REAL* next_batch = row(y + B);
#pragma unroll
            for (int i = 0; i < B; ++i) {
                load_cells<W>(EDGE ? row(y + B + 1 + i) : next_batch + (long long)(i + 1) * nx, coming[i]);
                coming_edges[i] = strip.edge(EDGE ? row(y + B + i) : next_batch + (long long)i * nx);
            }
        }
#pragma unroll
        for (int i = 0; i < B; ++i) {
            REAL lo, hi, next[W];
            strip.beside(here, edges[i], sides, lo, hi);
            const bool at_top = EDGE && !wraps_y && y + i == ny - 1;
#pragma unroll
            for (int j = 0; j < W; ++j) {
                const REAL c = here[j], y_hi = at_top ? ghost(sides, 1, 1, c) : batch[i][j];
                next[j] = step2(c, j ? here[j ? j - 1 : 0] : lo, j < W - 1 ? here[j < W - 1 ? j + 1 : j] : hi, older[j],
                                y_hi, rate_x, rate_y);
            }
            if ((!EDGE || y + i < end) && x < nx) {
                const long long place = (long long)(y + i) * nx + x;
                add_source<W>(source, place, dt, next);
                store_cells<W, true>(out + place, next);
            }
#pragma unroll
            for (int j = 0; j < W; ++j) older[j] = here[j], here[j] = batch[i][j];
        }
#pragma unroll
        for (int i = 0; i < B; ++i) {
            edges[i] = coming_edges[i];
#pragma unroll
            for (int j = 0; j < W; ++j) batch[i][j] = coming[i][j];
        }
    }
}

template <int W, int B>
DEVICE void march_strip(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                        const int ny, const int rows, const int wraps, const REAL* __restrict__ sides, const REAL rate_x,
                        const REAL rate_y, const REAL dt)
{
    const int start = (blockIdx.x * blockDim.y + threadIdx.y) * 32 * W, x = start + (int)threadIdx.x * W;
    if (start >= nx) return;  // a whole warp
    const int y0 = blockIdx.y * rows, end = min(y0 + rows, ny);
    if (y0 > 0 && end < ny && rows % B == 0)
        march_rows<W, B, false>(u, out, source, nx, ny, x, y0, end, wraps, sides, rate_x, rate_y, dt);
    else march_rows<W, B, true>(u, out, source, nx, ny, x, y0, end, wraps, sides, rate_x, rate_y, dt);
}

// Blocks of (32, w) threads; block (i, j) takes 32 W w columns and rows j rows .. (j + 1) rows - 1; W = V, or 1
// for _any nx, and then twice as many rows are on their way.
#define KERNEL(NAME, W, B, THREADS, BLOCKS)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) NAME(                                                  \
        const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny, \
        const int rows, const int wraps, const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y,           \
        const REAL dt)                                                                                                   \
    {                                                                                                                    \
        march_strip<W, B>(u, out, source, nx, ny, rows, wraps, sides, rate_x, rate_y, dt);                               \
    }

KERNEL(march_2, V, 2, 256, 3)
KERNEL(march_4, V, 4, 128, 4)
KERNEL(march_2_any, 1, 4, 128, 5)
KERNEL(march_4_any, 1, 8, 128, 3)
#undef KERNEL
