// Mean and exact percentiles of each row of numbers: one block per row, radix selection on the bits of floats.
//
// Floats in order are their bits in order once negative ones are inverted and the others get the sign bit. Three passes
// over a row (11, 11, 10 bits) narrow each percentile to one value: the element of rank floor(q (m - 1)) among the m
// numbers of the row that are not NaN. The last also finds the next in order, and between the two is interpolated, as
// NumPy does. Values in double are selected as floats. No atomic on memory, no order of threads matters: the result is
// the same every time.
// Bytes: a row is read 10 times, from the cache if it fits there.
//
// variants: -DREAL=float; -DREAL=double

constexpr int THREADS = 256;
constexpr int BINS = 2048;
constexpr int QUANTILES = 3;

__device__ __forceinline__ unsigned ordered(float value) {
    const unsigned bits = *reinterpret_cast<const unsigned*>(&value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ __forceinline__ float restored(unsigned key) {
    const unsigned bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
    return *reinterpret_cast<const float*>(&bits);
}

// out[row * 5]: count, mean, percentiles of the three shares.
extern "C" __global__ void __launch_bounds__(THREADS) row_bands(
    const REAL* __restrict__ values, double low, double middle, double high, double* __restrict__ out, int n,
    int stride) {
    __shared__ unsigned bins[BINS], partial[THREADS], found_bin, found_rank, next;
    __shared__ double sums[THREADS];
    const REAL* const row = values + (long long)blockIdx.x * stride;
    const int me = threadIdx.x;
    double sum = 0.0;
    unsigned count = 0;
#pragma unroll 1
    for (int i = me; i < n; i += THREADS) {
        const REAL value = row[i];
        if (value == value) {
            sum += value;
            ++count;
        }
    }
    sums[me] = sum;
    partial[me] = count;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (me < half) {
            sums[me] += sums[me + half];
            partial[me] += partial[me + half];
        }
        __syncthreads();
    }
    count = partial[0];
    double* const answer = out + (long long)blockIdx.x * (2 + QUANTILES);
    if (me == 0) {
        answer[0] = count;
        answer[1] = sums[0] / count;
    }
    if (count == 0) {
        if (me < QUANTILES) answer[2 + me] = nan("");
        return;
    }
    for (int which = 0; which < QUANTILES; ++which) {
        const double place = (which == 0 ? low : which == 1 ? middle : high) * (count - 1);
        const unsigned whole = (unsigned)place;
        unsigned rank = whole, key = 0;
        for (int pass = 0; pass < 3; ++pass) {
            const int shift = pass == 0 ? 21 : pass == 1 ? 10 : 0, bits = pass == 2 ? 10 : 11;
            const unsigned known = pass == 0 ? 0u : ~0u << (shift + bits);
            __syncthreads();
            for (int k = me; k < BINS; k += THREADS) bins[k] = 0;
            if (me == 0) next = ~0u;
            __syncthreads();
            unsigned beyond = ~0u;  // the least value that the bins do not hold
#pragma unroll 1
            for (int i = me; i < n; i += THREADS) {
                const float value = row[i];
                const unsigned own = ordered(value);
                if (value == value && (own & known) == key) atomicAdd(&bins[(own >> shift) & ((1u << bits) - 1)], 1u);
                if (value == value && (own & known) > key) beyond = min(beyond, own);
            }
            atomicMin(&next, beyond);
            __syncthreads();
            unsigned total = 0;
            for (int k = 0; k < BINS / THREADS; ++k) total += bins[me * (BINS / THREADS) + k];
            partial[me] = total;
            __syncthreads();
            if (me == 0) {
                unsigned before = 0;
                int group = 0;
                while (before + partial[group] <= rank) before += partial[group++];
                int bin = group * (BINS / THREADS);
                while (before + bins[bin] <= rank) before += bins[bin++];
                found_bin = bin;
                found_rank = rank - before;
                if (found_rank + 1 == bins[bin]) ++bin;
                while (bin < BINS && !bins[bin]) ++bin;
                if (bin < BINS) next = key | (unsigned)bin;  // of the last pass, the only one that counts
            }
            __syncthreads();
            key |= found_bin << shift;
            rank = found_rank;
        }
        if (me == 0) {
            const double below = restored(key), above = whole + 1 < count ? restored(next) : below;
            answer[2 + which] = below + (place - whole) * (above - below);
        }
    }
}
