// Many steps of a small grid in one launch: place by place those of fdtd.cu, layers.cu and inject.cu, with the same bits.
//
// Fields, ids, tables and psi as there; psi takes its step with the field that it belongs to. The grid is cut into bricks of
// whole rows, `tall` rows by `deep` planes, each the work of one block, which steps the same vectors of V values over and
// over. Blocks wait for each other after E, after H and after what sources add. Sources are apart from the layers, so that
// H may get what the layers add to it before what the sources do.
//
// -DKEPT: H of a brick stays in shared memory; what others read of it is written to memory as well, the rest at the end.
// -DASKS: for bricks that a thread has several vectors of: what they read is asked for in advance.
//
// values: (steps, drives); counters: as of Group. Entries of sources are in the order of bricks: those of brick b begin at
// starts[b]. order: bricks as blocks take them, one each and then one each again, so that layers are shared out.
//
// between: there are lines or entries of H alone, and what sources add has a time of its own between H and E. Else E gets
// its entries before its next step, when all have read it, and signals of every other step are those of `spare`.
//
// variants: -DREAL=float -DV=4 -DTHREADS=512; -DREAL=float -DV=4 -DTHREADS=640 -DKEPT
// variants: -DREAL=float -DV=4 -DTHREADS=512 -DKEPT -DASKS
// variants: -DREAL=double -DV=2 -DTHREADS=512; -DREAL=double -DV=2 -DTHREADS=512 -DKEPT -DASKS

#include "backend/devices/group.cuh"
#include "fdtd/step/curl/yee.cuh"
#include "fdtd/step/inject/inject.cuh"

// Entries of the sources for one field.
struct Entries {
    const long long* places;
    const REAL* weights;
    const int *slots, *starts;
};
#define ENTRIES(name)                                                                                                    \
    const long long *__restrict__ name##_places, const REAL *__restrict__ name##_weights,                                \
        const int *__restrict__ name##_slots, const int *__restrict__ name##_starts
#define ENTRIES_OF(name) {name##_places, name##_weights, name##_slots, name##_starts}

struct Fields {
    REAL *e, *h, *psi_ex, *psi_ey, *psi_ez, *psi_hx, *psi_hy, *psi_hz;
    int volume;
};

#ifdef KEPT
#define KEEPS true
#else
#define KEEPS false
#endif

// A point of a brick: node or half of each axis, its place in a component of the grid.
struct Point {
    int i, j, k, at;
};

// Rows j0 … j1 − 1 of planes k0 … k1 − 1, each of `vectors` vectors; kept: three components of H there.
struct Brick {
    int j0, j1, k0, k1, vectors;
    REAL* kept;

    __device__ __forceinline__ int count() const { return vectors * (j1 - j0) * (k1 - k0); }
    __device__ __forceinline__ Point point(const Grid& g, const int number) const
    {
        const int line = number / vectors, k = line / (j1 - j0), j = line - k * (j1 - j0);
        const Point found = {(number - line * vectors) * V, j0 + j, k0 + k,
                             ((k0 + k) * (g.ny + 1) + j0 + j) * g.row + (number - line * vectors) * V};
        return found;
    }
    __device__ __forceinline__ bool holds(const int j, const int k) const
    {
        return j >= j0 && j < j1 && k >= k0 && k < k1;
    }
    __device__ __forceinline__ int inside(const int c, const int i, const int j, const int k) const
    {
        return ((c * (k1 - k0) + k - k0) * (j1 - j0) + j - j0) * vectors * V + i;
    }
    // A component of H at the point i, j, k, which another brick may hold.
    __device__ __forceinline__ REAL* h_at(
        const Fields& f, const Grid& g, const int c, const int i, const int j, const int k) const
    {
#ifdef KEPT
        if (holds(j, k)) return kept + inside(c, i, j, k);
#endif
        return f.h + (c * f.volume + (k * (g.ny + 1) + j) * g.row + i);
    }
    // Whether others read H of a row.
    __device__ __forceinline__ bool shows(const Grid& g, const Point& p) const
    {
        return p.j == j1 - 1 || p.k == k1 - 1 || ((g.wraps & 2) && (p.j == 0 || p.j == g.ny - 1))
            || ((g.wraps & 4) && (p.k == 0 || p.k == g.nz - 1));
    }
};

