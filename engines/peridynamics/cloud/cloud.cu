// Bond-based peridynamics of irregular points: forces, breaking and one step in time in one pass.
//
//   η = u_j − u_i,  p = η·(2ξ + η)/|ξ|² = (1 + s)² − 1,  a_i = K/m_i Σ_j k_ij s/(1 + s) (ξ + η),  v += a,  u += v
//
// Lengths are mean distances of points, velocities that per step, k_ij = V_i V_j μ_i μ_j/|ξ|. A particle's record is its
// displacement and its place on a grid of ``unit``: 16 bytes in float, 32 in double. In space the three coordinates of
// the place share a word (10 or 21 bits each): only differences are used, none exceeds a horizon, so they come out
// exact however often the numbers have wrapped round. Both ends of a bond then compute the same p to the last bit and
// decide alike: nothing is exchanged.
//
// Bonds are in sliced columns (family.py): column k of particle i is at starts[i/32] + 32 k + i%32. LOCAL=1: a block brings
// the records of all its neighbours into shared memory, and a bond is 32 bits: the neighbour's number in the block's list
// and a weight of 16 bits. LOCAL=0 for families too large for that: 32 bits for the neighbour, 16 for the weight, read
// through the caches. A weight of 16 bits has 4 bits of exponent from 2^-8 on and 12 behind the point.
//
// u_out, v: (DIMENSIONS, size); words, breakable: (words, size), a bit for each column; kind: (size) 0 or the row of the
// table of loads; work, loss, damped: (size) double. Per bond and step 4 (6) bytes are read; per particle a record, v, its
// words and mass are read and a record, u and v written.
//
// variants: -DREAL=float -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=256; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=256; -DREAL=double -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=256; -DREAL=double -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=256; -DREAL=float -DDIMENSIONS=2 -DLOCAL=0 -DTHREADS=256; -DREAL=float -DDIMENSIONS=3 -DLOCAL=0 -DTHREADS=256; -DREAL=double -DDIMENSIONS=2 -DLOCAL=0 -DTHREADS=256; -DREAL=double -DDIMENSIONS=3 -DLOCAL=0 -DTHREADS=256; -DREAL=float -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=128; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=128; -DREAL=double -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=128; -DREAL=double -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=128; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=512
#define DEVICE static __device__ __forceinline__

constexpr int SLICE = 32;
// Blocks that a processor has room for: asked for so that no register is spilled on any architecture.
constexpr int BLOCKS = (sizeof(REAL) == 8 ? 512 : THREADS > 256 ? 512 : 768) / THREADS;

DEVICE float mul(float a, float b) { return __fmul_rn(a, b); }
DEVICE double mul(double a, double b) { return __dmul_rn(a, b); }
DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
DEVICE float reciprocal(float a) { return __fdividef(1.0f, a); }
DEVICE double reciprocal(double a) { return 1.0 / a; }

// s/(1 + s) of p = (1 + s)² − 1.
DEVICE float pull_of(float p)
{
    const float w = rsqrtf(1.0f + p);
    return mul(__fdividef(mul(p, w), 1.0f + w), w);
}
DEVICE double pull_of(double p)
{
    const double r = sqrt(1.0 + p);
    return p / (r * (1.0 + r));
}

template <typename T> struct Bits;
template <> struct Bits<float> { typedef unsigned Word; static constexpr int EACH = 10; };
template <> struct Bits<double> { typedef unsigned long long Word; static constexpr int EACH = 21; };
typedef Bits<REAL>::Word Word;
constexpr int EACH = Bits<REAL>::EACH;
constexpr unsigned HALF = 1u << (EACH - 1), MASK = (1u << EACH) - 1;

// The lowest EACH bits of a difference to which HALF was added, as an exact number with a sign.
DEVICE float apart(unsigned raised)
{
    return __uint_as_float((raised & MASK) | 0x4b000000u) - (8388608.0f + HALF);  // 2^23 + n has n in its lowest bits
}
DEVICE double apart(unsigned long long raised) { return double(int(unsigned(raised) & MASK) - int(HALF)); }

