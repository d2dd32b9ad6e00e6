// Weights that change with the spikes of both ends, in three launches after `deliver` (network.cu).
//
//   take_down   a warp per spike delivers its synapses' weights and takes these down by the targets' traces
//   take_up     a warp per spike takes up the synapses that it hears by their senders' traces
//   move_on     both traces of all neurons: a spike adds 1, then they decay to the next step
//
// words (synapses): target << 8 | delay [steps], sender; with 16 bits `late` (synapses) has the delay's above 8;
// listed: synapses by target. c: plastic.coefficients.
// Bytes per event: 12 read and 4 written for the synapse, 4 read for the trace, 8 for the sum it goes to.
//
// A weight is touched by one thread in each launch and rounded after every product and sum: bit for bit the CPU's.
//
// variants: -DDELAY=8; -DDELAY=16
#include "spiking/neurons/models.cuh"

__device__ __forceinline__ float bounded(F weight, const float* c) { return fminf(fmaxf(weight.v, c[4]), c[5]); }

// grid: any number of warps
extern "C" __global__ void __launch_bounds__(256)
take_down(const int* __restrict__ list, const int* __restrict__ counts, const long long* __restrict__ starts,
          const int2* __restrict__ words,
#if DELAY > 8
          const unsigned char* __restrict__ late,
#endif
          const float* __restrict__ c, float* weights, const float* __restrict__ heard, int* ring, unsigned long long* events, int n, int mask, int parity) {
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5), now = counts[2], count = counts[parity];
    for (int next = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); next < count; next += warps) {
        const int sender = list[next];
        const long long begin = starts[sender], end = starts[sender + 1];
        for (long long k = begin + lane; k < end; k += 32) {
            const int word = words[k].x;
            const F weight = F(weights[k]);
#if DELAY > 8
            const long long slot = (now + 1 + ((word & 255) | (late[k] << 8))) & mask;
#else
            const long long slot = (now + 1 + (word & 255)) & mask;
#endif
            atomicAdd(ring + slot * 2 * n + (word >> 8), (int)rintf((weight * F(c[8])).v));
            weights[k] = bounded(weight - (F(c[2]) + F(c[3]) * weight) * F(heard[word >> 8]), c);
        }
        if (lane == 0) atomicAdd(events, (unsigned long long)(end - begin));
    }
}

// grid: any number of warps
extern "C" __global__ void __launch_bounds__(256)
take_up(const int* __restrict__ list, const int* __restrict__ counts, const int2* __restrict__ words,
        const long long* __restrict__ into, const long long* __restrict__ listed, const float* __restrict__ c,
        float* weights, const float* __restrict__ sent, int parity) {
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5), count = counts[parity];
    for (int next = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); next < count; next += warps) {
        const int target = list[next];
        for (long long place = into[target] + lane; place < into[target + 1]; place += 32) {
            const long long k = listed[place];
            const F weight = F(weights[k]);
            weights[k] = bounded(weight + (F(c[0]) + F(c[1]) * weight) * F(sent[words[k].y]), c);
        }
    }
}

// grid: over neurons
extern "C" __global__ void __launch_bounds__(256)
move_on(const int* __restrict__ last, const int* __restrict__ counts, const float* __restrict__ c, float* sent, float* heard,
        int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const F spike = F(last[i] == counts[2] ? 1.0f : 0.0f);
    const F before = F(sent[i]) + spike, after = F(heard[i]) + spike;
    sent[i] = kept(before + before * F(c[6]));
    heard[i] = kept(after + after * F(c[7]));
}
