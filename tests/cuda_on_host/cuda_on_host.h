// CUDA on the host: each thread of a block is a fiber, so that barriers, shuffles and shared memory mean what they do
// on a device. Blocks run one after the other, and in a block one warp after the other as far as it gets without the rest;
// the order is reversed in every second block, so that a forgotten barrier shows. Included before the text of a .cu file by loader.py; Linux, GCC or Clang.
//
// Stricter than a device: a thread that has ended counts as missing at a barrier and in the mask of a shuffle.
// Shared memory is filled with 0xFF (NaN) before each block. An access that is not mapped, or not aligned as its type
// asks (the file is compiled with -fsanitize=alignment,bounds), ends the launch with a message.
#pragma once
#include <algorithm>
#include <climits>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <tuple>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __align__(bytes) alignas(bytes)
#define __noinline__
#define __launch_bounds__(...)
// A section of its own, so that all of it can be poisoned.
#define __shared__ static __attribute__((section("cuda_shared")))

struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
#define CUDA_PAIR(name, type) struct alignas(2 * sizeof(type)) name { type x, y; }; \
    inline name make_##name(type x, type y) { return {x, y}; }
#define CUDA_QUAD(name, type) struct alignas(sizeof(type) < 4 ? 4 * sizeof(type) : 16) name { type x, y, z, w; }; \
    inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }
CUDA_PAIR(float2, float) CUDA_PAIR(double2, double) CUDA_PAIR(int2, int) CUDA_PAIR(uint2, unsigned)
CUDA_QUAD(float4, float) CUDA_QUAD(double4, double) CUDA_QUAD(int4, int) CUDA_QUAD(uint4, unsigned) CUDA_QUAD(ushort4, unsigned short)

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
static const int warpSize = 32;

namespace host {

enum State { READY, AT_BARRIER, AT_WARP, ENDED };
enum Exchange { SYNC, UP, DOWN, XOR, INDEX, BALLOT };

// As __builtin_setjmp fills it, which needs no system call and a tenth of the time of setjmp.
using Place = void* [5];

// Small, since all of a block's are read at each barrier.
struct Fiber {
    Place here;
    bool started;
    State state;
    uint3 index;
    // what it brings to its warp
    Exchange exchange;
    unsigned mask;
    int operand, width, line;
    uint64_t value, received;
};

// The lanes that wait for others of their warp; what all of them wait for, if it is the same.
struct Warp {
    unsigned waiting, mask;
    Exchange exchange;
    bool same;
};

constexpr size_t STACK = 256 * 1024;
inline std::vector<Fiber> fibers;
inline std::vector<Warp> warps;
inline char* stacks = nullptr;
inline size_t stack_count = 0;
inline Fiber* current = nullptr;
inline Place scheduler;
inline sigjmp_buf escape;
inline char message[512];
inline void (*body)(void*) = nullptr;
inline void* body_arguments = nullptr;
inline char* dynamic_shared = nullptr;

[[noreturn]] inline void fail(const char* text) {
    if (text != message) std::snprintf(message, sizeof message, "%s", text);
    siglongjmp(escape, 1);
}

// A function of its own: __builtin_longjmp may not be where its __builtin_setjmp is.
[[noreturn]] __attribute__((noinline)) inline void jump(Place& place) { __builtin_longjmp(place, 1); }

// Back to the scheduler until this thread is READY again.
__attribute__((noinline)) inline void wait(State state) {
    current->state = state;
    if (!__builtin_setjmp(current->here)) jump(scheduler);
}

// A fiber is used for one block after the other.
inline void enter() {
    for (;;) {
        body(body_arguments);
        wait(ENDED);
    }
}

[[noreturn]] __attribute__((noinline)) inline void start(Fiber& fiber) {
    const size_t place = &fiber - fibers.data();
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + place * STACK;
    // Not all at the same distance from a power of two, where a cache has few places.
    context.uc_stack.ss_size = STACK - place % 61 * 64;
    context.uc_link = nullptr;
    makecontext(&context, enter, 0);
    fiber.started = true;
    setcontext(&context);
    std::abort();
}

__attribute__((noinline)) inline void resume(Fiber& fiber) {
    current = &fiber;
    threadIdx = fiber.index;
    if (__builtin_setjmp(scheduler)) return;
    if (fiber.started) jump(fiber.here);
    start(fiber);
}

// The lanes in the caller's mask are all here: give each what it asked for.
inline void trade(Fiber* warp, unsigned mask) {
    unsigned votes = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1 && warp[lane].exchange == BALLOT && warp[lane].value) votes |= 1u << lane;
    for (int lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        Fiber& fiber = warp[lane];
        const int first = lane & -fiber.width, end = first + fiber.width;
        int source = lane;
        switch (fiber.exchange) {
        case UP: source = lane - fiber.operand < first ? lane : lane - fiber.operand; break;
        case DOWN: source = lane + fiber.operand >= end ? lane : lane + fiber.operand; break;
        case XOR: source = (lane ^ fiber.operand) >= end ? lane : lane ^ fiber.operand; break;
        case INDEX: source = first + (fiber.operand & (fiber.width - 1)); break;
        case BALLOT: case SYNC: break;
        }
        if (!(mask >> source & 1)) {
            std::snprintf(message, sizeof message, "line %d: lane %d reads lane %d, which is not in the mask %08x",
                          fiber.line, lane, source, mask);
            fail(message);
        }
        fiber.received = fiber.exchange == BALLOT ? votes : warp[source].value;
        fiber.state = READY;
    }
}