#if DIMENSIONS == 3
struct __align__(16) Record {
    REAL x, y, z;
    Word place;
};
#else
struct __align__(16) Record {
    REAL x, y;
    int a, b;
};
#endif

// The particle itself: its displacement, and its place such that a neighbour's less this one is ready for ``apart``.
struct Own {
    REAL x, y, z;
    Word a, b, c;
};

DEVICE Own own_of(const Record& record)
{
    Own own;
    own.x = record.x;
    own.y = record.y;
#if DIMENSIONS == 3
    own.z = record.z;
    own.a = record.place - HALF;
    own.b = (record.place >> EACH) - HALF;
    own.c = (record.place >> (2 * EACH)) - HALF;
#else
    own.z = REAL(0);
    own.a = Word(record.a);
    own.b = Word(record.b);
    own.c = 0;
#endif
    return own;
}

// A bond: ξ in grid steps, η, and p.
struct Bond {
    REAL a, b, c, x, y, z, p;
};

// inverse: 1/unit².
DEVICE Bond bond_of(const Own& own, const Record& there, const REAL unit, const REAL inverse)
{
    Bond bond;
    bond.x = there.x - own.x;
    bond.y = there.y - own.y;
#if DIMENSIONS == 3
    bond.z = there.z - own.z;
    bond.a = apart(there.place - own.a);
    bond.b = apart((there.place >> EACH) - own.b);
    bond.c = apart((there.place >> (2 * EACH)) - own.c);
#else
    bond.z = bond.c = REAL(0);
    bond.a = REAL(there.a - int(own.a));
    bond.b = REAL(there.b - int(own.b));
#endif
    const REAL twice = unit + unit;
    REAL q = mul(bond.y, fused(twice, bond.b, bond.y)), square = mul(bond.b, bond.b);
    if (DIMENSIONS == 3) {
        q = fused(bond.z, fused(twice, bond.c, bond.z), q);
        square = fused(bond.c, bond.c, square);
    }
    q = fused(bond.x, fused(twice, bond.a, bond.x), q);
    square = fused(bond.a, bond.a, square);
    bond.p = mul(mul(q, inverse), reciprocal(square));
    return bond;
}

DEVICE float weight_of(unsigned code) { return __uint_as_float((code << 11) + (119u << 23)); }

// The bonds of the particles of a block.
struct Bonds {
    const unsigned* local;           // LOCAL: (entries), number in the block's list, and the weight above it
    const int* neighbours;           // else: (entries)
    const unsigned short* weights;   // else: (entries)
    const Record* records;           // LOCAL: in shared memory; else all

    // at: entry of the bond. The neighbour's number in ``records``.
    __device__ __forceinline__ int number(long long at) const { return LOCAL ? int(local[at] & 0xffffu) : neighbours[at]; }
    __device__ __forceinline__ unsigned code(long long at) const { return LOCAL ? local[at] >> 16 : weights[at]; }
};

// Σ k (|ξ|² s² + 2 s/(1 + s) (ξ + η)·v) of the bonds that have just broken: their energy half a step ago, for the last
// half kick was without them.
DEVICE double lost(const Bonds& bonds, const Own& own, const long long first, unsigned gone, const REAL unit,
                   const REAL inverse, const double vx, const double vy, const double vz)
{
    double total = 0;
    for (; gone; gone &= gone - 1) {
        const long long at = first + SLICE * (__ffs((int)gone) - 1);
        const Bond bond = bond_of(own, bonds.records[bonds.number(at)], unit, inverse);
        const double a = double(unit) * bond.a, b = double(unit) * bond.b, c = double(unit) * bond.c;
        const double x = bond.x, y = bond.y, z = bond.z, square = a * a + b * b + c * c;
        const double p = (x * (2 * a + x) + y * (2 * b + y) + z * (2 * c + z)) / square;
        const double r = sqrt(1.0 + p), s = p / (1.0 + r);
        total += weight_of(bonds.code(at)) * (square * s * s + 2 * s / r * ((a + x) * vx + (b + y) * vy + (c + z) * vz));
    }
    return total;
}

