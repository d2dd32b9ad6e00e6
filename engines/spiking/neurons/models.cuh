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

__device__ __forceinline__ float kept(F a) { return fabsf(a.v) < FADED ? 0.0f : a.v; }

// e^x = q s + s: Cephes' polynomial, 2^k by its bits
__device__ __forceinline__ F power_of(F x, F& s) {
    x = F(fminf(fmaxf(x.v, -87.0f), 88.0f));
    const F k = F(floorf((x * F(1.44269504f) + F(0.5f)).v));
    const F r = (x - k * F(0.693359375f)) - k * F(-2.12194440e-4f);
    const F p = ((((F(1.9875691500e-4f) * r + F(1.3981999507e-3f)) * r + F(8.3334519073e-3f)) * r + F(4.1665795894e-2f)) * r +
                 F(1.6666665459e-1f)) * r + F(5.0000001201e-1f);
    const F q = (p * r) * r + r;
    s = F(__int_as_float(((int)k.v + 127) << 23));
    return q * s;
}

__device__ __forceinline__ F exp_of(F x) {
    F s = F(0.0f);
    const F part = power_of(x, s);
    return part + s;
}

__device__ __forceinline__ F expm1_of(F x) {
    F s = F(0.0f);
    const F part = power_of(x, s);
    return part + (s - F(1.0f));
}

