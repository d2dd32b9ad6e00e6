// What the sources add to E and H, and the lines that plane waves travel on.
//
// variants: -DREAL=float; -DREAL=double

#include "fdtd/step/inject/inject.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256)

// Currents and, of plane waves, H of their lines go to E, and what that changes of the step that H took goes to H; then E
// of the lines takes its step. A thread for each entry and for each node of the lines.
KERNEL inject_electric(
    REAL* __restrict__ e, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, const int count, REAL* __restrict__ h, const long long* __restrict__ h_places,
    const REAL* __restrict__ h_weights, const int* __restrict__ h_slots, const int h_count, REAL* __restrict__ signals,
    REAL* __restrict__ line_table, const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(e, places, weights, slots, signals, count, n);
    inject(h, h_places, h_weights, h_slots, signals, h_count, n);
    step_lines(signals, line_table, lines, line_count, n, false);
}

KERNEL inject_magnetic(
    REAL* __restrict__ h, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, REAL* __restrict__ signals, const int count, REAL* __restrict__ line_table,
    const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(h, places, weights, slots, signals, count, n);
    step_lines(signals, line_table, lines, line_count, n, true);
}

KERNEL drive(
    REAL* __restrict__ signals, const REAL* __restrict__ values, const int* __restrict__ drives, const int count,
    const int row, const int half)
{
    set_signals(signals, values, drives, count, row, half, threadIdx.x);
}
