"""Neuron models, a step each, on the CPU; the twins of those in models.cuh, rounded in the same order. ``p`` is a
population's row of constants (``rows.py``)."""

import numpy as np
from numba import njit

_0, _1, _2, _4, _5, _HALF = (np.float32(value) for value in (0, 1, 2, 4, 5, 0.5))
_140, _004, _ARGUMENT = np.float32(140), np.float32(0.04), np.float32(40)
_LOWEST, _HIGHEST = np.float32(-87), np.float32(88)
_LOG2E, _LN2_HIGH, _LN2_LOW = np.float32(1.44269504), np.float32(0.693359375), np.float32(-2.12194440e-4)
_E5, _E4, _E3, _E2, _E1, _E0 = (
    np.float32(value)
    for value in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
)
_L8, _L7, _L6, _L5, _L4, _L3, _L2, _L1, _L0 = (
    np.float32(value)
    for value in (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                  -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
)  # fmt: skip
_ROOT, _MANTISSA, _FRACTION = np.int32(0x3F3504F3), np.int32(0x7FFFFF), np.int32(23)
_NEAR, _CLOSE, _LEAST = np.float32(0.05), np.float32(0.01), np.float32(1e-7)
_THIRD, _QUARTER, _FIFTH = np.float32(0.33333334), np.float32(0.25), np.float32(0.2)
_FLAT = np.float32(1e-4)
_3, _13, _15, _17, _18, _40 = (np.float32(value) for value in (3, 13, 15, 17, 18, 40))
_A_M, _B_M, _A_H, _A_N = (np.float32(value) for value in (1.28, 1.4, 0.128, 0.16))


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _power(x):
    """e^x = q s + s, as (q s, s) (Cephes' polynomial; 2^k by its bits), the same bits as on a GPU."""
    x = x if x > _LOWEST else _LOWEST
    x = x if x < _HIGHEST else _HIGHEST
    k = np.floor(x * _LOG2E + _HALF)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = ((((_E5 * r + _E4) * r + _E3) * r + _E2) * r + _E1) * r + _E0
    q = (p * r) * r + r
    s = np.int32((np.int32(k) + np.int32(127)) << _FRACTION).view(np.float32)
    return q * s, s


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def expm1(x):
    """e^x − 1"""
    part, s = _power(x)
    return part + (s - _1)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def exp(x):
    part, s = _power(x)
    return part + s


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def log(x):
    """Of a normal number above 0 (Cephes' polynomial)."""
    bits = np.int32(np.float32(x).view(np.int32) - _ROOT)
    k = np.float32(bits >> _FRACTION)
    r = np.int32((bits & _MANTISSA) + _ROOT).view(np.float32) - _1
    square = r * r
    p = (((((((_L8 * r + _L7) * r + _L6) * r + _L5) * r + _L4) * r + _L3) * r + _L2) * r + _L1) * r + _L0
    return (((p * r) * square + k * _LN2_LOW) - square * _HALF + r) + k * _LN2_HIGH


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _linear(y):
    """y/(e^y − 1)"""
    near, far = _1 - y * _HALF, y / expm1(y)
    return near if abs(y) < _FLAT else far


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def _gate(value, opens, closes, step):
    """A gate after a step at fixed voltage; ``step`` is −dt."""
    both = opens + closes
    return value - (opens / both - value) * expm1(step * both)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def conductance_lif(p, v, g_e, g_i, base):
    total = (_1 + g_e) + g_i
    target = (base + (g_e * p.reversal_e + g_i * p.reversal_i)) / total
    return v - (target - v) * expm1(p.rate * total)


@njit(nogil=True, cache=True)
def izhikevich(p, v, u, g_e, g_i, base):
    current = (base + (g_e + g_i)) - u
    v = v + p.half * (((_004 * v + _5) * v + _140) + current)
    v = v + p.half * (((_004 * v + _5) * v + _140) + current)
    return v, u + p.recovery_rate * (p.follows * v - u)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def sodium_opens(p, v, m):
    x = v - p.shift
    return _gate(m, _A_M * _linear((_13 - x) / _4), _B_M * _linear((x - _40) / _5), p.gate_rate)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def sodium_inactivates(p, v, h):
    x = v - p.shift
    return _gate(h, _A_H * (expm1((_17 - x) / _18) + _1), _4 / (expm1((_40 - x) / _5) + _2), p.gate_rate)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def potassium_opens(p, v, n):
    x = v - p.shift
    return _gate(n, _A_N * _linear((_15 - x) / _5), _HALF * (expm1((np.float32(10) - x) / _40) + _1), p.gate_rate)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def hodgkin_huxley(p, v, m, h, n, g_e, g_i, base, halves):
    """The voltage after ``halves`` half sub-steps with these gates."""
    sodium = p.sodium * (((m * m) * m) * h)
    potassium = p.potassium * ((n * n) * (n * n))
    total = ((p.leak + sodium) + potassium) + p.conducts * (g_e + g_i)
    ions = sodium * p.sodium_reversal + potassium * p.potassium_reversal
    driven = ions + (base + (g_e * p.reversal_e + g_i * p.reversal_i))
    return v - (driven / total - v) * expm1((halves * p.rate) * total)


@njit(nogil=True, cache=True, error_model="numpy", forceinline=True)
def fired_adaptive(p, v, w, g_e, g_i, base):
    """The step of ``_adaptive_neurons`` where the neuron fires: when it does follows from e^(−v/Δ) with the linear
    part's slope held, then it goes on from the reset for what is left of the step."""
    peak, reset = p.threshold, p.reset
    total = p.leak + p.conducts * (g_e + g_i)
    drive = base + (g_e * p.reversal_e + g_i * p.reversal_i)
    rises = _0 - ((drive - w) / total - v) * expm1(p.rate * total)  # by half a step of the linear part
    power = exp(max(min((v - p.soft_threshold) * p.per_slope, _ARGUMENT), -_ARGUMENT))
    per_step = -_2 * p.rate  # dt/C
    steps = _1 / ((per_step * p.leak) * power)  # to e^(−v/Δ) = 0, without the linear part
    share = power * p.at_peak
    way = _1 - share
    bent = ((rises + rises) * p.per_slope) * steps
    over = _1 + share * bent
    z = (way * bent) / over
    reaches = over > _0 and _1 + z > _LEAST
    when = _1
    if reaches:
        near = _1 - z * (_HALF - z * (_THIRD - z * (_QUARTER - z * _FIFTH)))
        bending = near if abs(z) < _NEAR else log(_1 + z) / z
        when = min(max((steps * way) / over * bending, _0), _1)
    left = _1 - when
    upward = _1 / p.per_slope + (v - share * peak) / way if way > _CLOSE else _HALF * (v + peak)
    seen = when * upward + left * reset
    w = w - (p.adaptation * (seen - p.rest) - w) * p.recovery_loss
    w = w + (p.jump + (p.jump * p.recovery_loss) * left)
    again = exp(min((reset - p.soft_threshold) * p.per_slope, _ARGUMENT))
    slope = ((drive - total * reset) - w) + (p.leak / p.per_slope) * again
    return reset + (left * per_step) * slope, w
