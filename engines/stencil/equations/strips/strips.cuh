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
    bool near_sides;                  // of x, which do not wrap: some lane of the warp is
    Places places;
};

DEVICE Part part_at(const int start, const int lane, const REAL* __restrict__ laws, const int* __restrict__ where,
                    const int nx, const int ny)
{
    Part part = {laws, where, nx, ny, start + lane * V, bool(__ldg(where) & 1), bool(__ldg(where) & 2)};
    part.near_sides = !part.wraps_x && (start <= 0 || start + 32 * V >= nx);
    find(part.places, part.x, nx, part.wraps_x);
    return part;
}

// The row after this one, y of which is that of a plane without sides.
DEVICE int row_after(const int row, const int y, const Part& part)
{
    if (part.wraps_y) return row + 1 == part.ny ? 0 : row + 1;
    return min(max(y + 1, 0), part.ny - 1);
}

// wide[1 + j]: the V cells of a row, with what is beside them if SIDEWAYS. The whole warp calls this.
template <bool SIDEWAYS> DEVICE void widened(const REAL (&row)[V], const Part& part, const int y, REAL (&wide)[V + 2])
{
#pragma unroll
    for (int j = 0; j < V; ++j) wide[j + 1] = row[j];
    if constexpr (SIDEWAYS) {
        wide[0] = __shfl_up_sync(ALL, row[V - 1], 1), wide[V + 1] = __shfl_down_sync(ALL, row[0], 1);
        if (!part.near_sides) return;
        const int place = inside(y, part.ny, part.wraps_y);
        if (part.places.at_left) wide[0] = beyond(part.laws, part.where, 0, 0, place, 0, row[0]);
        if (part.places.last < 0) return;
        const REAL* law = law_of(part.laws, part.where, 0, 1, place, 0);
        const REAL scale = __ldg(law), shift = __ldg(law + 1);
#pragma unroll
        for (int j = 0; j < V; ++j) {  // both are worked out: a branch would take the row out of registers
            const REAL ghost = multiply_add(scale, row[j], shift), cell = wide[j + 2];
            wide[j + 2] = j == part.places.last ? ghost : cell;
        }
    }
}

// rows[1 + dy][1 + j + dx] from the rows before y, y and after y, which may be beyond the sides: what is made of such a row
// nobody needs. CORNERS: neighbours of neighbours are read, too.
template <bool SIDEWAYS, bool CORNERS>
DEVICE void neighbours(const REAL (&before)[V], const REAL (&here)[V], const REAL (&after)[V], const Part& part, const int y,
                       REAL (&rows)[3][V + 2])
{
    widened<CORNERS>(before, part, y - 1, rows[0]);
    widened<SIDEWAYS || CORNERS>(here, part, y, rows[1]);
    widened<CORNERS>(after, part, y + 1, rows[2]);
    const bool first = y == 0, last = y == part.ny - 1;
    if (part.wraps_y || !(first || last)) return;
#pragma unroll
    for (int j = CORNERS ? 0 : 1; j < V + 2 - (CORNERS ? 0 : 1); ++j) {
        const int at = part.x + j - 1, column = part.wraps_x ? inside(at, part.nx, true) : min(max(at, -1), part.nx);
        if (first) rows[0][j] = beyond(part.laws, part.where, 1, 0, column, 0, rows[1][j]);
        if (last) rows[2][j] = beyond(part.laws, part.where, 1, 1, column, 0, rows[1][j]);
    }
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
