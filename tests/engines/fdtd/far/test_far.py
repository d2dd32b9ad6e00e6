"""Far fields of point dipoles from their analytic fields on a box.

The integral over a box of half a wavelength with 40 points along an edge is a midpoint rule, whose error here is
about 3e-4 of the field (it falls by four with twice the points, which one of the tests asserts).
"""

import numpy as np
import pytest

from engines.fdtd.far.charts import azimuth_chart, elevation_chart, pattern_chart
from engines.fdtd.far.directions import circle, sphere
from engines.fdtd.far.fields import decibels, far_field
from engines.fdtd.far.spectra import Mirror, SurfaceSpectra, with_images
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE
from tests.engines.fdtd.far_cases import (
    FREQUENCY,
    WAVELENGTH,
    box_points,
    dipole_fields,
    magnetic_dipole_fields,
    surface,
)

MIDPOINT = 1e-3
SIDES = (0.25 * WAVELENGTH, 0.3 * WAVELENGTH, 0.2 * WAVELENGTH)
K = 2 * np.pi / WAVELENGTH


def dipole_power(moment):
    """``ω⁴p²/(12πε₀c³)`` with ``p = I l/ω``: ``η k² (I l)²/12π``."""
    return VACUUM_IMPEDANCE * K**2 * moment**2 / (12 * np.pi)


@pytest.fixture(scope="module")
def points():
    return box_points(SIDES, 40)


@pytest.mark.parametrize("axis", range(3))
def test_a_short_antenna(points, axis):
    moment = np.eye(3)[axis] * 0.02
    found = far_field(surface(points, dipole_fields(points[0], (0.01, -0.02, 0.015), moment)), sphere(24, 48))
    radial, polar, around = found.directions.frame()
    wave = -1j * K * VACUUM_IMPEDANCE / (4 * np.pi) * np.exp(1j * K * radial @ np.array([0.01, -0.02, 0.015]))
    scale = np.abs(wave[0, 0]) * 0.02
    assert np.abs(found.theta[0] - wave * (polar @ moment)).max() < MIDPOINT * scale
    assert np.abs(found.phi[0] - wave * (around @ moment)).max() < MIDPOINT * scale
    sine_squared = 1 - radial[..., axis] ** 2
    assert found.directivity()[0] == pytest.approx(1.5 * sine_squared, abs=2 * MIDPOINT)
    assert decibels(found.directivity()).max() == pytest.approx(1.7609, abs=0.005)
    assert found.radiated_power()[0] == pytest.approx(dipole_power(0.02), rel=2 * MIDPOINT)


def test_a_magnetic_dipole(points):
    """Its pattern is that of the electric one with E and H exchanged: E goes around it."""
    fields = magnetic_dipole_fields(points[0], (0, 0, 0), (0, 0, VACUUM_IMPEDANCE))
    found = far_field(surface(points, fields), sphere(24, 48))
    assert np.abs(found.theta[0]).max() < MIDPOINT * np.abs(found.phi[0]).max()
    assert found.directivity()[0] == pytest.approx(
        1.5 * np.sin(found.directions.theta)[:, None] ** 2 * np.ones(48), abs=2e-3
    )
    assert found.radiated_power()[0] == pytest.approx(dipole_power(1.0), rel=2 * MIDPOINT)


