// STREAM copy and triad with 16-byte accesses: what this device's memory can deliver; and what it computes without.
//
// copy   c = a              32 bytes per float4
// mul    c = s a            32 bytes per float4, 4 flops
// add    c = a + b          48 bytes per float4, 4 flops
// triad  a = b + s c        48 bytes per float4, 8 flops
// read   sum of a           16 bytes per float4, 4 flops

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

extern "C" __global__ void stream_mul(const float4* __restrict__ a, float4* __restrict__ c, float s, long long n) {
    EACH(i, n) {
        const float4 x = a[i];
        c[i] = make_float4(s * x.x, s * x.y, s * x.z, s * x.w);
    }
}

extern "C" __global__ void stream_add(const float4* __restrict__ a, const float4* __restrict__ b,
                                      float4* __restrict__ c, long long n) {
    EACH(i, n) {
        const float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

// Four loads are on their way at a time. What is summed must seem to be used: ``never`` is a sum that does not occur.
extern "C" __global__ void stream_read(const float4* __restrict__ a, float* __restrict__ out, float never,
                                       long long n) {
    const long long step = (long long)gridDim.x * blockDim.x;
    float sum = 0.0f;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        const float4 p = a[i], q = a[i + step], r = a[i + 2 * step], s = a[i + 3 * step];
        sum += ((p.x + p.y) + (p.z + p.w)) + ((q.x + q.y) + (q.z + q.w));
        sum += ((r.x + r.y) + (r.z + r.w)) + ((s.x + s.y) + (s.z + s.w));
    }
    for (; i < n; i += step) {
        const float4 p = a[i];
        sum += (p.x + p.y) + (p.z + p.w);
    }
    if (sum == never) out[0] = sum;
}

// Eight chains x = x s + t per thread, which hide each other's latency: 16 flops a round, no memory. ``never`` as above.
extern "C" __global__ void multiply_add(float* __restrict__ out, float s, float t, float never, int rounds) {
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = fmaf(x[k], s, t);
    }
    const float sum = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
    if (sum == never) out[0] = sum;
}

extern "C" __global__ void empty() {}
