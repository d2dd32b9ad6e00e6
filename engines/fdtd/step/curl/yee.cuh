// What the kernels of the Yee grid share: values that are loaded together, tables of axes, layers, differences.
//
// Products are added by fma where a compiler could choose what it rounds, so that all kernels find the same bits.
#pragma once

#include "fdtd/step/inject/signals.cuh"
#include "fdtd/step/curl/mixtures.cuh"

// V values that are loaded together.
struct __align__(V * sizeof(REAL)) Values {
    REAL v[V];
};
struct __align__(V * sizeof(Id)) Ids {
    Id v[V];
};

// Counts, layers and the ends of axes. Layers of y and z: cells that they take; of x, in whole vectors: places 0 … low_x − 1
// and from high_x on, which is `row` if there is none.
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

DEVICE void store(REAL* __restrict__ to, const Values& values)
{
    *reinterpret_cast<Values*>(to) = values;
}

DEVICE void add(Values& to, const REAL* __restrict__ from)
{
    const Values more = load(from);
#pragma unroll
    for (int v = 0; v < V; ++v) to.v[v] += more.v[v];
}

DEVICE void take(Values& from, const REAL* __restrict__ what)
{
    const Values less = load(what);
#pragma unroll
    for (int v = 0; v < V; ++v) from.v[v] -= less.v[v];
}

DEVICE void add(Values& to, const Values& more)
{
#pragma unroll
    for (int v = 0; v < V; ++v) to.v[v] += more.v[v];
}

// Asks for a line of memory that is read later. No effect but on time.
DEVICE void prefetch(const REAL* __restrict__ from)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#endif
}

// The place of a node or half in psi, −1 outside of the layers; `start`: first one of the high layer.
DEVICE int slot_of(const int n, const int low, const int start)
{
    return n < low ? n : n >= start ? low + n - start : -1;
}

// psi of this step: b psi + c d; n: the node or half along the axis.
DEVICE Values decayed(const Values& psi, const Table& t, const int axis, const int n, const Values& d)
{
    Values next = psi;
#pragma unroll
    for (int v = 0; v < V; ++v) {
        const int m = axis == 0 ? n + v : n;
        next.v[v] = fma(t.b(m), next.v[v], t.c(m) * d.v[v]);
    }
    return next;
}

// What the layers add to the curl of H at V values of x from i on, in the row j of plane k; in them psi is of this step.
DEVICE void layers_at(
    const REAL* __restrict__ psi_x, const REAL* __restrict__ psi_y, const REAL* __restrict__ psi_z, const Grid& g,
    const int i, const int j, const int k, Values& more_x, Values& more_y, Values& more_z)
{
#pragma unroll
    for (int v = 0; v < V; ++v) more_x.v[v] = more_y.v[v] = more_z.v[v] = REAL(0);
    const int slot_x = slot_of(i, g.low_x, g.high_x), slots_x = g.low_x + g.row - g.high_x;
    if (slot_x >= 0) {
        const REAL* psi = psi_x + (size_t(k) * (g.ny + 1) + j) * slots_x + slot_x;
        take(more_y, psi);
        add(more_z, psi + size_t(g.nz + 1) * (g.ny + 1) * slots_x);
    }
    const int slot_y = slot_of(j, g.low_y, g.ny - g.high_y + 1), slots_y = g.low_y + g.high_y;
    if (slot_y >= 0) {
        const REAL* psi = psi_y + (size_t(k) * slots_y + slot_y) * g.row + i;
        take(more_z, psi);
        add(more_x, psi + size_t(g.nz + 1) * slots_y * g.row);
    }
    const int slot_z = slot_of(k, g.low_z, g.nz - g.high_z + 1);
    if (slot_z >= 0) {
        const size_t plane = size_t(g.ny + 1) * g.row;
        const REAL* psi = psi_z + slot_z * plane + size_t(j) * g.row + i;
        take(more_x, psi);
        add(more_y, psi + (g.low_z + g.high_z) * plane);
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
    for (int v = 0; v < V; ++v) curl.v[v] = fma(p.v[v], ip, -(q.v[v] * iq));
    return curl;
}

DEVICE Values scaled(const Values& a, const Table& x, const int first)
{
    Values s;
#pragma unroll
    for (int v = 0; v < V; ++v) s.v[v] = a.v[v] * x.at(first + v);
    return s;
}

// value <- a[id] value + b[id] curl
DEVICE void mixed(Values& value, const Ids& id, const REAL* mixtures, const Values& curl)
{
#pragma unroll
    for (int v = 0; v < V; ++v) {
        const Pair of = pair_at(mixtures, id.v[v]);
        value.v[v] = fma(of.a, value.v[v], of.b * curl.v[v]);
    }
}

DEVICE Values uniform(const Values& value, const REAL a, const REAL b, const Values& curl)
{
    Values next;
#pragma unroll
    for (int v = 0; v < V; ++v) next.v[v] = fma(a, value.v[v], b * curl.v[v]);
    return next;
}

// From each value to the next; `beyond`: the one behind the last.
DEVICE Values differences(const Values& a, const REAL beyond)
{
    Values d;
#pragma unroll
    for (int v = 0; v < V; ++v) d.v[v] = (v + 1 < V ? a.v[(v + 1) % V] : beyond) - a.v[v];
    return d;
}
