// The state of a few neurons after a step, into a ring of the last steps; launched where somebody looks into a neuron.
//
// neurons (count): -1 for none; kept (window, 5, count): voltage, what excitatory and inhibitory synapses give, recovery,
// and 1 in the step of a spike. One launch after the others of a step, which have moved the clock: nothing waits for the
// host. A network whose own kernel has noted what synapses gave (network.cu) passes no g_e. Bytes: 20 per neuron read and
// written.

// grid: over the chosen neurons
extern "C" __global__ void record(const int* __restrict__ neurons, float* kept, const int* __restrict__ clock,
                                  const float* __restrict__ voltage, const float* __restrict__ g_e,
                                  const float* __restrict__ g_i, const float* __restrict__ recovery,
                                  const int* __restrict__ last, int count, int window) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count || neurons[k] < 0) return;
    const int i = neurons[k], now = *clock - 1;
    float* row = kept + (long long)(now % window) * 5 * count + k;
    row[0] = voltage[i];
    if (g_e) {
        row[count] = g_e[i];
        row[2 * count] = g_i[i];
    }
    row[3 * count] = recovery ? recovery[i] : 0.0f;
    row[4 * count] = last[i] == now ? 1.0f : 0.0f;
}
