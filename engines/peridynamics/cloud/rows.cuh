// Names of cloud/rows.py, which says what they are; written by `python -m engines.peridynamics.cloud.rows`.
#pragma once

constexpr int WORD = 32;
constexpr int SLICE = 32;
constexpr int FOUR = 4;
constexpr int CLASSES = 8;
constexpr int WEIGHT_BITS = 16;
constexpr int MANTISSA = 12;
constexpr int LOWEST = 119;
constexpr int LISTED_FROM = 19;
constexpr int CLASS_FROM = 29;
