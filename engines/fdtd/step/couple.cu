// Off-diagonal terms of smoothed permittivities (tensor.py): E[targets] += Σ weights · H[places], a thread for each target.
// places, weights: (width, count), so that neighbouring threads read side by side.
//
// variants: -DREAL=float; -DREAL=double

extern "C" __global__ void __launch_bounds__(256) couple(
    REAL* __restrict__ e, const REAL* __restrict__ h, const long long* __restrict__ targets,
    const long long* __restrict__ places, const REAL* __restrict__ weights, const int width, const int count)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    REAL sum = 0;
    for (int m = 0; m < width; ++m) {
        const size_t at = size_t(m) * count + n;
        sum += weights[at] * h[places[at]];
    }
    e[targets[n]] += sum;
}
