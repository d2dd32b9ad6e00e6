// One explicit step of Gray and Scott's reaction with diffusion, in two or three dimensions (-DDIMENSIONS), u[z][y][x]:
//
//   u' = u + D_u lap u + dt (-u v² + F (1 - u)),      v' = v + D_v lap v + dt (u v² - (F + k) v)
//
// Order of operations, shared with the CPU's twin: d_u and d_v are the diffusion of engines/stencil/step/update.cuh
// (-DEQUAL: equal rates along the axes), then
//
//   r = u * (v * v);   u' = fma(dt, fma(feed, 1 - u, -r), d_u);   v' = fma(dt, fma(-(feed + kill), v, r), d_v)
//
// with feed + kill rounded once, on the host. In 2D, fused (-DDEPTH=T) takes T steps per launch with the same bits.
//
// A warp takes 32 V columns (V = 16 / sizeof(REAL)) and streams over rows (2D) or, a row at a time, over planes (3D), of
// which three stay in registers. Bytes per point and step: two values read, two written.
// wraps: bits 0, 1, 2 for x, y, z. sides: as in update.cuh, the same for both substances.
//
// variants: -DREAL=float -DDIMENSIONS=2; -DREAL=float -DDIMENSIONS=2 -DEQUAL; -DREAL=double -DDIMENSIONS=2
// variants: -DREAL=double -DDIMENSIONS=2 -DEQUAL; -DREAL=float -DDIMENSIONS=3; -DREAL=float -DDIMENSIONS=3 -DEQUAL
// variants: -DREAL=double -DDIMENSIONS=3; -DREAL=double -DDIMENSIONS=3 -DEQUAL
// variants: -DREAL=float -DDIMENSIONS=2 -DEQUAL -DDEPTH=2; -DREAL=float -DDIMENSIONS=2 -DEQUAL -DDEPTH=4

#include "stencil/step/update.cuh"
#include "stencil/step/columns.cuh"

// Rates of both substances, and the reaction.
struct Model {
    REAL u_x, u_y, u_z, v_x, v_y, v_z, feed, removal, dt;
};

DEVICE void react(const REAL u, const REAL v, const Model& model, REAL& next_u, REAL& next_v)
{
    const REAL r = multiply(u, multiply(v, v));
    next_u = multiply_add(model.dt, multiply_add(model.feed, subtract(REAL(1), u), -r), next_u);
    next_v = multiply_add(model.dt, multiply_add(-model.removal, v, r), next_v);
}

#ifndef DEPTH

// One substance's part of a row: what is needed to step it once.
struct Strip {
    REAL older[V], here[V], fresh[V];
};

// Blocks of (32, w) threads. 2D: block (i, j) takes 32 V columns, warp by warp `span` rows. 3D: block (i, j, k) takes 32 V
// columns, w rows and `span` planes. The march is along the last axis.
extern "C" __global__ void __launch_bounds__(256, 2) single(
    const REAL* __restrict__ u, const REAL* __restrict__ v, REAL* __restrict__ u_out, REAL* __restrict__ v_out, const int nx,
    const int ny, const int nz, const int span, const int wraps, const REAL* __restrict__ sides, const REAL u_x,
    const REAL u_y, const REAL u_z, const REAL v_x, const REAL v_y, const REAL v_z, const REAL feed, const REAL removal,
    const REAL dt)
{
    const Model model = {u_x, u_y, u_z, v_x, v_y, v_z, feed, removal, dt};
    const int lane = threadIdx.x, x = (blockIdx.x * 32 + lane) * V;
    const bool wraps_x = wraps & 1;
    const Columns columns = columns_at(x, nx, wraps, sides);
    const int beyond = lane == 0 ? inside(x - 1, nx, wraps_x) : inside(x + V, nx, wraps_x);
    const bool outer = lane == 0 || lane == 31;

#if DIMENSIONS == 2
    const int axis = 1, count = ny, start = (blockIdx.y * blockDim.y + threadIdx.y) * span;
    const long long stride = nx, base = 0;
#else
    const int axis = 2, count = nz, start = blockIdx.z * span;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= ny) return;  // a whole warp
    const bool wraps_y = wraps & 2;
    const long long stride = (long long)ny * nx, base = (long long)y * nx;
    const long long below_row = (long long)inside(y - 1, ny, wraps_y) * nx, above_row = (long long)inside(y + 1, ny, wraps_y) * nx;
