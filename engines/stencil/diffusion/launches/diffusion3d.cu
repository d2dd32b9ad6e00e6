// Explicit diffusion on a grid of three dimensions, u[z][y][x]: one step per launch, or DEPTH steps (temporal blocking)
// with the same bits. The equation and its order of operations: update.cuh. How it works and what it costs: README.md.
//
// march_P, plain_Q: one step; a warp takes 32 V columns of P rows, V = 16 / sizeof(REAL), and goes along z
//     (march3d.cuh), or a thread takes its rows of Q planes at once (plain3d.cuh).
//     Bytes per point and step: one value read, one written.
// fused (-DDEPTH=T -DROWS=R): a block of w warps owns a tile of 32 V columns and w R rows and streams over planes; level l
//     (0 .. T) is l planes behind the load. Two planes of each level stay in registers; neighbours in x come by shuffles, in
//     y from the same lane or, for the first and last row of a warp, through shared memory: what a level produced in one
//     plane is exchanged before the next, so that one barrier per plane serves all levels. HALO columns, T rows on
//     each side of a tile and T planes at the ends of each part are computed twice.
//     Bytes per point and launch: one value read, one written (and the halo, mostly from L2).
//     Shared memory, asked for at launch: 2 T w 2 32 V values = 2048 T w bytes.
//
// wraps: bits 0, 1, 2 for x, y, z. source: added as dt source, or null.
//
// variants: -DREAL=float; -DREAL=float -DEQUAL; -DREAL=double; -DREAL=double -DEQUAL
// variants: -DREAL=float -DEQUAL -DDEPTH=2 -DROWS=2; -DREAL=float -DEQUAL -DDEPTH=2 -DROWS=3
// variants: -DREAL=float -DEQUAL -DDEPTH=3 -DROWS=2; -DREAL=float -DDEPTH=2 -DROWS=2
// variants: -DREAL=float -DEQUAL -DDEPTH=2 -DROWS=2 -DSOURCE; -DREAL=float -DDEPTH=2 -DROWS=2 -DSOURCE
// variants: -DREAL=double -DEQUAL -DDEPTH=2 -DROWS=2; -DREAL=double -DDEPTH=2 -DROWS=2
// variants: -DREAL=double -DEQUAL -DDEPTH=2 -DROWS=2 -DSOURCE; -DREAL=double -DDEPTH=2 -DROWS=2 -DSOURCE

#include "stencil/step/update.cuh"
#include "stencil/step/columns.cuh"

#ifndef DEPTH

#include "stencil/diffusion/launches/march3d.cuh"
#include "stencil/diffusion/launches/plain3d.cuh"

#else

static constexpr int HALO = (DEPTH + V - 1) / V * V;
static constexpr int USEFUL = 32 * V - 2 * HALO;

// What a block has to know of the sides; rows are counted from the warp's first, planes from the grid's.
struct Around {
    const REAL* sides;
    int bottom, top, floor, ceiling;  // rows and planes with a side beside them, or NOWHERE
};