// The lanes of the caller's mask that wait for what it waits for. Fails if one of them waits for the caller elsewhere:
// neither would go on. One that waits for others alone comes later, as where a part of a warp takes a way of its own.
inline unsigned in_same(const Fiber* warp, unsigned waiting, const Fiber& self) {
    unsigned found = 0;
    for (int lane = 0; lane < 32; ++lane) {
        const Fiber& other = warp[lane];
        if (!((self.mask & waiting) >> lane & 1)) continue;
        if (other.mask == self.mask && other.exchange == self.exchange) {
            found |= 1u << lane;
            continue;
        }
        if (!(other.mask >> (&self - warp) & 1)) continue;
        std::snprintf(message, sizeof message, "lanes %d (line %d) and %d (line %d) of a warp meet in different "
                      "operations or with different masks", int(&self - warp), self.line, lane, other.line);
        fail(message);
    }
    return found;
}

inline uint64_t meet(Exchange exchange, unsigned mask, uint64_t value, int operand, int width, int line) {
    const size_t place = current - fibers.data();
    Fiber* fiber = fibers.data() + place / 32 * 32;
    Warp& warp = warps[place / 32];
    const size_t lanes = std::min<size_t>(32, fibers.data() + fibers.size() - fiber);
    const unsigned bit = 1u << place % 32;
    Fiber& self = *current;
    self.exchange = exchange, self.mask = mask, self.value = value;
    self.operand = operand, self.width = width, self.line = line;
    if (!(mask & bit)) {
        std::snprintf(message, sizeof message, "line %d: lane %d is not in its own mask %08x", line, int(place % 32), mask);
        fail(message);
    }
    if (lanes < 32 && mask >> lanes) {
        std::snprintf(message, sizeof message, "line %d: the mask %08x names lanes that the block does not have", line, mask);
        fail(message);
    }
    if (!warp.waiting) warp.mask = mask, warp.exchange = exchange, warp.same = true;
    warp.same = warp.same && warp.mask == mask && warp.exchange == exchange;
    const unsigned here = bit | (warp.same ? warp.waiting : in_same(fiber, warp.waiting, self));
    warp.waiting |= bit;
    if ((here & mask) == mask) {
        warp.waiting &= ~mask;
        trade(fiber, mask);
    } else {
        wait(AT_WARP);
    }
    return self.received;
}

inline void stuck() {
    int barrier = 0, warp = 0, ended = 0, line = 0;
    for (Fiber& fiber : fibers) {
        barrier += fiber.state == AT_BARRIER, warp += fiber.state == AT_WARP, ended += fiber.state == ENDED;
        if (fiber.state == AT_WARP || fiber.state == AT_BARRIER) line = fiber.line;
    }
    std::snprintf(message, sizeof message, "block (%u, %u, %u) diverges near line %d: %d threads wait at a barrier, %d in a "
                  "shuffle, %d have ended", blockIdx.x, blockIdx.y, blockIdx.z, line, barrier, warp, ended);
    fail(message);
}

