// The Laplacians of laplace1d.cu and laplace2d.cu through texture objects.
//
// 4 bytes read and 4 written per point; the hardware's texture path stands in for the loads.

// laplace1d_naive through a texture object on linear memory.
extern "C" __global__ void laplace1d_texture(float* __restrict__ y, cudaTextureObject_t x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int prev = (i == 0) ? n - 1 : i - 1;
    const int next = (i == n - 1) ? 0 : i + 1;
    y[i] = tex1Dfetch<float>(x, next) - 2.0f * tex1Dfetch<float>(x, i) + tex1Dfetch<float>(x, prev);
}

// laplace2d_naive through a texture object on the rows: coordinates are in points, no filter.
extern "C" __global__ void laplace2d_texture(float* __restrict__ y, cudaTextureObject_t x, int nx, int ny) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const int im = (i == 0) ? nx - 1 : i - 1;
    const int ip = (i == nx - 1) ? 0 : i + 1;
    const int jm = (j == 0) ? ny - 1 : j - 1;
    const int jp = (j == ny - 1) ? 0 : j + 1;
    const float u = i + 0.5f, v = j + 0.5f;  // the middle of a texel
    y[j * nx + i] = tex2D<float>(x, ip + 0.5f, v) + tex2D<float>(x, im + 0.5f, v) + tex2D<float>(x, u, jp + 0.5f) +
                    tex2D<float>(x, u, jm + 0.5f) - 4.0f * tex2D<float>(x, u, v);
}
