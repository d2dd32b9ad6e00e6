// One leapfrog step of Maxwell's equations on Yee's grid, in two passes:
//
//   E <- ca E + cb curl H,     H <- da H - db curl E          (H is kept as eta_0 H; lengths in the smallest spacing)
//
// Each difference d = ∂ in a curl is inverse[n] d + psi, psi <- b[n] psi + c[n] d, with psi only in the absorbing layers.
//
// Layout: E and H are (3, nz + 1, ny + 1, row), x fastest, row a multiple of 16; index n of a half does not exist, holds
// zero, and stands for −1 too (engines/fdtd/grid/yee.py). ids: the same shape, uint8 (-DWIDE: uint16), into ca
// and cb; 0 has ca = cb = 0.
// psi_x: (2, nz + 1, ny + 1, slots), psi_y: (2, nz + 1, slots, row), psi_z: (2, slots, ny + 1, row); the first is that of
// the component of the next axis. table: inverse, b, c of x (row each), of y, of z (n + 1 each).
//
// A thread takes V values along x (one load of up to 16 bytes) and marches over `span` planes, keeping what two planes
// share in registers. Bytes per cell and pass in fp32: 36, and 3 for the ids (H: only with -DMAGNETIC).
//
// variants: -DREAL=float -DV=1; -DREAL=float -DV=2; -DREAL=float -DV=4; -DREAL=double -DV=1; -DREAL=double -DV=2
// variants: -DREAL=float -DV=1 -DMAGNETIC; -DREAL=float -DV=2 -DMAGNETIC; -DREAL=float -DV=4 -DMAGNETIC
// variants: -DREAL=double -DV=1 -DMAGNETIC; -DREAL=double -DV=2 -DMAGNETIC
// variants: -DREAL=float -DV=4 -DWIDE; -DREAL=double -DV=2 -DWIDE
// variants: -DREAL=float -DV=4 -DMAGNETIC -DWIDE; -DREAL=double -DV=2 -DMAGNETIC -DWIDE
// variants: -DREAL=float -DV=4 -DPOLES -DWIDE; -DREAL=double -DV=2 -DPOLES -DWIDE
// variants: -DREAL=float -DV=1 -DPOLES; -DREAL=float -DV=2 -DPOLES; -DREAL=float -DV=4 -DPOLES
// variants: -DREAL=double -DV=1 -DPOLES; -DREAL=double -DV=2 -DPOLES
// variants: -DREAL=float -DV=4 -DPARTS=28; -DREAL=double -DV=2 -DPARTS=28
// variants: -DREAL=float -DV=4 -DMAGNETIC -DPARTS=35; -DREAL=double -DV=2 -DMAGNETIC -DPARTS=35
// variants: -DREAL=float -DV=4 -DPOLES -DPARTS=28; -DREAL=double -DV=2 -DPOLES -DPARTS=28
// variants: -DREAL=float -DV=4 -DWIDE -DPARTS=28; -DREAL=double -DV=2 -DWIDE -DPARTS=28
// variants: -DREAL=float -DV=4 -DMAGNETIC -DWIDE -DPARTS=35; -DREAL=double -DV=2 -DMAGNETIC -DWIDE -DPARTS=35
// variants: -DREAL=float -DV=4 -DPOLES -DWIDE -DPARTS=28; -DREAL=double -DV=2 -DPOLES -DWIDE -DPARTS=28
// any: PARTS
//
// PARTS: which components are stepped, bits 0 … 2 of E and 3 … 5 of H (28: E_z, H_x, H_y); what the others would need is
// not even read. A flat z has iz = 0 and is launched with one plane. -DMAGNETIC concerns H alone, -DPOLES E alone.

#ifndef PARTS
#define PARTS 63
#endif
#define HAS_E(c) ((PARTS >> (c)) & 1)
#define HAS_H(c) ((PARTS >> (3 + (c))) & 1)

#include "fdtd/step/curl/yee.cuh"

