// Absorbers of one axis: a field times the factors at its nodes 0 … low and n − high … n (or the halves there).
//
// field: (3, planes, rows, row). A thread takes one place of the two layers; blocks: (places / 256, 3 components).
//
// variants: -DREAL=float; -DREAL=double

extern "C" __global__ void __launch_bounds__(256)
fade(REAL* __restrict__ field, const REAL* __restrict__ nodes, const REAL* __restrict__ halves, const int along,
    const int n, const int low, const int high, const int planes, const int rows, const int row, const int magnetic)
{
    const int layers = low + high + 2, component = blockIdx.y;
    const size_t at = size_t(blockIdx.x) * 256 + threadIdx.x;
    size_t k, j, i, slot;
    if (along == 0) {
        slot = at % layers;
        j = at / layers % rows;
        k = at / layers / rows;
    } else {
        i = at % row;
        slot = at / row % layers;
        j = k = at / row / layers;
    }
    const size_t index = slot <= low ? slot : n - high + slot - low - 1;
    if (along == 0) i = index;
    else if (along == 1) j = index;
    else k = index;
    if (k >= planes || j >= rows) return;
    const REAL* const factors = (component == along) != (magnetic != 0) ? halves : nodes;
    field[((component * size_t(planes) + k) * rows + j) * row + i] *= factors[index];
}
