"""The emulator itself: what CUDA promises holds, and what a device would not forgive is found."""

import numpy as np
import pytest

from tests.cuda_on_host.backend import guarded
from tests.cuda_on_host.loader import COMPILER, CudaOnHostError, compile_for_host

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")


def test_every_thread_of_every_block_runs_with_its_own_indices():
    module = compile_for_host("""
extern "C" __global__ void number(int* out) {
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int place = block * blockDim.x * blockDim.y * blockDim.z + thread;
    out[place] += place;
}""")
    out = np.zeros(3 * 2 * 2 * 5 * 4 * 2, np.int32)
    module.get_function("number")((3, 2, 2), (5, 4, 2), (out,))
    np.testing.assert_array_equal(out, np.arange(out.size))


REVERSE = """
extern "C" __global__ void __launch_bounds__(64) reversed(const float* in, float* out) {
    __shared__ float fixed[64];
    extern __shared__ float dynamic[];
    fixed[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    BARRIER
    dynamic[63 - threadIdx.x] = fixed[63 - threadIdx.x];
    BARRIER
    out[blockIdx.x * 64 + threadIdx.x] = dynamic[63 - threadIdx.x] + 0.0f * fixed[(threadIdx.x + 32) % 64];
}"""


def test_shared_memory_and_barriers():
    rng = np.random.default_rng(1)
    values, out = rng.random(256, np.float32), np.zeros(256, np.float32)
    kernel = compile_for_host(REVERSE.replace("BARRIER", "__syncthreads();")).get_function("reversed")
    kernel((4,), (64,), (values, out), shared_mem=256)
    np.testing.assert_array_equal(out.reshape(4, 64), values.reshape(4, 64)[:, ::-1])


def test_a_forgotten_barrier_shows():
    """Shared memory starts as NaN, and threads run in both orders, so a value that is read too early is seen."""
    values, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    kernel = compile_for_host(REVERSE.replace("BARRIER", "")).get_function("reversed")
    kernel((4,), (64,), (values, out), shared_mem=256)
    assert np.isnan(out.reshape(4, 64)).any(axis=1).all()


