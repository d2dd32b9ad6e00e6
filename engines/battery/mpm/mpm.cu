// The many-particle model: all particles of both electrodes through a protocol, many steps in one launch.
//
// A particle is eigenmodes (particles/series.py), exact while its own current q is constant; q [A] is what the cell's
// current would be if all particles of the electrode carried the same per surface, so Σ w q = I. With
// ψ = ±(φ − U(x0)) (+ negative, − positive electrode) all particles of an electrode are at one ψ at the end of a step:
//
//     ψ = ±(U(x) − U(x0)) + (2RT/F) asinh(κ q/√(x(1−x))),   x = A + B q at the surface.
//
// Newton for all q and the ψ at once: with the residual r = ψ − ψ(q) and the slope d = dψ/dq, the sums over an
// electrode a = Σ w (q + r/d) and c = Σ w/d give I = a + c δψ, and q += (δψ + r)/d. V = V0 − ψ_p − ψ_n − I R, so a
// held voltage or power gives I from the same four sums: one meeting of all blocks per pass, and mostly one or two
// passes per step. The current is kept by the sums to their rounding, whatever the residual.
//
// Blocks are resident all at once (a cooperative launch) and go over the particles of their electrode in strides of the
// grid: a thread meets the same particles in each step, and nobody else does, so state in global memory needs no fence.
// A single block takes both electrodes. Layout: rows of 2 * stride, the negative particles and then the positive ones.
// Rows of state, coefficients, scratch, cell and constants: step/many_particle_rows.py. shares: 1 − e^{−λ² D dt/R²}.
// instructions and drive: as in cells.cu; a rise of the current within a step is shared alike.
// Per particle and step: 16 modes in twice and out once, their shares in twice, some 30 numbers else.
//
// VARYING: D depends on the stoichiometry, and particles are shells (graded.cuh) in the rows of the modes. The surface is
// no straight line of q then: a pass of Newton's solves the shells at its q, and B is the slope of the chord to the pass
// before; of the first, to a current nearby. laws: D over that of the set; geometry: of the shells. The launch has BLOCK
// threads a block.
//
// variants: -DREAL=float; -DREAL=double; -DREAL=float -DVARYING=1; -DREAL=double -DVARYING=1

#ifndef VARYING
#define VARYING 0
#endif

#include "battery/step/curves.cuh"
#include "battery/step/eigenmodes.cuh"
#include "battery/step/instructions.cuh"
#include "battery/step/many_particle_rows.cuh"

constexpr int BLOCK = sizeof(REAL) == 4 ? 64 : 32;
constexpr int LARGEST_BLOCK = VARYING ? BLOCK : sizeof(REAL) == 4 ? 512 : 256;

using Cubics = const typename Cubic<REAL>::type* __restrict__;

#if VARYING
#include "battery/step/graded.cuh"
#endif

// The four sums of an electrode over some of its particles.
struct Sums {
    REAL target, mobility, lowest, highest;  // Σ w (q + r/d), Σ w/d, extremes of r

    __device__ __forceinline__ void clear() {
        target = mobility = REAL(0);
        lowest = REAL(1e30);
        highest = REAL(-1e30);
    }
    __device__ __forceinline__ void add(const Sums& other) {
        target += other.target;
        mobility += other.mobility;
        lowest = other.lowest < lowest ? other.lowest : lowest;
        highest = other.highest > highest ? other.highest : highest;
    }
    // Over the warp, in every lane.
    __device__ __forceinline__ void over_warp() {
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2)
            add({__shfl_xor_sync(~0u, target, lanes), __shfl_xor_sync(~0u, mobility, lanes),
                 __shfl_xor_sync(~0u, lowest, lanes), __shfl_xor_sync(~0u, highest, lanes)});
    }
};

// All blocks of the launch: which particles are whose, and how they meet.
struct Grid {
    REAL* partials;     // [2 buffers][2 electrodes][blocks per electrode][SUMS]
    unsigned* counter;  // arrivals at meetings; then blocks that are through
    int blocks;         // per electrode
    unsigned meetings;

    __device__ __forceinline__ int first_electrode() const { return gridDim.x == 1 ? 0 : blockIdx.x % 2; }
    __device__ __forceinline__ int last_electrode() const { return gridDim.x == 1 ? 1 : blockIdx.x % 2; }
    __device__ __forceinline__ int own() const { return gridDim.x == 1 ? 0 : blockIdx.x / 2; }