// natural logarithm of a normal number above 0 (Cephes)
__device__ __forceinline__ F log_of(F x) {
    const int bits = __float_as_int(x.v) - 0x3f3504f3;  // of sqrt(1/2): mantissas from there to sqrt(2)
    const F k = F((float)(bits >> 23));
    const F r = F(__int_as_float((bits & 0x7fffff) + 0x3f3504f3)) - F(1.0f), square = r * r;
    const F p = ((((((((F(7.0376836292e-2f) * r + F(-1.1514610310e-1f)) * r + F(1.1676998740e-1f)) * r +
                      F(-1.2420140846e-1f)) * r + F(1.4249322787e-1f)) * r + F(-1.6668057665e-1f)) * r +
                  F(2.0000714765e-1f)) * r + F(-2.4999993993e-1f)) * r + F(3.3333331174e-1f));
    return (((p * r) * square + k * F(-2.12194440e-4f)) - square * F(0.5f) + r) + k * F(0.693359375f);
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

// What a step's currents and conductances are, and what a half step of the linear part takes from target - v.
struct Linear {
    F total, drive, loss;
};
__device__ __forceinline__ Linear linear_part(const AdaptiveRow& p, F g_e, F g_i, F base) {
    const F total = F(p.leak) + F(p.conducts) * (g_e + g_i);
    return {total, base + (g_e * F(p.reversal_e) + g_i * F(p.reversal_i)), expm1_of(F(p.rate) * total)};
}

// A step of the linear part's halves, each exact, around the exponential one, which is exact too: e^(-v/D) falls evenly.
// The adaptation takes its step at the mean voltage of the latter. Returns whether the voltage passes the peak.
__device__ __forceinline__ bool adaptive(const AdaptiveRow& p, F& v, F& w, F g_e, F g_i, F base, bool ready, F peak) {
    const Linear own = linear_part(p, g_e, g_i, base);
    const F begun = v - ((own.drive - w) / own.total - v) * own.loss;
    const F power = exp_of(F(fminf(((begun - F(p.soft_threshold)) * F(p.per_slope)).v, 40.0f)));
    const F left = F(1.0f) - ((F(-2.0f) * F(p.rate)) * F(p.leak)) * power;
    const bool passes = left.v <= (power * F(p.at_peak)).v || !(left.v > 1e-7f);
    const F risen = begun - log_of(passes ? F(1.0f) : left) / F(p.per_slope);
    const F seen = ready ? F(0.5f) * (begun + risen) : v;
    w = w - (F(p.adaptation) * (seen - F(p.rest)) - w) * F(p.recovery_loss);
    v = ready ? risen - ((own.drive - w) / own.total - risen) * own.loss : v;
    return ready && (passes || v.v > peak.v);
}

// The same step where the neuron fires: when it does follows from e^(-v/D) with the linear part's slope held, then it
// goes on from the reset for what is left of the step.
__device__ __forceinline__ void fired_adaptive(const AdaptiveRow& p, F& v, F& w, F g_e, F g_i, F base, F peak, F reset) {
    const F one = F(1.0f);
    const Linear own = linear_part(p, g_e, g_i, base);
    const F rises = F(0.0f) - ((own.drive - w) / own.total - v) * own.loss;  // by half a step of the linear part
    const F power = exp_of(F(fmaxf(fminf(((v - F(p.soft_threshold)) * F(p.per_slope)).v, 40.0f), -40.0f)));
    const F per_step = F(-2.0f) * F(p.rate);  // dt/C
    const F steps = one / ((per_step * F(p.leak)) * power);  // to e^(-v/D) = 0, without the linear part
    const F share = power * F(p.at_peak), way = one - share;
    const F bent = ((rises + rises) * F(p.per_slope)) * steps, over = one + share * bent, z = (way * bent) / over;
    const F near = one - z * (F(0.5f) - z * (F(0.33333334f) - z * (F(0.25f) - z * F(0.2f))));
    const bool reaches = over.v > 0.0f && (one + z).v > 1e-7f;
    const F bending = fabsf(z.v) < 0.05f ? near : log_of(reaches ? one + z : one) / z;
    F when = (steps * way) / over * bending;
    when = reaches ? F(fminf(fmaxf(when.v, 0.0f), 1.0f)) : one;
    const F left = one - when;
    const F upward = way.v > 0.01f ? one / F(p.per_slope) + (v - share * peak) / way : F(0.5f) * (v + peak);
    const F seen = when * upward + left * reset;
    w = w - (F(p.adaptation) * (seen - F(p.rest)) - w) * F(p.recovery_loss);
    w = w + (F(p.jump) + (F(p.jump) * F(p.recovery_loss)) * left);
    const F again = exp_of(F(fminf(((reset - F(p.soft_threshold)) * F(p.per_slope)).v, 40.0f)));
    const F slope = ((own.drive - own.total * reset) - w) + (F(p.leak) / F(p.per_slope)) * again;
    v = reset + (left * per_step) * slope;
}

__device__ __forceinline__ void channels(const ChannelRow& p, F v, F& m, F& h, F& n) {
    const F x = v - F(p.shift);
    m = gate(m, F(1.28f) * linear_of((F(13.0f) - x) / F(4.0f)), F(1.4f) * linear_of((x - F(40.0f)) / F(5.0f)), F(p.gate_rate));
    h = gate(h, F(0.128f) * (expm1_of((F(17.0f) - x) / F(18.0f)) + F(1.0f)),
             F(4.0f) / (expm1_of((F(40.0f) - x) / F(5.0f)) + F(2.0f)), F(p.gate_rate));
    n = gate(n, F(0.16f) * linear_of((F(15.0f) - x) / F(5.0f)),
             F(0.5f) * (expm1_of((F(10.0f) - x) / F(40.0f)) + F(1.0f)), F(p.gate_rate));
}

// The voltage after `halves` half sub-steps with these gates.
__device__ __forceinline__ F hodgkin_huxley(const ChannelRow& p, F v, F m, F h, F n, F g_e, F g_i, F base, F halves) {
    const F sodium = F(p.sodium) * (((m * m) * m) * h);
    const F potassium = F(p.potassium) * ((n * n) * (n * n));
    const F total = ((F(p.leak) + sodium) + potassium) + F(p.conducts) * (g_e + g_i);
    const F ions = sodium * F(p.sodium_reversal) + potassium * F(p.potassium_reversal);
    const F driven = ions + (base + (g_e * F(p.reversal_e) + g_i * F(p.reversal_i)));
    return v - (driven / total - v) * expm1_of((halves * F(p.rate)) * total);
}

// 64 random bits of a neuron and step (SplitMix64)
__device__ __forceinline__ unsigned long long bits_of(unsigned long long key, int now, int n, int i) {
    const unsigned long long count = (unsigned long long)now * (unsigned long long)n + (unsigned long long)i + 1ull;
    unsigned long long z = key + count * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
