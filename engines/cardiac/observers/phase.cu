// The phase of each cell by delay embedding: atan2(v(t - delay) - origin, v(t) - origin), both voltages kept from looks.
// It grows through a beat: rest -3/4 pi, upstroke -1/4 pi, plateau 1/4 pi, repolarisation 3/4 pi.
//
// Bytes per cell: 2 R read, R written; R = sizeof(REAL).
//
// variants: -DREAL=float; -DREAL=double

__device__ __forceinline__ float angle(float y, float x) { return atan2f(y, x); }
__device__ __forceinline__ double angle(double y, double x) { return atan2(y, x); }

extern "C" __global__ void phase(const REAL* __restrict__ now, const REAL* __restrict__ then, const REAL origin,
                                 REAL* __restrict__ out, const long long n_cells)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n_cells) out[i] = angle(then[i] - origin, now[i] - origin);
}