#define H_AT(c, i, j, k) b.h_at(f, g, c, i, j, k)
#define E_AT(c, i, j, k) (f.e + ((c) * f.volume + ((k) * (g.ny + 1) + (j)) * g.row + (i)))

// What is added to a curl in the layers, or to H: psi along one axis. The first of the two components is at `psi`.
struct Layer {
    REAL* psi;
    int component;  // from the first to the second
    Table table;
    int slot, n;  // slot −1: outside of the layers
};

// One of three layers at a point, of slots that begin `later` nodes behind those of H.
DEVICE Layer layer_x(REAL* psi, const Grid& g, const Table& t, const Point& p)
{
    const int slots = g.low_x + g.row - g.high_x, slot = slot_of(p.i, g.low_x, g.high_x);
    const int line = p.k * (g.ny + 1) + p.j;
    return {psi + (line * slots + slot), (g.nz + 1) * (g.ny + 1) * slots, t, slot, p.i};
}

DEVICE Layer layer_y(REAL* psi, const Grid& g, const Table& t, const Point& p, const int later)
{
    const int slots = g.low_y + g.high_y, slot = slot_of(p.j, g.low_y, g.ny - g.high_y + later);
    return {psi + ((p.k * slots + slot) * g.row + p.i), (g.nz + 1) * slots * g.row, t, slot, p.j};
}

DEVICE Layer layer_z(REAL* psi, const Grid& g, const Table& t, const Point& p, const int later)
{
    const int plane = (g.ny + 1) * g.row;
    const int slot = slot_of(p.k, g.low_z, g.nz - g.high_z + later);
    return {psi + (slot * plane + p.j * g.row + p.i), (g.low_z + g.high_z) * plane, t, slot, p.k};
}

// Asks for what is read later, into the first-level cache, where there is much of it: a vector's loads would wait for each
// other behind what is stored. No effect but on time.
DEVICE void ask_for(const REAL* from)
{
#if defined(__CUDA_ARCH__) && defined(ASKS)
    asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
#endif
}

DEVICE void ask_for(const Layer& layer)
{
    if (layer.slot < 0) return;
    ask_for(layer.psi);
    ask_for(layer.psi + layer.component);
}

// psi of a component of this step; each: 1 if the table has a number for each value of the vector.
DEVICE Values stepped(const Layer& layer, const int second, const int each, const Values& d)
{
    REAL* psi = layer.psi + second * layer.component;
    const Values next = decayed(load(psi), layer.table, 1 - each, layer.n, d);
    store(psi, next);
    return next;
}

DEVICE void take(Values& from, const Values& less)
{
#pragma unroll
    for (int v = 0; v < V; ++v) from.v[v] -= less.v[v];
}

