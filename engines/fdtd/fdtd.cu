// One leapfrog step of Maxwell's equations on Yee's grid, in two passes, and the sources:
//
//   E <- ca E + cb curl H,     H <- da H - db curl E          (H is kept as eta_0 H; lengths in the smallest spacing)
//
// Each difference d = ∂ in a curl is inverse[n] d + psi, psi <- b[n] psi + c[n] d, with psi only in the absorbing layers.
//
// Layout: E and H are (3, nz + 1, ny + 1, row), x fastest, row a multiple of 16; index n of a half does not exist, holds
// zero, and stands for −1 too (engines/fdtd/yee.py). ids: the same shape, uint8, into ca and cb; 0 has ca = cb = 0.
// psi_x: (2, nz + 1, ny + 1, slots), psi_y: (2, nz + 1, slots, row), psi_z: (2, slots, ny + 1, row); the first is that of
// the component of the next axis. table: inverse, b, c of x (row each), of y, of z (n + 1 each).
//
// A thread takes V values along x (one load of up to 16 bytes) and marches over `span` planes, keeping what two planes
// share in registers. Bytes per cell and pass in fp32: 36, and 3 for the ids (H: only with -DMAGNETIC).
//
// variants: -DREAL=float -DV=1; -DREAL=float -DV=2; -DREAL=float -DV=4; -DREAL=double -DV=1; -DREAL=double -DV=2
// variants: -DREAL=float -DV=1 -DMAGNETIC; -DREAL=float -DV=2 -DMAGNETIC; -DREAL=float -DV=4 -DMAGNETIC
// variants: -DREAL=double -DV=1 -DMAGNETIC; -DREAL=double -DV=2 -DMAGNETIC
// variants: -DREAL=float -DV=1 -DPOLES; -DREAL=float -DV=2 -DPOLES; -DREAL=float -DV=4 -DPOLES
// variants: -DREAL=double -DV=1 -DPOLES; -DREAL=double -DV=2 -DPOLES
// variants: -DREAL=float -DV=1 -DMAGNETIC -DPOLES; -DREAL=float -DV=2 -DMAGNETIC -DPOLES
// variants: -DREAL=float -DV=4 -DMAGNETIC -DPOLES
// variants: -DREAL=double -DV=1 -DMAGNETIC -DPOLES; -DREAL=double -DV=2 -DMAGNETIC -DPOLES

#include "fdtd/yee.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256, sizeof(REAL) == 8 ? 1 : 0)

// field <- a[id] field + b[id] curl
DEVICE void update(
    REAL* __restrict__ field, const unsigned char* __restrict__ ids, const REAL* a, const REAL* b, const Values& curl)
{
    Values value = load(field);
    const Ids id = *reinterpret_cast<const Ids*>(ids);
    mixed(value, id, a, b, curl);
    store(field, value);
}

DEVICE void update_uniform(REAL* __restrict__ field, const REAL a, const REAL b, const Values& curl)
{
    store(field, uniform(load(field), a, b, curl));
}

#ifdef POLES
#include "fdtd/poles.cuh"
#define POLARIZE(component, curl)                                                                                        \
    polarize(                                                                                                            \
        poles, (component * size_t(g.nz + 1) + k) * (g.ny + 1) + j, i, e + component * volume + here + at,               \
        ids + component * volume + here + at, curl)
#else
#define POLARIZE(component, curl)
#endif

DEVICE void read_table(REAL* shared, const REAL* __restrict__ from)
{
    const int threads = blockDim.x * blockDim.y;
    for (int n = threadIdx.y * blockDim.x + threadIdx.x; n < 512; n += threads) shared[n] = from[n];
    __syncthreads();
}

// Blocks of (bx, by) threads: bx V values along x, by rows, `span` planes. coefficients: ca (256), cb (256).
KERNEL electric(
    REAL* __restrict__ e, const REAL* __restrict__ h, const unsigned char* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, const REAL* __restrict__ psi_x,
    const REAL* __restrict__ psi_y, const REAL* __restrict__ psi_z, GRID_ARGUMENTS, const int span
#ifdef POLES
    ,
    POLE_ARGUMENTS
#endif
)
{
    __shared__ REAL shared[512];
    read_table(shared, coefficients);
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
        POLARIZE(0, curl_x);
        update(e + here + at, ids + here + at, shared, shared + 256, curl_x);
        POLARIZE(1, curl_y);
        update(e + volume + here + at, ids + volume + here + at, shared, shared + 256, curl_y);
        POLARIZE(2, curl_z);
        update(e + 2 * volume + here + at, ids + 2 * volume + here + at, shared, shared + 256, curl_z);
    }
}

// As above; coefficients: da (256), −db (256).
KERNEL magnetic(
    const REAL* __restrict__ e, REAL* __restrict__ h, const unsigned char* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, GRID_ARGUMENTS, const int span)
{
#ifdef MAGNETIC
    __shared__ REAL shared[512];
    read_table(shared, coefficients);
#define UPDATE_H(component, curl)                                                                                        \
    update(h + component * volume + here + at, ids + component * volume + here + at, shared, shared + 256, curl)
#else
    const REAL da = __ldg(coefficients), minus_db = __ldg(coefficients + 256);
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
        if (j < g.ny && k < g.nz) UPDATE_H(0, curl_x);
        if (k < g.nz) {
            // the half nx stays zero
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (i + v >= g.nx) curl_y.v[v] = REAL(0);
            UPDATE_H(1, curl_y);
        }
        if (j < g.ny) {
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (i + v >= g.nx) curl_z.v[v] = REAL(0);
            UPDATE_H(2, curl_z);
        }
    }
}

