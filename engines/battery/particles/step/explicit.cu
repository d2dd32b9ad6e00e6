// Explicit diffusion in spheres: all steps of a launch in registers, several shells per lane, several lanes per particle.
//
//   c_i += τ [outer_i (c_{i+1} − c_i) − inner_i (c_i − c_{i−1})],   τ = D dt/R²           (shells.py)
//
// Layout: c[shell * stride + particle], deviations from the particle's base (which starts at 0); a particle's shells are spread over
// `lanes` lanes (a power of two up to 32), POINTS each, the surface at the last lane's last. Rows that POINTS * lanes has
// too many stand before the centre with couplings of 0, so the surface is always at the same place.
//
// A steady flux is split off first: c = w + gain (steady + 3τ n) holds for the scheme exactly, gain = flux R/D, and w
// knows no flux. So a step has no source; the lithium that enters moves the base, row BASE of base, whose rounding error
// (row ERROR) is carried along (Kahan). Shells stay small numbers however much enters, in however many launches.
//
// Bytes: every c is read and written once per launch, whatever the steps. Instructions per shell and step (SASS, float):
// POINTS + 1 subtractions, 2 POINTS fused multiply-adds, 2 shuffles, so 3 + 3/POINTS:
//   10,000 particles x 32 shells x 288 steps on 132 SMs of 4 schedulers, predicted at 1.755 GHz:
//     POINTS 2  16 lanes  5000 warps  10 a scheduler x  9 instr x 288 =  25.9 k cycles  14.8 µs
//     POINTS 4   8 lanes  2500 warps   5 a scheduler x 15 instr x 288 =  21.6 k cycles  12.3 µs
//     POINTS 8   4 lanes  1250 warps   3 a scheduler x 27 instr x 288 =  23.3 k cycles  13.3 µs
//     POINTS 16  2 lanes   625 warps   2 a scheduler x 51 instr x 288 =  29.4 k cycles  16.7 µs
//   100,000 particles: POINTS 4 (48 x 15) 118 µs, POINTS 8 (24 x 27) 106 µs, POINTS 16 (12 x 51) 100 µs.
//   One warp per particle (POINTS 1: 6 instructions, 19 warps a scheduler) would take 18.7 µs at best.
// The chain of one step, shuffle, subtraction, two multiply-adds, is about 36 cycles: five warps hide it.
// Counted on an H200: a multiply-add of three different registers takes two issue slots (half of them wait at dispatch, none
// for the pipe), unless one of them was read just before. So a step takes 5 POINTS + 4 slots, not 3 POINTS + 3: POINTS 4
// 24.2 cycles a warp and step, POINTS 16 85. In a row 10,000 particles take 19.8 µs (2.5 of them to begin and end), 100,000
// 136 µs (POINTS 16).
//
// variants: -DREAL=float; -DREAL=double

#include "battery/step/curves.cuh"
#include "battery/step/particle_rows.cuh"

struct Place {
    int particle, first;  // the particle, and the shell that this thread's first row is (negative: before the centre)
    bool inside;
};

template <int POINTS>
__device__ __forceinline__ Place place(int lanes, int points, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & (lanes - 1);
    const int particle = thread / lanes;
    return {particle < n ? particle : n - 1, points - (lanes - lane) * POINTS, particle < n};
}

template <int POINTS>
__device__ __forceinline__ void constant(
    REAL* __restrict__ c, REAL* __restrict__ base, const REAL* __restrict__ rate,
    const REAL* __restrict__ radius_per_diffusivity,
    const REAL* __restrict__ flux, const REAL* __restrict__ inner, const REAL* __restrict__ outer,
    const REAL* __restrict__ steady, REAL dt, int steps, int lanes, int points, int n, int stride) {
    const Place at = place<POINTS>(lanes, points, n);
    const REAL tau = rate[at.particle] * dt;
    const REAL gain = flux[at.particle] * radius_per_diffusivity[at.particle];
    REAL w[POINTS], in[POINTS], out[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        const int i = at.first + k;
        w[k] = in[k] = out[k] = REAL(0);
        if (i >= 0) {
            w[k] = c[(long long)i * stride + at.particle] - gain * steady[i];
            in[k] = -tau * inner[i];
            out[k] = tau * outer[i];
        }
    }
#pragma unroll(POINTS < 8 ? 4 : 1)
    for (int step = 0; step < steps; ++step) {
        const REAL below = __shfl_up_sync(0xffffffffu, w[POINTS - 1], 1, lanes);
        const REAL above = __shfl_down_sync(0xffffffffu, w[0], 1, lanes);
        REAL left = w[0] - below;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            const REAL right = (k + 1 < POINTS ? w[k + 1 < POINTS ? k + 1 : 0] : above) - w[k];
            w[k] = fma(out[k], right, fma(in[k], left, w[k]));
            left = right;
        }
    }
    if (!at.inside) return;
    if ((threadIdx.x & (lanes - 1)) == 0) {
        const REAL grown = gain * (REAL(3) * tau * REAL(steps)) - base[BaseRow::ERROR * stride + at.particle];
        const REAL before = base[BaseRow::BASE * stride + at.particle], after = before + grown;
        base[BaseRow::BASE * stride + at.particle] = after;
        base[BaseRow::ERROR * stride + at.particle] = (after - before) - grown;
    }
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        const int i = at.first + k;
        if (i >= 0) c[(long long)i * stride + at.particle] = w[k] + gain * steady[i];
    }
}