    // What the threads of all blocks have summed, per electrode, in shared memory of each block. first: of this
    // block's first electrode; second: of the other, if it has both.
    __device__ void meet(Sums (*warps)[LARGEST_BLOCK / 32], Sums* whole, Sums first, Sums second) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
        REAL* const buffer = partials + (meetings % 2) * 2 * blocks * SUMS;
        ++meetings;
        first.over_warp();
        if (lane == 0) warps[0][warp] = first;
        if (gridDim.x == 1) {
            second.over_warp();
            if (lane == 0) warps[1][warp] = second;
        }
        __syncthreads();
        if (warp == 0) {
            for (int e = first_electrode(); e <= last_electrode(); ++e) {
                Sums sums;
                sums.clear();
                if (lane < n_warps) sums = warps[e - first_electrode()][lane];
                sums.over_warp();
                if (lane == 0) {
                    REAL* const place = buffer + (e * blocks + own()) * SUMS;
                    place[Sum::TARGET] = sums.target;
                    place[Sum::MOBILITY] = sums.mobility;
                    place[Sum::LOWEST] = sums.lowest;
                    place[Sum::HIGHEST] = sums.highest;
                }
            }
            if (lane == 0) {
                __threadfence();
                atomicAdd(counter, 1u);
                const unsigned all = meetings * gridDim.x;
                while (static_cast<int>(*static_cast<volatile unsigned*>(counter) - all) < 0) {}
                __threadfence();
            }
            __syncwarp();
            for (int e = 0; e < 2; ++e) {
                Sums sums;
                sums.clear();
                for (int block = lane; block < blocks; block += 32) {
                    const REAL* const place = buffer + (e * blocks + block) * SUMS;
                    sums.add({__ldcg(place + Sum::TARGET), __ldcg(place + Sum::MOBILITY), __ldcg(place + Sum::LOWEST),
                              __ldcg(place + Sum::HIGHEST)});
                }
                sums.over_warp();
                if (lane == 0) whole[e] = sums;
            }
        }
        __syncthreads();
    }

    // The last block to leave makes the counters ready for the next launch: by then nobody looks at them.
    __device__ void leave() {
        if (threadIdx.x != 0) return;
        __threadfence();
        if (atomicAdd(counter + 1, 1u) == gridDim.x - 1) {
            counter[0] = 0;
            counter[1] = 0;
        }
    }
};

struct Electrodes {
    REAL *state, *scratch;
    const REAL *coefficients, *shares, *constants;
    Cubics tables;
    REAL dt, part, rise;  // of the current from the mean of the step to its end
    int n, stride;
#if VARYING
    REAL (*w)[BLOCK], (*found)[BLOCK], (*base)[BLOCK];
    Cubics laws;
    const REAL* geometry;
#endif

#define AT(array, row) array[(long long)(row) * 2 * stride + i]

#if VARYING
    // The surface at the end of the part of a step that is at hand, under q at its end; leaves the profile in found.
    __device__ __forceinline__ REAL solved(int e, long long i, REAL q) const {
#pragma unroll 1
        for (int k = 0; k < SHELLS; ++k) w[k][threadIdx.x] = AT(state, Row::MODES + k);
        return graded_solve(w, found, base, laws + e * INTERVALS, geometry,
                            constants[e * Constant::POSITIVE + Constant::START] + AT(state, Row::MEAN),
                            AT(coefficients, Coefficient::RATE), AT(coefficients, Coefficient::GAIN),
                            AT(coefficients, Coefficient::GROWTH), q - rise, rise, part * dt);
    }

    // The current nearby.
    __device__ __forceinline__ REAL aside(long long i) const {
        return ASIDE / (fabs(AT(coefficients, Coefficient::GROWTH) * (part * dt)) + REAL(0.2) * fabs(AT(coefficients, Coefficient::GAIN)));
    }

    // A and B of the chord.
    __device__ __forceinline__ void respond(int e, long long i, REAL shift) const {
        const REAL q = AT(state, Row::FLUX) + shift, near = aside(i), x = solved(e, i, q);
        const REAL B = (solved(e, i, q + near) - x) / near;
        AT(state, Row::FLUX) = q;
        AT(scratch, Scratch::RELAXED) = x - B * q;
        AT(scratch, Scratch::RESPONSE) = B;
    }