inline void run_block(bool backwards) {
    const size_t n = fibers.size();
    for (Fiber& fiber : fibers) fiber.state = READY;
    for (;;) {
        bool ran = false;
        size_t ended = 0, waiting = 0;
        // Each warp as far as it gets before the next one begins: the more they are apart, the more a barrier matters.
        for (size_t w = 0; w < warps.size(); ++w) {
            const size_t first = (backwards ? warps.size() - 1 - w : w) * 32, lanes = std::min<size_t>(32, n - first);
            for (bool moved = true; moved; ran |= moved) {
                moved = false;
                for (size_t k = 0; k < lanes; ++k) {
                    Fiber& fiber = fibers[first + (backwards ? lanes - 1 - k : k)];
                    if (fiber.state == READY) resume(fiber), moved = true;
                }
            }
        }
        for (Fiber& fiber : fibers) ended += fiber.state == ENDED, waiting += fiber.state == AT_BARRIER;
        if (ended == n) return;
        if (waiting == n)
            for (Fiber& fiber : fibers) fiber.state = READY;
        else if (!ran)
            stuck();
    }
}

inline void on_signal(int number, siginfo_t* info, void*) {
    if (number == SIGSEGV || number == SIGBUS)
        std::snprintf(message, sizeof message, "block (%u, %u, %u), thread (%u, %u, %u): access outside of memory, at %p",
                      blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, info->si_addr);
    else
        std::snprintf(message, sizeof message, "block (%u, %u, %u), thread (%u, %u, %u): misaligned access, or an index "
                      "outside of an array", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    siglongjmp(escape, 1);
}

constexpr int SIGNALS[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};

}  // namespace host

extern "C" char __start_cuda_shared[] __attribute__((weak)), __stop_cuda_shared[] __attribute__((weak));

