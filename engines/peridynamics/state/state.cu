// The ordinary state-based linear solid on a regular lattice, in two passes: what each particle's dilatation does to its
// bonds (and which of them break), then forces and one step in time.
//
//   η = u_j − u_i,  p = η·(2ξ + η)/|ξ|² = (1 + s)² − 1,  S_i = Σ_j ω |ξ|² s,  φ_i = γ_i S_i
//   a_i = Σ_j ω ((β_i + β_j) s + φ_i + φ_j)(ξ + η)/(1 + s),  v = decay v + kick a,  u += v
//
// with the energy ½ γ_i S_i² + ½ β_i Σ ω|ξ|²s² of each particle. Units as in bonds.cu; β = d(d + 2) μ/m_i and γ = (λ −
// μ)(d/m_i)², times dt²/(ρ Δx²), m_i = Σ ω|ξ|² over the family before any cut: broken bonds leave S and the forces, m
// stays. A bond breaks for good where p > limit: its bit is cleared at both ends, which compute the same p.
//
// Layout: layout.py (padded rows). u, u_out, v: (DIMENSIONS, size); words, breakable: (WORDS, size); stiffness β, dilation γ,
// state φ: (size); kind: (size) 0 or the row of the table of loads; work, loss, damped: (size) double.
// weights: (ORBITS) ω |ξ|² (dilate) or ω (move) of each mirror orbit, which go to shared memory behind the planes; offsets: (32 WORDS, 4), x, y, z of each bit and the way to that
// neighbour in memory; lengths: (32 WORDS, 3) |ξ|, 1/|ξ|² and ω of each bit.
// Per particle and step: dilate reads u, words, breakable and γ and writes φ, move reads u, v, words, φ, β and kind and writes
// u and v.
//
// variants: -DREAL=float -DDIMENSIONS=2 -DREACH=2; -DREAL=float -DDIMENSIONS=2 -DREACH=3; -DREAL=float -DDIMENSIONS=2 -DREACH=4; -DREAL=float -DDIMENSIONS=3 -DREACH=2; -DREAL=float -DDIMENSIONS=3 -DREACH=3; -DREAL=double -DDIMENSIONS=2 -DREACH=2; -DREAL=double -DDIMENSIONS=2 -DREACH=3; -DREAL=double -DDIMENSIONS=2 -DREACH=4; -DREAL=double -DDIMENSIONS=3 -DREACH=2; -DREAL=double -DDIMENSIONS=3 -DREACH=3
#include "peridynamics/lattice/family.cuh"

// Threads of a block: five planes of values must fit into the 64 KB of shared memory that the oldest devices have.
constexpr int ACROSS = DIMENSIONS == 3 && sizeof(REAL) == 8 ? 16 : 32, DOWN = DIMENSIONS == 2 ? 8 : sizeof(REAL) == 8 ? 4 : 6;
constexpr int WIDE = ACROSS + 2 * REACH, PART = WIDE * (DOWN + 2 * REACH);
constexpr int orbits()
{
    int n = 0;
    for (int c = 0; c <= DEPTH; ++c)
        for (int b = 0; b <= REACH; ++b)
            for (int a = 0; a <= REACH; ++a) n += a + b + c > 0 && is_near(a, b, c);
    return n;
}
constexpr int ORBITS = orbits();
// Blocks that a processor has room for: asked for so that no register is spilled on any architecture.
constexpr int RESIDENT = DIMENSIONS == 2 ? (sizeof(REAL) == 8 ? 2 : 3) : sizeof(REAL) == 8 ? 6 : 3;

// Before a choice: the compiler is not to jump over the work of one bond, for nearly all of them hold.
#ifdef __CUDA_ARCH__
DEVICE void computed(float& value) { asm volatile("" : "+f"(value)); }
DEVICE void computed(double& value) { asm volatile("" : "+d"(value)); }
#else
DEVICE void computed(REAL&) {}
#endif

struct Place {
    int nx, ny, nz, pitch, rows;
    long long base, size;
    DEVICE_MEMBER long long at(int x, int y, int z) const { return base + ((long long)z * rows + y) * pitch + x; }
};

struct Scalar {
    REAL value;
};
DEVICE Scalar operator+(const Scalar& a, const Scalar& b) { return {a.value + b.value}; }
DEVICE Scalar weighted(const REAL weight, const Scalar& orbit, const Scalar& total)
{
    return {fused(weight, orbit.value, total.value)};
}
DEVICE Sum weighted(const REAL weight, const Sum& orbit, const Sum& total)
{
    return {fused(weight, orbit.x, total.x), fused(weight, orbit.y, total.y),
            DIMENSIONS == 3 ? fused(weight, orbit.z, total.z) : REAL(0)};
}

