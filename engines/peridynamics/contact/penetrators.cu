// Rigid bodies that push particles away: a spring between the surface of each particle and that of the body.
//
//   a = P met n + friction,  depth = ½ − distance,  friction = s min(1, μ P met/|s|),  s = friction a step ago − STICK v_t
//
// met is the depth, but for the step in which it begins or ends (met.cuh).
// Units of bonds.cu: spacings, steps, the mass of a particle. The spring has a potential, so a body without friction
// keeps its energy; what sticks is held by a spring along the surface, which slips at Coulomb's limit. All is float64:
// few particles are in reach, and their places are large numbers beside the depth.
//
// u, v, rest: (DIMENSIONS, size), rest is where particles are at first, NOWHERE where there is none.
// shapes: (bodies, SHAPE), states: (bodies, STATE), see rows. motion: (bodies, 9) of this step: place, velocity
// half a step ago and in half a step, of bodies with a given motion. list: (count) the particles in reach.
//
// variants: -DREAL=float -DDIMENSIONS=2; -DREAL=float -DDIMENSIONS=3; -DREAL=double -DDIMENSIONS=2; -DREAL=double -DDIMENSIONS=3
#include "peridynamics/contact/collect.cuh"
#include "peridynamics/contact/met.cuh"
#include "peridynamics/contact/rows/rows.cuh"

constexpr int THREADS = 256, SUMS = 8;

struct Vector {
    double x, y, z;
};
DEVICE Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
DEVICE Vector operator*(const double f, const Vector& a) { return {f * a.x, f * a.y, f * a.z}; }
DEVICE double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE Vector vector_at(const double* __restrict__ from) { return {from[0], from[1], from[2]}; }

// Distance of a point p, from the middle of the body, to its surface (negative inside), and the way out.
DEVICE double distance(const double* __restrict__ shape, const Vector& p, Vector& out)
{
    const int kind = (int)shape[ShapeRow::KIND];
    const Vector axis = vector_at(shape + ShapeRow::AXIS), sizes = vector_at(shape + ShapeRow::SIZES);
    if (kind == 2) {  // plane
        out = axis;
        return dot(p, axis);
    }
    if (kind == 3) {  // box
        const Vector q = {fabs(p.x) - sizes.x, fabs(p.y) - sizes.y, fabs(p.z) - sizes.z};
        const Vector sign = {p.x < 0 ? -1.0 : 1.0, p.y < 0 ? -1.0 : 1.0, p.z < 0 ? -1.0 : 1.0};
        const Vector beyond = {fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)};
        const double away = sqrt(dot(beyond, beyond));
        if (away > 0) {
            out = {sign.x * beyond.x / away, sign.y * beyond.y / away, sign.z * beyond.z / away};
            return away;
        }
        const double largest = fmax(q.x, fmax(q.y, q.z));
        out = {0, 0, 0};
        if (q.x == largest) out.x = sign.x;
        else if (q.y == largest) out.y = sign.y;
        else out.z = sign.z;
        return largest;
    }
    const double along = kind == 1 ? dot(p, axis) : 0.0;
    const Vector across = p - along * axis;
    const double radius = sqrt(dot(across, across));
    const Vector outwards = radius > 0 ? (1 / radius) * across : Vector{axis.y, axis.z, axis.x};
    const double beside = radius - sizes.x;
    if (kind == 0) {  // ball
        out = outwards;
        return beside;
    }
    const double beyond = fabs(along) - sizes.y;
    const Vector end = (along < 0 ? -1.0 : 1.0) * axis;
    if (beside > 0 && beyond > 0) {
        const double away = sqrt(beside * beside + beyond * beyond);
        const double a = beside / away, b = beyond / away;
        out = {a * outwards.x + b * end.x, a * outwards.y + b * end.y, a * outwards.z + b * end.z};
        return away;
    }
    out = beside > beyond ? outwards : end;
    return fmax(beside, beyond);
}

DEVICE Vector particle(const REAL* __restrict__ values, const long long size, const long long at)
{
    return {(double)values[at], (double)values[size + at], DIMENSIONS == 3 ? (double)values[2 * size + at] : 0.0};
}

