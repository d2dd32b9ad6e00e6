// Weights as they are stored, WEIGHTS bits each: float32, float16 (its bits) or int8; a pack of PACK fills 16 bytes.
// The scale of int8 belongs to the stored row and is no part of what is decoded here.

#if WEIGHTS == 32
#define PACK 4
typedef float Weight;
#elif WEIGHTS == 16
#define PACK 8
typedef unsigned short Weight;
#else
#define PACK 16
typedef signed char Weight;
#endif

__device__ __forceinline__ float power_of_two(int exponent) {
    const int bits = (exponent + 127) << 23;
    return *reinterpret_cast<const float*>(&bits);
}

__device__ __forceinline__ float decoded(float weight) { return weight; }
__device__ __forceinline__ float decoded(signed char weight) { return (float)weight; }

// As an instruction: cuda_fp16.h comes with a toolkit, which need not be there. The other branch is for the host, where
// the tests run; a device would flush the denormal in it to zero.
__device__ __forceinline__ float decoded(unsigned short half) {
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    const int bits = (half & 0x7fff) << 13;
    const float size = *reinterpret_cast<const float*>(&bits) * power_of_two(112);
    return half & 0x8000 ? -size : size;
#endif
}

__device__ __forceinline__ void unpack(uint4 raw, float* weights) {
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#if WEIGHTS == 32
        weights[i] = *reinterpret_cast<const float*>(words + i);
#elif WEIGHTS == 16
        weights[2 * i] = decoded((unsigned short)words[i]);
        weights[2 * i + 1] = decoded((unsigned short)(words[i] >> 16));
#else
#pragma unroll
        for (int k = 0; k < 4; ++k) weights[4 * i + k] = decoded((signed char)(words[i] >> 8 * k));
#endif
    }
}
