// Bond-based peridynamics on a regular lattice: forces, breaking and one step in time in one pass.
//
//   η = u_j − u_i,  p = η·(2ξ + η)/|ξ|² = (1 + s)² − 1,  a_i = K Σ_j (s/|ξ + η|)(ξ + η),  v += a,  u += v
//
// Lengths are lattice spacings and velocities spacings per step, so that K = dt² c V/(ρ Δx) is the only number of the
// material beside the limit of p. A bond breaks for good where p > limit: its bit is cleared at both ends, which compute
// the same p (each product has both signs changed), so nothing is exchanged.
//
// With damping the step is v = decay v + kick a, kick = (1 + decay)/2 (central differences): work that it takes from
// each particle, (1 − decay)/(1 + decay) (v + v')²/2, is in damped: (size) double, touched only if decay is not 1.
//
// Layout: layout.py (padded rows). u, u_out, v: (DIMENSIONS, size); words, breakable: (WORDS, size); kind: (size) 0 or the
// row of the table of loads; work, loss: (size) double, touched where a load acts or a bond breaks.
// Per particle and step: u, v, words, breakable and kind are read once, u, v and words written once.
//
// variants: -DREAL=float -DDIMENSIONS=2 -DREACH=2; -DREAL=float -DDIMENSIONS=2 -DREACH=3; -DREAL=float -DDIMENSIONS=2 -DREACH=4; -DREAL=float -DDIMENSIONS=3 -DREACH=2; -DREAL=float -DDIMENSIONS=3 -DREACH=3; -DREAL=double -DDIMENSIONS=2 -DREACH=2; -DREAL=double -DDIMENSIONS=2 -DREACH=3; -DREAL=double -DDIMENSIONS=2 -DREACH=4; -DREAL=double -DDIMENSIONS=3 -DREACH=2; -DREAL=double -DDIMENSIONS=3 -DREACH=3
#include "peridynamics/family.cuh"

struct Place {
    int nx, ny, nz, pitch, rows;
    long long base, size;
    DEVICE_MEMBER long long at(int x, int y, int z) const { return base + ((long long)z * rows + y) * pitch + x; }
};

// Plane z of the displacement around a block, into shared memory.
DEVICE void load_plane(REAL* __restrict__ tile, const REAL* __restrict__ u, const Place& place, const int x0, const int y0,
                       const int z)
{
    for (int i = threadIdx.y * COLUMNS + threadIdx.x; i < TILE; i += COLUMNS * ROWS) {
        const int x = x0 + i % WIDTH - REACH, y = y0 + i / WIDTH - REACH;
        const bool inside = x < place.nx + REACH && y < place.ny + REACH;
        const long long at = place.at(x, y, z);
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) tile[k * TILE + i] = inside ? u[k * place.size + at] : REAL(0);
    }
}

DEVICE void begin(Surroundings& around, const REAL* tiles, const int z)
{
    const int own = (threadIdx.y + REACH) * WIDTH + threadIdx.x + REACH;
#pragma unroll
    for (int c = -DEPTH; c <= DEPTH; ++c)
        around.plane[c + DEPTH] = tiles + (DEPTH ? (z + c + DEPTH) % PLANES : 0) * (DIMENSIONS * TILE) + own;
    const REAL* here = around.plane[DEPTH];
    around.x = here[0];
    around.y = here[TILE];
    around.z = DIMENSIONS == 3 ? here[2 * TILE] : REAL(0);
}

