// Who fired in the last steps, appended to a list that the host takes over now and then; launched where somebody reads it.
//
// last (n): the step of each neuron's last spike; count: entries so far, also of those that found no room; kept (capacity):
// step and neuron. In so few `steps` that no neuron fires twice (its refractory time) the last spikes are all spikes.
// The order is that of the atomics: the host sorts. Bytes: 4 per neuron and look, 8 per spike.

// grid: over neurons
extern "C" __global__ void __launch_bounds__(256)
collect(const int* __restrict__ last, const int* __restrict__ clock, int steps, int n, unsigned* count, int2* kept,
        unsigned capacity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const int since = *clock - steps;
    const int step = i < n ? last[i] : since - 1;
    const bool fired = step >= since;
    const unsigned votes = __ballot_sync(~0u, fired);
    if (!votes) return;
    unsigned place = 0;
    if (lane == 0) place = atomicAdd(count, (unsigned)__popc(votes));
    place = __shfl_sync(~0u, place, 0) + __popc(votes & ((1u << lane) - 1));
    if (fired && place < capacity) kept[place] = make_int2(step, i);
}
