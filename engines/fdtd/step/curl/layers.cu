// The absorbing layers (CPML) of a leapfrog step: psi <- b psi + c ∂, for the two components across each axis.
//
// That of E is updated before E takes its step, from H as it is, and the step adds it to the curl. That of H is updated when
// E has taken its step, and added to H afterwards.
//
// psi_x: (2, nz + 1, ny + 1, slots), slots of x as in yee.cuh; psi_y: (2, nz + 1, slots, row); psi_z: (2, slots, ny + 1,
// row). The first is of the component of the next axis (E_y for x), whose curl has −∂, the second of the one after it.
//
// variants: -DREAL=float -DV=4; -DREAL=double -DV=2; -DREAL=float -DV=4 -DMAGNETIC; -DREAL=double -DV=2 -DMAGNETIC
// variants: -DREAL=float -DV=4 -DWIDE; -DREAL=double -DV=2 -DWIDE
// variants: -DREAL=float -DV=4 -DMAGNETIC -DWIDE; -DREAL=double -DV=2 -DMAGNETIC -DWIDE

#include "fdtd/step/curl/yee.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256)

// V values of a layer along `axis`: where they stand, and what their psi is times the difference.
struct Place {
    int i, j, k, n;  // n: the node or half along the axis
    size_t at;       // in a component
};

DEVICE int node_of(const int slot, const int low, const int start)
{
    return slot < low ? slot : start + slot - low;
}

// `later`: 1 for E, whose high layer begins a node behind that of H.
DEVICE Place place_of(const Grid& g, const int axis, const long long number, const int later)
{
    const int vectors = g.row / V;
    Place p;
    if (axis == 0) {
        const int slots = (g.low_x + g.row - g.high_x) / V;
        const long long line = number / slots;
        p.i = node_of(int(number - line * slots) * V, g.low_x, g.high_x);
        p.j = int(line % (g.ny + 1));
        p.k = int(line / (g.ny + 1));
        p.n = p.i;
    } else {
        const int lines = axis == 1 ? g.low_y + g.high_y : g.ny + 1;
        const long long line = number / vectors;
        p.i = int(number - line * vectors) * V;
        const int first = int(line % lines), second = int(line / lines);
        p.j = axis == 1 ? node_of(first, g.low_y, g.ny - g.high_y + later) : first;
        p.k = axis == 1 ? second : node_of(second, g.low_z, g.nz - g.high_z + later);
        p.n = axis == 1 ? p.j : p.k;
    }
    p.at = (size_t(p.k) * (g.ny + 1) + p.j) * g.row + p.i;
    return p;
}

DEVICE Table table_of(const REAL* __restrict__ table, const Grid& g, const int axis)
{
    const Table x = {table, g.row}, y = {table + 3 * g.row, g.ny + 1}, z = {y.inverse + 3 * (g.ny + 1), g.nz + 1};
    return axis == 0 ? x : axis == 1 ? y : z;
}

// From the half below each node to the one above. Layers are backed by walls: beyond one stands the half n, zero for ever.
DEVICE Values difference_h(const REAL* __restrict__ h, const Grid& g, const int axis, const Place& p)
{
    const Values here = load(h + p.at);
    if (axis == 0) {
        Values d;
        REAL before = h[p.at - p.i + (p.i > 0 ? p.i - 1 : g.nx)];
#pragma unroll
        for (int v = 0; v < V; ++v) {
            d.v[v] = here.v[v] - before;
            before = here.v[v];
        }
        return d;
    }
    const size_t step = axis == 1 ? g.row : size_t(g.ny + 1) * g.row;
    const int last = axis == 1 ? g.ny : g.nz;
    return minus(here, load(h + (p.n > 0 ? p.at - step : p.at + last * step)));
}

DEVICE Values difference_e(const REAL* __restrict__ e, const Grid& g, const int axis, const Place& p)
{
    const Values here = load(e + p.at);
    if (axis == 0) return differences(here, p.i + V < g.row ? e[p.at + V] : REAL(0));
    return minus(load(e + p.at + (axis == 1 ? g.row : size_t(g.ny + 1) * g.row)), here);
}

