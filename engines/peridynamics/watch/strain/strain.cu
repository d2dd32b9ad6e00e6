// Strain and stress of particles, from the bonds that hold: runs when somebody looks, so nothing is unrolled.
//
//   H = (Σ w η ξᵀ)(Σ w ξ ξᵀ)⁻¹,  E = ½ (H + Hᵀ + HᵀH),  S = λ tr E + 2μ E
//
// the deformation gradient of Silling et al. (2007) less 1, from η = u_j − u_i so that nothing is lost, Green and Lagrange's
// strain, which turning leaves alone, and the stress that goes with it. All sums in double.
//
// out: (XX or ROWS, size) as Found has them, ROWS if it is wide, the dilatation θ = d/m_i Σ w |ξ| e with dilation: (size)
// d/m_i, else out may end before its row. NaN where too few bonds hold to tell: fewer than FEWEST of those before any cut,
// whole: (size), or det K below LEAST of that of the same trace in all directions. constants: (materials, Elasticity) λ, μ and
// the stress across a plate over tr E; material: (size) or null, if there is one.
//
// variants: -DREAL=float; -DREAL=double
// stack: strain_lattice 40
// stack: strain_points 40
#include "peridynamics/cloud/rows.cuh"
#include "peridynamics/watch/strain/rows.cuh"

#define DEVICE static __device__ __forceinline__

constexpr unsigned NUMBER = (1u << CLASS_FROM) - 1;  // the bits of a neighbour's number

// Sums over the bonds of a particle. In a plate z is 0 until it is ``closed``.
struct Fit {
    double xx, yy, zz, yz, xz, xy;  // Σ w ξ ξᵀ
    double m[9];                    // Σ w η ξᵀ
    double all, held, extension;
    int count;

    __device__ __forceinline__ void add(const double whole, const double left, const double a, const double b,
                                        const double c, const double x, const double y, const double z)
    {
        const double w = whole * left;
        xx += w * a * a;
        yy += w * b * b;
        zz += w * c * c;
        yz += w * b * c;
        xz += w * a * c;
        xy += w * a * b;
        m[0] += w * x * a;
        m[1] += w * x * b;
        m[2] += w * x * c;
        m[3] += w * y * a;
        m[4] += w * y * b;
        m[5] += w * y * c;
        m[6] += w * z * a;
        m[7] += w * z * b;
        m[8] += w * z * c;
        all += whole;
        held += w;
        ++count;
        const double square = a * a + b * b + c * c;
        const double q = x * (2 * a + x) + y * (2 * b + y) + z * (2 * c + z);
        extension += w * q / (1.0 + sqrt(1.0 + q / square));  // |ξ| e
    }
};

