// The five-point Laplacian of a periodic field, written in the ways that people try.
//
//   y[j,i] = x[j,i+1] + x[j,i-1] + x[j+1,i] + x[j-1,i] - 4 x[j,i]
//
// Layout: (ny, nx) row by row. 4 bytes read and 4 written per point, 5 flops.

// The neighbour of an index just outside; tiles may lie further out, where any valid index serves.
__device__ __forceinline__ int wrapped(int i, int n) {
    if (i < 0) return i + n;
    if (i < n) return i;
    return i - n < n ? i - n : 0;
}

// One thread per point; neighbours come from the caches. The baseline.
extern "C" __global__ void laplace2d_naive(float* __restrict__ y, const float* x, int nx, int ny) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const int im = (i == 0) ? nx - 1 : i - 1;
    const int ip = (i == nx - 1) ? 0 : i + 1;
    const int jm = (j == 0) ? ny - 1 : j - 1;
    const int jp = (j == ny - 1) ? 0 : j + 1;
    const int c = j * nx + i;
    y[c] = x[j * nx + ip] + x[j * nx + im] + x[jp * nx + i] + x[jm * nx + i] - 4.0f * x[c];
}

// The same through the read-only path.
extern "C" __global__ void laplace2d_ldg(float* __restrict__ y, const float* __restrict__ x, int nx, int ny) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const int im = (i == 0) ? nx - 1 : i - 1;
    const int ip = (i == nx - 1) ? 0 : i + 1;
    const int jm = (j == 0) ? ny - 1 : j - 1;
    const int jp = (j == ny - 1) ? 0 : j + 1;
    const int c = j * nx + i;
    y[c] = __ldg(x + j * nx + ip) + __ldg(x + j * nx + im) + __ldg(x + jp * nx + i) + __ldg(x + jm * nx + i) -
           4.0f * __ldg(x + c);
}

// A tile with a rim of one point in shared memory: each point is loaded once per block, at the price of a barrier.
extern "C" __global__ void laplace2d_shared(float* __restrict__ y, const float* __restrict__ x, int nx, int ny) {
    extern __shared__ float tile[];  // (blockDim.y + 2) rows of (blockDim.x + 2)
    const int width = blockDim.x + 2;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = i < nx && j < ny;
    const int here = (threadIdx.y + 1) * width + threadIdx.x + 1;
    if (inside) {
        const int im = (i == 0) ? nx - 1 : i - 1;
        const int ip = (i == nx - 1) ? 0 : i + 1;
        const int jm = (j == 0) ? ny - 1 : j - 1;
        const int jp = (j == ny - 1) ? 0 : j + 1;
        tile[here] = x[j * nx + i];
        if (threadIdx.x == 0) tile[here - 1] = x[j * nx + im];
        if (threadIdx.x == blockDim.x - 1 || i == nx - 1) tile[here + 1] = x[j * nx + ip];
        if (threadIdx.y == 0) tile[here - width] = x[jm * nx + i];
        if (threadIdx.y == blockDim.y - 1 || j == ny - 1) tile[here + width] = x[jp * nx + i];
    }
    __syncthreads();
    if (!inside) return;
    y[j * nx + i] = tile[here + 1] + tile[here - 1] + tile[here + width] + tile[here - width] - 4.0f * tile[here];
}

// Four rows per thread: six loads of its own column serve four points.
extern "C" __global__ void laplace2d_coarse(float* __restrict__ y, const float* __restrict__ x, int nx, int ny) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= nx || first >= ny) return;
    const int im = (i == 0) ? nx - 1 : i - 1;
    const int ip = (i == nx - 1) ? 0 : i + 1;
    float column[6], side[4];
#pragma unroll
    for (int k = 0; k < 6; ++k) column[k] = x[wrapped(first - 1 + k, ny) * nx + i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int row = wrapped(first + k, ny) * nx;
        side[k] = x[row + ip] + x[row + im];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (first + k < ny) y[(first + k) * nx + i] = side[k] + column[k + 2] + column[k] - 4.0f * column[k + 1];
    }
}

