// Names of lif/constants.py, which says what they are; written by `python -m engines.spiking.lif.constants`.
#pragma once

constexpr float FADED = 1e-20f;

namespace Constant {
enum {
    LOSS = 0,
    BASE = 1,
    GAIN_E = 2,
    GAIN_I = 3,
    LOSS_E = 4,
    LOSS_I = 5,
    THRESHOLD = 6,
    RESET = 7,
    SCALE_E = 8,
    SCALE_I = 9,
};
}