// Σ |ξ| s² + 2 s n·v of the bonds that have just broken: their energy half a step ago, for the last half kick was without
// them; offsets: (32 WORDS, 4), x, y, z of each bit and the way to
// that neighbour in memory; lengths: (32 WORDS, 2), |ξ| and 1/|ξ|².
DEVICE double lost(const Surroundings& around, const unsigned (&before)[WORDS], const int* __restrict__ offsets,
                   const double* __restrict__ lengths, const double vx, const double vy, const double vz)
{
    double total = 0;
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        for (unsigned gone = before[k] & ~around.word[k]; gone; gone &= gone - 1) {
            const int bit = __ffs((int)gone) - 1;
            const int* offset = offsets + 4 * (32 * k + bit);
            const int a = offset[0], b = offset[1], c = offset[2];
            // middle plane plus whole planes: the ring has wrapped planes anywhere, so the distance is looked up
            const REAL* there = around.plane[DEPTH] + b * WIDTH + a;
#pragma unroll
            for (int plane = -DEPTH; plane <= DEPTH; ++plane)
                if (plane == c) there = around.plane[plane + DEPTH] + b * WIDTH + a;
            const double inverse_square = lengths[2 * (32 * k + bit) + 1];
            const double ex = there[0] - around.x, ey = there[TILE] - around.y;
            const double ez = DIMENSIONS == 3 ? there[2 * TILE] - around.z : REAL(0);
            const double p = (ex * (2 * a + ex) + ey * (2 * b + ey) + ez * (2 * c + ez)) * inverse_square;
            const double length = lengths[2 * (32 * k + bit)];
            double s;
            const double g = pull_of(p, s) * length * inverse_square;
            total += length * s * s + 2 * g * ((a + ex) * vx + (b + ey) * vy + (c + ez) * vz);
        }
    return total;
}

// Blocks of (32, ROWS) threads; block (i, j, k) takes planes k span .. (k + 1) span − 1 one after the other.
// table: (steps, kinds, 4, DIMENSIONS): acceleration, held or not, displacement, velocity; row: steps · kinds in front.
// kick: (1 + decay)/2, half of that in the first step of velocity Verlet.
extern "C" __global__ void __launch_bounds__(COLUMNS* ROWS, BLOCKS) step_bonds(
    const REAL* __restrict__ u, REAL* __restrict__ u_out, REAL* __restrict__ v, unsigned* __restrict__ words,
    const unsigned* __restrict__ breakable, const unsigned char* __restrict__ kind, const REAL* __restrict__ table,
    const int row, const int* __restrict__ offsets, const double* __restrict__ lengths, double* __restrict__ work,
    double* __restrict__ loss, double* __restrict__ damped, const int nx, const int ny, const int nz, const int pitch, const int rows,
    const long long base, const long long size, const int span, const REAL stiffness, const REAL limit, const REAL kick,
    const REAL decay)
{
    extern __shared__ REAL tiles[];
    const Place place = {nx, ny, nz, pitch, rows, base, size};
    const int x0 = blockIdx.x * COLUMNS, y0 = blockIdx.y * ROWS, z0 = blockIdx.z * span, end = min(z0 + span, nz);
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    for (int z = z0 - DEPTH; z < z0 + DEPTH; ++z)
        load_plane(tiles + (z + DEPTH) % PLANES * (DIMENSIONS * TILE), u, place, x0, y0, z);
#pragma unroll 1
    for (int z = z0; z < end; ++z) {
        __syncthreads();
        load_plane(tiles + (DEPTH ? (z + 2 * DEPTH) % PLANES : 0) * (DIMENSIONS * TILE), u, place, x0, y0, z + DEPTH);
        __syncthreads();
        if (x >= nx || y >= ny) continue;
        const long long at = place.at(x, y, z);
        Surroundings around;
        begin(around, tiles, z);
        around.limit = limit;
        unsigned before[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            before[k] = around.word[k] = words[k * size + at];
            around.breakable[k] = breakable[k * size + at];
        }
        const Sum sum = around.pull();
        unsigned changed = 0;
#pragma unroll
        for (int k = 0; k < WORDS; ++k) changed |= before[k] ^ around.word[k];
        if (changed) {
            const REAL vz = DIMENSIONS == 3 ? v[2 * size + at] : REAL(0);
            loss[at] += 0.25 * stiffness * lost(around, before, offsets, lengths, v[at], v[size + at], vz);
#pragma unroll
            for (int k = 0; k < WORDS; ++k) words[k * size + at] = around.word[k];
        }
        const int load = kind[at];
        const REAL pull[3] = {sum.x, sum.y, sum.z}, own[3] = {around.x, around.y, around.z};
        double done = 0, rubbed = 0;
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) {
            const REAL before_v = v[k * size + at];
            REAL after_v = fused(kick, mul(stiffness, pull[k]), mul(decay, before_v)), after_u;
            bool held = false;
            if (load) {
                const REAL* loaded = table + (long long)(row + load) * (4 * DIMENSIONS) + k;
                const REAL given = loaded[0];
                held = loaded[DIMENSIONS] != REAL(0);
                after_v = held ? loaded[3 * DIMENSIONS] : fused(kick, given, after_v);
                after_u = held ? loaded[2 * DIMENSIONS] : own[k] + after_v;
                const REAL force = held ? (after_v - before_v) - mul(stiffness, pull[k]) : given;
                done += 0.5 * (double)force * ((double)before_v + (double)after_v);
            } else
                after_u = own[k] + after_v;
            if (decay != REAL(1) && !held) rubbed += ((double)before_v + (double)after_v) * ((double)before_v + (double)after_v);
            v[k * size + at] = after_v;
            u_out[k * size + at] = after_u;
        }
        if (load) work[at] += done;
        if (decay != REAL(1)) damped[at] += 0.5 * (1.0 - (double)decay) / (1.0 + (double)decay) * rubbed;
    }
}