DEVICE void step_electric(
    const Fields& f, const Grid& g, const Brick& b, const Id* __restrict__ ids, const REAL* mixtures,
    const REAL* __restrict__ table, const Point& p)
{
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const bool wraps_x = g.wraps & 1, wraps_y = g.wraps & 2, wraps_z = g.wraps & 4;
    // the half below a first node is the last one of a periodic axis, else one that is zero; the half above a last node
    // of a periodic axis is the first one
    const int low_j = p.j > 0 ? p.j - 1 : wraps_y ? g.ny - 1 : g.ny, high_j = wraps_y && p.j == g.ny ? 0 : p.j;
    const int low_k = p.k > 0 ? p.k - 1 : wraps_z ? g.nz - 1 : g.nz, high_k = wraps_z && p.k == g.nz ? 0 : p.k;
    const int left = p.i > 0 ? -1 : wraps_x ? g.nx - 1 : g.nx, end = wraps_x ? g.nx - p.i : -1;
    const Layer of_x = layer_x(f.psi_ex, g, x, p), of_y = layer_y(f.psi_ey, g, y, p, 1), of_z = layer_z(f.psi_ez, g, z, p, 1);
    ask_for(of_x);
    ask_for(of_y);
    ask_for(of_z);
#pragma unroll
    for (int c = 0; c < 3; ++c) ask_for(E_AT(c, p.i, p.j, p.k));
    const REAL *hy = H_AT(1, p.i, p.j, p.k), *hz = H_AT(2, p.i, p.j, p.k);
    const Values hy_at = load(hy), hz_at = load(hz);
    const Values dz_hx = minus(load(H_AT(0, p.i, p.j, high_k)), load(H_AT(0, p.i, p.j, low_k)));
    const Values dz_hy = minus(load(H_AT(1, p.i, p.j, high_k)), load(H_AT(1, p.i, p.j, low_k)));
    const Values dy_hz = minus(load(H_AT(2, p.i, high_j, p.k)), load(H_AT(2, p.i, low_j, p.k)));
    const Values dy_hx = minus(load(H_AT(0, p.i, high_j, p.k)), load(H_AT(0, p.i, low_j, p.k)));
    Values dx_hy, dx_hz;
    REAL before_y = hy[left], before_z = hz[left];
#pragma unroll
    for (int v = 0; v < V; ++v) {
        const REAL ahead_y = v == end ? hy[-p.i] : hy_at.v[v], ahead_z = v == end ? hz[-p.i] : hz_at.v[v];
        dx_hy.v[v] = ahead_y - before_y;
        dx_hz.v[v] = ahead_z - before_z;
        before_y = hy_at.v[v];
        before_z = hz_at.v[v];
    }
    Values more_x, more_y, more_z;
#pragma unroll
    for (int v = 0; v < V; ++v) more_x.v[v] = more_y.v[v] = more_z.v[v] = REAL(0);
    if (of_x.slot >= 0) {
        take(more_y, stepped(of_x, 0, 1, dx_hz));
        add(more_z, stepped(of_x, 1, 1, dx_hy));
    }
    if (of_y.slot >= 0) {
        take(more_z, stepped(of_y, 0, 0, dy_hx));
        add(more_x, stepped(of_y, 1, 0, dy_hz));
    }
    if (of_z.slot >= 0) {
        take(more_x, stepped(of_z, 0, 0, dz_hy));
        add(more_y, stepped(of_z, 1, 0, dz_hx));
    }
    const REAL iy = y.at(p.j), iz = z.at(p.k);
    Values curl_x = curl_of(dy_hz, iy, dz_hy, iz);
    Values curl_y = curl_of(dz_hx, iz, scaled(dx_hz, x, p.i), REAL(1));
    Values curl_z = curl_of(scaled(dx_hy, x, p.i), REAL(1), dy_hx, iy);
    add(curl_x, more_x);
    add(curl_y, more_y);
    add(curl_z, more_z);
    const Values curls[3] = {curl_x, curl_y, curl_z};
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        REAL* field = E_AT(c, p.i, p.j, p.k);
        Values value = load(field);
        mixed(value, *reinterpret_cast<const Ids*>(ids + (c * f.volume + p.at)), mixtures, curls[c]);
        store(field, value);
    }
}

