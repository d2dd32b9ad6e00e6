// The phase of the voltage by delay embedding: atan2(v(t - delay) - origin, v(t) - origin), both voltages kept from
// looks. It grows through a beat: rest -3/4 pi, upstroke -1/4 pi, plateau 1/4 pi, repolarisation 3/4 pi.
// A triangle around which it grows by 2 pi holds a phase singularity: its topological charge is +1, seen from outside
// against the clock, or -1.
//
// phase:            2 R read, R written for each cell; R = sizeof(REAL)
// surface_phases:   for each vertex of the surface, from the mean voltages of the cells around it
// charges:          for each triangle; counts[0] and [1] grow by the number of +1 and -1
//
// variants: -DREAL=float; -DREAL=double

#define PI 3.14159265358979323846

__device__ __forceinline__ float angle(float y, float x) { return atan2f(y, x); }
__device__ __forceinline__ double angle(double y, double x) { return atan2(y, x); }

extern "C" __global__ void phase(const REAL* __restrict__ now, const REAL* __restrict__ then, const REAL origin,
                                 REAL* __restrict__ out, const long long n_cells)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n_cells) out[i] = angle(then[i] - origin, now[i] - origin);
}

// cells[offsets[i] : offsets[i + 1]] are the cells around vertex i
extern "C" __global__ void surface_phases(const REAL* __restrict__ now, const REAL* __restrict__ then,
                                          const REAL origin, const int* __restrict__ cells,
                                          const int* __restrict__ offsets, const int n_vertices,
                                          REAL* __restrict__ phases)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n_vertices) return;
    REAL x = REAL(0), y = REAL(0);
    for (int j = offsets[i]; j < offsets[i + 1]; ++j) {
        x += now[cells[j]] - origin;
        y += then[cells[j]] - origin;
    }
    phases[i] = angle(y, x);
}

// The way from one phase to another that is shorter than half a turn. Exactly opposite both ways round an edge, so that
// the charges of a closed surface add up to zero.
__device__ __forceinline__ REAL turn(const REAL from, const REAL to)
{
    const REAL way = to - from;
    return way > REAL(PI) ? way - REAL(2 * PI) : (way < REAL(-PI) ? way + REAL(2 * PI) : way);
}

extern "C" __global__ void charges(const REAL* __restrict__ phases, const int* __restrict__ triangles,
                                   const int n_triangles, signed char* __restrict__ charge, int* __restrict__ counts)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n_triangles) return;
    const REAL a = phases[triangles[3 * i]], b = phases[triangles[3 * i + 1]], c = phases[triangles[3 * i + 2]];
    const REAL around = turn(a, b) + turn(b, c) + turn(c, a);
    const int sign = around > REAL(PI) ? 1 : (around < REAL(-PI) ? -1 : 0);
    charge[i] = (signed char)sign;
    if (sign != 0) atomicAdd(counts + (sign < 0), 1);
}
