// One electrode's particle of one cell whose diffusivity depends on the stoichiometry: graded.py has the equations.
// REAL, BLOCK, Cubics and INTERVALS come from the file that includes this. The twin: cpu_graded.py.
//
// Columns of shared memory: w, found, base and, behind that, up: (SHELLS, BLOCK). w is what the shells have beyond the mean, at the start
// of a step; found the same at its end, beyond the mean of its start.
// Bytes per cell and launch: 2 SHELLS REALs in and out. Per step and particle 4 solves of SHELLS unknowns, with D at 2
// places each.

#pragma once

#include "battery/step/graded_rows.cuh"

struct GradedParticle {
    REAL rate, gain, growth, kinetic, mean;  // as of Particle
    REAL (*w)[BLOCK], (*found)[BLOCK], (*base)[BLOCK], (*up)[BLOCK];
    Cubics law;            // D over that of the set
    const REAL* geometry;  // K, 1/V, 3V, weights of the surface

    __device__ __forceinline__ REAL diffusivity(REAL x) const { return curve_at<REAL>(law, INTERVALS, x * REAL(INTERVALS)); }

    // found − τ f(found) = base for what flows in at the surface (per radius), D of what `found` was.
    __device__ __forceinline__ void stage(REAL tau, REAL inward) {
        const int me = threadIdx.x;
        const REAL scale = tau * rate / REAL(6);
        REAL left = REAL(0), last_up = REAL(0), last = REAL(0);
        REAL here = mean + found[0][me], D_here = diffusivity(here);
#pragma unroll 1
        for (int i = 0; i < SHELLS; ++i) {
            const REAL inverse = geometry[SHELLS + i];
            REAL right = REAL(0), source = base[i][me], there = here, D_there = D_here;
            if (i + 1 < SHELLS) {
                there = mean + found[i + 1][me];
                D_there = diffusivity(there);
                right = scale * geometry[i] * (D_here + REAL(4) * diffusivity(REAL(0.5) * (here + there)) + D_there);
            } else {
                source += tau * inward * inverse;
            }
            const REAL pivot = REAL(1) / (REAL(1) + inverse * (right + left - left * last_up));
            last_up = inverse * right * pivot;
            last = (source + inverse * left * last) * pivot;
            up[i][me] = last_up;
            found[i][me] = last;
            left = right;
            here = there;
            D_here = D_there;
        }
#pragma unroll 1
        for (int i = SHELLS - 2; i >= 0; --i) found[i][me] += up[i][me] * found[i + 1][me];
    }

    __device__ __forceinline__ REAL solved(REAL through, REAL rise, REAL span) {
        const int me = threadIdx.x;
        const REAL per_ampere = growth / REAL(3), tau = GAMMA * span;
#pragma unroll 1
        for (int i = 0; i < SHELLS; ++i) base[i][me] = found[i][me] = w[i][me];
#pragma unroll 1
        for (int part = 0; part < 2; ++part) {
            const REAL inward = per_ampere * (through + (part == 0 ? REAL(2) * GAMMA - REAL(1) : REAL(1)) * rise);
#pragma unroll 1
            for (int pass = 0; pass < PICARD; ++pass) stage(tau, inward);
            if (part == 0) {
#pragma unroll 1
                for (int i = 0; i < SHELLS; ++i) {
                    const REAL change = (found[i][me] - w[i][me]) / GAMMA;
                    base[i][me] = w[i][me] + (REAL(1) - GAMMA) * change;
                    found[i][me] = w[i][me] + change;  // a line to the end
                }
            }
        }
        const REAL* const weights = geometry + 3 * SHELLS;
        const REAL shape = mean + weights[0] * found[SHELLS - 1][me] + weights[1] * found[SHELLS - 2][me];
        const REAL slope = weights[2] * gain * (through + rise);
        REAL x = shape;
#pragma unroll 1
        for (int pass = 0; pass < SURFACE_PASSES; ++pass) x = shape + slope / diffusivity(x);
        return x;
    }

    // The surface after `span` of a current whose mean is `through` and which ends `rise` above that, on a line; the
    // profile is left in `found`.
    __device__ __forceinline__ REAL solve(REAL through, REAL rise, REAL span);

    // By how much a step of an ampere more raises the surface, from D there alone: to second order of short times,
    // 2√(τ/π) + τ, or for long ones 3τ + 1/5, within 7 % of the series of a constant D.
    __device__ __forceinline__ REAL raised(REAL x, REAL span) const {
        const REAL D = diffusivity(x), tau = rate * D * span;
        return gain / D * (tau < SHORT ? HALF_SPACE * sqrt(tau) + tau : REAL(3) * tau + REAL(0.2));
    }

    // The profile becomes that of the next step, whose mean is counted apart.
    __device__ __forceinline__ void advance() {
        const int me = threadIdx.x;
        REAL moved = REAL(0);
#pragma unroll 1
        for (int i = 0; i < SHELLS; ++i) moved += geometry[2 * SHELLS + i] * found[i][me];
#pragma unroll 1
        for (int i = 0; i < SHELLS; ++i) w[i][me] = found[i][me] - moved;
    }
};

// A step asks for a solution at many places: one body of code, and values instead of a pointer to a particle in memory.
__device__ __noinline__ REAL graded_solve(
    REAL (*w)[BLOCK], REAL (*found)[BLOCK], REAL (*base)[BLOCK], Cubics law, const REAL* geometry, REAL mean, REAL rate,
    REAL gain, REAL growth, REAL through, REAL rise, REAL span) {
    GradedParticle particle;
    particle.w = w;
    particle.found = found;
    particle.base = base;
    particle.up = base + SHELLS;
    particle.law = law;
    particle.geometry = geometry;
    particle.mean = mean;
    particle.rate = rate;
    particle.gain = gain;
    particle.growth = growth;
    return particle.solved(through, rise, span);
}

__device__ __forceinline__ REAL GradedParticle::solve(REAL through, REAL rise, REAL span) {
    return graded_solve(w, found, base, law, geometry, mean, rate, gain, growth, through, rise, span);
}
