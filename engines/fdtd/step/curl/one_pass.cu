// A leapfrog step in one pass over memory: E and then H of each tile, and E once more beside it, where H needs it.
//
// Fields, ids and tables as in fdtd.cu, but e_next and h_next are other arrays than those that are read: neighbouring tiles
// read what this one would overwrite. Each value is computed as in the two passes. Layers as there: layers.cu, before and
// after.
//
// A block of (ACROSS, ROWS) threads marches over the planes z … w − 1 of a tile that begins at x, y. Its last lane and row, and
// the plane w, compute E only. Hx and Hy of a plane wait for E of the next. The first `layered` tiles reach into layers.
//
// variants: -DREAL=float -DV=4 -DACROSS=32 -DROWS=8 -DBLOCKS=2; -DREAL=float -DV=4 -DACROSS=16 -DROWS=16 -DBLOCKS=2
// variants: -DREAL=double -DV=2 -DACROSS=32 -DROWS=8 -DBLOCKS=2; -DREAL=double -DV=2 -DACROSS=16 -DROWS=16 -DBLOCKS=2

#include "fdtd/step/curl/yee.cuh"

// The assemblers from compute capability 10 on spill a few bytes where they are held to several blocks.
#if __CUDA_ARCH__ >= 1000
#define RESIDENT 1
#else
#define RESIDENT BLOCKS
#endif
#define KERNEL extern "C" __global__ void __launch_bounds__(ACROSS * ROWS, RESIDENT)

// E of the plane that is stepped and of the one below it.
using Level = Values[3][ROWS][ACROSS];

