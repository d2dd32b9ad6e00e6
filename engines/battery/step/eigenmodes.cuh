// What kernels share whose particles are the first MODES eigenmodes and a static tail (particles/series.py).
// particles/step/modes.cu has the same with any number of modes. REAL comes from the file that includes this.

#pragma once

#include "battery/step/particle_rows.cuh"

// λ_k², tan λ = λ.
__constant__ REAL SQUARES[MODES] = {
    REAL(20.19072855642663), REAL(59.67951594410941), REAL(118.89986916362645), REAL(197.8578111933772),
    REAL(296.5544121357314), REAL(414.98998425907814), REAL(553.1646458380887), REAL(711.0784497339413),
    REAL(888.7314224691705), REAL(1086.123578544131), REAL(1303.254926431107), REAL(1540.1254713499914),
    REAL(1796.7352166594221), REAL(2073.0841646000335), REAL(2369.1723167130986), REAL(2684.999674087048),
};

// 2/λ_k²: the share of each mode in a steady profile.
#define WEIGHT(square) REAL(2.0 / square)
__constant__ REAL WEIGHTS[MODES] = {
    WEIGHT(20.19072855642663), WEIGHT(59.67951594410941), WEIGHT(118.89986916362645), WEIGHT(197.8578111933772),
    WEIGHT(296.5544121357314), WEIGHT(414.98998425907814), WEIGHT(553.1646458380887), WEIGHT(711.0784497339413),
    WEIGHT(888.7314224691705), WEIGHT(1086.123578544131), WEIGHT(1303.254926431107), WEIGHT(1540.1254713499914),
    WEIGHT(1796.7352166594221), WEIGHT(2073.0841646000335), WEIGHT(2369.1723167130986), WEIGHT(2684.999674087048),
};

// sum += value with the rounding carried in `error` (Kahan).
__device__ __forceinline__ void accumulate(REAL& sum, REAL& error, REAL value) {
    const REAL corrected = value - error, next = sum + corrected;
    error = (next - sum) - corrected;
    sum = next;
}
