// The salt of the electrolyte (SPMe): 24 finite volumes of one cell in columns of shared memory. Part of cells.cu, whose
// rows, tables and block it uses.

#pragma once

// At a current collector, by the parabola with no slope there whose means over the last two volumes are these.
__device__ __forceinline__ REAL at_collector(REAL last, REAL next) { return last + (last - next) / REAL(6); }

// The part of a step after which what goes from `before` to `after` has come down to EXHAUSTED, or `part` if that is less.
__device__ __forceinline__ REAL until_empty(REAL before, REAL after, REAL part) {
    if (after > EXHAUSTED || !(after < before)) return part;
    const REAL here = (before - EXHAUSTED) / (before - after);
    return here < part ? (here > REAL(1e-6) ? here : REAL(1e-6)) : part;
}

// The part of a step after which a volume or a collector is empty, and the salt of that moment, straight between the
// step's start and its end. u: at the end; up, delta: what it was found from.
__device__ __forceinline__ REAL salt_until_empty(REAL (*u)[BLOCK], REAL (*up)[BLOCK], REAL (*delta)[BLOCK]) {
    const int me = threadIdx.x;
    REAL change = REAL(0), part = REAL(1);
#pragma unroll 1
    for (int i = 3 * ELECTROLYTE_CELLS - 1; i >= 0; --i) {
        change = fma(up[i][me], change, delta[i][me]);
        part = until_empty(u[i][me] - change, u[i][me], part);
        delta[i][me] = change;
    }
#pragma unroll 1
    for (int end = 0; end < 2; ++end) {
        const int last = end * (3 * ELECTROLYTE_CELLS - 1), next = last + 1 - 2 * end;
        const REAL after = at_collector(u[last][me], u[next][me]);
        part = until_empty(after - at_collector(delta[last][me], delta[next][me]), after, part);
    }
#pragma unroll 1
    for (int i = 0; i < 3 * ELECTROLYTE_CELLS; ++i) u[i][me] += (part - REAL(1)) * delta[i][me];
    return part;
}

// One implicit step of the salt; u, up, delta: columns of shared memory. Returns the part of the step after which a
// volume or a collector is empty (1: none is) and leaves the salt of that moment, straight between the step's start and its end.
#if VARYING
__device__ __noinline__  // registers are short
#else
__device__ __forceinline__
#endif
REAL salt_step(
    REAL (*u)[BLOCK], REAL (*up)[BLOCK], REAL (*delta)[BLOCK], Cubics tables, const REAL* own, int stride,
    REAL arrhenius, REAL current, REAL dt) {
    const int me = threadIdx.x;
    const REAL source = own[(long long)Coefficient::SALT_SOURCE * stride] * current;
    const REAL scale = own[(long long)Coefficient::SALT_RATIO * stride] * (REAL(INTERVALS) / ELECTROLYTE_RANGE);
    REAL left_flux = REAL(0), left_coupling = REAL(0), last_up = REAL(0), last = REAL(0);
#pragma unroll 1
    for (int layer = 0; layer < 3; ++layer) {
        const REAL capacity = own[(long long)(Coefficient::NEGATIVE_CAPACITY + layer) * stride] / dt;
        const REAL here = own[(long long)(Coefficient::NEGATIVE_CONDUCTANCE + layer) * stride];
        const REAL gained = source * REAL(1 - layer);
#pragma unroll 1
        for (int k = 0; k < ELECTROLYTE_CELLS; ++k) {
            const int i = layer * ELECTROLYTE_CELLS + k;
            REAL coupling = REAL(0), flux = REAL(0);
            if (i + 1 < 3 * ELECTROLYTE_CELLS) {
                REAL conductance = here, bend = REAL(0);
                if (k + 1 == ELECTROLYTE_CELLS) {
                    const REAL beyond = own[(long long)(Coefficient::NEGATIVE_CONDUCTANCE + layer + 1) * stride];
                    conductance = REAL(2) * here * beyond / (here + beyond);
                    // The source bends the profile between the electrode's last mean and its edge (engine's README).
                    bend = source * (layer == 0 ? beyond : here) / (REAL(3) * (here + beyond));
                }
                const REAL at = REAL(0.5) * (u[i][me] + u[i + 1][me]) * scale;
                coupling = conductance * arrhenius *
                           curve_at<REAL>(tables + Table::ELECTROLYTE_DIFFUSIVITY * INTERVALS, INTERVALS, at);
                flux = fma(coupling, u[i + 1][me] - u[i][me], -bend);
            }
            const REAL pivot = REAL(1) / (capacity + left_coupling + coupling - left_coupling * last_up);
            last_up = coupling * pivot;
            last = (gained + flux - left_flux + left_coupling * last) * pivot;
            up[i][me] = last_up;
            delta[i][me] = last;
            left_flux = flux;
            left_coupling = coupling;
        }
    }
    // A minimum is what the end of the salt costs a step that does not meet it: nothing is kept for that, and whether a
    // collector is empty, 7 u - u_next <= 6 EXHAUSTED, is asked without a division and a little too often.
    REAL change = REAL(0), lowest = REAL(1);
#pragma unroll 4
    for (int i = 3 * ELECTROLYTE_CELLS - 1; i >= 0; --i) {
        change = fma(up[i][me], change, delta[i][me]);
        const REAL after = u[i][me] + change;
        lowest = fmin(lowest, after);
        u[i][me] = after;
    }
    const int end = 3 * ELECTROLYTE_CELLS - 1;
    const REAL collectors = fmin(fma(REAL(7), u[0][me], -u[1][me]), fma(REAL(7), u[end][me], -u[end - 1][me]));
    return lowest <= EXHAUSTED || collectors <= REAL(7) * EXHAUSTED ? salt_until_empty(u, up, delta) : REAL(1);
}

// Means over an electrode of ln u and √u.
__device__ __forceinline__ void salt_means(REAL (*u)[BLOCK], int first, REAL& logarithm, REAL& root) {
    logarithm = root = REAL(0);
#pragma unroll SIDE_BY_SIDE
    for (int k = 0; k < ELECTROLYTE_CELLS; ++k) {
        const REAL value = u[first + k][threadIdx.x], salt = value > REAL(1e-6) ? value : REAL(1e-6);
        logarithm += log(salt) / REAL(ELECTROLYTE_CELLS);
        root += sqrt(salt) / REAL(ELECTROLYTE_CELLS);
    }
}
