// Eigenmodes of diffusion in spheres (series.py): any time under a steady flux in one evaluation, exactly.
//
//   b_k <- b_k e^{−λ_k² τ} + gain (2/λ_k²) (1 − e^{−λ_k² τ}),   mean <- mean + 3 gain τ,   τ = D t/R², gain = flux R/D
//
// Layout: state[row * stride + particle], rows: mean, its rounding error (Kahan), b_1 … b_modes.
// Bytes per particle: (2 + modes) values read and written, 3 read.
//
// variants: -DREAL=float; -DREAL=double

#include "battery/step/particle_rows.cuh"

extern "C" __global__ void __launch_bounds__(256) relax(
    REAL* __restrict__ state, const REAL* __restrict__ rate, const REAL* __restrict__ radius_per_diffusivity,
    const REAL* __restrict__ flux, const REAL* __restrict__ squares, REAL time, int modes, int n, int stride) {
    const int particle = blockIdx.x * blockDim.x + threadIdx.x;
    if (particle >= n) return;
    REAL* const row = state + particle;
    const REAL tau = rate[particle] * time;
    const REAL gain = flux[particle] * radius_per_diffusivity[particle];
    const REAL grown = REAL(3) * gain * tau - row[ModeRow::MEAN_ERROR * stride];
    const REAL mean = row[ModeRow::MEAN * stride], next = mean + grown;
    row[ModeRow::MEAN * stride] = next;
    row[ModeRow::MEAN_ERROR * stride] = (next - mean) - grown;
    for (int k = 0; k < modes; ++k) {
        const long long at = (long long)(ModeRow::MODES + k) * stride;
        const REAL steady = gain * (REAL(2) / squares[k]);
        const REAL share = -expm1(-squares[k] * tau);
        row[at] += share * (steady - row[at]);
    }
}

// out[shell * stride + particle]: concentrations in `points` shells (shapes: (points, modes), tail: (points,)), or with
// points 1 at the surface, where every shape is 1.
extern "C" __global__ void __launch_bounds__(256) profile(
    const REAL* __restrict__ state, const REAL* __restrict__ radius_per_diffusivity, const REAL* __restrict__ flux,
    const REAL* __restrict__ shapes, const REAL* __restrict__ tail, REAL* __restrict__ out, int points, int modes,
    int n, int stride) {
    const int particle = blockIdx.x * blockDim.x + threadIdx.x;
    if (particle >= n) return;
    const REAL* const row = state + particle;
    const REAL gain = flux[particle] * radius_per_diffusivity[particle];
    for (int i = 0; i < points; ++i) {
        REAL value = row[ModeRow::MEAN * stride] + gain * tail[i];
        for (int k = 0; k < modes; ++k) value = fma(shapes[i * modes + k], row[(long long)(ModeRow::MODES + k) * stride], value);
        out[(long long)i * stride + particle] = value;
    }
}
