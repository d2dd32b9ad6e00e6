// variants: -DREAL=float; -DREAL=double
//
// What the time is at each step of a CUDA graph, whose kernels keep their arguments from launch to launch.
// times: (steps) ms, as float64 says it and then rounded; phases: (steps) number of the step modulo ``period``

extern "C" __global__ void clock_steps(REAL* times, int* phases, long long first, double dt, int period, int steps) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= steps) return;
    times[k] = (REAL)((double)(first + k) * dt);
    phases[k] = (int)((first + k) % period);
}
