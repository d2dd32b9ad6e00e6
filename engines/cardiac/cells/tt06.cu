// variants: -DREAL=float; -DREAL=double; -DREAL=float -DVARIED=0xfffffu; -DREAL=double -DVARIED=0xfffffu
// variants: -DREAL=float -DGROUPS; -DREAL=double -DGROUPS
// variants: -DREAL=float -DVARIED=0xfffffu -DGROUPS; -DREAL=double -DVARIED=0xfffffu -DGROUPS
// any: VARIED
//
// One lightweight Rush-Larsen step of the ten Tusscher-Panfilov 2006 cell (doi 10.1152/ajpheart.00109.2006), a thread per
// cell. The model is told in the order and with the names of simd.py, which says how and why it is rearranged;
// reference.py has it as published.
//
// Layout: states (18, stride), one row per state of tt06.ROWS, so that a warp reads whole lines; voltage apart.
// Na_i, K_i and Ca_SR are stored as offsets from a reference per cell type.
// Without VARIED the cells are of the three types, whose constants are in constant memory. With it they are of kinds:
// `table` (columns, kinds) has the columns T_ of each kind and, for bit k of VARIED, that of the constant BIT_ = k. It
// is read by columns, so that lanes of different kinds share a line of the cache.
// Per cell-step: reads 18 states, V after diffusion, V before it, the cell type; writes 18 states and V:
// 157 bytes in float, 313 in double. Stimulus masks and activation times are touched in few steps.
//
// No double arithmetic in the float variant: literals go through R(), constants through their REAL conversion.
// Functions: cardiac/cells/cell_math.cuh. Float: emulated over a beat, the special function unit's errors move APD90 by 0.0002
// ms and the upstroke by less than 1e-5 ms, and it takes 650 instructions where expf and logf take 1060: few enough to hide
// behind 157 bytes. Double: 840 double operations (both branches) of 1570 instructions, where the library's functions make
// them 1180 of 2440: the kernel's time was the arithmetic's.

#include "cardiac/cells/cell_math.cuh"
#include "cardiac/cells/tt06_constants.cuh"

#ifdef VARIED
// Column of a constant: behind the columns T_ and those of lower bits.
__device__ constexpr int column_of(int bit) {
    int column = N_TYPE_COLUMNS;
    for (int k = 0; k < bit; ++k) column += (VARIED >> k) & 1u;
    return column;
}
#define TYPE(column) table[(column) * n_kinds + kind]
#define P(name) ((VARIED >> BIT_##name) & 1u ? TYPE(column_of(BIT_##name)) : R(name))
#else
__constant__ REAL type_table[3][N_TYPE_COLUMNS] = TYPE_TABLE;
#define TYPE(column) type_table[kind][column]
#define P(name) R(name)
#endif

// (n/d - w) s/t with one division.
__device__ __forceinline__ REAL gate(REAL w, REAL n, REAL d, REAL s, REAL t) { return divide((n - w * d) * s, d * t); }