// What the sources add: thread n looks at entry n, and takes all entries of its place if it is the first of them.
DEVICE void inject(
    REAL* __restrict__ field, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, const REAL* __restrict__ signals, const int count, const int n)
{
    if (n >= count || (n > 0 && places[n - 1] == places[n])) return;
    REAL value = field[places[n]];
    for (int m = n; m < count && places[m] == places[n]; ++m) value += weights[m] * signals[slots[m]];
    field[places[n]] = value;
}

// Currents and, of plane waves, H of their lines go to E, and what that changes of the step that H took goes to H; then E
// of the lines takes its step. A thread for each entry and for each node of the lines. lines: (count, 3) first signal,
// nodes − 1, place in line_table; line_table: for each line inverse, b, c, psi (n + 1 each) and cb (or db).
KERNEL inject_electric(
    REAL* __restrict__ e, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, const int count, REAL* __restrict__ h, const long long* __restrict__ h_places,
    const REAL* __restrict__ h_weights, const int* __restrict__ h_slots, const int h_count, REAL* __restrict__ signals,
    REAL* __restrict__ line_table, const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(e, places, weights, slots, signals, count, n);
    inject(h, h_places, h_weights, h_slots, signals, h_count, n);
    for (int line = 0; line < line_count; ++line) {
        const int first = lines[3 * line], length = lines[3 * line + 1];
        REAL* const t = line_table + lines[3 * line + 2];
        const int size = length + 1;
        if (n < 1 || n >= length) continue;
        REAL* const line_e = signals + first;
        const REAL* const line_h = line_e + size;
        const REAL d = line_h[n] - line_h[n - 1];
        const REAL psi = t[size + n] * t[3 * size + n] + t[2 * size + n] * d;
        t[3 * size + n] = psi;
        line_e[n] -= t[4 * size] * (d * t[n] + psi);
    }
}

KERNEL inject_magnetic(
    REAL* __restrict__ h, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, REAL* __restrict__ signals, const int count, REAL* __restrict__ line_table,
    const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(h, places, weights, slots, signals, count, n);
    for (int line = 0; line < line_count; ++line) {
        const int first = lines[3 * line], length = lines[3 * line + 1];
        REAL* const t = line_table + lines[3 * line + 2];
        const int size = length + 1;
        if (n >= length) continue;
        const REAL* const line_e = signals + first;
        REAL* const line_h = signals + first + size;
        const REAL d = line_e[n + 1] - line_e[n];
        const REAL psi = t[size + n] * t[3 * size + n] + t[2 * size + n] * d;
        t[3 * size + n] = psi;
        line_h[n] -= t[4 * size] * (d * t[n] + psi);
    }
}

KERNEL drive(
    REAL* __restrict__ signals, const REAL* __restrict__ values, const int* __restrict__ drives, const int count,
    const int row, const int half)
{
    set_signals(signals, values, drives, count, row, half, threadIdx.x);
}

// sums: (blocks, 2) of ε E² and μ H² over the planes k = block, in float64; weights: (3, longest) part of a cell at a node.
KERNEL energy(
    const REAL* __restrict__ e, const REAL* __restrict__ h, const unsigned char* __restrict__ ids_e,
    const unsigned char* __restrict__ ids_h, const double* __restrict__ media, const double* __restrict__ weights,
    const int longest, double* __restrict__ sums, const int nx, const int ny, const int nz, const int row)
{
    __shared__ double part[2][256];
    const size_t plane = size_t(ny + 1) * row, volume = plane * (nz + 1);
    const int k = blockIdx.x;
    double electric = 0, magnetic = 0;
    for (size_t n = threadIdx.x; n < plane; n += 256) {
        const int j = int(n / row), i = int(n % row);
        if (i > nx) continue;
        const size_t at = k * plane + n;
        const double w[3] = {weights[i], weights[longest + j], weights[2 * longest + k]};
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const bool inside = c == 0 ? i < nx : c == 1 ? j < ny : k < nz;
            const bool others = (c == 0 || i < nx) && (c == 1 || j < ny) && (c == 2 || k < nz);
            const double of_e = e[c * volume + at], of_h = h[c * volume + at];
            if (inside) electric += media[ids_e[c * volume + at]] * w[(c + 1) % 3] * w[(c + 2) % 3] * of_e * of_e;
            if (others) magnetic += media[256 + (ids_h ? ids_h[c * volume + at] : 0)] * w[c] * of_h * of_h;
        }
    }
    part[0][threadIdx.x] = electric;
    part[1][threadIdx.x] = magnetic;
    for (int width = 128; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) {
            part[0][threadIdx.x] += part[0][threadIdx.x + width];
            part[1][threadIdx.x] += part[1][threadIdx.x + width];
        }
    }
    __syncthreads();
    if (threadIdx.x < 2) sums[2 * k + threadIdx.x] = part[threadIdx.x][0];
}
