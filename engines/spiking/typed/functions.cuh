// Functions of typed neurons; the twins of those in cpu_functions.py. F: models.cuh.
#pragma once
#include "spiking/neurons/models.cuh"

#define R(x) F((float)(x))

__device__ __forceinline__ F least(F a, F b) { return a.v < b.v || a.v != a.v ? a : b; }
__device__ __forceinline__ F largest(F a, F b) { return a.v > b.v || a.v != a.v ? a : b; }
__device__ __forceinline__ double least(double a, double b) { return a < b || a != a ? a : b; }
__device__ __forceinline__ double largest(double a, double b) { return a > b || a != a ? a : b; }

// clock.py: a double as float32 would have it, but late in a run; and, then, an angle without its turns
__device__ __forceinline__ double kept_late(bool late, double x) { return late ? x : (double)(float)x; }
__device__ __forceinline__ double left_of(bool late, double x) {
    const double turns = floor(__dmul_rn(x, 0.15915494309189535));
    return late && fabs(x) <= 1e14 ? __dsub_rn(x, __dmul_rn(turns, 6.283185307179586)) : x;
}

__device__ __forceinline__ F root_of(F x) { return F(__fsqrt_rn(x.v)); }

// What is no number stays so: models.cuh bounds its exponents, and would have a number for it.
__device__ __forceinline__ F told(bool number, F x) { return number ? x : F(__int_as_float(0x7fc00000)); }
__device__ __forceinline__ F exponential_of(F x) { return told(x.v == x.v, exp_of(x)); }
__device__ __forceinline__ F less_one_of(F x) { return told(x.v == x.v, expm1_of(x)); }

// of 0 and below, and of what is infinite, as IEEE 754 has it
__device__ __forceinline__ F logarithm_of(F x) {
    const F other = F(__int_as_float(x.v == 0.0f ? 0xff800000 : 0x7fc00000));
    return x.v > 0.0f ? (x.v <= 3.402823466e38f ? log_of(x) : x) : other;
}

// (e^z - 1)/z
__device__ __forceinline__ F growth_of(F z) {
    return fabsf(z.v) < 1e-4f ? F(1.0f) + z * F(0.5f) : expm1_of(z) / z;
}

__device__ __forceinline__ F tanh_of(F x) {
    const F e = less_one_of(x + x);
    return e / (e + F(2.0f));
}

__device__ __forceinline__ F sinh_of(F x) {
    const F e = less_one_of(F(fabsf(x.v))), found = F(0.5f) * (e + e / (e + F(1.0f)));
    return x.v < 0.0f ? F(-found.v) : found;
}

__device__ __forceinline__ F cosh_of(F x) { return F(0.5f) * (exponential_of(x) + exponential_of(F(0.0f) - x)); }

// Sine, of an angle a quarter turn further the cosine (Cephes). Larger angles lose their turns in double precision
// first; beyond 1e9, where float32 has steps of ten turns, there is no sine.
__device__ __forceinline__ F turned(F x, int quarters) {
    const bool known = fabsf(x.v) <= 1e9f;
    x = F(known ? x.v : 0.0f);
    const double turns = floor(__dmul_rn((double)x.v, 0.15915494309189535));
    const float left = (float)__dsub_rn((double)x.v, __dmul_rn(turns, 6.283185307179586));
    x = F(fabsf(x.v) > 8192.0f ? left : x.v);
    const F k = F(floorf((x * F(0.636619772f) + F(0.5f)).v));
    const F r = ((x - k * F(1.5703125f)) - k * F(4.837512969970703e-4f)) - k * F(7.549789948768648e-8f), z = r * r;
    const F sine = ((F(-1.9515295891e-4f) * z + F(8.3321608736e-3f)) * z + F(-1.6666654611e-1f)) * z * r + r;
    const F cosine = ((F(2.443315711809948e-5f) * z + F(-1.388731625493765e-3f)) * z + F(4.166664568298827e-2f)) * z * z -
                     F(0.5f) * z + F(1.0f);
    const int quadrant = (int)k.v + quarters;
    const F value = quadrant & 1 ? cosine : sine;
    return told(known, quadrant & 2 ? F(-value.v) : value);
}

__device__ __forceinline__ F atan_of(F x) {
    const F size = F(fabsf(x.v));
    const bool far = size.v > 2.41421356f, middle = size.v > 0.414213562f;
    const F y = far ? F(-1.0f) / size : middle ? (size - F(1.0f)) / (size + F(1.0f)) : size, z = y * y;
    const F p = ((F(8.05374449538e-2f) * z - F(1.38776856032e-1f)) * z + F(1.99777106478e-1f)) * z - F(3.33329491539e-1f);
    const F found = (p * z * y + y) + (far ? F(1.57079633f) : middle ? F(0.785398163f) : F(0.0f));
    return x.v < 0.0f ? F(-found.v) : found;
}
