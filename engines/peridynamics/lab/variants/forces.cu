// Internal forces of a bond-based body, f_i = sum of s n over its intact bonds, in the ways that people write them.
//
// s n = (xi + eta) s/((1 + s)|xi|), with eta = u_j - u_i formed first and p = eta.(2 xi + eta)/|xi|^2 = (1 + s)^2 - 1.
// f, x, u: (DIMENSIONS, n): forces, places at rest and displacements, in spacings. K bonds of a particle inside the body.
//
//   bond_list            a thread per bond, added to both ends by atomics; damage per bond
//   neighbour_list       a thread per particle, its row of (n, K) neighbours and damages
//   tree_*               the forces of all bonds as a matrix (DIMENSIONS, n, K), then a block per row adds it up in a tree
//   block_per_particle   the same tree in one launch: a thread per bond, the forces only in shared memory
//   warp_per_particle    32 lanes share a row, and shuffles add it up
//   columns              (K, n) neighbours (ELL), a bit per bond: threads beside each other read beside each other
//   deltas               the same with 16 bits for a neighbour: j - i
//   stencil              no list: the neighbours of a lattice are known when this is compiled
//
// Bytes per particle: 12 DIMENSIONS for f, x and u, and per bond 6 (bond list, half a pair and half a damage), 8 (neighbour
// list), 4 and a bit (columns), 2 and a bit (deltas); the stencil 8 DIMENSIONS and a bit per bond.
//
// variants: -DDIMENSIONS=2; -DDIMENSIONS=3
#define DEVICE static __device__ __forceinline__

constexpr int REACH = 3, DEPTH = DIMENSIONS == 3 ? REACH : 0;
constexpr bool is_near(int a, int b, int c) { return a * a + b * b + c * c <= REACH * REACH; }
constexpr int family_size()
{
    int n = 0;
    for (int c = -DEPTH; c <= DEPTH; ++c)
        for (int b = -REACH; b <= REACH; ++b)
            for (int a = -REACH; a <= REACH; ++a) n += is_near(a, b, c);
    return n - 1;
}
constexpr int K = family_size(), WORDS = (K + 31) / 32;
constexpr int LANES = DIMENSIONS == 3 ? 128 : 32;  // threads of a block that adds up a row: a power of two, K at least

struct Vector {
    float x, y, z;
};
DEVICE Vector at(const float* __restrict__ values, const int i, const int n)
{
    return {values[i], values[n + i], DIMENSIONS == 3 ? values[2 * (long long)n + i] : 0.0f};
}
DEVICE void put(float* __restrict__ values, const int i, const int n, const Vector& value)
{
    values[i] = value.x;
    values[n + i] = value.y;
    if (DIMENSIONS == 3) values[2 * (long long)n + i] = value.z;
}
DEVICE void add(Vector& total, const Vector& more)
{
    total.x += more.x;
    total.y += more.y;
    total.z += more.z;
}
DEVICE Vector minus(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

// s n times whole of a bond.
DEVICE Vector force(const Vector& xi, const Vector& eta, const float whole)
{
    const float inverse = rsqrtf(xi.x * xi.x + xi.y * xi.y + xi.z * xi.z);
    const float q = eta.x * (2.0f * xi.x + eta.x) + eta.y * (2.0f * xi.y + eta.y) + eta.z * (2.0f * xi.z + eta.z);
    const float p = q * inverse * inverse, w = rsqrtf(1.0f + p);
    const float g = whole * inverse * __fdividef(p * w, 1.0f + w) * w;
    return {g * (xi.x + eta.x), g * (xi.y + eta.y), g * (xi.z + eta.z)};
}
DEVICE Vector between(const float* __restrict__ x, const float* __restrict__ u, const int i, const int j, const int n,
                      const float whole)
{
    return force(minus(at(x, j, n), at(x, i, n)), minus(at(u, j, n), at(u, i, n)), whole);
}

// ---- bond list: pairs (bonds) and damage (bonds). Forces are cleared in a launch of their own.
extern "C" __global__ void clear_forces(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                                        const int2* __restrict__ pairs, const float* __restrict__ damage, const int n,
                                        const int bonds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) put(f, i, n, {0.0f, 0.0f, 0.0f});
}
extern "C" __global__ void bond_list(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                                     const int2* __restrict__ pairs, const float* __restrict__ damage, const int n,
                                     const int bonds)
{
    const int bond = blockIdx.x * blockDim.x + threadIdx.x;
    if (bond >= bonds) return;
    const int2 ends = pairs[bond];
    const Vector found = between(x, u, ends.x, ends.y, n, 1.0f - damage[bond]);
    atomicAdd(f + ends.x, found.x);
    atomicAdd(f + ends.y, -found.x);
    atomicAdd(f + n + ends.x, found.y);
    atomicAdd(f + n + ends.y, -found.y);
    if (DIMENSIONS == 3) {
        atomicAdd(f + 2 * (long long)n + ends.x, found.z);
        atomicAdd(f + 2 * (long long)n + ends.y, -found.z);
    }
}

