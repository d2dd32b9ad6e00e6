// One cell's explicit step, in the order of operations that every kernel and the CPU's twin share, so that their results
// are equal bit for bit. Values of the six (four) neighbours are lo and hi along x, y (and z); c is the cell itself.
//
//   per axis:                     t = lo + hi;  t = fma(-2, c, t);  out = fma(rate_axis, t, out), from out = c; x, y, z
//   -DEQUAL, all rates the same:  t = (x pair) + (y pair);  t = fma(-4, c, t);  out = fma(rate, t, c)
//                    in 3D first  t = t + (z pair);  t = fma(-2, c, t)
//   then, with a source s:        out = fma(dt, s, out)
//
// 2c and 4c are the sums of their pairs to the last bit, so a constant stays constant. (6c is not: the sum of three pairs
// is rounded, fma(-6, c, sum) shows what was lost, and with rates above 1/8 the last bit would move.)
// The ghost beyond a side is fma(scale, c, shift) of the cell at the side, at the same time level.
#pragma once

#define DEVICE static __device__ __forceinline__

DEVICE float add(float a, float b) { return __fadd_rn(a, b); }
DEVICE double add(double a, double b) { return __dadd_rn(a, b); }
DEVICE float subtract(float a, float b) { return __fsub_rn(a, b); }
DEVICE double subtract(double a, double b) { return __dsub_rn(a, b); }
DEVICE float multiply(float a, float b) { return __fmul_rn(a, b); }
DEVICE double multiply(double a, double b) { return __dmul_rn(a, b); }
DEVICE float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

// The 16 bytes that a lane loads and stores at once: V cells.
template <typename T> struct Pack;
template <> struct Pack<float> { typedef float4 type; };
template <> struct Pack<double> { typedef double2 type; };
typedef Pack<REAL>::type Packed;
static constexpr int V = 16 / sizeof(REAL);
static constexpr unsigned ALL = 0xffffffffu;

DEVICE void unpack(const float4 w, float (&v)[4]) { v[0] = w.x; v[1] = w.y; v[2] = w.z; v[3] = w.w; }
DEVICE void unpack(const double2 w, double (&v)[2]) { v[0] = w.x; v[1] = w.y; }
DEVICE float4 packed(const float (&v)[4]) { return make_float4(v[0], v[1], v[2], v[3]); }
DEVICE double2 packed(const double (&v)[2]) { return make_double2(v[0], v[1]); }

// A cell's new value from its neighbours', without the source; see above.
DEVICE REAL step2(const REAL c, const REAL x_lo, const REAL x_hi, const REAL y_lo, const REAL y_hi, const REAL rate_x,
                  const REAL rate_y)
{
#ifdef EQUAL
    const REAL t = add(add(x_lo, x_hi), add(y_lo, y_hi));
    return multiply_add(rate_x, multiply_add(REAL(-4), c, t), c);
#else
    const REAL out = multiply_add(rate_x, multiply_add(REAL(-2), c, add(x_lo, x_hi)), c);
    return multiply_add(rate_y, multiply_add(REAL(-2), c, add(y_lo, y_hi)), out);
#endif
}

DEVICE REAL step3(const REAL c, const REAL x_lo, const REAL x_hi, const REAL y_lo, const REAL y_hi, const REAL z_lo,
                  const REAL z_hi, const REAL rate_x, const REAL rate_y, const REAL rate_z)
{
#ifdef EQUAL
    REAL t = multiply_add(REAL(-4), c, add(add(x_lo, x_hi), add(y_lo, y_hi)));
    t = multiply_add(REAL(-2), c, add(t, add(z_lo, z_hi)));
    return multiply_add(rate_x, t, c);
#else
    const REAL out = step2(c, x_lo, x_hi, y_lo, y_hi, rate_x, rate_y);
    return multiply_add(rate_z, multiply_add(REAL(-2), c, add(z_lo, z_hi)), out);
#endif
}

// Where a cell of a row or column that may lie beyond the sides is found: wrapped, or the nearest one inside (whose
// value is never used: the ghost takes its place).
DEVICE int inside(const int index, const int count, const int wraps)
{
    if (!wraps) return min(max(index, 0), count - 1);
    const int rest = index % count;
    return rest < 0 ? rest + count : rest;
}

// sides: (low scale, low shift, high scale, high shift) for x, y (and z).
DEVICE REAL ghost(const REAL* __restrict__ sides, const int axis, const int high, const REAL c)
{
    const REAL* side = sides + 4 * axis + 2 * high;
    return multiply_add(__ldg(side), c, __ldg(side + 1));
}

// A row that there is not: no side to look after.
static constexpr int NOWHERE = -0x7fffffff;
