// A step of leaky integrate-and-fire neurons with exponential synaptic currents, in two launches.
//
//   update    u' = u + loss u + base + gain_e g_e + gain_i g_i (exact for dt; u is the voltage above rest), g' = g + loss_x g;
//             a spike where u' > threshold; spikes are compacted into a list by ballots, one atomic per warp that has one
//   deliver   a warp per spike adds the sender's weight to the input of each of its targets
//
// Layout: structure of arrays, float32 and int32; synapses by sender: starts (n + 1) int64, targets int32.
// Bytes: 44 per neuron (voltage, two currents, two inputs read and written, release time read); 12 per synaptic event.
//
// Inputs are integers in quanta of a power of two: they add to the same in whatever order atomics and list come, so a run is
// reproducible bit for bit. Products and sums are not contracted: the CPU's twin rounds alike and gives the same spikes.
// Counts and clock stay on the device, parameters in `constants`: a CUDA graph of steps replays without the host.
// `parity` alternates: `deliver` clears the count that the next step's list will use, which nobody reads at that time.

#include "spiking/step/spikes.cuh"
#include "spiking/lif/constants.cuh"

__device__ __forceinline__ float kept(float a) { return fabsf(a) < FADED ? 0.0f : a; }

// grid: over neurons
extern "C" __global__ void __launch_bounds__(256)
update(float* voltage, float* g_e, float* g_i, int* input, int* release, int* last, int* spikes, double* interval,
       double* interval_square, unsigned char* history, int* list, int* counts, const int* __restrict__ clock,
       const float* __restrict__ constants, int n, int refractory, int stride, int slots, int window, int first, int stop, unsigned* told, int parity) {
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    const int now = *clock;
    bool fires = false;
    if (i < stop) {
        const int arrived_e = input[i], arrived_i = input[n + i];
        const float excitation = __fadd_rn(g_e[i], __fmul_rn((float)arrived_e, constants[Constant::SCALE_E]));
        const float inhibition = __fadd_rn(g_i[i], __fmul_rn((float)arrived_i, constants[Constant::SCALE_I]));
        if (arrived_e) input[i] = 0;
        if (arrived_i) input[n + i] = 0;
        const float held = voltage[i];
        if (release[i] <= now) {
            const float moved = __fadd_rn(
                held, __fadd_rn(__fadd_rn(__fmul_rn(constants[Constant::LOSS], held), constants[Constant::BASE]),
                                __fadd_rn(__fmul_rn(constants[Constant::GAIN_E], excitation),
                                          __fmul_rn(constants[Constant::GAIN_I], inhibition))));
            fires = moved > constants[Constant::THRESHOLD];
            voltage[i] = fires ? constants[Constant::RESET] : kept(moved);
        }
        g_e[i] = kept(__fadd_rn(excitation, __fmul_rn(excitation, constants[Constant::LOSS_E])));
        g_i[i] = kept(__fadd_rn(inhibition, __fmul_rn(inhibition, constants[Constant::LOSS_I])));
        if (fires) count_spike(i, now, refractory, release, last, spikes, interval, interval_square);
        if (i % stride == 0) history[(long long)(now % window) * slots + i / stride] = fires;
    }
    const unsigned votes = enlist(fires, i, list, counts + parity);
    if (told && !(threadIdx.x & 31) && i < stop) told[(i - first) >> 5] = votes;
}

// grid: any number of warps
extern "C" __global__ void __launch_bounds__(256)
deliver(int* input, const int* __restrict__ list, int* counts, int* clock, const int* __restrict__ bounds,
        const int* __restrict__ weights, const int* __restrict__ kinds, const long long* __restrict__ starts,
        const int* __restrict__ targets, unsigned long long* population_spikes, unsigned long long* events, int n,
        int parity) {
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5);
    const int first = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    const int count = counts[parity];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        counts[1 - parity] = 0;
        *clock += 1;
    }
    for (int next = first; next < count; next += warps) {
        const int sender = list[next];
        int population = 0;
        while (sender >= bounds[population + 1]) ++population;
        const int weight = weights[population];
        int* sums = input + (kinds[population] ? n : 0);
        const long long begin = starts[sender], end = starts[sender + 1];
        for (long long k = begin + lane; k < end; k += 32) atomicAdd(sums + targets[k], weight);
        if (lane == 0) {
            atomicAdd(population_spikes + population, 1ull);
            atomicAdd(events, (unsigned long long)(end - begin));
        }
    }
}