// energy: (size), ¼ K Σ |ξ| s² over the bonds of each particle; kick: (DIMENSIONS, size), K Σ s n. Bonds that are broken cost
// nothing, and nothing is unrolled: this runs when somebody looks.
extern "C" __global__ void measure(const REAL* __restrict__ u, const unsigned* __restrict__ words,
                                   const int* __restrict__ offsets, const double* __restrict__ lengths,
                                   REAL* __restrict__ energy, REAL* __restrict__ kick, const long long size,
                                   const REAL stiffness)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    double x = 0, y = 0, z = 0, strain = 0;
    for (int k = 0; k < WORDS; ++k)
        for (unsigned left = words[k * size + at]; left; left &= left - 1) {
            const int bit = 32 * k + __ffs((int)left) - 1;
            const int* offset = offsets + 4 * bit;
            const long long there = at + offset[3];
            const double length = lengths[2 * bit], inverse_square = lengths[2 * bit + 1];
            const double ex = u[there] - u[at], ey = u[size + there] - u[size + at];
            const double ez = DIMENSIONS == 3 ? u[2 * size + there] - u[2 * size + at] : REAL(0);
            const double a = offset[0], b = offset[1], c = offset[2];
            const double p = (ex * (2 * a + ex) + ey * (2 * b + ey) + ez * (2 * c + ez)) * inverse_square;
            double s, g = pull_of(p, s);
            g *= length * inverse_square;
            x += g * (a + ex);
            y += g * (b + ey);
            z += g * (c + ez);
            strain += length * s * s;
        }
    energy[at] = 0.25 * stiffness * strain;
    kick[at] = stiffness * x;
    kick[size + at] = stiffness * y;
    if (DIMENSIONS == 3) kick[2 * size + at] = stiffness * z;
}

// (1 − intact bonds/bonds of the family before any cut) of each place; whole: (size) bonds of the uncut family.
extern "C" __global__ void damage(const unsigned* __restrict__ words, const REAL* __restrict__ whole,
                                  REAL* __restrict__ out, const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    int intact = 0;
#pragma unroll
    for (int k = 0; k < WORDS; ++k) intact += __popc(words[k * size + at]);
    const REAL bonds = whole[at];
    out[at] = bonds > REAL(0) ? REAL(1) - REAL(intact) / bonds : REAL(0);
}
