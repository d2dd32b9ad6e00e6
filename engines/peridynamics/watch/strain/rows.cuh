// Names of strain/rows.py, which says what they are; written by `python -m engines.peridynamics.watch.strain.rows`.
#pragma once

constexpr double FEWEST = double(0.3333333333333333);
constexpr double LEAST = double(0.01);
constexpr int ROWS = 12;
constexpr int CONSTANTS = 3;

namespace Found {
enum {
    STRAIN = 0,
    VON_MISES = 1,
    MEAN_STRESS = 2,
    DILATATION = 3,
    XX = 4,
    YY = 5,
    ZZ = 6,
    YZ = 7,
    XZ = 8,
    XY = 9,
    LARGEST = 10,
    SMALLEST = 11,
};
}

namespace Elasticity {
enum {
    LAME = 0,
    SHEAR = 1,
    THROUGH = 2,
};
}