    // Newton's step of a particle, and the chord to where it came from.
    __device__ __forceinline__ void move(int e, long long i, REAL change) const {
        const REAL before = AT(state, Row::FLUX), q = before + limited(i, change), x = solved(e, i, q);
        REAL B = AT(scratch, Scratch::RESPONSE);
        if (fabs(q - before) > REAL(0.1) * aside(i))
            B = (x - (AT(scratch, Scratch::RELAXED) + B * before)) / (q - before);
        AT(state, Row::FLUX) = q;
        AT(scratch, Scratch::RELAXED) = x - B * q;
        AT(scratch, Scratch::RESPONSE) = B;
    }
#else
    // 1 − e^{−λ² D t/R²} of mode k for the part of a step that is at hand.
    __device__ __forceinline__ REAL share(int k, long long i) const {
        if (part == REAL(1)) return AT(shares, k);
        return -expm1(-SQUARES[k] * (AT(coefficients, Coefficient::RATE) * (part * dt)));
    }

    // x at the surface at the end of the part of a step: A + B q.
    __device__ __forceinline__ void respond(int e, long long i, REAL shift) const {
        REAL relaxed = REAL(0), driven = REAL(0.2);
#pragma unroll 4
        for (int k = 0; k < MODES; ++k) {
            const REAL g = share(k, i);
            relaxed += AT(state, Row::MODES + k) * (REAL(1) - g);
            driven += (g - REAL(1)) * (REAL(2) / SQUARES[k]);
        }
        relaxed = constants[e * Constant::POSITIVE + Constant::START] + (AT(state, Row::MEAN) + relaxed);
        driven = AT(coefficients, Coefficient::GROWTH) * (part * dt) + AT(coefficients, Coefficient::GAIN) * driven;
        if (rise != REAL(0)) {
            REAL late = REAL(0.2);
#pragma unroll 1
            for (int k = 0; k < MODES; ++k)
                late += REAL(2) / SQUARES[k] * (REAL(1) - share(k, i) - relaxing(k, i));
            relaxed += (AT(coefficients, Coefficient::GAIN) * late - driven) * rise;
        }
        AT(scratch, Scratch::RELAXED) = relaxed;
        AT(scratch, Scratch::RESPONSE) = driven;
        AT(state, Row::FLUX) += shift;
    }

    // 2 g/z of mode k in a whole step.
    __device__ __forceinline__ REAL relaxing(int k, long long i) const {
        return REAL(2) * AT(shares, k) / (SQUARES[k] * (AT(coefficients, Coefficient::RATE) * dt));
    }

    // Newton's step of a particle.
    __device__ __forceinline__ void move(int, long long i, REAL change) const { last(i, change); }
#endif

    // No further than twice its current away nor out of its material.
    __device__ __forceinline__ REAL limited(long long i, REAL change) const {
        const REAL q = AT(state, Row::FLUX), most = AT(scratch, Scratch::EXCHANGE) + fabs(q);
        REAL step = AT(scratch, Scratch::TARGET) + change * AT(scratch, Scratch::MOBILITY) - q;
        step = step < most ? (step > -most ? step : -most) : most;
        const REAL A = AT(scratch, Scratch::RELAXED), B = AT(scratch, Scratch::RESPONSE), x = A + B * q, there = A + B * (q + step);
        if (x > EDGE && x < REAL(1) - EDGE && !(there > EDGE && there < REAL(1) - EDGE))
            step = REAL(0.9) * ((there > REAL(0.5) ? REAL(1) - EDGE : EDGE) - x) / B;
        return step;
    }

    // The last step of Newton's.
    __device__ __forceinline__ void last(long long i, REAL change) const { AT(state, Row::FLUX) += limited(i, change); }

