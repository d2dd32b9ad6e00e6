// Names of protocol/instructions.py, which says what they are; written by `python -m engines.battery.step.headers`.
#pragma once

constexpr int FIELDS = 6;
constexpr int DRIVE_COLUMNS = 2;

namespace Kind {
enum {
    CURRENT = 0,
    VOLTAGE = 1,
    POWER = 2,
    DRIVE = 3,
    POWER_DRIVE = 4,
};
}

namespace Field {
enum {
    KIND = 0,
    VALUE = 1,
    STEPS = 2,
    LOWEST = 3,
    HIGHEST = 4,
    LEAST_CURRENT = 5,
};
}

namespace DriveColumn {
enum {
    MEAN = 0,
    END = 1,
};
}
