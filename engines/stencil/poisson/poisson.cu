// Jacobi, red-black relaxation and multigrid for  -div(k grad u) + a u = s  on a grid of cells in two or three dimensions.
//
//   r_i = s_i - offset - a u_i + sum over the 2d neighbours of  c k_face (g - u_i)
//
// g is the neighbour or its ghost, scale * u_i + shift; c = 1 / (cell width * distance of centres), per axis and cell,
// so that levels with an odd number of cells fit (engines/stencil/poisson/axes.py).
//
// Layout: u, s and r: (nz, ny, nx) in C order, nz = 1 in two dimensions.
//   table   12 numbers: [axis x, y, z][lower, upper side][scale, shift]; a and three that nobody reads; then for x, y, z
//           coefficients (4, n): to the lower and upper neighbour, and what these add to the diagonal
//   flags   bits 0, 1, 2: x, y, z wrap; bit 3: three dimensions; bit 4: the diagonal is that of Jacobi, whose ghosts are
//           those of the sweep before; bit 5: a is not 0
//   kx, ky, kz  conductivities of faces, (nz, ny, nx+1), (nz, ny+1, nx), (nz+1, ny, nx); only with VARIABLE
// Bytes per point of a sweep: u and s read, u written: 3 R (VARIABLE: 5 R or 6 R), R = sizeof(REAL). A red-black sweep
// is two launches, and each moves whole cache lines. jacobi_four and relax_four take four cells a thread where rows allow.
//
// variants: -DREAL=float -DVARIABLE=0; -DREAL=double -DVARIABLE=0; -DREAL=float -DVARIABLE=1; -DREAL=double -DVARIABLE=1

#define GRID const int nx, const int ny, const int nz, const int flags, const REAL* __restrict__ table
#if VARIABLE
#define FACES , const REAL* __restrict__ kx, const REAL* __restrict__ ky, const REAL* __restrict__ kz
#define PASS_FACES , kx, ky, kz
#else
#define FACES
#define PASS_FACES
#endif

#define WRAPS(axis) ((flags >> (axis)) & 1)
#define THREE (flags & 8)
#define JACOBI (flags & 16)
#define ABSORBS (flags & 32)
#define ABSORPTION table[12]

// The lower neighbour of cell i (place p, distance stride) of an axis, and the upper one.
__device__ __forceinline__ REAL lower_of(const REAL* u, const long long p, const REAL centre, const int i, const int n,
                                         const long long stride, const int wraps, const REAL* __restrict__ ghost) {
    if (i > 0) return u[p - stride];
    return wraps ? u[p + (n - 1) * stride] : ghost[0] * centre + ghost[1];
}

__device__ __forceinline__ REAL upper_of(const REAL* u, const long long p, const REAL centre, const int i, const int n,
                                         const long long stride, const int wraps, const REAL* __restrict__ ghost) {
    if (i < n - 1) return u[p + stride];
    return wraps ? u[p - (n - 1) * stride] : ghost[2] * centre + ghost[3];
}

struct Cell {
    REAL residual, diagonal;
};

// One axis: adds its two differences to the residual and their coefficients to the diagonal.
__device__ __forceinline__ void add_axis(Cell& cell, const REAL* u, const long long p, const REAL centre, const int i,
                                         const int n, const long long stride, const int wraps, const int jacobi,
                                         const REAL* __restrict__ ghost, const REAL* __restrict__ c,
                                         const REAL k_lower, const REAL k_upper) {
    const REAL a = k_lower * c[i], b = k_upper * c[n + i];
    cell.residual += a * (lower_of(u, p, centre, i, n, stride, wraps, ghost) - centre)
                   + b * (upper_of(u, p, centre, i, n, stride, wraps, ghost) - centre);
    cell.diagonal += jacobi ? a + b : k_lower * c[2 * n + i] + k_upper * c[3 * n + i];
}

__device__ __forceinline__ Cell at(const REAL* u, const REAL* __restrict__ source, const double* __restrict__ offset,
                                   const int x, const int y, const int z, GRID FACES) {
    const long long row = (long long)z * ny + y, p = row * nx + x;
    const REAL centre = u[p];
    const REAL* cx = table + 16;
    const REAL* cy = cx + 4 * nx;
    const REAL* cz = cy + 4 * ny;
#if VARIABLE
    const long long q = row * (nx + 1) + x, plane = (long long)z * (ny + 1) * nx + (long long)y * nx + x;
    const REAL xl = kx[q], xu = kx[q + 1], yl = ky[plane], yu = ky[plane + nx];
#else
    const REAL xl = 1, xu = 1, yl = 1, yu = 1;
#endif
    Cell cell = {source[p] - (REAL)offset[0], REAL(0)};
    if (ABSORBS) cell.residual -= ABSORPTION * centre, cell.diagonal = ABSORPTION;
    add_axis(cell, u, p, centre, x, nx, 1, WRAPS(0), JACOBI, table, cx, xl, xu);
    add_axis(cell, u, p, centre, y, ny, nx, WRAPS(1), JACOBI, table + 4, cy, yl, yu);
    if (THREE) {
        const long long layer = (long long)ny * nx;
#if VARIABLE
        const REAL zl = kz[p], zu = kz[p + layer];
#else
        const REAL zl = 1, zu = 1;
#endif
        add_axis(cell, u, p, centre, z, nz, layer, WRAPS(2), JACOBI, table + 8, cz, zl, zu);
    }
    return cell;
}

