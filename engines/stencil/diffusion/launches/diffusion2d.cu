// Explicit diffusion on a grid of two dimensions, u[y][x]: one step per launch, or DEPTH steps (temporal blocking) with
// the same bits. The equation and its order of operations: update.cuh. How it works and what it costs: README.md.
//
// plain_R: a thread takes V columns of R rows, V = 16 / sizeof(REAL) (plain2d.cuh).
//     Bytes per point and step: one value read, one written.
// fused (-DDEPTH=T): a warp owns a strip of 32 V columns and streams over rows y; level l (0 .. T) is l rows behind
//     the load. Two rows of each level stay in registers; neighbours in x come by shuffles, so nothing is shared and
//     nothing waits. HALO columns on both sides and T rows above and below each part are computed twice.
//     Bytes per point and launch: one value read, one written (and the halo, mostly from L2).
//
// wraps: bit 0 for x, bit 1 for y. source: added as dt source, or null.
//
// variants: -DREAL=float; -DREAL=float -DEQUAL; -DREAL=double; -DREAL=double -DEQUAL
// variants: -DREAL=float -DEQUAL -DDEPTH=4; -DREAL=float -DEQUAL -DDEPTH=6; -DREAL=float -DEQUAL -DDEPTH=8
// variants: -DREAL=float -DEQUAL -DDEPTH=10; -DREAL=float -DDEPTH=6
// variants: -DREAL=float -DEQUAL -DDEPTH=4 -DSOURCE; -DREAL=float -DDEPTH=4 -DSOURCE
// variants: -DREAL=double -DEQUAL -DDEPTH=4; -DREAL=double -DEQUAL -DDEPTH=6; -DREAL=double -DDEPTH=4
// variants: -DREAL=double -DEQUAL -DDEPTH=4 -DSOURCE; -DREAL=double -DDEPTH=4 -DSOURCE

#include "stencil/step/update.cuh"

#ifndef DEPTH

#include "stencil/diffusion/launches/plain2d.cuh"

#else

#include "stencil/diffusion/launches/fused2d.cuh"

// At most 128 registers, so that 16 warps fit; the strips at the edge of ten levels need a few more.
extern "C" __global__ void __launch_bounds__(DEPTH > 8 ? 128 : 256, DEPTH > 8 ? 3 : 2) fused(
    const REAL* __restrict__ u, REAL* __restrict__ out, const REAL* __restrict__ source, const int nx, const int ny,
    const int rows, const int wraps, const REAL* __restrict__ sides, const REAL rate_x, const REAL rate_y, const REAL dt)
{
    fused_strips(u, out, source, nx, ny, rows, wraps, sides, rate_x, rate_y, dt, Medium());
}

#endif
