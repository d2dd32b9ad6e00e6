// Names of events/kinds.py, which says what they are; written by `python -m engines.spiking.events.kinds`.
#pragma once


namespace Given {
enum {
    BYTES = 0,
    FLOATS = 1,
    LIST = 2,
};
}
