// What the sources add to a field, and the steps of the lines that plane waves travel on.
//
// lines: (count, 3) first signal, nodes − 1, place in line_table; line_table: for each line inverse, b, c, psi (n + 1 each)
// and cb (or db).
#pragma once

#include "fdtd/step/inject/signals.cuh"

// A value with what the entries from n on add to it that are of the same place, up to `count`.
DEVICE REAL with_entries(
    REAL value, const long long* __restrict__ places, const REAL* __restrict__ weights, const int* __restrict__ slots,
    const REAL* __restrict__ signals, const int count, const int n)
{
    for (int m = n; m < count && places[m] == places[n]; ++m) value += weights[m] * signals[slots[m]];
    return value;
}

// Thread n looks at entry n, and takes all entries of its place if it is the first of them.
DEVICE void inject(
    REAL* __restrict__ field, const long long* __restrict__ places, const REAL* __restrict__ weights,
    const int* __restrict__ slots, const REAL* __restrict__ signals, const int count, const int n)
{
    if (n >= count || (n > 0 && places[n - 1] == places[n])) return;
    field[places[n]] = with_entries(field[places[n]], places, weights, slots, signals, count, n);
}

// The lines at n: E of the nodes within from H as it is, or (`magnetic`) H of the halves from E.
DEVICE void step_lines(
    REAL* __restrict__ signals, REAL* __restrict__ line_table, const int* __restrict__ lines, const int line_count,
    const int n, const bool magnetic)
{
    for (int line = 0; line < line_count; ++line) {
        const int length = lines[3 * line + 1], size = length + 1;
        if (n < (magnetic ? 0 : 1) || n >= length) continue;
        REAL* const t = line_table + lines[3 * line + 2];
        REAL* const line_e = signals + lines[3 * line];
        REAL* const line_h = line_e + size;
        const REAL d = magnetic ? line_e[n + 1] - line_e[n] : line_h[n] - line_h[n - 1];
        const REAL psi = t[size + n] * t[3 * size + n] + t[2 * size + n] * d;
        t[3 * size + n] = psi;
        (magnetic ? line_h : line_e)[n] -= t[4 * size] * (d * t[n] + psi);
    }
}