// voltage:        (stride) mV, after diffusion; overwritten with the voltage at the end of the step
// voltage_before: (stride) mV, at the start of the step; may be `voltage`
// kinds:          (stride) rows of the constants; table, n_kinds: with VARIED alone
// active:         bit k is set if stimulus k is on; currents: (32) pA/pF
// potassium_share: 1 where the stimulus is a potassium current, else 0
// activation:     (stride) ms; negative for a cell that has not crossed the threshold yet
// times: none, or where the time stands that this step begins at (launches of a CUDA graph keep ``time``)
// dt: ms of the reaction; step_dt: ms from voltage_before to the end of the step, less than dt after waiting
__device__ __forceinline__ REAL
step_cell(REAL* states, long long stride, REAL* voltage, const REAL* voltage_before, REAL* activation,
          const unsigned char* kinds, const REAL* table, int n_kinds, const unsigned* stimulus_mask, unsigned active,
          const REAL* currents, REAL potassium_share, REAL threshold, REAL time, const REAL* times, REAL dt,
          REAL step_dt, long long i) {
#define STATE(row) states[(row) * stride + i]
    const REAL V = voltage[i];
    const REAL before = voltage_before[i];
    const int kind = kinds[i];
    // All reads before the first write: the compiler must assume that rows overlap, and would put them in between.
    const REAL Xr1 = STATE(ROW_XR1), Xr2 = STATE(ROW_XR2), Xs = STATE(ROW_XS);
    const REAL m = STATE(ROW_M), h = STATE(ROW_H), j = STATE(ROW_J);
    const REAL d = STATE(ROW_D), f = STATE(ROW_F), f2 = STATE(ROW_F2), fCass = STATE(ROW_FCASS);
    const REAL s = STATE(ROW_S), r = STATE(ROW_R);
    const REAL Ca_i = STATE(ROW_CA_I), dSR = STATE(ROW_CA_SR), Ca_ss = STATE(ROW_CA_SS), R_prime = STATE(ROW_R_PRIME);
    const REAL dNa = STATE(ROW_NA_I), dK = STATE(ROW_K_I);

    REAL stimulus = R(0);
    if (active != 0) {
        const unsigned here = active & stimulus_mask[i];
        for (unsigned bits = here; bits != 0; bits &= bits - 1) stimulus += currents[__ffs(bits) - 1];
        if (dt > step_dt) stimulus *= divide(step_dt, dt);  // it wakes a cell: it was not on while that waited
    }

    // Powers of exponentials of V
    const REAL a14 = exponential(V, R(1.0 / 14));
    const REAL a7 = a14 * a14;
    const REAL b120 = exponential(V, R(1.0 / 120));
    const REAL b60 = b120 * b120;
    const REAL b30 = b60 * b60;
    const REAL b24 = b30 * b120;
    const REAL b20 = b60 * b30;
    const REAL b15 = b30 * b30;
    const REAL b12 = b15 * b60;
    const REAL b10 = b20 * b20;
    const REAL b7h = b15 * b15;
    const REAL b6 = b12 * b12;
    const REAL b5 = b10 * b10;
    const REAL i60 = divide(R(1), b60);
    const REAL i30 = i60 * i60;
    const REAL i20 = i60 * i30;
    const REAL i12 = i30 * i30 * i60;
    const REAL i10 = i20 * i20;
    const REAL i6 = i12 * i12;
    const REAL i5 = i10 * i10;

    REAL rate, e, d0, d1, d2, t, tau, x, flux;

    // Rapid and slow delayed rectifier
    rate = (R(1) + R(E_XR1A) * i10) * (R(1) + R(E_XR1B) * exponential(V, R(1 / 11.5)));
    STATE(ROW_XR1) = Xr1 + dt * gate(Xr1, a7, a7 + R(E_XR1), rate, R(2700));
    rate = (R(1) + R(E_3) * i20) * (R(1) + R(E_3) * b20);
    STATE(ROW_XR2) = Xr2 + dt * gate(Xr2, R(1), R(1) + R(E_XR2) * b24, rate, R(3.36));
    rate = root(R(1) + R(E_XSA) * i6) * (R(1) + R(E_XSB) * b15);
    STATE(ROW_XS) = Xs + dt * gate(Xs, a14, a14 + R(E_XS), rate, R(1400) + R(80) * rate);

    // Fast sodium: m by its exponential, h and j by forward Euler
    e = exponential(V, R(1 / 9.03));
    const REAL m_root = divide(e, e + R(E_M));
    const REAL m_inf = m_root * m_root;
    d1 = R(1) + R(E_MB) * b5;
    d2 = R(1) + R(E_MC) * exponential(V, R(1.0 / 200));
    rate = divide((R(1) + R(E_MA) * i5) * d1 * d2 * R(10), d1 + d2);
    STATE(ROW_M) = m_inf + (m - m_inf) * exponential(-dt * rate);
    x = R(1) + R(E_H) * exponential(V, R(1 / 7.43));
    const REAL h_inf = divide(R(1), x * x);
    REAL rate_h, rate_j;
    if (V < R(-40)) {
        rate_h = R(0.057) * exponential(V + R(80), R(-1 / 6.8)) + R(2.7) * exponential(V, R(0.079))
                 + R(310000) * exponential(V, R(0.3485));
        const REAL n1 = (R(-25428) * exponential(V, R(0.2444)) - R(6.948e-6) * exponential(V, R(-0.04391)))
                        * (V + R(37.78));
        d1 = R(1) + exponential(V + R(79.23), R(0.311));
        const REAL n2 = R(0.02424) * exponential(V, R(-0.01052));
        d2 = R(1) + exponential(V + R(40.14), R(-0.1378));
        rate_j = divide(n1 * d2 + n2 * d1, d1 * d2);
    } else {
        rate_h = divide(R(0.77 / 0.13), R(1) + exponential(V + R(10.66), R(-1 / 11.1)));
        rate_j = divide(R(0.6) * exponential(V, R(0.057)), R(1) + R(E_JH) * i10);
    }
    STATE(ROW_H) = h + dt * (h_inf - h) * rate_h;
    STATE(ROW_J) = j + dt * (h_inf - j) * rate_j;

    // L-type calcium
    e = exponential(V, R(1.0 / 13));
    d1 = (e + R(E_DA)) * (R(1) + R(E_DB) * b5);
    d2 = R(1) + R(E_DC) * i20;
    t = R(1.4) * (R(1.65) * e + R(0.25 * E_DA)) * d2 + d1;
    STATE(ROW_D) = d + dt * gate(d, b7h, b7h + R(E_D), d1 * d2, t);
    const REAL g = exponential((V + R(27)) * (V + R(27)), R(-1.0 / 3600));
    const REAL g3 = g * g * g;
    const REAL g15 = g3 * g3 * g3 * g3 * g3;
    d1 = R(1) + R(E_FA) * i10;
    d2 = R(1) + R(E_FB) * b10;
    t = (R(1102.5) * g15 * g + R(20)) * (d1 * d2) + R(200) * d2 + R(180) * d1;
    STATE(ROW_F) = f + dt * gate(f, R(1), R(1) + R(E_F) * a7, d1 * d2, t);
    d1 = R(1) + R(E_F2A) * i10;
    d0 = R(1) + R(E_F2) * a7;
    t = R(562) * g15 * (d1 * d2) + R(31) * d2 + R(80) * d1;
    STATE(ROW_F2) = f2 + dt * gate(f2, R(0.67) + R(0.33) * d0, d0, d1 * d2, t);
    d0 = R(1) + Ca_ss * Ca_ss * R(400);
    STATE(ROW_FCASS) = fCass + dt * divide(R(0.6) + (R(0.4) - fCass) * d0, R(80) + R(2) * d0);

    // Transient outward
    x = V - TYPE(T_S_CENTRE);
    d1 = R(1) + R(E_S) * b5;
    tau = (TYPE(T_S_HEIGHT) * exponential(-(x * x * TYPE(T_S_WIDTH))) + TYPE(T_S_FLOOR)) * d1 + TYPE(T_S_STEP);
    STATE(ROW_S) = s + dt * gate(s, R(1), R(1) + TYPE(T_S_INF) * b5, d1, tau);
    tau = R(9.5) * exponential((V + R(40)) * (V + R(40)), R(-1.0 / 1800)) + R(0.8);
    STATE(ROW_R) = r + dt * gate(r, b6, b6 + R(E_R), R(1), tau);

    // Reversal potentials
    const REAL Na_i = dNa + TYPE(T_NA), K_i = dK + TYPE(T_K), Ca_SR = dSR + TYPE(T_CA_SR);
    const REAL V_Na = V - R(RTF) * (P(LOG_NA_O) - logarithm(Na_i));
    const REAL V_K = V - R(RTF) * (P(LOG_K_O) - logarithm(K_i));
    const REAL V_Ks = V - R(RTF) * (P(LOG_KS_O) - logarithm(K_i + R(P_KNA) * Na_i));
    const REAL V_Ca = V - R(0.5 * RTF) * (P(LOG_CA_O) - logarithm(Ca_i));

    // Potassium currents
    const REAL k = exponential(V_K, R(0.02));
    const REAL k2 = k * k;
    const REAL y = R(0.0002) * (V_K + R(100));  // at most 0.05 in a living cell: Taylor is exp to 2e-13
    const REAL small = R(1) + y * (R(1) + y * (R(1.0 / 2) + y * (R(1.0 / 6)
                       + y * (R(1.0 / 24) + y * (R(1.0 / 120) + y * R(1.0 / 720))))));
    const REAL opening = R(0.1) * (R(1) + exponential(V_K, R(-0.5)));
    const REAL closing = (R(3) * small + R(E_K1B) * (k2 * k2 * k)) * (R(1) + R(E_K1A) * (k2 * k));
    const REAL i_K1 = P(G_K1) * V_K * divide(opening, opening + closing);
    const REAL i_Kr = P(G_KR) * Xr1 * Xr2 * V_K;
    const REAL i_Ks = TYPE(T_G_KS) * Xs * Xs * V_Ks;
    const REAL i_to = TYPE(T_G_TO) * r * s * V_K;
    e = exponential(V, R(1 / 5.98));
    const REAL i_pK = P(G_PK) * V_K * divide(e, e + R(E_PK));

    // Sodium and calcium currents, pump and exchanger
    const REAL u = exponential(V, R(0.1 / RTF));
    const REAL u2 = u * u;
    const REAL u4 = u2 * u2;
    const REAL u5 = u4 * u;
    const REAL u10 = u5 * u5;
    const REAL z = (V - R(15)) * R(2 / RTF);
    const REAL phi = goldman(z, u10 * u10 * R(E_CAL));
    const REAL i_CaL = P(G_CAL_2F) * d * f * f2 * fCass * (R(0.25) * Ca_ss * (phi + z) - P(CA_O) * phi);
    const REAL i_Na = P(G_NA) * m * m * m * h * j * V_Na;
    const REAL i_bNa = P(G_BNA) * V_Na;
    const REAL i_bCa = P(G_BCA) * V_Ca;
    const REAL i_pCa = divide(P(G_PCA) * Ca_i, Ca_i + R(K_PCA));
    const REAL i_NaK = divide(P(NAK_MAX) * Na_i * u10, (u10 + R(0.1245) * (u5 * u4) + R(0.0353)) * (Na_i + R(K_MNA)));
    e = exponential(V, R(GAMMA / RTF));
    x = Na_i * Na_i * Na_i * P(CA_O) * u10 - P(NACA_OUT) * Ca_i;
    const REAL i_NaCa = divide(P(NACA_MAX) * e * x, u10 + R(K_SAT) * e);

    // Calcium handling
    const REAL Ca2 = Ca_i * Ca_i;
    const REAL i_up = divide(P(VMAX_UP) * Ca2, Ca2 + R(K_UP2));
    const REAL i_leak = P(V_LEAK) * (Ca_SR - Ca_i);
    const REAL i_xfer = P(V_XFER) * (Ca_ss - Ca_i);
    const REAL n = R(MIN_SR) * (Ca_SR * Ca_SR) + R(MAX_SR * EC2);  // kcasr = n/d0
    d0 = Ca_SR * Ca_SR + R(EC2);
    const REAL w = R(K1_PRIME) * d0 * (Ca_ss * Ca_ss);
    const REAL i_rel = divide(P(V_REL) * w * R_prime * (Ca_SR - Ca_ss), R(K3) * n + w);
    STATE(ROW_R_PRIME) = R_prime + dt * (R(K4) * (R(1) - R_prime) - divide(R(K2_PRIME) * Ca_ss * R_prime * n, d0));
    x = (Ca_i + R(K_BUF_C)) * (Ca_i + R(K_BUF_C));
    flux = (i_leak - i_up) * R(SR_C) + i_xfer - (i_bCa + i_pCa - R(2) * i_NaCa) * R(0.5 * CM_VCF);
    STATE(ROW_CA_I) = Ca_i + dt * divide(flux * x, x + R(BUF_C));
    x = (Ca_SR + R(K_BUF_SR)) * (Ca_SR + R(K_BUF_SR));
    STATE(ROW_CA_SR) = dSR + dt * divide((i_up - i_rel - i_leak) * x, x + R(BUF_SR));
    x = (Ca_ss + R(K_BUF_SS)) * (Ca_ss + R(K_BUF_SS));
    flux = i_rel * R(SR_SS) - i_xfer * R(C_SS) - i_CaL * R(CM_2VSSF);
    STATE(ROW_CA_SS) = Ca_ss + dt * divide(flux * x, x + R(BUF_SS));

    // Sodium, potassium, voltage
    const REAL sodium = i_Na + i_bNa + R(3) * (i_NaK + i_NaCa);
    const REAL potassium = i_K1 + i_to + i_Kr + i_Ks + i_pK - R(2) * i_NaK;
    STATE(ROW_NA_I) = dNa - dt * sodium * R(CM_VCF);
    STATE(ROW_K_I) = dK - dt * (potassium - potassium_share * stimulus) * R(CM_VCF);
    const REAL total = i_K1 + i_to + i_Kr + i_Ks + i_pK + i_Na + i_bNa + i_bCa + i_CaL + i_NaK + i_NaCa + i_pCa;
    const REAL after = V + dt * (stimulus - total);
    voltage[i] = after;

    if (before < threshold && after >= threshold && activation[i] < R(0))
        activation[i] = (times ? *times : time) + step_dt * divide(threshold - before, after - before);
    return after;
}

