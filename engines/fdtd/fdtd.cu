// One leapfrog step of Maxwell's equations on Yee's grid, in two passes, and the sources:
//
//   E <- ca E + cb curl H,     H <- da H - db curl E          (H is kept as eta_0 H; lengths in the smallest spacing)
//
// Each difference d = ∂ in a curl is inverse[n] d + psi, psi <- b[n] psi + c[n] d, with psi only in the absorbing layers.
//
// Layout: E and H are (3, nz + 1, ny + 1, row), x fastest, row a multiple of 16; index n of a half does not exist, holds
// zero, and stands for −1 too (engines/fdtd/yee.py). ids: the same shape, uint8 (-DWIDE: uint16), into ca
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

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(256, sizeof(REAL) == 8 ? 1 : 0)

// V values that are loaded together.
struct __align__(V * sizeof(REAL)) Values {
    REAL v[V];
};
// A table of 256 mixtures is kept in shared memory; a larger one is read through the read-only cache, a pair at a time.
#ifdef WIDE
typedef unsigned short Id;
#else
typedef unsigned char Id;
#endif
struct __align__(V * sizeof(Id)) Ids {
    Id v[V];
};
struct __align__(2 * sizeof(REAL)) Pair {
    REAL a, b;
};

// Counts, layers and the ends of axes.
struct Grid {
    int nx, ny, nz, row, low_x, high_x, low_y, high_y, low_z, high_z, wraps;
};
#define GRID_ARGUMENTS                                                                                                   \
    const int nx, const int ny, const int nz, const int row, const int low_x, const int high_x, const int low_y,         \
        const int high_y, const int low_z, const int high_z, const int wraps
#define GRID {nx, ny, nz, row, low_x, high_x, low_y, high_y, low_z, high_z, wraps}

// inverse, b and c of one axis.
struct Table {
    const REAL* __restrict__ inverse;
    int length;
    __device__ __forceinline__ REAL at(const int n) const { return __ldg(inverse + n); }
    __device__ __forceinline__ REAL b(const int n) const { return __ldg(inverse + length + n); }
    __device__ __forceinline__ REAL c(const int n) const { return __ldg(inverse + 2 * length + n); }
};

DEVICE Values load(const REAL* __restrict__ from)
{
    return *reinterpret_cast<const Values*>(from);
}

// The place of a node or half in psi, −1 outside of the layers; `start`: first one of the high layer.
DEVICE int slot_of(const int n, const int low, const int start)
{
    return n < low ? n : n >= start ? low + n - start : -1;
}

// A row (V values of it) in a layer of y or z: psi <- b psi + c d, curl += sign psi.
DEVICE void layer(REAL* __restrict__ psi, const REAL b, const REAL c, const Values& d, const REAL sign, Values& curl)
{
    Values old = load(psi);
#pragma unroll
    for (int v = 0; v < V; ++v) {
        old.v[v] = b * old.v[v] + c * d.v[v];
        curl.v[v] += sign * old.v[v];
    }
    *reinterpret_cast<Values*>(psi) = old;
}

// The same in a layer of x; psi: of this row.
DEVICE void layer_x(
    REAL* __restrict__ psi, const Table& x, const int first, const int low, const int start, const int end, const Values& d,
    const REAL sign, Values& curl)
{
#pragma unroll
    for (int v = 0; v < V; ++v) {
        const int n = first + v, slot = slot_of(n, low, start);
        if (slot >= 0 && n < end) {
            const REAL next = x.b(n) * psi[slot] + x.c(n) * d.v[v];
            psi[slot] = next;
            curl.v[v] += sign * next;
        }
    }
}

DEVICE Values minus(const Values& a, const Values& b)
{
    Values d;
#pragma unroll
    for (int v = 0; v < V; ++v) d.v[v] = a.v[v] - b.v[v];
    return d;
}

// p ip − q iq with one number each, or one per value.
DEVICE Values curl_of(const Values& p, const REAL ip, const Values& q, const REAL iq)
{
    Values curl;
#pragma unroll
    for (int v = 0; v < V; ++v) curl.v[v] = p.v[v] * ip - q.v[v] * iq;
    return curl;
}

DEVICE Values scaled(const Values& a, const Table& x, const int first)
{
    Values s;
#pragma unroll
    for (int v = 0; v < V; ++v) s.v[v] = a.v[v] * x.at(first + v);
    return s;
}

// The two coefficients of a mixture. table: pairs of them (-DWIDE), or 256 times a and then 256 times b.
#ifdef WIDE
DEVICE Pair pair_at(const float* __restrict__ table, const int id)
{
    const float2 pair = __ldg(reinterpret_cast<const float2*>(table) + id);
    return {REAL(pair.x), REAL(pair.y)};
}
DEVICE Pair pair_at(const double* __restrict__ table, const int id)
{
    const double2 pair = __ldg(reinterpret_cast<const double2*>(table) + id);
    return {REAL(pair.x), REAL(pair.y)};
}
#define MINUS_DB 1
#define COEFFICIENTS(name) const REAL* const name = coefficients
#else
DEVICE Pair pair_at(const REAL* table, const int id)
{
    return {table[id], table[256 + id]};
}
#define MINUS_DB 256
#define COEFFICIENTS(name)                                                                                               \
    __shared__ REAL name[512];                                                                                           \
    read_table(name, coefficients)
