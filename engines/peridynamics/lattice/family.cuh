// The family of a particle in mirror orbits, unrolled at compile time; the order of bits is that of family.py.
// Products are rounded before they are added (mul), so that the sum of an orbit is the same seen in a mirror.
//
// GENERAL: bonds are weighted by their length, by the materials of their ends and by how much of the families of both is
// there. Both ends find the same weight to the last bit. SOFTENING without GENERAL: by their length alone, which costs nothing.
#pragma once
#if defined(GENERAL) || defined(SOFTENING)
#define WEIGHTED
#endif
#define DEVICE static __device__ __forceinline__
#define DEVICE_MEMBER __device__ __forceinline__

constexpr int DEPTH = DIMENSIONS == 3 ? REACH : 0;  // reach along z
constexpr int PLANES = 2 * DEPTH + 1;

constexpr int members(int a, int b, int c) { return (a ? 2 : 1) * (b ? 2 : 1) * (c ? 2 : 1); }
constexpr bool is_near(int a, int b, int c) { return a * a + b * b + c * c <= REACH * REACH; }
constexpr int family_size()
{
    int n = 0;
    for (int c = -DEPTH; c <= DEPTH; ++c)
        for (int b = -REACH; b <= REACH; ++b)
            for (int a = -REACH; a <= REACH; ++a) n += is_near(a, b, c);
    return n - 1;
}
struct Orbits {
    int eights, fours;
};
constexpr Orbits count_orbits()
{
    Orbits found = {0, 0};
    for (int c = 0; c <= DEPTH; ++c)
        for (int b = 0; b <= REACH; ++b)
            for (int a = 0; a <= REACH; ++a)
                if (is_near(a, b, c)) {
                    found.eights += members(a, b, c) == 8;
                    found.fours += members(a, b, c) == 4;
                }
    return found;
}
constexpr int BONDS = family_size(), WORDS = (BONDS + 31) / 32;

constexpr int COLUMNS = 32, ROWS = DIMENSIONS == 3 && sizeof(REAL) == 8 ? 4 : 8;  // of a block that is as wide as can be
// Blocks that a processor has room for: asked for so that no register is spilled on any architecture.
#if defined(SOFTENING) && defined(GENERAL)
constexpr int BLOCKS = DIMENSIONS == 3 && REACH == 2 ? 1 : 2;
#elif defined(SOFTENING)
constexpr int BLOCKS = DIMENSIONS == 2 && sizeof(REAL) == 4 ? 3 : 2;
#elif defined(GENERAL)
constexpr int BLOCKS = sizeof(REAL) == 8 || (DIMENSIONS == 3 && REACH == 3) ? 2 : DIMENSIONS == 3 || REACH == 4 ? 3 : 4;
#else
constexpr int BLOCKS = sizeof(REAL) == 8 ? 2 : DIMENSIONS == 3 ? 3 : 4;
#endif
#ifdef GENERAL
constexpr int STORED = DIMENSIONS + 1;  // numbers of a place in shared memory: the displacement, and its traits
#else
constexpr int STORED = DIMENSIONS;
#endif
// In shared memory a plane has STORED lines for each row, one for each quantity. A block's tile may be narrower than COLUMNS
// and have more rows instead; lines keep their length, so that the way to a neighbour is known when this is compiled.
constexpr int THREADS = COLUMNS * ROWS, PITCH = COLUMNS + 2 * REACH, LINE = STORED * PITCH;
constexpr int LOADS = (PITCH * (ROWS + 2 * REACH) + THREADS - 1) / THREADS;  // places of a plane for each thread, at most

DEVICE float mul(float a, float b) { return __fmul_rn(a, b); }
DEVICE double mul(double a, double b) { return __dmul_rn(a, b); }
DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

// 1/(1 + s) of p = (1 + s)² − 1, and s. Without the library's division and root, which keep registers for rare cases.
DEVICE float shrink_of(float p, float& s)
{
    const float w = rsqrtf(1.0f + p);
    s = __fdividef(mul(p, w), 1.0f + w);
    return w;
}
DEVICE double shrink_of(double p, double& s)
{
    const double x = 1.0 + p;
    double w = rsqrtf((float)x);  // 22 bits; each turn of Newton's doubles them
    w = mul(w, fused(mul(-0.5, x), mul(w, w), 1.5));
    w = mul(w, fused(mul(-0.5, x), mul(w, w), 1.5));
    const double d = 1.0 + w;
    double r = __fdividef(1.0f, (float)d);
    r = mul(r, fused(-d, r, 2.0));
    r = mul(r, fused(-d, r, 2.0));
    s = mul(mul(p, w), r);
    return w;
}

