// Three fields that diffuse and feed each other in a ring, in three layouts.
//
//   f_k' = f_k + r (sum of the 4 neighbours of f_k - 4 f_k) + s (f_{k+1} - f_{k+2}),   k = 0, 1, 2 in a ring, periodic
//
// 12 bytes read and 12 written per point; 3 (4 adds, 1 fma; 2 fma; 1 sub) = 30 flops.
//
// arrays:      one array per field, (3, ny, nx): consecutive threads read consecutive floats
// structures:  struct {float a, b, c} grid[ny][nx]: consecutive threads read floats 12 bytes apart
// padded:      the same with a fourth float, read as one 16-byte access; a third more traffic

struct Three {
    float a, b, c;
};

__device__ __forceinline__ Three updated(Three left, Three right, Three up, Three down, Three here, float r, float s) {
    Three next;
    next.a = here.a + r * (right.a + left.a + down.a + up.a - 4.0f * here.a) + s * (here.b - here.c);
    next.b = here.b + r * (right.b + left.b + down.b + up.b - 4.0f * here.b) + s * (here.c - here.a);
    next.c = here.c + r * (right.c + left.c + down.c + up.c - 4.0f * here.c) + s * (here.a - here.b);
    return next;
}

#define POINT(nx, ny)                                                        \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                     \
    const int j = blockIdx.y * blockDim.y + threadIdx.y;                     \
    if (i >= nx || j >= ny) return;                                          \
    const int here = j * nx + i;                                             \
    const int left = j * nx + ((i == 0) ? nx - 1 : i - 1);                   \
    const int right = j * nx + ((i == nx - 1) ? 0 : i + 1);                  \
    const int up = ((j == 0) ? ny - 1 : j - 1) * nx + i;                     \
    const int down = ((j == ny - 1) ? 0 : j + 1) * nx + i;

__device__ __forceinline__ Three from_arrays(const float* __restrict__ in, int at, int size) {
    return Three{in[at], in[at + size], in[at + 2 * size]};
}

extern "C" __global__ void layout_arrays(float* __restrict__ out, const float* __restrict__ in, int nx, int ny,
                                         float r, float s) {
    POINT(nx, ny)
    const int size = nx * ny;
    const Three next = updated(from_arrays(in, left, size), from_arrays(in, right, size), from_arrays(in, up, size),
                               from_arrays(in, down, size), from_arrays(in, here, size), r, s);
    out[here] = next.a;
    out[here + size] = next.b;
    out[here + 2 * size] = next.c;
}

extern "C" __global__ void layout_structures(Three* __restrict__ out, const Three* __restrict__ in, int nx, int ny,
                                             float r, float s) {
    POINT(nx, ny)
    out[here] = updated(in[left], in[right], in[up], in[down], in[here], r, s);
}

__device__ __forceinline__ Three from_padded(float4 p) { return Three{p.x, p.y, p.z}; }

extern "C" __global__ void layout_padded(float4* __restrict__ out, const float4* __restrict__ in, int nx, int ny,
                                         float r, float s) {
    POINT(nx, ny)
    const Three next = updated(from_padded(in[left]), from_padded(in[right]), from_padded(in[up]),
                               from_padded(in[down]), from_padded(in[here]), r, s);
    out[here] = make_float4(next.a, next.b, next.c, 0.0f);
}
