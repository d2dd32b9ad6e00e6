// The events of a vector as a list in device memory, a launch of its own before the gather.

// Numbers of those that fired, ascending, and how many they are: one block, for a gather that follows.
extern "C" __global__ void __launch_bounds__(1024)
compact(int* list, int* count, const unsigned char* __restrict__ events, int n) {
    __shared__ int found_by[2][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    int found = 0;
    for (int base = 0, round = 0; base < n; base += blockDim.x, ++round) {
        const int row = base + threadIdx.x;
        const bool active = row < n && events[row];
        const unsigned votes = __ballot_sync(~0u, active);
        if (lane == 0) found_by[round & 1][warp] = __popc(votes);
        __syncthreads();
        int place = found;
        for (int other = 0; other < warps; ++other) {
            if (other < warp) place += found_by[round & 1][other];
            found += found_by[round & 1][other];
        }
        if (active) list[place + __popc(votes & ((1u << lane) - 1))] = row;
    }
    if (threadIdx.x == 0) *count = found;
}
