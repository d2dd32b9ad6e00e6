// What the code of a force-stretch law uses. Products are rounded before they are added, so that both ends of a bond
// find the same damage to the last bit, wherever the compiler puts the code.
#pragma once
#ifndef DEVICE
#define DEVICE static __device__ __forceinline__
#endif
#define R(x) static_cast<REAL>(x)

DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
DEVICE double product(double a, double b) { return __dmul_rn(a, b); }
// 2 units in the last place, instead of a branch for rare cases in each of them.
DEVICE float divide(float a, float b) { return __fdividef(a, b); }
DEVICE double divide(double a, double b) { return a / b; }
DEVICE REAL exponential(REAL x) { return exp(x); }
DEVICE REAL logarithm(REAL x) { return log(x); }
DEVICE REAL root(REAL x) { return sqrt(x); }
DEVICE REAL power(REAL x, REAL n) { return pow(x, n); }
DEVICE REAL least(REAL a, REAL b) { return fmin(a, b); }
DEVICE REAL largest(REAL a, REAL b) { return fmax(a, b); }
