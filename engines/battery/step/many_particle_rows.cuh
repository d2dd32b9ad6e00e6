// Names of many_particle_rows.py, which says what they are; written by `python -m engines.battery.step.headers`.
#pragma once

constexpr int INTERVALS = 1024;
constexpr int MOST_PASSES = 40;
constexpr REAL ASIDE = REAL(0.001);
constexpr REAL EDGE = REAL(1e-06);
constexpr REAL TOLERANCE = sizeof(REAL) == 4 ? REAL(3.5e-05) : REAL(7e-07);
constexpr int SUMS = 4;

namespace Row {
enum {
    MEAN = 0,
    MEAN_ERROR = 1,
    FLUX = 2,
    MODES = 3,
};
}

namespace Coefficient {
enum {
    WEIGHT = 0,
    RATE = 1,
    GAIN = 2,
    GROWTH = 3,
};
}

namespace CellRow {
enum {
    CHARGE = 0,
    CHARGE_ERROR = 1,
    VOLTAGE = 2,
    CURRENT = 3,
    INSTRUCTION = 4,
    ELAPSED = 5,
    ENDED = 6,
    NEGATIVE_POTENTIAL = 7,
    POSITIVE_POTENTIAL = 8,
};
}

namespace Constant {
enum {
    SIGN = 0,
    START = 1,
    KINETIC = 2,
    POSITIVE = 3,
    RESISTANCE = 6,
    REST_VOLTAGE = 7,
    THERMAL_VOLTAGE = 8,
};
}

namespace Scratch {
enum {
    RELAXED = 0,
    RESPONSE = 1,
    TARGET = 2,
    MOBILITY = 3,
    EXCHANGE = 4,
};
}

namespace Sum {
enum {
    TARGET = 0,
    MOBILITY = 1,
    LOWEST = 2,
    HIGHEST = 3,
};
}
