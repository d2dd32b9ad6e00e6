// Bond-based peridynamics of irregular points: forces, breaking and one step in time in one pass.
//
//   η = u_j − u_i,  q = η·(2ξ + η) = |ξ|² ((1 + s)² − 1),  a_i = K/m_i Σ_j k_ij s/(1 + s) (ξ + η),  v += a,  u += v
//
// Lengths are mean distances of points, velocities that per step, k_ij = V_i V_j μ_i μ_j/|ξ|. A particle is its
// displacement and its place on a grid of ``unit``, whole numbers: only their differences are used, which are exact, so that
// both ends of a bond compute the same q to the last bit and decide alike: nothing is exchanged.
//
// Bonds are in sliced columns (family.py), four at a time: column k of particle i is at starts[i/32] + 32 (k − k%4) + 4 (i%32)
// + k%4. LOCAL=1: a block brings all its neighbours into shared memory, and a bond is 32 bits: eight times the neighbour's
// number in the block's list, and below it a weight of 16 bits. LOCAL=0 for families too large for that: 32 bits for the
// neighbour, 16 for the weight, read through the caches. A weight of 16 bits has 4 bits of exponent from 2^-8 on and 12 behind
// the point.
//
// MATERIALS: bonds belong to one of eight classes, each with a limit of its own; a bond has the number of its class below that
// of its neighbour (LOCAL=0: above it). A particle compares with the least limit of its bonds first, so that a bond costs
// nothing more where all of them are of one class or far from breaking.
//
// records: (size) displacement and place, in 3D without its last two coordinates, which are in beside: (size).
// u_out, v: (DIMENSIONS, size); words, breakable: (words, size), a bit for each column; kind: (size) 0 or the row of the
// table of loads; work, loss, damped: (size) double. Per bond and step 4 (6) bytes are read; per particle a place, v, its
// words and mass are read and a record, u and v written.
//
// variants: -DREAL=float -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=256; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=256; -DREAL=double -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=256; -DREAL=double -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=256; -DREAL=float -DDIMENSIONS=2 -DLOCAL=0 -DTHREADS=256; -DREAL=float -DDIMENSIONS=3 -DLOCAL=0 -DTHREADS=256; -DREAL=double -DDIMENSIONS=2 -DLOCAL=0 -DTHREADS=256; -DREAL=double -DDIMENSIONS=3 -DLOCAL=0 -DTHREADS=256; -DREAL=float -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=128; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=128; -DREAL=double -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=128; -DREAL=double -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=128
// variants: -DREAL=float -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=256 -DMATERIALS; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=256 -DMATERIALS; -DREAL=double -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=256 -DMATERIALS; -DREAL=double -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=256 -DMATERIALS; -DREAL=float -DDIMENSIONS=2 -DLOCAL=0 -DTHREADS=256 -DMATERIALS; -DREAL=float -DDIMENSIONS=3 -DLOCAL=0 -DTHREADS=256 -DMATERIALS; -DREAL=double -DDIMENSIONS=2 -DLOCAL=0 -DTHREADS=256 -DMATERIALS; -DREAL=double -DDIMENSIONS=3 -DLOCAL=0 -DTHREADS=256 -DMATERIALS; -DREAL=float -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=128 -DMATERIALS; -DREAL=float -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=128 -DMATERIALS; -DREAL=double -DDIMENSIONS=2 -DLOCAL=1 -DTHREADS=128 -DMATERIALS; -DREAL=double -DDIMENSIONS=3 -DLOCAL=1 -DTHREADS=128 -DMATERIALS
#include "peridynamics/cloud/rows.cuh"

#define DEVICE static __device__ __forceinline__

#ifdef MATERIALS
constexpr bool SEVERAL = true;
#else
constexpr bool SEVERAL = false;
#endif
constexpr unsigned NUMBER = SEVERAL ? (1u << CLASS_FROM) - 1 : ~0u;  // LOCAL=0: the bits of a neighbour's number
constexpr int TOGETHER = sizeof(REAL) == 8 ? 1 : 4;  // bonds computed side by side: as many as registers hold
constexpr int AHEAD = 4;  // fours of bonds that are called from memory before they are read
// Blocks that a processor has room for: asked for so that no register is spilled on any architecture. 32 warps instead of 24
// took 86 us instead of 100 in 2D on one H200; from sm_100 on the compiler wants a few registers more than they leave.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr bool MANY = false;
#else
constexpr bool MANY = DIMENSIONS == 2 && LOCAL;
#endif
constexpr int BLOCKS = (sizeof(REAL) == 8 || (SEVERAL && !LOCAL) ? 512 : MANY ? 1024 : 768) / THREADS;

