// A step of a network of any populations, in two launches.
//
//   update    neurons of all populations, each by its model (models.cuh): inputs that arrive now, spikes from outside,
//             noise, voltage, spikes; these are compacted into a list by ballots, one atomic per warp that has one
//   deliver   warps share the synapses of the spikes, PART at a time: a weight goes to the target's slot of the ring
//
// Layout: structure of arrays. ring (slots, 2, n) int32: quanta that arrive in a step, excitatory and inhibitory. Synapses
// by sender: starts (n + 1) int64; 8 bytes each, target << 8 | delay [steps], weight [quanta], read as one int2. With
// delays of 16 bits a byte more for each, `late`, is what of its delay is above 8.
// Bytes: 44 per neuron (voltage, two synaptic variables, two inputs read and written, release time read), 8 more with a
// recovery, 16 with synapses that are alpha functions, 24 with gates; 16 per synaptic event.
// TYPED_NEURONS is defined by files that are written of typed neurons (typed/cuda_source.py), which include this one.
//
// Inputs are integers: they add to the same in whatever order atomics and list come, so a run is reproducible bit for bit.
// Clock, counts and everything live are on the device: a CUDA graph of steps replays without the host. `parity`
// alternates: `deliver` clears the count that the next step's list will use, which nobody reads at that time.
//
// On several ranks (engines/spiking/ranks) `update` steps neurons first … stop − 1 alone, and tells in `told`, a bit of each,
// who of them fires. An entry of the list is a neuron, and above 24 bits how many steps ago it fired: those of other ranks
// (ranks/hear.cu) are heard later.
//
// variants: -DDELAY=8; -DDELAY=16
#include "spiking/neurons/models.cuh"
#include "spiking/step/spikes.cuh"

#define PART 256
#define STATE 5

// Whether source i fires at step `now` by its list, whose steps are in order.
static __device__ bool is_listed(const long long* __restrict__ starts, const int* __restrict__ steps, const int i, const int now) {
    long long low = starts[i], high = starts[i + 1];
    const long long end = high;
    while (low < high) {
        const long long middle = (low + high) >> 1;
        if (steps[middle] < now) low = middle + 1;
        else high = middle;
    }
    return low < end && steps[low] == now;
}

