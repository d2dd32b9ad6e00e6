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
// row of the table of loads; work, loss: (size) double, touched where a load acts or a bond breaks. pushes: (DIMENSIONS,
// size) what contact adds to a velocity in a step, or null.
// Per particle and step: u, v, words, breakable and kind are read once, u, v and words written once.
//
// GENERAL: bonds are weighted (family.cuh); SOFTENING: beyond its limit a bond loses stiffness by a law. PUSHED: 1 where
// contact adds pushes to velocities (a test for null in every step costs 2 to 5 % of a body in 2D), else 0.
//
// variants: -DREAL=float -DDIMENSIONS=2 -DREACH=2 -DPUSHED=0; -DREAL=float -DDIMENSIONS=2 -DREACH=3 -DPUSHED=0; -DREAL=float -DDIMENSIONS=2 -DREACH=4 -DPUSHED=0; -DREAL=float -DDIMENSIONS=3 -DREACH=2 -DPUSHED=1; -DREAL=float -DDIMENSIONS=3 -DREACH=3 -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=2 -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=3 -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=4 -DPUSHED=1; -DREAL=double -DDIMENSIONS=3 -DREACH=2 -DPUSHED=0; -DREAL=double -DDIMENSIONS=3 -DREACH=3 -DPUSHED=0
// variants: -DREAL=float -DDIMENSIONS=2 -DREACH=2 -DGENERAL -DPUSHED=0; -DREAL=float -DDIMENSIONS=2 -DREACH=3 -DGENERAL -DPUSHED=1; -DREAL=float -DDIMENSIONS=2 -DREACH=4 -DGENERAL -DPUSHED=0; -DREAL=float -DDIMENSIONS=3 -DREACH=2 -DGENERAL -DPUSHED=0; -DREAL=float -DDIMENSIONS=3 -DREACH=3 -DGENERAL -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=2 -DGENERAL -DPUSHED=1; -DREAL=double -DDIMENSIONS=2 -DREACH=3 -DGENERAL -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=4 -DGENERAL -DPUSHED=0; -DREAL=double -DDIMENSIONS=3 -DREACH=2 -DGENERAL -DPUSHED=0; -DREAL=double -DDIMENSIONS=3 -DREACH=3 -DGENERAL -DPUSHED=1
// variants: -DREAL=float -DDIMENSIONS=2 -DREACH=2 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=float -DDIMENSIONS=2 -DREACH=3 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=float -DDIMENSIONS=2 -DREACH=4 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=float -DDIMENSIONS=3 -DREACH=2 -DGENERAL -DSOFTENING -DPUSHED=1; -DREAL=float -DDIMENSIONS=3 -DREACH=3 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=2 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=3 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=4 -DGENERAL -DSOFTENING -DPUSHED=1; -DREAL=double -DDIMENSIONS=3 -DREACH=2 -DGENERAL -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=3 -DREACH=3 -DGENERAL -DSOFTENING -DPUSHED=0
// variants: -DREAL=float -DDIMENSIONS=2 -DREACH=2 -DSOFTENING -DPUSHED=0; -DREAL=float -DDIMENSIONS=2 -DREACH=3 -DSOFTENING -DPUSHED=1; -DREAL=float -DDIMENSIONS=2 -DREACH=4 -DSOFTENING -DPUSHED=0; -DREAL=float -DDIMENSIONS=3 -DREACH=2 -DSOFTENING -DPUSHED=0; -DREAL=float -DDIMENSIONS=3 -DREACH=3 -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=2 -DSOFTENING -DPUSHED=1; -DREAL=double -DDIMENSIONS=2 -DREACH=3 -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=2 -DREACH=4 -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=3 -DREACH=2 -DSOFTENING -DPUSHED=0; -DREAL=double -DDIMENSIONS=3 -DREACH=3 -DSOFTENING -DPUSHED=1
// any: PUSHED
#include "peridynamics/lattice/family.cuh"

#ifdef SOFTENING
// The force-stretch law: what stands between these lines is replaced by the text of the law in use (material/laws/law.py).
// law
// Bilinear: from s0 = p[0] the force goes down on a line, to nothing at p[1].
DEVICE REAL law_damage(const REAL s, const REAL d, const REAL* p)
{
    const REAL found = REAL(1) - p[0] / s * ((p[1] - s) / (p[1] - p[0]));
    return s <= p[0] ? d : s >= p[1] ? REAL(1) : found > d ? found : d;
}
// end of law
#endif

