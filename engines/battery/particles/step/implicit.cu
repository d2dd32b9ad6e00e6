// Implicit diffusion in spheres: the θ scheme, one thread per particle, Thomas' algorithm in registers.
//
//   (1 − θτL) δ = τ L w,   w += δ,   τ = D dt/R²,   L w = outer (w_{i+1} − w_i) − inner (w_i − w_{i−1})
//
// Solving for the change keeps constants exact; a steady flux is split off as in explicit.cu. The elimination depends on
// τ alone: the pivots are computed once per launch. Layout as in explicit.cu; rows before the centre
// (POINTS − points of them) have couplings of 0.
// Above LARGEST shells (`implicit_any`) factors and state stay in memory, 4 arrays of (points, stride).
//
// LARGEST: what fits the registers of a thread in this precision.
//
// variants: -DREAL=float -DLARGEST=32; -DREAL=double -DLARGEST=16

#include "battery/step/particle_rows.cuh"

template <int POINTS>
__device__ __forceinline__ void in_registers(
    REAL* __restrict__ c, REAL* __restrict__ base, const REAL* __restrict__ rate,
    const REAL* __restrict__ radius_per_diffusivity,
    const REAL* __restrict__ flux, const REAL* __restrict__ inner, const REAL* __restrict__ outer,
    const REAL* __restrict__ steady, REAL theta, REAL dt, int steps, int points, int n, int stride) {
    __shared__ REAL in[POINTS], out[POINTS], profile[POINTS];
    const int first = points - POINTS;
    for (int k = threadIdx.x; k < POINTS; k += blockDim.x) {
        const bool real = first + k >= 0;
        in[k] = real ? inner[first + k] : REAL(0);
        out[k] = real ? outer[first + k] : REAL(0);
        profile[k] = real ? steady[first + k] : REAL(0);
    }
    __syncthreads();
    const int particle = blockIdx.x * blockDim.x + threadIdx.x;
    if (particle >= n) return;
    const REAL tau = rate[particle] * dt, s = theta * tau;
    const REAL gain = flux[particle] * radius_per_diffusivity[particle];
    REAL w[POINTS], pivot[POINTS], delta[POINTS];
    REAL up = REAL(0);
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        w[k] = REAL(0);
        if (first + k >= 0) w[k] = c[(long long)(first + k) * stride + particle] - gain * profile[k];
        pivot[k] = REAL(1) / (REAL(1) + s * (in[k] + out[k]) - s * in[k] * up);
        up = s * out[k] * pivot[k];
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        asm volatile("" ::: "memory");  // the couplings stay in shared memory: registers are short
        REAL left = REAL(0);
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            const REAL right = k + 1 < POINTS ? w[k + 1 < POINTS ? k + 1 : 0] - w[k] : REAL(0);
            const REAL before = k ? s * delta[k ? k - 1 : 0] : REAL(0);
            delta[k] = pivot[k] * (tau * out[k] * right + in[k] * (before - tau * left));
            left = right;
        }
        REAL change = REAL(0);
#pragma unroll
        for (int k = POINTS - 1; k >= 0; --k) {
            change = fma(out[k] * pivot[k], s * change, delta[k]);
            w[k] += change;
        }
    }
    const REAL grown = gain * (REAL(3) * tau * REAL(steps)) - base[BaseRow::ERROR * stride + particle];
    const REAL last = base[BaseRow::BASE * stride + particle], after = last + grown;
    base[BaseRow::BASE * stride + particle] = after;
    base[BaseRow::ERROR * stride + particle] = (after - last) - grown;
#pragma unroll
    for (int k = 0; k < POINTS; ++k)
        if (first + k >= 0) c[(long long)(first + k) * stride + particle] = w[k] + gain * profile[k];
}

#define KERNEL(POINTS)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(128, 2) implicit_##POINTS(                                            \
        REAL* c, REAL* base, const REAL* rate, const REAL* radius_per_diffusivity, const REAL* flux,                   \
        const REAL* inner, const REAL* outer, const REAL* steady, REAL theta, REAL dt, int steps, int points, int n,   \
        int stride) {                                                                                                  \
        in_registers<POINTS>(c, base, rate, radius_per_diffusivity, flux, inner, outer, steady, theta, dt, steps,      \
                             points, n, stride);                                                                       \
    }

KERNEL(8)
KERNEL(16)
#if LARGEST >= 32
KERNEL(24)
KERNEL(32)
#endif

// scratch: (3, points, stride).
extern "C" __global__ void __launch_bounds__(128) implicit_any(
    REAL* __restrict__ c, REAL* __restrict__ base, const REAL* __restrict__ rate,
    const REAL* __restrict__ radius_per_diffusivity,
    const REAL* __restrict__ flux, const REAL* __restrict__ inner, const REAL* __restrict__ outer,
    const REAL* __restrict__ steady, REAL theta, REAL dt, int steps, int points, int n, int stride,
    REAL* __restrict__ scratch) {
    const int particle = blockIdx.x * blockDim.x + threadIdx.x;
    if (particle >= n) return;
    REAL* const w = c + particle;
    REAL* const pivot = scratch + particle;
    REAL* const up = pivot + (long long)points * stride;
    REAL* const delta = up + (long long)points * stride;
    const REAL tau = rate[particle] * dt, s = theta * tau;
    const REAL gain = flux[particle] * radius_per_diffusivity[particle];
    REAL last_up = REAL(0);
    for (int k = 0; k < points; ++k) {
        const long long at = (long long)k * stride;
        w[at] -= gain * steady[k];
        const REAL p = REAL(1) / (REAL(1) + s * (inner[k] + outer[k]) - s * inner[k] * last_up);
        pivot[at] = p;
        up[at] = last_up = s * outer[k] * p;
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        REAL left = REAL(0), before = REAL(0), here = w[0];
#pragma unroll 1
        for (int k = 0; k < points; ++k) {
            const long long at = (long long)k * stride;
            const REAL next = k + 1 < points ? w[at + stride] : here;
            const REAL right = next - here;
            before = pivot[at] * (tau * outer[k] * right + inner[k] * (s * before - tau * left));
            delta[at] = before;
            left = right;
            here = next;
        }
        REAL change = REAL(0);
#pragma unroll 1
        for (int k = points - 1; k >= 0; --k) {
            const long long at = (long long)k * stride;
            change = fma(up[at], change, delta[at]);
            w[at] += change;
        }
    }
    const REAL grown = gain * (REAL(3) * tau * REAL(steps)) - base[BaseRow::ERROR * stride + particle];
    const REAL last = base[BaseRow::BASE * stride + particle], after = last + grown;
    base[BaseRow::BASE * stride + particle] = after;
    base[BaseRow::ERROR * stride + particle] = (after - last) - grown;
    for (int k = 0; k < points; ++k) w[(long long)k * stride] += gain * steady[k];
}
