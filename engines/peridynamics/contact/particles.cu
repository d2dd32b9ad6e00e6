// Pieces of a body that meet again: particles without a bond between them push each other away when they are close.
//
//   a_i = S Σ_j met n,  depth = d − r, r < d the distance of the two, n from j to i
//
// met is the depth, but for the step in which it begins or ends (met.cuh).
// Units of bonds.cu. Who takes part: particles that are without a bond to one of the 3^d − 1 beside them (surfaces, cuts, and
// what has broken). They are listed in the order of their places; a grid of cells, hashed, finds for each the others
// within d + skin, in the order of their places: sums are the same whenever lists are made. Both ends of a pair compute
// the same force to the last bit. Lists are made anew when one more takes part or one has moved by half the skin.
//
// u, v, pushes, rest: (DIMENSIONS, size), pushes gets what this does to velocities, rest in whole spacings, NOWHERE where there is no particle; words: (WORDS, size) as in
// bonds.cu; bits: (2 reach + 1)^d, the bit of a bond by its offset, −1 where there is none. reference: (DIMENSIONS, capacity)
// displacements when lists were made; head: (buckets), next: (capacity) members of a bucket, −1 the end.
// neighbours: (most, capacity) places. news: (5) members, whether one has moved too far, neighbours where
// they are too many, whether lists are made now, members being counted.
//
// variants: -DREAL=float -DDIMENSIONS=2; -DREAL=float -DDIMENSIONS=3; -DREAL=double -DDIMENSIONS=2; -DREAL=double -DDIMENSIONS=3
#include "peridynamics/contact/collect.cuh"
#include "peridynamics/contact/met.cuh"
#include "peridynamics/contact/rows/rows.cuh"

// near: (words) bits of the bonds to the particles beside. news[TOTAL] counts.
extern "C" __global__ void mark_members(const unsigned* __restrict__ words, const REAL* __restrict__ rest,
                                        const unsigned* __restrict__ near, const int count, unsigned* __restrict__ mask,
                                        int* __restrict__ news, const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    bool open = false;
    if (at < size && rest[at] < REAL(NOWHERE / 2))
        for (int k = 0; k < count; ++k)
            if (near[k]) open |= (words[k * size + at] & near[k]) != near[k];
    const unsigned word = __ballot_sync(~0u, open);
    if (threadIdx.x % 32 == 0 && at < size) {
        mask[at / 32] = word;
        if (word) atomicAdd(news + News::TOTAL, __popc(word));
    }
}

// One block. Members only become more, so their number tells whether they are others.
extern "C" __global__ void __launch_bounds__(COLLECTORS) collect_members(const unsigned* __restrict__ mask, const int words,
                                                                        int* __restrict__ members, const int capacity,
                                                                        int* __restrict__ news)
{
    const bool more = news[News::TOTAL] != news[News::MEMBERS];
    __syncthreads();
    if (more) collect_bits(mask, words, members, capacity);
    if (threadIdx.x == 0) {
        news[News::STALE] = more || news[News::MOVED];
        news[News::MEMBERS] = news[News::TOTAL];
        news[News::MOVED] = news[News::TOTAL] = 0;
    }
}

extern "C" __global__ void clear_cells(int* __restrict__ head, const int buckets, const int* __restrict__ news)
{
    if (!news[News::STALE]) return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < buckets; i += gridDim.x * blockDim.x) head[i] = -1;
}

struct Cell {
    int x, y, z;
    DEVICE_MEMBER bool operator==(const Cell& other) const { return x == other.x && y == other.y && z == other.z; }
    DEVICE_MEMBER unsigned bucket(const int buckets) const
    {
        return ((unsigned)x * 73856093u ^ (unsigned)y * 19349663u ^ (unsigned)z * 83492791u) & (unsigned)(buckets - 1);
    }
};

DEVICE Cell cell_at(const REAL* __restrict__ u, const REAL* __restrict__ rest, const long long size, const long long at,
                    const REAL per_width)
{
    Cell cell = {0, 0, 0};
    cell.x = (int)floor((rest[at] + u[at]) * per_width);
    cell.y = (int)floor((rest[size + at] + u[size + at]) * per_width);
    if (DIMENSIONS == 3) cell.z = (int)floor((rest[2 * size + at] + u[2 * size + at]) * per_width);
    return cell;
}