// s/(1 + s), and s.
template <class T>
DEVICE T pull_of(T p, T& s)
{
    const T w = shrink_of(p, s);
    return mul(s, w);
}

// q/(x + √x): of p = q/|ξ|² and x = 1 + p it is |ξ|² s/(1 + s).
DEVICE float half_pull(float q, float x)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
#else
    const float root = sqrtf(x);
#endif
    return __fdividef(q, x + root);
}
DEVICE double half_pull(double q, double x)
{
    double w = rsqrtf((float)x);
    w = mul(w, fused(mul(-0.5, x), mul(w, w), 1.5));
    w = mul(w, fused(mul(-0.5, x), mul(w, w), 1.5));
    const double d = fused(x, w, x);  // x + √x
    double r = __fdividef(1.0f, (float)d);
    r = mul(r, fused(-d, r, 2.0));
    r = mul(r, fused(-d, r, 2.0));
    return mul(q, r);
}

// 1/d without the library's division.
DEVICE float inverse(float d) { return __fdividef(1.0f, d); }
DEVICE double inverse(double d)
{
    double r = __fdividef(1.0f, (float)d);
    r = mul(r, fused(-d, r, 2.0));
    return mul(r, fused(-d, r, 2.0));
}

#ifdef GENERAL
// What the weights of bonds are made of. A place's traits: its material in the lowest MATERIAL_BITS bits of a float, half the
// part of a whole family that it has in the others.
constexpr unsigned MATERIAL = 15;
struct Weighing {
    const REAL* pairs;  // (materials, materials, 2): stiffness over that of the first, and the limit of p
    int materials, corrected;

    DEVICE_MEMBER int pair_of(const unsigned own, const unsigned other) const
    {
        return (own & MATERIAL) * materials + (other & MATERIAL);
    }
    // weight times what the ends make of it; limit: that of the pair, where there are several materials.
    DEVICE_MEMBER REAL of(REAL weight, const unsigned own, const unsigned other, REAL& limit) const
    {
        if (materials > 1) {
            const REAL* pair = pairs + 2 * pair_of(own, other);
            weight = mul(weight, pair[0]);
            limit = pair[1];
        }
        if (corrected) weight = mul(weight, inverse(half_share(own) + half_share(other)));
        return weight;
    }
    static DEVICE_MEMBER REAL half_share(const unsigned trait) { return REAL(__uint_as_float(trait & ~MATERIAL)); }
};
DEVICE unsigned trait_of(const REAL* place) { return *reinterpret_cast<const unsigned*>(place + DIMENSIONS * PITCH); }
#endif

