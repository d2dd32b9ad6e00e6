// Of each side of a grid: the sum over its cells of k (held − u), in double. Blocks along y are sides, those along x
// share a side's cells; the host adds their sums, in the same order every time.
// Bytes: the cells at the sides, once.
//
// variants: -DREAL=float; -DREAL=double

constexpr int THREADS = 256;

struct Side {
    long long first, rows, row_stride, columns, column_stride, k;
};

// k: conductivities of all sides' cells one after the other, from Side::k on; null where it is 1.
extern "C" __global__ void __launch_bounds__(THREADS) inflows(
    const REAL* __restrict__ u, const Side* __restrict__ sides, const double* __restrict__ held,
    const REAL* __restrict__ k, double* __restrict__ out) {
    __shared__ double sums[THREADS];
    const Side side = sides[blockIdx.y];
    const double value = held[blockIdx.y];
    double sum = 0.0;
#pragma unroll 1
    for (long long i = blockIdx.x * THREADS + threadIdx.x; i < side.rows * side.columns; i += gridDim.x * THREADS) {
        const long long row = i / side.columns, column = i - row * side.columns;
        const double drop = value - u[side.first + row * side.row_stride + column * side.column_stride];
        sum += k == nullptr ? drop : k[side.k + i] * drop;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = sums[0];
}
