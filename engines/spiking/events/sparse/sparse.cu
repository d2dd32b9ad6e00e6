// The same two sums for a sparse matrix whose rows are those of formats.py, and small kernels about events.
//
//   push, finish     out[b, targets[k]] += weights[k] * events[b, r] for all k of the rows r with an event
//   pull_by_warp     out[b, r] = sum of weights[k] * events[b, targets[k]] over the row's k; for rows that lie in one piece
//   pull_by_thread   the same, for formats whose neighbouring rows lie beside each other (ELL by columns, SELL-C-sigma)
//   largest          exponent[b]: the least e with |events[b]| < 2^e
//   decide           gate: 1 if there are more than `limit` events, and pulling is faster
//   expand           a list as (rows) float32
//
// Layout: entry j of row r is at first[r] + j * stride, or r * row_step + j * stride if first is null; it has length[r]
// entries, or `width` if length is null. targets int32, weights as in weights.cuh; row_scale null or (rows) float32.
// gate: null, or 1 for pulling and 0 for pushing: kernels of the other way end at once.
//
// Bytes: per synapse of a row with an event, 4 + its weight's + 16 of a sum read and written (push); per synapse, 5 or 8
// with its weight's (pull), whatever fires.
//
// Reproducible: pushed sums are 64-bit integers, rounded products * 2^power with a power so large that no sum overflows;
// integers add to the same in any order. Pulled sums are added in a fixed order.
// variants: -DWEIGHTS=32; -DWEIGHTS=16; -DWEIGHTS=8

#include "spiking/events/weights.cuh"
#include "spiking/events/events.cuh"

// exponent: of the largest value, which is not known before graded events are there
__device__ __forceinline__ int used_power(int power, const int* exponent, int batch) {
    return exponent ? max(-120, min(120, power - exponent[batch])) : power;
}

// grid: (shares, batch); dynamic shared memory: 64 bytes per thread; sums: (batch, columns) zero before the first launch
extern "C" __global__ void __launch_bounds__(512, 1)
push(unsigned long long* sums, const long long* __restrict__ first, const int* __restrict__ length,
     const int* __restrict__ targets, const Weight* __restrict__ weights, const float* __restrict__ row_scale,
     const void* __restrict__ given, const int* __restrict__ count, const float* __restrict__ values, int kind,
     const int* exponent, const int* gate, int power, int rows, int columns, int pitch, int width, long long row_step,
     long long stride) {
    extern __shared__ uint4 memory[];
    if (gate && *gate) return;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, batch = blockIdx.y;
    const float scale = power_of_two(used_power(power, exponent, batch));
    unsigned long long* const own = sums + (long long)batch * columns;
    for_events(given, count, values, kind, rows, pitch, batch, blockIdx.x, gridDim.x, row_scale,
               reinterpret_cast<Event*>(memory), [&](const Event* list, int found) {
        for (int next = warp; next < found; next += warps) {
            const Event event = list[next];
            const long long start = first ? first[event.row] : event.row * row_step;
            const int many = length ? length[event.row] : width;
#pragma unroll 4
            for (int j = lane; j < many; j += 32) {
                const long long k = start + j * stride;
                const float product = __fmul_rn(decoded(weights[k]), event.value);
                atomicAdd(own + targets[k], (unsigned long long)(long long)(product * scale));
            }
        }
    });
}

// out = sums / 2^power, and the sums back to zero for the next product; grid: (blocks of columns, batch)
extern "C" __global__ void __launch_bounds__(256)
finish(float* out, unsigned long long* sums, const int* exponent, const int* gate, int power, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns || (gate && *gate)) return;
    const long long place = (long long)blockIdx.y * columns + column;
    const double unit = power_of_two(-used_power(power, exponent, blockIdx.y));
    out[place] = (float)((double)(long long)sums[place] * unit);
    sums[place] = 0;
}

// grid: (blocks of rows, a warp each; batch)
extern "C" __global__ void __launch_bounds__(256)
pull_by_warp(float* out, const long long* __restrict__ first, const int* __restrict__ length,
             const int* __restrict__ targets, const Weight* __restrict__ weights, const float* __restrict__ row_scale,
             const void* __restrict__ given, int kind, const int* gate, int rows, int pitch, int width, long long row_step) {
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows || (gate && !*gate)) return;
    const long long start = first ? first[row] : row * row_step, events = (long long)blockIdx.y * pitch;
    const int many = length ? length[row] : width;
    float sum = 0;