// What a particle sees: planes of values in shared memory, itself at [0] of the middle one. In each: u and, for
// forces, φ and β.
template <int PARTS>
struct View {
    const REAL* plane[PLANES];  // part k of (a, b) is plane[c + DEPTH][k PART + b WIDE + a]
    REAL x, y, z;               // its own displacement

    DEVICE_MEMBER void begin(const REAL* tiles, const int z_plane)
    {
        const int own = (threadIdx.y + REACH) * WIDE + threadIdx.x + REACH;
#pragma unroll
        for (int c = -DEPTH; c <= DEPTH; ++c)
            plane[c + DEPTH] = tiles + (DEPTH ? (z_plane + c + DEPTH) % PLANES : 0) * (PARTS * PART) + own;
        const REAL* here = plane[DEPTH];
        x = here[0];
        y = here[PART];
        z = DIMENSIONS == 3 ? here[2 * PART] : REAL(0);
    }

    // η of a bond, and its p.
    DEVICE_MEMBER REAL bond(const REAL* there, const int a, const int b, const int c, Sum& eta) const
    {
        eta.x = there[0] - x;
        eta.y = there[PART] - y;
        eta.z = DIMENSIONS == 3 ? there[2 * PART] - z : REAL(0);
        REAL q = mul(eta.y, REAL(2 * b) + eta.y);
        if (DIMENSIONS == 3) q = fused(eta.z, REAL(2 * c) + eta.z, q);
        q = fused(eta.x, REAL(2 * a) + eta.x, q);
        return mul(q, REAL(1) / REAL(a * a + b * b + c * c));
    }
};

// s of each bond; bits of bonds that are stretched beyond the limit are cleared.
struct Stretches : View<DIMENSIONS> {
    typedef Scalar Value;
    REAL limit;  // (1 + s0)² − 1
    unsigned word[WORDS], breakable[WORDS];

    DEVICE_MEMBER Scalar term(const int a, const int b, const int c, const int bit)
    {
        Sum eta;
        const REAL p = bond(plane[c + DEPTH] + b * WIDE + a, a, b, c, eta);
        const unsigned mask = 1u << (bit & 31);
        unsigned& bits = word[bit >> 5];
        if (p > limit) bits &= ~(mask & breakable[bit >> 5]);
        REAL s;
        shrink_of(p, s);
        return {bits & mask ? s : REAL(0)};
    }
};

// ((β_i + β_j) s + φ_i + φ_j)(ξ + η)/(1 + s) of each bond.
struct Forces : View<DIMENSIONS + 2> {
    typedef Sum Value;
    REAL state, stiffness;  // its own φ and β
    unsigned word[WORDS];

    DEVICE_MEMBER Sum term(const int a, const int b, const int c, const int bit)
    {
        const REAL* there = plane[c + DEPTH] + b * WIDE + a;
        Sum eta;
        REAL s;
        const REAL w = shrink_of(bond(there, a, b, c, eta), s);
        REAL g = fused(stiffness + there[(DIMENSIONS + 1) * PART], s, state + there[DIMENSIONS * PART]);
        const bool holds = word[bit >> 5] & 1u << (bit & 31);
        if (DIMENSIONS == 3) {
            g = mul(g, w);
            computed(g);
            g = holds ? g : REAL(0);
        } else  // where the compiler would fetch more ahead than it has registers for
            g = holds ? mul(g, w) : REAL(0);
        return {mul(g, REAL(a) + eta.x), mul(g, REAL(b) + eta.y), DIMENSIONS == 3 ? mul(g, REAL(c) + eta.z) : REAL(0)};
    }
};

template <class Seen>
DEVICE typename Seen::Value along_x(Seen& seen, const int a, const int b, const int c, const int bit)
{
    const typename Seen::Value first = seen.term(a, b, c, bit);
    return a ? first + seen.term(-a, b, c, bit + 1) : first;
}

template <class Seen>
DEVICE typename Seen::Value along_y(Seen& seen, const int a, const int b, const int c, const int bit)
{
    const typename Seen::Value first = along_x(seen, a, b, c, bit);
    return b ? first + along_x(seen, a, -b, c, bit + (a ? 2 : 1)) : first;
}