def test_power_through_the_surface_is_the_power_far_away_and_the_error_is_of_second_order():
    errors = []
    for cells in (10, 20):
        points = box_points(SIDES, cells)
        spectra = surface(points, dipole_fields(points[0], (0, 0, 0), (0, 0, 1)))
        errors.append(abs(far_field(spectra, sphere(24, 48)).radiated_power()[0] / dipole_power(1.0) - 1))
        assert spectra.outward_power()[0] == pytest.approx(dipole_power(1.0), rel=40 / cells**2)
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_two_dipoles_half_a_wave_apart():
    """Array factor ``2 cos(π/2 cos ψ)`` along their line, largest across it, nothing along it."""
    points = box_points((0.5 * WAVELENGTH, 0.3 * WAVELENGTH, 0.25 * WAVELENGTH), 50)
    pair = [dipole_fields(points[0], (x * WAVELENGTH, 0, 0), (0, 0, 1)) for x in (-0.25, 0.25)]
    found = far_field(surface(points, (pair[0][0] + pair[1][0], pair[0][1] + pair[1][1])), sphere(24, 48))
    radial = found.directions.frame()[0]
    factor = 2 * np.cos(np.pi / 2 * radial[..., 0])
    one = VACUUM_IMPEDANCE * K**2 / (32 * np.pi**2) * (1 - radial[..., 2] ** 2)
    assert found.intensity()[0] / one.max() == pytest.approx(one * factor**2 / one.max(), abs=8 * MIDPOINT)
    assert found.gain(2 * found.radiated_power()) == pytest.approx(found.directivity() / 2)


def test_half_a_problem_and_its_image(points):
    """A dipole on the plane x = 0, where H has no tangential part if it stands along z, and E if along x."""
    for moment, kind in (((0, 0, 1), "PMC"), ((1, 0, 0), "PEC")):
        whole = surface(points, dipole_fields(points[0], (0, 0, 0), moment))
        right = whole.positions[:, 0] > 0
        half = SurfaceSpectra(
            whole.frequencies, *(part[right] for part in (whole.positions, whole.areas, whole.normals)),
            whole.electric[:, right], whole.magnetic[:, right],
        )  # fmt: skip
        mirror = Mirror(0, 0.0, kind)
        assert with_images(half, [mirror]).outward_power() == pytest.approx(2 * half.outward_power())
        found, known = (far_field(each, sphere(8, 16), mirrors=m) for each, m in ((half, [mirror]), (whole, [])))
        assert found.theta == pytest.approx(known.theta, abs=1e-12 * np.abs(known.theta).max())
        assert found.phi == pytest.approx(known.phi, abs=1e-12 * np.abs(known.theta).max())


def test_a_monopole_on_a_ground(points):
    """As strong as the dipole on its side, nothing behind, half the power: twice the directivity, at the horizon."""
    box = box_points(SIDES, 40, center=(0, 0, SIDES[2]), open_face=(2, -1))
    fields = dipole_fields(box[0], (0, 0, 0), (0, 0, 1))
    found = far_field(surface(box, fields), sphere(24, 48), mirrors=[Mirror(2, 0.0, "PEC", ground=True)])
    assert found.radiated_power()[0] == pytest.approx(dipole_power(1.0) / 2, rel=4 * MIDPOINT)
    assert found.directivity()[0, 12] == pytest.approx(np.full(48, 3.0), rel=4 * MIDPOINT)
    assert not found.intensity()[0, 13:].any()


def test_a_line_current():
    """``E_z = −(kη/4) I H₀²(kρ)`` far away is ``−(kη/4) I √(2/πkρ) exp(−ikρ + iπ/4)``, alike all around."""
    from scipy.special import hankel2

    x, y = ((np.arange(200) + 0.5) / 100 - 1) * 0.3 * WAVELENGTH, np.full(200, 0.3 * WAVELENGTH)
    zero, one, flat = np.zeros(200), np.ones(200), np.zeros(200)
    sides = [((x, y), (zero, one)), ((x, -y), (zero, -one)), ((y, x), (one, zero)), ((-y, x), (-one, zero))]
    positions = np.concatenate([np.stack([*at, flat], axis=1) for at, _ in sides])
    normals = np.concatenate([np.stack([*normal, flat], axis=1) for _, normal in sides])
    rho = np.linalg.norm(positions, axis=1)
    electric, magnetic = np.zeros((800, 3), complex), np.zeros((800, 3), complex)
    electric[:, 2] = -K * VACUUM_IMPEDANCE / 4 * hankel2(0, K * rho)
    around = np.stack([-positions[:, 1], positions[:, 0], 0 * rho], axis=1) / rho[:, None]
    magnetic[:] = around * (-1j * K / 4 * hankel2(1, K * rho))[:, None]
    lengths = np.full(800, 0.6 * WAVELENGTH / 200)
    spectra = SurfaceSpectra(np.array([FREQUENCY]), positions, lengths, normals, electric[None], magnetic[None])
    found = far_field(spectra, circle(90), line=True)
    known = K * VACUUM_IMPEDANCE / 4 * np.sqrt(2 / (np.pi * K)) * np.exp(0.25j * np.pi)  # E_θ is −E_z
    assert found.theta[0] == pytest.approx(np.full((1, 90), known), rel=MIDPOINT)
    assert found.directivity()[0] == pytest.approx(np.ones((1, 90)), abs=MIDPOINT)
    assert found.radiated_power() == pytest.approx(spectra.outward_power(), rel=MIDPOINT)


