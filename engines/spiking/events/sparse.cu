// The same two sums for a sparse matrix, stored by presynaptic neuron: row r holds what neuron r sends.
//
//   scatter_rows, finish   out[targets[k]] += weights[k] for all k of rows with an event
//   gather_synapses        out[r] = sum of weights[k] * [events[targets[k]]] over the row's k
//
// Layout: starts (rows + 1) int64, targets and weights (synapses) int32 and float32.
// Bytes: 16 per synapse of a row with an event (target, weight, a sum read and written); 9 per synapse for the transpose.
//
// Reproducible: sums are 64-bit integers, weights * scale with scale a power of two so large that no sum overflows;
// integers add to the same in any order. The scaled weight is exact down to 2^-61 of the largest possible sum.

#define MOST_SPAN 256

// grid: stretches of `span` rows; sums: (columns) zero before the launch
extern "C" __global__ void __launch_bounds__(256)
scatter_rows(unsigned long long* sums, const long long* __restrict__ starts, const int* __restrict__ targets,
             const float* __restrict__ weights, const unsigned char* __restrict__ events, float scale, int rows,
             int span) {
    __shared__ int list[MOST_SPAN];
    __shared__ int count;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    const int first = blockIdx.x * span, stop = min(first + span, rows);
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (int base = first; base < stop; base += blockDim.x) {
        const int row = base + threadIdx.x;
        const bool active = row < stop && events[row];
        const unsigned votes = __ballot_sync(~0u, active);
        int place = 0;
        if (lane == 0 && votes) place = atomicAdd(&count, __popc(votes));
        place = __shfl_sync(~0u, place, 0);
        if (active) list[place + __popc(votes & ((1u << lane) - 1))] = row;
    }
    __syncthreads();
    for (int next = warp; next < count; next += warps) {
        const int row = list[next];
        const long long end = starts[row + 1];
        for (long long k = starts[row] + lane; k < end; k += 32)
            atomicAdd(sums + targets[k], (unsigned long long)(long long)(weights[k] * scale));
    }
}

// out = sums / scale, and the sums back to zero for the next product
extern "C" __global__ void __launch_bounds__(256)
finish(float* out, unsigned long long* sums, double inverse_scale, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    out[column] = (float)((double)(long long)sums[column] * inverse_scale);
    sums[column] = 0;
}

extern "C" __global__ void __launch_bounds__(256)
gather_synapses(float* out, const long long* __restrict__ starts, const int* __restrict__ targets,
                const float* __restrict__ weights, const unsigned char* __restrict__ events, int rows) {
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    float sum = 0;
    const long long end = starts[row + 1];
    for (long long k = starts[row] + lane; k < end; k += 32)
        if (events[targets[k]]) sum += weights[k];
    __syncwarp();
    for (int away = 16; away; away >>= 1) sum += __shfl_xor_sync(~0u, sum, away);
    if (lane == 0) out[row] = sum;
}
