// One explicit diffusion step with rows in slices of 32, each slice as wide as its longest row.
//
//   out_i = v_i + dt sum_{e < width} w_ie (v_{c_ie} - v_i)          (thesis eq. 3.5)
//
// The differences, not the values, are weighted: a constant stays the same to the last bit in any precision,
// and no diagonal is stored. dt is not folded into the weights, so that it can change without a new upload.
//
// Layout (packing.py): a lane holds GROUP entries of its row side by side, the rest of the row two by two and then
// singly, so that a warp reads 32 * GROUP consecutive weights with one load each. A column is 16 bits: two name one of
// the slice's four segments, fourteen a cell in it. A slice whose columns lie further apart has columns of 32 bits;
// the branch is the same for the whole warp. Unused entries: column = own row, weight 0.
// A slice wider than 16 (vertices have up to some forty neighbours) is read in parts of 16 entries, the last one shorter:
// each part is laid out as a slice of its width would be. Kernels with "long" in their names take such slices.
// Bytes per cell: 14.6 entries of 2 + W, 0.63 for segments and starts, v and out R each; R, W = sizeof(REAL, WEIGHT).
//
// variants: -DREAL=float -DWEIGHT=float; -DREAL=double -DWEIGHT=double; -DREAL=double -DWEIGHT=float
// Columns and weights are used once per step: __ldcs leaves the cache to v. A row's weights and columns are all asked for
// before the first is used; v is read through the read-only path.

// N values behind each other, as wide loads as there are
__device__ __forceinline__ void load(const float* p, float (&x)[1]) { x[0] = __ldcs(p); }
__device__ __forceinline__ void load(const float* p, float (&x)[2])
{
    const float2 y = __ldcs((const float2*)p);
    x[0] = y.x, x[1] = y.y;
}
__device__ __forceinline__ void load(const float* p, float (&x)[4])
{
    const float4 y = __ldcs((const float4*)p);
    x[0] = y.x, x[1] = y.y, x[2] = y.z, x[3] = y.w;
}
__device__ __forceinline__ void load(const double* p, double (&x)[1]) { x[0] = __ldcs(p); }
__device__ __forceinline__ void load(const double* p, double (&x)[2])
{
    const double2 y = __ldcs((const double2*)p);
    x[0] = y.x, x[1] = y.y;
}
__device__ __forceinline__ void load(const double* p, double (&x)[4])
{
    const double2 y = __ldcs((const double2*)p), z = __ldcs((const double2*)p + 1);
    x[0] = y.x, x[1] = y.y, x[2] = z.x, x[3] = z.y;
}
__device__ __forceinline__ void load(const int* p, int (&x)[1]) { x[0] = __ldcs(p); }
__device__ __forceinline__ void load(const int* p, int (&x)[2])
{
    const int2 y = __ldcs((const int2*)p);
    x[0] = y.x, x[1] = y.y;
}
__device__ __forceinline__ void load(const int* p, int (&x)[4])
{
    const int4 y = __ldcs((const int4*)p);
    x[0] = y.x, x[1] = y.y, x[2] = y.z, x[3] = y.w;
}
__device__ __forceinline__ void load(const unsigned short* p, int (&x)[1]) { x[0] = __ldcs(p); }
__device__ __forceinline__ void load(const unsigned short* p, int (&x)[2])
{
    const unsigned y = __ldcs((const unsigned*)p);
    x[0] = y & 0xffff, x[1] = y >> 16;
}
__device__ __forceinline__ void load(const unsigned short* p, int (&x)[4])
{
    const uint2 y = __ldcs((const uint2*)p);
    x[0] = y.x & 0xffff, x[1] = y.x >> 16, x[2] = y.y & 0xffff, x[3] = y.y >> 16;
}

// The WIDTH entries of a lane's row
template <int GROUP, int WIDTH, typename From, typename To>
__device__ __forceinline__ void row(const From* from, const int lane, To (&x)[WIDTH])
{
    constexpr int WHOLE = WIDTH / GROUP * GROUP;
#pragma unroll
    for (int e = 0; e < WHOLE; e += GROUP) {
        To y[GROUP];
        load(from + 32 * e + GROUP * lane, y);
#pragma unroll
        for (int k = 0; k < GROUP; ++k) x[e + k] = y[k];
    }
    if constexpr (WIDTH - WHOLE >= 2) {
        To y[2];
        load(from + 32 * WHOLE + 2 * lane, y);
        x[WHOLE] = y[0], x[WHOLE + 1] = y[1];
    }
    if constexpr (WIDTH & 1) {
        To y[1];
        load(from + 32 * (WIDTH - 1) + lane, y);
        x[WIDTH - 1] = y[0];
    }
}

