// Blocks of a launch that wait for each other. The device must run all of them at once: a cooperative launch.
#pragma once

// counter: two zeros, and zeros again when all have left.
struct Group {
    unsigned* counter;  // arrivals at meetings; then blocks that are through
    unsigned blocks, meetings;

    // All that they wrote is there for all of them.
    __device__ __forceinline__ void meet()
    {
        __syncthreads();
        if (blocks == 1) return;
        if (threadIdx.x == 0) {
            const unsigned all = ++meetings * blocks;
            __threadfence();
            atomicAdd(counter, 1u);
            while ((int)(*(volatile unsigned*)counter - all) < 0) {}
            __threadfence();
        }
        __syncthreads();
    }

    // The last one leaves the counters as they were.
    __device__ __forceinline__ void leave() const
    {
        if (blocks == 1 || threadIdx.x) return;
        __threadfence();
        if (atomicAdd(counter + 1, 1u) == blocks - 1) counter[0] = counter[1] = 0;
    }
};
