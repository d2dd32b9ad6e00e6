// y[r] = sum over c of W[r, c] * [events[c]], n x n, in the ways of the report that this study follows, and a plain gather.
//
// scan_*: W postsynaptic-major (its row is an output's), a block per output: all of W is read, whatever fires.
// gather: W presynaptic-major (its row is a sender's), four columns per thread, no split over blocks.
// Bytes: 4 n^2 for scans, 4 n per event for the gather.

__device__ __forceinline__ void finish_row(float* y, float sum) {
    __shared__ float sums[16];
    for (int away = 16; away; away >>= 1) sum += __shfl_xor_sync(~0u, sum, away);
    if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (int warp = 0; warp < (int)(blockDim.x >> 5); ++warp) total += sums[warp];
        y[blockIdx.x] = total;
    }
}

extern "C" __global__ void __launch_bounds__(512)
scan_plain(float* y, const float* __restrict__ W, const unsigned char* __restrict__ events, int n) {
    const float* row = W + (long long)blockIdx.x * n;
    float sum = 0;
    for (int c = threadIdx.x; c < n; c += blockDim.x)
        if (events[c]) sum += row[c];
    finish_row(y, sum);
}

extern "C" __global__ void __launch_bounds__(512)
scan_ballot(float* y, const float* __restrict__ W, const unsigned char* __restrict__ events, int n) {
    const float* row = W + (long long)blockIdx.x * n;
    float sum = 0;
    for (int base = 0; base < n; base += blockDim.x) {
        const int c = base + threadIdx.x;
        const bool active = c < n && events[c];
        if (__ballot_sync(~0u, active) == 0) continue;
        if (active) sum += row[c];
    }
    finish_row(y, sum);
}

extern "C" __global__ void __launch_bounds__(512)
scan_predicated(float* y, const float* __restrict__ W, const unsigned char* __restrict__ events, int n) {
    const float* row = W + (long long)blockIdx.x * n;
    float sum = 0;
#pragma unroll 4
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        const float weight = row[c];
        sum += events[c] ? weight : 0.0f;
    }
    finish_row(y, sum);
}

extern "C" __global__ void __launch_bounds__(256)
gather(float* y, const float* __restrict__ W, const unsigned char* __restrict__ events, int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    float sum = 0;
    for (int r = 0; r < n; ++r)
        if (events[r]) sum += W[(long long)r * n + column];
    y[column] = sum;
}

// The spikes as bits: 32 senders are one word, which a warp shares; where none of them fired it goes on.
extern "C" __global__ void __launch_bounds__(512)
scan_bits(float* y, const float* __restrict__ W, const unsigned* __restrict__ bits, int n) {
    const float* row = W + (long long)blockIdx.x * n;
    const int lane = threadIdx.x & 31;
    float sum = 0;
    for (int c = threadIdx.x; c - lane < n; c += blockDim.x) {
        const unsigned word = bits[c >> 5];
        if (word >> lane & 1) sum += row[c];
    }
    finish_row(y, sum);
}
