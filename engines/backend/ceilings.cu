// STREAM copy and triad with 16-byte accesses: what this device's memory can deliver.
//
// copy   c = a              32 bytes per float4
// triad  a = b + s c        48 bytes per float4, 8 flops

#define EACH(i, n)                                                                        \
    const long long step = (long long)gridDim.x * blockDim.x;                             \
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)

extern "C" __global__ void stream_fill(float4* __restrict__ a, float value, long long n) {
    EACH(i, n) a[i] = make_float4(value, value, value, value);
}

extern "C" __global__ void stream_copy(const float4* __restrict__ a, float4* __restrict__ c, long long n) {
    EACH(i, n) c[i] = a[i];
}

extern "C" __global__ void stream_triad(const float4* __restrict__ b, const float4* __restrict__ c,
                                        float4* __restrict__ a, float s, long long n) {
    EACH(i, n) {
        const float4 x = b[i], y = c[i];
        a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
}
