// DEPTH steps in one pass over a plane (diffusion2d.cu), of cells that conduct alike or (-DVARYING) each in its own way
// (conductivity.cu): then the faces of DEPTH rows stay in registers too.
#pragma once
#include "stencil/diffusion/launches/varying.cuh"

static constexpr int HALO = (DEPTH + V - 1) / V * V;
static constexpr int USEFUL = 32 * V - 2 * HALO;
// Rows per turn of the loop inside the grid: with three, no row moves between registers; eight levels then spill on Blackwell.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && DEPTH == 8
static constexpr int TURNS = 2;
#else
static constexpr int TURNS = 3;
#endif

// Row y of columns x[0 ..], or of the V columns from x[0] on.
template <bool INTERIOR>
DEVICE void load_row(const REAL* __restrict__ row, const int (&x)[V], const bool aligned, REAL (&v)[V])
{
    if (INTERIOR || aligned) unpack(__ldg(reinterpret_cast<const Packed*>(row + x[0])), v);
    else {
#pragma unroll
        for (int j = 0; j < V; ++j) v[j] = __ldg(row + x[j]);
    }
}

// What a lane of a strip at the edge has to know.
struct Edge {
    int columns[V];       // where its cells are found
    bool at_left;         // its first cell has the low side beside it
    int last;             // which of its cells has the high side beside it, or -1
    int bottom, top;      // rows with a side beside them
    REAL x_low_scale, x_low_shift, x_high_scale, x_high_shift;  // of the ghosts in x
    const REAL* sides;
};

// The faces above the cells of the last rows, x[l] and y[l] of row y - l - 1, where y is taken through the levels; and of row y.
struct Faces {
#ifdef VARYING
    REAL x[DEPTH][V], y[DEPTH + 1][V], coming_x[V], coming_y[V];
#endif
};

// The row that begins at `start` comes next.
template <bool INTERIOR>
DEVICE void coming_faces(Faces& faces, const Medium& medium, const long long start, const int (&columns)[V],
                         const bool aligned)
{
#ifdef VARYING
    load_row<INTERIOR>(medium.faces + start, columns, aligned, faces.coming_x);
    load_row<INTERIOR>(medium.faces + medium.cells + start, columns, aligned, faces.coming_y);
#endif
}

DEVICE void clear(Faces& faces)
{
#ifdef VARYING
#pragma unroll
    for (int j = 0; j < V; ++j) {
        faces.y[DEPTH][j] = REAL(0);
#pragma unroll
        for (int l = 0; l < DEPTH; ++l) faces.x[l][j] = faces.y[l][j] = REAL(0);
    }
#endif
}

// One row on.
DEVICE void turn(Faces& faces)
{
#ifdef VARYING
#pragma unroll
    for (int j = 0; j < V; ++j) {
#pragma unroll
        for (int l = DEPTH; l > 0; --l) {
            faces.y[l][j] = faces.y[l - 1][j];
            if (l < DEPTH) faces.x[l][j] = faces.x[l - 1][j];
        }
        faces.x[0][j] = faces.coming_x[j], faces.y[0][j] = faces.coming_y[j];
    }
#endif
}