// The weighted sum over the family, in mirror orbits; weights lie in shared memory and are volatile, or the compiler
// keeps all of them in registers.
template <class Seen>
DEVICE typename Seen::Value over_family(Seen& seen, const volatile REAL* weights)
{
    typename Seen::Value total = {};
    int bit = 0, number = 0;
#pragma unroll
    for (int size = 8; size >= 2; size /= 2)
#pragma unroll
        for (int c = 0; c <= DEPTH; ++c)
#pragma unroll
            for (int b = 0; b <= REACH; ++b)
#pragma unroll
                for (int a = 0; a <= REACH; ++a)
                    if (is_near(a, b, c) && members(a, b, c) == size) {
                        typename Seen::Value orbit = along_y(seen, a, b, c, bit);
                        if (c) orbit = orbit + along_y(seen, a, b, -c, bit + size / 2);
                        total = weighted(weights[number], orbit, total);
                        bit += size;
                        ++number;
                    }
    return total;
}

// Plane z of the values around a block, into shared memory.
template <int PARTS>
DEVICE void load_plane(REAL* __restrict__ tile, const REAL* __restrict__ u, const REAL* __restrict__ state,
                       const REAL* __restrict__ stiffness, const Place& place, const int x0, const int y0, const int z)
{
    for (int i = threadIdx.y * ACROSS + threadIdx.x; i < PART; i += ACROSS * DOWN) {
        const int x = x0 + i % WIDE - REACH, y = y0 + i / WIDE - REACH;
        const bool inside = x < place.nx + REACH && y < place.ny + REACH;
        const long long at = place.at(x, y, z);
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) tile[k * PART + i] = inside ? u[k * place.size + at] : REAL(0);
        if (PARTS > DIMENSIONS) {
            tile[DIMENSIONS * PART + i] = inside ? state[at] : REAL(0);
            tile[(DIMENSIONS + 1) * PART + i] = inside ? stiffness[at] : REAL(0);
        }
    }
}

// A bond at rest and now, in double: p, s, 1/(1 + s) and ξ + η.
template <typename T> struct Bond {
    T x, y, z, s, w;
    DEVICE_MEMBER Bond(const REAL* __restrict__ u, const long long size, const long long at, const int* offset,
                       const T inverse_square)
    {
        const long long there = at + offset[3];
        const T ex = T(u[there]) - u[at], ey = T(u[size + there]) - u[size + at];
        const T ez = DIMENSIONS == 3 ? T(u[2 * size + there]) - u[2 * size + at] : T(0);
        x = offset[0] + ex;
        y = offset[1] + ey;
        z = offset[2] + ez;
        w = shrink_of((ex * (offset[0] + x) + ey * (offset[1] + y) + ez * (offset[2] + z)) * inverse_square, s);
    }
};

// Energy of half a step before that goes with the bonds of a particle that have just broken, for the last half kick was
// without them: its own energy less half of its rate, with those bonds and without.
DEVICE double lost(const REAL* __restrict__ u, const REAL* __restrict__ v, const long long size, const long long at,
                   const unsigned (&before)[WORDS], const unsigned (&after)[WORDS], const int* __restrict__ offsets,
                   const double* __restrict__ lengths, const double dilation, const double stiffness)
{
    double whole = 0, whole_rate = 0, left = 0, left_rate = 0, bonds = 0;
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        for (unsigned held = before[k]; held; held &= held - 1) {
            const int bit = __ffs((int)held) - 1;
            const int* offset = offsets + 4 * (32 * k + bit);
            const double* length = lengths + 3 * (32 * k + bit);
            const Bond<double> bond(u, size, at, offset, length[1]);
            const long long there = at + offset[3];
            double rate = bond.x * ((double)v[there] - v[at]) + bond.y * ((double)v[size + there] - v[size + at]);
            if (DIMENSIONS == 3) rate += bond.z * ((double)v[2 * size + there] - v[2 * size + at]);
            rate *= bond.w / length[0];
            const double e = bond.s * length[0], weight = length[2] * length[0];
            whole += weight * e;
            whole_rate += weight * rate;
            if (after[k] >> bit & 1u) {
                left += weight * e;
                left_rate += weight * rate;
            } else
                bonds += length[2] * e * (e - rate);
        }
    return 0.5 * (dilation * (whole * (whole - whole_rate) - left * (left - left_rate)) + stiffness * bonds);
}