// A bit for each place within reach of a body for the next steps: they are as long as twice the largest speed of the last
// time asks for. fastest: (2) squares of speeds as the bits of floats: of the last time, and being found.
extern "C" __global__ void mark_near(const REAL* __restrict__ u, const REAL* __restrict__ v, const REAL* __restrict__ rest,
                                     const double* __restrict__ shapes, const double* __restrict__ states,
                                     const double* __restrict__ motion, const int bodies, const int steps,
                                     int* __restrict__ fastest, unsigned* __restrict__ mask, const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    bool near = false;
    float square = 0;
    if (at < size && rest[at] < REAL(NOWHERE / 2)) {
        const Vector from = particle(rest, size, at), moved = particle(u, size, at), speed = particle(v, size, at);
        const Vector here = {from.x + moved.x, from.y + moved.y, from.z + moved.z};
        square = (float)dot(speed, speed);
        for (int b = 0; b < bodies; ++b) {
            const bool free = shapes[b * SHAPE + ShapeRow::RATIO] > 0;
            const Vector place = vector_at(free ? states + b * STATE + StateRow::PLACE : motion + 9 * b);
            const Vector velocity = vector_at(free ? states + b * STATE + StateRow::VELOCITY : motion + 9 * b + 6);
            const double speeds = sqrt((double)__int_as_float(fastest[0])) + sqrt(dot(velocity, velocity));
            Vector out;
            near |= distance(shapes + b * SHAPE, here - place, out) < 0.5 + MARGIN + 2 * steps * speeds;
        }
    }
    const unsigned word = __ballot_sync(~0u, near);
    for (int lanes = 16; lanes; lanes /= 2) square = fmaxf(square, __shfl_xor_sync(~0u, square, lanes));
    if (threadIdx.x % 32 == 0) {
        if (at < size) mask[at / 32] = word;
        if (square > 0) atomicMax(fastest + 1, __float_as_int(square));
    }
}

// One block. count: (1).
extern "C" __global__ void __launch_bounds__(COLLECTORS) collect_near(const unsigned* __restrict__ mask, const int words,
                                                                     int* __restrict__ list, const int capacity,
                                                                     int* __restrict__ count, int* __restrict__ fastest)
{
    const int found = collect_bits(mask, words, list, capacity);
    if (threadIdx.x == 0) {
        count[0] = min(found, capacity);
        fastest[0] = fastest[1];
        fastest[1] = 0;
    }
}

// What a step does to a body on which all particles together pull with −sums.
DEVICE void go_on(const double* __restrict__ shape, double* __restrict__ state, const double* __restrict__ motion,
                  const double (&sums)[SUMS])
{
    const double ratio = shape[ShapeRow::RATIO];
    double done = 0, half = 0, now = 0, later = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const double force = -sums[k];
        const double place = ratio > 0 ? state[StateRow::PLACE + k] : motion[k];
        const double before = ratio > 0 ? state[StateRow::VELOCITY + k] : motion[3 + k];
        const double after = ratio > 0 ? before + ratio * force : motion[6 + k];
        done -= force * 0.5 * (before + after);
        half -= force * (0.5 * before + 0.125 * (after - before));
        now += 0.5 * sums[5 + k] * before;
        later += 0.5 * sums[5 + k] * after;
        state[StateRow::FORCE + k] = force;
        state[StateRow::SEEN + k] = place;
        state[StateRow::SEEN_VELOCITY + k] = 0.5 * (before + after);
        state[StateRow::VELOCITY + k] = after;
        state[StateRow::PLACE + k] = place + after;
    }
    state[StateRow::WORK] += done;
    state[StateRow::PENDING] = done - half;
    state[StateRow::POTENTIAL] = sums[3];
    state[StateRow::SLID] += sums[4] + state[StateRow::LATER] + now;
    state[StateRow::LATER] = later;
}