// out = u + omega r / diagonal. One thread per cell.
extern "C" __global__ void jacobi(const REAL* __restrict__ u, const REAL* __restrict__ source,
                                  const double* __restrict__ offset, const REAL omega, REAL* __restrict__ out,
                                  GRID FACES) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const long long p = ((long long)z * ny + y) * nx + x;
    const Cell cell = at(u, source, offset, x, y, z, nx, ny, nz, flags, table PASS_FACES);
    out[p] = u[p] + omega * cell.residual / cell.diagonal;
}

// The cells of one colour, (x + y + z) & 1, of a box, in place. One thread per cell of that colour.
extern "C" __global__ void relax(REAL* u, const REAL* __restrict__ source, const double* __restrict__ offset,
                                 const REAL omega, const int colour, const int x0, const int x1, const int y0,
                                 const int y1, const int z0, GRID FACES) {
    const int y = y0 + blockIdx.y * blockDim.y + threadIdx.y, z = z0 + blockIdx.z;
    const int x = x0 + 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((colour + x0 + y + z) & 1);
    if (x >= x1 || y >= y1) return;
    const Cell cell = at(u, source, offset, x, y, z, nx, ny, nz, flags, table PASS_FACES);
    u[((long long)z * ny + y) * nx + x] += omega * cell.residual / cell.diagonal;
}

// Four cells of a row at once, for rows of a multiple of four cells. A float's division is that of the hardware, good to
// two units in the last place: it divides a correction.
struct __align__(4 * sizeof(REAL)) Four {
    REAL v[4];
};

__device__ __forceinline__ float quotient(const float a, const float b) { return __fdividef(a, b); }
__device__ __forceinline__ double quotient(const double a, const double b) { return a / b; }

__device__ __forceinline__ Four four(const REAL* u) { return *reinterpret_cast<const Four*>(u); }

// The rows below and above along an axis that is not x: neighbours or ghosts of four cells.
__device__ __forceinline__ Four lower_row(const REAL* u, const long long p, const Four& centre, const int i, const int n,
                                          const long long stride, const int wraps, const REAL* __restrict__ ghost) {
    if (i > 0) return four(u + p - stride);
    if (wraps) return four(u + p + (n - 1) * stride);
    Four row;
    for (int k = 0; k < 4; ++k) row.v[k] = ghost[0] * centre.v[k] + ghost[1];
    return row;
}

__device__ __forceinline__ Four upper_row(const REAL* u, const long long p, const Four& centre, const int i, const int n,
                                          const long long stride, const int wraps, const REAL* __restrict__ ghost) {
    if (i < n - 1) return four(u + p + stride);
    if (wraps) return four(u + p - (n - 1) * stride);
    Four row;
    for (int k = 0; k < 4; ++k) row.v[k] = ghost[2] * centre.v[k] + ghost[3];
    return row;
}

struct Cells {
    Four residual, diagonal;
};

// a, b: to the lower and upper neighbours; da, db: what these add to the diagonal.
__device__ __forceinline__ void add_four(Cells& cells, const Four& centre, const Four& lower, const Four& upper,
                                         const Four& a, const Four& b, const Four& da, const Four& db) {
    for (int k = 0; k < 4; ++k) {
        cells.residual.v[k] += a.v[k] * (lower.v[k] - centre.v[k]) + b.v[k] * (upper.v[k] - centre.v[k]);
        cells.diagonal.v[k] += da.v[k] + db.v[k];
    }
}

// An axis that is not x: its coefficients are the same for the four cells but for the conductivities of their faces.
__device__ __forceinline__ void add_rows(Cells& cells, const REAL* u, const long long p, const Four& centre, const int i,
                                         const int n, const long long stride, const int wraps, const int jacobi,
                                         const REAL* __restrict__ ghost, const REAL* __restrict__ c,
                                         const Four& k_lower, const Four& k_upper) {
    const Four lower = lower_row(u, p, centre, i, n, stride, wraps, ghost);
    const Four upper = upper_row(u, p, centre, i, n, stride, wraps, ghost);
    const REAL a = c[i], b = c[n + i], da = jacobi ? a : c[2 * n + i], db = jacobi ? b : c[3 * n + i];
    for (int k = 0; k < 4; ++k) {
        const REAL kl = k_lower.v[k], ku = k_upper.v[k];
        cells.residual.v[k] += kl * a * (lower.v[k] - centre.v[k]) + ku * b * (upper.v[k] - centre.v[k]);
        cells.diagonal.v[k] += kl * da + ku * db;
    }
}

