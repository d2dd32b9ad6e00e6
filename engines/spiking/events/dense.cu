// Sums of the rows of a dense matrix that a binary vector of events names, and its transpose: sums along rows.
//
//   gather_rows   out[c] = sum over r of weights[r, c] * [events[r]]
//   scan_rows     out[r] = sum over c of weights[r, c] * [events[c]]
//
// Layout: weights (rows, pitch) float32, row-major, pitch a multiple of 4 and at least the number of columns, the columns
// beyond it zero; events (rows) or (pitch) bytes, 0 or 1, the bytes beyond the last column zero. Row r is what neuron r
// sends, so that a spike reads one piece of memory.
//
// Bytes: 4 per weight of a row with an event (gather), of a pack of 16 bytes with an event (scan); a byte per event.
// Both move no more than a full scan at any density, so there is no switch between two kernels.
//
// Reproducible: a block has a fixed stretch of rows, compacts their events in ascending order (ballots, no atomics),
// and adds in that order; the last block of a tile adds the stretches' sums, again in ascending order. The sums depend on
// the events and the launch shape alone. All counts stay on the device, and one launch is all: a CUDA graph replays it.

#define MOST_SPAN 1024

__device__ __forceinline__ void add(float4& sum, float4 more) {
    sum.x += more.x;
    sum.y += more.y;
    sum.z += more.z;
    sum.w += more.w;
}

// grid: (tiles of 4 * blockDim.x columns, stretches of `span` rows); partial: (gridDim.y, pitch);
// arrived: (gridDim.x) zero before the launch and after it
extern "C" __global__ void __launch_bounds__(256)
gather_rows(float* out, const float* __restrict__ weights, const unsigned char* __restrict__ events, float* partial,
            unsigned* arrived, int rows, int pitch, int span) {
    __shared__ int list[MOST_SPAN];
    __shared__ int found_by[8];
    __shared__ int is_last;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    const int first = blockIdx.y * span, stop = min(first + span, rows);
    int found = 0;
    for (int base = first; base < stop; base += blockDim.x) {
        const int row = base + threadIdx.x;
        const bool active = row < stop && events[row];
        const unsigned votes = __ballot_sync(~0u, active);
        if (lane == 0) found_by[warp] = __popc(votes);
        __syncthreads();
        int before = found;
        for (int other = 0; other < warps; ++other) {
            if (other < warp) before += found_by[other];
            found += found_by[other];
        }
        if (active) list[before + __popc(votes & ((1u << lane) - 1))] = row;
        __syncthreads();
    }
    const int column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float4 sum = make_float4(0, 0, 0, 0);
    if (column < pitch) {
        int next = 0;
        for (; next + 8 <= found; next += 8) {  // eight loads are on their way before the first is used
            float4 loaded[8];
#pragma unroll
            for (int i = 0; i < 8; ++i)
                loaded[i] = __ldg(reinterpret_cast<const float4*>(weights + (long long)list[next + i] * pitch + column));
#pragma unroll
            for (int i = 0; i < 8; ++i) add(sum, loaded[i]);
        }
        for (; next < found; ++next)
            add(sum, __ldg(reinterpret_cast<const float4*>(weights + (long long)list[next] * pitch + column)));
        if (gridDim.y == 1)
            *reinterpret_cast<float4*>(out + column) = sum;
        else
            __stcg(reinterpret_cast<float4*>(partial + (long long)blockIdx.y * pitch + column), sum);
    }
    if (gridDim.y == 1) return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(arrived + blockIdx.x, 1u) == gridDim.y - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    if (column < pitch) {
        sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
        for (int stretch = 0; stretch < (int)gridDim.y; ++stretch)
            add(sum, __ldcg(reinterpret_cast<const float4*>(partial + (long long)stretch * pitch + column)));
        *reinterpret_cast<float4*>(out + column) = sum;
    }
    if (threadIdx.x == 0) arrived[blockIdx.x] = 0;
}

// A warp takes four rows, so that events are read once for four of them. A pack of four weights without an event is not
// read; where no sector of 32 bytes has one, nothing of it is moved.
extern "C" __global__ void __launch_bounds__(256)
scan_rows(float* out, const float* __restrict__ weights, const unsigned char* __restrict__ events, int rows, int pitch) {
    const int lane = threadIdx.x & 31;
    const int row = 4 * ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    if (row >= rows) return;
    float sums[4] = {0, 0, 0, 0};
    for (int column = 4 * lane; column < pitch; column += 128) {
        const unsigned four = __ldg(reinterpret_cast<const unsigned*>(events + column));
        if (!four) continue;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (row + i >= rows) break;
            const float4 loaded = __ldg(reinterpret_cast<const float4*>(weights + (long long)(row + i) * pitch + column));
            sums[i] += ((four & 0xffu ? loaded.x : 0.0f) + (four & 0xff00u ? loaded.y : 0.0f)) +
                       ((four & 0xff0000u ? loaded.z : 0.0f) + (four & 0xff000000u ? loaded.w : 0.0f));
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        for (int away = 16; away; away >>= 1) sums[i] += __shfl_xor_sync(~0u, sums[i], away);
        if (lane == 0 && row + i < rows) out[row + i] = sums[i];
    }
}
