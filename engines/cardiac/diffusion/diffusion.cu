// One explicit diffusion step in block-transposed ELLPACK.
//
//   out_i = v_i + dt sum_{e<16} w_ie (v_{c_ie} - v_i)          (thesis eq. 3.5)
//
// The differences, not the values, are weighted: a constant stays the same to the last bit in any precision,
// and no diagonal is stored. dt is not folded into the weights, so that it can change without a new upload.
//
// Layout: block b holds rows 32 b .. 32 b + 31; entry e of row 32 b + r is at (b * 16 + e) * 32 + r, so that a warp
// reads 32 consecutive columns and weights. Unused entries: column = own row, weight 0.
// Bytes per cell: 16 (4 + R) + R read, R written; R = sizeof(REAL): 136 in float32, 208 in float64.
//
// variants: -DREAL=float; -DREAL=double
// Columns and weights are used once per step: __ldcs leaves the cache to v. All 32 of a row's loads are issued before
// the first is used; v is read through the read-only path.

extern "C" __global__ void diffusion_step(const int* __restrict__ columns, const REAL* __restrict__ weights,
                                          const REAL* __restrict__ v, REAL* __restrict__ out, const REAL dt,
                                          const int first_row, const int end_row)
{
    // first_row is a multiple of 32, so that a warp never straddles two blocks of the matrix
    const int row = first_row + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= end_row) return;
    const long long base = (long long)(row >> 5) * (16 * 32) + (row & 31);

    int c[16];
    REAL w[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) c[e] = __ldcs(columns + base + 32 * e);
#pragma unroll
    for (int e = 0; e < 16; ++e) w[e] = __ldcs(weights + base + 32 * e);

    const REAL centre = __ldg(v + row);
    REAL neighbour[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) neighbour[e] = __ldg(v + c[e]);

    // four sums: shorter dependent chains
    REAL sum[4] = {REAL(0), REAL(0), REAL(0), REAL(0)};
#pragma unroll
    for (int e = 0; e < 16; ++e) sum[e & 3] += w[e] * (neighbour[e] - centre);
    out[row] = centre + dt * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
