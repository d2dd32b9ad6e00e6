// What the kernels of cells call: exponentials, logarithms, roots and quotients, as short as a living cell bears.
//
// float: by the special function unit: __expf's relative error is 2^-22 + |x| 2^-24, __logf's and __fdividef's 2 ulp.
// double: the library's exponential takes 17 double operations and a branch, its logarithm 30, its division 8 and a
// branch; here 12, 17 and 4, which is what a double kernel's time depends on. Relative errors: 4e-14, 1e-13, 3e-16.
// NaN and infinity in a state stay there, since a state is always added to its own change.
#pragma once

#define R(x) static_cast<REAL>(x)

__device__ __forceinline__ float root(float x) { return __fsqrt_rn(x); }
__device__ __forceinline__ double root(double x) { return sqrt(x); }

__device__ __forceinline__ float divide(float a, float b) { return __fdividef(a, b); }

// 20 bits of 1/b
__device__ __forceinline__ double approximate_reciprocal(double b) {
#ifdef __CUDA_ARCH__
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
    return r;
#else  // tests compile kernels for the CPU
    return __hiloint2double(__double2hiint(1.0 / b), 0);
#endif
}

// The hardware's reciprocal with its error cubed. For divisors between 2^-1022 and 2^1022.
__device__ __forceinline__ double divide(double a, double b) {
    double r = approximate_reciprocal(b);
    const double error = fma(-b, r, 1.0);
    r = fma(r, fma(error, error, error), r);
    return a * r;
}

// Coefficients lie in constant memory: an instruction reads an operand there, where a literal costs two moves.
__constant__ double power_of_2[9] = {
    0.6931471805599453, 0.2402265069581299, 0.055504108664760424, 0.009618129159402558, 0.0013333558179043112,
    0.00015403455852453838, 1.525268684626772e-05, 1.3255224878668817e-06, 1.0203121063391729e-07};
__constant__ double natural_logarithm[7] = {
    2.0000000000000004, 0.6666666666655292, 0.40000000061741614, 0.2857141602110767, 0.22223434547517906,
    0.18121934431215214, 0.16837659970680488};
__constant__ double whole[2] = {6755399441055744.0, 0.6931471805599453};  // 1.5 2^52 rounds what is added to it; ln 2

// e^(rate x): 2^n 2^f with f in [-1/2, 1/2], 2^f a polynomial through Chebyshev's nodes.
__device__ __forceinline__ float exponential(float x, float rate) { return exp2f(x * (rate * 1.44269504f)); }
__device__ __forceinline__ double exponential(double x, double rate) {
    const double k = rate * 1.4426950408889634;
    const double shifted = fma(x, k, whole[0]);  // its low word is the nearest whole number
    const double f = fma(x, k, whole[0] - shifted);
    double p = power_of_2[8];
#pragma unroll
    for (int e = 7; e >= 0; --e) p = fma(p, f, power_of_2[e]);
    p = fma(p, f, 1.0);
    const int n = min(max(__double2loint(shifted), -1021), 1022);
    return __hiloint2double(__double2hiint(p) + (n << 20), __double2loint(p));
}
template <typename Real>
__device__ __forceinline__ Real exponential(Real x) {
    return exponential(x, Real(1));
}

// ln x: x = 2^n m with m in [sqrt(1/2), sqrt(2)], ln m = s P(s^2), s = (m - 1)/(m + 1). NaN for what is not positive.
__device__ __forceinline__ float logarithm(float x) { return __logf(x); }
__device__ __forceinline__ double logarithm(double x) {
    const int high = __double2hiint(x);
    const int n = (high - 0x3fe6a09e) >> 20;
    const double m = __hiloint2double(high - (n << 20), __double2loint(x));
    const double s = divide(m - 1.0, m + 1.0);
    const double y = s * s;
    double p = natural_logarithm[6];
#pragma unroll
    for (int e = 5; e >= 0; --e) p = fma(p, y, natural_logarithm[e]);
    const double value = fma(double(n), whole[1], p * s);
    const bool positive = static_cast<unsigned>(high - 1) < 0x7fefffffu;
    return __hiloint2double(positive ? __double2hiint(value) : 0x7ff80000, __double2loint(value));
}

// Only in steps of compiled models whose expressions were left as their file has them, for comparison.
__device__ __forceinline__ float power(float x, float n) { return powf(x, n); }
__device__ __forceinline__ double power(double x, double n) { return pow(x, n); }

#include "formulas/removable.cuh"
