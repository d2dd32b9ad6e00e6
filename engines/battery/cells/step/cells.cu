// Whole cells through their protocols: one thread per cell, all steps of a launch in registers.
//
// Particles are eigenmodes (particles/series.py), exact while the current is constant, so a step may be as long as the
// current is held. x = x0 + mean + Σ b_k at the surface, and with the gain G = N R/D per ampere
//
//     b_k += g_k (2/λ_k² G I − b_k),   g_k = 1 − e^{−λ_k² D dt/R²},   mean += growth I dt,   tail G I beyond the modes.
//
// At the end of a step x = A + B I for any current, which is how a held voltage or power finds its current. A drive cycle
// gives each step the mean of its current and that at its end, and the line between them: with the rise δ from the one to
// the other, b_k += (2/λ_k²) G δ (2 − g_k − 2 g_k/z), z = λ_k² D dt/R², and V belongs to the current at the end.
// V = U_p − U_n − (2RT/F) [asinh(…p) + asinh(…n)] − I R, and with ELECTROLYTE (SPMe) the concentration overpotential
// (RT/F) 2(1 − t⁺) (⟨ln u⟩_p − ⟨ln u⟩_n) − I R_ionic, u = c_e/c_e0 on 24 finite volumes, implicit in time with D_e(u) of
// the step before; where a volume has no salt left the step is cut short and the protocol ends. THERMAL: one temperature, Arrhenius for D, j0, D_e and κ.
//
// Layout: state[row * stride + cell], coefficients[row * stride + cell] (Row and Coefficient of step/cell_rows.py);
// instructions[i * 6]: kind, value, steps, lowest voltage, highest voltage, lowest current.
// drive[step * 2]: current or power, the mean over the step and at its end.
// trace: voltages, and trace_plane values behind them (0: not) currents and temperatures.
// Bytes per cell and launch: the state in and out, the coefficients in, 4 (8) per traced voltage.
// Instructions per cell and step without electrolyte and heat: 128 for the modes, some 100 for the voltage: a million
// cells x 100 steps are 7.1e8 warp instructions, predicted 0.8 ms on 132 SMs at 1.755 GHz.
//
// ASYMMETRIC: charge transfer coefficients other than ½ (kinetics.cuh). AGEING: SEI and plating (ageing.cuh); the side
// reactions take their current from the negative particles', so these carry I + I_side, and each cycle is recorded.
// DRIVEN: the protocol has a drive cycle (always compiled in with ASYMMETRIC, which few have).
// VARYING: D depends on the stoichiometry, and particles are shells (graded.cuh), 2 SHELLS rows behind the others. Within
// a step x = A + B I is then a chord, drawn anew where a voltage or power is held until its current stays.
//
// variants: -DREAL=float -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0; -DREAL=float -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0
// variants: -DREAL=float -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1; -DREAL=float -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=float -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1; -DREAL=float -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=float -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1; -DREAL=float -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1
// variants: -DREAL=float -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0; -DREAL=float -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0
// variants: -DREAL=float -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1; -DREAL=float -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=float -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1; -DREAL=float -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=float -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1; -DREAL=float -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1
// variants: -DREAL=double -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0; -DREAL=double -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0
// variants: -DREAL=double -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1; -DREAL=double -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=double -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1; -DREAL=double -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=double -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1; -DREAL=double -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1
// variants: -DREAL=double -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0; -DREAL=double -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=0
// variants: -DREAL=double -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1; -DREAL=double -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=0 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=double -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1; -DREAL=double -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1
// variants: -DREAL=double -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1; -DREAL=double -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1
// variants: -DREAL=float -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1; -DREAL=float -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1
// variants: -DREAL=float -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1 -DVARYING=1; -DREAL=float -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1 -DVARYING=1
// variants: -DREAL=float -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1; -DREAL=float -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1
// variants: -DREAL=float -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1 -DVARYING=1; -DREAL=float -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=1 -DDRIVEN=1 -DVARYING=1
// variants: -DREAL=double -DELECTROLYTE=0 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1; -DREAL=double -DELECTROLYTE=0 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1
// variants: -DREAL=double -DELECTROLYTE=1 -DTHERMAL=0 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1; -DREAL=double -DELECTROLYTE=1 -DTHERMAL=1 -DASYMMETRIC=1 -DAGEING=0 -DDRIVEN=1 -DVARYING=1

#include "battery/step/cell_rows.cuh"
#include "battery/step/curves.cuh"
#include "battery/step/eigenmodes.cuh"
#include "battery/step/instructions.cuh"