struct Place {
    int nx, ny, nz, pitch, rows;
    long long base, size;
#ifdef GENERAL
    const unsigned* traits;
#endif
    DEVICE_MEMBER long long at(int x, int y, int z) const { return base + ((long long)z * rows + y) * pitch + x; }
};

// What is at a place, into shared memory; zeros where from < 0: there is nothing.
DEVICE void load(REAL* __restrict__ to, const REAL* __restrict__ u, const Place& place, const long long from)
{
#pragma unroll
    for (int k = 0; k < DIMENSIONS; ++k) to[k * PITCH] = from >= 0 ? u[k * place.size + from] : REAL(0);
#ifdef GENERAL
    if (place.traits) *reinterpret_cast<unsigned*>(to + DIMENSIONS * PITCH) = from >= 0 ? place.traits[from] : 0u;
#endif
}

// Of a bond: |ξ|, 1/|ξ|², weight, 1/|ξ|.
template <typename T> struct __align__(16) Numbers {
    T length, inverse_square, weight, along;
};
#ifdef SOFTENING
typedef Numbers<REAL> OfBond;
#else
typedef Numbers<double> OfBond;
#endif

// planes: of shared memory, plane_size apart; own: where the particle is in each.
DEVICE void begin(Surroundings& around, const REAL* planes, const int z, const int plane_size, const int own)
{
#pragma unroll
    for (int c = -DEPTH; c <= DEPTH; ++c)
        around.plane[c + DEPTH] = planes + (DEPTH ? (z + c + DEPTH) % PLANES : 0) * plane_size + own;
    const REAL* here = around.plane[DEPTH];
    around.x = here[0];
    around.y = here[PITCH];
    around.z = DIMENSIONS == 3 ? here[2 * PITCH] : REAL(0);
#ifdef GENERAL
    around.own = trait_of(here);
#endif
}

// Where neighbour (a, b, c) is, if that is known only now. The ring has wrapped planes anywhere, so they are looked through.
DEVICE const REAL* place_of(const Surroundings& around, const int a, const int b, const int c)
{
    const REAL* found = around.plane[DEPTH];
#pragma unroll
    for (int plane = -DEPTH; plane <= DEPTH; ++plane)
        if (plane == c) found = around.plane[plane + DEPTH];
    return found + b * LINE + a;
}

#ifndef SOFTENING
// Σ |ξ| s² + 2 s n·v of the bonds that have just broken: their energy half a step ago, for the last half kick was without
// them; offsets: (32 WORDS, 4), x, y, z of each bit and the way to that neighbour in memory; of_bonds: (32 WORDS).
DEVICE double lost(const Surroundings& around, const unsigned (&before)[WORDS], const int* __restrict__ offsets,
                   const OfBond* __restrict__ of_bonds, const double vx, const double vy, const double vz)
{
    double total = 0;
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        for (unsigned gone = before[k] & ~around.word[k]; gone; gone &= gone - 1) {
            const int bit = __ffs((int)gone) - 1;
            const int* offset = offsets + 4 * (32 * k + bit);
            const int a = offset[0], b = offset[1], c = offset[2];
            const REAL* there = place_of(around, a, b, c);
            const OfBond bond = of_bonds[32 * k + bit];
            const double length = bond.length, inverse_square = bond.inverse_square;
            const double ex = there[0] - around.x, ey = there[PITCH] - around.y;
            const double ez = DIMENSIONS == 3 ? there[2 * PITCH] - around.z : REAL(0);
            const double p = (ex * (2 * a + ex) + ey * (2 * b + ey) + ez * (2 * c + ez)) * inverse_square;
            double s;
            const double g = pull_of(p, s) * length * inverse_square;
            const double energy = length * s * s + 2 * g * ((a + ex) * vx + (b + ey) * vy + (c + ez) * vz);
#ifdef GENERAL
            REAL limit;
            total += energy * around.weighing.of(REAL(bond.weight), around.own, trait_of(there), limit);
#else
            total += energy;
#endif
        }
    return total;
}
#else
// Bonds that have begun to soften. soft: (WORDS, size), a bit per bond; damage: (BONDS, size), read and written for these
// alone; laws: (materials, materials, law_size) parameters of each pair.
struct Softening {
    unsigned* __restrict__ soft;
    REAL* __restrict__ damage;
    const REAL* __restrict__ laws;
    int law_size;
};

