// One step in 3D, marching: a warp takes 32 W columns of P rows and goes along z. What the next turn needs is on its way
// while it works on this one: the plane after the next from memory, and of the next plane the rows above and below, which
// other warps brought into the caches a turn ago.
#pragma once
#include "stencil/diffusion/launches/cells.cuh"

// EDGE: a side of y or z is beside the rows from y0 on or the planes z0 .. end - 1.
template <int W, int P, bool EDGE>
DEVICE void march_planes(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                         const int ny, const int nz, const int x, const int y0, const int z0, const int end,
                         const int wraps, const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y,
                         const REAL rate_z, const REAL dt)
{
    const bool wraps_y = wraps & 2, wraps_z = wraps & 4;
    const long long layer = (long long)ny * nx;
    Strip<W> strip;
    strip.begin(x, nx, wraps & 1);
    const REAL* column = u + strip.place + (EDGE ? 0 : (long long)y0 * nx);
    const auto plane = [&](const int z) { return column + (EDGE ? at_most_one_out(min(z, end), nz, wraps_z) : z) * layer; };
    int rows[P + 2];  // offsets of the row below, the warp's own, the row above
#pragma unroll
    for (int i = 0; i < P + 2; ++i) rows[i] = (EDGE ? at_most_one_out(min(y0 + i - 1, ny), ny, wraps_y) : i - 1) * nx;

    REAL older[P][W], here[P][W], fresh[P][W], below[W], above[W], edges[P];
#pragma unroll
    for (int i = 0; i < P; ++i) {
        load_cells<W>(plane(z0 - 1) + rows[i + 1], older[i]);
        load_cells<W>(plane(z0) + rows[i + 1], here[i]);
        load_cells<W>(plane(z0 + 1) + rows[i + 1], fresh[i]);
        edges[i] = strip.edge(plane(z0) + rows[i + 1]);
    }
    load_cells<W>(plane(z0) + rows[0], below);
    load_cells<W>(plane(z0) + rows[P + 1], above);
    if (EDGE) {
#pragma unroll
        for (int i = 0; i < P; ++i)
#pragma unroll
            for (int j = 0; j < W; ++j)
                if (z0 == 0 && !wraps_z) older[i][j] = ghost(sides, 2, 0, here[i][j]);
    }

    REAL* target = out + z0 * layer + (long long)y0 * nx + x;
#pragma unroll 1
    for (int z = z0; z < end; ++z) {
        REAL coming[P][W], coming_below[W], coming_above[W], coming_edges[P];
        if (z + 1 < end) {
            const REAL *following = plane(z + 1), *second = plane(z + 2);
#pragma unroll
            for (int i = 0; i < P; ++i) load_cells<W>(second + rows[i + 1], coming[i]);
            load_cells<W>(following + rows[0], coming_below);
            load_cells<W>(following + rows[P + 1], coming_above);
#pragma unroll
            for (int i = 0; i < P; ++i) coming_edges[i] = strip.edge(following + rows[i + 1]);
        }
        const bool at_ceiling = EDGE && !wraps_z && z == nz - 1;
        REAL before[W];  // the row below
#pragma unroll
        for (int j = 0; j < W; ++j) before[j] = below[j];
#pragma unroll
        for (int i = 0; i < P; ++i) {
            const int y = y0 + i;
            REAL lo, hi, next[W];
            strip.beside(here[i], edges[i], sides, lo, hi);
#pragma unroll
            for (int j = 0; j < W; ++j) {
                const REAL c = here[i][j];
                REAL y_lo = before[j], y_hi = i + 1 < P ? here[i + 1 < P ? i + 1 : i][j] : above[j], z_hi = fresh[i][j];
                if (EDGE && !wraps_y && y == 0) y_lo = ghost(sides, 1, 0, c);
                if (EDGE && !wraps_y && y == ny - 1) y_hi = ghost(sides, 1, 1, c);
                if (at_ceiling) z_hi = ghost(sides, 2, 1, c);
                next[j] = step3(c, j ? here[i][j ? j - 1 : 0] : lo, j < W - 1 ? here[i][j < W - 1 ? j + 1 : j] : hi, y_lo,
                                y_hi, older[i][j], z_hi, rate_x, rate_y, rate_z);
            }
#pragma unroll
            for (int j = 0; j < W; ++j) before[j] = here[i][j];
            if ((!EDGE || y < ny) && x < nx) {
                REAL* place = target + i * nx;
                add_source<W>(source, place - out, dt, next);
                store_cells<W, true>(place, next);
            }
        }
        target += layer;
#pragma unroll
        for (int i = 0; i < P; ++i) {
            edges[i] = coming_edges[i];
#pragma unroll
            for (int j = 0; j < W; ++j)
                older[i][j] = here[i][j], here[i][j] = fresh[i][j], fresh[i][j] = coming[i][j];
        }
#pragma unroll
        for (int j = 0; j < W; ++j) below[j] = coming_below[j], above[j] = coming_above[j];
    }
}

template <int W, int P>
DEVICE void march_tile(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                       const int ny, const int nz, const int planes, const int wraps, const REAL* __restrict__ sides,
                       const REAL rate_x, const REAL rate_y, const REAL rate_z, const REAL dt)
{
    const int x = (blockIdx.x * 32 + threadIdx.x) * W, y0 = (blockIdx.y * blockDim.y + threadIdx.y) * P;
    if (y0 >= ny) return;  // a whole warp
    const int z0 = blockIdx.z * planes, end = min(z0 + planes, nz);
    if (y0 > 0 && y0 + P < ny && z0 > 0 && end < nz)
        march_planes<W, P, false>(u, out, source, nx, ny, nz, x, y0, z0, end, wraps, sides, rate_x, rate_y, rate_z, dt);
    else march_planes<W, P, true>(u, out, source, nx, ny, nz, x, y0, z0, end, wraps, sides, rate_x, rate_y, rate_z, dt);
}

// Blocks of (32, w) threads; block (i, j, k) takes 32 W columns, w P rows and planes k planes ..; W = V, or 1
// for _any nx, and then a warp takes twice as many rows.
#define KERNEL(NAME, W, P, THREADS, BLOCKS)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) NAME(                                                  \
        const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny, \
        const int nz, const int planes, const int wraps, const REAL* __restrict__ sides, const REAL rate_x,              \
        const REAL rate_y, const REAL rate_z, const REAL dt)                                                             \
    {                                                                                                                    \
        march_tile<W, P>(u, out, source, nx, ny, nz, planes, wraps, sides, rate_x, rate_y, rate_z, dt);                  \
    }

KERNEL(march_2, V, 2, 128, sizeof(REAL) == 4 ? 5 : 4)
// With 128 registers four rows spill on Blackwell.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
KERNEL(march_4, V, 4, 128, 3)
#else
KERNEL(march_4, V, 4, 128, sizeof(REAL) == 4 ? 4 : 3)
#endif
KERNEL(march_2_any, 1, 4, 128, sizeof(REAL) == 4 ? 5 : 4)
KERNEL(march_4_any, 1, 8, 128, sizeof(REAL) == 4 ? 4 : 3)
#undef KERNEL
