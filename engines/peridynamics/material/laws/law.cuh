// What the code of a force-stretch law uses. Products are rounded before they are added, so that both ends of a bond
// find the same damage to the last bit, wherever the compiler puts the code.
#pragma once
#ifndef DEVICE
#define DEVICE static __device__ __forceinline__
#endif

DEVICE float law_product(float a, float b) { return __fmul_rn(a, b); }
DEVICE double law_product(double a, double b) { return __dmul_rn(a, b); }
// 2 units in the last place, instead of a branch for rare cases in each of them.
DEVICE float law_quotient(float a, float b) { return __fdividef(a, b); }
DEVICE double law_quotient(double a, double b) { return a / b; }
DEVICE float law_power(float a, float b) { return powf(a, b); }
DEVICE double law_power(double a, double b) { return pow(a, b); }
DEVICE float law_exp(float a) { return expf(a); }
DEVICE double law_exp(double a) { return exp(a); }
DEVICE float law_log(float a) { return logf(a); }
DEVICE double law_log(double a) { return log(a); }
DEVICE float law_sqrt(float a) { return sqrtf(a); }
DEVICE double law_sqrt(double a) { return sqrt(a); }
DEVICE float law_tanh(float a) { return tanhf(a); }
DEVICE double law_tanh(double a) { return tanh(a); }
DEVICE float law_abs(float a) { return fabsf(a); }
DEVICE double law_abs(double a) { return fabs(a); }
DEVICE float law_min(float a, float b) { return fminf(a, b); }
DEVICE double law_min(double a, double b) { return fmin(a, b); }
DEVICE float law_max(float a, float b) { return fmaxf(a, b); }
DEVICE double law_max(double a, double b) { return fmax(a, b); }