// The damages of a particle's bonds in the order of their bits. While some are taken the next ones come from memory: as many
// at once, for a value that moves up from register to register is waited for.
struct Damages {
    static constexpr int AT_ONCE = DIMENSIONS == 3 ? 8 : 4;
    const REAL* first;  // of bit 0, the next one `size` further
    unsigned size, left;
    REAL here[AT_ONCE], coming[AT_ONCE];

    DEVICE_MEMBER REAL* at(const int bit) const { return const_cast<REAL*>(first) + (unsigned long long)size * (unsigned)bit; }
    DEVICE_MEMBER void ask()
    {
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            coming[k] = *at(left ? __ffs((int)left) - 1 : 0);  // without a branch
            left &= left - 1;
        }
    }
    // The one of this number, from 0 on, each in turn.
    DEVICE_MEMBER REAL take(const int number)
    {
        if (number % AT_ONCE == 0) {
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) here[k] = coming[k];
            ask();
        }
        REAL found = here[0];
#pragma unroll
        for (int k = 1; k < AT_ONCE; ++k) found = number % AT_ONCE == k ? here[k] : found;
        return found;
    }
};

// Adds s n of the softened bonds to the total, in mirror orbits; asked: what to look at, v: the particle's velocity. A bond
// that has lost all is gone from words and soft; what bonds lost is as in lost(). One loop has the only copy of a bond, so
// that both ends round alike. Where neighbours are is worked out anew from `own`, where the particle is in a plane:
// registers for it would be missed.
DEVICE void soften(Sum& total, const Surroundings& around, const unsigned (&asked)[WORDS], const Softening& softening,
                  const REAL* planes, const int z, const int plane_size, const int own, unsigned* __restrict__ words,
                  const int* __restrict__ offsets, const OfBond* __restrict__ of_bonds, const long long at,
                  const long long size, const Sum& v, double* __restrict__ loss, const REAL stiffness)
{
    const int middle = DEPTH ? z % PLANES : 0;
    OrbitSum<Sum> sum(total);
    REAL lost = 0;
#pragma unroll 1
    for (int k = 0; k < WORDS; ++k) {
        unsigned left = asked[0], gone = 0;
#pragma unroll
        for (int word = 1; word < WORDS; ++word) left = k == word ? asked[word] : left;
        if (!left) continue;
        softening.soft[k * size + at] = left;
        Damages damages = {softening.damage + 32 * k * size + at, (unsigned)size, left};
        damages.ask();
#pragma unroll 1
        for (int number = 0; left; left &= left - 1, ++number) {
            const int place = __ffs((int)left) - 1, bit = 32 * k + place;
            const REAL was = damages.take(number);
            const int4 offset = reinterpret_cast<const int4*>(offsets)[bit];
            const OfBond bond = of_bonds[bit];
            int plane = middle + offset.z + DEPTH;
            if (plane >= PLANES) plane -= PLANES;
            const REAL* there = planes + plane * plane_size + own + offset.y * LINE + offset.x;
            const REAL a = REAL(offset.x), b = REAL(offset.y), c = REAL(offset.z);
            const REAL ex = there[0] - around.x, ey = there[PITCH] - around.y;
            const REAL ez = DIMENSIONS == 3 ? there[2 * PITCH] - around.z : REAL(0);
            REAL q = mul(ey, b + b + ey);
            if (DIMENSIONS == 3) q = fused(ez, c + c + ez, q);
            q = fused(ex, a + a + ex, q);
            REAL s, g = pull_of(mul(q, bond.inverse_square), s);
#ifdef GENERAL
            const unsigned other = trait_of(there);
            REAL limit;
            const REAL weight = around.weighing.of(bond.weight, around.own, other, limit);
#else
            const REAL weight = bond.weight;
#endif
            const REAL nx = a + ex, ny = b + ey, nz = DIMENSIONS == 3 ? c + ez : REAL(0);
            if (s > REAL(0)) {  // in compression a crack is closed: the bond is whole
                const REAL* law = softening.laws;
#ifdef GENERAL
                if (around.weighing.materials > 1) law += around.weighing.pair_of(around.own, other) * softening.law_size;
#endif
                REAL now = law_damage(s, was, law);
                now = now > was ? now : was;
                if (now >= REAL(1)) {
                    now = REAL(1);
                    gone |= left & -left;
                }
                if (now > was) {
                    *damages.at(place) = now;
                    const REAL moved = fused(nx, v.x, fused(ny, v.y, nz * v.z));
                    lost += weight * (now - was) * fused(bond.length * s, s, REAL(2) * g * bond.along * moved);
                }
                g = mul(g, REAL(1) - now);
            }
            const REAL force = mul(mul(g, weight), bond.along);
            sum.add(bit, {mul(force, nx), mul(force, ny), DIMENSIONS == 3 ? mul(force, nz) : REAL(0)});
        }
        if (gone) {
            words[k * size + at] &= ~gone;
            softening.soft[k * size + at] &= ~gone;
        }
    }
    total = sum.all();
    if (lost != REAL(0)) loss[at] += 0.25 * stiffness * lost;
}
#endif

