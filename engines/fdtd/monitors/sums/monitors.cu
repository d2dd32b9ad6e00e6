// Running Fourier sums of blocks of the field: samples are gathered into a buffer of S, and when it is full all sums
// take them together, sums[f][n] += Σ_s samples[s][n] e^{iωt_s}: the sums are then read and written once in S samples.
//
// samples: (S, n); sums: (frequencies, 2, n), real parts and then imaginary ones; n is a multiple of 4.
// turns: (frequencies, S, 2), cos and sin of ωt for each sample, zero for samples that are not there yet.
//
// variants: -DREAL=float -DS=8 -DV=1; -DREAL=float -DS=8 -DV=2; -DREAL=float -DS=8 -DV=4
// variants: -DREAL=float -DS=16 -DV=1; -DREAL=float -DS=16 -DV=2; -DREAL=float -DS=16 -DV=4
// variants: -DREAL=double -DS=8 -DV=1; -DREAL=double -DS=8 -DV=2; -DREAL=double -DS=16 -DV=1; -DREAL=double -DS=16 -DV=2

#include "fdtd/monitors/sums/rows.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)

struct __align__(V * sizeof(REAL)) Values {
    REAL v[V];
};
struct __align__(2 * sizeof(REAL)) Turn {
    REAL cosine, sine;
};

// One sample of all blocks; blockIdx.y: the block. blocks: (count, Entry); parts: weight of the neighbour.
KERNEL sample(
    const REAL* __restrict__ e, const REAL* __restrict__ h, const long long* __restrict__ blocks,
    const REAL* __restrict__ parts, REAL* __restrict__ to)
{
    const long long* const block = blocks + ENTRIES * blockIdx.y;
    const unsigned nx = block[Entry::COUNT_X], ny = block[Entry::COUNT_Y], nz = block[Entry::COUNT_Z];
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= nx * ny * nz) return;
    const unsigned row = n / nx, i = n - row * nx, k = row / ny, j = row - k * ny;
    const REAL* const field =
        (block[Entry::ELECTRIC] ? e : h) + block[Entry::PLACE] + i + j * block[Entry::NEXT_Y] + k * block[Entry::NEXT_Z];
    const long long neighbour = block[Entry::NEIGHBOUR];
    const REAL part = parts[blockIdx.y];
    const REAL value = __ldg(field);
    to[block[Entry::START] + n] = neighbour ? (REAL(1) - part) * value + part * __ldg(field + neighbour) : value;
}

// Values at points: to[c] = Σ_m weights[c][m] field[places[c][m]], PLACES each; electric: of which field.
KERNEL points(
    const REAL* __restrict__ e, const REAL* __restrict__ h, const int* __restrict__ electric,
    const long long* __restrict__ places, const REAL* __restrict__ weights, const int count, REAL* __restrict__ to)
{
    const int c = threadIdx.x;
    if (c >= count) return;
    const REAL* const field = electric[c] ? e : h;
    REAL sum = 0;
    for (int m = 0; m < PLACES; ++m) sum += weights[PLACES * c + m] * field[places[PLACES * c + m]];
    to[c] = sum;
}

// to = from + what the samples bring; `from` and `to` may be the same sums. blockIdx.y: FREQUENCIES_PER_BLOCK each.
KERNEL accumulate(
    const REAL* from, REAL* to, const REAL* __restrict__ samples, const Turn* __restrict__ turns, const long long n,
    const int frequencies)
{
    __shared__ Turn shared[FREQUENCIES_PER_BLOCK * S];
    const int first = blockIdx.y * FREQUENCIES_PER_BLOCK, many = min(FREQUENCIES_PER_BLOCK, frequencies - first);
    for (int t = threadIdx.x; t < many * S; t += blockDim.x) shared[t] = turns[first * S + t];
    __syncthreads();
    const long long at = ((long long)(blockIdx.x) * blockDim.x + threadIdx.x) * V;
    if (at >= n) return;
    Values x[S];
#pragma unroll
    for (int s = 0; s < S; ++s) x[s] = *reinterpret_cast<const Values*>(samples + s * n + at);
    for (int f = 0; f < many; ++f) {
        const long long place = 2 * (first + f) * n + at;
        const Values re_old = *reinterpret_cast<const Values*>(from + place);
        const Values im_old = *reinterpret_cast<const Values*>(from + place + n);
        Values re = {}, im = {};
#pragma unroll
        for (int s = 0; s < S; ++s) {
            const Turn turn = shared[f * S + s];
#pragma unroll
            for (int v = 0; v < V; ++v) {
                re.v[v] += x[s].v[v] * turn.cosine;
                im.v[v] += x[s].v[v] * turn.sine;
            }
        }
#pragma unroll
        for (int v = 0; v < V; ++v) {
            re.v[v] += re_old.v[v];
            im.v[v] += im_old.v[v];
        }
        *reinterpret_cast<Values*>(to + place) = re;
        *reinterpret_cast<Values*>(to + place + n) = im;
    }
}

// Σ over a rectangle of w (E_p H_q*) − w' (E_q H_p*), complex, for frequency blockIdx.y: a part per block, (blocks,
// frequencies, 2). `start`: its first value among the samples; widths: Δ of halves of p, of q, around nodes of p, of q.
KERNEL flux(
    const REAL* __restrict__ sums, const REAL* __restrict__ samples, const Turn* __restrict__ turns, const long long n,
    const int filled, const long long start, const int np, const int nq, const double* __restrict__ widths,
    double* __restrict__ out)
{
    __shared__ double part[2][THREADS];
    const int f = blockIdx.y, size = np * nq;
    const REAL* const re = sums + 2 * f * n + start;
    double total_re = 0, total_im = 0;
    for (int m = blockIdx.x * THREADS + threadIdx.x; m < size; m += gridDim.x * THREADS) {
        double value[4][2];
        for (int c = 0; c < 4; ++c) {
            value[c][0] = re[c * size + m];
            value[c][1] = re[c * size + m + n];
        }
        for (int s = 0; s < filled; ++s) {
            const Turn turn = turns[f * S + s];
            for (int c = 0; c < 4; ++c) {
                const double x = samples[s * n + start + c * size + m];
                value[c][0] += x * turn.cosine;
                value[c][1] += x * turn.sine;
            }
        }
        const int iq = m / np, ip = m - iq * np;
        const double first = widths[ip] * widths[np + nq + np + iq], second = widths[np + nq + ip] * widths[np + iq];
        total_re += first * (value[0][0] * value[1][0] + value[0][1] * value[1][1]);
        total_im += first * (value[0][1] * value[1][0] - value[0][0] * value[1][1]);
        total_re -= second * (value[2][0] * value[3][0] + value[2][1] * value[3][1]);
        total_im -= second * (value[2][1] * value[3][0] - value[2][0] * value[3][1]);
    }
    part[0][threadIdx.x] = total_re;
    part[1][threadIdx.x] = total_im;
    for (int width = THREADS / 2; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) {
            part[0][threadIdx.x] += part[0][threadIdx.x + width];
            part[1][threadIdx.x] += part[1][threadIdx.x + width];
        }
    }
    __syncthreads();
    if (threadIdx.x < 2) out[2 * (blockIdx.x * gridDim.y + f) + threadIdx.x] = part[threadIdx.x][0];
}
