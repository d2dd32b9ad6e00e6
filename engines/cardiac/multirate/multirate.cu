// variants: -DREAL=float; -DREAL=double
//
// Which groups of 32 cells react in this step. A group is woken by a stimulus, or by a cell whose voltage has left the
// range of the group's last reaction by more than ``wake``; it then reacts at each step for ``hold_steps`` of them, and
// for as many again after each step with a large ionic current (groups.cuh). Others react every ``slow_steps``-th step,
// where their ``turn`` is the same, as that of neighbours is: each step costs about the same and reads whole stretches
// of memory. Reads the voltage and 24 bytes of each group.

#define WARPS 8

// voltage: (n_cells) mV after diffusion; voltage_before: at the start of the step; time: ms, or at *times; phase: the
// step modulo slow_steps, or at *phases. due: (groups), of which the first counts[parity] are filled, in no order;
// counts[1 - parity] becomes 0 for the next step.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
plan(const REAL* __restrict__ voltage, const REAL* __restrict__ voltage_before, REAL* __restrict__ activation,
     const unsigned* __restrict__ stimulus_mask, unsigned active, REAL threshold, REAL time,
     const REAL* __restrict__ times, REAL dt, int phase, const int* __restrict__ phases, int slow_steps,
     const int* __restrict__ turns, REAL wake, int hold_steps, const REAL* __restrict__ low, const REAL* __restrict__ high, int* __restrict__ hold,
     int* __restrict__ waiting, int* __restrict__ due, int* __restrict__ counts, int parity, long long n_cells,
     int groups) {
    __shared__ int listed[WARPS];
    __shared__ int start;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int group = blockIdx.x * WARPS + warp;
    const long long i = 32LL * group + lane;
    bool is_due = false;
    if (group < groups) {
        const REAL lowest = low[group], highest = high[group];
        const int held = hold[group], waited = waiting[group] + 1;
        bool woken = false;
        if (i < n_cells) {
            const REAL V = voltage[i];
            woken = V < lowest - wake || V > highest + wake;
            if (active != 0 && (stimulus_mask[i] & active) != 0) woken = true;
        }
        woken = __any_sync(0xffffffffu, woken);
        const int holding = woken ? hold_steps : held;
        const int now = phases ? *phases : phase;
        is_due = holding > 0 || (now + turns[group]) % slow_steps == 0;
        if (lane == 0) {
            hold[group] = holding > 0 ? holding - 1 : 0;
            waiting[group] = waited;
        }
        // A reaction sees to the crossings of its step. Without one they can only be near where the range has an end.
        if (!is_due && lowest <= threshold + wake && highest >= threshold - wake && i < n_cells) {
            const REAL after = voltage[i], before = voltage_before[i];
            if (before < threshold && after >= threshold && activation[i] < static_cast<REAL>(0))
                activation[i] = (times ? *times : time) + dt * ((threshold - before) / (after - before));
        }
    }
    if (lane == 0) listed[warp] = is_due;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int w = 0; w < WARPS; ++w) total += listed[w];
        start = total ? atomicAdd(counts + parity, total) : 0;
        if (blockIdx.x == 0) counts[1 - parity] = 0;
    }
    __syncthreads();
    if (lane == 0 && is_due) {
        int place = start;
        for (int w = 0; w < warp; ++w) place += listed[w];
        due[place] = group;
    }
}