// All that a step is told. table: (steps, kinds, 4, DIMENSIONS): acceleration of a particle of mass 1, held or not,
// displacement, velocity; row: steps · kinds in front. kick: (1 + decay)/2, half of that in the first step of velocity Verlet.
// traits: (size), or none; weights, pairs: Weighing; lightness: (materials) 1 over the mass of a particle.
struct Step {
    REAL *u_out, *v;
    unsigned* words;
    const unsigned* breakable;
    const unsigned char* kind;
    const REAL* table;
    int row;
    const int* offsets;
    const OfBond* of_bonds;
    double *work, *loss, *damped;
    REAL stiffness, limit, kick, decay;
    const REAL* pushes;
#ifdef WEIGHTED
    const REAL* weights;
#endif
#ifdef GENERAL
    const REAL *pairs, *lightness;
    int materials, corrected;
#endif
#ifdef SOFTENING
    unsigned* soft;
    REAL* damage;
    const REAL* laws;
    int law_size;
#endif

    // The particle at place `at`. lanes: those of its warp that take one (2D).
    DEVICE_MEMBER void take(const REAL* planes, const int z, const int plane_size, const int own_at, const long long at,
                            const long long size, const unsigned lanes) const
    {
        Surroundings around;
        begin(around, planes, z, plane_size, own_at);
        around.limit = limit;
#ifdef WEIGHTED
        around.weights = weights;
#endif
#ifdef GENERAL
        around.weighing = {pairs, materials, corrected};
#endif
        unsigned before[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            before[k] = around.word[k] = words[k * size + at];
#ifdef SOFTENING
            around.word[k] &= ~soft[k * size + at];
#endif
            around.breakable[k] = breakable[k * size + at];
        }
        Sum sum = around.pull(lanes);
        unsigned changed = 0;
#pragma unroll
        for (int k = 0; k < WORDS; ++k) changed |= before[k] ^ around.word[k];
        if (changed) {
#ifdef SOFTENING
            unsigned asked[WORDS];
#pragma unroll
            for (int k = 0; k < WORDS; ++k) asked[k] = before[k] & ~around.word[k];
            const Sum speed = {v[at], v[size + at], DIMENSIONS == 3 ? v[2 * size + at] : REAL(0)};
            const Softening softening = {soft, damage, laws, law_size};
            soften(sum, around, asked, softening, planes, z, plane_size, own_at, words, offsets, of_bonds, at, size, speed,
                   loss, stiffness);
#else
            const REAL vz = DIMENSIONS == 3 ? v[2 * size + at] : REAL(0);
            loss[at] += 0.25 * stiffness * lost(around, before, offsets, of_bonds, v[at], v[size + at], vz);
#pragma unroll
            for (int k = 0; k < WORDS; ++k) words[k * size + at] = around.word[k];
#endif
        }
        const int load = kind[at];
        const REAL pull[3] = {sum.x, sum.y, sum.z}, here[3] = {around.x, around.y, around.z};
#ifdef GENERAL
        const REAL light = materials > 1 ? lightness[around.own & MATERIAL] : REAL(1);
#else
        const REAL light = REAL(1);
#endif
        double done = 0, rubbed = 0;
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) {
            const REAL before_v = v[k * size + at], push = mul(stiffness, pull[k]);
            const REAL pushed = PUSHED ? pushes[k * size + at] : REAL(0);
            const REAL begun = PUSHED ? fused(kick, pushed, mul(decay, before_v)) : mul(decay, before_v);
            REAL after_v = fused(kick, mul(push, light), begun), after_u;
            bool held = false;
            if (load) {
                const REAL* loaded = table + (long long)(row + load) * (4 * DIMENSIONS) + k;
                const REAL given = loaded[0];
                held = loaded[DIMENSIONS] != REAL(0);
                after_v = held ? loaded[3 * DIMENSIONS] : fused(kick, mul(given, light), after_v);
                after_u = held ? loaded[2 * DIMENSIONS] : here[k] + after_v;
                const REAL force = held ? (after_v - before_v - pushed) / light - push : given;
                done += 0.5 * (double)force * ((double)before_v + (double)after_v);
            } else
                after_u = here[k] + after_v;
            if (decay != REAL(1) && !held) {
                const double twice = (double)before_v + (double)after_v;
                rubbed += twice * twice;
            }
            v[k * size + at] = after_v;
            u_out[k * size + at] = after_u;
        }
        if (load) work[at] += done;
        if (decay != REAL(1)) damped[at] += 0.5 * (1.0 - (double)decay) / ((1.0 + (double)decay) * light) * rubbed;
    }
};

