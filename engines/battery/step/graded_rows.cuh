// Names of graded.py, which says what they are; written by `python -m engines.battery.step.headers`.
#pragma once

constexpr int SHELLS = 24;
constexpr REAL GAMMA = REAL(0.2928932188134524);
constexpr int PICARD = 2;
constexpr REAL HALF_SPACE = REAL(1.1283791670955126);
constexpr REAL SHORT = REAL(0.1);
constexpr int SURFACE_PASSES = 3;
