// Loads and stores of W neighbouring cells of a row: W = V in one access of 16 bytes (rows are aligned: nx is a multiple of
// V), or W = 1 for any nx. What the kernels of one step share.
#pragma once
#include "stencil/step/update.cuh"

template <int W> DEVICE void load_cells(const REAL* __restrict__ place, REAL (&v)[W])
{
    if constexpr (W == V) unpack(__ldg(reinterpret_cast<const Packed*>(place)), v);
    else {
#pragma unroll
        for (int j = 0; j < W; ++j) v[j] = __ldg(place + j);
    }
}

// STREAM: the values leave the caches first, since nobody reads them soon.
template <int W, bool STREAM> DEVICE void store_cells(REAL* __restrict__ place, const REAL (&v)[W])
{
    if constexpr (W == V && STREAM) __stcs(reinterpret_cast<Packed*>(place), packed(v));
    else if constexpr (W == V) *reinterpret_cast<Packed*>(place) = packed(v);
    else {
#pragma unroll
        for (int j = 0; j < W; ++j) {
            if constexpr (STREAM) __stcs(place + j, v[j]);
            else place[j] = v[j];
        }
    }
}

template <int W>
DEVICE void add_source(const REAL* __restrict__ source, const long long place, const REAL dt, REAL (&next)[W])
{
    if (!source) return;
    REAL s[W];
    load_cells<W>(source + place, s);
#pragma unroll
    for (int j = 0; j < W; ++j) next[j] = multiply_add(dt, s[j], next[j]);
}

// Which row (plane) stands for one that may lie beyond the sides by one; further out it is only an address that exists.
DEVICE int at_most_one_out(const int index, const int count, const bool wraps)
{
    return index < 0 ? (wraps ? count - 1 : 0) : index >= count ? (wraps ? 0 : count - 1) : index;
}

// A warp's lanes side by side along x, W cells each. Where a lane's neighbours in x come from: the lanes beside it, and
// for the first and the last lane a load of their own.
template <int W> struct Strip {
    int place;               // column of this lane's first cell, wrapped or clamped into the row
    int beyond;              // from there to the column beside the warp, of the first and the last lane
    bool at_left, at_right;  // a side that does not wrap is beside the first (last) cell

    __device__ __forceinline__ void begin(const int x, const int nx, const bool wraps)
    {
        place = wraps ? inside(x, nx, 1) : min(x, nx - W);
        beyond = inside(threadIdx.x == 0 ? x - 1 : x + W, nx, wraps) - place;
        at_left = !wraps && x == 0, at_right = !wraps && x + W == nx;
    }

    // row: its cell at place
    __device__ __forceinline__ REAL edge(const REAL* __restrict__ row) const
    {
        REAL value = REAL(0);
        if (threadIdx.x == 0 || threadIdx.x == 31) value = __ldg(row + beyond);
        return value;
    }

    // All lanes of the warp call this together.
    __device__ __forceinline__ void beside(const REAL (&here)[W], const REAL edge, const REAL* __restrict__ sides, REAL& lo,
                                           REAL& hi) const
    {
        lo = __shfl_up_sync(ALL, here[W - 1], 1), hi = __shfl_down_sync(ALL, here[0], 1);
        if (threadIdx.x == 0) lo = edge;
        if (threadIdx.x == 31) hi = edge;
        if (at_left) lo = ghost(sides, 0, 0, here[0]);
        if (at_right) hi = ghost(sides, 0, 1, here[W - 1]);
    }
};
