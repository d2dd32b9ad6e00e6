// Many steps of small bodies in one launch: the step of bonds.cu, particle by particle, so that results are the same.
//
// A body has `group` blocks, one of them a part of the body at a time; blocks of a body wait for each other after each step
// (so the device must run all of them at once), those of other bodies do not. One block waits for nobody. Displacements
// pass from block to block through the second-level cache, from one array to the other and back; they end where they began.
//
// Bodies of a batch have the same particles, bonds and regions, and materials, laws and loads of their own. Each lies as
// layout.py says, `each` places behind the one before: u, other, v: (DIMENSIONS, size), words, breakable, unbreakable:
// (WORDS, size), size = bodies · each.
// table: (bodies, rows, kinds, 4, DIMENSIONS) as in bonds.cu; free particles have none, so their row holds kick and decay.
// orders: (bodies, 3) first row, steps to take, whether bonds may break; materials: (bodies, 2) stiffness, limit;
// laws: (bodies, pairs, law_size); counters: (bodies, 2) zeros, and zeros again afterwards.
//
// variants: -DREAL=float -DDIMENSIONS=3 -DREACH=3; -DREAL=float -DDIMENSIONS=2 -DREACH=3 -DGENERAL; -DREAL=double -DDIMENSIONS=2 -DREACH=3 -DGENERAL -DSOFTENING; -DREAL=float -DDIMENSIONS=2 -DREACH=3 -DSOFTENING
// any: REAL DIMENSIONS REACH
#define MANY_STEPS
#define PUSHED 0  // nothing acts between the steps of a launch
#include "backend/devices/group.cuh"
#include "peridynamics/lattice/bonds.cu"

// Blocks that a processor has room for: fewer than of bonds.cu where the loop over steps needs the registers.
#if defined(SOFTENING) && defined(GENERAL)
constexpr int MOST_BLOCKS = sizeof(REAL) == 8 && (REACH == 4 || DIMENSIONS == 2) ? 1 : BLOCKS;
#elif defined(SOFTENING)
constexpr int MOST_BLOCKS = DIMENSIONS == 2 && (REACH == 4 || (REACH == 2 && sizeof(REAL) == 8)) ? BLOCKS - 1 : BLOCKS;
#else
constexpr int MOST_BLOCKS = DIMENSIONS == 3 && BLOCKS > 2 ? 2 : BLOCKS;
#endif

// A part of a body: a tile of columns by high particles, in 3D in planes z0 .. end − 1.
struct Part {
    int x0, y0, z0, end;
};

