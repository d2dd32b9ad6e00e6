// The Laplacian of laplace2d.cu in half precision.
//
// Layout: (ny, nx) row by row. 2 bytes read and 2 written per point, 5 flops. The pairs are handled in PTX, for NVRTC
// has cuda_fp16.h only where a CUDA toolkit is installed.

// Two neighbouring points as one 4-byte pair of halves, arithmetic in half precision. nx is even.
__device__ __forceinline__ unsigned add_pair(unsigned a, unsigned b) {
    unsigned sum;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
__device__ __forceinline__ unsigned fma_pair(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

extern "C" __global__ void laplace2d_half2(unsigned* __restrict__ y, const unsigned* __restrict__ x, int nx, int ny) {
    const unsigned minus_four = 0xC400C400u;
    const int pairs = nx / 2;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= pairs || j >= ny) return;
    const int im = (i == 0) ? pairs - 1 : i - 1;
    const int ip = (i == pairs - 1) ? 0 : i + 1;
    const int jm = (j == 0) ? ny - 1 : j - 1;
    const int jp = (j == ny - 1) ? 0 : j + 1;
    const unsigned c = x[j * pairs + i];
    // The lower half is the point with the lower index: the pairs shifted by one point straddle two of memory's.
    const unsigned left = __byte_perm(x[j * pairs + im], c, 0x5432);
    const unsigned right = __byte_perm(c, x[j * pairs + ip], 0x5432);
    const unsigned sides = add_pair(add_pair(right, left), add_pair(x[jp * pairs + i], x[jm * pairs + i]));
    y[j * pairs + i] = fma_pair(minus_four, c, sides);
}