// ---- neighbour list: neighbours, damage (n, K) by rows; no neighbour: -1.
extern "C" __global__ void neighbour_list(float* __restrict__ f, const float* __restrict__ x,
                                          const float* __restrict__ u, const int* __restrict__ neighbours,
                                          const float* __restrict__ damage, const int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Vector place = at(x, i, n), moved = at(u, i, n);
    Vector total = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < K; ++k) {
        const int j = neighbours[(long long)i * K + k];
        if (j < 0) continue;
        const float whole = 1.0f - damage[(long long)i * K + k];
        add(total, force(minus(at(x, j, n), place), minus(at(u, j, n), moved), whole));
    }
    put(f, i, n, total);
}

// ---- tree: bond_forces (DIMENSIONS, n, K) are written by a thread per place of the list, then each row is added up.
extern "C" __global__ void tree_forces(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                                       const int* __restrict__ neighbours, const float* __restrict__ damage,
                                       float* __restrict__ bond_forces, const int n)
{
    const long long entries = (long long)n * K, entry = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (entry >= entries) return;
    const int j = neighbours[entry];
    Vector found = {0.0f, 0.0f, 0.0f};
    if (j >= 0) found = between(x, u, int(entry / K), j, n, 1.0f - damage[entry]);
    bond_forces[entry] = found.x;
    bond_forces[entries + entry] = found.y;
    if (DIMENSIONS == 3) bond_forces[2 * entries + entry] = found.z;
}
// Blocks of LANES threads; block (i, k) takes component k of particle i.
extern "C" __global__ void tree_sums(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                                     const int* __restrict__ neighbours, const float* __restrict__ damage,
                                     const float* __restrict__ bond_forces, const int n)
{
    __shared__ float sums[LANES];
    const int i = blockIdx.x, lane = threadIdx.x;
    const long long row = (long long)blockIdx.y * n + i;
    sums[lane] = lane < K ? bond_forces[row * K + lane] : 0.0f;
    __syncthreads();
    for (int half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) sums[lane] += sums[lane + half];
        __syncthreads();
    }
    if (lane == 0) f[row] = sums[0];
}

// ---- the same in one launch.
extern "C" __global__ void block_per_particle(float* __restrict__ f, const float* __restrict__ x,
                                              const float* __restrict__ u, const int* __restrict__ neighbours,
                                              const float* __restrict__ damage, const int n)
{
    __shared__ float sums[DIMENSIONS][LANES];
    const int i = blockIdx.x, lane = threadIdx.x;
    const long long entry = (long long)i * K + lane;
    const int j = lane < K ? neighbours[entry] : -1;
    Vector found = {0.0f, 0.0f, 0.0f};
    if (j >= 0) found = between(x, u, i, j, n, 1.0f - damage[entry]);
    sums[0][lane] = found.x;
    sums[1][lane] = found.y;
    if (DIMENSIONS == 3) sums[DIMENSIONS - 1][lane] = found.z;
    __syncthreads();
    for (int half = LANES / 2; half > 0; half /= 2) {
        if (lane < half)
            for (int k = 0; k < DIMENSIONS; ++k) sums[k][lane] += sums[k][lane + half];
        __syncthreads();
    }
    if (lane < DIMENSIONS) f[(long long)lane * n + i] = sums[lane][0];
}