#ifdef GROUPS
#include "cardiac/multirate/groups.cuh"

extern "C" __global__ void GROUPS_LAUNCH_BOUNDS
react_groups(REAL* states, long long stride, REAL* voltage, const REAL* voltage_before, REAL* __restrict__ activation,
             const unsigned char* __restrict__ kinds, const REAL* __restrict__ table, int n_kinds,
             const unsigned* __restrict__ stimulus_mask, unsigned active, const REAL* __restrict__ currents,
             REAL potassium_share, REAL threshold, REAL time, const REAL* __restrict__ times, REAL dt,
             long long n_cells, GROUPS_DUE) {
    react_due(THESE_GROUPS_DUE, voltage, dt, n_cells, [&](long long i, REAL elapsed) {
        return step_cell(states, stride, voltage, voltage_before, activation, kinds, table, n_kinds, stimulus_mask,
                         active, currents, potassium_share, threshold, time, times, elapsed, dt, i);
    });
}
#else
extern "C" __global__ void __launch_bounds__(256)
react(REAL* states, long long stride, REAL* voltage, const REAL* voltage_before, REAL* __restrict__ activation,
      const unsigned char* __restrict__ kinds, const REAL* __restrict__ table, int n_kinds,
      const unsigned* __restrict__ stimulus_mask, unsigned active, const REAL* __restrict__ currents,
      REAL potassium_share, REAL threshold, REAL time, const REAL* __restrict__ times, REAL dt, long long n_cells) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_cells) return;
    step_cell(states, stride, voltage, voltage_before, activation, kinds, table, n_kinds, stimulus_mask, active,
              currents, potassium_share, threshold, time, times, dt, dt, i);
}
#endif
