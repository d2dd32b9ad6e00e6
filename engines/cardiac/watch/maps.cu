// One look of the maps: where each cell is in its beat, and the times of what happened since the look before.
//
// A cell waits (level = WAITING; rest follows the lowest voltage) until it crosses the threshold upwards; then it is
// excited (peak follows the highest voltage, level = peak - fraction (peak - rest)) until it falls below its level.
// Times are linear between two looks. An upward crossing of an excited cell begins a beat of its own if the one before
// is at least REFRACTORY ago (less is the notch of the same beat); the rest of the beat before then stays.
//
// Bytes per cell and look where nothing happens: voltage, before and level read, before written: 4 R; R = sizeof(REAL).
//
// variants: -DREAL=float; -DREAL=double

#define WAITING REAL(-1e30)
#define REFRACTORY REAL(50)

extern "C" __global__ void look_maps(const REAL* __restrict__ voltage, REAL* __restrict__ before,
                                     REAL* __restrict__ level, REAL* __restrict__ rest, REAL* __restrict__ peak,
                                     REAL* __restrict__ activation, REAL* __restrict__ repolarisation,
                                     REAL* __restrict__ duration, REAL* __restrict__ cycle,
                                     REAL* __restrict__ beats, const REAL threshold, const REAL fraction,
                                     const REAL time, const REAL since, const long long n_cells)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_cells) return;
    const REAL v = voltage[i], b = before[i], end = level[i];
    before[i] = v;
    const bool excited = end > WAITING;
    if (b < threshold && v >= threshold) {
        const REAL at = time - since * ((v - threshold) / (v - b));
        if (!excited || at - activation[i] >= REFRACTORY) {
            if (activation[i] >= REAL(0)) cycle[i] = at - activation[i];
            beats[i] += REAL(1);
            activation[i] = at;
            peak[i] = v;
            level[i] = v - fraction * (v - rest[i]);
            return;
        }
    }
    if (!excited) {
        if (!(v >= b) && v < rest[i]) rest[i] = v;  // also where there was no look before: b is NaN
    } else if (v < end) {
        const REAL at = time - since * ((end - v) / (b - v));
        repolarisation[i] = at;
        duration[i] = at - activation[i];
        level[i] = WAITING;
        rest[i] = v;
    } else if (v > b && v > peak[i]) {
        peak[i] = v;
        level[i] = v - fraction * (v - rest[i]);
    }
}
