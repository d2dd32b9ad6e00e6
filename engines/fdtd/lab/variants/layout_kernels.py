"""A vacuum step in Numba in the layouts of ``layout.cu``, and rolled copies in NumPy."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb


@nb.njit(cache=True, nogil=True, parallel=True)
def electric_arrays(e, h, s, nx, ny, nz):
    """e, h: (3, nz + 1, ny + 1, row)"""
    for k in nb.prange(nz):
        for j in range(ny):
            if j > 0 and k > 0:
                ex, hz, hz_low = e[0, k, j], h[2, k, j], h[2, k, j - 1]
                hy, hy_low = h[1, k, j], h[1, k - 1, j]
                for i in range(nx):
                    ex[i] += s * ((hz[i] - hz_low[i]) - (hy[i] - hy_low[i]))
            if k > 0:
                ey, hx, hx_low, hz = e[1, k, j], h[0, k, j], h[0, k - 1, j], h[2, k, j]
                for i in range(1, nx):
                    ey[i] += s * ((hx[i] - hx_low[i]) - (hz[i] - hz[i - 1]))
            if j > 0:
                ez, hx, hx_low, hy = e[2, k, j], h[0, k, j], h[0, k, j - 1], h[1, k, j]
                for i in range(1, nx):
                    ez[i] += s * ((hy[i] - hy[i - 1]) - (hx[i] - hx_low[i]))


@nb.njit(cache=True, nogil=True, parallel=True)
def magnetic_arrays(e, h, s, nx, ny, nz):
    """As ``electric_arrays``, of the magnetic field."""
    for k in nb.prange(nz):
        for j in range(ny):
            hx, hy, hz = h[0, k, j], h[1, k, j], h[2, k, j]
            ex, ey, ez = e[0, k, j], e[1, k, j], e[2, k, j]
            ex_north, ez_north = e[0, k, j + 1], e[2, k, j + 1]
            ex_above, ey_above = e[0, k + 1, j], e[1, k + 1, j]
            for i in range(nx):
                hx[i] -= s * ((ez_north[i] - ez[i]) - (ey_above[i] - ey[i]))
            for i in range(nx):
                hy[i] -= s * ((ex_above[i] - ex[i]) - (ez[i + 1] - ez[i]))
            for i in range(nx):
                hz[i] -= s * ((ey[i + 1] - ey[i]) - (ex_north[i] - ex[i]))


@nb.njit(cache=True, nogil=True, parallel=True)
def electric_structures(e, h, s, nx, ny, nz):
    """e, h: (nz + 1, ny + 1, row, 3), which may be parts of a larger structure."""
    for k in nb.prange(nz):
        for j in range(ny):
            for i in range(nx):
                if j > 0 and k > 0:
                    e[k, j, i, 0] += s * ((h[k, j, i, 2] - h[k, j - 1, i, 2]) - (h[k, j, i, 1] - h[k - 1, j, i, 1]))
                if i > 0 and k > 0:
                    e[k, j, i, 1] += s * ((h[k, j, i, 0] - h[k - 1, j, i, 0]) - (h[k, j, i, 2] - h[k, j, i - 1, 2]))
                if i > 0 and j > 0:
                    e[k, j, i, 2] += s * ((h[k, j, i, 1] - h[k, j, i - 1, 1]) - (h[k, j, i, 0] - h[k, j - 1, i, 0]))


@nb.njit(cache=True, nogil=True, parallel=True)
def magnetic_structures(e, h, s, nx, ny, nz):
    """As ``electric_structures``, of the magnetic field."""
    for k in nb.prange(nz):
        for j in range(ny):
            for i in range(nx):
                ex, ey, ez = e[k, j, i, 0], e[k, j, i, 1], e[k, j, i, 2]
                h[k, j, i, 0] -= s * ((e[k, j + 1, i, 2] - ez) - (e[k + 1, j, i, 1] - ey))
                h[k, j, i, 1] -= s * ((e[k + 1, j, i, 0] - ex) - (e[k, j, i + 1, 2] - ez))
                h[k, j, i, 2] -= s * ((e[k, j, i + 1, 1] - ey) - (e[k, j + 1, i, 0] - ex))


def step_expressions(e, h, s, nx, ny, nz):
    """Both passes by slices of whole arrays (3, nz + 1, ny + 1, row), a temporary array for each operation."""
    x, y, z = slice(0, nx), slice(0, ny), slice(0, nz)
    inner_x, inner_y, inner_z = slice(1, nx), slice(1, ny), slice(1, nz)
    low_x, low_y, low_z = slice(0, nx - 1), slice(0, ny - 1), slice(0, nz - 1)
    high_x, high_y, high_z = slice(1, nx + 1), slice(1, ny + 1), slice(1, nz + 1)
    hx, hy, hz = h
    ex, ey, ez = e
    ex[inner_z, inner_y, x] += s * (
        (hz[inner_z, inner_y, x] - hz[inner_z, low_y, x]) - (hy[inner_z, inner_y, x] - hy[low_z, inner_y, x])
    )
    ey[inner_z, y, inner_x] += s * (
        (hx[inner_z, y, inner_x] - hx[low_z, y, inner_x]) - (hz[inner_z, y, inner_x] - hz[inner_z, y, low_x])
    )
    ez[z, inner_y, inner_x] += s * (
        (hy[z, inner_y, inner_x] - hy[z, inner_y, low_x]) - (hx[z, inner_y, inner_x] - hx[z, low_y, inner_x])
    )
    hx[z, y, x] -= s * ((ez[z, high_y, x] - ez[z, y, x]) - (ey[high_z, y, x] - ey[z, y, x]))
    hy[z, y, x] -= s * ((ex[high_z, y, x] - ex[z, y, x]) - (ez[z, y, high_x] - ez[z, y, x]))
    hz[z, y, x] -= s * ((ey[z, y, high_x] - ey[z, y, x]) - (ex[z, high_y, x] - ex[z, y, x]))