#endif

// field <- a[id] field + b[id] curl
DEVICE void update(
    REAL* __restrict__ field, const Id* __restrict__ ids, const REAL* of, const Values& curl)
{
    Values value = load(field);
    const Ids id = *reinterpret_cast<const Ids*>(ids);
#pragma unroll
    for (int v = 0; v < V; ++v) {
        const Pair c = pair_at(of, id.v[v]);
        value.v[v] = c.a * value.v[v] + c.b * curl.v[v];
    }
    *reinterpret_cast<Values*>(field) = value;
}

DEVICE void update_uniform(REAL* __restrict__ field, const REAL a, const REAL b, const Values& curl)
{
    Values value = load(field);
#pragma unroll
    for (int v = 0; v < V; ++v) value.v[v] = a * value.v[v] + b * curl.v[v];
    *reinterpret_cast<Values*>(field) = value;
}

DEVICE void read_table(REAL* shared, const REAL* __restrict__ from)
{
    const int threads = blockDim.x * blockDim.y;
    for (int n = threadIdx.y * blockDim.x + threadIdx.x; n < 512; n += threads) shared[n] = from[n];
    __syncthreads();
}

// Blocks of (bx, by) threads: bx V values along x, by rows, `span` planes. coefficients: ca and cb,
// laid out as pair_at reads them.
KERNEL electric(
    REAL* __restrict__ e, const REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, REAL* __restrict__ psi_x,
    REAL* __restrict__ psi_y, REAL* __restrict__ psi_z, GRID_ARGUMENTS, const int span)
{
    COEFFICIENTS(mixtures);
    const Grid g = GRID;
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
    const int slots_x = g.low_x + g.high_x, slots_y = g.low_y + g.high_y;
    const int start_x = g.nx - g.high_x + 1, slot_y = slot_of(j, g.low_y, g.ny - g.high_y + 1);
    const int start_z = g.nz - g.high_z + 1;
    const bool in_x = i < g.low_x || i + V > start_x;
    const REAL iy = y.at(j), by = y.b(j), cy = y.c(j);
    const size_t below = size_t(first > 0 ? first - 1 : wraps_z ? g.nz - 1 : g.nz) * plane;
    Values hx_below = load(h + below + at), hy_below = load(h + volume + below + at);
    for (int k = first; k < last; ++k) {
        const size_t here = size_t(k) * plane, half = wraps_z && k == g.nz ? 0 : here;
        const REAL iz = z.at(k);
        const int slot_z = slot_of(k, g.low_z, start_z);
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
        if (in_x) {
            REAL* psi = psi_x + (size_t(k) * (g.ny + 1) + j) * slots_x;
            layer_x(psi, x, i, g.low_x, start_x, g.nx + 1, dx_hz, REAL(-1), curl_y);
            psi += size_t(g.nz + 1) * (g.ny + 1) * slots_x;
            layer_x(psi, x, i, g.low_x, start_x, g.nx + 1, dx_hy, REAL(1), curl_z);
        }
        if (slot_y >= 0) {
            REAL* psi = psi_y + (size_t(k) * slots_y + slot_y) * g.row + i;
            layer(psi, by, cy, dy_hx, REAL(-1), curl_z);
            layer(psi + size_t(g.nz + 1) * slots_y * g.row, by, cy, dy_hz, REAL(1), curl_x);
        }
        if (slot_z >= 0) {
            REAL* psi = psi_z + slot_z * plane + at;
            layer(psi, z.b(k), z.c(k), dz_hy, REAL(-1), curl_x);
            layer(psi + (g.low_z + g.high_z) * plane, z.b(k), z.c(k), dz_hx, REAL(1), curl_y);
        }
        update(e + here + at, ids + here + at, mixtures, curl_x);
        update(e + volume + here + at, ids + volume + here + at, mixtures, curl_y);
        update(e + 2 * volume + here + at, ids + 2 * volume + here + at, mixtures, curl_z);
    }
}

