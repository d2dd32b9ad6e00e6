// The two passes of a step with the absorbing layers (CPML) in them, for the Kernel Lab alone: no run launches this.
//
// The engine has its layers in kernels of their own (layers.cu), because in the pass they take registers of every thread,
// also of those in the middle. Arguments, layout and arithmetic as in fdtd.cu and layers.cu: psi <- b psi + c d where a
// thread has the difference d, and is added to the curl.
//
// variants: -DREAL=float -DV=1; -DREAL=float -DV=2; -DREAL=float -DV=4; -DREAL=double -DV=1; -DREAL=double -DV=2

#include "fdtd/step/curl/yee.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256, sizeof(REAL) == 8 ? 1 : 0)

// psi <- b psi + c d in a layer of y or z, added to the curl with its sign.
DEVICE void layer(REAL* __restrict__ psi, const REAL b, const REAL c, const Values& d, const REAL sign, Values& curl)
{
    Values next = load(psi);
#pragma unroll
    for (int v = 0; v < V; ++v) {
        next.v[v] = fma(b, next.v[v], c * d.v[v]);
        curl.v[v] = fma(sign, next.v[v], curl.v[v]);
    }
    store(psi, next);
}

// The same in a layer of x, whose b and c change along the values; beyond the layer c is zero, and so is psi.
DEVICE void layer_x(REAL* __restrict__ psi, const Table& x, const int i, const Values& d, const REAL sign, Values& curl)
{
    Values next = load(psi);
#pragma unroll
    for (int v = 0; v < V; ++v) {
        next.v[v] = fma(x.b(i + v), next.v[v], x.c(i + v) * d.v[v]);
        curl.v[v] = fma(sign, next.v[v], curl.v[v]);
    }
    store(psi, next);
}

#define LAYER_ARGUMENTS REAL* __restrict__ psi_x, REAL* __restrict__ psi_y, REAL* __restrict__ psi_z

// What the layers add to a curl; later: 1 for E, whose high layers begin a node behind those of H.
DEVICE void layers(
    LAYER_ARGUMENTS, const Grid& g, const Table& x, const Table& y, const Table& z, const int i, const int j, const int k,
    const int later, const Values& dx_y, const Values& dx_z, const Values& dy_x, const Values& dy_z, const Values& dz_x,
    const Values& dz_y, Values& curl_x, Values& curl_y, Values& curl_z)
{
    const int slot_x = slot_of(i, g.low_x, g.high_x), slots_x = g.low_x + g.row - g.high_x;
    if (slot_x >= 0) {
        REAL* psi = psi_x + (size_t(k) * (g.ny + 1) + j) * slots_x + slot_x;
        layer_x(psi, x, i, dx_z, REAL(-1), curl_y);
        layer_x(psi + size_t(g.nz + 1) * (g.ny + 1) * slots_x, x, i, dx_y, REAL(1), curl_z);
    }
    const int slot_y = slot_of(j, g.low_y, g.ny - g.high_y + later), slots_y = g.low_y + g.high_y;
    if (slot_y >= 0 && slot_y < slots_y) {
        REAL* psi = psi_y + (size_t(k) * slots_y + slot_y) * g.row + i;
        layer(psi, y.b(j), y.c(j), dy_x, REAL(-1), curl_z);
        layer(psi + size_t(g.nz + 1) * slots_y * g.row, y.b(j), y.c(j), dy_z, REAL(1), curl_x);
    }
    const int slot_z = slot_of(k, g.low_z, g.nz - g.high_z + later), slots_z = g.low_z + g.high_z;
    if (slot_z >= 0 && slot_z < slots_z) {
        const size_t plane = size_t(g.ny + 1) * g.row;
        REAL* psi = psi_z + slot_z * plane + size_t(j) * g.row + i;
        layer(psi, z.b(k), z.c(k), dz_y, REAL(-1), curl_x);
        layer(psi + slots_z * plane, z.b(k), z.c(k), dz_x, REAL(1), curl_y);
    }
}

