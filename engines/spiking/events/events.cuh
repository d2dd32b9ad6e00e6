// Events on their way into a product: what a block's share of them is, as a list in shared memory.
//
// given: of a kind, see kinds.py.

#include "spiking/events/kinds.cuh"
#define AT_ONCE 8
#define MOST_WARPS 16

struct Event {
    int row;
    float value;
};

// Bit i: there is an event in row 8 * pack + i.
__device__ __forceinline__ unsigned event_bits(const void* given, int kind, long long pack) {
    unsigned bits = 0;
    if (kind == Given::BYTES) {
        const uint2 eight = __ldg(static_cast<const uint2*>(given) + pack);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            bits |= (eight.x >> 8 * i & 0xffu ? 1u : 0u) << i;
            bits |= (eight.y >> 8 * i & 0xffu ? 1u : 0u) << (4 + i);
        }
    } else {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float4 four = __ldg(static_cast<const float4*>(given) + 2 * pack + half);
            bits |= (unsigned)(four.x != 0.0f) << 4 * half | (unsigned)(four.y != 0.0f) << (4 * half + 1) |
                    (unsigned)(four.z != 0.0f) << (4 * half + 2) | (unsigned)(four.w != 0.0f) << (4 * half + 3);
        }
    }
    return bits;
}

// Calls use(list, found) for the events of share `part` of `parts`, of vector `batch`, as often as the list is full, and
// at the end. All of a block calls it; list has room for 8 * blockDim.x. Packs of 64 rows are dealt out in turn, so shares
// are alike wherever the events are. The order in the list follows from the events alone: ballots, no atomics.
// row_scale multiplies the values of a row's events, if it is not null.
template <typename Use>
__device__ __forceinline__ void for_events(const void* given, const int* count, const float* values, int kind, int rows,
                                           int pitch, int batch, int part, int parts,
                                           const float* __restrict__ row_scale, Event* list, Use use) {
    __shared__ int found_by[2][MOST_WARPS];
    const int threads = blockDim.x, room = AT_ONCE * threads;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = threads >> 5;
    const int all = kind == Given::LIST ? min(*count, rows) : 0;
    int next = (int)((long long)all * part / parts);
    const int stop = (int)((long long)all * (part + 1) / parts);
    const int packs = pitch >> 3, chunks = (packs + 7) >> 3;
    const int rounds = kind == Given::LIST ? 0 : ((chunks + parts - 1) / parts * 8 + threads - 1) / threads;
    const long long first_pack = (long long)batch * packs;
    auto pack_of = [&](int round) { return ((((round * threads + (int)threadIdx.x) >> 3) * parts + part) << 3) + (lane & 7); };
    auto bits_of = [&](int round) {
        const int pack = pack_of(round);
        return round < rounds && pack < packs ? event_bits(given, kind, first_pack + pack) : 0u;
    };
    unsigned bits = bits_of(0), ahead = bits_of(1);
    int round = 0;
    for (;;) {
        int found = 0;
        if (kind == Given::LIST) {
            found = min(room, stop - next);
            for (int k = threadIdx.x; k < found; k += threads) {
                const int row = static_cast<const int*>(given)[next + k];
                const float value = values ? values[next + k] : 1.0f;
                list[k].row = row;
                list[k].value = row_scale ? value * row_scale[row] : value;
            }
            next += found;
        }
        for (; round < rounds; ++round) {
            int of_warp = 0;
#pragma unroll
            for (int i = 0; i < 8; ++i) of_warp += __popc(__ballot_sync(~0u, bits >> i & 1));
            if (lane == 0) found_by[round & 1][warp] = of_warp;
            __syncthreads();
            int place = found, total = 0;
            for (int other = 0; other < warps; ++other) {
                const int many = found_by[round & 1][other];
                if (other < warp) place += many;
                total += many;
            }
            if (found + total > room) break;  // this round comes after those that are listed
            if (of_warp) {
                const int row = pack_of(round) << 3;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    const unsigned votes = __ballot_sync(~0u, bits >> i & 1);
                    if (bits >> i & 1) {
                        const float value =
                            kind == Given::FLOATS ? static_cast<const float*>(given)[8 * first_pack + row + i] : 1.0f;
                        Event* const event = list + place + __popc(votes & ((1u << lane) - 1));
                        event->row = row + i;
                        event->value = row_scale ? value * row_scale[row + i] : value;
                    }
                    place += __popc(votes);
                }
            }
            found += total;
            bits = ahead;
            ahead = bits_of(round + 2);
        }
        __syncthreads();
        use(list, found);
        if (round >= rounds && next >= stop) return;
        __syncthreads();
    }
}

// The value of an event, 0 where there is none; kinds BYTES and FLOATS.
__device__ __forceinline__ float value_at(const void* given, int kind, long long place) {
    return kind == Given::FLOATS ? __ldg(static_cast<const float*>(given) + place)
                          : (__ldg(static_cast<const unsigned char*>(given) + place) ? 1.0f : 0.0f);
}