// As above; coefficients: da and −db.
KERNEL magnetic(
    const REAL* __restrict__ e, REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, REAL* __restrict__ psi_x,
    REAL* __restrict__ psi_y, REAL* __restrict__ psi_z, GRID_ARGUMENTS, const int span)
{
#ifdef MAGNETIC
    COEFFICIENTS(mixtures);
#define UPDATE_H(component, curl)                                                                                        \
    update(h + component * volume + here + at, ids + component * volume + here + at, mixtures, curl)
#else
    const REAL da = __ldg(coefficients), minus_db = __ldg(coefficients + MINUS_DB);
#define UPDATE_H(component, curl) update_uniform(h + component * volume + here + at, da, minus_db, curl)
#endif
    const Grid g = GRID;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * V, j = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.z * span, last = min(first + span, g.nz + 1);
    if (i >= g.row || j > g.ny) return;
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const size_t plane = size_t(g.ny + 1) * g.row, volume = plane * (g.nz + 1), at = size_t(j) * g.row + i;
    const int slots_x = g.low_x + g.high_x, slots_y = g.low_y + g.high_y;
    const int start_x = g.nx - g.high_x, slot_y = slot_of(j, g.low_y, g.ny - g.high_y), start_z = g.nz - g.high_z;
    const bool in_x = i < g.low_x || i + V > start_x;
    const REAL iy = y.at(j), by = y.b(j), cy = y.c(j);
    // the differences of the halves ny are of no use, but what they read has to be there
    const size_t at_north = j < g.ny ? at + g.row : at;
    Values ex_at = load(e + size_t(first) * plane + at), ey_at = load(e + volume + size_t(first) * plane + at);
    for (int k = first; k < last; ++k) {
        const size_t here = size_t(k) * plane, above = k < g.nz ? here + plane : here;
        const REAL iz = z.at(k);
        const int slot_z = slot_of(k, g.low_z, start_z);
        const REAL* ey = e + volume + here;
        const REAL* ez = e + 2 * volume + here;
        const Values ex_up = load(e + above + at), ey_up = load(e + volume + above + at), ez_at = load(ez + at);
        const Values dz_ex = minus(ex_up, ex_at), dz_ey = minus(ey_up, ey_at);
        const Values dy_ex = minus(load(e + here + at_north), ex_at), dy_ez = minus(load(ez + at_north), ez_at);
        Values dx_ey, dx_ez;
        const bool more = i + V < g.row;
        const REAL next_y = more ? ey[at + V] : REAL(0), next_z = more ? ez[at + V] : REAL(0);
#pragma unroll
        for (int v = 0; v < V; ++v) {
            dx_ey.v[v] = (v + 1 < V ? ey_at.v[(v + 1) % V] : next_y) - ey_at.v[v];
            dx_ez.v[v] = (v + 1 < V ? ez_at.v[(v + 1) % V] : next_z) - ez_at.v[v];
        }
        ex_at = ex_up;
        ey_at = ey_up;
        Values curl_x = curl_of(dy_ez, iy, dz_ey, iz);
        Values curl_y = curl_of(dz_ex, iz, scaled(dx_ez, x, i), REAL(1));
        Values curl_z = curl_of(scaled(dx_ey, x, i), REAL(1), dy_ex, iy);
        if (in_x) {
            REAL* psi = psi_x + (size_t(k) * (g.ny + 1) + j) * slots_x;
            layer_x(psi, x, i, g.low_x, start_x, g.nx, dx_ez, REAL(-1), curl_y);
            psi += size_t(g.nz + 1) * (g.ny + 1) * slots_x;
            layer_x(psi, x, i, g.low_x, start_x, g.nx, dx_ey, REAL(1), curl_z);
        }
        if (slot_y >= 0 && j < g.ny) {
            REAL* psi = psi_y + (size_t(k) * slots_y + slot_y) * g.row + i;
            layer(psi, by, cy, dy_ex, REAL(-1), curl_z);
            layer(psi + size_t(g.nz + 1) * slots_y * g.row, by, cy, dy_ez, REAL(1), curl_x);
        }
        if (slot_z >= 0 && k < g.nz) {
            REAL* psi = psi_z + slot_z * plane + at;
            layer(psi, z.b(k), z.c(k), dz_ey, REAL(-1), curl_x);
            layer(psi + (g.low_z + g.high_z) * plane, z.b(k), z.c(k), dz_ex, REAL(1), curl_y);
        }
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

// Currents and, of plane waves, H of their lines go to E; then E of the lines takes its step.
// A thread for each entry and for each node of the lines. lines: (count, 3) first signal, nodes − 1, place in line_table;
// line_table: for each line inverse, b, c, psi (n + 1 each) and cb (or db).
KERNEL inject_electric(
    REAL* __restrict__ e, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, REAL* __restrict__ signals, const int count, REAL* __restrict__ line_table,
    const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(e, places, weights, slots, signals, count, n);
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

// signals[slot] <- values[step][n] of those drives whose `half` is as asked.
KERNEL drive(
    REAL* __restrict__ signals, const REAL* __restrict__ values, const int* __restrict__ drives, const int count,
    const int step, const int half)
{
    const int n = threadIdx.x;
    if (n < count && drives[2 * n + 1] == half) signals[drives[2 * n]] = values[step * count + n];
}

// sums: (blocks, 2) of ε E² and μ H² over the planes k = block, in float64; weights: (3, longest) part of a cell at a node;
// media: ε of ``mixtures`` mixtures along edges, then μ of those at faces.
KERNEL energy(
    const REAL* __restrict__ e, const REAL* __restrict__ h, const Id* __restrict__ ids_e, const Id* __restrict__ ids_h,
    const double* __restrict__ media, const int mixtures, const double* __restrict__ weights, const int longest,
    double* __restrict__ sums, const int nx, const int ny, const int nz, const int row)
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
            if (others) magnetic += media[mixtures + (ids_h ? ids_h[c * volume + at] : 0)] * w[c] * of_h * of_h;
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