// H and then what the layers add: psi of the component of the next axis first.
DEVICE void step_magnetic(
    const Fields& f, const Grid& g, const Brick& b, const REAL da, const REAL minus_db, const REAL* __restrict__ table,
    const Point& p)
{
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    const bool in_y = p.j < g.ny, in_z = p.k < g.nz, more = p.i + V < b.vectors * V, shows = KEEPS && b.shows(g, p);
    Layer of_x = layer_x(f.psi_hx, g, x, p), of_y = layer_y(f.psi_hy, g, y, p, 0), of_z = layer_z(f.psi_hz, g, z, p, 0);
    if (!in_y) of_y.slot = -1;
    if (!in_z) of_z.slot = -1;
    ask_for(of_x);
    ask_for(of_y);
    ask_for(of_z);
    // the differences of the halves ny and nz are of no use, but what they read has to be there
    const int north = in_y ? p.j + 1 : p.j, up = in_z ? p.k + 1 : p.k;
    const REAL *ey = E_AT(1, p.i, p.j, p.k), *ez = E_AT(2, p.i, p.j, p.k);
    const Values ex_at = load(E_AT(0, p.i, p.j, p.k)), ey_at = load(ey), ez_at = load(ez);
    const Values dz_ex = minus(load(E_AT(0, p.i, p.j, up)), ex_at), dz_ey = minus(load(E_AT(1, p.i, p.j, up)), ey_at);
    const Values dy_ex = minus(load(E_AT(0, p.i, north, p.k)), ex_at), dy_ez = minus(load(E_AT(2, p.i, north, p.k)), ez_at);
    const Values dx_ey = differences(ey_at, more ? ey[V] : REAL(0)), dx_ez = differences(ez_at, more ? ez[V] : REAL(0));
    const REAL iy = y.at(p.j), iz = z.at(p.k);
    // lost, gained: the layers of whose psi H loses the first and gains the second
    const auto update = [&](const int component, Values curl, const Layer& lost, const Values& of_lost,
                            const Layer& gained, const Values& of_gained) {
        REAL* field = H_AT(component, p.i, p.j, p.k);
#pragma unroll
        for (int v = 0; v < V; ++v)
            if (component > 0 && p.i + v >= g.nx) curl.v[v] = REAL(0);  // the half nx stays zero
        Values value = uniform(load(field), da, minus_db, curl);
        if (lost.slot >= 0) {
            const Values next = stepped(lost, 0, component == 1, of_lost);
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (component == 0 || p.i + v < g.nx) value.v[v] = fma(-minus_db, next.v[v], value.v[v]);
        }
        if (gained.slot >= 0) {
            const Values next = stepped(gained, 1, component == 2, of_gained);
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (component == 0 || p.i + v < g.nx) value.v[v] = fma(minus_db, next.v[v], value.v[v]);
        }
        store(field, value);
        if (shows) store(f.h + (component * f.volume + p.at), value);
    };
    if (in_y && in_z) update(0, curl_of(dy_ez, iy, dz_ey, iz), of_z, dz_ey, of_y, dy_ez);
    if (in_z) update(1, curl_of(dz_ex, iz, scaled(dx_ez, x, p.i), REAL(1)), of_x, dx_ez, of_z, dz_ex);
    if (in_y) update(2, curl_of(scaled(dx_ey, x, p.i), REAL(1), dy_ex, iy), of_y, dy_ex, of_x, dx_ey);
}

// What sources add to the points of a brick: a thread for each entry, where the first of a place takes all of them.
DEVICE void inject_into(
    REAL* field, const bool keeps, const Fields& f, const Grid& g, const Brick& b, const Entries& entries,
    const REAL* signals, const int brick)
{
    const int last = entries.starts[brick + 1];
    for (int n = entries.starts[brick] + threadIdx.x; n < last; n += blockDim.x) {
        const int place = entries.places[n];
        if (n > 0 && entries.places[n - 1] == place) continue;
        const int c = place / f.volume, rest = place - c * f.volume, line = rest / g.row, k = line / (g.ny + 1);
        REAL* const here = keeps ? H_AT(c, rest - line * g.row, line - k * (g.ny + 1), k) : field + place;
        const REAL value = with_entries(*here, entries.places, entries.weights, entries.slots, signals, last, n);
        *here = value;
        if (keeps) field[place] = value;
    }
}