// Takes fresh, plane z of level 0, through all levels; leaves plane z - DEPTH of the last level in fresh.
// EDGE: rows and planes may have sides beside them, and nx need not be a multiple of V.
template <bool EDGE>
DEVICE void climb(REAL (&older)[DEPTH][ROWS][V], REAL (&here)[DEPTH][ROWS][V], REAL (&fresh)[ROWS][V], const int z,
                  const Columns& columns, const Around& around, Packed* const mine, const Packed* const from_below,
                  const Packed* const from_above, const int level_stride, const REAL* __restrict__ source,
                  const long long layer, const int nz, const int wraps_z, const int (&rows)[ROWS], const REAL rate_x,
                  const REAL rate_y, const REAL rate_z, const REAL dt)
{
#pragma unroll
    for (int l = 0; l < DEPTH; ++l) {
        // fresh is plane z - l of level l; the plane before it, here[l], is taken to level l + 1
        const int plane = z - l - 1;
        mine[l * level_stride] = packed(fresh[0]);
        mine[l * level_stride + 32] = packed(fresh[ROWS - 1]);
        REAL below[V], above[V];
        unpack(from_below[l * level_stride], below);
        unpack(from_above[l * level_stride], above);
        REAL scale_z = REAL(0), shift_z = REAL(0);
        const bool at_floor = EDGE && plane == around.floor, at_ceiling = EDGE && plane == around.ceiling;
        REAL floor_scale = REAL(0), floor_shift = REAL(0);
        if (at_floor) floor_scale = __ldg(around.sides + 8), floor_shift = __ldg(around.sides + 9);
        if (at_ceiling) scale_z = __ldg(around.sides + 10), shift_z = __ldg(around.sides + 11);
        REAL before[V];  // the row below, as it was
#pragma unroll
        for (int j = 0; j < V; ++j) before[j] = below[j];
#pragma unroll
        for (int i = 0; i < ROWS; ++i) {
            REAL lo = __shfl_up_sync(ALL, here[l][i][V - 1], 1);
            const REAL hi = __shfl_down_sync(ALL, here[l][i][0], 1);
            if (columns.at_left) lo = multiply_add(columns.low_scale, here[l][i][0], columns.low_shift);
            const bool at_bottom = EDGE && i == around.bottom, at_top = EDGE && i == around.top;
            REAL low_scale = REAL(0), low_shift = REAL(0), high_scale = REAL(0), high_shift = REAL(0);
            if (at_bottom) low_scale = __ldg(around.sides + 4), low_shift = __ldg(around.sides + 5);
            if (at_top) high_scale = __ldg(around.sides + 6), high_shift = __ldg(around.sides + 7);
#ifdef SOURCE
            REAL s[V];
            load_row(source + inside(plane, nz, wraps_z) * layer + rows[i], columns, s);
#endif
            REAL next[V];
#pragma unroll
            for (int j = 0; j < V; ++j) {
                const REAL c = here[l][i][j];
                REAL x_hi = j < V - 1 ? here[l][i][j < V - 1 ? j + 1 : j] : hi;
                if ((EDGE || j == V - 1) && j == columns.last)
                    x_hi = multiply_add(columns.high_scale, c, columns.high_shift);
                REAL y_lo = before[j], y_hi = i < ROWS - 1 ? here[l][i < ROWS - 1 ? i + 1 : i][j] : above[j];
                REAL z_lo = older[l][i][j], z_hi = fresh[i][j];
                if (EDGE) {
                    if (at_bottom) y_lo = multiply_add(low_scale, c, low_shift);
                    if (at_top) y_hi = multiply_add(high_scale, c, high_shift);
                    if (at_floor) z_lo = multiply_add(floor_scale, c, floor_shift);
                    if (at_ceiling) z_hi = multiply_add(scale_z, c, shift_z);
                }
                next[j] = step3(c, j ? here[l][i][j ? j - 1 : 0] : lo, x_hi, y_lo, y_hi, z_lo, z_hi, rate_x, rate_y, rate_z);
#ifdef SOURCE
                next[j] = multiply_add(dt, s[j], next[j]);
#endif
            }
#pragma unroll
            for (int j = 0; j < V; ++j) {
                before[j] = here[l][i][j];
                older[l][i][j] = here[l][i][j];
                here[l][i][j] = fresh[i][j];
                fresh[i][j] = next[j];
            }
        }
    }
}