#ifndef VARYING
#define VARYING 0
#endif
#if AGEING
#include "battery/cells/step/ageing.cuh"
#endif
#include "battery/kinetics/kinetics.cuh"

constexpr int BLOCK = (sizeof(REAL) == 4 ? 64 : 32) / (VARYING ? 2 : 1);

#if DRIVEN
// a/b to the last bit, as the machine finds it for numbers that are neither huge nor tiny, but without the branch for
// those, so that several are found side by side.
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }
__device__ __forceinline__ float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
    float inverse = __fdividef(1.0f, b);
    inverse = fmaf(fmaf(-b, inverse, 1.0f), inverse, inverse);
    float q = a * inverse;
    q = fmaf(fmaf(-b, q, a), inverse, q);
    return fmaf(fmaf(-b, q, a), inverse, q);
#else
    return a / b;
#endif
}
#endif

using Cubics = const Cubic<REAL>::type* __restrict__;

// Iterations of loops over modes and volumes that are taken side by side: where a drive cycle is, it is mostly one cell's,
// which waits for each result; many cells wait for registers.
constexpr int MOST_CHORDS = 6;  // of a held voltage or power where D varies
constexpr int SIDE_BY_SIDE = DRIVEN && sizeof(REAL) == 4 ? 4 : 1;

#if VARYING
#include "battery/step/graded.cuh"
#else
// One electrode's particle of one cell.
struct Particle {
    REAL rate, gain, growth, kinetic, mean;  // at the temperature of the cell; mean: x0 + mean
    // Amplitudes, and g_k of a whole step: columns of shared memory, registers are short.
    REAL (*b)[BLOCK], (*share)[BLOCK];

    __device__ __forceinline__ void shares(REAL dt) {
#pragma unroll SIDE_BY_SIDE
        for (int k = 0; k < MODES; ++k) share[k][threadIdx.x] = -expm1(-SQUARES[k] * (rate * dt));
    }

    // The surface at the end of a step: A + B I.
    __device__ __forceinline__ void response(REAL dt, REAL& A, REAL& B) const {
        REAL relaxed = mean, driven = REAL(0.2);
#pragma unroll 4
        for (int k = 0; k < MODES; ++k) {
            const REAL g = share[k][threadIdx.x];
            relaxed += b[k][threadIdx.x] * (REAL(1) - g);
            driven += (g - REAL(1)) * (WEIGHTS[k]);
        }
        A = relaxed;
        B = growth * dt + gain * driven;
    }

    // The same at a part of a step, under a current.
    __device__ __forceinline__ REAL surface(REAL dt, REAL current) const {
        REAL x = mean + (growth * dt + REAL(0.2) * gain) * current;
#pragma unroll 1
        for (int k = 0; k < MODES; ++k) {
            const REAL left = exp(-SQUARES[k] * (rate * dt));
            x += left * (b[k][threadIdx.x] - WEIGHTS[k] * gain * current);
        }
        return x;
    }

#if DRIVEN
    // What a rise of the current from the step's mean to its end adds at the surface, per ampere.
    __device__ __forceinline__ REAL rising(REAL dt) const {
        REAL x = REAL(0.2);
#pragma unroll SIDE_BY_SIDE
        for (int k = 0; k < MODES; ++k) {
            const REAL g = share[k][threadIdx.x];
            x += WEIGHTS[k] * (REAL(1) - g - quotient(REAL(2) * g, SQUARES[k] * (rate * dt)));
        }
        return gain * x;
    }

    // The same in the amplitudes.
    __device__ __forceinline__ void rise(REAL dt, REAL current) {
#pragma unroll SIDE_BY_SIDE
        for (int k = 0; k < MODES; ++k) {
            const REAL g = share[k][threadIdx.x];
            const REAL late = REAL(2) - g - quotient(REAL(2) * g, SQUARES[k] * (rate * dt));
            b[k][threadIdx.x] += WEIGHTS[k] * gain * current * late;
        }
    }
#endif

    __device__ __forceinline__ void advance(REAL current) {
        const REAL driven = gain * current;
#pragma unroll 4
        for (int k = 0; k < MODES; ++k) {
            const REAL old = b[k][threadIdx.x];
            b[k][threadIdx.x] = fma(share[k][threadIdx.x], fma(WEIGHTS[k], driven, -old), old);
        }
    }
};

#endif

