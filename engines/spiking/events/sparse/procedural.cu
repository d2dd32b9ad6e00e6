// Products with a matrix that is not stored: targets and weights of a row are drawn again at each use.
//
//   push_drawn   adds what the rows with an event send, as `push` of sparse.cu does, whose `finish` follows
//   pull_drawn   out[b, r] = sum over the row's synapses of weight * events[b, target]
//
// Synapses 2 q and 2 q + 1 of row r come from the four words of Philox-4x32-10 (Salmon et al. 2011) with the counter
// (q, r, 0, 0) and the seed as key: target = word * columns / 2^32, weight = low + span * (word >> 8) / 2^24, each operation
// rounded, so that the CPU draws the same bits. Bytes: none but a sum read and written per synapse; some 60 instructions each.

#include "formulas/noise/philox.cuh"
#include "spiking/events/events.cuh"

__device__ __forceinline__ int target_of(unsigned word, int columns) {
    return (int)((unsigned long long)word * (unsigned)columns >> 32);
}

__device__ __forceinline__ float weight_of(unsigned word, float low, float span) {
    return __fadd_rn(low, __fmul_rn(span, (float)(word >> 8) * 5.9604644775390625e-8f));
}

// grid: (shares, batch); dynamic shared memory: 64 bytes per thread
extern "C" __global__ void __launch_bounds__(512, 1)
push_drawn(unsigned long long* sums, const void* __restrict__ given, const int* __restrict__ count,
           const float* __restrict__ values, int kind, const int* exponent, int power, int rows, int columns, int pitch,
           int number, unsigned key_low, unsigned key_high, float low, float span) {
    extern __shared__ uint4 memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, batch = blockIdx.y;
    const int used = exponent ? max(-120, min(120, power - exponent[batch])) : power;
    const int bits = (used + 127) << 23;
    const float scale = *reinterpret_cast<const float*>(&bits);
    unsigned long long* const own = sums + (long long)batch * columns;
    for_events(given, count, values, kind, rows, pitch, batch, blockIdx.x, gridDim.x, nullptr,
               reinterpret_cast<Event*>(memory), [&](const Event* list, int found) {
        for (int next = warp; next < found; next += warps) {
            const Event event = list[next];
            for (int pair = lane; 2 * pair < number; pair += 32) {
                const Words drawn = philox({(unsigned)pair, (unsigned)event.row, 0u, 0u}, key_low, key_high);
                float product = __fmul_rn(weight_of(drawn.y, low, span), event.value);
                atomicAdd(own + target_of(drawn.x, columns), (unsigned long long)(long long)(product * scale));
                if (2 * pair + 1 == number) continue;
                product = __fmul_rn(weight_of(drawn.w, low, span), event.value);
                atomicAdd(own + target_of(drawn.z, columns), (unsigned long long)(long long)(product * scale));
            }
        }
    });
}

// grid: (blocks of rows, a warp each; batch)
extern "C" __global__ void __launch_bounds__(256)
pull_drawn(float* out, const void* __restrict__ given, int kind, int rows, int columns, int pitch, int number,
           unsigned key_low, unsigned key_high, float low, float span) {
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    const long long events = (long long)blockIdx.y * pitch;
    float sum = 0;
    for (int pair = lane; 2 * pair < number; pair += 32) {
        const Words drawn = philox({(unsigned)pair, (unsigned)row, 0u, 0u}, key_low, key_high);
        sum = fmaf(weight_of(drawn.y, low, span), value_at(given, kind, events + target_of(drawn.x, columns)), sum);
        if (2 * pair + 1 < number)
            sum = fmaf(weight_of(drawn.w, low, span), value_at(given, kind, events + target_of(drawn.z, columns)), sum);
    }
    __syncwarp();
    for (int away = 16; away; away >>= 1) sum += __shfl_xor_sync(~0u, sum, away);
    if (lane == 0) out[(long long)blockIdx.y * rows + row] = sum;
}