// Blocks of (ACROSS, DOWN) threads in both passes; block (i, j, k) takes planes k span .. (k + 1) span − 1 one after the
// other.
extern "C" __global__ void __launch_bounds__(ACROSS* DOWN, RESIDENT) dilate(
    const REAL* __restrict__ u, const REAL* __restrict__ v, unsigned* __restrict__ words,
    const unsigned* __restrict__ breakable, const REAL* __restrict__ dilation, const REAL* __restrict__ stiffness,
    REAL* __restrict__ state, const REAL* __restrict__ weights, const int* __restrict__ offsets,
    const double* __restrict__ lengths, double* __restrict__ loss, const int nx, const int ny, const int nz, const int pitch,
    const int rows, const long long base, const long long size, const int span, const REAL limit)
{
    extern __shared__ REAL tiles[];
    const Place place = {nx, ny, nz, pitch, rows, base, size};
    const int x0 = blockIdx.x * ACROSS, y0 = blockIdx.y * DOWN, z0 = blockIdx.z * span, end = min(z0 + span, nz);
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    constexpr int WHOLE = DIMENSIONS * PART;
    for (int z = z0 - DEPTH; z < z0 + DEPTH; ++z)
        load_plane<DIMENSIONS>(tiles + (z + DEPTH) % PLANES * WHOLE, u, state, stiffness, place, x0, y0, z);
    REAL* own_weights = tiles + PLANES * WHOLE;
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
    if (thread < ORBITS) own_weights[thread] = weights[thread];
#pragma unroll 1
    for (int z = z0; z < end; ++z) {
        __syncthreads();
        REAL* next = tiles + (DEPTH ? (z + 2 * DEPTH) % PLANES : 0) * WHOLE;
        load_plane<DIMENSIONS>(next, u, state, stiffness, place, x0, y0, z + DEPTH);
        __syncthreads();
        if (x >= nx || y >= ny) continue;
        const long long at = place.at(x, y, z);
        Stretches seen;
        seen.begin(tiles, z);
        seen.limit = limit;
        unsigned before[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            before[k] = seen.word[k] = words[k * size + at];
            seen.breakable[k] = breakable[k * size + at];
        }
        const REAL sum = over_family(seen, own_weights).value;
        state[at] = mul(dilation[at], sum);
        unsigned changed = 0;
#pragma unroll
        for (int k = 0; k < WORDS; ++k) changed |= before[k] ^ seen.word[k];
        if (changed) {
            loss[at] += lost(u, v, size, at, before, seen.word, offsets, lengths, dilation[at], stiffness[at]);
#pragma unroll
            for (int k = 0; k < WORDS; ++k) words[k * size + at] = seen.word[k];
        }
    }
}

// table: (steps, kinds, 4, DIMENSIONS): acceleration, held or not, displacement, velocity; row: steps · kinds in front.
// kick: (1 + decay)/2, half of that in the first step of velocity Verlet; taken: (1 − decay)/(1 + decay)/2; pushes:
// (DIMENSIONS, size) what contact adds to a velocity in a step, or null.
extern "C" __global__ void __launch_bounds__(ACROSS* DOWN, RESIDENT) move(
    const REAL* __restrict__ u, REAL* __restrict__ u_out, REAL* __restrict__ v, const unsigned* __restrict__ words,
    const REAL* __restrict__ stiffness, const REAL* __restrict__ state, const unsigned char* __restrict__ kind,
    const REAL* __restrict__ table, const int row, const REAL* __restrict__ weights, double* __restrict__ work,
    double* __restrict__ damped, const int nx, const int ny, const int nz, const int pitch, const int rows,
    const long long base, const long long size, const int span, const REAL kick, const REAL decay, const double taken,
    const REAL* __restrict__ pushes)
{
    extern __shared__ REAL tiles[];
    const Place place = {nx, ny, nz, pitch, rows, base, size};
    const int x0 = blockIdx.x * ACROSS, y0 = blockIdx.y * DOWN, z0 = blockIdx.z * span, end = min(z0 + span, nz);
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    constexpr int WHOLE = (DIMENSIONS + 2) * PART;
    for (int z = z0 - DEPTH; z < z0 + DEPTH; ++z)
        load_plane<DIMENSIONS + 2>(tiles + (z + DEPTH) % PLANES * WHOLE, u, state, stiffness, place, x0, y0, z);
    REAL* own_weights = tiles + PLANES * WHOLE;
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
    if (thread < ORBITS) own_weights[thread] = weights[thread];
#pragma unroll 1
    for (int z = z0; z < end; ++z) {
        __syncthreads();
        REAL* next = tiles + (DEPTH ? (z + 2 * DEPTH) % PLANES : 0) * WHOLE;
        load_plane<DIMENSIONS + 2>(next, u, state, stiffness, place, x0, y0, z + DEPTH);
        __syncthreads();
        if (x >= nx || y >= ny) continue;
        const long long at = place.at(x, y, z);
        Forces seen;
        seen.begin(tiles, z);
        seen.state = seen.plane[DEPTH][DIMENSIONS * PART];
        seen.stiffness = seen.plane[DEPTH][(DIMENSIONS + 1) * PART];
#pragma unroll
        for (int k = 0; k < WORDS; ++k) seen.word[k] = words[k * size + at];
        const Sum sum = over_family(seen, own_weights);
        const int load = kind[at];
        const REAL pull[3] = {sum.x, sum.y, sum.z};
        double done = 0, rubbed = 0;
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) {
            const REAL before_v = v[k * size + at], own = seen.plane[DEPTH][k * PART];
            const REAL pushed = pushes ? pushes[k * size + at] : REAL(0);
            const REAL begun = pushes ? fused(kick, pushed, mul(decay, before_v)) : mul(decay, before_v);
            REAL after_v = fused(kick, pull[k], begun), after_u = own + after_v;
            bool held = false;
            if (load) {
                const REAL* loaded = table + (long long)(row + load) * (4 * DIMENSIONS) + k;
                const REAL given = loaded[0];
                held = loaded[DIMENSIONS] != REAL(0);
                after_v = held ? loaded[3 * DIMENSIONS] : fused(kick, given, after_v);
                after_u = held ? loaded[2 * DIMENSIONS] : own + after_v;
                const REAL force = held ? (after_v - before_v - pushed) - pull[k] : given;
                done += 0.5 * (double)force * ((double)before_v + (double)after_v);
            }
            v[k * size + at] = after_v;
            u_out[k * size + at] = after_u;
            const double twice = held ? 0.0 : (double)before_v + (double)after_v;
            rubbed = twice * twice + rubbed;
        }
        if (load) work[at] += done;
        if (decay != REAL(1)) damped[at] += taken * rubbed;
    }
}

