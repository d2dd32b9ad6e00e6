// One look of the maps: where each cell is in its beat, and the times of what happened since the look before.
//
// A cell waits (level = WAITING; low follows the lowest voltage, no faster than a resting voltage falls but for a while
// after a beat) until it crosses the threshold upwards, with rest = low; then it is
// excited (peak follows the highest voltage, level = peak - fraction (peak - rest)) until it falls below its level.
// Times are linear between two looks. An upward crossing of an excited cell begins a beat of its own if the one before
// is at least REFRACTORY ago (less is the notch of the same beat); the rest of the beat before then stays.
//
// Bytes per cell and look where nothing happens: voltage, before and level read, before written: 4 R; R = sizeof(REAL).
//
// variants: -DREAL=float; -DREAL=double

#define WAITING REAL(-1e30)
#define REFRACTORY REAL(50)
#define SETTLING REAL(100)
#define FALL REAL(0.1)  // a dip of a ms at the edge of a stimulus is no resting voltage

extern "C" __global__ void look_maps(const REAL* __restrict__ voltage, REAL* __restrict__ before,
                                     REAL* __restrict__ level, REAL* __restrict__ low, REAL* __restrict__ peak,
                                     REAL* __restrict__ activation, REAL* __restrict__ repolarisation,
                                     REAL* __restrict__ duration, REAL* __restrict__ cycle,
                                     REAL* __restrict__ beats, REAL* __restrict__ rest, const REAL threshold,
                                     const REAL fraction, const REAL time, const REAL since,
                                     const long long n_cells)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_cells) return;
    const REAL v = voltage[i], b = before[i], end = level[i];
    before[i] = v;
    const bool excited = end > WAITING;
    if (b < threshold && v >= threshold) {
        const REAL at = time - since * ((v - threshold) / (v - b));
        if (!excited || at - activation[i] >= REFRACTORY) {
            if (activation[i] >= REAL(0)) cycle[i] = at - activation[i];
            beats[i] += REAL(1);
            activation[i] = at;
            peak[i] = v;
            rest[i] = low[i];
            level[i] = v - fraction * (v - low[i]);
            return;
        }
    }
    if (!excited) {
        const REAL lowest = low[i];
        if (!(v >= b) && v < lowest) {  // also where there was no look before: b is NaN
            const bool settles = repolarisation[i] >= REAL(0) && time - repolarisation[i] < SETTLING;
            const REAL fallen = lowest - FALL * since;
            low[i] = settles || b != b || v > fallen ? v : fallen;
        }
    } else if (v < end) {
        const REAL at = time - since * ((end - v) / (b - v));
        repolarisation[i] = at;
        duration[i] = at - activation[i];
        level[i] = WAITING;
        low[i] = v;
    } else if (v > b && v > peak[i]) {
        peak[i] = v;
        level[i] = v - fraction * (v - rest[i]);
    }
}

// What is excited, in one pass over these arrays:
//
//   seen[0..3] = latest activation [ms], most beats of a cell, cells that are in a beat, the first cell of most beats
//
// excited leaves these four for each block; join_excited (one block) makes the whole's of them, with the cycle length
// [ms] of that cell as the fourth. Bytes per look and cell: 3 R read.

#define THREADS 256
#define NOTHING -1e300
#define NOWHERE 1e300

__device__ __forceinline__ void join(double* seen, const double latest, const double beats, const double excited,
                                     const double cell)
{
    if (latest > seen[0]) seen[0] = latest;
    seen[2] += excited;
    if (beats > seen[1] || (beats == seen[1] && cell < seen[3])) {
        seen[1] = beats;
        seen[3] = cell;
    }
}

// What the threads of a block have seen, in thread 0; every thread calls it.
__device__ __forceinline__ void block_join(double* own, double (*shared)[4])
{
    double* mine = shared[threadIdx.x];
    for (int k = 0; k < 4; ++k) mine[k] = own[k];
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const double* other = shared[threadIdx.x + half];
            join(mine, other[0], other[1], other[2], other[3]);
        }
        __syncthreads();
    }
}

// grid: (blocks); partial: (blocks, 4)
extern "C" __global__ void __launch_bounds__(THREADS)
excited(const REAL* __restrict__ activation, const REAL* __restrict__ beats, const REAL* __restrict__ level,
        const long long n_cells, double* __restrict__ partial)
{
    __shared__ double shared[THREADS][4];
    double own[4] = {NOTHING, NOTHING, 0.0, NOWHERE};
    const long long step = (long long)gridDim.x * THREADS;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n_cells; i += step)
        join(own, activation[i], beats[i], level[i] > WAITING ? 1.0 : 0.0, (double)i);
    block_join(own, shared);
    if (threadIdx.x == 0)
        for (int k = 0; k < 4; ++k) partial[4 * blockIdx.x + k] = shared[0][k];
}

// grid: (1); seen: (4)
extern "C" __global__ void __launch_bounds__(THREADS)
join_excited(const double* __restrict__ partial, const int blocks, const REAL* __restrict__ cycle,
             double* __restrict__ seen)
{
    __shared__ double shared[THREADS][4];
    double own[4] = {NOTHING, NOTHING, 0.0, NOWHERE};
    for (int k = threadIdx.x; k < blocks; k += THREADS) {
        const double* one = partial + 4 * k;
        join(own, one[0], one[1], one[2], one[3]);
    }
    block_join(own, shared);
    if (threadIdx.x == 0) {
        for (int k = 0; k < 3; ++k) seen[k] = shared[0][k];
        seen[3] = shared[0][3] < NOWHERE ? (double)cycle[(long long)shared[0][3]] : -1.0;  // no cell: beats are NaN
    }
}