@pytest.mark.parametrize("real", ["float", "double", "int"])
def test_shuffles(real):
    module = compile_for_host(
        """
extern "C" __global__ void shuffle(REAL* out) {
    const REAL own = REAL(100 * (threadIdx.x / 32) + threadIdx.x % 32);
    REAL* row = out + threadIdx.x * 6;
    row[0] = __shfl_up_sync(0xffffffffu, own, 1);
    row[1] = __shfl_down_sync(~0u, own, 3);
    row[2] = __shfl_xor_sync(~0u, own, 5);
    row[3] = __shfl_sync(~0u, own, 35);
    row[4] = __shfl_up_sync(~0u, own, 2, 8);
    if (threadIdx.x % 32 < 4) row[5] = __shfl_down_sync(0xfu, own, 1, 4);
    __syncwarp();
}""",
        (f"-DREAL={real}",),
    )
    out = np.zeros((64, 6), {"float": np.float32, "double": np.float64, "int": np.int32}[real])
    module.get_function("shuffle")((1,), (64,), (out,))
    lane = np.arange(64) % 32
    base = 100 * (np.arange(64) // 32)
    up8 = np.where(lane % 8 >= 2, lane - 2, lane)
    expected = [np.maximum(lane - 1, 0), np.where(lane + 3 < 32, lane + 3, lane), lane ^ 5, 0 * lane + 3, up8]
    np.testing.assert_array_equal(out[:, :5], np.stack(expected, 1) + base[:, None])
    np.testing.assert_array_equal(out[:4, 5], [1, 2, 3, 3])


def test_votes_and_vector_loads():
    module = compile_for_host("""
extern "C" __global__ void votes(const float4* in, double2* out, unsigned* votes) {
    const float4 four = __ldg(in + threadIdx.x);
    __stcs(out + threadIdx.x, make_double2(four.x + four.y, __fmaf_rn(four.z, four.w, min(1.0f, 2.0f))));
    votes[threadIdx.x] = __ballot_sync(~0u, threadIdx.x & 1) + __any_sync(~0u, 0) + __all_sync(~0u, 1);
}""")
    values, out, votes = np.arange(128, dtype=np.float32), np.zeros((32, 2)), np.zeros(32, np.uint32)
    module.get_function("votes")((1,), (32,), (values, out, votes))
    four = values.reshape(32, 4)
    np.testing.assert_array_equal(out, np.stack([four[:, 0] + four[:, 1], four[:, 2] * four[:, 3] + 1], 1))
    np.testing.assert_array_equal(votes, 0xAAAAAAAA + 1)


def test_a_part_of_a_warp_may_vote_by_itself_before_all_of_it_meet_again():
    """As where rows of a tile are half a warp long, and the second one has no particles: with a mask of their own that
    leaves out who waits for them."""
    module = compile_for_host("""
extern "C" __global__ void parts(int* out) {
    for (int part = 0; part < 3; ++part) {
        const bool mine = threadIdx.x < 16 + 8 * (part & 1);
        const unsigned lanes = __ballot_sync(~0u, mine);
        if (mine) out[threadIdx.x] += __any_sync(lanes, threadIdx.x == 17) ? 10 : __popc(lanes);
    }
    out[threadIdx.x] += __shfl_xor_sync(~0u, 100, 1);
}""")
    out = np.zeros(32, np.int32)
    module.get_function("parts")((1,), (32,), (out,))
    np.testing.assert_array_equal(out, 100 + np.repeat([16 + 10 + 16, 10, 0], [16, 8, 8]))


@pytest.mark.parametrize(
    ("body", "threads", "reason"),
    [
        ("if (threadIdx.x < 9) __any_sync(~0u >> 1, 1); else __any_sync(~0u, 1);", 32, "different"),
        ("if (threadIdx.x < 40) __syncthreads();", 64, "diverges near line 1: 40 threads wait at a barrier"),
        ("if (threadIdx.x == 3) return; out[0] = __shfl_up_sync(~0u, out[0], 1);", 32, "31 in a shuffle, 1 have ended"),
        ("if (threadIdx.x < 9) __shfl_up_sync(~0u, 1, 1); else __shfl_down_sync(~0u, 1, 1);", 32, "different"),
        ("__shfl_sync(0xffu << (threadIdx.x & 24), 1, 0);", 32, "reads lane 0, which is not in the mask"),
        ("__syncwarp();", 16, "lanes that the block does not have"),
        ("out[threadIdx.x + 8] = 1;", 32, "access outside of memory"),
        ("*(float4*)(out + threadIdx.x) = make_float4(0, 0, 0, 0);", 2, "misaligned"),
        ("__shared__ float s[8]; s[threadIdx.x] = 1;", 32, "outside of an array"),
    ],
)  # fmt: skip
def test_what_a_device_would_not_forgive(body, threads, reason):
    kernel = compile_for_host(f'extern "C" __global__ void bad(float* out) {{ {body} }}').get_function("bad")
    with pytest.raises(CudaOnHostError, match=reason):
        kernel((1,), (threads,), (guarded(32, np.float32),))
    # and the next launch is as good as the first
    good = compile_for_host('extern "C" __global__ void good(float* out) { out[threadIdx.x] = 2; }')
    out = guarded(32, np.float32)
    good.get_function("good")((1,), (32,), (out,))
    assert (out == 2).all()


def test_arguments_are_checked():
    kernel = compile_for_host('extern "C" __global__ void one(float* out, float value) { *out = value; }')
    out = np.zeros(1, np.float32)
    with pytest.raises(CudaOnHostError, match="argument 2 has 8 bytes; the kernel takes 4"):
        kernel.get_function("one")((1,), (1,), (out, np.float64(1)))
    with pytest.raises(CudaOnHostError, match="takes 2 arguments, not 1"):
        kernel.get_function("one")((1,), (1,), (out,))
    with pytest.raises(CudaOnHostError, match="NumPy scalars"):
        kernel.get_function("one")((1,), (1,), (out, 1.0))
    with pytest.raises(CudaOnHostError, match="not asked for"):
        kernel.get_function("one")((1,), (1,), (out, np.float32(1)), shared_mem=100_000)


def test_products_and_sums_are_not_contracted():
    """(1 + e)² − 1 − 2e is e² with one rounding and 0 with two; the file's own operators round twice."""
    module = compile_for_host("""
extern "C" __global__ void twice_rounded(float a, float b, float* out) {
    out[0] = a * a - b;
    out[1] = __fmaf_rn(a, a, -b);
}""")
    out = np.zeros(2, np.float32)
    e = np.float32(2.0**-13)
    module.get_function("twice_rounded")((1,), (1,), (1 + e, 1 + 2 * e, out))
    assert out[0] == 0
    assert out[1] == e * e