// Takes fresh, row y of level 0, through all levels; leaves row y - DEPTH of the last level in fresh.
template <bool INTERIOR>
DEVICE void climb(REAL (&older)[DEPTH][V], REAL (&here)[DEPTH][V], REAL (&fresh)[V], const int y, const Edge& edge,
                  const REAL* __restrict__ source, const int nx, const int ny, const int wraps, const REAL rate_x,
                  const REAL rate_y, const REAL dt, const Medium& medium, const Faces& faces)
{
    const bool aligned = nx % V == 0;
    const auto begin = [&](const int row) { return (long long)(INTERIOR ? max(row, 0) : inside(row, ny, wraps & 2)) * nx; };
#pragma unroll
    for (int l = 0; l < DEPTH; ++l) {
        // fresh is row y - l of level l; the row before it, here[l], is taken to level l + 1
        const int row = y - l - 1;
        REAL lo = __shfl_up_sync(ALL, here[l][V - 1], 1);
        const REAL hi = __shfl_down_sync(ALL, here[l][0], 1);
        REAL next[V];
#ifdef SOURCE
        REAL s[V];
        load_row<INTERIOR>(source + begin(row), edge.columns, aligned, s);
#endif
#ifdef VARYING
        REAL below[V], left = __shfl_up_sync(ALL, faces.x[l][V - 1], 1);
#pragma unroll
        for (int j = 0; j < V; ++j) below[j] = faces.y[l + 1][j];
        if (!INTERIOR && edge.at_left) left = __ldg(medium.k + begin(row));
        if (!INTERIOR && row == edge.bottom) load_row<INTERIOR>(medium.k + begin(row), edge.columns, aligned, below);
#endif
        if (!INTERIOR) {
            if (edge.at_left) lo = multiply_add(edge.x_low_scale, here[l][0], edge.x_low_shift);
            if (row == edge.bottom) {
                const REAL scale = __ldg(edge.sides + 4), shift = __ldg(edge.sides + 5);
#pragma unroll
                for (int j = 0; j < V; ++j) older[l][j] = multiply_add(scale, here[l][j], shift);
            }
        }
        const bool turns = !INTERIOR && row == edge.top;
        REAL scale = REAL(0), shift = REAL(0);
        if (turns) scale = __ldg(edge.sides + 6), shift = __ldg(edge.sides + 7);
#pragma unroll
        for (int j = 0; j < V; ++j) {
            const REAL c = here[l][j];
            REAL x_hi = j < V - 1 ? here[l][j < V - 1 ? j + 1 : j] : hi, y_hi = fresh[j];
            if (!INTERIOR && j == edge.last) x_hi = multiply_add(edge.x_high_scale, c, edge.x_high_shift);
            if (turns) y_hi = multiply_add(scale, c, shift);
            const REAL x_lo = j ? here[l][j ? j - 1 : 0] : lo;
#ifdef VARYING
            next[j] = flux(c, rate_x, faces.x[l][j], x_hi, j ? faces.x[l][j ? j - 1 : 0] : left, x_lo, c);
            next[j] = flux(next[j], rate_y, faces.y[l][j], y_hi, below[j], older[l][j], c);
#else
            next[j] = step2(c, x_lo, x_hi, older[l][j], y_hi, rate_x, rate_y);
#endif
#ifdef SOURCE
            next[j] = multiply_add(dt, s[j], next[j]);
#endif
        }
#pragma unroll
        for (int j = 0; j < V; ++j) {
            older[l][j] = here[l][j];
            here[l][j] = fresh[j];
            fresh[j] = next[j];
        }
    }
}

DEVICE void clear(REAL (&older)[DEPTH][V], REAL (&here)[DEPTH][V])
{
#pragma unroll
    for (int l = 0; l < DEPTH; ++l)
#pragma unroll
        for (int j = 0; j < V; ++j) older[l][j] = here[l][j] = REAL(0);
}

// Rows y0 .. end - 1 of a strip whose lane begins at column x; all that is read lies inside the grid.
DEVICE void stream_interior(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                            const int ny, const int x, const int y0, const int end, const bool stored, const REAL rate_x,
                            const REAL rate_y, const REAL dt, const Medium& medium)
{
    Edge edge = {};
    edge.columns[0] = x;
    REAL older[DEPTH][V], here[DEPTH][V], coming[V];
    Faces faces;
    clear(older, here);
    clear(faces);
    const int beyond = end + DEPTH;
    int y = y0 - DEPTH;
    coming_faces<true>(faces, medium, (long long)y * nx, edge.columns, true);
    unpack(__ldg(reinterpret_cast<const Packed*>(u + (long long)y * nx + x)), coming);
#pragma unroll TURNS
    for (; y < beyond; ++y) {
        REAL fresh[V];
#pragma unroll
        for (int j = 0; j < V; ++j) fresh[j] = coming[j];
        // the next row is under way while this one climbs
        unpack(__ldg(reinterpret_cast<const Packed*>(u + (long long)min(y + 1, beyond - 1) * nx + x)), coming);
        climb<true>(older, here, fresh, y, edge, source, nx, ny, 0, rate_x, rate_y, dt, medium, faces);
        turn(faces);
        coming_faces<true>(faces, medium, (long long)min(y + 1, beyond - 1) * nx, edge.columns, true);
        if (y - DEPTH >= y0 && stored)
            *reinterpret_cast<Packed*>(out + (long long)(y - DEPTH) * nx + x) = packed(fresh);
    }
}