// Blocks of THREADS particles. table: (steps, kinds, 4, DIMENSIONS): acceleration, held or not, displacement, velocity; row:
// steps · kinds in front. kick: (1 + decay)/2, half of that in the first step of velocity Verlet. list_starts: (blocks + 1).
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) step_cloud(
    const Record* __restrict__ records, Record* __restrict__ records_out, REAL* __restrict__ u_out, REAL* __restrict__ v,
    unsigned* __restrict__ words, const unsigned* __restrict__ breakable, const unsigned char* __restrict__ kind,
    const REAL* __restrict__ masses, const REAL* __restrict__ table, const int row, const long long* __restrict__ starts,
    const unsigned* __restrict__ local, const int* __restrict__ neighbours, const unsigned short* __restrict__ weights,
    const int* __restrict__ lists, const long long* __restrict__ list_starts, double* __restrict__ work,
    double* __restrict__ loss, double* __restrict__ damped, const int size, const REAL unit, const REAL inverse,
    const REAL stiffness, const REAL limit, const REAL kick, const REAL decay)
{
    extern __shared__ Record near[];
    if (LOCAL) {
        const long long from = list_starts[blockIdx.x];
        const int count = int(list_starts[blockIdx.x + 1] - from);
        for (int t = threadIdx.x; t < count; t += THREADS) near[t] = records[lists[from + t]];
        __syncthreads();
    }
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= size) return;
    const Bonds bonds = {local, neighbours, weights, LOCAL ? near : records};
    const Record mine = records[i];
    const Own own = own_of(mine);
    const long long start = starts[i / SLICE] + i % SLICE;
    const int columns = int(starts[i / SLICE + 1] - starts[i / SLICE]) / SLICE;
    REAL pull[3] = {REAL(0), REAL(0), REAL(0)};
    for (int first = 0; first < columns; first += 32) {
        const long long word_at = (long long)(first / 32) * size + i;
        const unsigned before = words[word_at];
        if (!before) continue;
        unsigned bits = before;
        const int last = min(32, columns - first);
        const long long base = start + (long long)first * SLICE;
#pragma unroll 4
        for (int k = 0; k < last; ++k) {
            const long long at = base + SLICE * k;
            const unsigned mask = 1u << k;
            const Bond bond = bond_of(own, bonds.records[bonds.number(at)], unit, inverse);
            if (bond.p > limit && (bits & mask)) bits &= ~(mask & breakable[word_at]);
            REAL g = mul(pull_of(bond.p), REAL(weight_of(bonds.code(at))));
            g = bits & mask ? g : REAL(0);  // also where there is no bond, and p not a number
            pull[0] = fused(g, fused(unit, bond.a, bond.x), pull[0]);
            pull[1] = fused(g, fused(unit, bond.b, bond.y), pull[1]);
            if (DIMENSIONS == 3) pull[2] = fused(g, fused(unit, bond.c, bond.z), pull[2]);
        }
        if (bits != before) {
            words[word_at] = bits;
            const REAL vz = DIMENSIONS == 3 ? v[2 * (long long)size + i] : REAL(0);
            loss[i] += 0.25 * stiffness * lost(bonds, own, base, before & ~bits, unit, inverse, v[i], v[size + i], vz);
        }
    }
    const int load = kind[i];
    const REAL mass = masses[i], share = stiffness / mass, here[3] = {own.x, own.y, own.z};
    REAL moved[3];
    double done = 0, rubbed = 0;
#pragma unroll
    for (int k = 0; k < DIMENSIONS; ++k) {
        const long long place = (long long)k * size + i;
        const REAL before = v[place];
        REAL after = fused(kick, mul(share, pull[k]), mul(decay, before));
        bool held = false;
        if (load) {
            const REAL* loaded = table + (long long)(row + load) * (4 * DIMENSIONS) + k;
            const REAL given = loaded[0];
            held = loaded[DIMENSIONS] != REAL(0);
            after = held ? loaded[3 * DIMENSIONS] : fused(kick, given, after);
            moved[k] = held ? loaded[2 * DIMENSIONS] : here[k] + after;
            const REAL force = held ? (after - before) - mul(share, pull[k]) : given;
            done += 0.5 * (double)force * ((double)before + (double)after);
        } else
            moved[k] = here[k] + after;
        if (decay != REAL(1) && !held) rubbed += ((double)before + (double)after) * ((double)before + (double)after);
        v[place] = after;
        u_out[place] = moved[k];
    }
    Record next = mine;
    next.x = moved[0];
    next.y = moved[1];