// Adds the entries of a lane's row to four sums, for shorter dependent chains. Weights, codes and wide are those of the
// slice; wide counts where the slice has no segments.
template <int GROUP, int WIDTH>
__device__ __forceinline__ void add_entries(const int4 segment, const unsigned short* codes, const int* wide,
                                            const WEIGHT* weights, const REAL* v, const REAL centre, const int lane,
                                            REAL (&sum)[4])
{
    WEIGHT w[WIDTH];
    int c[WIDTH];
    row<GROUP>(weights, lane, w);
    if (segment.x >= 0) {
        row<GROUP>(codes, lane, c);
#pragma unroll
        for (int e = 0; e < WIDTH; ++e) {
            const int low = c[e] & 0x4000 ? segment.y : segment.x, high = c[e] & 0x4000 ? segment.w : segment.z;
            c[e] = (c[e] & 0x8000 ? high : low) + (c[e] & 0x3fff);
        }
    } else {
        row<GROUP>(wide, lane, c);
    }
    REAL neighbour[WIDTH];
#pragma unroll
    for (int e = 0; e < WIDTH; ++e) neighbour[e] = __ldg(v + c[e]);
#pragma unroll
    for (int e = 0; e < WIDTH; ++e) sum[e & 3] += REAL(w[e]) * (neighbour[e] - centre);
}

// The same for a slice of any width up to 16 whose entries begin 32 * at behind the slice's start. Each width has code
// of its own: with the loads of one code switched off by the width, a step took a quarter longer (README).
template <int GROUP>
__device__ __forceinline__ void add_part(const int width, const int at, const int start, const int4 segment,
                                         const unsigned short* codes, const int* wide, const WEIGHT* weights,
                                         const REAL* v, const REAL centre, const int lane, REAL (&sum)[4])
{
    const unsigned short* part_codes = codes + 32ll * (start + at);
    const int* part_wide = wide + 32ll * (at - 1 - segment.x);
    const WEIGHT* part_weights = weights + 32ll * (start + at);
#define OF_WIDTH(n) \
    case n: add_entries<GROUP, n>(segment, part_codes, part_wide, part_weights, v, centre, lane, sum); break;
    switch (width) {
        OF_WIDTH(1) OF_WIDTH(2) OF_WIDTH(3) OF_WIDTH(4) OF_WIDTH(5) OF_WIDTH(6) OF_WIDTH(7) OF_WIDTH(8)
        OF_WIDTH(9) OF_WIDTH(10) OF_WIDTH(11) OF_WIDTH(12) OF_WIDTH(13) OF_WIDTH(14) OF_WIDTH(15) OF_WIDTH(16)
    }
#undef OF_WIDTH
}

template <int GROUP, bool LONG>
__device__ __forceinline__ void step(const int* starts, const int4* segments, const unsigned short* codes,
                                     const int* wide, const WEIGHT* weights, const REAL* v, REAL* out, const REAL dt,
                                     const int first_row, const int end_row)
{
    // first_row is a multiple of 32, so that a warp never straddles two slices of the matrix
    const int row = first_row + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= end_row) return;
    const int start = __ldg(starts + (row >> 5));
    const int width = __ldg(starts + (row >> 5) + 1) - start;
    const int4 segment = __ldg(segments + (row >> 5));
    const REAL centre = __ldg(v + row);
    REAL sum[4] = {REAL(0), REAL(0), REAL(0), REAL(0)};
    if constexpr (LONG) {
#pragma unroll 1
        for (int at = 0; at < width; at += 16)
            add_part<GROUP>(min(width - at, 16), at, start, segment, codes, wide, weights, v, centre, row & 31, sum);
    } else {
        add_part<GROUP>(width, 0, start, segment, codes, wide, weights, v, centre, row & 31, sum);
    }
    out[row] = centre + dt * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

extern "C" __global__ void diffusion_step_2(const int* __restrict__ starts, const int4* __restrict__ segments,
                                            const unsigned short* __restrict__ codes, const int* __restrict__ wide,
                                            const WEIGHT* __restrict__ weights, const REAL* __restrict__ v,
                                            REAL* __restrict__ out, const REAL dt, const int first_row,
                                            const int end_row)
{
    step<2, false>(starts, segments, codes, wide, weights, v, out, dt, first_row, end_row);
}

extern "C" __global__ void diffusion_step_4(const int* __restrict__ starts, const int4* __restrict__ segments,
                                            const unsigned short* __restrict__ codes, const int* __restrict__ wide,
                                            const WEIGHT* __restrict__ weights, const REAL* __restrict__ v,
                                            REAL* __restrict__ out, const REAL dt, const int first_row,
                                            const int end_row)
{
    step<4, false>(starts, segments, codes, wide, weights, v, out, dt, first_row, end_row);
}

extern "C" __global__ void diffusion_step_long_2(const int* __restrict__ starts, const int4* __restrict__ segments,
                                                 const unsigned short* __restrict__ codes,
                                                 const int* __restrict__ wide, const WEIGHT* __restrict__ weights,
                                                 const REAL* __restrict__ v, REAL* __restrict__ out, const REAL dt,
                                                 const int first_row, const int end_row)
{
    step<2, true>(starts, segments, codes, wide, weights, v, out, dt, first_row, end_row);
}

extern "C" __global__ void diffusion_step_long_4(const int* __restrict__ starts, const int4* __restrict__ segments,
                                                 const unsigned short* __restrict__ codes,
                                                 const int* __restrict__ wide, const WEIGHT* __restrict__ weights,
                                                 const REAL* __restrict__ v, REAL* __restrict__ out, const REAL dt,
                                                 const int first_row, const int end_row)
{
    step<4, true>(starts, segments, codes, wide, weights, v, out, dt, first_row, end_row);
}
