// What a run is watched by: sums over all particles, in one pass, and sums over lists of them.
//
// u, v, inner, pushes: (d, size), as in the solver; inner: what bonds add to a velocity in a step; pushes: what contact does, or
// null. energy, damage, lost, whole, along: (size); mass, volume: (size), or null where all are
// one; table: (kinds, 4, d) of this moment: acceleration, held or not, displacement, velocity; kind: (size) its row, 0: none.
// Velocities are half a step old once the run has begun; what forces add in half a step is put on top.
//
// variants: -DREAL=float; -DREAL=double
#define THREADS 256
constexpr int SUMS = 8;  // and the farthest

// found: (9) work, damped, loss, elastic, work of half a step, damped in half a step, v·v m, bonds that hold, farthest of
// ``along`` with ``lost`` from threshold on; partial: (blocks, 9); ticket: 0.
extern "C" __global__ void __launch_bounds__(THREADS) totals(
    const REAL* __restrict__ v, const REAL* __restrict__ inner, const REAL* __restrict__ pushes,
    const REAL* __restrict__ energy, const double* __restrict__ work, const double* __restrict__ damped,
    const double* __restrict__ loss, const REAL* __restrict__ damage, const REAL* __restrict__ lost,
    const REAL* __restrict__ whole, const REAL* __restrict__ along, const unsigned char* __restrict__ kind,
    const REAL* __restrict__ mass, const REAL* __restrict__ volume, const double* __restrict__ table, const double decay,
    const int begun, const double threshold, const double nowhere, const int d, const int size, double* __restrict__ partial,
    int* __restrict__ ticket, double* __restrict__ found)
{
    __shared__ double shared[SUMS + 1][THREADS / 32];
    __shared__ int last;
    const int t = threadIdx.x;
    double sums[SUMS] = {0, 0, 0, 0, 0, 0, 0, 0}, farthest = nowhere;
    for (long long i = (long long)blockIdx.x * THREADS + t; i < size; i += (long long)gridDim.x * THREADS) {
        const double m = mass ? (double)mass[i] : 1.0, share = volume ? (double)volume[i] : 1.0;
        const int row = kind[i];
        sums[0] += work[i];
        sums[1] += damped[i];
        sums[2] += loss[i];
        sums[3] += (double)energy[i];
        for (int axis = 0; axis < d; ++axis) {
            const long long at = (long long)axis * size + i;
            const double before = v[at];
            double after = before;
            if (begun) {
                const double push = table[(4 * row) * d + axis], free = 1 - table[(4 * row + 1) * d + axis], pulled = (double)inner[at] + (pushes ? (double)pushes[at] : 0.0);
                const double mean = 0.5 * (1 + decay) * before + 0.25 * (1 + decay) * (pulled + push * share / m);
                if (row) sums[4] += 0.5 * (free * push * share - (1 - free) * pulled * m) * before;
                sums[5] += free * mean * before * m;
                after += 2 * free * (mean - before);
            }
            sums[6] += before * after * m;
        }
        sums[7] += floor((double)whole[i] * (1 - (double)damage[i]) + 0.5);
        if (!((double)lost[i] < threshold)) farthest = fmax(farthest, (double)along[i]);
    }
#pragma unroll
    for (int k = 0; k < SUMS; ++k) {
        for (int lanes = 16; lanes; lanes /= 2) sums[k] += __shfl_xor_sync(~0u, sums[k], lanes);
        if (t % 32 == 0) shared[k][t / 32] = sums[k];
    }
    for (int lanes = 16; lanes; lanes /= 2) farthest = fmax(farthest, __shfl_xor_sync(~0u, farthest, lanes));
    if (t % 32 == 0) shared[SUMS][t / 32] = farthest;
    __syncthreads();
    if (t <= SUMS) {
        double total = shared[t][0];
        for (int w = 1; w < THREADS / 32; ++w) total = t < SUMS ? total + shared[t][w] : fmax(total, shared[t][w]);
        partial[blockIdx.x * (SUMS + 1) + t] = total;
    }
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (t == 0) ticket[0] = 0;
    if (t <= SUMS) {  // in the order of the blocks: the same bits each time
        double total = __ldcg(partial + t);
        for (int block = 1; block < (int)gridDim.x; ++block) {
            const double more = __ldcg(partial + block * (SUMS + 1) + t);
            total = t < SUMS ? total + more : fmax(total, more);
        }
        found[t] = total;
    }
}

// found: (lists) sums of u or of inner · mass over places[starts[l]] … of list l, a block for each; axes: (lists) the axis, and
// 3 more for forces.
extern "C" __global__ void __launch_bounds__(THREADS) sums_of_lists(
    const REAL* __restrict__ u, const REAL* __restrict__ inner, const REAL* __restrict__ mass, const int* __restrict__ places,
    const int* __restrict__ starts, const int* __restrict__ axes, const int size, double* __restrict__ found)
{
    __shared__ double shared[THREADS / 32];
    const int t = threadIdx.x, axis = axes[blockIdx.x] % 3;
    const bool force = axes[blockIdx.x] >= 3;
    const REAL* values = (force ? inner : u) + (long long)axis * size;
    double sum = 0;
    for (int k = starts[blockIdx.x] + t; k < starts[blockIdx.x + 1]; k += THREADS) {
        const int at = places[k];
        sum += force && mass ? (double)values[at] * (double)mass[at] : (double)values[at];
    }
    for (int lanes = 16; lanes; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    if (t % 32 == 0) shared[t / 32] = sum;
    __syncthreads();
    if (t) return;
    for (int w = 1; w < THREADS / 32; ++w) sum += shared[w];
    found[blockIdx.x] = sum;
}
