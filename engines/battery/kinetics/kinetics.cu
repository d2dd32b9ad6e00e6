// Symmetric Butler-Volmer kinetics over arrays.
//
//   current_density:  j = 2 j0 sinh(u),  u = F η/2RT     with e = e^|u| − 1:  2 sinh|u| = e + e/(e + 1)
//   overpotential:    η = (2RT/F) asinh(j/2j0)
//
// A thread takes PACKS packs of 16 bytes of each array, a block's width apart, with all loads on their way before the
// first is used. Nothing is read twice: loads and stores are streaming, the caches are left to others.
// Arrays begin at multiples of 16 bytes; their length is arbitrary.
// Bytes per point: two values read, one written.
//
// MOST_PACKS: what the registers of a thread hold in this precision on every architecture.
//
// variants: -DREAL=float -DMOST_PACKS=4; -DREAL=double -DMOST_PACKS=2

constexpr int PER = 16 / sizeof(REAL);
constexpr REAL LARGEST = sizeof(REAL) == 4 ? REAL(88.0) : REAL(709.0);  // e^LARGEST is finite

struct alignas(16) Pack {
    REAL value[PER];
};

__device__ __forceinline__ float quotient(float a, float b) { return __fdividef(a, b); }  // 2 ulp, no slow path
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }

struct CurrentDensity {
    static __device__ __forceinline__ REAL of(REAL overpotential, REAL exchange, REAL scale) {
        const REAL u = overpotential * scale, size = fabs(u);
        const REAL e = expm1(size > LARGEST ? LARGEST : size);  // a NaN stays
        return exchange * copysign(e + quotient(e, e + REAL(1)), u);
    }
};

struct Overpotential {
    static __device__ __forceinline__ REAL of(REAL current, REAL exchange, REAL scale) {
        return scale * asinh(quotient(current, exchange + exchange));
    }
};

__device__ __forceinline__ Pack read(const REAL* __restrict__ from, long long at, int count) {
    Pack pack;
    if (count == PER) {
        const float4 bits = __ldcs(reinterpret_cast<const float4*>(from + at));
        memcpy(&pack, &bits, sizeof pack);
    } else {
#pragma unroll
        for (int k = 0; k < PER; ++k) pack.value[k] = k < count ? from[at + k] : REAL(0);
    }
    return pack;
}

__device__ __forceinline__ void write(REAL* __restrict__ to, long long at, int count, const Pack& pack) {
    if (count == PER) {
        float4 bits;
        memcpy(&bits, &pack, sizeof bits);
        __stcs(reinterpret_cast<float4*>(to + at), bits);
    } else {
#pragma unroll
        for (int k = 0; k < PER; ++k)
            if (k < count) to[at + k] = pack.value[k];
    }
}

template <typename Law, int PACKS>
__device__ __forceinline__ void each(
    REAL* __restrict__ out, const REAL* __restrict__ given, const REAL* __restrict__ exchange, REAL scale, long long n) {
    const long long first = ((long long)blockIdx.x * PACKS * blockDim.x + threadIdx.x) * PER;
    Pack a[PACKS], b[PACKS];
    int count[PACKS];
#pragma unroll
    for (int k = 0; k < PACKS; ++k) {
        const long long at = first + (long long)k * blockDim.x * PER;
        count[k] = n - at >= PER ? PER : n > at ? static_cast<int>(n - at) : 0;
        if (count[k]) {
            a[k] = read(given, at, count[k]);
            b[k] = read(exchange, at, count[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < PACKS; ++k) {
        if (!count[k]) continue;
        Pack answer;
#pragma unroll
        for (int i = 0; i < PER; ++i) answer.value[i] = Law::of(a[k].value[i], b[k].value[i], scale);
        write(out, first + (long long)k * blockDim.x * PER, count[k], answer);
    }
}

#define KERNELS(PACKS)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(512) current_density_##PACKS(                                         \
        REAL* out, const REAL* given, const REAL* exchange, REAL scale, long long n) {                                 \
        each<CurrentDensity, PACKS>(out, given, exchange, scale, n);                                                   \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(512) overpotential_##PACKS(                                           \
        REAL* out, const REAL* given, const REAL* exchange, REAL scale, long long n) {                                 \
        each<Overpotential, PACKS>(out, given, exchange, scale, n);                                                    \
    }

KERNELS(1)
KERNELS(2)
#if MOST_PACKS >= 4
KERNELS(4)
#endif
