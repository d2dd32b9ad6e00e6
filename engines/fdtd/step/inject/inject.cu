// What the sources add to E and H, and the lines that plane waves travel on.
//
// variants: -DREAL=float; -DREAL=double

#include "fdtd/step/inject/signals.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256)

// What the sources add: thread n looks at entry n, and takes all entries of its place if it is the first of them.
DEVICE void inject(
    REAL* __restrict__ field, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, const REAL* __restrict__ signals, const int count, const int n)
{
    if (n >= count || (n > 0 && places[n - 1] == places[n])) return;
    REAL value = field[places[n]];
    for (int m = n; m < count && places[m] == places[n]; ++m) value += weights[m] * signals[slots[m]];
    field[places[n]] = value;
}

// Currents and, of plane waves, H of their lines go to E, and what that changes of the step that H took goes to H; then E
// of the lines takes its step. A thread for each entry and for each node of the lines. lines: (count, 3) first signal,
// nodes − 1, place in line_table; line_table: for each line inverse, b, c, psi (n + 1 each) and cb (or db).
KERNEL inject_electric(
    REAL* __restrict__ e, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, const int count, REAL* __restrict__ h, const long long* __restrict__ h_places,
    const REAL* __restrict__ h_weights, const int* __restrict__ h_slots, const int h_count, REAL* __restrict__ signals,
    REAL* __restrict__ line_table, const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(e, places, weights, slots, signals, count, n);
    inject(h, h_places, h_weights, h_slots, signals, h_count, n);
    for (int line = 0; line < line_count; ++line) {
        const int first = lines[3 * line], length = lines[3 * line + 1];
        REAL* const t = line_table + lines[3 * line + 2];
        const int size = length + 1;
        if (n < 1 || n >= length) continue;
        REAL* const line_e = signals + first;
        const REAL* const line_h = line_e + size;
        const REAL d = line_h[n] - line_h[n - 1];
        const REAL psi = t[size + n] * t[3 * size + n] + t[2 * size + n] * d;
        t[3 * size + n] = psi;
        line_e[n] -= t[4 * size] * (d * t[n] + psi);
    }
}

KERNEL inject_magnetic(
    REAL* __restrict__ h, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, REAL* __restrict__ signals, const int count, REAL* __restrict__ line_table,
    const int* __restrict__ lines, const int line_count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    inject(h, places, weights, slots, signals, count, n);
    for (int line = 0; line < line_count; ++line) {
        const int first = lines[3 * line], length = lines[3 * line + 1];
        REAL* const t = line_table + lines[3 * line + 2];
        const int size = length + 1;
        if (n >= length) continue;
        const REAL* const line_e = signals + first;
        REAL* const line_h = signals + first + size;
        const REAL d = line_e[n + 1] - line_e[n];
        const REAL psi = t[size + n] * t[3 * size + n] + t[2 * size + n] * d;
        t[3 * size + n] = psi;
        line_h[n] -= t[4 * size] * (d * t[n] + psi);
    }
}

KERNEL drive(
    REAL* __restrict__ signals, const REAL* __restrict__ values, const int* __restrict__ drives, const int count,
    const int row, const int half)
{
    set_signals(signals, values, drives, count, row, half, threadIdx.x);
}
