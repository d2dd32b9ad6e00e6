// Reaction of the groups of 32 cells that are due, a warp each (multirate.cu says which those are).
#pragma once

// due: (*count) groups; waiting: (groups) steps since each reacted, this one included; set to 0
// hold: (groups) steps for which a group still reacts at each one; low, high: (groups) mV, extremes after the reaction
// quiet: mV/ms, the ionic current above which a group is held for hold_steps
#define GROUPS_DUE                                                                                                    \
    const int *__restrict__ due, const int *__restrict__ count, int *__restrict__ waiting, int *__restrict__ hold,    \
        REAL *__restrict__ low, REAL *__restrict__ high, REAL quiet, int hold_steps
// The loop over groups keeps constants in registers; aiming at two blocks at once, the compiler would spill some in double.
#define GROUPS_LAUNCH_BOUNDS __launch_bounds__(256, sizeof(REAL) == 8 ? 1 : 2)
#define THESE_GROUPS_DUE due, count, waiting, hold, low, high, quiet, hold_steps

// react_cell(i, elapsed) steps cell i by ``elapsed`` ms and returns its voltage then.
template <typename ReactCell>
__device__ __forceinline__ void react_due(GROUPS_DUE, const REAL* voltage, REAL dt, long long n_cells,
                                          ReactCell react_cell) {
    const int lane = threadIdx.x & 31;
    const int warps_of_block = blockDim.x >> 5;
    const int n = *count;
#pragma unroll 1
    for (int k = blockIdx.x * warps_of_block + (threadIdx.x >> 5); k < n; k += gridDim.x * warps_of_block) {
        const int group = due[k];
        const REAL elapsed = static_cast<REAL>(waiting[group]) * dt;
        const long long i = 32LL * group + lane;
        REAL lowest = static_cast<REAL>(1e30), highest = static_cast<REAL>(-1e30);
        bool busy = false;
        if (i < n_cells) {
            const REAL before = voltage[i];
            const REAL after = react_cell(i, elapsed);
            const REAL change = after - before;
            lowest = highest = after;
            busy = change > quiet * elapsed || -change > quiet * elapsed;
        }
        for (int apart = 16; apart > 0; apart >>= 1) {
            const REAL other_low = __shfl_xor_sync(0xffffffffu, lowest, apart);
            const REAL other_high = __shfl_xor_sync(0xffffffffu, highest, apart);
            lowest = other_low < lowest ? other_low : lowest;
            highest = other_high > highest ? other_high : highest;
        }
        busy = __any_sync(0xffffffffu, busy);
        if (lane == 0) {
            low[group] = lowest;
            high[group] = highest;
            waiting[group] = 0;
            if (busy) hold[group] = hold_steps;
        }
    }
}
