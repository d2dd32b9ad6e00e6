// What formulas call, by CUDA's library: as exact as that, for kernels whose time is not arithmetic's.
#pragma once

#define R(x) static_cast<REAL>(x)

__device__ __forceinline__ REAL divide(REAL a, REAL b) { return a / b; }
__device__ __forceinline__ REAL exponential(REAL x) { return exp(x); }
__device__ __forceinline__ REAL logarithm(REAL x) { return log(x); }
__device__ __forceinline__ REAL root(REAL x) { return sqrt(x); }
__device__ __forceinline__ REAL power(REAL x, REAL n) { return pow(x, n); }

// NaN if one of the two is, as NumPy has it.
__device__ __forceinline__ REAL least(REAL a, REAL b) { return a < b || a != a ? a : b; }
__device__ __forceinline__ REAL largest(REAL a, REAL b) { return a > b || a != a ? a : b; }

#include "formulas/removable.cuh"
