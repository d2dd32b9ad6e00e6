"""Analytic fields of point dipoles on the faces of a box (Balanis, Antenna Theory, ch. 4.2 and 5.2)."""

import numpy as np

from engines.fdtd.far.fields import METRES_PER_SECOND
from engines.fdtd.far.spectra import SurfaceSpectra
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE

FREQUENCY = 1e9
WAVELENGTH = METRES_PER_SECOND / FREQUENCY


def box_points(half, cells, center=(0.0, 0.0, 0.0), open_face=None):
    """Midpoints, areas, normals of a box with edges ``2 · half[axis]`` of ``cells`` each; a face may be left out."""
    positions, areas, normals = [], [], []
    half, center = np.asarray(half, float), np.asarray(center, float)
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        u, v = ((np.arange(cells) + 0.5) / cells * 2 - 1 for _ in range(2))
        u, v = (each.reshape(-1) for each in np.meshgrid(u * half[one], v * half[other], indexing="ij"))
        for side in (-1, 1):
            if (axis, side) == open_face:
                continue
            at, normal = np.zeros((len(u), 3)), np.zeros((len(u), 3))
            at[:, axis], at[:, one], at[:, other] = side * half[axis], u, v
            normal[:, axis] = side
            positions.append(at + center)
            normals.append(normal)
            areas.append(np.full(len(u), 4 * half[one] * half[other] / cells**2))
    return np.concatenate(positions), np.concatenate(areas), np.concatenate(normals)


def dipole_fields(points, place, moment, frequency=FREQUENCY):
    """E and H (m, 3) of a point current ``moment`` = I l (3,) [A m]; phasors of exp(+iωt)."""
    k = 2 * np.pi * frequency / METRES_PER_SECOND
    moment = np.asarray(moment, complex)
    away = points - np.asarray(place)
    r = np.linalg.norm(away, axis=1)[:, None]
    unit = away / r
    wave = np.exp(-1j * k * r) / (4 * np.pi * r)
    along = unit * (unit @ moment)[:, None]
    near = 1 / (1j * k * r) + 1 / (1j * k * r) ** 2
    electric = -1j * k * VACUUM_IMPEDANCE * wave * ((moment - along) + near * (moment - 3 * along))
    magnetic = -1j * k * wave * (1 + 1 / (1j * k * r)) * np.cross(unit, moment)
    return electric, magnetic


def magnetic_dipole_fields(points, place, moment, frequency=FREQUENCY):
    """The dual: a magnetic current ``moment`` = K l (3,) [V m]."""
    electric, magnetic = dipole_fields(points, place, moment, frequency)
    return -magnetic, electric / VACUUM_IMPEDANCE**2


def surface(points, fields, frequency=FREQUENCY):
    positions, areas, normals = points
    electric, magnetic = fields
    return SurfaceSpectra(np.array([frequency]), positions, areas, normals, electric[None], magnetic[None])
