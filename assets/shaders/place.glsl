// Where a value is between the ends of the colours, 0 to 1. LOG: by its logarithm.
uniform vec2 u_range;          // lowest value, 1 / (highest - lowest)
uniform vec2 u_log;            // highest / lowest - 1, 1 / log(highest / lowest)

float place_of(float value) {
    float place = (value - u_range.x) * u_range.y;
#ifdef LOG
    place = log(1.0 + max(place, 0.0) * u_log.x) * u_log.y;
#endif
    return place;
}
