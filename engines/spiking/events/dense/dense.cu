// Sums of the rows of a dense matrix that events name, and its transpose: sums along rows.
//
//   gather_rows   out[b, c] = sum over r of weights[r, c] * events[b, r]
//   scan_rows     out[b, r] = sum over c of weights[r, c] * events[b, c]
//
// Layout: weights (rows, packs_of_row) packs of 16 bytes, those beyond the last column 0, of which `packs` are used; events as in
// events.cuh. Row r is what neuron r sends, so that an event reads one piece of memory.
//
// Bytes: a weight's for each of a row with an event (gather), 32 per sector of a row with an event (scan); a byte, or 4,
// per neuron for the events. Both move no more than a full scan at any density, so there is no switch between two kernels.
//
// Reproducible: a block lists its share of the events (events.cuh), each group of its threads adds every so-manieth
// row of the list in order, the groups' sums are added in order, and the last block of a tile adds the shares' sums in order.
// The sums depend on events and launch shape alone. Counts stay on the device, one launch is all: a CUDA graph replays it.
// variants: -DWEIGHTS=32; -DWEIGHTS=16; -DWEIGHTS=8

#include "spiking/events/weights.cuh"
#include "spiking/events/events.cuh"

#define RUN 8

__device__ __forceinline__ void add(float* sums, float value, uint4 raw) {
    float weights[PACK];
    unpack(raw, weights);
#pragma unroll
    for (int i = 0; i < PACK; ++i) sums[i] = fmaf(value, weights[i], sums[i]);
}

// grid: (tiles of `lanes` packs * batch, shares); block: a multiple of 32 and of lanes; dynamic shared memory: 64 bytes per
// thread, the list and later the groups' sums; partial: (batch, shares, columns); arrived: (tiles * batch) zero before and after
extern "C" __global__ void __launch_bounds__(512, 1)
gather_rows(float* out, const uint4* __restrict__ weights, const float* __restrict__ row_scale,
            const void* __restrict__ given, const int* __restrict__ count, const float* __restrict__ values, int kind,
            float* partial, unsigned* arrived, int rows, int columns, int packs_of_row, int packs, int pitch, int batches,
            int lanes) {
    extern __shared__ uint4 memory[];
    __shared__ int is_last;
    const int batch = blockIdx.x % batches, tile = blockIdx.x / batches;
    const int group = threadIdx.x / lanes, groups = blockDim.x / lanes, pack = tile * lanes + threadIdx.x % lanes;
    const bool inside = pack < packs;
    float sums[PACK] = {};
    for_events(given, count, values, kind, rows, pitch, batch, blockIdx.y, gridDim.y, row_scale,
               reinterpret_cast<Event*>(memory), [&](const Event* list, int found) {
        if (!inside) return;
        const uint4* const column = weights + pack;
        int next = group;
        for (; next + (RUN - 1) * groups < found; next += RUN * groups) {  // so many loads are on their way at once
            uint4 loaded[RUN];
            float value[RUN];
#pragma unroll
            for (int i = 0; i < RUN; ++i) {
                const Event event = list[next + i * groups];
                value[i] = event.value;
                loaded[i] = __ldg(column + (long long)event.row * packs_of_row);
            }
#pragma unroll
            for (int i = 0; i < RUN; ++i) add(sums, value[i], loaded[i]);
        }
        uint4 loaded[RUN];
        float value[RUN];
#pragma unroll
        for (int i = 0; i < RUN; ++i) {  // what is left, again all at once
            value[i] = 0;
            loaded[i] = uint4{0, 0, 0, 0};
            if (next + i * groups >= found) continue;
            const Event event = list[next + i * groups];
            value[i] = event.value;
            loaded[i] = __ldg(column + (long long)event.row * packs_of_row);
        }
#pragma unroll
        for (int i = 0; i < RUN; ++i) add(sums, value[i], loaded[i]);
    });
    __syncthreads();  // the list is not read any more: its memory takes the sums
    float* const of_groups = reinterpret_cast<float*>(memory);
    const int width = lanes * PACK, first = tile * width, many = min(width, columns - first);
#pragma unroll
    for (int i = 0; i < PACK; i += 4)
        *reinterpret_cast<float4*>(of_groups + threadIdx.x * PACK + i) =
            make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
    __syncthreads();
    const bool only = gridDim.y == 1;
    for (int c = threadIdx.x; c < many; c += blockDim.x) {
        float sum = 0;
#pragma unroll 8
        for (int other = 0; other < groups; ++other) sum += of_groups[other * width + c];
        if (only)
            out[(long long)batch * columns + first + c] = sum;
        else
            __stcg(partial + ((long long)batch * gridDim.y + blockIdx.y) * columns + first + c, sum);
    }
    if (only) return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(arrived + blockIdx.x, 1u) == gridDim.y - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int c = threadIdx.x; c < many; c += blockDim.x) {
        float sum = 0;
#pragma unroll 8
        for (int part = 0; part < (int)gridDim.y; ++part)
            sum += __ldcg(partial + ((long long)batch * gridDim.y + part) * columns + first + c);
        out[(long long)batch * columns + first + c] = sum;
    }
    if (threadIdx.x == 0) arrived[blockIdx.x] = 0;
}

// grid: (blocks of rows, batch). A warp takes four rows, so that events are read once for four of them. A pack of weights
// without an event is not read; where no sector of 32 bytes has one, nothing of it is moved. Kinds BYTES and FLOATS;
// pitch of the events: a multiple of 16.
extern "C" __global__ void __launch_bounds__(256)
scan_rows(float* out, const uint4* __restrict__ weights, const float* __restrict__ row_scale,
          const void* __restrict__ given, int kind, int rows, int packs_of_row, int packs, int pitch) {
    const int lane = threadIdx.x & 31;
    const int row = 4 * ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    if (row >= rows) return;
    float sums[4] = {0, 0, 0, 0};
    for (int pack = lane; pack < packs; pack += 32) {
        const long long first = (long long)blockIdx.y * pitch + pack * PACK;
        float value[PACK];
        bool any = false;
#pragma unroll
        for (int i = 0; i < PACK; i += 4) {
            if (kind == Given::FLOATS) {
                const float4 four = __ldg(reinterpret_cast<const float4*>(static_cast<const float*>(given) + first + i));
                value[i] = four.x, value[i + 1] = four.y, value[i + 2] = four.z, value[i + 3] = four.w;
                any |= four.x != 0.0f || four.y != 0.0f || four.z != 0.0f || four.w != 0.0f;
            } else {
                const unsigned four =
                    __ldg(reinterpret_cast<const unsigned*>(static_cast<const unsigned char*>(given) + first + i));
#pragma unroll
                for (int k = 0; k < 4; ++k) value[i + k] = four >> 8 * k & 0xffu ? 1.0f : 0.0f;
                any |= four != 0;
            }
        }
        if (!any) continue;
        uint4 loaded[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            loaded[i] = __ldg(weights + (long long)min(row + i, rows - 1) * packs_of_row + pack);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float of_pack[PACK];
            unpack(loaded[i], of_pack);
#pragma unroll
            for (int k = 0; k < PACK; ++k) sums[i] = fmaf(value[k], of_pack[k], sums[i]);
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        for (int away = 16; away; away >>= 1) sums[i] += __shfl_xor_sync(~0u, sums[i], away);
        if (lane == 0 && row + i < rows)
            out[(long long)blockIdx.y * rows + row + i] = row_scale ? sums[i] * row_scale[row + i] : sums[i];
    }
}
