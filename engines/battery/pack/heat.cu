// Heat in a box of voxels: one long explicit step in stages (stages.py), with an exchange of heat at the sides.
//
// Arrays over voxels have a ghost on each side, (nz + 2, ny + 2, nx + 2). Ghosts of the temperature hold what is beyond a
// side, those of a change stay 0, so a face of a side is a face like any other. gx[i] is the conductance [W/K] between voxel
// i and the one after it along x. What a face takes from one voxel it gives to the other to the last bit, and pairs of
// opposite faces are added first, without fused multiply-adds: a mirrored problem has the mirrored bits, and the Numba
// twin has the same.
//
//   net(u) = [gx (east − u) + gx (west − u)] + [north + south] + [above + below]
//   rate:   R = (τ/C) (net(T) + power of the voxel),  D_1 = first R
//   stage:  D_j = μ D_{j−1} + ν D_{j−2} + near (τ/C) net(D_{j−1}) + start R;  at sides outflow += weight D_{j−1}
//   finish: T += D_s with the rounding carried along; lost heat: τ g (T − beyond + outflow) over the faces of the sides
//   means:  Σ T of an element in fixed point, whose sum does not depend on the order
//
// Bytes per voxel and stage: D_{j−1}, D_{j−2}, R, τ/C and three conductances read, D_j written: 32 (64 in double).
//
// variants: -DREAL=float; -DREAL=double

#define DEVICE __device__ __forceinline__

DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
DEVICE double product(double a, double b) { return __dmul_rn(a, b); }
DEVICE float sum(float a, float b) { return __fadd_rn(a, b); }
DEVICE double sum(double a, double b) { return __dadd_rn(a, b); }

constexpr int ALONG_X = 32, ALONG_Y = 8;  // threads of a block
constexpr int SUMMING = 128;              // threads that add up one element
constexpr double FIXED_POINT = 268435456.0;  // 2^28 to the kelvin

struct Place {
    int x, y, z, row, plane, i;
    bool inside;
    DEVICE Place(int nx, int ny, int nz)
        : x(blockIdx.x * ALONG_X + threadIdx.x), y(blockIdx.y * ALONG_Y + threadIdx.y), z(blockIdx.z),
          row(nx + 2), plane((nx + 2) * (ny + 2)), i((z + 1) * plane + (y + 1) * row + x + 1), inside(x < nx && y < ny) {}
};

DEVICE REAL net(const REAL* __restrict__ u, const REAL* __restrict__ gx, const REAL* __restrict__ gy,
                const REAL* __restrict__ gz, const Place& at) {
    const int i = at.i;
    const REAL c = u[i];
    const REAL x = sum(product(gx[i], u[i + 1] - c), product(gx[i - 1], u[i - 1] - c));
    const REAL y = sum(product(gy[i], u[i + at.row] - c), product(gy[i - at.row], u[i - at.row] - c));
    const REAL z = sum(product(gz[i], u[i + at.plane] - c), product(gz[i - at.plane], u[i - at.plane] - c));
    return sum(sum(x, y), z);
}

extern "C" __global__ void rate(
    const REAL* __restrict__ temperature, const REAL* __restrict__ gx, const REAL* __restrict__ gy,
    const REAL* __restrict__ gz, const REAL* __restrict__ per_capacity, const int* __restrict__ owner,
    const REAL* __restrict__ power, REAL first, REAL* __restrict__ R, REAL* __restrict__ change,
    REAL* __restrict__ outflow, int nx, int ny, int nz) {
    const Place at(nx, ny, nz);
    if (!at.inside) return;
    const REAL total = sum(net(temperature, gx, gy, gz, at), power[owner[at.i]]);
    const REAL value = product(per_capacity[at.i], total);
    R[at.i] = value;
    change[at.i] = product(first, value);
    outflow[at.i] = REAL(0);
}