// grid: over neurons first … stop − 1
extern "C" __global__ void __launch_bounds__(256)
update(const Row* __restrict__ rows, const unsigned* __restrict__ chances, const int* __restrict__ outside,
       float* voltage, float* recovery, float* gates, float* g_e, float* g_i, int* ring, float* rise, int* release, int* last,
       int* spikes, double* interval, double* interval_square, unsigned char* history, int* list, int* counts,
       const int* __restrict__ clock, const unsigned char* __restrict__ population, const int* __restrict__ models,
       const int* __restrict__ refractory, const float* __restrict__ noises,
       const long long* __restrict__ spike_starts, const int* __restrict__ spike_steps, unsigned long long key, int n, int mask,
       int stride, int slots, int window, int first, int stop,
#ifdef TYPED_NEURONS
       const float* __restrict__ numbers, int width, float* more,
#endif
       const int* __restrict__ watched, float* recorded, int most, int recorded_steps, unsigned* told, int parity) {
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    const int now = *clock;
    bool fires = false;
    if (i == first) counts[2] = now;  // for `deliver`, which moves the clock
    if (i < stop) {
        const int own = population[i], model = models[own];
        const Row& p = rows[own];
        const unsigned* chance = chances + own * TABLE;
        const int entries = outside[2 * own];
        int* arriving = ring + (long long)(now & mask) * 2 * n + i;
        int arrived_e = arriving[0], arrived_i = arriving[n];
        if (arrived_e) arriving[0] = 0;
        if (arrived_i) arriving[n] = 0;
        const bool noisy = p.noise != 0.0f;
        unsigned long long bits = 0;
        if (entries > 0 || noisy || model == Kind::POISSON) bits = bits_of(key, now, n, i);
        if (model == Kind::POISSON) {
            fires = (unsigned)bits < chance[0];
            if (!fires && spike_steps) fires = is_listed(spike_starts, spike_steps, i, now);
            fires = fires && release[i] <= now;
        } else {
            if (entries > 0) {
                int k = 0;
                while (k < entries && (unsigned)bits >= chance[k]) ++k;
                const int weight = outside[2 * own + 1];
                if (weight < 0) arrived_i += k * weight;
                else arrived_e += k * weight;
            }
            F base = F(p.current);
            if (noisy) {
                const unsigned word = (unsigned)(bits >> 32);
                base = base + F(p.noise) * (F(noises[word & 4095]) + F(noises[(word >> 12) & 4095]));
            }
            F excitation = F(0.0f), inhibition = F(0.0f);
#ifdef TYPED_NEURONS
            if (model >= Kind::TYPED) {
                fires = typed_neuron(model - Kind::TYPED, numbers + (long long)own * width, i, n, now, base,
                                     F((float)arrived_e) * F(p.scale_e), F((float)arrived_i) * F(p.scale_i), voltage,
                                     g_e, g_i, recovery, more, release);
                excitation = F(g_e[i]), inhibition = F(g_i[i]);
            } else
#endif
            {
                excitation = F(g_e[i]), inhibition = F(g_i[i]);
                F rise_e = F(0.0f), rise_i = F(0.0f);
                const F more_e = F((float)arrived_e) * F(p.scale_e), more_i = F((float)arrived_i) * F(p.scale_i);
                const bool rising = p.rising != 0.0f;
                if (rising) {
                    rise_e = F(rise[i]) + more_e;
                    rise_i = F(rise[n + i]) + more_i;
                } else {
                    excitation = excitation + more_e;
                    inhibition = inhibition + more_i;
                }
                const F held = F(voltage[i]);
                const bool ready = release[i] <= now;
                const float threshold = p.threshold;
                F moved = held;
                if (model == Kind::LIF || model == Kind::CONDUCTANCE) {
                    if (ready) {
                        if (model == Kind::CONDUCTANCE) moved = conductance_lif((const ConductanceRow&)p, held, excitation, inhibition, base);
                        else if (rising) moved = rising_lif((const LifRow&)p, held, excitation, inhibition, rise_e, rise_i, base);
                        else moved = lif((const LifRow&)p, held, excitation, inhibition, base);
                        fires = moved.v > threshold;
                        voltage[i] = fires ? p.reset : kept(moved);
                    }
                } else if (model == Kind::HODGKIN_HUXLEY) {
                    F m = F(gates[i]), h = F(gates[n + i]), potassium = F(gates[2 * n + i]);
                    const ChannelRow& own_row = (const ChannelRow&)p;
                    const int substeps = (int)own_row.substeps;
                    moved = hodgkin_huxley(own_row, held, m, h, potassium, excitation, inhibition, base, F(1.0f));
                    for (int k = 1; k <= substeps; ++k) {  // halves of the voltage's around the gates', two in one between
                        channels(own_row, moved, m, h, potassium);
                        moved = hodgkin_huxley(own_row, moved, m, h, potassium, excitation, inhibition, base, F(k < substeps ? 2.0f : 1.0f));
                    }
                    gates[i] = m.v;
                    gates[n + i] = h.v;
                    gates[2 * n + i] = potassium.v;
                    fires = ready && held.v <= threshold && moved.v > threshold;
                    voltage[i] = moved.v;
                } else {
                    F follows = F(recovery[i]);
                    if (model == Kind::IZHIKEVICH) {
                        izhikevich((const IzhikevichRow&)p, moved, follows, excitation, inhibition, base);
                        if (!ready) moved = held;
                        fires = ready && moved.v >= threshold;
                        if (fires) {
                            moved = F(p.reset);
                            follows = follows + F(((const IzhikevichRow&)p).jump);
                        }
                    } else {
                        const AdaptiveRow& own_row = (const AdaptiveRow&)p;
                        fires = adaptive(own_row, moved, follows, excitation, inhibition, base, ready, F(threshold));
                        if (fires) {
                            moved = held;
                            follows = F(recovery[i]);
                            fired_adaptive(own_row, moved, follows, excitation, inhibition, base, F(threshold), F(p.reset));
                        }
                    }
                    voltage[i] = moved.v;
                    recovery[i] = follows.v;
                }
                if (rising) {
                    excitation = excitation + rise_e;
                    inhibition = inhibition + rise_i;
                    rise[i] = kept(rise_e + rise_e * F(p.loss_e));
                    rise[n + i] = kept(rise_i + rise_i * F(p.loss_i));
                }
                g_e[i] = kept(excitation + excitation * F(p.loss_e));
                g_i[i] = kept(inhibition + inhibition * F(p.loss_i));
            }
            if (recorded) {  // somebody looks into a neuron (electrodes.cu): what its synapses gave in this step
                float* row = recorded + (long long)(now % recorded_steps) * STATE * most;
                for (int k = 0; k < most && watched[k] >= 0; ++k) {  // nobody stands behind the others
                    if (watched[k] != i) continue;
                    row[most + k] = excitation.v;
                    row[2 * most + k] = inhibition.v;
                }
            }
        }
        if (fires) count_spike(i, now, refractory[own], release, last, spikes, interval, interval_square);
        if (i % stride == 0) history[(long long)(now % window) * slots + i / stride] = fires;
    }
    const unsigned votes = enlist(fires, i, list, counts + parity);
    if (told && !(threadIdx.x & 31) && i < stop) told[(i - first) >> 5] = votes;
}

// grid: any number of warps; parts: stretches of PART synapses of the longest row
extern "C" __global__ void __launch_bounds__(256)
deliver(int* ring, const int* __restrict__ list, int* counts, int* clock, const unsigned char* __restrict__ population,
        const long long* __restrict__ starts, const int2* __restrict__ synapses,
#if DELAY > 8
        const unsigned char* __restrict__ late,
#endif
        unsigned long long* population_spikes,
        unsigned long long* events, int n, int mask, int parts, int parity) {
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5);
    const int first = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    const long long jobs = (long long)counts[parity] * parts;
    const int now = counts[2];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        counts[1 - parity] = 0;
        *clock = now + 1;
    }
    for (long long job = first; job < jobs; job += warps) {
        const int entry = list[job / parts], part = (int)(job % parts);
        const int sender = entry & SENDER, then = now - (entry >> AGE);
        const long long row = starts[sender], end = starts[sender + 1], begin = row + (long long)part * PART;
        if (part == 0 && lane == 0) {
            atomicAdd(population_spikes + population[sender], 1ull);
            atomicAdd(events, (unsigned long long)(end - row));
        }
        if (begin >= end) continue;
        const int count = (int)min((long long)PART, end - begin);
        #pragma unroll
        for (int k = 0; k < PART; k += 32) {
            if (k + lane < count) {
                const int2 synapse = synapses[begin + k + lane];
#if DELAY > 8
                const long long slot = (then + 1 + ((synapse.x & 255) | (late[begin + k + lane] << 8))) & mask;
#else
                const long long slot = (then + 1 + (synapse.x & 255)) & mask;
#endif
                atomicAdd(ring + (slot * 2 + (synapse.y < 0)) * n + (synapse.x >> 8), synapse.y);
            }
        }
    }
}
