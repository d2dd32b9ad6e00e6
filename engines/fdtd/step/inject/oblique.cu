// The line of an oblique plane wave: Yee's equations for values that depend on m · (i, j, k) alone (oblique.py).
// A thread for each place. signals: samples of the waveform, then E_x … E_z, H_x … H_z of `length` places each.
// head: (6, reach, taps), decay: (6, length). ahead: H from curl E, whose differences reach forward; else E from curl H.
//
// variants: -DREAL=float; -DREAL=double

extern "C" __global__ void __launch_bounds__(256) oblique_step(
    REAL* __restrict__ signals, const REAL* __restrict__ head, const REAL* __restrict__ decay, const int length,
    const int reach, const int taps, const int mx, const int my, const int mz, const REAL ix, const REAL iy, const REAL iz,
    const REAL step, const int ahead)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= length - reach) return;
    const int m[3] = {mx, my, mz};
    const REAL inverse[3] = {ix, iy, iz};
    REAL* const e = signals + taps;
    REAL* const h = e + 3 * size_t(length);
    REAL* const target = ahead ? h : e;
    const REAL* const other = ahead ? e : h;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const int row = ahead ? 3 + c : c, a = (c + 1) % 3, b = (c + 2) % 3;
        REAL* const value = target + size_t(c) * length + r;
        if (r < reach) {
            REAL sum = 0;
            for (int tap = 0; tap < taps; ++tap) sum += head[(size_t(row) * reach + r) * taps + tap] * signals[tap];
            *value = sum;
            continue;
        }
        const REAL* const of_a = other + size_t(a) * length + r;
        const REAL* const of_b = other + size_t(b) * length + r;
        const REAL at = ahead ? of_b[m[a]] - of_b[0] : of_b[0] - of_b[-m[a]];
        const REAL to = ahead ? of_a[m[b]] - of_a[0] : of_a[0] - of_a[-m[b]];
        const REAL curl = at * inverse[a] - to * inverse[b], kept = decay[size_t(row) * length + r];
        *value = kept * *value + (ahead ? -step : step) * (REAL(0.5) + REAL(0.5) * kept) * curl;
    }
}