DEVICE float mul(float a, float b) { return __fmul_rn(a, b); }
DEVICE double mul(double a, double b) { return __dmul_rn(a, b); }
DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

// s/(1 + s) = q/(y + √(y |ξ|²)) of q and y = |ξ|² + q = |ξ + η|²; square: |ξ|² in grid steps.
DEVICE float pull_of(float q, float square, float unit)
{
    const float y = fused(mul(unit, unit), square, q), product = mul(y, square);
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(product));
#else
    const float root = sqrtf(product);
#endif
    return __fdividef(q, fused(unit, root, y));
}
DEVICE double pull_of(double q, double square, double unit)
{
    const double y = fused(mul(unit, unit), square, q);
    return q / fused(unit, sqrt(mul(y, square)), y);
}

// s of (1 + s)² − 1.
DEVICE float stretch_of(float p) { return __fdividef(p, 1.0f + sqrtf(1.0f + p)); }
DEVICE double stretch_of(double p) { return p / (1.0 + sqrt(1.0 + p)); }

template <typename T> struct Vectors;
template <> struct Vectors<float> {
    typedef float4 Four;
    typedef float2 Two;
};
template <> struct Vectors<double> {
    struct __align__(16) Four {
        double x, y, z, w;
    };
    typedef double2 Two;
};
typedef Vectors<REAL>::Four Record;  // x, y, z, a in 3D, x, y, a, b in 2D
typedef Vectors<REAL>::Two Beside;   // b, c
static_assert(sizeof(Record) % CLASSES == 0 && sizeof(Beside) % CLASSES == 0, "a way in bytes is a number times this");

// Displacement x, y, z and place a, b, c in grid steps.
struct Point {
    REAL x, y, z, a, b, c;
};

DEVICE Point point_of(const Record& record, const Beside* beside, int number)
{
    if (DIMENSIONS == 2) return {record.x, record.y, REAL(0), record.z, record.w, REAL(0)};
    const Beside rest = beside[number];
    return {record.x, record.y, record.z, record.w, rest.x, rest.y};
}

// A bond: η, ξ in grid steps, q, and |ξ|² in grid steps.
struct Bond {
    REAL x, y, z, a, b, c, q, square;
};

DEVICE Bond bond_of(const Point& own, const Point& there, const REAL unit)
{
    Bond bond;
    bond.x = there.x - own.x;
    bond.y = there.y - own.y;
    bond.z = there.z - own.z;
    bond.a = there.a - own.a;
    bond.b = there.b - own.b;
    bond.c = there.c - own.c;
    const REAL twice = unit + unit;
    REAL q = mul(bond.y, fused(twice, bond.b, bond.y)), square = mul(bond.b, bond.b);
    if (DIMENSIONS == 3) {
        q = fused(bond.z, fused(twice, bond.c, bond.z), q);
        square = fused(bond.c, bond.c, square);
    }
    bond.q = fused(bond.x, fused(twice, bond.a, bond.x), q);
    bond.square = fused(bond.a, bond.a, square);
    return bond;
}

// A copy that the compiler takes for another number: what is worked out from it, and seldom wanted, holds no registers before.
#ifdef __CUDA_ARCH__
DEVICE float afresh(float number) { asm volatile("" : "+f"(number)); return number; }
DEVICE double afresh(double number) { asm volatile("" : "+d"(number)); return number; }
#else
DEVICE REAL afresh(REAL number) { return number; }
#endif

DEVICE float weight_of(unsigned code) { return __uint_as_float((code << (23 - MANTISSA)) + (unsigned(LOWEST) << 23)); }

// Four bonds of a particle: numbers of the neighbours, and codes of weights.
struct Bonds4 {
    uint4 numbers;
    ushort4 codes;  // LOCAL=0

