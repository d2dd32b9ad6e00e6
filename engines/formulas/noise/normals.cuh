// Four independent normal numbers of a counter and a key, in single precision, each operation rounded: the bits of
// normals.py, where each line is explained.
#pragma once
#include "formulas/noise/philox.cuh"

__device__ __forceinline__ float along(const float p, const float x, const float next)
{
    return __fadd_rn(__fmul_rn(p, x), next);
}

// out[0], out[1]: Box and Muller's two numbers of two words
__device__ __forceinline__ void normal_pair(const unsigned first, const unsigned second, float* out)
{
    const unsigned offset = (unsigned)__float_as_int((float)(int)(first >> 1 | 1u)) - 0x3F3504F3u;
    const float f = __fsub_rn(__uint_as_float((offset & 0x7FFFFFu) + 0x3F3504F3u), 1.0f), ff = __fmul_rn(f, f);
    float p = 7.0376836292e-2f;
    p = along(p, f, -1.1514610310e-1f);
    p = along(p, f, 1.1676998740e-1f);
    p = along(p, f, -1.2420140846e-1f);
    p = along(p, f, 1.4249322787e-1f);
    p = along(p, f, -1.6668057665e-1f);
    p = along(p, f, 2.0000714765e-1f);
    p = along(p, f, -2.4999993993e-1f);
    p = along(p, f, 3.3333331174e-1f);
    const float small = __fadd_rn(f, __fmul_rn(ff, __fadd_rn(__fmul_rn(p, f), -0.5f)));
    const float log = along((float)((int)(offset >> 23) - 31), 0.693147181f, small);
    const float radius = __fsqrt_rn(__fmul_rn(log, -2.0f));

    const int quarter = second >> 30;
    const float turn = __fadd_rn((float)(int)((second & 0x3FFFFFFFu) >> 6), -8388607.5f);
    const float angle = __fmul_rn(turn, 9.362676e-8f), square = __fmul_rn(angle, angle);
    float s = along(-1.9515295891e-4f, square, 8.3321608736e-3f), c = along(2.443315711809948e-5f, square, -1.388731625493765e-3f);
    s = along(s, square, -1.6666654611e-1f);
    s = along(__fmul_rn(s, square), angle, angle);
    c = along(c, square, 4.166664568298827e-2f);
    c = along(along(c, square, -0.5f), square, 1.0f);
    out[0] = __fmul_rn(__fmul_rn(radius, (float)(1 - (((quarter + 1) >> 1) & 1) * 2)), quarter & 1 ? s : c);
    out[1] = __fmul_rn(__fmul_rn(radius, (float)(1 - (quarter >> 1) * 2)), quarter & 1 ? c : s);
}

__device__ __forceinline__ void normals(const Words counter, const unsigned key_low, const unsigned key_high, float (&out)[4])
{
    const Words drawn = philox(counter, key_low, key_high);
    normal_pair(drawn.x, drawn.y, out);
    normal_pair(drawn.z, drawn.w, out + 2);
}
