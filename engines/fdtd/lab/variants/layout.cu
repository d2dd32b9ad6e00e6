// A step in vacuum between perfect conductors, cubic cells, in four layouts of the fields, for the Kernel Lab alone:
//
//   E <- E + s curl H,   H <- H - s curl E
//
// 36 bytes per cell and pass in float32; 3 (3 sub, 1 mul, 1 add) = 15 flops. A thread takes one cell.
//
// -DLAYOUT: 0 an array for each component, (3, planes, rows, row); 1 a structure of three for each field; 2 one structure
// of six for both; 3 a structure of four for each field, read in one access of 16 bytes, the fourth of no use.
//
// variants: -DLAYOUT=0; -DLAYOUT=1; -DLAYOUT=2; -DLAYOUT=3

struct Three {
    float x, y, z;
};

__device__ __forceinline__ Three load(const float* __restrict__ field, const size_t at, const size_t volume)
{
#if LAYOUT == 0
    return {field[at], field[at + volume], field[at + 2 * volume]};
#elif LAYOUT == 1
    return {field[3 * at], field[3 * at + 1], field[3 * at + 2]};
#elif LAYOUT == 2
    return {field[6 * at], field[6 * at + 1], field[6 * at + 2]};
#else
    const float4 four = reinterpret_cast<const float4*>(field)[at];
    return {four.x, four.y, four.z};
#endif
}

__device__ __forceinline__ void store(float* __restrict__ field, const size_t at, const size_t volume, const Three value)
{
#if LAYOUT == 0
    field[at] = value.x, field[at + volume] = value.y, field[at + 2 * volume] = value.z;
#elif LAYOUT == 1
    field[3 * at] = value.x, field[3 * at + 1] = value.y, field[3 * at + 2] = value.z;
#elif LAYOUT == 2
    field[6 * at] = value.x, field[6 * at + 1] = value.y, field[6 * at + 2] = value.z;
#else
    reinterpret_cast<float4*>(field)[at] = make_float4(value.x, value.y, value.z, 0.0f);
#endif
}

// nx, ny, nz: cells; row: places of a row; what stands at nodes n is on a wall, and zero.
#define CELL                                                                                    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z; \
    if (i >= nx || j >= ny) return;                                                             \
    const size_t plane = size_t(ny + 1) * row, volume = plane * (nz + 1), at = k * plane + size_t(j) * row + i;

extern "C" __global__ void __launch_bounds__(256) layout_electric(
    float* __restrict__ e, const float* __restrict__ h, const float s, const int nx, const int ny, const int nz,
    const int row)
{
    CELL
    Three value = load(e, at, volume);
    const Three here = load(h, at, volume), west = load(h, i > 0 ? at - 1 : at, volume);
    const Three south = load(h, j > 0 ? at - row : at, volume), below = load(h, k > 0 ? at - plane : at, volume);
    if (j > 0 && k > 0) value.x += s * ((here.z - south.z) - (here.y - below.y));
    if (i > 0 && k > 0) value.y += s * ((here.x - below.x) - (here.z - west.z));
    if (i > 0 && j > 0) value.z += s * ((here.y - west.y) - (here.x - south.x));
    store(e, at, volume, value);
}

extern "C" __global__ void __launch_bounds__(256) layout_magnetic(
    const float* __restrict__ e, float* __restrict__ h, const float s, const int nx, const int ny, const int nz,
    const int row)
{
    CELL
    Three value = load(h, at, volume);
    const Three here = load(e, at, volume), east = load(e, at + 1, volume), north = load(e, at + row, volume);
    const Three above = load(e, at + plane, volume);
    value.x -= s * ((north.z - here.z) - (above.y - here.y));
    value.y -= s * ((above.x - here.x) - (east.z - here.z));
    value.z -= s * ((east.y - here.y) - (north.x - here.x));
    store(h, at, volume, value);
}