    __device__ __forceinline__ unsigned held(int k) const { return k == 0 ? numbers.x : k == 1 ? numbers.y : k == 2 ? numbers.z : numbers.w; }
    __device__ __forceinline__ int number(int k) const { return LOCAL ? int(held(k) >> LISTED_FROM) : int(held(k) & NUMBER); }
    __device__ __forceinline__ int class_of(int k) const
    {
        return LOCAL ? int(held(k) >> WEIGHT_BITS & (CLASSES - 1u)) : int(held(k) >> CLASS_FROM);
    }
    __device__ __forceinline__ float weight(int k) const
    {
        return weight_of(LOCAL ? held(k) & ((1u << WEIGHT_BITS) - 1) : k == 0 ? codes.x : k == 1 ? codes.y : k == 2 ? codes.z : codes.w);
    }
};

struct Bonds {
    const uint4* local;       // LOCAL: (entries/4), 8 · number in the block's list + class, and below it the weight
    const uint4* neighbours;  // else: (entries/4), class and number
    const ushort4* weights;   // else: (entries/4)

    __device__ __forceinline__ Bonds4 four(long long at) const
    {
        Bonds4 found;
        found.numbers = LOCAL ? local[at] : neighbours[at];
        if (!LOCAL) found.codes = weights[at];
        return found;
    }
    // Into the second-level cache.
    __device__ __forceinline__ void fetch(long long at) const
    {
#ifdef __CUDA_ARCH__
        asm volatile("prefetch.global.L2 [%0];" ::"l"(LOCAL ? local + at : neighbours + at));
        if (!LOCAL) asm volatile("prefetch.global.L2 [%0];" ::"l"(weights + at));
#endif
    }
};

// Points that bonds lead to: those of a block in shared memory, or all.
struct Points {
    const Record* records;
    const Beside* beside;

    __device__ __forceinline__ Point operator[](int number) const { return point_of(records[number], beside, number); }
    // The other end of a bond. A number times eight is the way to it in bytes but for a factor.
    __device__ __forceinline__ Point at(const Bonds4& four, int k) const
    {
        if (!LOCAL) return (*this)[four.number(k)];
        const unsigned held = four.held(k) >> WEIGHT_BITS, eights = SEVERAL ? held & ~(CLASSES - 1u) : held;
        const Record record = *(const Record*)((const char*)records + eights * unsigned(sizeof(Record) / CLASSES));
        return point_of(record, (const Beside*)((const char*)beside + eights * unsigned(sizeof(Beside) / CLASSES)), 0);
    }
};

// Length and change of a bond in double.
struct Exact {
    double x, y, z, square, s;  // ξ + η, |ξ|², stretch
};

DEVICE Exact exact(const Bond& bond, const double unit)
{
    const double a = unit * bond.a, b = unit * bond.b, c = unit * bond.c;
    const double x = bond.x, y = bond.y, z = bond.z, square = a * a + b * b + c * c;
    const double p = (x * (2 * a + x) + y * (2 * b + y) + z * (2 * c + z)) / square;
    return {a + x, b + y, c + z, square, stretch_of(p)};
}

// Σ k (|ξ|² s² + 2 s/(1 + s) (ξ + η)·v) of the bonds that have just broken: their energy half a step ago, for the last
// half kick was without them. first: of the particle's bonds in fours; the lowest bit of ``gone`` is column ``column``.
DEVICE double lost(const Bonds& bonds, const Points& points, const Point& own, const long long first, const int column,
                   unsigned gone, const REAL unit, const double vx, const double vy, const double vz)
{
    double total = 0;
    for (; gone; gone &= gone - 1) {
        const int k = column + __ffs((int)gone) - 1;
        const Bonds4 four = bonds.four(first + (long long)SLICE * (k / 4));
        const Exact bond = exact(bond_of(own, points[four.number(k % 4)], unit), unit);
        total += four.weight(k % 4) * (bond.square * bond.s * bond.s
                                       + 2 * bond.s / (1 + bond.s) * (bond.x * vx + bond.y * vy + bond.z * vz));
    }
    return total;
}

