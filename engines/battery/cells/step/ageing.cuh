// What takes lithium out of a cell: the SEI that grows on the negative particles, and lithium plated on them (ageing.py).
//
// The currents of a step are those found at the end of the step before. Charges carry their rounding error, that of the
// products too: the same few currents a million times over would round the same way each time.

#pragma once

#include "battery/step/cell_rows.cuh"
#include "battery/step/curves.cuh"

__device__ __forceinline__ float rounded_product(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double rounded_product(double a, double b) { return __dmul_rn(a, b); }

// sum += a b with the rounding carried in `error` (Kahan), that of the product included.
__device__ __forceinline__ void accumulate_product(REAL& sum, REAL& error, REAL a, REAL b) {
    const REAL product = rounded_product(a, b), rest = fma(a, b, -product);
    const REAL corrected = product - (error - rest), next = sum + corrected;
    error = (next - sum) - corrected;
    sum = next;
}

struct Ageing {
    REAL sei, sei_error, plated, plated_error;  // [A s]
    REAL sei_current, plating_current;          // of the next step [A]
    REAL side, anode;                           // of the last step [A], [V]
    // What is counted of a cycle stays in the state: registers are short.

    __device__ __forceinline__ void load(const REAL* own, long long stride) {
        sei = own[AgeingRow::SEI * stride], sei_error = own[AgeingRow::SEI_ERROR * stride];
        plated = own[AgeingRow::PLATED * stride], plated_error = own[AgeingRow::PLATED_ERROR * stride];
        sei_current = own[AgeingRow::SEI_CURRENT * stride], plating_current = own[AgeingRow::PLATING_CURRENT * stride];
        side = own[AgeingRow::SIDE * stride], anode = own[AgeingRow::ANODE * stride];
    }

    __device__ __forceinline__ void store(REAL* own, long long stride) const {
        own[AgeingRow::SEI * stride] = sei, own[AgeingRow::SEI_ERROR * stride] = sei_error;
        own[AgeingRow::PLATED * stride] = plated, own[AgeingRow::PLATED_ERROR * stride] = plated_error;
        own[AgeingRow::SEI_CURRENT * stride] = sei_current, own[AgeingRow::PLATING_CURRENT * stride] = plating_current;
        own[AgeingRow::SIDE * stride] = side, own[AgeingRow::ANODE * stride] = anode;
    }

    // Thickness [m] after `dt` more.
    __device__ __forceinline__ REAL film(const REAL* given, long long stride, REAL dt) const {
        return fma(given[Coefficient::FILM_GROWTH * stride], fma(sei_current, dt, sei), given[Coefficient::FILM * stride]);
    }

    // The charges of a step; `counted`: the part of it that counts for the cycle.
    __device__ __forceinline__ void count(REAL* own, long long stride, REAL current, REAL counted, REAL dt) {
        accumulate_product(sei, sei_error, sei_current, dt);
        accumulate_product(plated, plated_error, plating_current, dt);
        REAL* const moved = own + (current > REAL(0) ? AgeingRow::DISCHARGED : AgeingRow::CHARGED) * stride;
        accumulate_product(moved[0], moved[stride], fabs(current), counted * dt);
        REAL& beyond = own[AgeingRow::BEYOND * stride];
        if (current != REAL(0) && (beyond != REAL(0) || counted < REAL(1))) {  // on from a cut-off, or back to it
            accumulate_product(moved[0], moved[stride], current > REAL(0) ? beyond : -beyond, REAL(1));
            beyond = current * (REAL(1) - counted) * dt;
        }
        if (anode < own[AgeingRow::LOWEST_ANODE * stride]) own[AgeingRow::LOWEST_ANODE * stride] = anode;
    }

    // The currents of the next step. inverse: 1/T_ref − 1/T; thermal_voltage: 2RT/F; salt: in the negative electrode over
    // its start; stiffness: by how much an ampere of side reactions raises the anode's potential in a step [V/A]; current: of the last step.
    __device__ __forceinline__ void react(
        const REAL* given, long long stride, REAL inverse, REAL thermal_voltage, REAL salt, REAL stiffness,
        REAL current) {
        const REAL hindered = given[Coefficient::SEI_REACTION * stride] * exp((anode - given[Coefficient::SEI_POTENTIAL * stride]) / thermal_voltage);
        const REAL diffusion = given[Coefficient::SEI_DIFFUSION * stride] * film(given, stride, REAL(0));
        sei_current = exp(given[Coefficient::SEI_HEAT * stride] * inverse) / (hindered + diffusion);
        const REAL transfer = given[Coefficient::PLATING_TRANSFER * stride], full = given[Coefficient::PLATING * stride] * salt;
        const bool below_zero = given[Coefficient::PLATING_BELOW_ZERO * stride] != REAL(0);
        const REAL y = REAL(2) * anode / thermal_voltage, exponent = -transfer * y;
        const REAL forward = full * exp(exponent < REAL(60) ? exponent : REAL(60));
        const REAL back = below_zero ? full * exp((REAL(1) - transfer) * y) : REAL(0);
        const bool on = !below_zero || anode < REAL(0);
        const REAL wanted = on ? forward - back : REAL(0);
        const REAL slope = on ? REAL(2) * (transfer * forward + (REAL(1) - transfer) * back) / thermal_voltage : REAL(0);
        // Linearly implicit: strong plating raises the potential that drives it.
        plating_current += (wanted - plating_current) / (REAL(1) + slope * (stiffness > REAL(0) ? stiffness : REAL(0)));
        // More than the charge brings, and than any resting cell plates, comes from a particle that overflows.
        const REAL most = REAL(10) * full + (current < REAL(0) ? -current : REAL(0));
        plating_current = plating_current < most ? plating_current : most;
        if (!(plating_current > REAL(0))) plating_current = REAL(0);
    }

    // A cycle is over: its numbers, (5, recorded) a cycle, and from zero again.
    __device__ __forceinline__ void close_cycle(
        REAL* own, long long stride, REAL* record, int recorded, int cycle, int cell) const {
        if (cell < recorded) {
            REAL* const out = record + (long long)cycle * QUANTITIES * recorded + cell;
            out[(long long)CycleRow::DISCHARGED * recorded] = own[AgeingRow::DISCHARGED * stride] - own[AgeingRow::DISCHARGED_ERROR * stride];
            out[(long long)CycleRow::CHARGED * recorded] = own[AgeingRow::CHARGED * stride] - own[AgeingRow::CHARGED_ERROR * stride];
            out[(long long)CycleRow::SEI * recorded] = sei;
            out[(long long)CycleRow::PLATED * recorded] = plated;
            out[(long long)CycleRow::LOWEST_ANODE * recorded] = own[AgeingRow::LOWEST_ANODE * stride];
        }
        for (int row = AgeingRow::DISCHARGED; row <= AgeingRow::CHARGED_ERROR; ++row) own[row * stride] = REAL(0);
        own[AgeingRow::LOWEST_ANODE * stride] = anode;
    }
};

// dU/dx of a potential on `intervals` cubics over stoichiometry 0 to 1.
__device__ __forceinline__ REAL curve_slope(const typename Cubic<REAL>::type* __restrict__ table, int intervals, REAL x) {
    const REAL at = x * REAL(intervals);
    const int whole = static_cast<int>(at), i = whole < intervals ? whole : intervals - 1;
    const REAL t = at - REAL(i);
    const typename Cubic<REAL>::type k = table[i];
    return REAL(intervals) * (k.y + t * (REAL(2) * k.z + REAL(3) * t * k.w));
}