struct Sum {
    REAL x, y, z;
};
DEVICE Sum operator+(const Sum& a, const Sum& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

// Terms of bonds that are known only when this runs, in the order of their bits: added in mirror orbits, as pull_all does.
template <typename T> struct OrbitSum {
    T pair = T(), four = T(), orbit = T(), total = T();
    int last = 0, start = 0;  // bit; the first one of its orbit

    OrbitSum() = default;
    explicit DEVICE_MEMBER OrbitSum(const T& before) : total(before) {}

    static DEVICE_MEMBER int start_of(const int bit)
    {
        constexpr Orbits orbits = count_orbits();
        return bit & (bit < 8 * orbits.eights ? ~7 : bit < 8 * orbits.eights + 4 * orbits.fours ? ~3 : ~1);
    }
    DEVICE_MEMBER void add(const int bit, const T& term)
    {
        if ((bit ^ last) > 1) {
            const int now = start_of(bit);
            four = four + pair;
            pair = T();
            if ((bit ^ last) > 3 || now != start) {
                orbit = orbit + four;
                four = T();
                if (now != start) {
                    total = total + orbit;
                    orbit = T();
                    start = now;
                }
            }
        }
        pair = pair + term;
        last = bit;
    }
    DEVICE_MEMBER T all() const { return total + (orbit + (four + pair)); }
};

// What a particle needs of its surroundings: planes of displacement in shared memory, itself at [0] of the middle one.
struct Surroundings {
    const REAL* plane[PLANES];  // component k of (a, b) is plane[c + DEPTH][k PITCH + b LINE + a]
    REAL x, y, z;               // its own displacement
    REAL limit;                 // (1 + s0)² − 1
    unsigned word[WORDS], breakable[WORDS];
    bool over;  // whether a bond is beyond its limit, where all are whole
#ifdef WEIGHTED
    const REAL* weights;  // (REACH² + 1): weight over |ξ|³, by |ξ|²
#endif
#ifdef GENERAL
    Weighing weighing;
    unsigned own;  // traits
#endif

    // s n of a bond, times |ξ|³ over its weight by length. WHOLE: all bonds hold and none is to break; whether one is
    // stretched beyond its limit is only told. That takes a third of the instructions less.
    template <bool WHOLE>
    DEVICE_MEMBER Sum bond(const int a, const int b, const int c, const int bit)
    {
        const REAL* there = plane[c + DEPTH] + b * LINE + a;
        const REAL square = REAL(a * a + b * b + c * c);
        const REAL ex = there[0] - x, ey = there[PITCH] - y, ez = DIMENSIONS == 3 ? there[2 * PITCH] - z : REAL(0);
        REAL q = mul(ey, REAL(2 * b) + ey);
        if (DIMENSIONS == 3) q = fused(ez, REAL(2 * c) + ez, q);
        q = fused(ex, REAL(2 * a) + ex, q);
        REAL g = half_pull(q, fused(q, REAL(1) / square, REAL(1)));
        REAL most = limit;
#ifdef GENERAL
        g = mul(g, weighing.of(REAL(1), own, trait_of(there), most));
#endif
        const bool beyond = q > mul(most, square);
        const unsigned mask = 1u << (bit & 31);
        unsigned& bits = word[bit >> 5];
        if (WHOLE)
            over = over || beyond;
        else {
            if (beyond) bits &= ~(mask & breakable[bit >> 5]);
            g = bits & mask ? g : REAL(0);
        }
        Sum found;
        found.x = mul(g, REAL(a) + ex);
        found.y = mul(g, REAL(b) + ey);
        found.z = DIMENSIONS == 3 ? mul(g, REAL(c) + ez) : REAL(0);
        return found;
    }

    template <bool WHOLE>
    DEVICE_MEMBER Sum along_x(const int a, const int b, const int c, const int bit)
    {
        const Sum first = bond<WHOLE>(a, b, c, bit);
        return a ? first + bond<WHOLE>(-a, b, c, bit + 1) : first;
    }

    template <bool WHOLE>
    DEVICE_MEMBER Sum along_y(const int a, const int b, const int c, const int bit)
    {
        const Sum first = along_x<WHOLE>(a, b, c, bit);
        return b ? first + along_x<WHOLE>(a, -b, c, bit + (a ? 2 : 1)) : first;
    }

    // Σ s n over the family; bits of bonds that are stretched beyond the limit are cleared.
    template <bool WHOLE>
    DEVICE_MEMBER Sum pull_all()
    {
        Sum total = {REAL(0), REAL(0), REAL(0)};
        int bit = 0;
#pragma unroll
        for (int size = 8; size >= 2; size /= 2)
#pragma unroll
            for (int c = 0; c <= DEPTH; ++c)
#pragma unroll
                for (int b = 0; b <= REACH; ++b)
#pragma unroll
                    for (int a = 0; a <= REACH; ++a)
                        if (is_near(a, b, c) && members(a, b, c) == size) {
                            Sum orbit = along_y<WHOLE>(a, b, c, bit);
                            if (c) orbit = orbit + along_y<WHOLE>(a, b, -c, bit + size / 2);
                            const int square = a * a + b * b + c * c;
#ifdef WEIGHTED
                            const REAL weight = weights[square];
#else
                            const REAL weight = REAL(1.0 / (square * sqrt(double(square))));
#endif
                            total.x = fused(orbit.x, weight, total.x);
                            total.y = fused(orbit.y, weight, total.y);
                            if (DIMENSIONS == 3) total.z = fused(orbit.z, weight, total.z);
                            bit += size;
                        }
        return total;
    }

    // Where all bonds of a warp's particles hold, the short way is tried first. In 3D both ways would not stay in the cache
    // of instructions (on one H200 a step took 250 us then, not some 200).
    DEVICE_MEMBER Sum pull(const unsigned lanes)
    {
#if !defined(GENERAL) && DIMENSIONS == 2
        constexpr unsigned LAST = BONDS % 32 ? (1u << BONDS % 32) - 1u : ~0u;
        bool whole = true;
#pragma unroll
        for (int k = 0; k < WORDS; ++k) whole = whole && word[k] == (k < WORDS - 1 ? ~0u : LAST);
        Sum sum;
        over = !whole;
        if (__all_sync(lanes, whole)) sum = pull_all<true>();
        if (__any_sync(lanes, over)) sum = pull_all<false>();
        return sum;
#else
        return pull_all<false>();
#endif
    }
};
