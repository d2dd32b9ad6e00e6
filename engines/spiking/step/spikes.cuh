// Spikes of a step: what is counted of them, and the list of who fired.
#pragma once

// What is counted of a spike of neuron i at step `now`.
static __device__ __forceinline__ void count_spike(
    const int i, const int now, const int refractory, int* release, int* last, int* spikes, double* interval,
    double* interval_square)
{
    if (spikes[i]) {
        const double since = (double)(now - last[i]);
        interval[i] = __dadd_rn(interval[i], since);
        interval_square[i] = __dadd_rn(interval_square[i], __dmul_rn(since, since));
    }
    spikes[i] += 1;
    last[i] = now;
    release[i] = now + refractory;
}

// An entry of a list of spikes: the neuron, and from bit AGE on how many steps ago it fired.
#define AGE 24
#define SENDER ((1 << AGE) - 1)

// Those of a warp that fire, into the list: compacted by a ballot, one atomic per warp that has one. Returns who they are.
static __device__ __forceinline__ unsigned enlist(const bool fires, const int i, int* list, int* counter)
{
    const int lane = threadIdx.x & 31;
    const unsigned votes = __ballot_sync(~0u, fires);
    if (!votes) return 0;
    int place = 0;
    if (lane == 0) place = atomicAdd(counter, __popc(votes));
    place = __shfl_sync(~0u, place, 0);
    if (fires) list[place + __popc(votes & ((1u << lane) - 1))] = i;
    return votes;
}