// Between walls alone: what stands beyond one is the half n, zero for ever.
KERNEL electric(
    REAL* __restrict__ e, const REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, LAYER_ARGUMENTS, GRID_ARGUMENTS, const int span)
{
    COEFFICIENTS(mixtures);
    const Grid g = GRID;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * V, j = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.z * span, last = min(first + span, g.nz + 1);
    if (i >= g.row || j > g.ny) return;
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const size_t plane = size_t(g.ny + 1) * g.row, volume = plane * (g.nz + 1), at = size_t(j) * g.row + i;
    const size_t at_low = size_t(j > 0 ? j - 1 : g.ny) * g.row + i, left = at - i + (i > 0 ? i - 1 : g.nx);
    const REAL iy = y.at(j);
    const size_t below = size_t(first > 0 ? first - 1 : g.nz) * plane;
    Values hx_below = load(h + below + at), hy_below = load(h + volume + below + at);
    for (int k = first; k < last; ++k) {
        const size_t here = size_t(k) * plane;
        const REAL iz = z.at(k);
        const REAL* hx = h + here;
        const REAL* hy = h + volume + here;
        const REAL* hz = h + 2 * volume + here;
        const Values hx_at = load(hx + at), hy_at = load(hy + at), hz_at = load(hz + at);
        const Values dz_hx = minus(hx_at, hx_below), dz_hy = minus(hy_at, hy_below);
        hx_below = hx_at;
        hy_below = hy_at;
        const Values dy_hz = minus(hz_at, load(hz + at_low)), dy_hx = minus(hx_at, load(hx + at_low));
        Values dx_hy, dx_hz;
        REAL before_y = hy[left], before_z = hz[left];
#pragma unroll
        for (int v = 0; v < V; ++v) {
            dx_hy.v[v] = hy_at.v[v] - before_y;
            dx_hz.v[v] = hz_at.v[v] - before_z;
            before_y = hy_at.v[v];
            before_z = hz_at.v[v];
        }
        Values curl_x = curl_of(dy_hz, iy, dz_hy, iz);
        Values curl_y = curl_of(dz_hx, iz, scaled(dx_hz, x, i), REAL(1));
        Values curl_z = curl_of(scaled(dx_hy, x, i), REAL(1), dy_hx, iy);
        layers(
            psi_x, psi_y, psi_z, g, x, y, z, i, j, k, 1, dx_hy, dx_hz, dy_hx, dy_hz, dz_hx, dz_hy, curl_x, curl_y, curl_z);
#define UPDATE_E(component, curl)                                                                                        \
    {                                                                                                                    \
        Values value = load(e + component * volume + here + at);                                                         \
        mixed(value, *reinterpret_cast<const Ids*>(ids + component * volume + here + at), mixtures, curl);               \
        store(e + component * volume + here + at, value);                                                                \
    }
        UPDATE_E(0, curl_x)
        UPDATE_E(1, curl_y)
        UPDATE_E(2, curl_z)
    }
}

// coefficients: da and −db.
KERNEL magnetic(
    const REAL* __restrict__ e, REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, LAYER_ARGUMENTS, GRID_ARGUMENTS, const int span)
{
    const REAL da = __ldg(coefficients), minus_db = __ldg(coefficients + SECOND);
    const Grid g = GRID;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * V, j = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.z * span, last = min(first + span, g.nz + 1);
    if (i >= g.row || j > g.ny) return;
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const size_t plane = size_t(g.ny + 1) * g.row, volume = plane * (g.nz + 1), at = size_t(j) * g.row + i;
    const REAL iy = y.at(j);
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
        Values curl_x = curl_of(dy_ez, iy, dz_ey, iz);
        Values curl_y = curl_of(dz_ex, iz, scaled(dx_ez, x, i), REAL(1));
        Values curl_z = curl_of(scaled(dx_ey, x, i), REAL(1), dy_ex, iy);
        layers(
            psi_x, psi_y, psi_z, g, x, y, z, i, j, k, 0, dx_ey, dx_ez, dy_ex, dy_ez, dz_ex, dz_ey, curl_x, curl_y, curl_z);
        // the half nx stays zero
#pragma unroll
        for (int v = 0; v < V; ++v)
            if (i + v >= g.nx) curl_y.v[v] = curl_z.v[v] = REAL(0);
#define UPDATE_H(component, curl)                                                                                        \
    {                                                                                                                    \
        REAL* field = h + component * volume + here + at;                                                                \
        store(field, uniform(load(field), da, minus_db, curl));                                                          \
    }
        if (j < g.ny && k < g.nz) UPDATE_H(0, curl_x)
        if (k < g.nz) UPDATE_H(1, curl_y)
        if (j < g.ny) UPDATE_H(2, curl_z)
    }
}
