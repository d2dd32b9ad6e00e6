// Names of rows.py, which says what they are; written by `python -m engines.spiking.neurons.rows`.
#pragma once

constexpr float FADED = 1e-20f;
constexpr int TABLE = 64;

namespace Kind {
enum {
    LIF = 0,
    CONDUCTANCE = 1,
    IZHIKEVICH = 2,
    ADAPTIVE = 3,
    HODGKIN_HUXLEY = 4,
    POISSON = 5,
    TYPED = 6,
};
}

// A population's row of constants; each model's own numbers follow those of all.
struct Row {
    float scale_e, scale_i, loss_e, loss_i, threshold, reset, current, noise;
    float own[12];
    float rising;
    float spare[3];
};

struct LifRow {
    float common[8];
    float loss, gain_e, gain_i, rise_gain_e, rise_gain_i;
};

struct ConductanceRow {
    float common[8];
    float rate, reversal_e, reversal_i;
};

struct IzhikevichRow {
    float common[8];
    float half, recovery_rate, follows, jump;
};

struct AdaptiveRow {
    float common[8];
    float rate, leak, rest, soft_threshold, per_slope, at_peak, recovery_loss, adaptation;
    float jump, reversal_e, reversal_i, conducts;
};

struct ChannelRow {
    float common[8];
    float rate, leak, substeps, sodium, sodium_reversal, potassium, potassium_reversal, shift;
    float gate_rate, reversal_e, reversal_i, conducts;
};
