// Overpotentials of charge transfer, in units of 2RT/F: what j/2j0 asks for.

#pragma once

// y of e^{skew y} sinh y = s, skew = 2α − 1 with the anodic transfer coefficient α.
__device__ __forceinline__ REAL overpotential(REAL s, REAL skew) {
    REAL y = asinh(s);
#if ASYMMETRIC
    // Newton on y − asinh(s e^{−skew y}), which rises with a slope between 1 − |skew| and 1 + |skew| and bends one way
    // only: it converges from anywhere. No exponentials cancel, and small s gives y = s.
#pragma unroll 1
    for (int pass = 0; pass < 8 && skew != REAL(0); ++pass) {
        const REAL driven = s * exp(-skew * y);
        const REAL root = sqrt(REAL(1) + driven * driven);
        const REAL move = (y - asinh(driven)) * root / (root + skew * driven);
        y -= move;
        if (fabs(move) <= REAL(sizeof(REAL) == 4 ? 1e-7 : 1e-15) * fabs(y)) break;
    }
#endif
    return y;
}