// buckets is a power of two.
extern "C" __global__ void fill_cells(const REAL* __restrict__ u, const REAL* __restrict__ rest,
                                      const int* __restrict__ members, const int capacity, REAL* __restrict__ reference,
                                      int* __restrict__ head, int* __restrict__ next, const int buckets,
                                      const REAL per_width, const int* __restrict__ news, const long long size)
{
    if (!news[News::STALE]) return;
    const int n = min(news[News::MEMBERS], capacity);
    for (int m = blockIdx.x * blockDim.x + threadIdx.x; m < n; m += gridDim.x * blockDim.x) {
        const long long at = members[m];
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) reference[(long long)k * capacity + m] = u[k * size + at];
        next[m] = atomicExch(head + cell_at(u, rest, size, at, per_width).bucket(buckets), m);
    }
}

// What separates two particles: the offset at rest, and now.
struct Pair {
    REAL x, y, z, square;
    int a, b, c;
};
DEVICE Pair pair_of(const REAL* __restrict__ u, const REAL* __restrict__ rest, const long long size, const long long i,
                    const long long j)
{
    Pair pair;
    REAL offset = rest[j] - rest[i];
    pair.a = (int)offset;
    pair.x = offset + (u[j] - u[i]);
    offset = rest[size + j] - rest[size + i];
    pair.b = (int)offset;
    pair.y = offset + (u[size + j] - u[size + i]);
    pair.c = 0;
    pair.z = 0;
    if (DIMENSIONS == 3) {
        offset = rest[2 * size + j] - rest[2 * size + i];
        pair.c = (int)offset;
        pair.z = offset + (u[2 * size + j] - u[2 * size + i]);
    }
    pair.square = pair.x * pair.x + pair.y * pair.y + pair.z * pair.z;
    return pair;
}

// width: of a cell, d + skin; numbers: (capacity) how many neighbours each has.
extern "C" __global__ void find_neighbours(const REAL* __restrict__ u, const REAL* __restrict__ rest,
                                           const int* __restrict__ members, const int capacity,
                                           const int* __restrict__ head, const int* __restrict__ next, const int buckets,
                                           const REAL per_width, const REAL width, int* __restrict__ numbers,
                                           int* __restrict__ neighbours, const int most, int* __restrict__ news,
                                           const long long size)
{
    if (!news[News::STALE]) return;
    const int n = min(news[News::MEMBERS], capacity);
    for (int m = blockIdx.x * blockDim.x + threadIdx.x; m < n; m += gridDim.x * blockDim.x) {
        const int i = members[m];
        const Cell own = cell_at(u, rest, size, i, per_width);
        int found = 0;
        for (int c = DIMENSIONS == 3 ? -1 : 0; c <= (DIMENSIONS == 3 ? 1 : 0); ++c)
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a) {
                    const Cell beside = {own.x + a, own.y + b, own.z + c};
                    for (int other = head[beside.bucket(buckets)]; other >= 0; other = next[other]) {
                        const int j = members[other];
                        if (j == i || !(cell_at(u, rest, size, j, per_width) == beside)) continue;
                        if (!(pair_of(u, rest, size, i, j).square < width * width)) continue;
                        if (found < most) {  // in the order of places
                            int k = found;
                            for (; k > 0 && neighbours[(long long)(k - 1) * capacity + m] > j; --k)
                                neighbours[(long long)k * capacity + m] = neighbours[(long long)(k - 1) * capacity + m];
                            neighbours[(long long)k * capacity + m] = j;
                        }
                        ++found;
                    }
                }
        numbers[m] = min(found, most);
        if (found > most) atomicMax(news + News::CROWD, found);
    }
}

struct Push {
    REAL x, y, z;
    double energy;
};