// Held to 64 registers, a multiprocessor has 32 warps, which saves 5 to 17 % of the time (E takes 76 otherwise, 138 in fp64).
// Poles get 80; other variants and the assemblers of other architectures would spill.
#if PARTS == 63 && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
#ifdef POLES
#define RESIDENT V * sizeof(REAL) == 16 ? 3 : 1
#else
#define RESIDENT V * sizeof(REAL) == 16 ? 4 : 1
#endif
#elif __CUDA_ARCH__ >= 1000
#define RESIDENT 1
#else
#define RESIDENT sizeof(REAL) == 8 ? 1 : 0
#endif
#define KERNEL extern "C" __global__ void __launch_bounds__(256, RESIDENT)

// field <- a[id] field + b[id] curl
DEVICE void update(REAL* __restrict__ field, const Id* __restrict__ ids, const REAL* of, const Values& curl)
{
    Values value = load(field);
    const Ids id = *reinterpret_cast<const Ids*>(ids);
    mixed(value, id, of, curl);
    store(field, value);
}

DEVICE void update_uniform(REAL* __restrict__ field, const REAL a, const REAL b, const Values& curl)
{
    store(field, uniform(load(field), a, b, curl));
}

#ifdef POLES
#include "fdtd/step/curl/poles.cuh"
#define POLARIZE(component, curl)                                                                                        \
    polarize(                                                                                                            \
        poles, (component * size_t(g.nz + 1) + k) * (g.ny + 1) + j, i, e + component * volume + here + at,               \
        ids + component * volume + here + at, curl)
#else
#define POLARIZE(component, curl)
#endif

// Blocks of (bx, by) threads: bx V values along x, by rows, `span` planes. coefficients: ca and cb, as pair_at reads
// them.
KERNEL electric(
    REAL* __restrict__ e, const REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, const REAL* __restrict__ psi_x,
    const REAL* __restrict__ psi_y, const REAL* __restrict__ psi_z, GRID_ARGUMENTS, const int span
#ifdef POLES
    ,
    POLE_ARGUMENTS
#endif
)
{
    COEFFICIENTS(mixtures);
    const Grid g = GRID;
#ifdef POLES
    const Poles poles = POLES_OF;
#endif
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * V, j = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.z * span, last = min(first + span, g.nz + 1);
    if (i >= g.row || j > g.ny) return;
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const size_t plane = size_t(g.ny + 1) * g.row, volume = plane * (g.nz + 1), at = size_t(j) * g.row + i;
    const bool wraps_x = g.wraps & 1, wraps_y = g.wraps & 2, wraps_z = g.wraps & 4;
    const size_t at_high = wraps_y && j == g.ny ? i : at;
    const size_t at_low = size_t(j > 0 ? j - 1 : wraps_y ? g.ny - 1 : g.ny) * g.row + i;
    const size_t left = at - i + (i > 0 ? i - 1 : wraps_x ? g.nx - 1 : g.nx);
    const int end = wraps_x ? g.nx - i : -1;  // the value at node nx, which takes the half 0 for the half nx
    const REAL iy = y.at(j);
    const size_t below = size_t(first > 0 ? first - 1 : wraps_z ? g.nz - 1 : g.nz) * plane;
    Values hx_below = load(h + below + at), hy_below = load(h + volume + below + at);
    for (int k = first; k < last; ++k) {
        const size_t here = size_t(k) * plane, half = wraps_z && k == g.nz ? 0 : here;
        const REAL iz = z.at(k);
        const REAL* hx = h + here;
        const REAL* hy = h + volume + here;
        const REAL* hz = h + 2 * volume + here;
        const Values hz_at = load(hz + at);
        Values hy_at = load(hy + at);
        const Values hx_up = load(h + half + at), hy_up = load(h + volume + half + at);
        const Values dz_hx = minus(hx_up, hx_below), dz_hy = minus(hy_up, hy_below);
        hx_below = hx_up;
        hy_below = hy_up;
        const Values dy_hz = minus(load(hz + at_high), load(hz + at_low));
        const Values dy_hx = minus(load(hx + at_high), load(hx + at_low));
        Values dx_hy, dx_hz;
        REAL before_y = hy[left], before_z = hz[left];
#pragma unroll
        for (int v = 0; v < V; ++v) {
            const REAL ahead_y = v == end ? hy[at - i] : hy_at.v[v], ahead_z = v == end ? hz[at - i] : hz_at.v[v];
            dx_hy.v[v] = ahead_y - before_y;
            dx_hz.v[v] = ahead_z - before_z;
            before_y = hy_at.v[v];
            before_z = hz_at.v[v];
        }
        Values curl_x = curl_of(dy_hz, iy, dz_hy, iz);
        Values curl_y = curl_of(dz_hx, iz, scaled(dx_hz, x, i), REAL(1));
        Values curl_z = curl_of(scaled(dx_hy, x, i), REAL(1), dy_hx, iy);
        Values more_x, more_y, more_z;
        layers_at(psi_x, psi_y, psi_z, g, i, j, k, more_x, more_y, more_z);
        add(curl_x, more_x);
        add(curl_y, more_y);
        add(curl_z, more_z);
        if (HAS_E(0)) {
            POLARIZE(0, curl_x);
            update(e + here + at, ids + here + at, mixtures, curl_x);
        }
        if (HAS_E(1)) {
            POLARIZE(1, curl_y);
            update(e + volume + here + at, ids + volume + here + at, mixtures, curl_y);
        }
        if (HAS_E(2)) {
            POLARIZE(2, curl_z);
            update(e + 2 * volume + here + at, ids + 2 * volume + here + at, mixtures, curl_z);
        }
    }
}