// The displacements of a plane of a tile and a horizon around it, a row for each warp at a time; not from the first-level
// cache, where those of a step before may be.
DEVICE void load_tile(REAL* __restrict__ tile, const REAL* u, const Place& place, const Part& part, const int wide,
                      const int tall, const int z)
{
#pragma unroll 1
    for (int r = threadIdx.x / 32; r < tall; r += blockDim.x / 32)
#pragma unroll 1
        for (int c = threadIdx.x % 32; c < wide; c += 32) {
            const bool inside = part.x0 + c < place.nx + 2 * REACH && part.y0 + r < place.ny + 2 * REACH;
            const long long from = place.at(part.x0 + c - REACH, part.y0 + r - REACH, z);
            REAL* to = tile + r * LINE + c;
#pragma unroll
            for (int k = 0; k < DIMENSIONS; ++k) to[k * PITCH] = inside ? __ldcg(u + k * place.size + from) : REAL(0);
#ifdef GENERAL
            if (place.traits) *reinterpret_cast<unsigned*>(to + DIMENSIONS * PITCH) = inside ? place.traits[from] : 0u;
#endif
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, MOST_BLOCKS) step_many(
    REAL* u, REAL* other, REAL* __restrict__ v, unsigned* __restrict__ words, const unsigned* __restrict__ breakable,
    const unsigned* __restrict__ unbreakable, const unsigned char* __restrict__ kind, const REAL* __restrict__ table,
    const int rows_of_table, const int kinds, const int* __restrict__ orders, const REAL* __restrict__ materials,
    const int* __restrict__ offsets, const OfBond* __restrict__ of_bonds, double* __restrict__ work,
    double* __restrict__ loss, double* __restrict__ damped, const int nx, const int ny, const int nz, const int pitch,
    const int rows, const long long base, const long long each, const long long size, const int columns, const int span,
    const int group, unsigned* __restrict__ counters
#ifdef WEIGHTED
    ,
    const REAL* __restrict__ weights
#endif
#ifdef GENERAL
    ,
    const unsigned* __restrict__ traits, const REAL* __restrict__ pairs, const REAL* __restrict__ lightness,
    const int mixed, const int corrected
#endif
#ifdef SOFTENING
    ,
    unsigned* __restrict__ soft, REAL* __restrict__ damage, const REAL* __restrict__ laws, const int law_size
#endif
)
{
    extern __shared__ REAL tiles[];
    const int body = blockIdx.x / group, member = blockIdx.x % group;
#ifdef GENERAL
    const Place place = {nx, ny, nz, pitch, rows, base + body * each, size, traits};
#else
    const Place place = {nx, ny, nz, pitch, rows, base + body * each, size};
#endif
    const int t = threadIdx.x, high = blockDim.x / columns, wide = columns + 2 * REACH, tall = high + 2 * REACH;
    const int column = t % columns, line = t / columns, own = (line + REACH) * LINE + column + REACH;
    const int across = (nx + columns - 1) / columns, up = (ny + high - 1) / high;
    const int parts = across * up * (DIMENSIONS == 3 ? (nz + span - 1) / span : 1);
    const int* order = orders + 3 * body;
    const int steps = order[1];
#if defined(GENERAL) && defined(SOFTENING)
    const int pairs_of_materials = mixed * mixed;
#else
    [[maybe_unused]] constexpr int pairs_of_materials = 1;
#endif
    Group blocks = {counters + 2 * body, (unsigned)group, 0u};

    const auto part_of = [&](const int number) {
        const int rest = number / across, z0 = rest / up * span;
        const Part found = {number % across * columns, rest % up * high, z0, DIMENSIONS == 3 ? min(z0 + span, nz) : 1};
        return found;
    };
    const auto is_mine = [&](const Part& part) { return line < high && part.x0 + column < nx && part.y0 + line < ny; };

#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
        const int row = (body * rows_of_table + order[0] + s) * kinds;
        const REAL* pace = table + (long long)row * (4 * DIMENSIONS);
        const REAL* from = s & 1 ? other : u;
        const Step step = {s & 1 ? u : other, v, words, order[2] ? breakable : unbreakable, kind, table, row, offsets,
                           of_bonds, work, loss, damped, materials[2 * body], materials[2 * body + 1], pace[0], pace[1],
                           nullptr,
#ifdef WEIGHTED
                           weights,
#endif
#ifdef GENERAL
                           pairs, lightness, mixed, corrected,
#endif
#ifdef SOFTENING
                           soft, damage, laws + body * pairs_of_materials * law_size, law_size,
#endif
        };
#pragma unroll 1
        for (int number = member; number < parts; number += group) {
            const Part part = part_of(number);
            const bool mine = is_mine(part);
            __syncthreads();  // the part before has been read
#if DIMENSIONS == 2
            load_tile(tiles, from, place, part, wide, tall, 0);
            __syncthreads();
            const unsigned lanes = __ballot_sync(~0u, mine);
            if (mine) step.take(tiles, 0, 0, own, place.at(part.x0 + column, part.y0 + line, 0), size, lanes);
#else
            const int plane = tall * LINE;
            for (int z = part.z0 - DEPTH; z < part.z0 + DEPTH; ++z)
                load_tile(tiles + (z + DEPTH) % PLANES * plane, from, place, part, wide, tall, z);
#pragma unroll 1
            for (int z = part.z0; z < part.end; ++z) {
                __syncthreads();
                load_tile(tiles + (z + 2 * DEPTH) % PLANES * plane, from, place, part, wide, tall, z + DEPTH);
                __syncthreads();
                if (mine) step.take(tiles, z, plane, own, place.at(part.x0 + column, part.y0 + line, z), size, 0u);
            }
#endif
        }
        blocks.meet();
    }
    if (steps & 1)
        for (int number = member; number < parts; number += group) {
            const Part part = part_of(number);
            if (is_mine(part))
                for (int z = part.z0; z < part.end; ++z) {
                    const long long at = place.at(part.x0 + column, part.y0 + line, z);
#pragma unroll
                    for (int k = 0; k < DIMENSIONS; ++k) u[k * size + at] = other[k * size + at];
                }
        }
    blocks.leave();
}