// H of a brick into shared memory, or back.
DEVICE void exchange(const Fields& f, const Grid& g, const Brick& b, const bool back)
{
    for (int n = threadIdx.x; n < b.count(); n += blockDim.x) {
        const Point p = b.point(g, n);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            REAL *there = f.h + (c * f.volume + p.at), *here = b.kept + b.inside(c, p.i, p.j, p.k);
            if (back) store(there, load(here));
            else store(here, load(there));
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) step_many(
    REAL* e, REAL* h, const Id* __restrict__ ids, const REAL* __restrict__ coefficients, const REAL da,
    const REAL minus_db, const REAL* __restrict__ table_e, const REAL* __restrict__ table_h, REAL* psi_ex, REAL* psi_ey,
    REAL* psi_ez, REAL* psi_hx, REAL* psi_hy, REAL* psi_hz, GRID_ARGUMENTS, REAL* signals, REAL* lines_e, REAL* lines_h,
    const int* __restrict__ lines, const REAL* __restrict__ values, const int* __restrict__ drives, const int drive_count,
    ENTRIES(electric), ENTRIES(induced), ENTRIES(magnetic), const int line_count, const int longest_line, const int between,
    const int tall, const int deep, const int* __restrict__ order, REAL* spare, unsigned* counters, const int steps)
{
    extern __shared__ float4 kept[];
    COEFFICIENTS(mixtures);
    const Grid g = GRID;
    const Fields f = {e, h, psi_ex, psi_ey, psi_ez, psi_hx, psi_hy, psi_hz, (nz + 1) * (ny + 1) * row};
    const Entries to_e = ENTRIES_OF(electric), to_h = ENTRIES_OF(induced), later = ENTRIES_OF(magnetic);
    Group blocks = {counters, gridDim.x, 0u};
    const int vectors = (nx + V) / V, up = (ny + tall) / tall, bricks = up * ((nz + deep) / deep);
    const int size = 3 * vectors * V * tall * deep;
    const auto brick_of = [&](const int number, const int place) {
        const int j = number % up * tall, k = number / up * deep;
        const Brick found = {j, min(j + tall, ny + 1), k, min(k + deep, nz + 1), vectors,
                             reinterpret_cast<REAL*>(kept) + size * place};
        return found;
    };
    const auto each = [&](const auto& what) {  // of the bricks of this block: one, where blocks are enough
#pragma unroll 1
        for (int n = blockIdx.x; n < bricks; n += gridDim.x) what(order[n], brick_of(order[n], n / int(gridDim.x)));
    };
    const auto exchanged = [&](const bool back) {
        if (KEEPS) each([&](int, const Brick& b) { exchange(f, g, b, back); });
    };
    const auto signals_of = [&](const int step) { return between || step % 2 == 0 ? signals : spare; };
    const auto drive = [&](const int step, const int half) {
        if (blockIdx.x == 0)
            for (int n = threadIdx.x; n < drive_count; n += blockDim.x)
                set_signals(signals_of(step), values, drives, drive_count, step, half, n);
    };
    const auto step_all_lines = [&](REAL* table, const bool magnetic) {
        if (blockIdx.x == 0)
            for (int n = threadIdx.x; n < longest_line; n += blockDim.x)
                step_lines(signals, table, lines, line_count, n, magnetic);
    };
    const auto inject_electric = [&](const int step, const int number, const Brick& b) {
        inject_into(f.e, false, f, g, b, to_e, signals_of(step), number);
    };
    exchanged(false);
    __syncthreads();
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
        drive(s, 1);
        if (s > 0) step_all_lines(lines_h, true);
        each([&](const int number, const Brick& b) {
            if (!between && s > 0 && to_e.starts[number] < to_e.starts[number + 1]) {
                inject_electric(s - 1, number, b);
                __syncthreads();
            }
#pragma unroll 1
            for (int n = threadIdx.x; n < b.count(); n += blockDim.x)
                step_electric(f, g, b, ids, mixtures, table_e, b.point(g, n));
        });
        blocks.meet();
        each([&](const int number, const Brick& b) {
#pragma unroll 1
            for (int n = threadIdx.x; n < b.count(); n += blockDim.x)
                step_magnetic(f, g, b, da, minus_db, table_h, b.point(g, n));
            if (to_h.starts[number] == to_h.starts[number + 1]) return;
            __syncthreads();
            inject_into(f.h, KEEPS, f, g, b, to_h, signals_of(s), number);
        });
        if (between) {
            step_all_lines(lines_e, false);
            drive(s, 0);
            blocks.meet();
            each([&](const int number, const Brick& b) {
                inject_electric(s, number, b);
                inject_into(f.h, KEEPS, f, g, b, later, signals, number);
            });
        }
        blocks.meet();
    }
    if (!between) {
        each([&](const int number, const Brick& b) { inject_electric(steps - 1, number, b); });
        if (blockIdx.x == 0 && steps % 2 == 0)
            for (int n = threadIdx.x; n < drive_count; n += blockDim.x) signals[drives[2 * n]] = spare[drives[2 * n]];
        __syncthreads();
    }
    step_all_lines(lines_h, true);
    exchanged(true);
    blocks.leave();
}