__device__ __forceinline__ Cells four_at(const REAL* u, const REAL* __restrict__ source,
                                         const double* __restrict__ offset, const Four& centre, const int x, const int y,
                                         const int z, GRID FACES) {
    const long long row = (long long)z * ny + y, p = row * nx + x;
    const REAL* cx = table + 16;
    const REAL* cy = cx + 4 * nx;
    const REAL* cz = cy + 4 * ny;
    const Four ones = {{1, 1, 1, 1}};
    Cells cells = {four(source + p), {{0, 0, 0, 0}}};
    const REAL mean = (REAL)offset[0];
    for (int k = 0; k < 4; ++k) cells.residual.v[k] -= mean;
    if (ABSORBS)
        for (int k = 0; k < 4; ++k) cells.residual.v[k] -= ABSORPTION * centre.v[k], cells.diagonal.v[k] = ABSORPTION;
    const REAL left = x > 0 ? u[p - 1] : WRAPS(0) ? u[p + nx - 1] : table[0] * centre.v[0] + table[1];
    const REAL right = x + 4 < nx ? u[p + 4] : WRAPS(0) ? u[p + 4 - nx] : table[2] * centre.v[3] + table[3];
    const Four lower = {{left, centre.v[0], centre.v[1], centre.v[2]}};
    const Four upper = {{centre.v[1], centre.v[2], centre.v[3], right}};
    Four a = four(cx + x), b = four(cx + nx + x);
    Four da = JACOBI ? a : four(cx + 2 * nx + x), db = JACOBI ? b : four(cx + 3 * nx + x);
#if VARIABLE
    const REAL* kx_row = kx + row * (nx + 1) + x;  // rows of one number more: not aligned
    for (int k = 0; k < 4; ++k) {
        const REAL kl = kx_row[k], ku = kx_row[k + 1];
        a.v[k] *= kl, b.v[k] *= ku, da.v[k] *= kl, db.v[k] *= ku;
    }
    const long long plane = (long long)z * (ny + 1) * nx + (long long)y * nx + x;
    const Four yl = four(ky + plane), yu = four(ky + plane + nx);
#else
    const Four yl = ones, yu = ones;
#endif
    add_four(cells, centre, lower, upper, a, b, da, db);
    add_rows(cells, u, p, centre, y, ny, nx, WRAPS(1), JACOBI, table + 4, cy, yl, yu);
    if (THREE) {
        const long long layer = (long long)ny * nx;
#if VARIABLE
        const Four zl = four(kz + p), zu = four(kz + p + layer);
#else
        const Four zl = ones, zu = ones;
#endif
        add_rows(cells, u, p, centre, z, nz, layer, WRAPS(2), JACOBI, table + 8, cz, zl, zu);
    }
    return cells;
}

// As jacobi; one thread for four cells of a row.
extern "C" __global__ void jacobi_four(const REAL* __restrict__ u, const REAL* __restrict__ source,
                                       const double* __restrict__ offset, const REAL omega, REAL* __restrict__ out,
                                       GRID FACES) {
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const long long p = ((long long)z * ny + y) * nx + x;
    Four centre = four(u + p);
    const Cells cells = four_at(u, source, offset, centre, x, y, z, nx, ny, nz, flags, table PASS_FACES);
    for (int k = 0; k < 4; ++k) centre.v[k] += quotient(omega * cells.residual.v[k], cells.diagonal.v[k]);
    *reinterpret_cast<Four*>(out + p) = centre;
}

// As relax on the whole grid; one thread for four cells of a row. The two of the other colour are written as they were:
// nobody changes them meanwhile, and memory moves by whole sectors in any case.
extern "C" __global__ void relax_four(REAL* u, const REAL* __restrict__ source, const double* __restrict__ offset,
                                      const REAL omega, const int colour, GRID FACES) {
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const long long p = ((long long)z * ny + y) * nx + x;
    Four centre = four(u + p);
    const Cells cells = four_at(u, source, offset, centre, x, y, z, nx, ny, nz, flags, table PASS_FACES);
    const int first = (colour + y + z) & 1;
    for (int k = 0; k < 4; ++k)
        if ((k & 1) == first) centre.v[k] += quotient(omega * cells.residual.v[k], cells.diagonal.v[k]);
    *reinterpret_cast<Four*>(u + p) = centre;
}

