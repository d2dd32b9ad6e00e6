// Running Fourier sums of n values over the steps, in three ways, for the Kernel Lab alone:
//
//   sums[f][n] += x[n] e^{i w_f t}
//
// sums: (frequencies, 2, n), real parts and then imaginary ones; turns: (frequencies, samples, 2), cos and sin.
//
// one_frequency:   a launch for each frequency: x is read once for each, too
// all_frequencies: a launch for all: x is gathered once, each sum still read and written in every step
// gather, then gathered: S steps' values are kept, and all sums take them together: read and written once in S samples
//
// variants: -DS=16

#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#define MOST 128

struct __align__(8) Turn {
    float cosine, sine;
};

KERNEL one_frequency(
    float* __restrict__ sums, const float* __restrict__ x, const int frequency, const float cosine, const float sine,
    const int n)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float* const real = sums + 2 * size_t(frequency) * n + at;
    const float value = x[at];
    real[0] = fmaf(value, cosine, real[0]);
    real[n] = fmaf(value, sine, real[n]);
}

// At most MOST frequencies.
KERNEL all_frequencies(
    float* __restrict__ sums, const float* __restrict__ x, const Turn* __restrict__ turns, const int frequencies,
    const int n)
{
    __shared__ Turn shared[MOST];
    for (int f = threadIdx.x; f < frequencies; f += blockDim.x) shared[f] = turns[f];
    __syncthreads();
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    const float value = x[at];
    for (int f = 0; f < frequencies; ++f) {
        float* const real = sums + 2 * size_t(f) * n + at;
        real[0] = fmaf(value, shared[f].cosine, real[0]);
        real[n] = fmaf(value, shared[f].sine, real[n]);
    }
}

KERNEL gather(float* __restrict__ samples, const float* __restrict__ x, const int slot, const int n)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) samples[size_t(slot) * n + at] = x[at];
}

// At most MOST frequencies.
KERNEL gathered(
    float* __restrict__ sums, const float* __restrict__ samples, const Turn* __restrict__ turns, const int frequencies,
    const int n)
{
    __shared__ Turn shared[MOST * S];
    for (int t = threadIdx.x; t < frequencies * S; t += blockDim.x) shared[t] = turns[t];
    __syncthreads();
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float x[S];
#pragma unroll
    for (int s = 0; s < S; ++s) x[s] = samples[size_t(s) * n + at];
    for (int f = 0; f < frequencies; ++f) {
        float* const real = sums + 2 * size_t(f) * n + at;
        float cosines = 0.0f, sines = 0.0f;
#pragma unroll
        for (int s = 0; s < S; ++s) {
            cosines = fmaf(x[s], shared[f * S + s].cosine, cosines);
            sines = fmaf(x[s], shared[f * S + s].sine, sines);
        }
        real[0] += cosines;
        real[n] += sines;
    }
}
