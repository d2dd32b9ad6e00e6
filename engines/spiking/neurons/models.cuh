// Neuron models, a step each; the twins of those in cpu_kernels.py.
//
// Numbers of type F are rounded after every product and sum: nothing is contracted, so the CPU gives the same bits.
// p is a population's row of constants (rows.py).
#pragma once
#include "spiking/neurons/rows.cuh"

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

__device__ __forceinline__ F lif(const LifRow& p, F v, F g_e, F g_i, F base) {
    return v + ((F(p.loss) * v + base) + (F(p.gain_e) * g_e + F(p.gain_i) * g_i));
}

// with synapses that are alpha functions, and what these rise by
__device__ __forceinline__ F rising_lif(const LifRow& p, F v, F g_e, F g_i, F rise_e, F rise_i, F base) {
    const F given = (F(p.loss) * v + base) + (F(p.gain_e) * g_e + F(p.gain_i) * g_i);
    return v + (given + (F(p.rise_gain_e) * rise_e + F(p.rise_gain_i) * rise_i));
}

__device__ __forceinline__ F conductance_lif(const ConductanceRow& p, F v, F g_e, F g_i, F base) {
    const F total = (F(1.0f) + g_e) + g_i;
    const F target = (base + (g_e * F(p.reversal_e) + g_i * F(p.reversal_i))) / total;
    return v - (target - v) * expm1_of(F(p.rate) * total);
}

__device__ __forceinline__ void izhikevich(const IzhikevichRow& p, F& v, F& u, F g_e, F g_i, F base) {
    const F current = (base + (g_e + g_i)) - u;
    v = v + F(p.half) * (((F(0.04f) * v + F(5.0f)) * v + F(140.0f)) + current);
    v = v + F(p.half) * (((F(0.04f) * v + F(5.0f)) * v + F(140.0f)) + current);
    u = u + F(p.recovery_rate) * (F(p.follows) * v - u);
}

__device__ __forceinline__ void adaptive(const AdaptiveRow& p, F& v, F& w, F g_e, F g_i, F base) {
    const F seen = F(p.conducts) * v;
    const F synapses = g_e * (F(p.reversal_e) - seen) + g_i * (F(p.reversal_i) - seen);
    const F bend = F(p.bend) * (expm1_of(F(fminf(((v - F(p.soft_threshold)) * F(p.per_slope)).v, 40.0f))) + F(1.0f));
    const F slope = ((F(p.leak) * (F(p.rest) - v) + bend) + (base + synapses)) - w;
    const F follows = w + F(p.recovery_rate) * (F(p.adaptation) * (v - F(p.rest)) - w);
    v = v + F(p.rate) * slope;
    w = follows;
}

__device__ __forceinline__ void channels(const ChannelRow& p, F v, F& m, F& h, F& n) {
    const F x = v - F(p.shift);
    m = gate(m, F(1.28f) * linear_of((F(13.0f) - x) / F(4.0f)), F(1.4f) * linear_of((x - F(40.0f)) / F(5.0f)), F(p.gate_rate));
    h = gate(h, F(0.128f) * (expm1_of((F(17.0f) - x) / F(18.0f)) + F(1.0f)),
             F(4.0f) / (expm1_of((F(40.0f) - x) / F(5.0f)) + F(2.0f)), F(p.gate_rate));
    n = gate(n, F(0.16f) * linear_of((F(15.0f) - x) / F(5.0f)),
             F(0.5f) * (expm1_of((F(10.0f) - x) / F(40.0f)) + F(1.0f)), F(p.gate_rate));
}

__device__ __forceinline__ F hodgkin_huxley(const ChannelRow& p, F v, F m, F h, F n, F g_e, F g_i, F base) {
    const F sodium = F(p.sodium) * (((m * m) * m) * h);
    const F potassium = F(p.potassium) * ((n * n) * (n * n));
    const F total = ((F(p.leak) + sodium) + potassium) + F(p.conducts) * (g_e + g_i);
    const F ions = (F(p.leak_current) + sodium * F(p.sodium_reversal)) + potassium * F(p.potassium_reversal);
    const F driven = ions + (base + (g_e * F(p.reversal_e) + g_i * F(p.reversal_i)));
    return v - (driven / total - v) * expm1_of(F(p.rate) * total);
}

// 64 random bits of a neuron and step (SplitMix64)
__device__ __forceinline__ unsigned long long bits_of(unsigned long long key, int now, int n, int i) {
    const unsigned long long count = (unsigned long long)now * (unsigned long long)n + (unsigned long long)i + 1ull;
    unsigned long long z = key + count * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