#if DIMENSIONS == 3
    next.z = moved[2];
#endif
    records_out[i] = next;
    if (load) work[i] += mass * done;
    if (decay != REAL(1)) damped[i] += 0.5 * mass * (1.0 - (double)decay) / (1.0 + (double)decay) * rubbed;
}

// records: (size) of u: (DIMENSIONS, size) and grid: (DIMENSIONS, size) places.
extern "C" __global__ void pack(const REAL* __restrict__ u, const int* __restrict__ grid, Record* __restrict__ records,
                                const int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    Record record;
    record.x = u[i];
    record.y = u[size + i];
#if DIMENSIONS == 3
    record.z = u[2 * (long long)size + i];
    const Word a = Word(grid[i]) & MASK, b = Word(grid[size + i]) & MASK, c = Word(grid[2 * (long long)size + i]) & MASK;
    record.place = a | b << EACH | c << (2 * EACH);
#else
    record.a = grid[i];
    record.b = grid[size + i];
#endif
    records[i] = record;
}

// energy: (size), ¼ K Σ k |ξ|² s² over the bonds that hold; kick: (DIMENSIONS, size), K/m Σ k s/(1 + s) (ξ + η). Runs when
// somebody looks.
extern "C" __global__ void measure(const Record* __restrict__ records, const unsigned* __restrict__ words,
                                   const REAL* __restrict__ masses, const long long* __restrict__ starts,
                                   const unsigned* __restrict__ local, const int* __restrict__ neighbours,
                                   const unsigned short* __restrict__ weights, const int* __restrict__ lists,
                                   const long long* __restrict__ list_starts, REAL* __restrict__ energy,
                                   REAL* __restrict__ kick, const int size, const REAL unit, const REAL inverse,
                                   const REAL stiffness)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const int* list = LOCAL ? lists + list_starts[i / THREADS] : nullptr;
    const Bonds bonds = {local, neighbours, weights, records};
    const Own own = own_of(records[i]);
    const long long start = starts[i / SLICE] + i % SLICE;
    const int columns = int(starts[i / SLICE + 1] - starts[i / SLICE]) / SLICE;
    double fx = 0, fy = 0, fz = 0, strain = 0;
    for (int first = 0; first < columns; first += 32)
        for (unsigned left = words[(long long)(first / 32) * size + i]; left; left &= left - 1) {
            const long long at = start + (long long)SLICE * (first + __ffs((int)left) - 1);
            const int number = bonds.number(at);
            const Bond bond = bond_of(own, records[LOCAL ? list[number] : number], unit, inverse);
            const double a = double(unit) * bond.a, b = double(unit) * bond.b, c = double(unit) * bond.c;
            const double x = bond.x, y = bond.y, z = bond.z, square = a * a + b * b + c * c;
            const double p = (x * (2 * a + x) + y * (2 * b + y) + z * (2 * c + z)) / square;
            const double r = sqrt(1.0 + p), s = p / (1.0 + r), weight = weight_of(bonds.code(at));
            strain += weight * square * s * s;
            fx += weight * s / r * (a + x);
            fy += weight * s / r * (b + y);
            fz += weight * s / r * (c + z);
        }
    const double share = double(stiffness) / masses[i];
    energy[i] = 0.25 * stiffness * strain;
    kick[i] = share * fx;
    kick[size + i] = share * fy;
    if (DIMENSIONS == 3) kick[2 * (long long)size + i] = share * fz;
}

// (1 − bonds that hold/bonds before any cut) of each place.
extern "C" __global__ void damage(const unsigned* __restrict__ words, const REAL* __restrict__ whole,
                                  REAL* __restrict__ out, const int count, const int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int intact = 0;
    for (int k = 0; k < count; ++k) intact += __popc(words[(long long)k * size + i]);
    const REAL bonds = whole[i];
    out[i] = bonds > REAL(0) ? REAL(1) - REAL(intact) / bonds : REAL(0);
}
