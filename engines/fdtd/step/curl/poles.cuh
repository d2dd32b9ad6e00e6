// Poles of the permittivity (dispersion.py), part of the pass over E where -DPOLES:
//
//   w = p Yj + c Yp + g beta E,   curl H -= w,   Yj <- w + r Yj,   Yp <- Yp + w + 2 beta E
//
// spans: for each row (component, k, j) the first and last + 1 place with states, and where these begin, in units of 4
// values. states: (slots + seconds, places), Yj of each slot, then Yp of the first `seconds` slots. constants: p, c, g, r of
// each slot. beta: (slots, ids).
#pragma once

struct Poles {
    const int4* __restrict__ spans;
    REAL* __restrict__ states;
    const REAL* __restrict__ constants;
    const REAL* __restrict__ beta;
    int slots, seconds, ids;
    long long places;
};
#define POLE_ARGUMENTS                                                                                                   \
    const int4 *__restrict__ spans, REAL *__restrict__ states, const REAL *__restrict__ constants,                       \
        const REAL *__restrict__ beta, const int slots, const int seconds, const int id_count, const long long places
#define POLES_OF {spans, states, constants, beta, slots, seconds, id_count, places}

#ifdef V
// V places of a row from place i on; `row`: its number; `field` and `ids`: at these places.
DEVICE void polarize(
    const Poles& poles, const size_t row, const int i, const REAL* __restrict__ field,
    const Id* __restrict__ ids, Values& curl)
{
    const int4 span = __ldg(poles.spans + row);
    if (i < span.x || i >= span.y) return;
    const Values e = load(field);
    const Ids id = *reinterpret_cast<const Ids*>(ids);
    REAL* place = poles.states + (size_t(span.z) * 4 + i - span.x);
#pragma unroll 1
    for (int slot = 0; slot < poles.slots; ++slot) {
        const REAL* const strength = poles.beta + size_t(slot) * poles.ids;
        const REAL* const constants = poles.constants + 4 * slot;
        const REAL p = __ldg(constants), c = __ldg(constants + 1), g = __ldg(constants + 2), r = __ldg(constants + 3);
        Values j = load(place), w, t;
#pragma unroll
        for (int v = 0; v < V; ++v) {
            t.v[v] = __ldg(strength + id.v[v]) * e.v[v];
            w.v[v] = p * j.v[v] + g * t.v[v];
        }
        if (slot < poles.seconds) {
            REAL* const second = place + size_t(poles.slots) * poles.places;
            Values held = load(second);
#pragma unroll
            for (int v = 0; v < V; ++v) {
                w.v[v] += c * held.v[v];
                held.v[v] += w.v[v] + (t.v[v] + t.v[v]);
            }
            *reinterpret_cast<Values*>(second) = held;
        }
#pragma unroll
        for (int v = 0; v < V; ++v) {
            curl.v[v] -= w.v[v];
            j.v[v] = w.v[v] + r * j.v[v];
        }
        *reinterpret_cast<Values*>(place) = j;
        place += poles.places;
    }
}
#endif