// pushes: (DIMENSIONS, size) gets what this does to velocities. rub: (bodies, DIMENSIONS, size) what friction gave, where
// rubbing: what sticks goes on from it, and what it takes is known when the velocity half a step later is. light_of: (size) 1 over the mass of each particle if
// mixed, else (1). partial: (bodies, blocks, SUMS); ticket: (1), 0.
extern "C" __global__ void __launch_bounds__(THREADS)
    push(const REAL* __restrict__ u, const REAL* __restrict__ v, const REAL* __restrict__ rest, const double* __restrict__ shapes,
         double* __restrict__ states, const double* __restrict__ motion, const int bodies, const int* __restrict__ list,
         const int* __restrict__ count, REAL* __restrict__ pushes, REAL* __restrict__ rub,
         const int rubbing, const REAL* __restrict__ light_of, const int mixed, double* __restrict__ partial,
         int* __restrict__ ticket, const long long size)
{
    __shared__ double shared[SUMS][THREADS / 32];
    __shared__ int last;
    const int n = count[0], t = threadIdx.x;
    const int blocks = min((int)gridDim.x, max(1, (n + THREADS - 1) / THREADS));
    if (blockIdx.x >= blocks) return;
    for (int b = 0; b < bodies; ++b) {
        const double* shape = shapes + b * SHAPE;
        const bool free = shape[ShapeRow::RATIO] > 0;
        const Vector place = vector_at(free ? states + b * STATE + StateRow::PLACE : motion + 9 * b);
        const Vector velocity = vector_at(free ? states + b * STATE + StateRow::VELOCITY : motion + 9 * b + 3);
        REAL* const held = rubbing ? rub + b * DIMENSIONS * size : rub;
        double sums[SUMS] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (int c = blockIdx.x * THREADS + t; c < n; c += blocks * THREADS) {
            const long long at = list[c];
            const double light = (double)light_of[mixed ? at : 0];
            const Vector from = particle(rest, size, at), moved = particle(u, size, at);
            const Vector here = {from.x + moved.x, from.y + moved.y, from.z + moved.z};
            Vector out;
            const double depth = 0.5 - distance(shape, here - place, out);
            Vector given = {0, 0, 0}, rubbed = {0, 0, 0};
            const Vector relative = particle(v, size, at) - velocity;
            const double away = dot(relative, out);
            const bool touching = depth > 0 || depth + away > 0;
            if (touching) {
                const double push = shape[ShapeRow::STIFFNESS] * met(depth, depth + away);
                given = push * out;
                if (depth > 0) sums[3] += 0.5 * shape[ShapeRow::STIFFNESS] * depth * depth;
                if (shape[ShapeRow::FRICTION] > 0 && push > 0) {
                    const Vector before = particle(held, size, at), sliding = relative - away * out;
                    const Vector sticking = before - dot(before, out) * out - (STICK / light) * sliding;
                    const double needed = sqrt(dot(sticking, sticking));
                    const double most = shape[ShapeRow::FRICTION] * push;
                    rubbed = (needed > most ? most / needed : 1.0) * sticking;
                    given = {given.x + rubbed.x, given.y + rubbed.y, given.z + rubbed.z};
                }
                sums[0] += given.x;
                sums[1] += given.y;
                sums[2] += given.z;
            }
            const double each[3] = {light * given.x, light * given.y, light * given.z}, taken[3] = {rubbed.x, rubbed.y, rubbed.z};
#pragma unroll
            for (int k = 0; k < DIMENSIONS; ++k) {
                if (rubbing) {
                    sums[4] -= 0.5 * (double)v[k * size + at] * ((double)held[k * size + at] + taken[k]);
                    sums[5 + k] += taken[k];
                    held[k * size + at] = (REAL)taken[k];
                }
                if (touching) pushes[k * size + at] += (REAL)each[k];
            }
        }
#pragma unroll
        for (int k = 0; k < SUMS; ++k) {
            for (int lanes = 16; lanes; lanes /= 2) sums[k] += __shfl_xor_sync(~0u, sums[k], lanes);
            if (t % 32 == 0) shared[k][t / 32] = sums[k];
        }
        __syncthreads();
        if (t < SUMS) {
            double total = 0;
            for (int w = 0; w < THREADS / 32; ++w) total += shared[t][w];
            partial[((long long)b * gridDim.x + blockIdx.x) * SUMS + t] = total;
        }
        __syncthreads();
    }
    __threadfence();
    if (t == 0) last = blocks == 1 || atomicAdd(ticket, 1) == blocks - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (t == 0) ticket[0] = 0;
    for (int b = t; b < bodies; b += THREADS) {
        double sums[SUMS] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (int block = 0; block < blocks; ++block)
#pragma unroll
            for (int k = 0; k < SUMS; ++k) sums[k] += __ldcg(partial + ((long long)b * gridDim.x + block) * SUMS + k);
        go_on(shapes + b * SHAPE, states + b * STATE, motion + 9 * b, sums);
    }
}
