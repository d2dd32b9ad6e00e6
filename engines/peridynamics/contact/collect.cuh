// An ordered list of the places whose bit is set: places of a list keep their order, so sums over it are always the same.
#pragma once
#define DEVICE static __device__ __forceinline__
#define DEVICE_MEMBER __device__ __forceinline__
constexpr int COLLECTORS = 1024;  // threads of the one block that collects

// mask: (words) a bit per place; list: (capacity) gets the places; returns how many there are in all. All threads of one
// block of COLLECTORS.
DEVICE int collect_bits(const unsigned* __restrict__ mask, const int words, int* __restrict__ list, const int capacity)
{
    __shared__ int counts[COLLECTORS];
    const int each = (words + COLLECTORS - 1) / COLLECTORS, t = threadIdx.x;
    const int first = min(t * each, words), last = min(first + each, words);
    int own = 0;
    for (int w = first; w < last; ++w) own += __popc(mask[w]);
    counts[t] = own;
    __syncthreads();
    for (int reach = 1; reach < COLLECTORS; reach *= 2) {
        const int before = t >= reach ? counts[t - reach] : 0;
        __syncthreads();
        counts[t] += before;
        __syncthreads();
    }
    int at = counts[t] - own;
    for (int w = first; w < last; ++w)
        for (unsigned left = mask[w]; left; left &= left - 1, ++at)
            if (at < capacity) list[at] = 32 * w + __ffs((int)left) - 1;
    return counts[COLLECTORS - 1];
}
