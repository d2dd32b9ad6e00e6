// Names of contact/rows, which says what they are; written by `python -m engines.peridynamics.contact.rows`.
#pragma once

constexpr double NOWHERE = double(1000000000000000.0);
constexpr double MARGIN = double(0.5);
constexpr double STICK = double(0.5);
constexpr int SHAPE = 12;
constexpr int STATE = 20;

namespace ShapeRow {
enum {
    KIND = 0,
    AXIS = 1,
    SIZES = 4,
    STIFFNESS = 7,
    FRICTION = 8,
    RATIO = 9,
};
}

namespace StateRow {
enum {
    PLACE = 0,
    VELOCITY = 3,
    FORCE = 6,
    POTENTIAL = 9,
    WORK = 10,
    PENDING = 11,
    SLID = 12,
    SEEN = 13,
    SEEN_VELOCITY = 16,
    LATER = 19,
};
}

namespace News {
enum {
    MEMBERS = 0,
    MOVED = 1,
    CROWD = 2,
    STALE = 3,
    TOTAL = 4,
};
}