#ifndef MANY_STEPS  // small/steps.cu has a kernel of its own
// A block of THREADS threads takes tiles of `columns` by THREADS / columns particles: in 2D `span` of them one above the other,
// in 3D one in each of the planes k span .. (k + 1) span − 1, with a ring of planes around it.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) step_bonds(
    const REAL* __restrict__ u, REAL* __restrict__ u_out, REAL* __restrict__ v, unsigned* __restrict__ words,
    const unsigned* __restrict__ breakable, const unsigned char* __restrict__ kind, const REAL* __restrict__ table,
    const int row, const int* __restrict__ offsets, const OfBond* __restrict__ of_bonds, double* __restrict__ work,
    double* __restrict__ loss, double* __restrict__ damped, const int nx, const int ny, const int nz, const int pitch,
    const int rows, const long long base, const long long size, const int span, const REAL stiffness, const REAL limit,
    const REAL kick, const REAL decay, const int columns, const REAL* __restrict__ pushes
#ifdef WEIGHTED
    ,
    const REAL* __restrict__ weights
#endif
#ifdef GENERAL
    ,
    const unsigned* __restrict__ traits, const REAL* __restrict__ pairs, const REAL* __restrict__ lightness,
    const int materials, const int corrected
#endif
#ifdef SOFTENING
    ,
    unsigned* __restrict__ soft, REAL* __restrict__ damage, const REAL* __restrict__ laws, const int law_size
#endif
)
{
    extern __shared__ REAL tiles[];
#ifdef GENERAL
    const Place place = {nx, ny, nz, pitch, rows, base, size, traits};
#else
    const Place place = {nx, ny, nz, pitch, rows, base, size};
#endif
    const Step step = {u_out, v, words, breakable, kind, table, row, offsets, of_bonds, work, loss, damped, stiffness, limit, kick,
                       decay, pushes,
#ifdef WEIGHTED
                       weights,
#endif
#ifdef GENERAL
                       pairs, lightness, materials, corrected,
#endif
#ifdef SOFTENING
                       soft, damage, laws, law_size,
#endif
    };
    const int high = THREADS / columns, wide = columns + 2 * REACH, t = threadIdx.x;
    const int column = t % columns, line = t / columns, own = (line + REACH) * LINE + column + REACH;
    const int x0 = blockIdx.x * columns, x = x0 + column;
    const bool mine = x < nx && line < high;
#if DIMENSIONS == 2
    const int y0 = blockIdx.y * high * span;
    for (int i = t; i < wide * (high * span + 2 * REACH); i += THREADS) {
        const int c = i % wide, r = i / wide;
        const bool inside = x0 + c < nx + 2 * REACH && y0 + r < ny + 2 * REACH;
        load(tiles + r * LINE + c, u, place, inside ? place.at(x0 + c - REACH, y0 + r - REACH, 0) : -1);
    }
    __syncthreads();
#pragma unroll 1
    for (int part = 0, y = y0 + line; part < span; ++part, y += high) {
        const unsigned lanes = __ballot_sync(~0u, mine && y < ny);
        if (mine && y < ny) step.take(tiles + part * high * LINE, 0, 0, own, place.at(x, y, 0), size, lanes);
    }
#else
    const int y0 = blockIdx.y * high, y = y0 + line, tall = high + 2 * REACH, plane_size = tall * LINE;
    const int z0 = blockIdx.z * span, end = min(z0 + span, nz);
    int to[LOADS];
    long long from[LOADS];  // in plane 0
#pragma unroll
    for (int l = 0; l < LOADS; ++l) {
        const int i = t + l * THREADS, c = i % wide, r = i / wide;
        const bool inside = x0 + c < nx + 2 * REACH && y0 + r < ny + 2 * REACH;
        to[l] = i < wide * tall ? r * LINE + c : -1;
        from[l] = inside ? place.at(x0 + c - REACH, y0 + r - REACH, 0) : -1;
    }
    const auto load_plane = [&](const int z) {
        REAL* tile = tiles + (z + DEPTH) % PLANES * plane_size;
        const long long there = (long long)z * rows * pitch;
#pragma unroll
        for (int l = 0; l < LOADS; ++l)
            if (to[l] >= 0) load(tile + to[l], u, place, from[l] >= 0 ? from[l] + there : -1);
    };
    for (int z = z0 - DEPTH; z < z0 + DEPTH; ++z) load_plane(z);
#pragma unroll 1
    for (int z = z0; z < end; ++z) {
        __syncthreads();
        load_plane(z + DEPTH);
        __syncthreads();
        if (mine && y < ny) step.take(tiles, z, plane_size, own, place.at(x, y, z), size, 0u);
    }
#endif
}