// Σ ω|ξ|e and Σ ω e², of a bond or of all of a particle.
struct Stretched {
    REAL sum, square;
};
DEVICE Stretched operator+(const Stretched& a, const Stretched& b) { return {a.sum + b.sum, a.square + b.square}; }

// The next two run when somebody looks: broken bonds cost nothing, and nothing is unrolled.
// energy: (size), ½ γ S² + ½ β Σ ω|ξ|²s² of each particle; state: φ as it is now.
extern "C" __global__ void measure_energy(const REAL* __restrict__ u, const unsigned* __restrict__ words,
                                          const REAL* __restrict__ dilation, const REAL* __restrict__ stiffness,
                                          const int* __restrict__ offsets, const REAL* __restrict__ lengths,
                                          REAL* __restrict__ state, REAL* __restrict__ energy, const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    OrbitSum<Stretched> stretched;
    for (int k = 0; k < WORDS; ++k)
        for (unsigned left = words[k * size + at]; left; left &= left - 1) {
            const int bit = 32 * k + __ffs((int)left) - 1;
            const REAL* length = lengths + 3 * bit;
            const Bond<REAL> bond(u, size, at, offsets + 4 * bit, length[1]);
            const REAL weighted_length = mul(length[2] * length[0] * length[0], bond.s);
            stretched.add(bit, {weighted_length, mul(weighted_length, bond.s)});
        }
    const Stretched found = stretched.all();
    state[at] = dilation[at] * found.sum;
    energy[at] = REAL(0.5) * (dilation[at] * found.sum * found.sum + stiffness[at] * found.square);
}

// acceleration: (DIMENSIONS, size) of each particle by its bonds; state: φ of measure_energy.
extern "C" __global__ void measure_acceleration(const REAL* __restrict__ u, const unsigned* __restrict__ words,
                                                const REAL* __restrict__ stiffness, const REAL* __restrict__ state,
                                                const int* __restrict__ offsets, const REAL* __restrict__ lengths,
                                                REAL* __restrict__ acceleration, const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    OrbitSum<Sum> sum;
    for (int k = 0; k < WORDS; ++k)
        for (unsigned left = words[k * size + at]; left; left &= left - 1) {
            const int bit = 32 * k + __ffs((int)left) - 1;
            const int* offset = offsets + 4 * bit;
            const REAL* length = lengths + 3 * bit;
            const Bond<REAL> bond(u, size, at, offset, length[1]);
            const long long there = at + offset[3];
            const REAL both = (stiffness[at] + stiffness[there]) * bond.s + (state[at] + state[there]);
            const REAL g = length[2] * both * bond.w;
            sum.add(bit, {mul(g, bond.x), mul(g, bond.y), mul(g, bond.z)});
        }
    const Sum found = sum.all();
    acceleration[at] = found.x;
    acceleration[size + at] = found.y;
    if (DIMENSIONS == 3) acceleration[2 * size + at] = found.z;
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