template <bool LAYERED>
DEVICE void march(
    Level (&planes)[2], const REAL* const mixtures, const int4 tile, const Grid& g,
    const REAL* __restrict__ e, const REAL* __restrict__ h, REAL* __restrict__ e_next, REAL* __restrict__ h_next,
    const Id* __restrict__ ids, const REAL da, const REAL minus_db,
    const REAL* __restrict__ table_e, const REAL* __restrict__ table_h,
    const REAL* __restrict__ psi_x, const REAL* __restrict__ psi_y, const REAL* __restrict__ psi_z)
{
    const int lane = threadIdx.x, ty = threadIdx.y;
    const int i = tile.x + lane * V, j = tile.y + ty;
    const bool live = i <= g.nx && j <= g.ny;
    const bool own = live && (lane < ACROSS - 1 || i + V > g.nx) && (ty < ROWS - 1 || j == g.ny);
    const bool more = i + V <= g.nx;
    const Table x = {table_e, g.row}, y = {table_e + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const Table xh = {table_h, g.row}, yh = {table_h + 3 * g.row, g.ny + 1}, zh = {yh.inverse + 3 * (g.ny + 1), g.nz + 1};
    const int ic = live ? i : 0, jc = live ? j : 0;  // what idle threads read
    const size_t plane = size_t(g.ny + 1) * g.row, volume = plane * (g.nz + 1), at = size_t(jc) * g.row + ic;
    const bool wraps_x = g.wraps & 1, wraps_y = g.wraps & 2, wraps_z = g.wraps & 4;
    const size_t at_high = wraps_y && jc == g.ny ? ic : at;
    const size_t at_low = size_t(jc > 0 ? jc - 1 : wraps_y ? g.ny - 1 : g.ny) * g.row + ic;
    const size_t left = at - ic + (ic > 0 ? ic - 1 : wraps_x ? g.nx - 1 : g.nx);
    const int end = wraps_x ? g.nx - ic : -1;
    const REAL iy = y.at(jc), iyh = yh.at(jc);
    const int first = tile.z, last = tile.w;  // planes first … last − 1 are the tile's own
    const size_t below = size_t(first > 0 ? first - 1 : wraps_z ? g.nz - 1 : g.nz) * plane;
    Values hx_below = load(h + below + at), hy_below = load(h + volume + below + at);
    for (int k = first; k <= last && k <= g.nz; ++k) {
        const bool mine = own && k < last;
        const size_t here = size_t(k) * plane, half = wraps_z && k == g.nz ? 0 : here;
        const REAL iz = z.at(k);
        const REAL* hx = h + here;
        const REAL* hy = h + volume + here;
        const REAL* hz = h + 2 * volume + here;
        const size_t ahead = size_t(min(k + 1, g.nz)) * plane + at;  // one plane: two or three were slower than none
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            prefetch(h + c * volume + ahead);
            prefetch(e + c * volume + ahead);
        }
        const Values hz_at = load(hz + at);
        const Values hy_at = load(hy + at);
        const Values hx_at = load(hx + at);
        const Values hz_low = load(hz + at_low), hx_low = load(hx + at_low);
        Values ex = load(e + here + at), ey = load(e + volume + here + at), ez = load(e + 2 * volume + here + at);
        const Ids id_x = *reinterpret_cast<const Ids*>(ids + here + at);
        const Ids id_y = *reinterpret_cast<const Ids*>(ids + volume + here + at);
        const Ids id_z = *reinterpret_cast<const Ids*>(ids + 2 * volume + here + at);
        Values more_x, more_y, more_z;
        if constexpr (LAYERED) layers_at(psi_x, psi_y, psi_z, g, ic, jc, k, more_x, more_y, more_z);
        REAL before_y = __shfl_up_sync(~0u, hy_at.v[V - 1], 1, ACROSS), before_z = __shfl_up_sync(~0u, hz_at.v[V - 1], 1, ACROSS);
        if (lane == 0) {
            before_y = hy[left];
            before_z = hz[left];
        }
        const Values hx_up = half == here ? hx_at : load(h + half + at);
        const Values hy_up = half == here ? hy_at : load(h + volume + half + at);
        const Values dz_hx = minus(hx_up, hx_below), dz_hy = minus(hy_up, hy_below);
        const bool turned = at_high != at;
        const Values dy_hz = minus(turned ? load(hz + at_high) : hz_at, hz_low);
        const Values dy_hx = minus(turned ? load(hx + at_high) : hx_at, hx_low);
        Values dx_hy, dx_hz;
#pragma unroll
        for (int v = 0; v < V; ++v) {
            const REAL ahead_y = v == end ? hy[at - ic] : hy_at.v[v], ahead_z = v == end ? hz[at - ic] : hz_at.v[v];
            dx_hy.v[v] = ahead_y - before_y;
            dx_hz.v[v] = ahead_z - before_z;
            before_y = hy_at.v[v];
            before_z = hz_at.v[v];
        }
        Values curl_x = curl_of(dy_hz, iy, dz_hy, iz);
        Values curl_y = curl_of(dz_hx, iz, scaled(dx_hz, x, ic), REAL(1));
        Values curl_z = curl_of(scaled(dx_hy, x, ic), REAL(1), dy_hx, iy);
        if constexpr (LAYERED) {
            add(curl_x, more_x);
            add(curl_y, more_y);
            add(curl_z, more_z);
        }
        mixed(ex, id_x, mixtures, curl_x);
        mixed(ey, id_y, mixtures, curl_y);
        mixed(ez, id_z, mixtures, curl_z);
        if (mine) {
            store(e_next + here + at, ex);
            store(e_next + volume + here + at, ey);
            store(e_next + 2 * volume + here + at, ez);
        }
        const int north = min(ty + 1, ROWS - 1), east = min(lane + 1, ACROSS - 1);
        if (k > first) {  // Hx and Hy of the plane below
            const size_t lower = here - plane;
            const REAL izh = zh.at(k - 1);
            const auto& under = planes[(k - 1) & 1];
            const Values dz_ex = minus(ex, under[0][ty][lane]), dz_ey = minus(ey, under[1][ty][lane]);
            const Values ez_under = under[2][ty][lane];
            const Values dy_ez = minus(under[2][north][lane], ez_under);
            const Values dx_ez = differences(ez_under, more ? under[2][ty][east].v[0] : REAL(0));
            Values curl_x = curl_of(dy_ez, iyh, dz_ey, izh), curl_y = curl_of(dz_ex, izh, scaled(dx_ez, xh, ic), REAL(1));
            if (own) {
                if (jc < g.ny) store(h_next + lower + at, uniform(hx_below, da, minus_db, curl_x));
#pragma unroll
                for (int v = 0; v < V; ++v)
                    if (ic + v >= g.nx) curl_y.v[v] = REAL(0);
                store(h_next + volume + lower + at, uniform(hy_below, da, minus_db, curl_y));
            }
        }
        if (k == last) break;
        auto& level = planes[k & 1];
        level[0][ty][lane] = ex;
        level[1][ty][lane] = ey;
        level[2][ty][lane] = ez;
        __syncthreads();
        {  // Hz of this plane
            const Values dy_ex = minus(level[0][north][lane], ex);
            const Values dx_ey = differences(ey, more ? level[1][ty][east].v[0] : REAL(0));
            Values curl_z = curl_of(scaled(dx_ey, xh, ic), REAL(1), dy_ex, iyh);
            if (mine && jc < g.ny) {
#pragma unroll
                for (int v = 0; v < V; ++v)
                    if (ic + v >= g.nx) curl_z.v[v] = REAL(0);
                store(h_next + 2 * volume + here + at, uniform(hz_at, da, minus_db, curl_z));
            }
        }
        hx_below = hx_up;
        hy_below = hy_up;
    }
}

KERNEL one_pass(
    const REAL* __restrict__ e, const REAL* __restrict__ h, REAL* __restrict__ e_next, REAL* __restrict__ h_next,
    const Id* __restrict__ ids, const REAL* __restrict__ coefficients, const REAL da, const REAL minus_db,
    const REAL* __restrict__ table_e, const REAL* __restrict__ table_h,
    const REAL* __restrict__ psi_x, const REAL* __restrict__ psi_y, const REAL* __restrict__ psi_z,
    GRID_ARGUMENTS, const int4* __restrict__ tiles, const int layered)
{
    COEFFICIENTS(mixtures);
    __shared__ Level planes[2];
    const Grid g = GRID;
    const int4 tile = tiles[blockIdx.x];
#define MARCH(LAYERED)                                                                                                   \
    march<LAYERED>(                                                                                                      \
        planes, mixtures, tile, g, e, h, e_next, h_next, ids, da, minus_db, table_e, table_h, psi_x, psi_y, psi_z)
    if (blockIdx.x < layered)
        MARCH(true);
    else
        MARCH(false);
}
