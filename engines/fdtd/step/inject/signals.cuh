// Signals of the sources.
#pragma once

#define DEVICE static __device__ __forceinline__

// signals[slot] <- values[row][n] of those drives whose `half` is as asked; thread `n` for one of them.
DEVICE void set_signals(
    REAL* __restrict__ signals, const REAL* __restrict__ values, const int* __restrict__ drives, const int count,
    const int row, const int half, const long long n)
{
    if (n < count && drives[2 * n + 1] == half) signals[drives[2 * n]] = values[row * count + n];
}