// What the voltage depends on besides the surfaces.
struct Conditions {
    REAL thermal_voltage;  // 2RT/F
    REAL warmth;           // T - 298.15 K
    REAL resistance;       // with the electrolyte's
    REAL concentration;    // overpotential of the electrolyte
    REAL skew_n, skew_p;   // of charge transfer, 0: symmetric
};

__device__ __forceinline__ REAL potential(Cubics tables, int which, REAL x) {
    return curve_at<REAL>(tables + which * INTERVALS, INTERVALS, x * REAL(INTERVALS));
}

__device__ __forceinline__ REAL bounded(REAL x) {
    const REAL edge = REAL(1e-6);
    return x > edge ? (x < REAL(1) - edge ? x : REAL(1) - edge) : edge;  // NaN ends at the edge, where the voltage ends
}

// Overpotentials of charge transfer and resistances: what a current costs at these surfaces [V].
__device__ __forceinline__ REAL cost(
    const Conditions& now, REAL kinetic_n, REAL kinetic_p, REAL x_n, REAL x_p, REAL current) {
    x_n = bounded(x_n);
    x_p = bounded(x_p);
    const REAL eta_p = overpotential(kinetic_p * current / sqrt(x_p * (REAL(1) - x_p)), now.skew_p);
    const REAL eta_n = overpotential(kinetic_n * current / sqrt(x_n * (REAL(1) - x_n)), now.skew_n);
    return now.thermal_voltage * (eta_p + eta_n) + current * now.resistance;
}

// Terminal voltage; open_circuit: that of the surfaces; anode: potential of the graphite against lithium, under its film.
__device__ __forceinline__ REAL terminal(
    Cubics tables, const Conditions& now, REAL kinetic_n, REAL kinetic_p, REAL x_n, REAL x_p, REAL current,
    REAL& open_circuit, REAL& anode) {
    x_n = bounded(x_n);
    x_p = bounded(x_p);
    open_circuit = potential(tables, Table::POSITIVE_OCP, x_p) - potential(tables, Table::NEGATIVE_OCP, x_n);
#if THERMAL
    open_circuit += now.warmth * (potential(tables, Table::POSITIVE_ENTROPIC, x_p) -
                                  potential(tables, Table::NEGATIVE_ENTROPIC, x_n));
#endif
    const REAL eta_p = overpotential(kinetic_p * current / sqrt(x_p * (REAL(1) - x_p)), now.skew_p);
    const REAL eta_n = overpotential(kinetic_n * current / sqrt(x_n * (REAL(1) - x_n)), now.skew_n);
#if AGEING
    anode = potential(tables, Table::NEGATIVE_OCP, x_n) + now.thermal_voltage * eta_n;
#if THERMAL
    anode += now.warmth * potential(tables, Table::NEGATIVE_ENTROPIC, x_n);
#endif
#endif
    return open_circuit - now.thermal_voltage * (eta_p + eta_n) - current * now.resistance + now.concentration;
}

// The current of a held voltage or power, and its voltage v: a secant on what is wanted less what is. The voltage falls with
// the current, so there is one root.
__device__ __forceinline__ REAL held_current(
    Cubics tables, const Conditions& now, REAL kinetic_n, REAL kinetic_p, REAL A_n, REAL B_n, REAL A_p, REAL B_p, int kind,
    REAL wanted, REAL before, REAL& v) {
    REAL open_circuit, anode;
    v = terminal(tables, now, kinetic_n, kinetic_p, A_n + B_n * before, A_p + B_p * before, before, open_circuit, anode);
    REAL wrong_before = kind == Kind::VOLTAGE ? v - wanted : v * before - wanted;
    REAL next = kind == Kind::VOLTAGE ? before + REAL(1e-3) + REAL(0.01) * fabs(before) : wanted / v;
    if (next == before) next = before + REAL(1e-3);
#pragma unroll 1
    for (int pass = 0; pass < 12; ++pass) {
        v = terminal(tables, now, kinetic_n, kinetic_p, A_n + B_n * next, A_p + B_p * next, next, open_circuit, anode);
        const REAL wrong = kind == Kind::VOLTAGE ? v - wanted : v * next - wanted;
        const REAL slope = wrong - wrong_before;
        if (slope == REAL(0)) break;
        const REAL move = wrong * (next - before) / slope;
        before = next;
        wrong_before = wrong;
        next -= move;
        if (fabs(move) <= REAL(1e-7) * (REAL(1e-3) + fabs(next))) break;
    }
    return next;
}