// D as a curve of the deviation: the face between two shells has D of their mean. rate: D/R² where the curve is 1,
// source: A/V of the surface. Nothing can be split off here, so the rounding of each shell is carried along (Kahan): in
// float 10,000 steps would lose 2e-5 of the lithium without.
template <int POINTS>
__device__ __forceinline__ void varying(
    REAL* __restrict__ c, const REAL* __restrict__ rate, const REAL* __restrict__ radius, const REAL* __restrict__ flux,
    const REAL* __restrict__ inner, const REAL* __restrict__ outer, const Cubic<REAL>::type* __restrict__ diffusivity,
    int intervals, REAL low, REAL inverse_step, REAL source, REAL dt, int steps, int lanes, int points, int n,
    int stride) {
    const Place at = place<POINTS>(lanes, points, n);
    const REAL tau = rate[at.particle] * dt;
    const bool surface = (threadIdx.x & (lanes - 1)) == lanes - 1;
    const REAL entering = surface ? source * flux[at.particle] * dt / radius[at.particle] : REAL(0);
    REAL v[POINTS], lost[POINTS], in[POINTS], out[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        const int i = at.first + k;
        v[k] = lost[k] = in[k] = out[k] = REAL(0);
        if (i >= 0) {
            v[k] = c[(long long)i * stride + at.particle];
            in[k] = -tau * inner[i];
            out[k] = tau * outer[i];
        }
    }
    for (int step = 0; step < steps; ++step) {
        const REAL above = __shfl_down_sync(0xffffffffu, v[0], 1, lanes);
        REAL right[POINTS];
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            const REAL next = k + 1 < POINTS ? v[k + 1 < POINTS ? k + 1 : 0] : above;
            const REAL at_face = (REAL(0.5) * (next + v[k]) - low) * inverse_step;
            right[k] = curve_at<REAL>(diffusivity, intervals, at_face) * (next - v[k]);
        }
        REAL left = __shfl_up_sync(0xffffffffu, right[POINTS - 1], 1, lanes);
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            const REAL source_here = k == POINTS - 1 ? entering - lost[k] : -lost[k];
            const REAL gained = fma(out[k], right[k], fma(in[k], left, source_here));
            const REAL next = v[k] + gained;
            lost[k] = (next - v[k]) - gained;
            v[k] = next;
            left = right[k];
        }
    }
    if (!at.inside) return;
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        const int i = at.first + k;
        if (i >= 0) c[(long long)i * stride + at.particle] = v[k];
    }
}

// Blocks that an SM should hold: without a figure the assembler may spill to make room for more.
template <int POINTS>
constexpr int blocks = sizeof(REAL) == 4 ? (POINTS < 8 ? 8 : 64 / POINTS) : 1;

#define CONSTANT(POINTS)                                                                                               \
    extern "C" __global__ void __launch_bounds__(128, blocks<POINTS>) constant_##POINTS(                               \
        REAL* c, REAL* base, const REAL* rate, const REAL* radius_per_diffusivity, const REAL* flux,                   \
        const REAL* inner, const REAL* outer, const REAL* steady, REAL dt, int steps, int lanes, int points, int n,    \
        int stride) {                                                                                                  \
        constant<POINTS>(c, base, rate, radius_per_diffusivity, flux, inner, outer, steady, dt, steps, lanes, points,  \
                         n, stride);                                                                                   \
    }

CONSTANT(1)
CONSTANT(2)
CONSTANT(4)
CONSTANT(8)
CONSTANT(16)

#define VARYING(POINTS)                                                                                                \
    extern "C" __global__ void __launch_bounds__(128) varying_##POINTS(                                                \
        REAL* c, const REAL* rate, const REAL* radius, const REAL* flux, const REAL* inner, const REAL* outer,         \
        const Cubic<REAL>::type* diffusivity, int intervals, REAL low, REAL inverse_step, REAL source, REAL dt,        \
        int steps, int lanes, int points, int n, int stride) {                                                         \
        varying<POINTS>(c, rate, radius, flux, inner, outer, diffusivity, intervals, low, inverse_step, source, dt,    \
                        steps, lanes, points, n, stride);                                                              \
    }

VARYING(1)
VARYING(2)
VARYING(4)
VARYING(8)