#endif
    if (start >= count) return;
    const bool wraps_march = wraps >> axis & 1;
    const int end = min(start + span, count);
    Strip strips[2];
    const REAL* const fields[2] = {u, v};
#pragma unroll
    for (int f = 0; f < 2; ++f) {
        load_row(fields[f] + inside(start - 1, count, wraps_march) * stride + base, columns, strips[f].older);
        load_row(fields[f] + start * stride + base, columns, strips[f].here);
    }
#pragma unroll 1
    for (int i = start; i < end; ++i) {
        const long long following = (i + 1 < count ? i + 1 : wraps_march ? 0 : i) * stride + base;
        const long long row = i * stride + base;
        REAL lo[2], hi[2], next[2][V];
#pragma unroll
        for (int f = 0; f < 2; ++f) load_row(fields[f] + following, columns, strips[f].fresh);
#if DIMENSIONS == 3
        REAL below[2][V], above[2][V];
#pragma unroll
        for (int f = 0; f < 2; ++f) {
            load_row(fields[f] + i * stride + below_row, columns, below[f]);
            load_row(fields[f] + i * stride + above_row, columns, above[f]);
        }
#endif
#pragma unroll
        for (int f = 0; f < 2; ++f) {
            const REAL edge = outer ? __ldg(fields[f] + row + beyond) : REAL(0);
            lo[f] = __shfl_up_sync(ALL, strips[f].here[V - 1], 1);
            hi[f] = __shfl_down_sync(ALL, strips[f].here[0], 1);
            if (lane == 0) lo[f] = edge;
            if (lane == 31) hi[f] = edge;
        }
#pragma unroll
        for (int f = 0; f < 2; ++f) {
            const REAL rate_x = f ? model.v_x : model.u_x, rate_y = f ? model.v_y : model.u_y;
#pragma unroll
            for (int j = 0; j < V; ++j) {
                const REAL c = strips[f].here[j];
                REAL x_lo = j ? strips[f].here[j ? j - 1 : 0] : lo[f];
                REAL x_hi = j < V - 1 ? strips[f].here[j < V - 1 ? j + 1 : j] : hi[f];
                if (j == 0 && columns.at_left) x_lo = multiply_add(columns.low_scale, c, columns.low_shift);
                if (j == columns.last) x_hi = multiply_add(columns.high_scale, c, columns.high_shift);
                REAL march_lo = strips[f].older[j], march_hi = strips[f].fresh[j];
                if (!wraps_march && i == 0) march_lo = ghost(sides, axis, 0, c);
                if (!wraps_march && i == count - 1) march_hi = ghost(sides, axis, 1, c);
#if DIMENSIONS == 2
                next[f][j] = step2(c, x_lo, x_hi, march_lo, march_hi, rate_x, rate_y);
#else
                const REAL rate_z = f ? model.v_z : model.u_z;
                REAL y_lo = below[f][j], y_hi = above[f][j];
                if (!wraps_y && y == 0) y_lo = ghost(sides, 1, 0, c);
                if (!wraps_y && y == ny - 1) y_hi = ghost(sides, 1, 1, c);
                next[f][j] = step3(c, x_lo, x_hi, y_lo, y_hi, march_lo, march_hi, rate_x, rate_y, rate_z);
#endif
            }
        }
#pragma unroll
        for (int j = 0; j < V; ++j) react(strips[0].here[j], strips[1].here[j], model, next[0][j], next[1][j]);
        if (x < nx) {
            store_row<false>(u_out + row, x, nx, columns.aligned, next[0]);
            store_row<false>(v_out + row, x, nx, columns.aligned, next[1]);
        }
#pragma unroll
        for (int f = 0; f < 2; ++f)
#pragma unroll
            for (int j = 0; j < V; ++j) {
                strips[f].older[j] = strips[f].here[j];
                strips[f].here[j] = strips[f].fresh[j];
            }
    }
}

#else

static constexpr int HALO = (DEPTH + V - 1) / V * V;
static constexpr int USEFUL = 32 * V - 2 * HALO;