#if ELECTROLYTE
#include "battery/cells/step/salt.cuh"
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, 4) run_cells(
    REAL* __restrict__ state, const REAL* coefficients, Cubics tables, const REAL* __restrict__ instructions,
    int n_instructions, const REAL* __restrict__ drive, REAL factor, REAL* __restrict__ trace, int trace_every,
    long long trace_plane, int first_step, REAL dt, int steps, int n, int stride
#if AGEING
    , REAL* __restrict__ record, int recorded, int per_cycle
#endif
#if VARYING
    , const REAL* __restrict__ geometry
#endif
) {
    const int cell = blockIdx.x * BLOCK + threadIdx.x;
    if (cell >= n) return;
    REAL* const own = state + cell;
    const REAL* const given = coefficients + cell;
#define STATE(row) own[(long long)(row) * stride]
#define GIVEN(row) given[(long long)(row) * stride]
#if VARYING
    __shared__ REAL profiles[2 * SHELLS][BLOCK], found[2 * SHELLS][BLOCK], scratch[2 * SHELLS][BLOCK];
    REAL* const shelled =
        own + (long long)(Row::SALT + (ELECTROLYTE ? 3 * ELECTROLYTE_CELLS : 0) + (AGEING ? AGEING_ROWS : 0)) * stride;
#pragma unroll 1
    for (int k = 0; k < 2 * SHELLS; ++k) profiles[k][threadIdx.x] = shelled[(long long)k * stride];
    GradedParticle negative, positive;
    negative.w = profiles;
    positive.w = profiles + SHELLS;
    negative.found = found;
    positive.found = found + SHELLS;
    negative.base = positive.base = scratch;
    negative.up = positive.up = scratch + SHELLS;
    negative.law = tables + Table::NEGATIVE_DIFFUSIVITY * INTERVALS;
    positive.law = tables + Table::POSITIVE_DIFFUSIVITY * INTERVALS;
    negative.geometry = positive.geometry = geometry;
#else
    __shared__ REAL shares[2 * MODES][BLOCK], amplitudes[2 * MODES][BLOCK];
    Particle negative, positive;
    negative.share = shares;
    positive.share = shares + MODES;
    negative.b = amplitudes;
    positive.b = amplitudes + MODES;
#pragma unroll 1
    for (int k = 0; k < 2 * MODES; ++k) amplitudes[k][threadIdx.x] = STATE(Row::NEGATIVE_MODES + k);
#endif
    const REAL start_n = GIVEN(Coefficient::NEGATIVE_START), start_p = GIVEN(Coefficient::POSITIVE_START);
    negative.growth = GIVEN(Coefficient::NEGATIVE_GROWTH);
    positive.growth = GIVEN(Coefficient::POSITIVE_GROWTH);
#if AGEING || VARYING
    REAL &mean_n = STATE(Row::NEGATIVE_MEAN), &error_n = STATE(Row::NEGATIVE_MEAN_ERROR);  // registers are short
    REAL &mean_p = STATE(Row::POSITIVE_MEAN), &error_p = STATE(Row::POSITIVE_MEAN_ERROR);
#else
    REAL mean_n = STATE(Row::NEGATIVE_MEAN), error_n = STATE(Row::NEGATIVE_MEAN_ERROR);
    REAL mean_p = STATE(Row::POSITIVE_MEAN), error_p = STATE(Row::POSITIVE_MEAN_ERROR);
#endif
#if VARYING
    REAL &charge = STATE(Row::CHARGE), &charge_error = STATE(Row::CHARGE_ERROR);
    REAL &warmth = STATE(Row::WARMTH), &ended = STATE(Row::ENDED);
#else
    REAL charge = STATE(Row::CHARGE), charge_error = STATE(Row::CHARGE_ERROR);
    REAL warmth = STATE(Row::WARMTH), ended = STATE(Row::ENDED);
#endif
#if AGEING && VARYING
    REAL &voltage = STATE(Row::VOLTAGE), &current = STATE(Row::CURRENT);
#else
    REAL voltage = STATE(Row::VOLTAGE), current = STATE(Row::CURRENT);
#endif
#if AGEING && VARYING
    __shared__ int places[2][BLOCK];  // registers are shorter still: see the conditions
    int &instruction = places[0][threadIdx.x], &elapsed = places[1][threadIdx.x];
#else
    int instruction, elapsed;
#endif
    instruction = static_cast<int>(STATE(Row::INSTRUCTION));
    elapsed = static_cast<int>(STATE(Row::ELAPSED));
#if ELECTROLYTE
    __shared__ REAL salt[3 * ELECTROLYTE_CELLS][BLOCK], up[3 * ELECTROLYTE_CELLS][BLOCK];
    __shared__ REAL delta[3 * ELECTROLYTE_CELLS][BLOCK];
#pragma unroll 1
    for (int i = 0; i < 3 * ELECTROLYTE_CELLS; ++i) salt[i][threadIdx.x] = STATE(Row::SALT + i);
#endif
#if AGEING
    Ageing ageing;
    REAL* const aged = own + (long long)(Row::SALT + (ELECTROLYTE ? 3 * ELECTROLYTE_CELLS : 0)) * stride;
    ageing.load(aged, stride);
#endif
#if AGEING && VARYING
    __shared__ Conditions conditions[BLOCK];  // or 32 bytes are spilled for sm_100, and more in double, for which it is not made
    Conditions& now = conditions[threadIdx.x];
#else
    Conditions now;
#endif
    now.concentration = now.skew_n = now.skew_p = REAL(0);
#if ASYMMETRIC
    now.skew_n = GIVEN(Coefficient::NEGATIVE_SKEW);
    now.skew_p = GIVEN(Coefficient::POSITIVE_SKEW);
#endif
    REAL kinetic_n, kinetic_p, salt_arrhenius = REAL(1), ionic = REAL(0);
    REAL inverse = REAL(0);  // 1/T_ref − 1/T
    bool fresh = true;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        asm volatile("" ::: "memory");  // coefficients are read again, from the cache: registers are short
        const bool running = instruction < n_instructions;
        if (running) {
            if (fresh || THERMAL) {
                const REAL temperature = REFERENCE_TEMPERATURE + warmth;
                // without the difference of two nearly equal numbers
                inverse = THERMAL ? warmth / (REFERENCE_TEMPERATURE * temperature) : REAL(0);
                now.thermal_voltage = REAL(2) * GAS_PER_FARADAY * (THERMAL ? temperature : REFERENCE_TEMPERATURE);
                now.warmth = warmth;
                const REAL faster_n = exp(GIVEN(Coefficient::NEGATIVE_DIFFUSION_HEAT) * inverse);
                const REAL faster_p = exp(GIVEN(Coefficient::POSITIVE_DIFFUSION_HEAT) * inverse);
                negative.rate = GIVEN(Coefficient::NEGATIVE_RATE) * faster_n;
                negative.gain = GIVEN(Coefficient::NEGATIVE_GAIN) / faster_n;
                positive.rate = GIVEN(Coefficient::POSITIVE_RATE) * faster_p;
                positive.gain = GIVEN(Coefficient::POSITIVE_GAIN) / faster_p;
                negative.kinetic =
                    GIVEN(Coefficient::NEGATIVE_KINETIC) * exp(-GIVEN(Coefficient::NEGATIVE_REACTION_HEAT) * inverse);
                positive.kinetic =
                    GIVEN(Coefficient::POSITIVE_KINETIC) * exp(-GIVEN(Coefficient::POSITIVE_REACTION_HEAT) * inverse);
#if !VARYING
                negative.shares(dt);
                positive.shares(dt);
#endif
#if ELECTROLYTE
                salt_arrhenius = exp(GIVEN(Coefficient::SALT_DIFFUSION_HEAT) * inverse);
                ionic = GIVEN(Coefficient::IONIC) * exp(-GIVEN(Coefficient::CONDUCTIVITY_HEAT) * inverse);
#endif
                now.resistance = GIVEN(Coefficient::RESISTANCE) + ionic;
                fresh = false;
            }
            negative.mean = start_n + mean_n;
            positive.mean = start_p + mean_p;
            kinetic_n = negative.kinetic;
            kinetic_p = positive.kinetic;
            const REAL* const order = instructions + instruction * FIELDS;
            const int kind = static_cast<int>(order[Field::KIND]);
            const bool held = kind == Kind::VOLTAGE || kind == Kind::POWER || kind == Kind::POWER_DRIVE;
            // Of the current from the mean of the step to its end; span: the step, or what of it the salt lasts for.
            REAL rise = REAL(0), mean_power = REAL(0), span = dt, wanted = order[Field::VALUE];
            REAL A_n, B_n, A_p, B_p, open_circuit, anode;
#if !VARYING
            negative.response(dt, A_n, B_n);
            positive.response(dt, A_p, B_p);
#endif
#if AGEING
            const REAL side = ageing.sei_current + ageing.plating_current;
#if !VARYING
            A_n += B_n * side;
#endif
            now.resistance = GIVEN(Coefficient::RESISTANCE) + ionic +
                             GIVEN(Coefficient::FILM_RESISTANCE) * ageing.film(given, stride, dt);
#elif VARYING
            const REAL side = REAL(0);
#endif
#if DRIVEN
            if (kind == Kind::DRIVE || kind == Kind::POWER_DRIVE) {
                const REAL* const now_at = drive + DRIVE_COLUMNS * (static_cast<int>(wanted) + elapsed);
                wanted = now_at[DriveColumn::END];
                rise = factor * (wanted - now_at[DriveColumn::MEAN]);
                if (kind == Kind::POWER_DRIVE) {
                    rise /= voltage;
                    mean_power = factor * now_at[DriveColumn::MEAN];
                }
#if !VARYING
                if (rise != REAL(0)) {
                    A_n += (negative.rising(dt) - B_n) * rise;
                    A_p += (positive.rising(dt) - B_p) * rise;
                }
#endif
            }
#endif
            if (kind != Kind::VOLTAGE) wanted *= factor;
#if ELECTROLYTE
            REAL log_n, log_p, root_n, root_p;
            if (held) {
                salt_means(salt, 0, log_n, root_n);
                salt_means(salt, 2 * ELECTROLYTE_CELLS, log_p, root_p);
                now.concentration = REAL(0.5) * now.thermal_voltage * GIVEN(Coefficient::TRANSFERENCE) * (log_p - log_n);
                kinetic_n = negative.kinetic / root_n;
                kinetic_p = positive.kinetic / root_p;
            }
#endif
            if (held) {
                REAL v;
#if VARYING
                // Chords through two currents that are near: through one of some 0.001 of stoichiometry first.
                REAL at = current, x_n = negative.solve(at - rise + side, rise, dt), x_p = positive.solve(at - rise, rise, dt);
                const REAL aside = REAL(1e-3) / (fabs(positive.growth * dt) + REAL(0.2) * fabs(positive.gain));
                B_n = (negative.solve(at + aside - rise + side, rise, dt) - x_n) / aside;
                B_p = (positive.solve(at + aside - rise, rise, dt) - x_p) / aside;
#pragma unroll 1
                for (int pass = 0; pass < MOST_CHORDS; ++pass) {
                    const REAL next = held_current(tables, now, kinetic_n, kinetic_p, x_n - B_n * at, B_n, x_p - B_p * at, B_p, kind, wanted, at, v);
                    const REAL there_n = negative.solve(next - rise + side, rise, dt), there_p = positive.solve(next - rise, rise, dt);
                    const REAL move = next - at;
                    if (fabs(move) > REAL(0.1) * aside) {
                        B_n = (there_n - x_n) / move;
                        B_p = (there_p - x_p) / move;
                    }
                    at = next;
                    x_n = there_n;
                    x_p = there_p;
                    if (fabs(move) <= REAL(sizeof(REAL) == 4 ? 1e-5 : 1e-9) * (REAL(1e-3) + fabs(next))) break;
                }
                current = at;
                A_n = x_n - B_n * at;
                A_p = x_p - B_p * at;
#else
                current = held_current(tables, now, kinetic_n, kinetic_p, A_n, B_n, A_p, B_p, kind, wanted, current, v);
#endif
#if DRIVEN
                if (kind == Kind::POWER_DRIVE && rise != REAL(0)) {
                    // The mean current of the mean power: what it costs is a line between the current's mean and its end.
                    const REAL x_n = A_n + B_n * current, x_p = A_p + B_p * current;
                    const REAL at_end = cost(now, kinetic_n, kinetic_p, x_n, x_p, current), source = v + at_end;
#pragma unroll 1
                    for (int pass = 0; pass < 3; ++pass) {
                        const REAL at_mean = cost(now, kinetic_n, kinetic_p, x_n, x_p, current - rise);
                        rise = current - (mean_power + rise * (at_end - at_mean) / REAL(3)) / (source - at_mean);
                    }
                }
#endif
            } else {
                current = wanted;
            }
            REAL through = current - rise;  // what flows, the mean of the step
#if VARYING
            if (!held || kind == Kind::POWER_DRIVE) {
                B_n = B_p = REAL(0);
                A_n = negative.solve(through + side, rise, dt);
                A_p = positive.solve(through, rise, dt);
            }
#endif
#if ELECTROLYTE
            const REAL lasts = salt_step(salt, up, delta, tables, given, stride, salt_arrhenius, through, dt);
            if (lasts < REAL(1)) {
                span = lasts * dt;
                current = through;
                rise = REAL(0);
#if VARYING
                B_n = B_p = REAL(0);
                A_n = negative.solve(through + side, rise, span);
                A_p = positive.solve(through, rise, span);
#else
                negative.shares(span);
                positive.shares(span);
                negative.response(span, A_n, B_n);
                positive.response(span, A_p, B_p);
#if AGEING
                A_n += B_n * side;
#endif
#endif
                fresh = true;
            }
            if (!held || lasts < REAL(1)) {
                salt_means(salt, 0, log_n, root_n);
                salt_means(salt, 2 * ELECTROLYTE_CELLS, log_p, root_p);
                now.concentration = REAL(0.5) * now.thermal_voltage * GIVEN(Coefficient::TRANSFERENCE) * (log_p - log_n);
                kinetic_n = negative.kinetic / root_n;
                kinetic_p = positive.kinetic / root_p;
            }
#endif
            const REAL voltage_before = voltage;
            const REAL x_n = A_n + B_n * current, x_p = A_p + B_p * current;
            voltage = terminal(tables, now, kinetic_n, kinetic_p, x_n, x_p, current, open_circuit, anode);
            ++elapsed;
            const bool low = voltage <= order[Field::LOWEST], high = voltage >= order[Field::HIGHEST];
#if AGEING
            const REAL intercalation = through + side;
            REAL counted = REAL(1);
            // A cut-off is met within the step: capacities end there, unless the next instruction goes on from it.
            if (((low && current > REAL(0)) || (high && current < REAL(0))) && elapsed > 1 &&
                (instruction + 1 == n_instructions || static_cast<int>(order[FIELDS + Field::KIND]) != Kind::VOLTAGE)) {
                const REAL limit = low ? order[Field::LOWEST] : order[Field::HIGHEST];
                const REAL part = (voltage_before - limit) / (voltage_before - voltage);
                if (part >= REAL(0) && part < REAL(1)) counted = part;
            }
            ageing.anode = anode;
            ageing.side = side;
#else
            const REAL intercalation = through;
#endif
            const bool exhausted = ELECTROLYTE && span < dt && !low && !high;
            const bool done = low || high || exhausted || elapsed >= static_cast<int>(order[Field::STEPS]) ||
                              (kind == Kind::VOLTAGE && fabs(current) <= order[Field::LEAST_CURRENT]);
            if (done) {
                instruction = exhausted ? n_instructions : instruction + 1;
                elapsed = 0;
                if (instruction >= n_instructions) {
                    // Where in the step the cut-off was met, by the Illinois form of false position.
                    REAL part = REAL(1);
                    if ((low || high) && kind == Kind::CURRENT) {
                        const REAL limit = low ? order[Field::LOWEST] : order[Field::HIGHEST];
                        REAL a = REAL(0), b = REAL(1), f_a = voltage_before - limit, f_b = voltage - limit;
                        const bool crossed = (f_a > REAL(0)) != (f_b > REAL(0));
                        part = crossed ? b : REAL(0);  // 0: it was beyond from the start
#pragma unroll 1
                        for (int pass = 0; pass < 10 && crossed && f_b != f_a; ++pass) {
                            part = b - f_b * (b - a) / (f_b - f_a);
                            REAL there, of_anode;  // not of the step's end, which the heat is of
#if VARYING
                            const REAL at_n = negative.solve(intercalation, rise, part * span);
                            const REAL at_p = positive.solve(through, rise, part * span);
#else
                            const REAL at_n = negative.surface(part * span, intercalation);
                            const REAL at_p = positive.surface(part * span, current);
#endif
                            const REAL f = terminal(tables, now, kinetic_n, kinetic_p, at_n, at_p, current, there, of_anode) - limit;
                            if ((f > REAL(0)) == (f_b > REAL(0))) {
                                f_a *= REAL(0.5);
                            } else {
                                a = b;
                                f_a = f_b;
                            }
                            b = part;
                            f_b = f;
                            if (fabs(f) < REAL(1e-6)) break;
                        }
                    }
#if VARYING
                    negative.solve(intercalation, rise, span);  // the profiles of its whole end again
                    positive.solve(through, rise, span);
#endif
                    ended = REAL(first_step + step) * dt + part * span;  // rounded alike however steps are batched
                }
            }
#if VARYING
            negative.advance();
            positive.advance();
#else
            negative.advance(intercalation);
            positive.advance(through);
#endif
#if DRIVEN && !VARYING
            if (rise != REAL(0)) {
                negative.rise(dt, rise);
                positive.rise(dt, rise);
            }
#endif
#if AGEING
            accumulate_product(mean_n, error_n, negative.growth * span, through);
            accumulate_product(mean_n, error_n, negative.growth * span, ageing.sei_current);
            accumulate_product(mean_n, error_n, negative.growth * span, ageing.plating_current);
            accumulate_product(mean_p, error_p, positive.growth * span, through);
            accumulate_product(charge, charge_error, through, span);
            ageing.count(aged, stride, through, counted, span);
            REAL salt_share = REAL(1);
#if ELECTROLYTE
            salt_share = REAL(0);
#pragma unroll 1
            for (int k = 0; k < ELECTROLYTE_CELLS; ++k) salt_share += salt[k][threadIdx.x] / REAL(ELECTROLYTE_CELLS);
#endif
#if VARYING
            B_n = negative.raised(x_n, span);
#endif
            ageing.react(given, stride, inverse, now.thermal_voltage, salt_share,
                         B_n * curve_slope(tables + Table::NEGATIVE_OCP * INTERVALS, INTERVALS, bounded(x_n)), current);
            if (done && !exhausted && instruction % per_cycle == 0)
                ageing.close_cycle(aged, stride, record, recorded, instruction / per_cycle - 1, cell);
#else
            accumulate(mean_n, error_n, negative.growth * span * through);
            accumulate(mean_p, error_p, positive.growth * span * through);
            accumulate(charge, charge_error, through * span);
#endif
#if THERMAL
            const REAL entropic = potential(tables, Table::POSITIVE_ENTROPIC, bounded(x_p)) -
                                  potential(tables, Table::NEGATIVE_ENTROPIC, bounded(x_n));
            const REAL reversible = (REFERENCE_TEMPERATURE + warmth) * entropic;
            REAL heat = current * (open_circuit - voltage - reversible);
#if DRIVEN
            if (rise != REAL(0)) {
                // Over the step: what the current costs is taken as a line between its mean and its end.
                const REAL at_end = open_circuit - voltage + now.concentration;
                const REAL at_mean = cost(now, kinetic_n, kinetic_p, x_n, x_p, through);
                heat = through * (at_mean - now.concentration - reversible) + rise * (at_end - at_mean) / REAL(3);
            }
#endif
            const REAL cooling = GIVEN(Coefficient::COOLING);
            warmth += (heat - cooling * (warmth - GIVEN(Coefficient::AMBIENT))) /
                      (GIVEN(Coefficient::HEAT_CAPACITY) / span + REAL(0.5) * cooling);
#endif
        }
        if (trace != nullptr && (step + 1) % trace_every == 0) {
            REAL* const traced = trace + (long long)(step / trace_every) * stride + cell;
            traced[0] = running ? voltage : REAL(nan(""));
            if (trace_plane) {
                traced[trace_plane] = running ? current : REAL(nan(""));
                traced[2 * trace_plane] = running ? warmth : REAL(nan(""));
            }
        }
    }
