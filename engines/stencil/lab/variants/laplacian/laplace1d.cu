// The three-point Laplacian of a periodic field, written in the ways that people try.
//
//   y[i] = x[i+1] - 2 x[i] + x[i-1]
//
// 4 bytes read and 4 written per point, 3 flops.

// One thread per point; neighbours come from the caches. The baseline.
extern "C" __global__ void laplace1d_naive(float* __restrict__ y, const float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int prev = (i == 0) ? n - 1 : i - 1;
    const int next = (i == n - 1) ? 0 : i + 1;
    y[i] = x[next] - 2.0f * x[i] + x[prev];
}

// The same through the read-only path.
extern "C" __global__ void laplace1d_ldg(float* __restrict__ y, const float* __restrict__ x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int prev = (i == 0) ? n - 1 : i - 1;
    const int next = (i == n - 1) ? 0 : i + 1;
    y[i] = __ldg(x + next) - 2.0f * __ldg(x + i) + __ldg(x + prev);
}

// A tile with a rim of one point in shared memory.
extern "C" __global__ void laplace1d_shared(float* __restrict__ y, const float* __restrict__ x, int n) {
    extern __shared__ float tile[];  // blockDim.x + 2
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int here = threadIdx.x + 1;
    if (i < n) {
        tile[here] = x[i];
        if (threadIdx.x == 0) tile[0] = x[(i == 0) ? n - 1 : i - 1];
        if (threadIdx.x == blockDim.x - 1 || i == n - 1) tile[here + 1] = x[(i == n - 1) ? 0 : i + 1];
    }
    __syncthreads();
    if (i < n) y[i] = tile[here + 1] - 2.0f * tile[here] + tile[here - 1];
}

// Four points as one 16-byte access. n is a multiple of 4.
extern "C" __global__ void laplace1d_float4(float4* __restrict__ y, const float4* __restrict__ x, int n) {
    const int quads = n / 4;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    const float* const points = (const float*)x;
    const float4 c = x[i];
    const float left = points[(i == 0) ? n - 1 : 4 * i - 1];
    const float right = points[(i == quads - 1) ? 0 : 4 * i + 4];
    y[i] = make_float4(c.y - 2.0f * c.x + left, c.z - 2.0f * c.y + c.x, c.w - 2.0f * c.z + c.y,
                       right - 2.0f * c.w + c.z);
}