// Blocks of THREADS particles. table: (steps, kinds, 4, DIMENSIONS): acceleration, held or not, displacement, velocity; row:
// steps · kinds in front. kick: (1 + decay)/2, half of that in the first step of velocity Verlet. list_starts: (blocks + 1).
// limit: (1 + s₀)² − 1. MATERIALS: that of each class, limits: (classes), and the least of each particle's, least: (size); loads
// act on volumes: (size).
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) step_cloud(
    const Record* __restrict__ records, const Beside* __restrict__ beside, Record* __restrict__ records_out,
    REAL* __restrict__ u_out, REAL* __restrict__ v, unsigned* __restrict__ words, const unsigned* __restrict__ breakable,
    const unsigned char* __restrict__ kind, const REAL* __restrict__ masses, const REAL* __restrict__ table, const int row,
    const long long* __restrict__ starts, const uint4* __restrict__ local, const uint4* __restrict__ neighbours,
    const ushort4* __restrict__ weights, const int* __restrict__ lists, const long long* __restrict__ list_starts,
    double* __restrict__ work, double* __restrict__ loss, double* __restrict__ damped, const int size, const REAL unit,
    const REAL stiffness, const REAL limit, const REAL kick, const REAL decay
#ifdef MATERIALS
    , const REAL* __restrict__ limits, const REAL* __restrict__ least, const REAL* __restrict__ volumes
#endif
)
{
    extern __shared__ Record near[];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const Bonds bonds = {local, neighbours, weights};
    unsigned at = 0;  // in fours, of which there are less than 2^32 (cuda.py)
    int fours = 0;
    if (i < size) {
        const long long from = starts[i / SLICE];
        fours = int(starts[i / SLICE + 1] - from) / (4 * SLICE);
        at = unsigned(from / 4) + i % SLICE;
        for (int k = 0; k < min(AHEAD, fours); ++k) bonds.fetch(at + SLICE * k);
    }
    Points points = {records, beside};
    if (LOCAL) {
        const long long from = list_starts[blockIdx.x];
        const int count = int(list_starts[blockIdx.x + 1] - from);
        Beside* near_beside = (Beside*)(near + count);
        for (int t = threadIdx.x; t < count; t += THREADS) {
            const int number = lists[from + t];
            near[t] = records[number];
            if (DIMENSIONS == 3) near_beside[t] = beside[number];
        }
        points = {near, near_beside};
        __syncthreads();
    }
    if (i >= size) return;
    const Record mine = records[i];
    const Point own = point_of(mine, beside, i);
#ifdef MATERIALS
    const REAL breaks = mul(least[i], mul(unit, unit));
#else
    const REAL breaks = mul(limit, mul(unit, unit));
#endif
    REAL pull[3] = {REAL(0), REAL(0), REAL(0)};
    Bonds4 coming = bonds.four(at);
    for (int word = 0; 8 * word < fours; ++word) {
        const long long word_at = (long long)word * size + i;
        const unsigned before = words[word_at];
        unsigned gone = 0;
        const int last = min(8 * word + 8, fours);
        for (int k = 8 * word; k < last; ++k) {
            const Bonds4 now = coming;
            if (k + AHEAD < fours) bonds.fetch(at + SLICE * AHEAD);
            at += k + 1 < fours ? SLICE : 0;
            coming = bonds.four(at);  // on its way while these are summed
#pragma unroll
            for (int of = 0; of < 4; of += TOGETHER) {
                const int column = 4 * (k % 8) + of;
                unsigned bits = before >> column;
                Bond bond[TOGETHER];
                bool far = false;
#pragma unroll
                for (int j = 0; j < TOGETHER; ++j) {
                    bond[j] = bond_of(own, points.at(now, of + j), unit);
                    far |= bond[j].q > mul(breaks, bond[j].square);
                }
                if (far) {
                    unsigned broken = 0;
#pragma unroll
                    for (int j = 0; j < TOGETHER; ++j) {
#ifdef MATERIALS
                        const REAL own_breaks = mul(limits[now.class_of(of + j)], mul(unit, unit));
#else
                        const REAL own_breaks = breaks;
#endif
                        broken |= bond[j].q > mul(own_breaks, bond[j].square) ? 1u << j : 0u;
                    }
                    broken &= bits & breakable[word_at] >> column;
                    bits &= ~broken;
                    gone |= broken << column;
                }
#pragma unroll
                for (int j = 0; j < TOGETHER; ++j) {
                    REAL g = mul(pull_of(bond[j].q, bond[j].square, unit), REAL(now.weight(of + j)));
                    g = bits >> j & 1u ? g : REAL(0);  // also where there is no bond, and g not a number
                    pull[0] = fused(g, fused(unit, bond[j].a, bond[j].x), pull[0]);
                    pull[1] = fused(g, fused(unit, bond[j].b, bond[j].y), pull[1]);
                    if (DIMENSIONS == 3) pull[2] = fused(g, fused(unit, bond[j].c, bond[j].z), pull[2]);
                }
            }
        }
        if (gone) {
            words[word_at] = before & ~gone;
            const REAL vz = DIMENSIONS == 3 ? v[2 * (long long)size + i] : REAL(0);
            const unsigned first = at - SLICE * min(last, fours - 1);
            loss[i] += 0.25 * afresh(stiffness)
                       * lost(bonds, points, own, first, WORD * word, gone, afresh(unit), v[i], v[size + i], vz);
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
#ifdef MATERIALS
            const REAL given = loaded[0] * (volumes[i] / mass);
#else
            const REAL given = loaded[0];
#endif
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

// records and beside of u: (DIMENSIONS, size) and grid: (DIMENSIONS, size) places.
extern "C" __global__ void pack(const REAL* __restrict__ u, const int* __restrict__ grid, Record* __restrict__ records,
                                Beside* __restrict__ beside, const int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    Record record;
    record.x = u[i];
    record.y = u[size + i];
#if DIMENSIONS == 3
    record.z = u[2 * (long long)size + i];
    record.w = REAL(grid[i]);
    beside[i] = {REAL(grid[size + i]), REAL(grid[2 * (long long)size + i])};
#else
    record.z = REAL(grid[i]);
    record.w = REAL(grid[size + i]);
#endif
    records[i] = record;
}

// energy: (size), ¼ K Σ k |ξ|² s² over the bonds that hold; kick: (DIMENSIONS, size), K/m Σ k s/(1 + s) (ξ + η). Runs when
// somebody looks.
extern "C" __global__ void measure(const Record* __restrict__ records, const Beside* __restrict__ beside,
                                   const unsigned* __restrict__ words, const REAL* __restrict__ masses,
                                   const long long* __restrict__ starts, const uint4* __restrict__ local,
                                   const uint4* __restrict__ neighbours, const ushort4* __restrict__ weights,
                                   const int* __restrict__ lists, const long long* __restrict__ list_starts,
                                   REAL* __restrict__ energy, REAL* __restrict__ kick, const int size, const REAL unit,
                                   const REAL stiffness)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const int* list = LOCAL ? lists + list_starts[i / THREADS] : nullptr;
    const Bonds bonds = {local, neighbours, weights};
    const Points points = {records, beside};
    const Point own = points[i];
    const long long first = starts[i / SLICE] / 4 + i % SLICE;
    const int fours = int(starts[i / SLICE + 1] - starts[i / SLICE]) / (4 * SLICE);
    REAL fx = 0, fy = 0, fz = 0, strain = 0;
    for (int word = 0; 8 * word < fours; ++word)
        for (unsigned left = words[(long long)word * size + i]; left; left &= left - 1) {
            const int k = WORD * word + __ffs((int)left) - 1;
            const Bonds4 four = bonds.four(first + (long long)SLICE * (k / 4));
            const int number = four.number(k % 4);
            const Bond bond = bond_of(own, points[LOCAL ? list[number] : number], unit);
            const REAL square = mul(mul(unit, unit), bond.square), force = four.weight(k % 4) * pull_of(bond.q, bond.square, unit);
            const REAL s = stretch_of(bond.q / square);
            strain += four.weight(k % 4) * square * s * s;
            fx += force * fused(unit, bond.a, bond.x);
            fy += force * fused(unit, bond.b, bond.y);
            fz += force * fused(unit, bond.c, bond.z);
        }
    const REAL share = stiffness / masses[i];
    energy[i] = REAL(0.25) * stiffness * strain;
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
