// Bloch faces: the plane `to` of a complex field (re, im) becomes the plane `from` times cosine + i sine, in two components.
//
// A thread for each of the places (u, v) of the plane and of three components, of which `skip` is left as it is; strides
// of a plane's number and of u and v within a component of `volume` values (engines/fdtd/step/bloch/cuda.py).
//
// variants: -DREAL=float; -DREAL=double

extern "C" __global__ void wrap(
    REAL* __restrict__ re, REAL* __restrict__ im, const long long volume, const long long stride,
    const long long stride_u, const long long stride_v, const int count_u, const int count_v, const int skip,
    const int from, const int to, const double cosine, const double sine)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x, plane = count_u * count_v;
    if (n >= 3 * plane || n / plane == skip) return;
    const int place = n % plane;
    const long long at = n / plane * volume + place / count_v * stride_u + place % count_v * stride_v;
    const REAL a = re[at + from * stride], b = im[at + from * stride];
    re[at + to * stride] = REAL(cosine) * a - REAL(sine) * b;
    im[at + to * stride] = REAL(cosine) * b + REAL(sine) * a;
}
