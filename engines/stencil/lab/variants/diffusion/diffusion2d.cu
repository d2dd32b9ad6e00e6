// One explicit diffusion step inside a border that stays as it is (dendrite's kernel, which leaves the border to the
// other buffer; here it is copied, so that the whole output is written).
//
//   out = c + rx (left - 2 c + right) + ry (top - 2 c + bottom)
//
// Layout: (ny, nx) row by row. 4 bytes read and 4 written per point, 10 flops.

extern "C" __global__ void diffusion2d_naive(float* __restrict__ out, const float* __restrict__ in, int nx, int ny,
                                             float rx, float ry) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const int at = j * nx + i;
    const float c = in[at];
    if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1) {
        out[at] = c;
        return;
    }
    const float left = in[at - 1], right = in[at + 1];
    const float top = in[at - nx], bottom = in[at + nx];
    out[at] = c + rx * (left - 2.0f * c + right) + ry * (top - 2.0f * c + bottom);
}

// Four columns and four rows per thread, 16-byte accesses, all loads before the first use. nx is a multiple of 4.
extern "C" __global__ void diffusion2d_float4(float4* __restrict__ out, const float4* __restrict__ in, int nx, int ny,
                                              float rx, float ry) {
    const int quads = nx / 4;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= quads || first >= ny) return;
    const float* const points = (const float*)in;
    const int im = (i == 0) ? 0 : 4 * i - 1;
    const int ip = (i == quads - 1) ? nx - 1 : 4 * i + 4;
    float4 row[6];
    float left[4], right[4];
#pragma unroll
    for (int k = 0; k < 6; ++k) row[k] = in[min(max(first - 1 + k, 0), ny - 1) * quads + i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int start = min(first + k, ny - 1) * nx;
        left[k] = points[start + im];
        right[k] = points[start + ip];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int j = first + k;
        if (j >= ny) break;
        const float4 up = row[k], c = row[k + 1], down = row[k + 2];
        float4 next = make_float4(c.x + rx * (left[k] - 2.0f * c.x + c.y) + ry * (up.x - 2.0f * c.x + down.x),
                                  c.y + rx * (c.x - 2.0f * c.y + c.z) + ry * (up.y - 2.0f * c.y + down.y),
                                  c.z + rx * (c.y - 2.0f * c.z + c.w) + ry * (up.z - 2.0f * c.z + down.z),
                                  c.w + rx * (c.z - 2.0f * c.w + right[k]) + ry * (up.w - 2.0f * c.w + down.w));
        if (j == 0 || j == ny - 1) next = c;
        if (i == 0) next.x = c.x;
        if (i == quads - 1) next.w = c.w;
        out[j * quads + i] = next;
    }
}