// Blocks of (32, w) threads; block (i, j, k) takes USEFUL columns, w ROWS - 2 DEPTH rows and
// so many planes from first + k stride on, before last.
extern "C" __global__ void __launch_bounds__(ROWS > 2 ? 384 : 512, 1) fused(
    const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny,
    const int nz, const int first, const int last, const int planes, const int stride, const int wraps,
    const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL rate_z, const REAL dt)
{
    // [parity][level][warp][first, last row][lane]
    extern __shared__ Packed exchange[];
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const int x = (int)blockIdx.x * USEFUL - HALO + lane * V;
    const int tile = (int)blockIdx.y * (warps * ROWS - 2 * DEPTH);  // the first row that is stored
    const int y0 = tile - DEPTH + warp * ROWS;
    const int z0 = first + blockIdx.z * stride, end = min(z0 + planes, last);
    const bool wraps_y = wraps & 2, wraps_z = wraps & 4;
    const Columns columns = columns_at(x, nx, wraps, sides);
    const bool stored = lane >= HALO / V && lane < 32 - HALO / V && x < nx;
    const int last_row = min(tile + warps * ROWS - 2 * DEPTH, ny);
    Around around;
    around.sides = sides;
    around.bottom = wraps_y ? NOWHERE : -y0;
    around.top = wraps_y ? NOWHERE : ny - 1 - y0;
    around.floor = wraps_z ? NOWHERE : 0;
    around.ceiling = wraps_z ? NOWHERE : nz - 1;
    // Rows without a side beside them; then only planes near a side need care.
    const bool plain = columns.aligned && (wraps_y || (y0 > 0 && y0 + ROWS < ny));
    const int lowest = wraps_z ? NOWHERE : DEPTH, highest = wraps_z ? -NOWHERE : nz - 1;
    const long long layer = (long long)ny * nx;
    int rows[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) rows[i] = inside(y0 + i, ny, wraps_y) * nx;

    const int level_stride = warps * 64, parity_stride = DEPTH * level_stride;
    Packed* const mine = exchange + warp * 64 + lane;
    const Packed* const from_below = exchange + max(warp - 1, 0) * 64 + 32 + lane;
    const Packed* const from_above = exchange + min(warp + 1, warps - 1) * 64 + lane;

    REAL older[DEPTH][ROWS][V], here[DEPTH][ROWS][V], coming[ROWS][V];
#pragma unroll
    for (int l = 0; l < DEPTH; ++l)
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
            for (int j = 0; j < V; ++j) older[l][i][j] = here[l][i][j] = REAL(0);

    int now = 0;  // where this plane's rows are written; those of the plane before are at parity_stride - now
    int next_plane = inside(z0 - DEPTH, nz, wraps_z);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) load_row(u + next_plane * layer + rows[i], columns, coming[i]);
#pragma unroll 1
    for (int z = z0 - DEPTH; z < end + DEPTH; ++z) {
        REAL fresh[ROWS][V];
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
            for (int j = 0; j < V; ++j) fresh[i][j] = coming[i][j];
        // the next plane is under way while this one climbs
        if (wraps_z) next_plane = next_plane + 1 < nz ? next_plane + 1 : 0;
        else next_plane = min(max(z + 1, 0), nz - 1);
#pragma unroll
        for (int i = 0; i < ROWS; ++i) load_row(u + next_plane * layer + rows[i], columns, coming[i]);
        const int before = parity_stride - now;
        if (plain && z > lowest && z < highest)
            climb<false>(older, here, fresh, z, columns, around, mine + now, from_below + before, from_above + before,
                         level_stride, source, layer, nz, wraps_z, rows, rate_x, rate_y, rate_z, dt);
        else
            climb<true>(older, here, fresh, z, columns, around, mine + now, from_below + before, from_above + before,
                        level_stride, source, layer, nz, wraps_z, rows, rate_x, rate_y, rate_z, dt);
        const int plane = z - DEPTH;
        if (plane >= z0 && stored) {
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
                if (y0 + i >= tile && y0 + i < last_row)
                    store_row<true>(out + plane * layer + (long long)(y0 + i) * nx, x, nx, columns.aligned, fresh[i]);
        }
        now = before;
        __syncthreads();
    }
}

#endif