// As `fused` in diffusion2d.cu: a warp owns a strip and streams over rows, level l is l rows behind the load.
// Blocks of (32, w) threads: w strips side by side; block (i, j) takes rows j span .. (j + 1) span - 1 of them.
extern "C" __global__ void __launch_bounds__(128, 4) fused(
    const REAL* __restrict__ u, const REAL* __restrict__ v, REAL* __restrict__ u_out, REAL* __restrict__ v_out, const int nx,
    const int ny, const int nz, const int span, const int wraps, const REAL* __restrict__ sides, const REAL u_x,
    const REAL u_y, const REAL u_z, const REAL v_x, const REAL v_y, const REAL v_z, const REAL feed, const REAL removal,
    const REAL dt)
{
    const Model model = {u_x, u_y, u_z, v_x, v_y, v_z, feed, removal, dt};
    const int lane = threadIdx.x, start = (int)(blockIdx.x * blockDim.y + threadIdx.y) * USEFUL - HALO;
    if (start + HALO >= nx) return;  // a whole warp
    const int x = start + lane * V, y0 = blockIdx.y * span, end = min(y0 + span, ny);
    const bool wraps_y = wraps & 2;
    const bool stored = lane >= HALO / V && lane < 32 - HALO / V && x < nx;
    const Columns columns = columns_at(x, nx, wraps, sides);
    const REAL* const fields[2] = {u, v};
    const int bottom = wraps_y ? NOWHERE : 0, top = wraps_y ? NOWHERE : ny - 1;
    const REAL low_scale = __ldg(sides + 4), low_shift = __ldg(sides + 5), high_scale = __ldg(sides + 6),
               high_shift = __ldg(sides + 7);

    REAL older[DEPTH][2][V], here[DEPTH][2][V];
#pragma unroll
    for (int l = 0; l < DEPTH; ++l)
#pragma unroll
        for (int f = 0; f < 2; ++f)
#pragma unroll
            for (int j = 0; j < V; ++j) older[l][f][j] = here[l][f][j] = REAL(0);
#pragma unroll 1
    for (int y = y0 - DEPTH; y < end + DEPTH; ++y) {
        REAL fresh[2][V];
        const long long from = (long long)inside(y, ny, wraps_y) * nx;
#pragma unroll
        for (int f = 0; f < 2; ++f) load_row(fields[f] + from, columns, fresh[f]);
#pragma unroll
        for (int l = 0; l < DEPTH; ++l) {
            const int row = y - l - 1;
            REAL lo[2], hi[2], next[2][V];
#pragma unroll
            for (int f = 0; f < 2; ++f) {
                lo[f] = __shfl_up_sync(ALL, here[l][f][V - 1], 1);
                hi[f] = __shfl_down_sync(ALL, here[l][f][0], 1);
            }
#pragma unroll
            for (int f = 0; f < 2; ++f) {
                const REAL rate_x = f ? model.v_x : model.u_x, rate_y = f ? model.v_y : model.u_y;
#pragma unroll
                for (int j = 0; j < V; ++j) {
                    const REAL c = here[l][f][j];
                    REAL x_lo = j ? here[l][f][j ? j - 1 : 0] : lo[f], y_lo = older[l][f][j];
                    REAL x_hi = j < V - 1 ? here[l][f][j < V - 1 ? j + 1 : j] : hi[f], y_hi = fresh[f][j];
                    if (j == 0 && columns.at_left) x_lo = multiply_add(columns.low_scale, c, columns.low_shift);
                    if (j == columns.last) x_hi = multiply_add(columns.high_scale, c, columns.high_shift);
                    if (row == bottom) y_lo = multiply_add(low_scale, c, low_shift);
                    if (row == top) y_hi = multiply_add(high_scale, c, high_shift);
                    next[f][j] = step2(c, x_lo, x_hi, y_lo, y_hi, rate_x, rate_y);
                }
            }
#pragma unroll
            for (int j = 0; j < V; ++j) react(here[l][0][j], here[l][1][j], model, next[0][j], next[1][j]);
#pragma unroll
            for (int f = 0; f < 2; ++f)
#pragma unroll
                for (int j = 0; j < V; ++j) {
                    older[l][f][j] = here[l][f][j];
                    here[l][f][j] = fresh[f][j];
                    fresh[f][j] = next[f][j];
                }
        }
        const int row = y - DEPTH;
        if (row >= y0 && stored) {
            store_row<false>(u_out + (long long)row * nx, x, nx, columns.aligned, fresh[0]);
            store_row<false>(v_out + (long long)row * nx, x, nx, columns.aligned, fresh[1]);
        }
    }
}

#endif