// A thread for V places; planes: as many are stepped; counts: of vectors in one component's psi along x, y, z. The currents of this step are set in
// passing, which saves small grids a launch.
KERNEL layers_electric(
    const REAL* __restrict__ h, const REAL* __restrict__ table, REAL* __restrict__ psi_x, REAL* __restrict__ psi_y,
    REAL* __restrict__ psi_z, GRID_ARGUMENTS, const int planes, const long long count_x, const long long count_y, const long long count_z,
    REAL* __restrict__ signals, const REAL* __restrict__ values, const int* __restrict__ drives, const int drive_count,
    const int row_of_values)
{
    const Grid g = GRID;
    long long number = blockIdx.x * 256LL + threadIdx.x;
    set_signals(signals, values, drives, drive_count, row_of_values, 1, number);
    const int axis = number < count_x ? 0 : number < count_x + count_y ? 1 : 2;
    if (axis > 0) number -= axis == 1 ? count_x : count_x + count_y;
    const long long count = axis == 0 ? count_x : axis == 1 ? count_y : count_z;
    if (number >= count) return;
    const size_t volume = size_t(g.nz + 1) * (g.ny + 1) * g.row;
    const Place p = place_of(g, axis, number, 1);
    if (p.k >= planes) return;
    const Table t = table_of(table, g, axis);
    REAL* first = (axis == 0 ? psi_x : axis == 1 ? psi_y : psi_z) + number * V;
    REAL* second = first + count * V;
    store(first, decayed(load(first), t, axis, p.n, difference_h(h + (axis + 2) % 3 * volume, g, axis, p)));
    store(second, decayed(load(second), t, axis, p.n, difference_h(h + (axis + 1) % 3 * volume, g, axis, p)));
}

// As above for the component of the next axis (`part` 0) or the one after it (1): no two threads then change the same H.
// coefficients: da and −db, as pair_at reads them.
KERNEL layers_magnetic(
    const REAL* __restrict__ e, REAL* __restrict__ h, const Id* __restrict__ ids,
    const REAL* __restrict__ coefficients, const REAL* __restrict__ table, REAL* __restrict__ psi_x,
    REAL* __restrict__ psi_y, REAL* __restrict__ psi_z, GRID_ARGUMENTS, const int planes, const long long count_x, const long long count_y,
    const long long count_z, const int part)
{
    const Grid g = GRID;
    long long number = blockIdx.x * 256LL + threadIdx.x;
    const int axis = number < count_x ? 0 : number < count_x + count_y ? 1 : 2;
    if (axis > 0) number -= axis == 1 ? count_x : count_x + count_y;
    const long long count = axis == 0 ? count_x : axis == 1 ? count_y : count_z;
    if (number >= count) return;
    const size_t volume = size_t(g.nz + 1) * (g.ny + 1) * g.row;
    const Place p = place_of(g, axis, number, 0);
    const int component = (axis + 1 + part) % 3;
    // halves ny and nz are not there
    if (p.k >= planes || (component != 1 && p.j >= g.ny) || (component != 2 && p.k >= g.nz)) return;
    const Table t = table_of(table, g, axis);
    REAL* psi = (axis == 0 ? psi_x : axis == 1 ? psi_y : psi_z) + (part * count + number) * V;
    const Values next = decayed(load(psi), t, axis, p.n, difference_e(e + (axis + 2 - part) % 3 * volume, g, axis, p));
    store(psi, next);
    REAL* field = h + component * volume + p.at;
    Values value = load(field);
#pragma unroll
    for (int v = 0; v < V; ++v) {
#ifdef MAGNETIC
        const REAL minus_db = pair_at(coefficients, ids[component * volume + p.at + v]).b;
#else
        const REAL minus_db = __ldg(coefficients + SECOND);
#endif
        if (component == 0 || p.i + v < g.nx) value.v[v] = fma(part == 0 ? -minus_db : minus_db, next.v[v], value.v[v]);
    }
    store(field, value);
}
