// One step in 3D, without a word between lanes: a thread takes W columns of P rows of Q planes. All that it reads is
// on its way before the first is used; what threads read in common, L1 and L2 have. Blocks inside the grid know nothing of sides.
#pragma once
#include "stencil/diffusion/launches/cells.cuh"

template <int W, int P, int Q, bool EDGE>
DEVICE void plain_cells(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                        const int ny, const int nz, const int x, const int y0, const int z0, const int wraps,
                        const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL rate_z,
                        const REAL dt)
{
    const bool wraps_x = wraps & 1, wraps_y = wraps & 2, wraps_z = wraps & 4;
    const bool at_left = EDGE && x == 0, at_right = EDGE && x + W == nx;
    const long long layer = (long long)ny * nx;
    const REAL* corner = u + z0 * layer + (long long)y0 * nx + x;
    const auto row = [&](const int i) {
        return (EDGE ? at_most_one_out(min(y0 + i - 1, ny), ny, wraps_y) - y0 : i - 1) * nx;
    };
    const auto plane = [&](const int k) {
        return (EDGE ? at_most_one_out(min(z0 + k - 1, nz), nz, wraps_z) - z0 : k - 1) * layer;
    };
    // [plane][row]: 0 and the last are the neighbours; those at both are not read
    REAL cells[Q + 2][P + 2][W], left[Q][P], right[Q][P];
#pragma unroll
    for (int k = 0; k < Q + 2; ++k)
#pragma unroll
        for (int i = 0; i < P + 2; ++i)
            if ((k > 0 && k <= Q) || (i > 0 && i <= P)) load_cells<W>(corner + plane(k) + row(i), cells[k][i]);
#pragma unroll
    for (int k = 0; k < Q; ++k)
#pragma unroll
        for (int i = 0; i < P; ++i) {
            const REAL* place = corner + plane(k + 1) + row(i + 1);
            left[k][i] = __ldg(place + (!at_left ? -1 : wraps_x ? nx - 1 : 0));
            right[k][i] = __ldg(place + (!at_right ? W : wraps_x ? W - nx : 0));
        }
#pragma unroll
    for (int k = 0; k < Q; ++k)
#pragma unroll
        for (int i = 0; i < P; ++i) {
            const int y = y0 + i, z = z0 + k;
            if (EDGE && (y >= ny || z >= nz)) continue;
            const REAL(&here)[W] = cells[k + 1][i + 1];
            REAL lo = left[k][i], hi = right[k][i], next[W];
            if (at_left && !wraps_x) lo = ghost(sides, 0, 0, here[0]);
            if (at_right && !wraps_x) hi = ghost(sides, 0, 1, here[W - 1]);
#pragma unroll
            for (int j = 0; j < W; ++j) {
                const REAL c = here[j];
                REAL y_lo = cells[k + 1][i][j], y_hi = cells[k + 1][i + 2][j];
                REAL z_lo = cells[k][i + 1][j], z_hi = cells[k + 2][i + 1][j];
                if (EDGE && !wraps_y && y == 0) y_lo = ghost(sides, 1, 0, c);
                if (EDGE && !wraps_y && y == ny - 1) y_hi = ghost(sides, 1, 1, c);
                if (EDGE && !wraps_z && z == 0) z_lo = ghost(sides, 2, 0, c);
                if (EDGE && !wraps_z && z == nz - 1) z_hi = ghost(sides, 2, 1, c);
                next[j] = step3(c, j ? here[j ? j - 1 : 0] : lo, j < W - 1 ? here[j < W - 1 ? j + 1 : j] : hi, y_lo, y_hi,
                                z_lo, z_hi, rate_x, rate_y, rate_z);
            }
            const long long place = z * layer + (long long)y * nx + x;
            add_source<W>(source, place, dt, next);
            store_cells<W, true>(out + place, next);
        }
}

template <int W, int P, int Q>
DEVICE void plain_block(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                        const int ny, const int nz, const int wraps, const REAL* __restrict__ sides, const REAL rate_x,
                        const REAL rate_y, const REAL rate_z, const REAL dt)
{
    const int first_x = blockIdx.x * 32 * W, first_y = blockIdx.y * blockDim.y * P, first_z = blockIdx.z * blockDim.z * Q;
    const int x = first_x + (int)threadIdx.x * W, y0 = first_y + (int)threadIdx.y * P, z0 = first_z + (int)threadIdx.z * Q;
    if (first_x > 0 && first_y > 0 && first_z > 0 && first_x + 32 * W < nx && first_y + (int)blockDim.y * P < ny &&
        first_z + (int)blockDim.z * Q < nz)
        plain_cells<W, P, Q, false>(u, out, source, nx, ny, nz, x, y0, z0, wraps, sides, rate_x, rate_y, rate_z, dt);
    else if (x < nx && y0 < ny && z0 < nz)
        plain_cells<W, P, Q, true>(u, out, source, nx, ny, nz, x, y0, z0, wraps, sides, rate_x, rate_y, rate_z, dt);
}

// Blocks of (32, a, b) threads, at most 256; block (i, j, k) takes 32 W columns, a P rows and b Q planes; W = V, or 1
// for _any nx.
#define KERNEL(NAME, W, P, Q, THREADS, BLOCKS)                                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) NAME(                                                  \
        const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny, \
        const int nz, const int wraps, const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y,             \
        const REAL rate_z, const REAL dt)                                                                                \
    {                                                                                                                    \
        plain_block<W, P, Q>(u, out, source, nx, ny, nz, wraps, sides, rate_x, rate_y, rate_z, dt);                      \
    }

KERNEL(plain_2, V, 2, 2, 256, 2)
KERNEL(plain_2_any, 1, 4, 2, 256, 2)
#undef KERNEL
