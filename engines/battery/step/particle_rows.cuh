// Names of particle_rows.py, which says what they are; written by `python -m engines.battery.step.headers`.
#pragma once

constexpr int MODES = 16;

namespace BaseRow {
enum {
    BASE = 0,
    ERROR = 1,
};
}

namespace ModeRow {
enum {
    MEAN = 0,
    MEAN_ERROR = 1,
    MODES = 2,
};
}
