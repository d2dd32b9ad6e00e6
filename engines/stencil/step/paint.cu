// A dab of paint on a field of a grid.
//
// With r the distance of a cell's centre from the dab's and w = (1 - r^2/R^2)^2 for r < R, else 0:
//     paint   u += amount w
//     erase   u += w (b - u)     b: the value before anything was painted
//
// Layout: values and base (nz, ny, nx), x fastest; a plane has nz = 1 and no spacing along z. One thread per cell of
// the box low ... high that holds the dab; 2 values moved per cell, nothing that a step would notice.
//
// variants: -DREAL=float; -DREAL=double

extern "C" __global__ void dab(REAL* __restrict__ values, const REAL* __restrict__ base, int has_base, int nx, int ny,
                               int x_low, int y_low, int z_low, int x_high, int y_high, int z_high, float x, float y,
                               float z, float hx, float hy, float hz, float radius, float amount, float rest,
                               int erase) {
    const int i = x_low + blockIdx.x * blockDim.x + threadIdx.x;
    const int j = y_low + blockIdx.y * blockDim.y + threadIdx.y;
    const int k = z_low + blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= x_high || j >= y_high || k >= z_high) return;
    const float dx = (i + 0.5f) * hx - x, dy = (j + 0.5f) * hy - y, dz = (k + 0.5f) * hz - z;
    const float inside = 1.0f - (dx * dx + dy * dy + dz * dz) / (radius * radius);
    if (inside <= 0.0f) return;
    const REAL weight = REAL(inside) * REAL(inside);
    const long long place = ((long long)k * ny + j) * nx + i;
    const REAL old = values[place];
    // values and base are the same array where there is no base; then base is not read
    if (erase)
        values[place] = old + weight * ((has_base ? base[place] : REAL(rest)) - old);
    else
        values[place] = old + weight * REAL(amount);
}
