// What the arithmetic units deliver: chains of multiply-adds in registers.
//
// variants: -DREAL=float; -DREAL=double
// Eight chains a thread, so that one need not wait for the other; 8 * rounds instructions each. What is computed must
// seem to be used: never is a sum that does not occur.

extern "C" __global__ void multiply_adds(REAL* __restrict__ out, REAL factor, REAL summand, REAL never, int rounds)
{
    REAL x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = (REAL)(threadIdx.x + k);
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = x[k] * factor + summand;
    }
    REAL sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == never) out[0] = sum;
}
