// Names of sums/rows.py, which says what they are; written by `python -m engines.fdtd.monitors.sums.rows`.
#pragma once

constexpr int THREADS = 256;
constexpr int FREQUENCIES_PER_BLOCK = 32;
constexpr int PLACES = 8;
constexpr int ENTRIES = 9;

namespace Entry {
enum {
    ELECTRIC = 0,
    PLACE = 1,
    NEXT_Y = 2,
    NEXT_Z = 3,
    COUNT_X = 4,
    COUNT_Y = 5,
    COUNT_Z = 6,
    NEIGHBOUR = 7,
    START = 8,
};
}
