// One explicit step of diffusion in spheres of 32 shells, written in the ways that people try.
//
//   out_i = c_i + τ [outer_i (c_{i+1} − c_i) − inner_i (c_i − c_{i−1})],   out_31 += gain
//
// τ = D dt/R² and gain (of the flux) are those of the particle. Layout: (n, 32), the shells of a particle side by side, but
// in spherical_columns (32, n). 4 bytes read and 4 written per point, and 8 read per particle; 7 flops per point.

constexpr int POINTS = 32;

// What shell i exchanges with its neighbours: areas of its faces over its volume, N = 32 shells:
// 3 N² (i + 1)²/((i + 1)³ − i³) outwards, with i² inwards; 0 at the surface and at the centre.
struct Couplings {
    float inner, outer;
};

__device__ __forceinline__ Couplings couplings(int i) {
    const float per_volume = 3.0f * POINTS * POINTS / float(3 * i * (i + 1) + 1);
    return {per_volume * float(i * i), i < POINTS - 1 ? per_volume * float((i + 1) * (i + 1)) : 0.0f};
}

__device__ __forceinline__ float stepped(float inside, float here, float outside, Couplings k, float tau) {
    return here + tau * (k.outer * (outside - here) - k.inner * (here - inside));
}

// Dendrite's first: a tile in shared memory, a barrier between writing and reading. Whole particles per block.
extern "C" __global__ void spherical_shared(float* __restrict__ out, const float* __restrict__ c,
                                            const float* __restrict__ tau, const float* __restrict__ gain, int n) {
    extern __shared__ float tile[];  // blockDim.x
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int particle = at / POINTS, i = at % POINTS;
    if (particle < n) tile[threadIdx.x] = c[at];
    __syncthreads();
    if (particle >= n) return;
    const float here = tile[threadIdx.x];
    const float inside = i > 0 ? tile[threadIdx.x - 1] : here;
    const float outside = i < POINTS - 1 ? tile[threadIdx.x + 1] : here;
    const float next = stepped(inside, here, outside, couplings(i), tau[particle]);
    out[at] = i == POINTS - 1 ? next + gain[particle] : next;
}

// Neighbours from the first-level cache.
extern "C" __global__ void spherical_cached(float* __restrict__ out, const float* __restrict__ c,
                                            const float* __restrict__ tau, const float* __restrict__ gain, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int particle = at / POINTS, i = at % POINTS;
    if (particle >= n) return;
    const float here = c[at];
    const float inside = i > 0 ? c[at - 1] : here;
    const float outside = i < POINTS - 1 ? c[at + 1] : here;
    const float next = stepped(inside, here, outside, couplings(i), tau[particle]);
    out[at] = i == POINTS - 1 ? next + gain[particle] : next;
}

// Dendrite's second: a warp is a particle, neighbours come from its registers.
extern "C" __global__ void spherical_shuffle(float* __restrict__ out, const float* __restrict__ c,
                                             const float* __restrict__ tau, const float* __restrict__ gain, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int particle = at / POINTS, i = at % POINTS;
    if (particle >= n) return;  // a whole warp
    const float here = c[at];
    const float inside = __shfl_up_sync(0xffffffffu, here, 1);
    const float outside = __shfl_down_sync(0xffffffffu, here, 1);
    const float next = stepped(inside, here, outside, couplings(i), tau[particle]);
    out[at] = i == POINTS - 1 ? next + gain[particle] : next;
}

// A thread is a particle; a warp reads 128 consecutive bytes of a shell. The couplings are constants of the code.
extern "C" __global__ void spherical_columns(float* __restrict__ out, const float* __restrict__ c,
                                             const float* __restrict__ tau, const float* __restrict__ gain, int n) {
    const int particle = blockIdx.x * blockDim.x + threadIdx.x;
    if (particle >= n) return;
    float value[POINTS];
#pragma unroll
    for (int i = 0; i < POINTS; ++i) value[i] = c[i * n + particle];
    const float rate = tau[particle];
#pragma unroll
    for (int i = 0; i < POINTS; ++i) {
        const float inside = value[i > 0 ? i - 1 : 0], outside = value[i < POINTS - 1 ? i + 1 : i];
        const float next = stepped(inside, value[i], outside, couplings(i), rate);
        out[i * n + particle] = i == POINTS - 1 ? next + gain[particle] : next;
    }
}

// Eight lanes are a particle, four shells each in one 16-byte access; a thread takes ROWS particles, a block's worth apart,
// with all loads on their way before the first is used. Loads and stores are streaming: nothing is read twice.
template <int ROWS>
__device__ __forceinline__ void quads(float4* __restrict__ out, const float4* __restrict__ c,
                                      const float* __restrict__ tau, const float* __restrict__ gain, int n) {
    constexpr int LANES = POINTS / 4;
    const int lane = threadIdx.x % LANES, apart = blockDim.x / LANES;
    const int first = blockIdx.x * apart * ROWS + threadIdx.x / LANES;
    float4 v[ROWS];
    float rate[ROWS], entering[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const int wanted = first + row * apart, particle = wanted < n ? wanted : n - 1;  // lanes stay for the shuffles
        v[row] = __ldcs(c + particle * LANES + lane);
        rate[row] = tau[particle];
        entering[row] = gain[particle];
    }
    Couplings k[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) k[i] = couplings(4 * lane + i);
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const float4 u = v[row];
        const float inside = __shfl_up_sync(0xffffffffu, u.w, 1, LANES);
        const float outside = __shfl_down_sync(0xffffffffu, u.x, 1, LANES);
        float4 next = make_float4(stepped(inside, u.x, u.y, k[0], rate[row]), stepped(u.x, u.y, u.z, k[1], rate[row]),
                                  stepped(u.y, u.z, u.w, k[2], rate[row]), stepped(u.z, u.w, outside, k[3], rate[row]));
        if (lane == LANES - 1) next.w += entering[row];
        const int particle = first + row * apart;
        if (particle < n) __stcs(out + particle * LANES + lane, next);
    }
}

#define QUADS(ROWS)                                                                                                    \
    extern "C" __global__ void __launch_bounds__(512) spherical_quads_##ROWS(                                          \
        float4* __restrict__ out, const float4* __restrict__ c, const float* __restrict__ tau,                         \
        const float* __restrict__ gain, int n) {                                                                       \
        quads<ROWS>(out, c, tau, gain, n);                                                                             \
    }

QUADS(1)
QUADS(2)
QUADS(4)