#pragma unroll 1
#if VARYING
    for (int k = 0; k < 2 * SHELLS; ++k) shelled[(long long)k * stride] = profiles[k][threadIdx.x];
#else
    for (int k = 0; k < 2 * MODES; ++k) STATE(Row::NEGATIVE_MODES + k) = amplitudes[k][threadIdx.x];
#endif
    STATE(Row::NEGATIVE_MEAN) = mean_n;
    STATE(Row::NEGATIVE_MEAN_ERROR) = error_n;
    STATE(Row::POSITIVE_MEAN) = mean_p;
    STATE(Row::POSITIVE_MEAN_ERROR) = error_p;
    STATE(Row::CHARGE) = charge;
    STATE(Row::CHARGE_ERROR) = charge_error;
    STATE(Row::WARMTH) = warmth;
    STATE(Row::VOLTAGE) = voltage;
    STATE(Row::CURRENT) = current;
    STATE(Row::INSTRUCTION) = REAL(instruction);
    STATE(Row::ELAPSED) = REAL(elapsed);
    STATE(Row::ENDED) = ended;
#if AGEING
    ageing.store(aged, stride);
#endif
#if ELECTROLYTE
#pragma unroll 1
    for (int i = 0; i < 3 * ELECTROLYTE_CELLS; ++i) STATE(Row::SALT + i) = salt[i][threadIdx.x];
#endif
}
