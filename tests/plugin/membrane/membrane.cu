// (1 + lost) before = 2 u - (1 - lost) before + courant2 (sum of neighbours - 4 u), a thread for each cell; beyond the
// edge stands -u.
extern "C" __global__ void leapfrog(
    const float* __restrict__ u, float* __restrict__ before, int n, float courant2, float lost)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    const long long at = (long long)j * n + i;
    const float here = u[at];
    const float west = i > 0 ? u[at - 1] : -here, east = i < n - 1 ? u[at + 1] : -here;
    const float south = j > 0 ? u[at - n] : -here, north = j < n - 1 ? u[at + n] : -here;
    const float laplacian = (west + east) + (south + north) - 4.0f * here;
    const float older = before[at];
    before[at] = ((here + (here - older)) + lost * older + courant2 * laplacian) / (1.0f + lost);
}
