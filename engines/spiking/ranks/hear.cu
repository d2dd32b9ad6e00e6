// Spikes of neurons that other ranks step: counted, and into the list of those that `deliver` delivers.
//
// heard: a bit of each neuron in each of the last `steps` steps; those of rank r are rows of whole words from places[r] on;
// bounds: where the neurons of ranks begin, and the last one's end. population: (n,), refractory: (populations,) [steps];
// first … stop − 1 are this rank's own. In so few steps no neuron fires twice: the list has room for all neurons.
// Bytes: steps/8 of each neuron of the others, and what is counted of each spike.
#include "spiking/step/spikes.cuh"

// grid: over all neurons
extern "C" __global__ void __launch_bounds__(256)
hear(int* release, int* last, int* spikes, double* interval, double* interval_square, unsigned char* history, int* list,
     int* counts, const int* __restrict__ clock, const unsigned char* __restrict__ population,
     const int* __restrict__ refractory, int n, int stride, int slots, int window, const unsigned* __restrict__ heard,
     const long long* __restrict__ places, const int* __restrict__ bounds, int first, int stop, int steps, int parity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, now = *clock;
    const bool other = i < n && (i < first || i >= stop);
    int rank = 0, own = 0, words = 0;
    if (other) {
        while (i >= bounds[rank + 1]) ++rank;
        own = i - bounds[rank];
        words = (bounds[rank + 1] - bounds[rank] + 31) >> 5;
    }
    for (int age = steps - 1; age >= 0; --age) {
        const int then = now - age;
        bool fires = false;
        if (other) {
            fires = heard[places[rank] + (long long)(steps - 1 - age) * words + (own >> 5)] >> (own & 31) & 1;
            if (fires) count_spike(i, then, refractory[population[i]], release, last, spikes, interval, interval_square);
            if (i % stride == 0) history[(long long)(then % window) * slots + i / stride] = fires;
        }
        enlist(fires, i | age << AGE, list, counts + parity);
    }
}
