// Rows of boxes, V cells at a time: where a lane finds its cells, and what it reads of them. After update.cuh.
#pragma once

// Where a lane finds V cells of a row, and which of them have a side beside them.
struct Places {
    int place[V];    // aligned: only the first counts
    bool aligned;    // nx is a multiple of V, so that rows are aligned for packed loads
    bool at_left;    // the first has the low side of x beside it, which does not wrap
    int last;        // which has the high side beside it, or -1
};

struct Columns : Places {
    REAL low_scale, low_shift, high_scale, high_shift;
};

DEVICE void find(Places& places, const int x, const int nx, const bool wraps_x)
{
    places.aligned = nx % V == 0;
#pragma unroll
    for (int j = 0; j < V; ++j) places.place[j] = inside(x + j, nx, wraps_x);
    if (places.aligned && !wraps_x) places.place[0] = min(max(x, 0), nx - V);
    places.at_left = !wraps_x && x == 0;
    places.last = !wraps_x && nx - 1 - x < V ? nx - 1 - x : -1;
}

DEVICE Columns columns_at(const int x, const int nx, const int wraps, const REAL* __restrict__ sides)
{
    Columns columns;
    find(columns, x, nx, wraps & 1);
    columns.low_scale = __ldg(sides), columns.low_shift = __ldg(sides + 1);
    columns.high_scale = __ldg(sides + 2), columns.high_shift = __ldg(sides + 3);
    return columns;
}

DEVICE void load_row(const REAL* __restrict__ row, const Places& places, REAL (&v)[V])
{
    if (places.aligned) unpack(__ldg(reinterpret_cast<const Packed*>(row + places.place[0])), v);
    else {
#pragma unroll
        for (int j = 0; j < V; ++j) v[j] = __ldg(row + places.place[j]);
    }
}

// STREAM: the values leave the caches first, since nobody reads them soon.
template <bool STREAM>
DEVICE void store_row(REAL* __restrict__ row, const int x, const int nx, const bool aligned, const REAL (&v)[V])
{
    if (aligned && x < nx) {
        if constexpr (STREAM) __stcs(reinterpret_cast<Packed*>(row + x), packed(v));
        else *reinterpret_cast<Packed*>(row + x) = packed(v);
    } else {
#pragma unroll
        for (int j = 0; j < V; ++j)
            if (x + j < nx) row[x + j] = v[j];
    }
}