extern "C" __global__ void stage(
    const REAL* __restrict__ before, const REAL* __restrict__ older, const REAL* __restrict__ R,
    const REAL* __restrict__ gx, const REAL* __restrict__ gy, const REAL* __restrict__ gz,
    const REAL* __restrict__ per_capacity, REAL mu, REAL nu, REAL near, REAL start, REAL weight,
    REAL* __restrict__ change, REAL* __restrict__ outflow, int nx, int ny, int nz) {
    const Place at(nx, ny, nz);
    if (!at.inside) return;
    const int i = at.i;
    const REAL diffused = product(near, product(per_capacity[i], net(before, gx, gy, gz, at)));
    const REAL kept = sum(product(mu, before[i]), product(nu, older[i]));
    change[i] = sum(sum(kept, diffused), product(start, R[i]));
    const bool side = at.x == 0 || at.x == nx - 1 || at.y == 0 || at.y == ny - 1 || at.z == 0 || at.z == nz - 1;
    if (side) outflow[i] = sum(outflow[i], product(weight, before[i]));
}

// The sum over a block of threads, in thread 0.
template <typename T> DEVICE T block_sum(T value, T* shared, int thread, int threads) {
    for (int offset = 16; offset; offset >>= 1) value += __shfl_down_sync(0xffffffffu, value, offset);
    if (thread % 32 == 0) shared[thread / 32] = value;
    __syncthreads();
    if (thread == 0)
        for (int warp = 1; warp < threads / 32; ++warp) value += shared[warp];
    return value;
}

// lost: joules per block so far.
extern "C" __global__ void finish(
    REAL* __restrict__ temperature, REAL* __restrict__ error, const REAL* __restrict__ change,
    const REAL* __restrict__ outflow, const REAL* __restrict__ gx, const REAL* __restrict__ gy,
    const REAL* __restrict__ gz, double step, double* __restrict__ lost, int nx, int ny, int nz) {
    __shared__ double shared[ALONG_X * ALONG_Y / 32];
    const Place at(nx, ny, nz);
    const int i = at.i;
    double heat = 0.0;
    if (at.inside) {
        const REAL old = temperature[i], more = outflow[i];
        if (at.x == 0) heat += double(gx[i - 1]) * (double(old) - temperature[i - 1] + more);
        if (at.x == nx - 1) heat += double(gx[i]) * (double(old) - temperature[i + 1] + more);
        if (at.y == 0) heat += double(gy[i - at.row]) * (double(old) - temperature[i - at.row] + more);
        if (at.y == ny - 1) heat += double(gy[i]) * (double(old) - temperature[i + at.row] + more);
        if (at.z == 0) heat += double(gz[i - at.plane]) * (double(old) - temperature[i - at.plane] + more);
        if (at.z == nz - 1) heat += double(gz[i]) * (double(old) - temperature[i + at.plane] + more);
        const REAL corrected = change[i] - error[i], next = old + corrected;
        error[i] = (next - old) - corrected;
        temperature[i] = next;  // ghosts, which neighbours read, are no thread's own
    }
    const int thread = threadIdx.y * ALONG_X + threadIdx.x;
    heat = block_sum(heat * step, shared, thread, ALONG_X * ALONG_Y);
    if (thread == 0) lost[((long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] += heat;
}

// One block per element; boxes: first and last (exclusive) voxel along x, y, z.
extern "C" __global__ void __launch_bounds__(SUMMING) means(
    const REAL* __restrict__ temperature, const int* __restrict__ boxes, double* __restrict__ mean, int nx, int ny) {
    __shared__ long long shared[SUMMING / 32];
    const int* const box = boxes + 6 * blockIdx.x;
    const int along_x = box[1] - box[0], along_y = box[3] - box[2], count = along_x * along_y * (box[5] - box[4]);
    const int row = nx + 2, plane = row * (ny + 2);
    long long total = 0;
    for (int k = threadIdx.x; k < count; k += SUMMING) {
        const int x = box[0] + k % along_x, y = box[2] + k / along_x % along_y, z = box[4] + k / along_x / along_y;
        total += llrint(double(temperature[(z + 1) * plane + (y + 1) * row + x + 1]) * FIXED_POINT);
    }
    total = block_sum(total, shared, threadIdx.x, SUMMING);
    if (threadIdx.x == 0) mean[blockIdx.x] = double(total) / FIXED_POINT / count;
}