// residual (coarse) = the mean of the fine one over each coarse cell, error (coarse) = 0. One thread per coarse cell.
// shares: of x, y, z one after the other, 2 m numbers where an axis is coarsened (step 2), m where it is not (step 1).
extern "C" __global__ void restrict_residual(const REAL* __restrict__ u, const REAL* __restrict__ source,
                                             const double* __restrict__ offset, REAL* __restrict__ error,
                                             REAL* __restrict__ residual, const REAL* __restrict__ shares,
                                             const int mx, const int my, const int step_x, const int step_y,
                                             const int step_z, GRID FACES) {
    const int cx = blockIdx.x * blockDim.x + threadIdx.x, cy = blockIdx.y * blockDim.y + threadIdx.y;
    const int cz = blockIdx.z;
    if (cx >= mx || cy >= my) return;
    const REAL* shares_y = shares + step_x * mx;
    const REAL* shares_z = shares_y + step_y * my;
    REAL mean = 0;
    for (int z = step_z * cz; z < min(step_z * (cz + 1), nz); ++z)
        for (int y = step_y * cy; y < min(step_y * (cy + 1), ny); ++y)
            for (int x = step_x * cx; x < min(step_x * (cx + 1), nx); ++x)
                mean += shares_z[z] * shares_y[y] * shares[x]
                      * at(u, source, offset, x, y, z, nx, ny, nz, flags, table PASS_FACES).residual;
    const long long p = ((long long)cz * my + cy) * mx + cx;
    residual[p] = mean;
    error[p] = 0;
}

// u += the coarse error, interpolated linearly along each axis. One thread per fine cell.
// parents, weights: of x, y, z one after the other, (2, n) each: own coarse cell and its nearer neighbour.
extern "C" __global__ void prolong(const REAL* __restrict__ error, REAL* __restrict__ u,
                                   const int* __restrict__ parents, const REAL* __restrict__ weights, const int nx,
                                   const int ny, const int mx, const int my, const int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const int* parents_y = parents + 2 * nx;
    const int* parents_z = parents_y + 2 * ny;
    const REAL* weights_y = weights + 2 * nx;
    const REAL* weights_z = weights_y + 2 * ny;
    const int own = parents[x], other = parents[nx + x];
    REAL sum = 0;
    for (int a = 0; a < 2; ++a) {
        const REAL weight_z = weights_z[a * nz + z];
        if (weight_z == 0) continue;
        for (int b = 0; b < 2; ++b) {
            const long long row = ((long long)parents_z[a * nz + z] * my + parents_y[b * ny + y]) * mx;
            sum += weight_z * weights_y[b * ny + y] * (weights[x] * error[row + own] + weights[nx + x] * error[row + other]);
        }
    }
    u[((long long)z * ny + y) * nx + x] += sum;
}

// error = inverse * residual on the coarsest level: columns (n, n), one thread per cell.
extern "C" __global__ void solve_coarsest(const REAL* __restrict__ columns, const REAL* __restrict__ residual,
                                          REAL* __restrict__ error, const int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    REAL sum = 0;
    for (int j = 0; j < n; ++j) sum += columns[j * n + i] * residual[j];
    error[i] = sum;
}

// Sums in double, in an order that does not depend on timing: each thread of a block strides through the values, the
// block halves its sums in shared memory, and add_parts does the same with the blocks' sums. Blocks of 256 threads.
__device__ __forceinline__ double block_sum(double value) {
    __shared__ double sums[256];
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    return sums[0];
}

extern "C" __global__ void add_squares(const REAL* __restrict__ u, const REAL* __restrict__ source,
                                       const double* __restrict__ offset, double* __restrict__ parts, GRID FACES) {
    const long long cells = (long long)nx * ny * nz, stride = (long long)gridDim.x * blockDim.x;
    double sum = 0;
    for (long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x; p < cells; p += stride) {
        const long long row = p / nx;
        const REAL r = at(u, source, offset, (int)(p % nx), (int)(row % ny), (int)(row / ny), nx, ny, nz, flags,
                          table PASS_FACES).residual;
        sum += (double)r * (double)r;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

extern "C" __global__ void add_values(const REAL* __restrict__ values, const long long cells,
                                      double* __restrict__ parts) {
    const long long stride = (long long)gridDim.x * blockDim.x;
    double sum = 0;
    for (long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x; p < cells; p += stride) sum += (double)values[p];
    sum = block_sum(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// total = factor * (sum of n parts) + constant. One block.
extern "C" __global__ void add_parts(const double* __restrict__ parts, const int n, const double factor,
                                     const double constant, double* __restrict__ total) {
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += parts[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) total[0] = factor * sum + constant;
}

extern "C" __global__ void subtract(REAL* __restrict__ values, const long long cells,
                                    const double* __restrict__ amount) {
    const long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < cells) values[p] -= (REAL)amount[0];
}
