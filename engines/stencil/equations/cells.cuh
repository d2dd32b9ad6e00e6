// Rows of a field with what is beside them, for kernels that are written from equations (cuda_kernel.py): a thread takes W
// columns of ROWS rows. Its rows are all on their way before the first is used, and L1 has what neighbouring threads read.
// laws: scale and shift in turns: a ghost is scale u + shift of the cell at the side. where: (fields, 19): bits 0, 1, 2 of
// whether x, y, z are periodic; then of each axis, low and high side: which law the first cell there has, and how far behind
// it those of the next cells along both other axes are; there are those of one cell beyond either end, too.
#pragma once
#include "stencil/diffusion/launches/cells.cuh"
#include "formulas/functions.cuh"

#ifdef WIDE
static constexpr int W = V;
#else
static constexpr int W = 1;
#endif

struct Box {
    int nx, ny, nz;
};

// Where a row or plane of a part of a grid is in the whole, around which it may lie.
DEVICE int in_whole(const int i, const int first, const int count)
{
    const int at = i + first;
    return at < 0 ? at + count : at >= count ? at - count : at;
}

// Scale and shift of a side. i, j: the cell along the other axes, in their order.
DEVICE const REAL* law_of(const REAL* __restrict__ laws, const int* __restrict__ where, const int axis, const int high,
                          const int i, const int j)
{
    const int* side = where + 1 + 6 * axis + 3 * high;
    return laws + 2 * (__ldg(side) + __ldg(side + 1) * i + __ldg(side + 2) * j);
}

// What stands beyond a side whose cell holds c.
DEVICE REAL beyond(const REAL* __restrict__ laws, const int* __restrict__ where, const int axis, const int high, const int i,
                   const int j, const REAL c)
{
    const REAL* law = law_of(laws, where, axis, high, i, j);
    return multiply_add(__ldg(law), c, __ldg(law + 1));
}

// rows[i][j]: row y0 + i, column x + j - 1, of the plane z; y0 and z may be one beyond the sides. EDGE: sides may be near.
template <int N, bool EDGE>
DEVICE void load_rows(const REAL* __restrict__ field, const Box box, const int x, const int y0, const int z,
                      const REAL* __restrict__ laws, const int* __restrict__ where, REAL (&rows)[N][W + 2])
{
    const int wraps = EDGE ? __ldg(where) : 0;
    const bool wraps_x = wraps & 1, wraps_y = wraps & 2, wraps_z = wraps & 4;
    const bool at_left = EDGE && x == 0, at_right = EDGE && x + W == box.nx;
    const int plane = EDGE ? at_most_one_out(z, box.nz, wraps_z) : z;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const int y = EDGE ? at_most_one_out(min(y0 + i, box.ny), box.ny, wraps_y) : y0 + i;
        const REAL* row = field + ((long long)plane * box.ny + y) * box.nx + x;
        REAL here[W];
        load_cells<W>(row, here);
#pragma unroll
        for (int j = 0; j < W; ++j) rows[i][j + 1] = here[j];
        rows[i][0] = __ldg(row + (!at_left ? -1 : wraps_x ? box.nx - 1 : 0));
        rows[i][W + 1] = __ldg(row + (!at_right ? W : wraps_x ? W - box.nx : W - 1));
    }
    if (!EDGE) return;
    const int left = wraps_x ? at_most_one_out(x - 1, box.nx, true) : x - 1;
    const int right = wraps_x ? at_most_one_out(x + W, box.nx, true) : x + W;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const int y = min(y0 + i, box.ny), row = at_most_one_out(y, box.ny, wraps_y);
        if (at_left && !wraps_x) rows[i][0] = beyond(laws, where, 0, 0, row, plane, rows[i][1]);
        if (at_right && !wraps_x) rows[i][W + 1] = beyond(laws, where, 0, 1, row, plane, rows[i][W]);
        const bool out_y = !wraps_y && (y < 0 || y == box.ny), out_z = !wraps_z && (z < 0 || z == box.nz);
        if (!out_y && !out_z) continue;
#pragma unroll
        for (int j = 0; j < W + 2; ++j) {
            const int column = j == 0 ? left : j == W + 1 ? right : x + j - 1;
            if (out_y) rows[i][j] = beyond(laws, where, 1, y < 0 ? 0 : 1, column, plane, rows[i][j]);
            if (out_z) rows[i][j] = beyond(laws, where, 2, z < 0 ? 0 : 1, column, y, rows[i][j]);
        }
    }
}
