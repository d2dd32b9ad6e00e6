// Neuron models, a step each; the twins of those in cpu_kernels.py.
//
// Numbers of type F are rounded after every product and sum: nothing is contracted, so the CPU gives the same bits.
// p is a population's row of constants (constants.py).
#pragma once

struct F {
    float v;
    __device__ __forceinline__ F(float value) : v(value) {}
};
__device__ __forceinline__ F operator+(F a, F b) { return F(__fadd_rn(a.v, b.v)); }
__device__ __forceinline__ F operator-(F a, F b) { return F(__fsub_rn(a.v, b.v)); }
__device__ __forceinline__ F operator*(F a, F b) { return F(__fmul_rn(a.v, b.v)); }
__device__ __forceinline__ F operator/(F a, F b) { return F(__fdiv_rn(a.v, b.v)); }

// What has faded is nothing: a GPU has no numbers below 1e-38, and a CPU is slow with them.
#define FADED 1e-20f
__device__ __forceinline__ float kept(F a) { return fabsf(a.v) < FADED ? 0.0f : a.v; }

#define LIF 0
#define CONDUCTANCE 1
#define IZHIKEVICH 2
#define ADAPTIVE 3
#define HODGKIN_HUXLEY 4
#define POISSON 5

// e^x - 1: Cephes' polynomial, 2^k by its bits
__device__ __forceinline__ F expm1_of(F x) {
    x = F(fminf(fmaxf(x.v, -87.0f), 88.0f));
    const F k = F(floorf((x * F(1.44269504f) + F(0.5f)).v));
    const F r = (x - k * F(0.693359375f)) - k * F(-2.12194440e-4f);
    const F p = ((((F(1.9875691500e-4f) * r + F(1.3981999507e-3f)) * r + F(8.3334519073e-3f)) * r + F(4.1665795894e-2f)) * r +
                 F(1.6666665459e-1f)) * r + F(5.0000001201e-1f);
    const F q = (p * r) * r + r;
    const F s = F(__int_as_float(((int)k.v + 127) << 23));
    return q * s + (s - F(1.0f));
}

// y / (e^y - 1)
__device__ __forceinline__ F linear_of(F y) {
    return fabsf(y.v) < 1e-4f ? F(1.0f) - y * F(0.5f) : y / expm1_of(y);
}

__device__ __forceinline__ F gate(F value, F opens, F closes, F step) {
    const F both = opens + closes;
    return value - (opens / both - value) * expm1_of(step * both);
}

__device__ __forceinline__ F lif(const float* p, F v, F g_e, F g_i, F base) {
    return v + ((F(p[8]) * v + base) + (F(p[9]) * g_e + F(p[10]) * g_i));
}

// with synapses that are alpha functions, and what these rise by
__device__ __forceinline__ F rising_lif(const float* p, F v, F g_e, F g_i, F rise_e, F rise_i, F base) {
    const F given = (F(p[8]) * v + base) + (F(p[9]) * g_e + F(p[10]) * g_i);
    return v + (given + (F(p[11]) * rise_e + F(p[12]) * rise_i));
}

__device__ __forceinline__ F conductance_lif(const float* p, F v, F g_e, F g_i, F base) {
    const F total = (F(1.0f) + g_e) + g_i;
    const F target = (base + (g_e * F(p[9]) + g_i * F(p[10]))) / total;
    return v - (target - v) * expm1_of(F(p[8]) * total);
}

__device__ __forceinline__ void izhikevich(const float* p, F& v, F& u, F g_e, F g_i, F base) {
    const F current = (base + (g_e + g_i)) - u;
    v = v + F(p[8]) * (((F(0.04f) * v + F(5.0f)) * v + F(140.0f)) + current);
    v = v + F(p[8]) * (((F(0.04f) * v + F(5.0f)) * v + F(140.0f)) + current);
    u = u + F(p[9]) * (F(p[10]) * v - u);
}

__device__ __forceinline__ void adaptive(const float* p, F& v, F& w, F g_e, F g_i, F base) {
    const F seen = F(p[19]) * v;
    const F synapses = g_e * (F(p[17]) - seen) + g_i * (F(p[18]) - seen);
    const F bend = F(p[13]) * (expm1_of(F(fminf(((v - F(p[11])) * F(p[12])).v, 40.0f))) + F(1.0f));
    const F slope = ((F(p[9]) * (F(p[10]) - v) + bend) + (base + synapses)) - w;
    const F follows = w + F(p[14]) * (F(p[15]) * (v - F(p[10])) - w);
    v = v + F(p[8]) * slope;
    w = follows;
}

__device__ __forceinline__ void channels(const float* p, F v, F& m, F& h, F& n) {
    const F x = v - F(p[15]);
    m = gate(m, F(1.28f) * linear_of((F(13.0f) - x) / F(4.0f)), F(1.4f) * linear_of((x - F(40.0f)) / F(5.0f)), F(p[16]));
    h = gate(h, F(0.128f) * (expm1_of((F(17.0f) - x) / F(18.0f)) + F(1.0f)),
             F(4.0f) / (expm1_of((F(40.0f) - x) / F(5.0f)) + F(2.0f)), F(p[16]));
    n = gate(n, F(0.16f) * linear_of((F(15.0f) - x) / F(5.0f)),
             F(0.5f) * (expm1_of((F(10.0f) - x) / F(40.0f)) + F(1.0f)), F(p[16]));
}

__device__ __forceinline__ F hodgkin_huxley(const float* p, F v, F m, F h, F n, F g_e, F g_i, F base) {
    const F sodium = F(p[11]) * (((m * m) * m) * h);
    const F potassium = F(p[13]) * ((n * n) * (n * n));
    const F total = ((F(p[9]) + sodium) + potassium) + F(p[19]) * (g_e + g_i);
    const F driven = ((F(p[10]) + sodium * F(p[12])) + potassium * F(p[14])) + (base + (g_e * F(p[17]) + g_i * F(p[18])));
    return v - (driven / total - v) * expm1_of(F(p[8]) * total);
}

// 64 random bits of a neuron and step (SplitMix64)
__device__ __forceinline__ unsigned long long bits_of(unsigned long long key, int now, int n, int i) {
    const unsigned long long count = (unsigned long long)now * (unsigned long long)n + (unsigned long long)i + 1ull;
    unsigned long long z = key + count * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