def test_integrals_over_the_sphere():
    """Polynomials in cos θ are integrated exactly, around any axis."""
    for axis in range(3):
        directions = sphere(16, 32, axis)
        radial, polar, around = directions.frame()
        assert np.cross(polar, around) == pytest.approx(radial, abs=1e-15)
        step = 2 * np.pi / 32
        for power, known in ((0, 1.0), (2, 1 / 3), (8, 1 / 9)):
            for part in range(3):
                total = step * np.einsum("t,tp->", directions.weights, radial[..., part] ** power)
                assert total == pytest.approx(4 * np.pi * known, rel=1e-12)


def test_slanted_faces_are_refused(points):
    positions, areas, normals = points
    slanted = normals @ np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]])
    fields = dipole_fields(positions, (0, 0, 0), (0, 0, 1))
    with pytest.raises(ValueError, match="across the axes"):
        far_field(surface((positions, areas, slanted), fields), sphere(4, 8))


def test_frequencies_have_wavenumbers_of_their_own(points):
    spectra = [
        surface(points, dipole_fields(points[0], (0, 0, 0), (0, 0, 1), f), f) for f in (FREQUENCY, FREQUENCY / 2)
    ]
    both = SurfaceSpectra(
        np.array([FREQUENCY, FREQUENCY / 2]), *points,
        np.concatenate([each.electric for each in spectra]), np.concatenate([each.magnetic for each in spectra]),
    )  # fmt: skip
    power = far_field(both, sphere(16, 32)).radiated_power()
    assert power[0] / power[1] == pytest.approx(4, rel=4 * MIDPOINT)


def test_in_a_dielectric(points):
    """ε_r = 4: the wavelength of twice the frequency, half the impedance."""
    electric, magnetic = dipole_fields(points[0], (0, 0, 0), (0, 0, 1), 2 * FREQUENCY)
    found = far_field(surface(points, (electric / 2, magnetic)), sphere(24, 48), permittivity=4)
    known = VACUUM_IMPEDANCE / 2 * (2 * K) ** 2 / (12 * np.pi)
    assert found.radiated_power()[0] == pytest.approx(known, rel=8 * MIDPOINT)


def test_charts_of_a_pattern(points):
    """An antenna along x: at φ = 0° it is silent toward θ = 90°, on both sides of the cut; at φ = 90° it is loudest."""
    found = far_field(surface(points, dipole_fields(points[0], (0, 0, 0), (1, 0, 0))), sphere(24, 48))
    ratio = found.directivity()[0]
    along, across = elevation_chart(found, ratio).curves
    assert (along.title, across.title) == ("φ = 0°", "φ = 90°")
    assert along.x[12] == 90
    assert along.x[36] == 270
    assert max(along.y[12], along.y[36]) < -30
    assert across.y == pytest.approx(np.full(49, 1.7609), abs=0.01)
    (around,) = azimuth_chart(found, ratio).curves[-1:]
    assert around.y[12] == pytest.approx(1.7609, abs=0.01)
    (whole,) = pattern_chart(found, ratio).curves
    assert whole.across is not None
    place = np.flatnonzero((whole.x == 90) & (whole.across == 180))
    assert whole.y[place] < -30
    assert pattern_chart(found, np.zeros_like(ratio)).curves == ()