    // Residual and slope of a particle, into scratch, and its part of the sums.
    __device__ __forceinline__ Sums evaluate(int e, long long i, REAL psi) const {
        const REAL sign = constants[e * Constant::POSITIVE + Constant::SIGN], kappa = constants[e * Constant::POSITIVE + Constant::KINETIC];
        const REAL thermal_voltage = constants[Constant::THERMAL_VOLTAGE];  // 2RT/F
        const REAL q = AT(state, Row::FLUX), B = AT(scratch, Scratch::RESPONSE), wanted = AT(scratch, Scratch::RELAXED) + B * q;
        const REAL x = wanted > EDGE ? (wanted < REAL(1) - EDGE ? wanted : REAL(1) - EDGE) : EDGE;
        const REAL moving = x == wanted ? B : REAL(0);
        const REAL at = x * REAL(INTERVALS);
        int interval = static_cast<int>(at);
        interval = interval < INTERVALS ? interval : INTERVALS - 1;
        const REAL t = at - REAL(interval);
        const typename Cubic<REAL>::type c = tables[e * INTERVALS + interval];
        const REAL U = c.x + t * (c.y + t * (c.z + t * c.w));
        const REAL slope = (c.y + t * (REAL(2) * c.z + t * (REAL(3) * c.w))) * REAL(INTERVALS);
        const REAL room = x * (REAL(1) - x), exchange = sqrt(room) / kappa;  // the current at which sinh is 1
        const REAL z = q / exchange, root = sqrt(REAL(1) + z * z);
        const REAL kinetic = thermal_voltage / (root * exchange);
        // √(x(1−x)) changes with q too. A potential that rises with x may make d small: Newton then takes less of it.
        REAL d = kinetic + moving * (sign * slope - thermal_voltage * z / root * (REAL(0.5) - x) / room);
        d = d > REAL(0.1) * kinetic ? d : REAL(0.1) * kinetic;
        const REAL r = psi - (sign * U + thermal_voltage * asinh(z)), w = AT(coefficients, Coefficient::WEIGHT);
        const REAL mobility = REAL(1) / d, target = q + r * mobility;
        AT(scratch, Scratch::TARGET) = target;
        AT(scratch, Scratch::MOBILITY) = mobility;
        AT(scratch, Scratch::EXCHANGE) = exchange;
        return {w * target, w * mobility, r, r};
    }

    // The part of the step that is at hand, under the particle's current.
    __device__ __forceinline__ void advance(int e, long long i) const {
        const REAL q = AT(state, Row::FLUX) - rise;
#if VARYING
        GradedParticle particle;
        particle.w = w;
        particle.found = found;
        particle.geometry = geometry;
        solved(e, i, AT(state, Row::FLUX));
        particle.advance();
#pragma unroll 1
        for (int k = 0; k < SHELLS; ++k) AT(state, Row::MODES + k) = w[k][threadIdx.x];
#else
        const REAL driven = AT(coefficients, Coefficient::GAIN) * q;
#pragma unroll 4
        for (int k = 0; k < MODES; ++k) {
            const REAL g = share(k, i), b = AT(state, Row::MODES + k);
            AT(state, Row::MODES + k) = fma(g, fma(REAL(2) / SQUARES[k], driven, -b), b);
        }
        if (rise != REAL(0)) {
#pragma unroll 1
            for (int k = 0; k < MODES; ++k)
                AT(state, Row::MODES + k) += REAL(2) / SQUARES[k] * AT(coefficients, Coefficient::GAIN) * rise *
                                             (REAL(2) - share(k, i) - relaxing(k, i));
        }
#endif
        REAL mean = AT(state, Row::MEAN), error = AT(state, Row::MEAN_ERROR);
        accumulate(mean, error, AT(coefficients, Coefficient::GROWTH) * (part * dt) * q);
        AT(state, Row::MEAN) = mean;
        AT(state, Row::MEAN_ERROR) = error;
    }
};

// The particles of this thread, electrode by electrode.
#define EACH_PARTICLE(e, i)                                                            \
    for (int e = grid.first_electrode(); e <= grid.last_electrode(); ++e)              \
        for (long long i = (long long)e * stride + grid.own() * blockDim.x + threadIdx.x, \
                       end = (long long)e * stride + n;                                \
             i < end; i += grid.blocks * blockDim.x)

