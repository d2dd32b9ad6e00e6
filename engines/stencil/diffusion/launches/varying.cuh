// A conductivity k (in units of that in the rates) that differs from cell to cell, in flux form:
//
//   per axis, from out = c, axes in the order x, y, z:
//     t = above * (hi - c);   t = fma(below, lo - c, t);   out = fma(rate_axis, t, out);   then out = fma(dt, s, out)
//
// `above` and `below` are the coefficients of the faces: the harmonic mean 2ab/(a + b) of both cells, across periodic sides
// too; at other sides the cell's own k. What one cell loses through a face the other gains, and a constant stays constant
// to the last bit. Ghosts: update.cuh.
#pragma once
#include "stencil/step/update.cuh"

// faces: (axes, cells), the face above each cell along each axis; the one below a cell is the one above its lower neighbour.
struct Medium {
    const REAL* __restrict__ k;
    const REAL* __restrict__ faces;
    long long cells;
};

DEVICE REAL flux(const REAL out, const REAL rate, const REAL above, const REAL hi, const REAL below, const REAL lo,
                 const REAL c)
{
    return multiply_add(rate, multiply_add(below, subtract(lo, c), multiply(above, subtract(hi, c))), out);
}
