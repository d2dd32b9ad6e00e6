// What the sources add to a field, and the steps of the lines that plane waves travel on.
//
// lines: (count, 3) first signal, nodes − 1, place in line_table; line_table: for each line inverse, b, c, psi (n + 1 each)
// and cb (or db).
#pragma once

#include "fdtd/step/inject/signals.cuh"

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

// E of the lines at node n, from H as it is.
DEVICE void step_lines_electric(
    REAL* __restrict__ signals, REAL* __restrict__ line_table, const int* __restrict__ lines, const int line_count,
    const int n)
{
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

// H of the lines at half n, from E as it is.
DEVICE void step_lines_magnetic(
    REAL* __restrict__ signals, REAL* __restrict__ line_table, const int* __restrict__ lines, const int line_count,
    const int n)
{
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
