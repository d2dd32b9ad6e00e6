// Several explicit diffusion steps in one launch: a block loads its tile with a rim of DEPTH points, steps on in shared
// memory while the rim shrinks, and writes what is left. Rims of neighbouring blocks overlap and are computed twice.
//
//   u' = u + r (sum of the 4 neighbours - 4 u), periodic
//
// Layout: (ny, nx) row by row. 4 bytes read and 4 written per point and launch, 7 flops per point and step.
//
// variants: -DDEPTH=1; -DDEPTH=2; -DDEPTH=3; -DDEPTH=4

// The neighbour of an index outside; rims may lie further out than the field is wide, where any valid index serves.
__device__ __forceinline__ int wrapped(int i, int n) {
    if (i < 0) return i + n >= 0 ? i + n : 0;
    if (i < n) return i;
    return i - n < n ? i - n : 0;
}

extern "C" __global__ void temporal2d(float* __restrict__ out, const float* __restrict__ in, int nx, int ny, float r) {
    extern __shared__ float memory[];  // two tiles of (blockDim.y + 2 DEPTH) rows of (blockDim.x + 2 DEPTH)
    const int width = blockDim.x + 2 * DEPTH, height = blockDim.y + 2 * DEPTH;
    const int i0 = blockIdx.x * blockDim.x - DEPTH, j0 = blockIdx.y * blockDim.y - DEPTH;
    float* now = memory;
    float* next = memory + width * height;
    for (int ty = threadIdx.y; ty < height; ty += blockDim.y) {
        const int row = wrapped(j0 + ty, ny) * nx;
        for (int tx = threadIdx.x; tx < width; tx += blockDim.x) now[ty * width + tx] = in[row + wrapped(i0 + tx, nx)];
    }
    __syncthreads();
#pragma unroll
    for (int step = 1; step <= DEPTH; ++step) {
        for (int ty = threadIdx.y + step; ty < height - step; ty += blockDim.y) {
            for (int tx = threadIdx.x + step; tx < width - step; tx += blockDim.x) {
                const int at = ty * width + tx;
                const float u = now[at];
                next[at] = u + r * (now[at + 1] + now[at - 1] + now[at + width] + now[at - width] - 4.0f * u);
            }
        }
        __syncthreads();
        float* const before = now;
        now = next;
        next = before;
    }
    const int i = i0 + DEPTH + threadIdx.x, j = j0 + DEPTH + threadIdx.y;
    if (i < nx && j < ny) out[j * nx + i] = now[(threadIdx.y + DEPTH) * width + threadIdx.x + DEPTH];
}
