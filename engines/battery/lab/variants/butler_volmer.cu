// Symmetric Butler-Volmer kinetics, written in the ways that people try; the engine's own are in kinetics/kinetics.cu.
//
//   j = 2 j0 sinh(u), u = half η, half = F/2RT;   backwards η = twice asinh(j/2j0), twice = 2RT/F
//
// η and j0 of each point are read and j is written: 12 bytes per point.

// As one writes it, and as dendrite does: two exponentials, which cancel near equilibrium.
extern "C" __global__ void butler_volmer_exponentials(float* __restrict__ j, const float* __restrict__ overpotential,
                                                      const float* __restrict__ exchange, int n, float half) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float u = half * overpotential[i];
    j[i] = exchange[i] * (expf(u) - expf(-u));
}

// The library's sinh: a series below 1 and an exponential above, in a branch.
extern "C" __global__ void butler_volmer_sinh(float* __restrict__ j, const float* __restrict__ overpotential,
                                              const float* __restrict__ exchange, int n, float half) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    j[i] = 2.0f * exchange[i] * sinhf(half * overpotential[i]);
}

// One e^|u| − 1 and a division: right everywhere, odd by construction, no branch.
extern "C" __global__ void butler_volmer_expm1(float* __restrict__ j, const float* __restrict__ overpotential,
                                               const float* __restrict__ exchange, int n, float half) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float u = half * overpotential[i];
    const float e = expm1f(fabsf(u));
    j[i] = exchange[i] * copysignf(e + __fdividef(e, e + 1.0f), u);
}

// The inverse, point by point.
extern "C" __global__ void butler_volmer_asinh(float* __restrict__ overpotential, const float* __restrict__ j,
                                               const float* __restrict__ exchange, int n, float twice) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    overpotential[i] = twice * asinhf(j[i] / (2.0f * exchange[i]));
}

// The inverse as a logarithm of a sum: loses small currents, and the sign has to be kept apart.
extern "C" __global__ void butler_volmer_log(float* __restrict__ overpotential, const float* __restrict__ j,
                                             const float* __restrict__ exchange, int n, float twice) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float y = j[i] / (2.0f * exchange[i]), size = fabsf(y);
    overpotential[i] = twice * copysignf(logf(size + sqrtf(size * size + 1.0f)), y);
}
