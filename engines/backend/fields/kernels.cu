// What every engine needs of a GPU whatever its physics: gathering what a viewer wants, and looking for NaN.
//
// gather:            out[i, c] = values[elements[i], c]; 4 + sizeof(VALUE) bytes read, 4 written per result
// gather_means:      mean over values[elements[offsets[i] : offsets[i+1]], c], summed in double
// first_beyond:      lowest index of a NaN, or of what is not below a limit in size; sizeof(VALUE) bytes read per element
//
// Layout: element e, component c at values[e * stride + c * component_stride]; out (m, components) float32.
//
// variants: -DVALUE=float; -DVALUE=double; -DVALUE=int

__device__ __forceinline__ bool is_below(float value, float limit) { return fabsf(value) < limit; }
__device__ __forceinline__ bool is_below(double value, double limit) { return fabs(value) < limit; }
__device__ __forceinline__ bool is_below(int, int) { return true; }

extern "C" __global__ void gather(const VALUE* __restrict__ values, long long stride, long long component_stride,
                                  int components, const int* __restrict__ elements, int m, float* __restrict__ out) {
    const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= (long long)m * components) return;
    const long long i = t / components, component = t % components;
    out[t] = (float)values[elements[i] * stride + component * component_stride];
}

extern "C" __global__ void gather_means(const VALUE* __restrict__ values, long long stride, long long component_stride,
                                        int components, const int* __restrict__ elements,
                                        const int* __restrict__ offsets, int m, int has_missing, double missing,
                                        float* __restrict__ out) {
    const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= (long long)m * components) return;
    const long long i = t / components, component = t % components;
    const int begin = offsets[i], end = offsets[i + 1];
    double total = 0.0;
    int count = 0;
    for (int j = begin; j < end; ++j) {
        const double value = (double)values[elements[j] * stride + component * component_stride];
        const bool absent = has_missing && (value == missing || (isnan(value) && isnan(missing)));
        if (!absent) {
            total += value;
            ++count;
        }
    }
    if (count > 0) {
        out[t] = (float)(total / count);
    } else {
        out[t] = has_missing && end > begin ? (float)missing : __int_as_float(0x7fc00000);  // quiet NaN
    }
}

// *found starts at the largest value. A thread meets its elements in ascending order, so it may leave at its first hit.
extern "C" __global__ void first_beyond(const VALUE* __restrict__ values, long long n, VALUE limit,
                                        unsigned long long* found) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        if (!is_below(values[i], limit)) {
            atomicMin(found, (unsigned long long)i);
            return;
        }
    }
}
