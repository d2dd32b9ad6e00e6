// An explicit diffusion step with its border held at a value, in one kernel or in three passes through memory.
//
//   fused:     out = u + r (sum of neighbours - 4 u) inside, b on the border       4 bytes read, 4 written per point
//   separate:  l = laplacian of u; out = u + r l; out = b on the border           8 more read, 4 more written
//
// Layout: (ny, nx) row by row, 6 flops per point.

extern "C" __global__ void fusion_fused(float* __restrict__ out, const float* __restrict__ u, int nx, int ny, float r,
                                        float b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const int at = j * nx + i;
    float next = b;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
        const float c = u[at];
        next = c + r * (u[at + 1] + u[at - 1] + u[at + nx] + u[at - nx] - 4.0f * c);
    }
    out[at] = next;
}

// The passes share one list of arguments; ``l`` is between them.
extern "C" __global__ void fusion_laplacian(float* __restrict__ out, const float* __restrict__ u,
                                            float* __restrict__ l, int nx, int ny, float r, float b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i <= 0 || i >= nx - 1 || j <= 0 || j >= ny - 1) return;
    const int at = j * nx + i;
    l[at] = u[at + 1] + u[at - 1] + u[at + nx] + u[at - nx] - 4.0f * u[at];
}

extern "C" __global__ void fusion_update(float* __restrict__ out, const float* __restrict__ u,
                                         float* __restrict__ l, int nx, int ny, float r, float b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i <= 0 || i >= nx - 1 || j <= 0 || j >= ny - 1) return;
    const int at = j * nx + i;
    out[at] = u[at] + r * l[at];
}

// One thread per point of the border: the two rows first, then the two columns.
extern "C" __global__ void fusion_border(float* __restrict__ out, const float* __restrict__ u, float* __restrict__ l,
                                         int nx, int ny, float r, float b) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < nx) {
        out[t] = b;
    } else if (t < 2 * nx) {
        out[(ny - 1) * nx + t - nx] = b;
    } else if (t < 2 * nx + ny) {
        out[(t - 2 * nx) * nx] = b;
    } else if (t < 2 * nx + 2 * ny) {
        out[(t - 2 * nx - ny) * nx + nx - 1] = b;
    }
}