DEVICE double largest_eigenvalue(const double xx, const double yy, const double zz, const double yz, const double xz,
                                 const double xy, const int dimensions)
{
    if (dimensions == 2) {
        const double half = 0.5 * (xx - yy);
        return 0.5 * (xx + yy) + sqrt(half * half + xy * xy);
    }
    const double mean = (xx + yy + zz) / 3, a = xx - mean, b = yy - mean, c = zz - mean;
    const double p = sqrt((a * a + b * b + c * c + 2 * (yz * yz + xz * xz + xy * xy)) / 6);
    if (p == 0) return mean;
    const double r = (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / (2 * p * p * p);
    // the library's cosine has room for large angles, of which there are none here
    return mean + 2 * p * cos(acos(fmin(fmax(r, -1.0), 1.0)) / 3);
}

DEVICE void tell(Fit& fit, const int dimensions, const double* constants, const double dilation, const REAL whole,
                 REAL* out, const bool wide, const long long size, const long long at)
{
    if (dimensions == 2) fit.zz = 0.5 * (fit.xx + fit.yy);
    const double third = (fit.xx + fit.yy + fit.zz) / 3;
    const double ixx = fit.yy * fit.zz - fit.yz * fit.yz, ixy = fit.xz * fit.yz - fit.xy * fit.zz;
    const double ixz = fit.xy * fit.yz - fit.xz * fit.yy, iyy = fit.xx * fit.zz - fit.xz * fit.xz;
    const double iyz = fit.xy * fit.xz - fit.xx * fit.yz, izz = fit.xx * fit.yy - fit.xy * fit.xy;
    const double det = fit.xx * ixx + fit.xy * ixy + fit.xz * ixz;
    if (dilation != 0) out[Found::DILATATION * size + at] = REAL(dilation * fit.extension);
    if (fit.count <= dimensions || fit.count < FEWEST * whole || !(det > LEAST * third * third * third)) {
        for (int row = 0; row < (wide ? ROWS : int(Found::DILATATION)); ++row)
            if (row != Found::DILATATION) out[row * size + at] = REAL(nan(""));
        return;
    }
    double h[9];
    for (int row = 0; row < 9; row += 3) {
        const double x = fit.m[row] / det, y = fit.m[row + 1] / det, z = fit.m[row + 2] / det;
        h[row] = x * ixx + y * ixy + z * ixz;
        h[row + 1] = x * ixy + y * iyy + z * iyz;
        h[row + 2] = x * ixz + y * iyz + z * izz;
    }
    const double exx = h[0] + 0.5 * (h[0] * h[0] + h[3] * h[3] + h[6] * h[6]);
    const double eyy = h[4] + 0.5 * (h[1] * h[1] + h[4] * h[4] + h[7] * h[7]);
    const double ezz = h[8] + 0.5 * (h[2] * h[2] + h[5] * h[5] + h[8] * h[8]);
    const double eyz = 0.5 * (h[5] + h[7] + h[1] * h[2] + h[4] * h[5] + h[7] * h[8]);
    const double exz = 0.5 * (h[2] + h[6] + h[0] * h[2] + h[3] * h[5] + h[6] * h[8]);
    const double exy = 0.5 * (h[1] + h[3] + h[0] * h[1] + h[3] * h[4] + h[6] * h[7]);
    const double trace = exx + eyy + ezz, left = fit.held / fit.all;
    const double lame = left * constants[Elasticity::LAME] * trace, twice = 2 * left * constants[Elasticity::SHEAR];
    const double sxx = lame + twice * exx, syy = lame + twice * eyy;
    const double szz = left * constants[Elasticity::THROUGH] * trace + twice * ezz;
    const double syz = twice * eyz, sxz = twice * exz, sxy = twice * exy;
    const double a = sxx - syy, b = syy - szz, c = szz - sxx;
    out[Found::STRAIN * size + at] = REAL(largest_eigenvalue(exx, eyy, ezz, eyz, exz, exy, dimensions));
    out[Found::VON_MISES * size + at] =
        REAL(sqrt(0.5 * (a * a + b * b + c * c) + 3 * (syz * syz + sxz * sxz + sxy * sxy)));
    out[Found::MEAN_STRESS * size + at] = REAL((sxx + syy + szz) / 3);
    if (!wide) return;
    const double stresses[6] = {sxx, syy, szz, syz, sxz, sxy};  // XX to XY
    for (int row = 0; row < 6; ++row) out[(Found::XX + row) * size + at] = REAL(stresses[row]);
    out[Found::LARGEST * size + at] = REAL(largest_eigenvalue(sxx, syy, szz, syz, sxz, sxy, dimensions));
    out[Found::SMALLEST * size + at] = REAL(-largest_eigenvalue(-sxx, -syy, -szz, -syz, -sxz, -sxy, dimensions));
}

// On a lattice: words: (count, size) a bit for each bond that holds; offsets: (bonds, 4) to its other end and from place to
// place; weights: (bonds). soft, damage: bonds that soften and their damage, or null.
extern "C" __global__ void strain_lattice(const REAL* __restrict__ u, const unsigned* __restrict__ words,
                                          const int* __restrict__ offsets, const double* __restrict__ weights,
                                          const unsigned* __restrict__ soft, const REAL* __restrict__ damage,
                                          const unsigned char* __restrict__ material,
                                          const double* __restrict__ constants, const double* __restrict__ dilation, const REAL* __restrict__ whole,
                                          REAL* __restrict__ out, const int wide, const int count,
                                          const int dimensions, const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    Fit fit = {};
    for (int k = 0; k < count; ++k) {
        const unsigned softened = soft ? soft[k * size + at] : 0u;
        for (unsigned rest = words[k * size + at]; rest; rest &= rest - 1) {
            const int bit = WORD * k + __ffs((int)rest) - 1;
            const int* offset = offsets + 4 * bit;
            const long long there = at + offset[3];
            const double a = offset[0], b = offset[1], c = offset[2];
            const double x = (double)u[there] - (double)u[at], y = (double)u[size + there] - (double)u[size + at];
            const double z = dimensions == 3 ? (double)u[2 * size + there] - (double)u[2 * size + at] : 0.0;
            const bool longer = x * (2 * a + x) + y * (2 * b + y) + z * (2 * c + z) > 0;
            const double left = longer && (softened >> (bit & (WORD - 1)) & 1u) ? 1.0 - (double)damage[bit * size + at] : 1.0;
            fit.add(weights[bit], left, a, b, c, x, y, z);
        }
    }
    tell(fit, dimensions, constants + (material ? CONSTANTS * material[at] : 0), dilation ? dilation[at] : 0.0, whole[at], out,
         wide, size, at);
}

// Of irregular points (cloud.cu): a bond counts with the volume of its other end, volumes: (size). threads: of the blocks
// whose neighbours ``lists`` has, with a bond's number in the upper bits of ``local``; 0: ``neighbours`` has them, below the
// class of the bond.
extern "C" __global__ void strain_points(const REAL* __restrict__ u, const unsigned* __restrict__ words,
                                         const int* __restrict__ grid, const REAL* __restrict__ volumes,
                                         const long long* __restrict__ starts, const unsigned* __restrict__ local,
                                         const unsigned* __restrict__ neighbours, const int* __restrict__ lists,
                                         const long long* __restrict__ list_starts,
                                         const unsigned char* __restrict__ material, const double* __restrict__ constants,
                                         const REAL* __restrict__ whole, REAL* __restrict__ out, const int wide,
                                         const int count, const int dimensions, const int threads, const double unit,
                                         const long long size)
{
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= size) return;
    const int* list = threads ? lists + list_starts[at / threads] : nullptr;
    const long long start = starts[at / SLICE] + FOUR * (at % SLICE);
    Fit fit = {};
    for (int k = 0; k < count; ++k)
        for (unsigned rest = words[k * size + at]; rest; rest &= rest - 1) {
            const int column = WORD * k + __ffs((int)rest) - 1;
            const long long entry = start + (long long)SLICE * (column & ~(FOUR - 1)) + (column & (FOUR - 1));
            const long long there = threads ? list[local[entry] >> LISTED_FROM] : int(neighbours[entry] & NUMBER);
            double away[3] = {}, moved[3] = {};
#pragma unroll
            for (int axis = 0; axis < 3; ++axis)
                if (axis < dimensions) {
                    away[axis] = unit * (grid[axis * size + there] - grid[axis * size + at]);
                    moved[axis] = (double)u[axis * size + there] - (double)u[axis * size + at];
                }
            fit.add(volumes[there], 1.0, away[0], away[1], away[2], moved[0], moved[1], moved[2]);
        }
    tell(fit, dimensions, constants + (material ? CONSTANTS * material[at] : 0), 0.0, whole[at], out, wide,
         size, at);
}
