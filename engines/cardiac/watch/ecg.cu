// Sums over all cells with weights, for a few leads at once:
//
//   value[lead] = sum_i weights[lead, i] (v_i - v_0)
//
// The weights of a lead add up to zero up to their rounding; the difference makes that of a constant voltage exact.
// Sums are in double and in an order that depends on the launch alone. weighted_sums leaves one sum for each block,
// sum_blocks (one block for each lead) adds them.
//
// Bytes per look and cell: R read once, 4 read per lead; R = sizeof(REAL).
//
// variants: -DREAL=float; -DREAL=double

#define THREADS 256

// The sum over a block, in thread 0; every thread calls it.
__device__ __forceinline__ double block_sum(double own, double* shared)
{
    shared[threadIdx.x] = own;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

// grid: (blocks, leads); weights: (leads, n_cells); partial: (leads, blocks)
extern "C" __global__ void __launch_bounds__(THREADS)
weighted_sums(const REAL* __restrict__ voltage, const float* __restrict__ weights, const long long n_cells,
              double* __restrict__ partial)
{
    __shared__ double shared[THREADS];
    const float* w = weights + blockIdx.y * n_cells;
    const double first = voltage[0];
    const long long step = (long long)gridDim.x * THREADS;
    double sum = 0.0;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n_cells; i += step)
        sum += (double)__ldcs(w + i) * ((double)voltage[i] - first);
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

// grid: (leads); value: (leads)
extern "C" __global__ void __launch_bounds__(THREADS)
sum_blocks(const double* __restrict__ partial, const int blocks, double* __restrict__ value)
{
    __shared__ double shared[THREADS];
    double sum = 0.0;
    for (int k = threadIdx.x; k < blocks; k += THREADS) sum += partial[blockIdx.x * blocks + k];
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) value[blockIdx.x] = sum;
}
