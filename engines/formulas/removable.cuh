// Quotients that are 0/0 at z = 0, by their series there. Included where R and divide are defined.
#pragma once

// z/(e^z - 1), e = e^z; 1 at z = 0 (series of Bernoulli numbers up to z^14, error 1e-16 at |z| = 1/2).
__device__ __forceinline__ REAL goldman(REAL z, REAL e) {
    const REAL y = z * z;
    REAL b = y * R(1.0 / 74724249600.0) + R(-691.0 / 1307674368000.0);
    b = b * y + R(1.0 / 47900160);
    b = b * y + R(-1.0 / 1209600);
    b = b * y + R(1.0 / 30240);
    b = b * y + R(-1.0 / 720);
    b = b * y + R(1.0 / 12);
    return y < R(0.25) ? R(1) - R(0.5) * z + b * y : divide(z, e - R(1));
}

// The derivative of z/(e^z - 1): g (1 - z - g)/z with g that quotient; -1/2 at z = 0 (the derivative of the series above).
__device__ __forceinline__ REAL goldman_slope(REAL z, REAL e) {
    const REAL y = z * z;
    REAL b = y * R(14.0 / 74724249600.0) + R(-12.0 * 691.0 / 1307674368000.0);
    b = b * y + R(10.0 / 47900160);
    b = b * y + R(-8.0 / 1209600);
    b = b * y + R(6.0 / 30240);
    b = b * y + R(-4.0 / 720);
    b = b * y + R(2.0 / 12);
    const REAL g = divide(z, e - R(1));
    return y < R(0.25) ? z * b - R(0.5) : divide(g * (R(1) - z - g), z);
}

// sinh(z/2)/(z/2) of y = z^2/4 by its series up to z^10 (error 1e-17 at |z| = 1/2).
__device__ __forceinline__ REAL sinh_over(REAL y) {
    REAL b = y * R(1.0 / 39916800) + R(1.0 / 362880);
    b = b * y + R(1.0 / 5040);
    b = b * y + R(1.0 / 120);
    b = b * y + R(1.0 / 6);
    return b * y + R(1);
}

// (e^z - 1)/z, h = e^(z/2); 1 at z = 0.
__device__ __forceinline__ REAL growth(REAL z, REAL h) {
    const REAL y = R(0.25) * z * z;
    return y < R(0.0625) ? h * sinh_over(y) : divide(h * h - R(1), z);
}

// e^z - 1, h = e^(z/2), as exact around z = 0 as elsewhere.
__device__ __forceinline__ REAL less_one(REAL z, REAL h) {
    const REAL y = R(0.25) * z * z;
    return y < R(0.0625) ? z * (h * sinh_over(y)) : h * h - R(1);
}
