// Philox-4x32-10 (Salmon, Moraes, Dror and Shaw 2011): four random words of a counter of four and a key of two.
#pragma once

struct Words {
    unsigned x, y, z, w;
};

__device__ __forceinline__ Words philox(Words c, unsigned key_low, unsigned key_high) {
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
        c = Words{(unsigned)(b >> 32) ^ c.y ^ key_low, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ key_high, (unsigned)a};
        key_low += 0x9E3779B9u;
        key_high += 0xBB67AE85u;
    }
    return c;
}