// The same for a strip at the edge of the grid, or a grid whose rows are not aligned.
DEVICE void stream_edge(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                        const int ny, const int x, const int y0, const int end, const bool stored, const int wraps,
                        const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL dt,
                        const Medium& medium)
{
    const bool wraps_x = wraps & 1, wraps_y = wraps & 2, aligned = nx % V == 0;
    Edge edge;
#pragma unroll
    for (int j = 0; j < V; ++j) edge.columns[j] = inside(x + j, nx, wraps_x);
    if (aligned && !wraps_x) edge.columns[0] = min(max(x, 0), nx - V);
    edge.at_left = !wraps_x && x == 0;
    edge.last = !wraps_x && nx - 1 - x < V ? nx - 1 - x : -1;
    edge.bottom = wraps_y ? NOWHERE : 0;
    edge.top = wraps_y ? NOWHERE : ny - 1;
    edge.x_low_scale = __ldg(sides), edge.x_low_shift = __ldg(sides + 1);
    edge.x_high_scale = __ldg(sides + 2), edge.x_high_shift = __ldg(sides + 3);
    edge.sides = sides;

    REAL older[DEPTH][V], here[DEPTH][V];
    Faces faces;
    clear(older, here);
    clear(faces);
    coming_faces<false>(faces, medium, (long long)inside(y0 - DEPTH, ny, wraps_y) * nx, edge.columns, aligned);
#pragma unroll 1
    for (int y = y0 - DEPTH; y < end + DEPTH; ++y) {
        REAL fresh[V];
        load_row<false>(u + (long long)inside(y, ny, wraps_y) * nx, edge.columns, aligned, fresh);
        climb<false>(older, here, fresh, y, edge, source, nx, ny, wraps, rate_x, rate_y, dt, medium, faces);
        turn(faces);
        coming_faces<false>(faces, medium, (long long)inside(y + 1, ny, wraps_y) * nx, edge.columns, aligned);
        const int row = y - DEPTH;
        if (row < y0 || !stored) continue;
        REAL* place = out + (long long)row * nx + x;
        if (aligned && x < nx) *reinterpret_cast<Packed*>(place) = packed(fresh);
        else {
#pragma unroll
            for (int j = 0; j < V; ++j)
                if (x + j < nx) place[j] = fresh[j];
        }
    }
}

// Blocks of (32, w) threads: w strips side by side; block (i, j) takes rows j rows .. (j + 1) rows - 1 of them.
DEVICE void fused_strips(const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx,
                         const int ny, const int rows, const int wraps, const REAL* __restrict__ sides, const REAL rate_x,
                         const REAL rate_y, const REAL dt, const Medium& medium)
{
    const int start = (int)(blockIdx.x * blockDim.y + threadIdx.y) * USEFUL - HALO;
    const int y0 = blockIdx.y * rows, end = min(y0 + rows, ny);
    if (start + HALO >= nx) return;  // a whole warp
    const int x = start + (int)threadIdx.x * V;
    const bool stored = threadIdx.x >= HALO / V && threadIdx.x < 32 - HALO / V;
    if (nx % V == 0 && start >= 0 && start + 32 * V <= nx && y0 >= DEPTH && end + DEPTH <= ny)
        stream_interior(u, out, source, nx, ny, x, y0, end, stored, rate_x, rate_y, dt, medium);
    else stream_edge(u, out, source, nx, ny, x, y0, end, stored, wraps, sides, rate_x, rate_y, dt, medium);
}
