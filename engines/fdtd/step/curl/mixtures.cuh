// Mixtures of materials: their ids and the two coefficients of each.
//
// A table of 256 is kept in shared memory: 256 times a and then 256 times b. A larger one (-DWIDE, ids of 16 bits) is read
// through the read-only cache, a pair at a time.
#pragma once

#ifdef WIDE
typedef unsigned short Id;
#else
typedef unsigned char Id;
#endif

struct __align__(2 * sizeof(REAL)) Pair {
    REAL a, b;
};

#ifdef WIDE
static __device__ __forceinline__ Pair pair_at(const float* __restrict__ table, const int id)
{
    const float2 pair = __ldg(reinterpret_cast<const float2*>(table) + id);
    return {REAL(pair.x), REAL(pair.y)};
}
static __device__ __forceinline__ Pair pair_at(const double* __restrict__ table, const int id)
{
    const double2 pair = __ldg(reinterpret_cast<const double2*>(table) + id);
    return {REAL(pair.x), REAL(pair.y)};
}
#define SECOND 1
#define COEFFICIENTS(name) const REAL* const name = coefficients
#else
static __device__ __forceinline__ Pair pair_at(const REAL* table, const int id)
{
    return {table[id], table[256 + id]};
}
#define SECOND 256
#define COEFFICIENTS(name)                                                                                               \
    __shared__ REAL name[512];                                                                                           \
    for (int n = threadIdx.y * blockDim.x + threadIdx.x; n < 512; n += blockDim.x * blockDim.y)                          \
        name[n] = coefficients[n];                                                                                       \
    __syncthreads()
#endif