// ---- a warp per particle.
extern "C" __global__ void warp_per_particle(float* __restrict__ f, const float* __restrict__ x,
                                             const float* __restrict__ u, const int* __restrict__ neighbours,
                                             const float* __restrict__ damage, const int n)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (i >= n) return;
    const Vector place = at(x, i, n), moved = at(u, i, n);
    Vector total = {0.0f, 0.0f, 0.0f};
    for (int k = lane; k < K; k += 32) {
        const int j = neighbours[(long long)i * K + k];
        if (j < 0) continue;
        const float whole = 1.0f - damage[(long long)i * K + k];
        add(total, force(minus(at(x, j, n), place), minus(at(u, j, n), moved), whole));
    }
    for (int away = 16; away; away /= 2) {
        total.x += __shfl_xor_sync(~0u, total.x, away);
        total.y += __shfl_xor_sync(~0u, total.y, away);
        if (DIMENSIONS == 3) total.z += __shfl_xor_sync(~0u, total.z, away);
    }
    if (lane == 0) put(f, i, n, total);
}

// ---- columns (ELL): neighbours (K, n), words (WORDS, n) with bit k % 32 of word k / 32 for column k.
template <typename Number>
DEVICE void by_columns(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                       const Number* __restrict__ list, const unsigned* __restrict__ words, const int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Vector place = at(x, i, n), moved = at(u, i, n);
    Vector total = {0.0f, 0.0f, 0.0f};
    for (int first = 0; first < K; first += 32) {
        const unsigned bits = words[first / 32 * (long long)n + i];
#pragma unroll 4
        for (int k = first; k < min(first + 32, K); ++k)
            if (bits >> (k - first) & 1u) {
                const int number = list[(long long)k * n + i], j = sizeof(Number) == 2 ? i + number : number;
                add(total, force(minus(at(x, j, n), place), minus(at(u, j, n), moved), 1.0f));
            }
    }
    put(f, i, n, total);
}
extern "C" __global__ void columns(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                                   const int* __restrict__ neighbours, const unsigned* __restrict__ words, const int n)
{
    by_columns(f, x, u, neighbours, words, n);
}
extern "C" __global__ void deltas(float* __restrict__ f, const float* __restrict__ x, const float* __restrict__ u,
                                  const short* __restrict__ away, const unsigned* __restrict__ words, const int n)
{
    by_columns(f, x, u, away, words, n);
}

// ---- stencil: the neighbours of particle (x, y, z) of a box nx × ny × nz, unrolled; words as above, in rising order.
extern "C" __global__ void stencil(float* __restrict__ f, const float* __restrict__ u,
                                   const unsigned* __restrict__ words, const int n, const int nx, const int ny)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Vector moved = at(u, i, n);
    unsigned bits[WORDS];
#pragma unroll
    for (int k = 0; k < WORDS; ++k) bits[k] = words[k * (long long)n + i];
    Vector total = {0.0f, 0.0f, 0.0f};
    int k = 0;
#pragma unroll
    for (int c = -DEPTH; c <= DEPTH; ++c)
#pragma unroll
        for (int b = -REACH; b <= REACH; ++b)
#pragma unroll
            for (int a = -REACH; a <= REACH; ++a)
                if (is_near(a, b, c) && (a || b || c)) {
                    if (bits[k / 32] >> (k % 32) & 1u) {
                        const int j = i + (c * ny + b) * nx + a;
                        add(total, force({float(a), float(b), float(c)}, minus(at(u, j, n), moved), 1.0f));
                    }
                    ++k;
                }
    put(f, i, n, total);
}