#pragma unroll 4
    for (int j = lane; j < many; j += 32)
        sum = fmaf(decoded(weights[start + j]), value_at(given, kind, events + targets[start + j]), sum);
    __syncwarp();
    for (int away = 16; away; away >>= 1) sum += __shfl_xor_sync(~0u, sum, away);
    if (lane == 0) out[(long long)blockIdx.y * rows + row] = row_scale ? sum * row_scale[row] : sum;
}

// grid: (blocks of rows, a thread each; batch); order: null, or the rows in the order in which they are stored
extern "C" __global__ void __launch_bounds__(256)
pull_by_thread(float* out, const long long* __restrict__ first, const int* __restrict__ length,
               const int* __restrict__ order, const int* __restrict__ targets, const Weight* __restrict__ weights,
               const float* __restrict__ row_scale, const void* __restrict__ given, int kind, const int* gate, int rows,
               int pitch, int width, long long row_step, long long stride) {
    const int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= rows || (gate && !*gate)) return;
    const int row = order ? order[place] : place;
    const long long start = first ? first[row] : row * row_step, events = (long long)blockIdx.y * pitch;
    const int many = length ? length[row] : width;
    float sum = 0;
#pragma unroll 8
    for (int j = 0; j < many; ++j) {
        const long long k = start + j * stride;
        sum = fmaf(decoded(weights[k]), value_at(given, kind, events + targets[k]), sum);
    }
    out[(long long)blockIdx.y * rows + row] = row_scale ? sum * row_scale[row] : sum;
}

#if WEIGHTS == 32
// grid: batch, a block each. Kind FLOATS: given (batch, pitch); kind LIST: values, the first *count.
extern "C" __global__ void __launch_bounds__(256)
largest(int* exponent, const void* __restrict__ given, const int* __restrict__ count,
        const float* __restrict__ values, int kind, int rows, int pitch) {
    __shared__ float of_warps[8];
    const float* const own = kind == Given::LIST ? values : static_cast<const float*>(given) + (long long)blockIdx.x * pitch;
    const int stop = kind == Given::LIST ? min(*count, rows) : rows;
    float most = 0;
    for (int k = threadIdx.x; k < stop; k += blockDim.x) most = max(most, fabs(own[k]));
    for (int away = 16; away; away >>= 1) most = max(most, __shfl_xor_sync(~0u, most, away));
    if ((threadIdx.x & 31) == 0) of_warps[threadIdx.x >> 5] = most;
    __syncthreads();
    if (threadIdx.x) return;
    for (int warp = 1; warp < (int)(blockDim.x >> 5); ++warp) most = max(most, of_warps[warp]);
    exponent[blockIdx.x] = (*reinterpret_cast<const int*>(&most) >> 23) - 126;
}

// One block; kinds BYTES and FLOATS, over all of the batch.
extern "C" __global__ void __launch_bounds__(256)
decide(int* gate, const void* __restrict__ given, const int* __restrict__ count, int kind, long long packs, int limit) {
    __shared__ int of_warps[8];
    int found = 0;
    if (kind == Given::LIST)
        found = threadIdx.x ? 0 : *count;
    else
        for (long long pack = threadIdx.x; pack < packs; pack += blockDim.x)
            found += __popc(event_bits(given, kind, pack));
    for (int away = 16; away; away >>= 1) found += __shfl_xor_sync(~0u, found, away);
    if ((threadIdx.x & 31) == 0) of_warps[threadIdx.x >> 5] = found;
    __syncthreads();
    if (threadIdx.x) return;
    for (int warp = 1; warp < (int)(blockDim.x >> 5); ++warp) found += of_warps[warp];
    *gate = found > limit;
}

// One block; out: (rows) float32
extern "C" __global__ void __launch_bounds__(512)
expand(float* out, const int* __restrict__ list, const int* __restrict__ count, const float* __restrict__ values,
       int rows) {
    for (int row = threadIdx.x; row < rows; row += blockDim.x) out[row] = 0;
    __syncthreads();
    const int stop = min(*count, rows);
    for (int k = threadIdx.x; k < stop; k += blockDim.x) out[list[k]] = values ? values[k] : 1.0f;
}
#endif