namespace host {

// Runs body(arguments) as a grid; returns nullptr or what went wrong. sizes: gridDim then blockDim.
inline const char* run(void (*kernel)(void*), void* arguments, const unsigned* sizes, size_t shared_bytes) {
    struct sigaction action = {}, before[5];
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (int i = 0; i < 5; ++i) sigaction(SIGNALS[i], &action, &before[i]);
    gridDim = {sizes[0], sizes[1], sizes[2]};
    blockDim = {sizes[3], sizes[4], sizes[5]};
    const size_t threads = size_t(blockDim.x) * blockDim.y * blockDim.z;
    if (threads > stack_count) {
        if (stacks) munmap(stacks, stack_count * STACK);
        fibers.clear();
        stacks = (char*)mmap(nullptr, threads * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stack_count = threads;
    }
    fibers.resize(threads);
    for (size_t i = 0; i < threads; ++i)
        fibers[i].index = {unsigned(i % blockDim.x), unsigned(i / blockDim.x % blockDim.y), unsigned(i / blockDim.x / blockDim.y)};
    warps.assign((threads + 31) / 32, Warp{});
    std::vector<char> shared(shared_bytes + 16);
    dynamic_shared = shared.data() + (16 - reinterpret_cast<uintptr_t>(shared.data()) % 16) % 16;
    body = kernel, body_arguments = arguments;
    const char* failed = nullptr;
    if (sigsetjmp(escape, 1)) {
        failed = message;
        fibers.clear(); // they stand where it failed
    } else {
        for (unsigned z = 0; z < gridDim.z; ++z)
            for (unsigned y = 0; y < gridDim.y; ++y)
                for (unsigned x = 0; x < gridDim.x; ++x) {
                    blockIdx = {x, y, z};
                    std::memset(dynamic_shared, 0xFF, shared_bytes);
                    if (__start_cuda_shared) std::memset(__start_cuda_shared, 0xFF, __stop_cuda_shared - __start_cuda_shared);
                    run_block((x + y + z) & 1);
                }
    }
    for (int i = 0; i < 5; ++i) sigaction(SIGNALS[i], &before[i], nullptr);
    return failed;
}

// Arguments as cuLaunchKernel takes them: an array of pointers to the values, here with their sizes.
template <auto kernel, typename... Types, size_t... I>
const char* launch(void (*)(Types...), std::index_sequence<I...>, const unsigned* sizes, size_t shared_bytes, void** values,
                   const size_t* bytes, size_t count) {
    if (count != sizeof...(Types)) {
        std::snprintf(message, sizeof message, "the kernel takes %zu arguments, not %zu", sizeof...(Types), count);
        return message;
    }
    const size_t wanted[] = {sizeof(Types)..., 0};
    for (size_t i = 0; i < count; ++i)
        if (bytes[i] != wanted[i]) {
            std::snprintf(message, sizeof message, "argument %zu has %zu bytes; the kernel takes %zu", i + 1, bytes[i], wanted[i]);
            return message;
        }
    return run([](void* given) { kernel(*static_cast<std::remove_const_t<Types>*>(static_cast<void**>(given)[I])...); },
               values, sizes, shared_bytes);
}

template <typename T> uint64_t bits(T value) {
    static_assert(sizeof(T) <= 8);
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
}
template <typename T> T value_of(uint64_t word) {
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

}  // namespace host

#define HOST_LAUNCHER(kernel)                                                                                        \
    extern "C" const char* launch_##kernel(const unsigned* sizes, size_t shared, void** values, const size_t* bytes, \
                                           size_t count) {                                                           \
        return host::expand<&kernel>(&kernel, sizes, shared, values, bytes, count);                                  \
    }

namespace host {
template <auto kernel, typename... Types>
const char* expand(void (*pointer)(Types...), const unsigned* sizes, size_t shared, void** values, const size_t* bytes,
                   size_t count) {
    return launch<kernel>(pointer, std::index_sequence_for<Types...>{}, sizes, shared, values, bytes, count);
}
}  // namespace host

#define AT int line = __builtin_LINE()
inline void __syncthreads(AT) {
    host::current->line = line;
    host::wait(host::AT_BARRIER);
}
inline void __syncwarp(unsigned mask = ~0u, AT) { host::meet(host::SYNC, mask, 0, 0, 32, line); }
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, AT) {
    return host::value_of<T>(host::meet(host::UP, mask, host::bits(value), int(delta), width, line));
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, AT) {
    return host::value_of<T>(host::meet(host::DOWN, mask, host::bits(value), int(delta), width, line));
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, AT) {
    return host::value_of<T>(host::meet(host::XOR, mask, host::bits(value), lanes, width, line));
}
template <typename T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32, AT) {
    return host::value_of<T>(host::meet(host::INDEX, mask, host::bits(value), lane, width, line));
}
inline unsigned __ballot_sync(unsigned mask, int predicate, AT) {
    return unsigned(host::meet(host::BALLOT, mask, predicate != 0, 0, 32, line));
}
inline int __any_sync(unsigned mask, int predicate, AT) {
    return host::meet(host::BALLOT, mask, predicate != 0, 0, 32, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, AT) {
    return unsigned(host::meet(host::BALLOT, mask, predicate != 0, 0, 32, line)) == mask;
}
#undef AT

template <typename T> T __ldg(const T* place) { return *place; }
template <typename T> T __ldcs(const T* place) { return *place; }
template <typename T> T __ldcg(const T* place) { return *place; }
template <typename T> T __ldca(const T* place) { return *place; }
template <typename T> void __stcs(T* place, T value) { *place = value; }
template <typename T> void __stcg(T* place, T value) { *place = value; }
template <typename T> void __stwb(T* place, T value) { *place = value; }

inline void __threadfence() {}

template <typename T> T atomicAdd(T* place, T value) { T before = *place; *place = before + value; return before; }
template <typename T> T atomicMax(T* place, T value) { T before = *place; *place = std::max(before, value); return before; }
template <typename T> T atomicMin(T* place, T value) { T before = *place; *place = std::min(before, value); return before; }
template <typename T> T atomicExch(T* place, T value) { T before = *place; *place = value; return before; }
template <typename T> T atomicCAS(T* place, T expected, T value) {
    T before = *place;
    if (before == expected) *place = value;
    return before;
}

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __uint_as_float(unsigned word) { float value; std::memcpy(&value, &word, 4); return value; }
inline float rsqrtf(float a) { return 1.0f / std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return std::exp(a); }
inline float __logf(float a) { return std::log(a); }
inline int __float_as_int(float a) { int word; std::memcpy(&word, &a, 4); return word; }
inline float __int_as_float(int word) { float a; std::memcpy(&a, &word, 4); return a; }
inline int __double2hiint(double a) { long long word; std::memcpy(&word, &a, 8); return int(word >> 32); }
inline int __double2loint(double a) { long long word; std::memcpy(&word, &a, 8); return int(word); }
inline double __hiloint2double(int high, int low) {
    const unsigned long long word = (unsigned long long)unsigned(high) << 32 | unsigned(low);
    double value;
    std::memcpy(&value, &word, 8);
    return value;
}
inline int __ffs(int word) { return __builtin_ffs(word); }
inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __clz(int word) { return word ? __builtin_clz(unsigned(word)) : 32; }
using std::exp; using std::fabs; using std::fma; using std::isfinite; using std::isnan; using std::log; using std::sqrt;

template <typename A, typename B> constexpr std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    return T(b) < T(a) ? T(b) : T(a);
}
template <typename A, typename B> constexpr std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    return T(a) < T(b) ? T(b) : T(a);
}