// As above; coefficients: da and −db.
KERNEL magnetic(
    const REAL* __restrict__ e, REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, GRID_ARGUMENTS, const int span)
{
#ifdef MAGNETIC
    COEFFICIENTS(mixtures);
#define UPDATE_H(component, curl)                                                                                        \
    update(h + component * volume + here + at, ids + component * volume + here + at, mixtures, curl)
#else
    const REAL da = __ldg(coefficients), minus_db = __ldg(coefficients + SECOND);
#define UPDATE_H(component, curl) update_uniform(h + component * volume + here + at, da, minus_db, curl)
#endif
    const Grid g = GRID;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * V, j = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.z * span, last = min(first + span, g.nz + 1);
    if (i >= g.row || j > g.ny) return;
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const size_t plane = size_t(g.ny + 1) * g.row, volume = plane * (g.nz + 1), at = size_t(j) * g.row + i;
    const REAL iy = y.at(j);
    // the differences of the halves ny are of no use, but what they read has to be there
    const size_t at_north = j < g.ny ? at + g.row : at;
    Values ex_at = load(e + size_t(first) * plane + at), ey_at = load(e + volume + size_t(first) * plane + at);
    for (int k = first; k < last; ++k) {
        const size_t here = size_t(k) * plane, above = k < g.nz ? here + plane : here;
        const REAL iz = z.at(k);
        const REAL* ey = e + volume + here;
        const REAL* ez = e + 2 * volume + here;
        const Values ex_up = load(e + above + at), ey_up = load(e + volume + above + at), ez_at = load(ez + at);
        const Values dz_ex = minus(ex_up, ex_at), dz_ey = minus(ey_up, ey_at);
        const Values dy_ex = minus(load(e + here + at_north), ex_at), dy_ez = minus(load(ez + at_north), ez_at);
        const bool more = i + V < g.row;
        const Values dx_ey = differences(ey_at, more ? ey[at + V] : REAL(0));
        const Values dx_ez = differences(ez_at, more ? ez[at + V] : REAL(0));
        ex_at = ex_up;
        ey_at = ey_up;
        const Values curl_x = curl_of(dy_ez, iy, dz_ey, iz);
        Values curl_y = curl_of(dz_ex, iz, scaled(dx_ez, x, i), REAL(1));
        Values curl_z = curl_of(scaled(dx_ey, x, i), REAL(1), dy_ex, iy);
        if (HAS_H(0) && j < g.ny && k < g.nz) UPDATE_H(0, curl_x);
        if (HAS_H(1) && k < g.nz) {
            // the half nx stays zero
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (i + v >= g.nx) curl_y.v[v] = REAL(0);
            UPDATE_H(1, curl_y);
        }
        if (HAS_H(2) && j < g.ny) {
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (i + v >= g.nx) curl_z.v[v] = REAL(0);
            UPDATE_H(2, curl_z);
        }
    }
}