// Four columns as one 16-byte access, four rows per thread, all loads before the first use. nx is a multiple of 4.
extern "C" __global__ void laplace2d_float4(float4* __restrict__ y, const float4* __restrict__ x, int nx, int ny) {
    const int quads = nx / 4;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= quads || first >= ny) return;
    const float* const points = (const float*)x;
    const int im = (i == 0) ? nx - 1 : 4 * i - 1;
    const int ip = (i == quads - 1) ? 0 : 4 * i + 4;
    float4 row[6];
    float left[4], right[4];
#pragma unroll
    for (int k = 0; k < 6; ++k) row[k] = x[wrapped(first - 1 + k, ny) * quads + i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int start = wrapped(first + k, ny) * nx;
        left[k] = points[start + im];
        right[k] = points[start + ip];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float4 up = row[k], c = row[k + 1], down = row[k + 2];
        if (first + k < ny) {
            y[(first + k) * quads + i] =
                make_float4(c.y + left[k] + down.x + up.x - 4.0f * c.x, c.z + c.x + down.y + up.y - 4.0f * c.y,
                            c.w + c.y + down.z + up.z - 4.0f * c.z, right[k] + c.z + down.w + up.w - 4.0f * c.w);
        }
    }
}

// cp.async: from global to shared memory without registers, from compute capability 8.0 on.
__device__ __forceinline__ void copy_behind(float* to, const float* from) {
#if __CUDA_ARCH__ >= 800
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
#else
    *to = *from;
#endif
}
__device__ __forceinline__ void end_of_tile() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
__device__ __forceinline__ void all_but_newest_tile() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

__device__ __forceinline__ void fetch_tile(float* tile, const float* __restrict__ x, int i0, int j0, int nx, int ny) {
    const int width = blockDim.x + 2, height = blockDim.y + 2;
    for (int ty = threadIdx.y; ty < height; ty += blockDim.y) {
        const int row = wrapped(j0 - 1 + ty, ny) * nx;
        for (int tx = threadIdx.x; tx < width; tx += blockDim.x) {
            copy_behind(tile + ty * width + tx, x + row + wrapped(i0 - 1 + tx, nx));
        }
    }
    end_of_tile();
}

// A block takes ``tiles`` tiles one below the other: while it computes one, the next is on its way into shared memory.
extern "C" __global__ void laplace2d_async(float* __restrict__ y, const float* __restrict__ x, int nx, int ny,
                                           int tiles) {
    extern __shared__ float tile[];  // two tiles of (blockDim.y + 2) rows of (blockDim.x + 2)
    const int width = blockDim.x + 2, size = width * (blockDim.y + 2);
    const int i0 = blockIdx.x * blockDim.x;
    const int first = blockIdx.y * tiles * blockDim.y;
    const int i = i0 + threadIdx.x;
    const int here = (threadIdx.y + 1) * width + threadIdx.x + 1;
    fetch_tile(tile, x, i0, first, nx, ny);
    for (int t = 0; t < tiles; ++t) {
        const int j0 = first + t * blockDim.y;
        if (j0 >= ny) break;  // the same for the whole block
        if (t + 1 < tiles && j0 + blockDim.y < ny) {
            fetch_tile(tile + ((t + 1) & 1) * size, x, i0, j0 + blockDim.y, nx, ny);
        } else {
            end_of_tile();  // an empty one, so that "all but the newest" still means this tile
        }
        all_but_newest_tile();
        __syncthreads();
        const float* const now = tile + (t & 1) * size;
        const int j = j0 + threadIdx.y;
        if (i < nx && j < ny) {
            y[j * nx + i] = now[here + 1] + now[here - 1] + now[here + width] + now[here - width] - 4.0f * now[here];
        }
        __syncthreads();  // this tile's memory is next but one's
    }
}
