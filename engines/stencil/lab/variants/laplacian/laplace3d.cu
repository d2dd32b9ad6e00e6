// The seven-point Laplacian of a periodic field in three dimensions.
//
//   y[k,j,i] = x[k,j,i+1] + x[k,j,i-1] + x[k,j+1,i] + x[k,j-1,i] + x[k+1,j,i] + x[k-1,j,i] - 6 x[k,j,i]
//
// Layout: (nz, ny, nx), x fastest; fewer than 2^31 points. 4 bytes read and 4 written per point, 7 flops.

// One thread per point; neighbours come from the caches. The baseline.
extern "C" __global__ void laplace3d_naive(float* __restrict__ y, const float* __restrict__ x, int nx, int ny,
                                           int nz) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    const int plane = nx * ny, row = j * nx, here = k * plane + row + i;
    const int im = k * plane + row + ((i == 0) ? nx - 1 : i - 1);
    const int ip = k * plane + row + ((i == nx - 1) ? 0 : i + 1);
    const int jm = k * plane + ((j == 0) ? ny - 1 : j - 1) * nx + i;
    const int jp = k * plane + ((j == ny - 1) ? 0 : j + 1) * nx + i;
    const int km = ((k == 0) ? nz - 1 : k - 1) * plane + row + i;
    const int kp = ((k == nz - 1) ? 0 : k + 1) * plane + row + i;
    y[here] = x[ip] + x[im] + x[jp] + x[jm] + x[kp] + x[km] - 6.0f * x[here];
}

// A block marches through ``planes`` planes: the present one in shared memory, those below and above in registers.
extern "C" __global__ void laplace3d_shared(float* __restrict__ y, const float* __restrict__ x, int nx, int ny, int nz,
                                            int planes) {
    extern __shared__ float tile[];  // (blockDim.y + 2) rows of (blockDim.x + 2)
    const int width = blockDim.x + 2;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = i < nx && j < ny;
    const int here = (threadIdx.y + 1) * width + threadIdx.x + 1;
    const int plane = nx * ny, at = j * nx + i;
    const int im = j * nx + ((i == 0) ? nx - 1 : i - 1), ip = j * nx + ((i == nx - 1) ? 0 : i + 1);
    const int jm = ((j == 0) ? ny - 1 : j - 1) * nx + i, jp = ((j == ny - 1) ? 0 : j + 1) * nx + i;
    const int first = blockIdx.z * planes, stop = min(first + planes, nz);
    float below = 0.0f, centre = 0.0f;
    if (inside) {
        below = x[((first == 0) ? nz - 1 : first - 1) * plane + at];
        centre = x[first * plane + at];
    }
    for (int k = first; k < stop; ++k) {
        const int base = k * plane;
        float above = 0.0f;
        if (inside) {
            above = x[((k == nz - 1) ? 0 : k + 1) * plane + at];
            tile[here] = centre;
            if (threadIdx.x == 0) tile[here - 1] = x[base + im];
            if (threadIdx.x == blockDim.x - 1 || i == nx - 1) tile[here + 1] = x[base + ip];
            if (threadIdx.y == 0) tile[here - width] = x[base + jm];
            if (threadIdx.y == blockDim.y - 1 || j == ny - 1) tile[here + width] = x[base + jp];
        }
        __syncthreads();
        if (inside) {
            y[base + at] = tile[here + 1] + tile[here - 1] + tile[here + width] + tile[here - width] + above + below -
                           6.0f * centre;
        }
        __syncthreads();  // before the next plane overwrites the tile
        below = centre;
        centre = above;
    }
}

// A thread marches through ``planes`` planes with four columns in registers, 16-byte accesses, no shared memory; the
// neighbours in the plane come from the caches. nx is a multiple of 4.
extern "C" __global__ void laplace3d_march(float4* __restrict__ y, const float4* __restrict__ x, int nx, int ny,
                                           int nz, int planes) {
    const int quads = nx / 4;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= quads || j >= ny) return;
    const float* const points = (const float*)x;
    const int plane = quads * ny, at = j * quads + i;
    const int jm = ((j == 0) ? ny - 1 : j - 1) * quads + i, jp = ((j == ny - 1) ? 0 : j + 1) * quads + i;
    const int im = j * nx + ((i == 0) ? nx - 1 : 4 * i - 1), ip = j * nx + ((i == quads - 1) ? 0 : 4 * i + 4);
    const int first = blockIdx.z * planes, stop = min(first + planes, nz);
    float4 below = x[((first == 0) ? nz - 1 : first - 1) * plane + at];
    float4 c = x[first * plane + at];
    for (int k = first; k < stop; ++k) {
        const int base = k * plane;
        const float4 above = x[((k == nz - 1) ? 0 : k + 1) * plane + at];
        const float4 up = x[base + jm], down = x[base + jp];
        const float left = points[4 * base + im], right = points[4 * base + ip];
        y[base + at] = make_float4(c.y + left + down.x + up.x + above.x + below.x - 6.0f * c.x,
                                   c.z + c.x + down.y + up.y + above.y + below.y - 6.0f * c.y,
                                   c.w + c.y + down.z + up.z + above.z + below.z - 6.0f * c.z,
                                   right + c.z + down.w + up.w + above.w + below.w - 6.0f * c.w);
        below = c;
        c = above;
    }
}
