// Looking up a Curve (setup/curves.py): cubics on equal intervals, the last value kept beyond the ends.

#pragma once

template <typename Real> struct Cubic;
template <> struct Cubic<float> { using type = float4; };
template <> struct Cubic<double> { using type = double4; };

// at: (x - low) * inverse_step; table: one cubic per interval.
template <typename Real>
__device__ __forceinline__ Real curve_at(const typename Cubic<Real>::type* __restrict__ table, int intervals, Real at) {
    at = at > Real(0) ? at : Real(0);
    at = at < Real(intervals) ? at : Real(intervals);
    int i = static_cast<int>(at);
    i = i < intervals ? i : intervals - 1;
    const Real t = at - Real(i);
    const typename Cubic<Real>::type k = table[i];
    return k.x + t * (k.y + t * (k.z + t * k.w));
}