// Of a bond, or of all of a particle: s n and |ξ| s².
struct Watched {
    REAL x, y, z, strain;
};
DEVICE Watched operator+(const Watched& a, const Watched& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.strain + b.strain};
}

// energy: (size), ¼ K Σ |ξ| s² over the bonds of each particle; kick: (DIMENSIONS, size), K Σ s n over its mass. Bonds that are
// broken cost nothing, and nothing is unrolled: this runs when somebody looks.
extern "C" __global__ void measure(const REAL* __restrict__ u, const unsigned* __restrict__ words,
                                   const int* __restrict__ offsets, const Numbers<REAL>* __restrict__ of_bonds,
                                   REAL* __restrict__ energy, REAL* __restrict__ kick, const long long size,
                                   const REAL stiffness
#ifdef GENERAL
                                   ,
                                   const unsigned* __restrict__ traits, const REAL* __restrict__ pairs,
                                   const REAL* __restrict__ lightness, const int materials, const int corrected
#endif
#ifdef SOFTENING
                                   ,
                                   const unsigned* __restrict__ soft, const REAL* __restrict__ damage
#endif
)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    OrbitSum<Watched> sum;
    REAL light = 1;
#ifdef GENERAL
    const Weighing weighing = {pairs, materials, corrected};
    const unsigned own = traits ? traits[at] : 0u;
    if (materials > 1) light = lightness[own & MATERIAL];
#endif
    for (int k = 0; k < WORDS; ++k)
        for (unsigned left = words[k * size + at]; left; left &= left - 1) {
            const int bit = 32 * k + __ffs((int)left) - 1;
            const int* offset = offsets + 4 * bit;
            const long long there = at + offset[3];
            const Numbers<REAL> bond = of_bonds[bit];
            const REAL ex = u[there] - u[at], ey = u[size + there] - u[size + at];
            const REAL ez = DIMENSIONS == 3 ? u[2 * size + there] - u[2 * size + at] : REAL(0);
            const REAL a = offset[0], b = offset[1], c = offset[2];
            const REAL p = (ex * (2 * a + ex) + ey * (2 * b + ey) + ez * (2 * c + ez)) * bond.inverse_square;
            REAL s, g = pull_of(p, s), weight = bond.weight;
#ifdef GENERAL
            REAL limit;
            weight = weighing.of(weight, own, traits ? traits[there] : 0u, limit);
#endif
#ifdef SOFTENING
            if (s > 0 && (soft[k * size + at] >> (bit & 31) & 1u)) weight *= REAL(1) - damage[bit * size + at];
#endif
            g *= weight * bond.along;
            sum.add(bit, {mul(g, a + ex), mul(g, b + ey), mul(g, c + ez), mul(mul(weight * bond.length, s), s)});
        }
    const Watched found = sum.all();
    energy[at] = REAL(0.25) * stiffness * found.strain;
    kick[at] = stiffness * light * found.x;
    kick[size + at] = stiffness * light * found.y;
    if (DIMENSIONS == 3) kick[2 * size + at] = stiffness * light * found.z;
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
#endif