extern "C" __global__ void __launch_bounds__(LARGEST_BLOCK, 1) run_particles(
    REAL* __restrict__ state, REAL* __restrict__ scratch, REAL* cell, const REAL* __restrict__ coefficients,
    const REAL* __restrict__ shares, const REAL* __restrict__ constants, Cubics tables,
    const REAL* __restrict__ instructions, int n_instructions, const REAL* __restrict__ drive, REAL factor, REAL* trace,
    int trace_every, int first_step, REAL dt, int steps, int n, int stride, REAL* partials, unsigned* counter
#if VARYING
    , Cubics laws, const REAL* __restrict__ geometry
#endif
) {
    __shared__ Sums warps[2][LARGEST_BLOCK / 32], whole[2];
    Grid grid = {partials, counter, gridDim.x == 1 ? 1 : static_cast<int>(gridDim.x / 2), 0u};
    Electrodes all = {state, scratch, coefficients, shares, constants, tables, dt, REAL(1), REAL(0), n, stride};
#if VARYING
    __shared__ REAL profiles[SHELLS][BLOCK], found[SHELLS][BLOCK], bases[2 * SHELLS][BLOCK];
    all.w = profiles;
    all.found = found;
    all.base = bases;
    all.laws = laws;
    all.geometry = geometry;
#endif
    REAL charge = cell[CellRow::CHARGE], charge_error = cell[CellRow::CHARGE_ERROR], voltage = cell[CellRow::VOLTAGE], current = cell[CellRow::CURRENT];
    REAL ended = cell[CellRow::ENDED], psi_n = cell[CellRow::NEGATIVE_POTENTIAL], psi_p = cell[CellRow::POSITIVE_POTENTIAL];
    int instruction = static_cast<int>(cell[CellRow::INSTRUCTION]), elapsed = static_cast<int>(cell[CellRow::ELAPSED]);
    const REAL resistance = constants[Constant::RESISTANCE], rest = constants[Constant::REST_VOLTAGE];
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        const bool running = instruction < n_instructions;
        if (running) {
            const REAL* const order = instructions + instruction * FIELDS;
            const int kind = static_cast<int>(order[Field::KIND]);
            const REAL voltage_before = voltage, before = current;
            const bool held = kind == Kind::VOLTAGE, power = kind == Kind::POWER || kind == Kind::POWER_DRIVE;
            REAL wanted = order[Field::VALUE];
            all.rise = REAL(0);
            REAL mean_power = REAL(0);
            if (kind == Kind::DRIVE || kind == Kind::POWER_DRIVE) {
                const REAL* const now_at = drive + DRIVE_COLUMNS * (static_cast<int>(wanted) + elapsed);
                wanted = now_at[DriveColumn::END];
                all.rise = factor * (wanted - now_at[DriveColumn::MEAN]);
                if (power) {
                    all.rise /= voltage;
                    mean_power = factor * now_at[DriveColumn::MEAN];
                }
            }
            if (!held) wanted *= factor;
            if (!held && !power) current = wanted;
            REAL shift = current - before;  // a first guess: all particles take what is new alike
            if (power) shift = wanted / voltage - before;
            // Where in the step the cut-off was met, by the Illinois form of false position: `part` of the step is
            // solved again until the voltage is the cut-off's. 0: it was beyond from the start.
            REAL limit = REAL(0), a = REAL(0), b = REAL(1), f_a = REAL(0), f_b = REAL(0);
            all.part = REAL(1);
#pragma unroll 1
            for (int attempt = 0; attempt < 12; ++attempt) {
#pragma unroll 1
                EACH_PARTICLE(e, i) all.respond(e, i, shift);
                REAL change_n = REAL(0), change_p = REAL(0), steepness = REAL(0);
                shift = REAL(0);
#pragma unroll 1
                for (int pass = 0; pass < MOST_PASSES; ++pass) {
                    Sums first, second;
                    first.clear();
                    second.clear();
#pragma unroll 1
                    EACH_PARTICLE(e, i) {
                        if (pass) all.move(e, i, e ? change_p : change_n);
                        const Sums alone = all.evaluate(e, i, e ? psi_p : psi_n);
                        if (e == grid.first_electrode()) first.add(alone);
                        else second.add(alone);
                    }
                    grid.meet(warps, whole, first, second);
                    const Sums in_n = whole[0], in_p = whole[1];
                    const REAL per_n = REAL(1) / in_n.mobility, per_p = REAL(1) / in_p.mobility;
                    steepness = per_n + per_p;
                    if (held || power) {
                        // V = alpha + beta I once the sums are put in.
                        const REAL alpha = rest - psi_n - psi_p + in_n.target * per_n + in_p.target * per_p;
                        const REAL beta = -(per_n + per_p + resistance);
                        if (held) {
                            current = (wanted - alpha) / beta;
                        } else {
                            // beyond the largest power there is none: its current then
                            const REAL square = alpha * alpha + REAL(4) * beta * wanted;
                            current = square > REAL(0) ? REAL(2) * wanted / (alpha + sqrt(square))
                                                       : REAL(-0.5) * alpha / beta;
                        }
                    }
                    change_n = (current - in_n.target) * per_n;
                    change_p = (current - in_p.target) * per_p;
                    psi_n += change_n;
                    psi_p += change_p;
                    const REAL most = fmax(fmax(fabs(change_n + in_n.lowest), fabs(change_n + in_n.highest)),
                                           fmax(fabs(change_p + in_p.lowest), fabs(change_p + in_p.highest)));
                    if (!(most > TOLERANCE)) break;
                }
#pragma unroll 1
                EACH_PARTICLE(e, i) all.last(i, e ? change_p : change_n);
                voltage = rest - psi_n - psi_p - current * resistance;
                if (kind == Kind::POWER_DRIVE && all.rise != REAL(0)) {
                    // The mean current of the mean power, with the electrodes' resistance to the end's.
                    const REAL R = steepness + resistance;
                    REAL mean = current - all.rise;
#pragma unroll 1
                    for (int pass = 0; pass < 3; ++pass)
                        mean = (mean_power + R * (current - mean) * (current - mean) / REAL(3)) /
                               (voltage + R * (current - mean));
                    all.rise = current - mean;
                }
                if (attempt == 0) {
                    ++elapsed;
                    const bool low = voltage <= order[Field::LOWEST], high = voltage >= order[Field::HIGHEST];
                    const bool done = low || high || elapsed >= static_cast<int>(order[Field::STEPS]) ||
                                      (kind == Kind::VOLTAGE && fabs(current) <= order[Field::LEAST_CURRENT]);
                    if (!done) break;
                    ++instruction;
                    elapsed = 0;
                    if (instruction < n_instructions || kind != Kind::CURRENT || !(low || high)) break;
                    limit = low ? order[Field::LOWEST] : order[Field::HIGHEST];
                    f_a = voltage_before - limit;
                    f_b = voltage - limit;
                    if ((f_a > REAL(0)) == (f_b > REAL(0))) f_a = f_b;
                } else {
                    const REAL f = voltage - limit;
                    if (f_a == f_b) break;
                    if ((f > REAL(0)) == (f_b > REAL(0))) {
                        f_a *= REAL(0.5);
                    } else {
                        a = b;
                        f_a = f_b;
                    }
                    b = all.part;
                    f_b = f;
                    if (fabs(f) < REAL(1e-6) || f_a == f_b) break;
                }
                if (attempt < 11) all.part = f_a == f_b ? REAL(0) : b - f_b * (b - a) / (f_b - f_a);
            }
#pragma unroll 1
            EACH_PARTICLE(e, i) all.advance(e, i);
            accumulate(charge, charge_error, (current - all.rise) * (all.part * dt));
            if (instruction >= n_instructions) ended = REAL(first_step + step) * dt + all.part * dt;
        }
        if (trace != nullptr && (step + 1) % trace_every == 0 && blockIdx.x == 0 && threadIdx.x == 0) {
            trace[2 * (step / trace_every)] = running ? voltage : REAL(nan(""));
            trace[2 * (step / trace_every) + 1] = running ? current : REAL(nan(""));
        }
    }
    grid.leave();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        cell[CellRow::CHARGE] = charge;
        cell[CellRow::CHARGE_ERROR] = charge_error;
        cell[CellRow::VOLTAGE] = voltage;
        cell[CellRow::CURRENT] = current;
        cell[CellRow::INSTRUCTION] = REAL(instruction);
        cell[CellRow::ELAPSED] = REAL(elapsed);
        cell[CellRow::ENDED] = ended;
        cell[CellRow::NEGATIVE_POTENTIAL] = psi_n;
        cell[CellRow::POSITIVE_POTENTIAL] = psi_p;
    }
}