// Neighbours stand within the skin, so one that was touched a step before is still among them.
DEVICE Push push_on(const REAL* __restrict__ u, const REAL* __restrict__ v, const REAL* __restrict__ rest,
                    const unsigned* __restrict__ words, const short* __restrict__ bits, const int reach, const int capacity,
                    const int* __restrict__ numbers, const int* __restrict__ neighbours, const int m, const long long i,
                    const long long size, const REAL stiffness, const REAL radius)
{
    Push push = {0, 0, 0, 0};
    const int n = numbers[m];
    for (int k = 0; k < n; ++k) {
        const long long j = neighbours[(long long)k * capacity + m];
        const Pair pair = pair_of(u, rest, size, i, j);
        if (!(pair.square > 0)) continue;
        REAL grown = (v[j] - v[i]) * pair.x + (v[size + j] - v[size + i]) * pair.y;
        if (DIMENSIONS == 3) grown += (v[2 * size + j] - v[2 * size + i]) * pair.z;
        const REAL length = sqrt(pair.square), closer = radius - length, before = closer + grown / length;
        if (!(closer > 0 || before > 0)) continue;
        if (abs(pair.a) <= reach && abs(pair.b) <= reach && abs(pair.c) <= reach) {
            const int span = 2 * reach + 1, layer = DIMENSIONS == 3 ? pair.c + reach : 0;
            const int bit = bits[(layer * span + pair.b + reach) * span + pair.a + reach];
            if (bit >= 0 && words[(bit >> 5) * size + i] >> (bit & 31) & 1) continue;
        }
        const REAL force = stiffness * met(closer, before) / length;
        push.x -= force * pair.x;
        push.y -= force * pair.y;
        if (DIMENSIONS == 3) push.z -= force * pair.z;
        if (closer > 0) push.energy += 0.25 * (double)stiffness * (double)closer * (double)closer;  // half of the pair's
    }
    return push;
}

// steps: until lists may be made anew; half: half the skin. light_of: (size) 1 over the mass of each particle if mixed, else (1).
extern "C" __global__ void repel(const REAL* __restrict__ u, const REAL* __restrict__ v, const REAL* __restrict__ rest,
                                 const unsigned* __restrict__ words, const short* __restrict__ bits, const int reach,
                                 const int* __restrict__ members, const int capacity, const REAL* __restrict__ reference,
                                 const int* __restrict__ numbers, const int* __restrict__ neighbours,
                                 int* __restrict__ news, const REAL stiffness, const REAL radius, const REAL half,
                                 const int steps, const REAL* __restrict__ light_of, const int mixed,
                                 REAL* __restrict__ pushes, const long long size)
{
    const int n = min(news[News::MEMBERS], capacity);
    for (int m = blockIdx.x * blockDim.x + threadIdx.x; m < n; m += gridDim.x * blockDim.x) {
        const long long i = members[m];
        const Push push = push_on(u, v, rest, words, bits, reach, capacity, numbers, neighbours, m, i, size, stiffness, radius);
        const REAL light = light_of[mixed ? i : 0], given[3] = {light * push.x, light * push.y, light * push.z};
        REAL moved = 0, speed = 0;
#pragma unroll
        for (int k = 0; k < DIMENSIONS; ++k) {
            const REAL velocity = v[k * size + i] + given[k];
            if (given[k] != REAL(0)) pushes[k * size + i] += given[k];
            const REAL away = u[k * size + i] - reference[(long long)k * capacity + m];
            moved += away * away;
            speed += velocity * velocity;
        }
        if (!(sqrt(moved) + REAL(steps) * sqrt(speed) < half)) news[News::MOVED] = 1;
    }
}

// energy: (capacity) of this moment.
extern "C" __global__ void measure_contact(const REAL* __restrict__ u, const REAL* __restrict__ v, const REAL* __restrict__ rest,
                                           const unsigned* __restrict__ words, const short* __restrict__ bits,
                                           const int reach, const int* __restrict__ members, const int capacity,
                                           const int* __restrict__ numbers, const int* __restrict__ neighbours,
                                           const int* __restrict__ news, const REAL stiffness, const REAL radius,
                                           double* __restrict__ energy, const long long size)
{
    const int n = min(news[News::MEMBERS], capacity);
    for (int m = blockIdx.x * blockDim.x + threadIdx.x; m < n; m += gridDim.x * blockDim.x) {
        const long long i = members[m];
        const Push push = push_on(u, v, rest, words, bits, reach, capacity, numbers, neighbours, m, i, size, stiffness, radius);
        energy[m] = push.energy;
    }
}
