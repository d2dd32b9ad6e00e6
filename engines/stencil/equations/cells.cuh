// Rows of a field with what is beside them, for kernels that are written from equations (cuda_kernel.py): a thread takes W
// columns of ROWS rows. Its rows are all on their way before the first is used, and L1 has what neighbouring threads read.
// laws: (fields, 3, 2, 2) of axis, low or high side, scale and shift: a ghost is scale u + shift of the cell at the side.
// wraps: (fields), bits 0, 1, 2 for x, y, z.
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

DEVICE REAL beyond(const REAL* __restrict__ law, const int axis, const int high, const REAL c)
{
    const REAL* side = law + 4 * axis + 2 * high;
    return __ldg(side) * c + __ldg(side + 1);
}

// rows[i][j]: row y0 + i, column x + j - 1, of the plane z; y0 and z may be one beyond the sides. EDGE: sides may be near.
template <int N, bool EDGE>
DEVICE void load_rows(const REAL* __restrict__ field, const Box box, const int x, const int y0, const int z, const int wraps,
                      const REAL* __restrict__ law, REAL (&rows)[N][W + 2])
{
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
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (at_left && !wraps_x) rows[i][0] = beyond(law, 0, 0, rows[i][1]);
        if (at_right && !wraps_x) rows[i][W + 1] = beyond(law, 0, 1, rows[i][W]);
        const int y = y0 + i;
        if (!wraps_y && (y < 0 || y == box.ny))
#pragma unroll
            for (int j = 0; j < W + 2; ++j) rows[i][j] = beyond(law, 1, y < 0 ? 0 : 1, rows[i][j]);
        if (!wraps_z && (z < 0 || z == box.nz))
#pragma unroll
            for (int j = 0; j < W + 2; ++j) rows[i][j] = beyond(law, 2, z < 0 ? 0 : 1, rows[i][j]);
    }
}
