// Many explicit steps of diffusion in spheres of 32 shells in one launch: a warp is a particle and stays in its registers.
//
// The scheme and the layout of spherical_step.cu, one point per lane. 4 bytes read and 4 written per point, whatever the
// steps; 6 instructions per point and step (two shuffles, two subtractions, two multiply-adds).

constexpr int POINTS = 32;

extern "C" __global__ void spherical_fused(float* __restrict__ out, const float* __restrict__ c,
                                           const float* __restrict__ tau, const float* __restrict__ gain, int n,
                                           int steps) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int particle = at / POINTS, i = at % POINTS;
    if (particle >= n) return;  // a whole warp
    const float per_volume = 3.0f * POINTS * POINTS / float(3 * i * (i + 1) + 1) * tau[particle];
    const float inner = -per_volume * float(i * i);
    const float outer = i < POINTS - 1 ? per_volume * float((i + 1) * (i + 1)) : 0.0f;
    const float entering = i == POINTS - 1 ? gain[particle] : 0.0f;
    float here = c[at];
#pragma unroll 4
    for (int step = 0; step < steps; ++step) {
        const float inside = __shfl_up_sync(0xffffffffu, here, 1);
        const float outside = __shfl_down_sync(0xffffffffu, here, 1);
        here = fmaf(outer, outside - here, fmaf(inner, here - inside, here + entering));
    }
    out[at] = here;
}
