// Rows of boxes, V cells at a time: where a lane finds its cells, and what it reads of them. After update.cuh.

// Where a lane finds V cells of a row, and which of them have a side beside them.
struct Columns {
    int place[V];    // aligned: only the first counts
    bool aligned;    // nx is a multiple of V, so that rows are aligned for packed loads
    bool at_left;    // the first has the low side of x beside it, which does not wrap
    int last;        // which has the high side beside it, or -1
    REAL low_scale, low_shift, high_scale, high_shift;
};

DEVICE Columns columns_at(const int x, const int nx, const int wraps, const REAL* __restrict__ sides)
{
    const bool wraps_x = wraps & 1;
    Columns columns;
    columns.aligned = nx % V == 0;
#pragma unroll
    for (int j = 0; j < V; ++j) columns.place[j] = inside(x + j, nx, wraps_x);
    if (columns.aligned && !wraps_x) columns.place[0] = min(max(x, 0), nx - V);
    columns.at_left = !wraps_x && x == 0;
    columns.last = !wraps_x && nx - 1 - x < V ? nx - 1 - x : -1;
    columns.low_scale = __ldg(sides), columns.low_shift = __ldg(sides + 1);
    columns.high_scale = __ldg(sides + 2), columns.high_shift = __ldg(sides + 3);
    return columns;
}

DEVICE void load_row(const REAL* __restrict__ row, const Columns& columns, REAL (&v)[V])
{
    if (columns.aligned) unpack(__ldg(reinterpret_cast<const Packed*>(row + columns.place[0])), v);
    else {
#pragma unroll
        for (int j = 0; j < V; ++j) v[j] = __ldg(row + columns.place[j]);
    }
}
