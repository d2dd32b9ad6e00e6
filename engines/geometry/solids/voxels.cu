// How often a closed surface of triangles winds around the points of a grid, by rays along z.
//
// The arithmetic is that of solids/crossings.py, where the rule is told, rounded after each operation: both give the same
// bits, whatever the compiler contracts elsewhere.
//
// corners: (n, 3) double; triangles: (m, 3) int; x, y, z: ascending coordinates of the grid's points
// words: (ceil(nz / 4), ny, nx) unsigned, zeros at first: four counts of ±1 per word, in bytes that may borrow from the
// next; the total of a word is exact in any order of the additions, so they need no order.

#define DEVICE static __device__ __forceinline__

// +1 or -1 if a ray from (x, y) along x meets the line from a to b, which is half open in y, going up or down.
DEVICE int passed(const double x, const double y, const double xa, const double ya, const double xb, const double yb)
{
    if ((ya > y) == (yb > y)) return 0;
    const bool down = ya > yb;
    const double xl = down ? xb : xa, yl = down ? yb : ya, xh = down ? xa : xb, yh = down ? ya : yb;
    const double part = __ddiv_rn(__dsub_rn(y, yl), __dsub_rn(yh, yl));
    const bool beyond = x < __dadd_rn(xl, __dmul_rn(part, __dsub_rn(xh, xl)));
    return beyond ? (down ? -1 : 1) : 0;
}

// The first of n ascending values that is not below `at`.
DEVICE int first_above(const double* __restrict__ values, const int n, const double at)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (values[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

DEVICE double least(const double a, const double b, const double c)
{
    return fmin(a, fmin(b, c));
}
DEVICE double largest(const double a, const double b, const double c)
{
    return fmax(a, fmax(b, c));
}

// A warp per triangle; its threads share the columns of the grid below the triangle.
extern "C" __global__ void __launch_bounds__(256) count_crossings(
    const double* __restrict__ corners, const int* __restrict__ triangles, const double* __restrict__ x,
    const double* __restrict__ y, const double* __restrict__ z, const int nx, const int ny, const int nz, const int count,
    unsigned* __restrict__ words)
{
    const int triangle = blockIdx.x * (256 / 32) + threadIdx.x / 32;
    if (triangle >= count) return;
    const double* a = corners + 3LL * triangles[3LL * triangle];
    const double* b = corners + 3LL * triangles[3LL * triangle + 1];
    const double* c = corners + 3LL * triangles[3LL * triangle + 2];
    const double xa = a[0], ya = a[1], za = a[2], xb = b[0], yb = b[1], zb = b[2], xc = c[0], yc = c[1], zc = c[2];
    const int i0 = first_above(x, nx, least(xa, xb, xc)), j0 = first_above(y, ny, least(ya, yb, yc));
    const int wide = min(nx, first_above(x, nx, largest(xa, xb, xc)) + 1) - i0;
    const int deep = min(ny, first_above(y, ny, largest(ya, yb, yc)) + 1) - j0;
    if (wide <= 0 || deep <= 0) return;
    const double ux = __dsub_rn(xb, xa), uy = __dsub_rn(yb, ya), vx = __dsub_rn(xc, xa), vy = __dsub_rn(yc, ya);
    const double area = __dsub_rn(__dmul_rn(ux, vy), __dmul_rn(uy, vx));
    for (long long n = threadIdx.x % 32; n < (long long)wide * deep; n += 32) {
        const int i = i0 + int(n % wide), j = j0 + int(n / wide);
        const double px = x[i], py = y[j];
        const int around = passed(px, py, xa, ya, xb, yb) + passed(px, py, xb, yb, xc, yc) + passed(px, py, xc, yc, xa, ya);
        if (around == 0) continue;
        double at = za;
        if (area != 0.0) {
            const double dx = __dsub_rn(px, xa), dy = __dsub_rn(py, ya);
            const double s = __ddiv_rn(__dsub_rn(__dmul_rn(dx, vy), __dmul_rn(dy, vx)), area);
            const double t = __ddiv_rn(__dsub_rn(__dmul_rn(ux, dy), __dmul_rn(uy, dx)), area);
            const double rise = __dadd_rn(__dmul_rn(s, __dsub_rn(zb, za)), __dmul_rn(t, __dsub_rn(zc, za)));
            at = fmin(fmax(__dadd_rn(za, rise), least(za, zb, zc)), largest(za, zb, zc));
        }
        const int k = first_above(z, nz, at);
        if (k < nz) atomicAdd(words + ((long long)(k / 4) * ny + j) * nx + i, unsigned(-around) << (8 * (k % 4)));
    }
}

// Sums along z, a thread per column. windings: (nz, ny, nx) signed char.
extern "C" __global__ void __launch_bounds__(256) wind(
    const unsigned* __restrict__ words, const int nx, const int ny, const int nz, signed char* __restrict__ windings)
{
    const long long column = (long long)blockIdx.x * 256 + threadIdx.x, columns = (long long)nx * ny;
    if (column >= columns) return;
    int winding = 0;
    for (int k = 0; k < nz; k += 4) {
        unsigned word = words[k / 4 * columns + column];
        for (int d = 0; d < 4 && k + d < nz; d++) {
            const int change = (signed char)(word & 255u);
            word = (word - unsigned(change)) >> 8;
            winding += change;
            windings[(k + d) * columns + column] = (signed char)winding;
        }
    }
}
