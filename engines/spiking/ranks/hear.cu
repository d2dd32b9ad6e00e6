// Spikes of neurons that other ranks step: counted, and into the list of those that `deliver` delivers.
//
// fired: (n,) of all ranks, set; population: (n,), refractory: (populations,) [steps]; first … stop − 1 are this rank's own.
// Bytes: 1 of each neuron of the others, and what is counted of each spike.
#include "spiking/step/spikes.cuh"

// grid: over all neurons
extern "C" __global__ void __launch_bounds__(256)
hear(int* release, int* last, int* spikes, double* interval, double* interval_square, unsigned char* history, int* list,
     int* counts, const int* __restrict__ clock, const unsigned char* __restrict__ fired,
     const unsigned char* __restrict__ population, const int* __restrict__ refractory, int n, int stride, int slots,
     int window, int first, int stop, int parity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, now = *clock;
    const bool other = i < n && (i < first || i >= stop), fires = other && fired[i];
    if (fires) count_spike(i, now, refractory[population[i]], release, last, spikes, interval, interval_square);
    if (other && i % stride == 0) history[(long long)(now % window) * slots + i / stride] = fires;
    enlist(fires, i, list, counts + parity);
}
