// Strips of a plane that a warp streams over, whole steps at a pass, for kernels that are written from equations
// (march.py). A warp takes 32 V columns, of which HALO at either end are computed twice, and keeps the rows that are
// still to be read. laws and where: as in cells.cuh. HALO_COLUMNS: how far at a strip's ends what it makes is wrong.
#pragma once
#include "stencil/equations/cells.cuh"
#include "stencil/step/columns.cuh"

static constexpr int HALO = (HALO_COLUMNS + V - 1) / V * V;
static constexpr int USEFUL = 32 * V - 2 * HALO;

// A lane's part of the plane.
struct Part {
    const REAL* __restrict__ laws;
    const int* __restrict__ where;    // of this field
    int nx, ny, x;                    // its first column, which may be beyond the sides
    bool wraps_x, wraps_y;
    Places places;
};

// wide[1 + j]: the V cells of a row, with what is beside them if SIDEWAYS. y: a row of the plane. The whole warp calls this.
template <bool SIDEWAYS> DEVICE void widened(const REAL (&row)[V], const Part& part, const int y, REAL (&wide)[V + 2])
{
#pragma unroll
    for (int j = 0; j < V; ++j) wide[j + 1] = row[j];
    if constexpr (SIDEWAYS) {
        wide[0] = __shfl_up_sync(ALL, row[V - 1], 1), wide[V + 1] = __shfl_down_sync(ALL, row[0], 1);
        if (part.places.at_left) wide[0] = beyond(part.laws, part.where, 0, 0, y, 0, row[0]);
#pragma unroll
        for (int j = 0; j < V; ++j)
            if (j == part.places.last) wide[j + 2] = beyond(part.laws, part.where, 0, 1, y, 0, row[j]);
    }
}

// rows[1 + dy][1 + j + dx] from the rows before y, y and after y, which may be beyond the sides: what is made of such a row
// nobody needs. CORNERS: neighbours of neighbours are read, too.
template <bool SIDEWAYS, bool CORNERS>
DEVICE void neighbours(const REAL (&before)[V], const REAL (&here)[V], const REAL (&after)[V], const Part& part, const int y,
                       REAL (&rows)[3][V + 2])
{
    widened<CORNERS>(before, part, inside(y - 1, part.ny, part.wraps_y), rows[0]);
    widened<SIDEWAYS || CORNERS>(here, part, inside(y, part.ny, part.wraps_y), rows[1]);
    widened<CORNERS>(after, part, inside(y + 1, part.ny, part.wraps_y), rows[2]);
    if (part.wraps_y) return;
    const int first = CORNERS ? 0 : 1, end = V + 2 - first;
    if (y == 0)
#pragma unroll
        for (int j = first; j < end; ++j)
            rows[0][j] = beyond(part.laws, part.where, 1, 0, inside(part.x + j - 1, part.nx, part.wraps_x), 0, rows[1][j]);
    if (y == part.ny - 1)
#pragma unroll
        for (int j = first; j < end; ++j)
            rows[2][j] = beyond(part.laws, part.where, 1, 1, inside(part.x + j - 1, part.nx, part.wraps_x), 0, rows[1][j]);
}

// Row 0 is the newest one.
template <int N> DEVICE void push(REAL (&rows)[N][V], const REAL (&newest)[V])
{
#pragma unroll
    for (int i = N - 1; i > 0; --i)
#pragma unroll
        for (int j = 0; j < V; ++j) rows[i][j] = rows[i - 1][j];
#pragma unroll
    for (int j = 0; j < V; ++j) rows[0][j] = newest[j];
}
