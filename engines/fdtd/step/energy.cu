// Sums over the grid, in float64: block (k, part) adds `share` places of plane k.
//
// variants: -DREAL=float; -DREAL=double; -DREAL=float -DWIDE; -DREAL=double -DWIDE

#define DEVICE static __device__ __forceinline__
#include "fdtd/step/curl/mixtures.cuh"
#include "fdtd/step/curl/poles.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(256)

// sums: (parts, planes, 2) of ε E² and μ H²; weights: (6, longest) part of a cell at a node of x, y, z, then at a half;
// media: ε of `mixtures` mixtures along edges, then μ of those at faces.
KERNEL energy(
    const REAL* __restrict__ e, const REAL* __restrict__ h, const Id* __restrict__ ids_e, const Id* __restrict__ ids_h,
    const double* __restrict__ media, const int mixtures, const double* __restrict__ weights, const int longest,
    double* __restrict__ sums, const int share, const int nx, const int ny, const int nz, const int row)
{
    __shared__ double part[2][256];
    const int plane = (ny + 1) * row, k = blockIdx.x, end = min(plane, (int(blockIdx.y) + 1) * share);
    const size_t volume = size_t(plane) * (nz + 1);
    double electric = 0, magnetic = 0;
    for (int n = blockIdx.y * share + threadIdx.x; n < end; n += 256) {
        const int j = n / row, i = n % row;
        if (i > nx) continue;
        const size_t at = size_t(k) * plane + n;
        const double w[3] = {weights[i], weights[longest + j], weights[2 * longest + k]};
        const double* const of_half = weights + 3 * longest;
        const double v[3] = {of_half[i], of_half[longest + j], of_half[2 * longest + k]};
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const bool inside = c == 0 ? i < nx : c == 1 ? j < ny : k < nz;
            const bool others = (c == 0 || i < nx) && (c == 1 || j < ny) && (c == 2 || k < nz);
            const double of_e = e[c * volume + at], of_h = h[c * volume + at];
            const int a = (c + 1) % 3, b = (c + 2) % 3;
            if (inside) electric += media[ids_e[c * volume + at]] * v[c] * w[a] * w[b] * of_e * of_e;
            if (others) magnetic += media[mixtures + (ids_h ? ids_h[c * volume + at] : 0)] * w[c] * v[a] * v[b] * of_h * of_h;
        }
    }
    part[0][threadIdx.x] = electric;
    part[1][threadIdx.x] = magnetic;
    for (int width = 128; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) {
            part[0][threadIdx.x] += part[0][threadIdx.x + width];
            part[1][threadIdx.x] += part[1][threadIdx.x + width];
        }
    }
    __syncthreads();
    if (threadIdx.x < 2) sums[2 * (blockIdx.y * gridDim.x + k) + threadIdx.x] = part[threadIdx.x][0];
}

// sums: (parts, planes) of what the poles hold: stored (Y + beta E)²; stored: (states, ids).
KERNEL pole_energy(
    const REAL* __restrict__ e, const Id* __restrict__ ids, const double* __restrict__ stored,
    const double* __restrict__ beta_of_state, const double* __restrict__ weights, const int longest,
    double* __restrict__ sums, const int share, const int nx, const int ny, const int nz, const int row, POLE_ARGUMENTS)
{
    __shared__ double part[256];
    const Poles poles = POLES_OF;
    const int k = blockIdx.x, end = 3 * min((ny + 1) * row, (int(blockIdx.y) + 1) * share);
    double total = 0;
    for (int n = 3 * blockIdx.y * share + threadIdx.x; n < end; n += 256) {
        const int c = n / ((ny + 1) * row), j = n / row % (ny + 1), i = n % row;
        if ((c == 0 && i >= nx) || i > nx || (c == 1 && j >= ny) || (c == 2 && k >= nz)) continue;
        const size_t line = (size_t(c) * (nz + 1) + k) * (ny + 1) + j, at = line * row + i;
        const int4 span = poles.spans[line];
        if (i < span.x || i >= span.y) continue;
        const double* const of_half = weights + 3 * longest;
        const double weight = (c == 0 ? of_half : weights)[i] * (c == 1 ? of_half : weights)[longest + j]
            * (c == 2 ? of_half : weights)[2 * longest + k];
        const REAL* state = poles.states + (size_t(span.z) * 4 + i - span.x);
        for (int s = 0; s < poles.slots + poles.seconds; ++s, state += poles.places) {
            const size_t entry = size_t(s) * poles.ids + ids[at];
            const double held = *state + beta_of_state[entry] * e[at];
            total += weight * stored[entry] * held * held;
        }
    }
    part[threadIdx.x] = total;
    for (int width = 128; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    }
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.y * gridDim.x + k] = part[0];
}
