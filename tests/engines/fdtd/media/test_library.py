"""The library against published n and k, the fit of poles, and what the engine says of dispersive materials."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.media.fitting import fit_poles, permittivity_of
from engines.fdtd.media.index_tables import IndexTable, read_index_table
from engines.fdtd.parameters import Box, Faces, FdtdParameters, GridSetting, Material, Pulse, Sphere, WaveSource
from engines.fdtd.parameters.dispersion import Debye, Drude, Lorentz
from engines.fdtd.parameters.library import PUBLISHED, SPEED_OF_LIGHT
from engines.fdtd.setup.media import make_medium
from tests.engines.fdtd.gold import GOLD

ENGINE = FdtdEngine()


def index(name: str, wavelengths) -> np.ndarray:
    published = PUBLISHED[name]
    return np.sqrt(permittivity_of(published.permittivity, published.poles, SPEED_OF_LIGHT / np.array(wavelengths)))


@pytest.mark.parametrize(
    ("name", "wavelengths", "published"),
    [
        # Malitson 1965, table I, and Salzberg and Villa 1957, table I: four decimals
        ("SiO2", (0.404656, 0.587561, 1.0140, 1.5295), (1.46961, 1.45846, 1.45024, 1.44427)),
        ("Si", (1.3570, 1.5295, 2.4373), (3.4975, 3.4795, 3.4408)),
    ],
)
def test_transparent_materials_have_the_published_index(name, wavelengths, published):
    """Sellmeier terms reproduce what they were fitted to within the authors' 5e-5 (SiO₂) and 1e-3 (Si)."""
    found = index(name, wavelengths)
    np.testing.assert_allclose(found.real, published, rtol=0, atol=5e-5 if name == "SiO2" else 1e-3)
    assert not found.imag.any()


@pytest.mark.parametrize(
    ("name", "energies", "k"),
    [
        ("Au", (0.77, 1.26, 1.64, 2.01, 2.50), (11.21, 6.350, 4.542, 3.272, 1.833)),
        ("Ag", (0.77, 1.26, 1.64, 2.01, 2.50), (11.85, 6.992, 5.242, 4.152, 3.093)),
        ("Cu", (0.77, 1.26, 1.64, 1.88), (11.12, 6.421, 4.665, 3.747)),
        # Smith, Shiles and Inokuti in Palik's handbook (1985)
        ("Al", (2.0, 3.0, 4.0, 5.0), (7.479, 5.024, 3.740, 2.942)),
    ],
)
def test_metals_are_near_what_was_measured(name, energies, k):
    """Johnson and Christy 1972 (Al: see there). Rakić fitted means of measurements that differ by 10 % from one another
    (J&C, fig. 6)."""
    found = index(name, 1.23984193 / np.array(energies))
    np.testing.assert_allclose(found.imag, k, rtol=0.12)
    assert (found.real < 1.4).all()


def test_water_is_that_of_liebe():
    """Liebe, Hufford and Manabe, Int. J. Infrared Millimeter Waves 12, 659 (1991), two Debye terms, at 25 °C: up to 40
    GHz Kaatze's one term differs by 1 % of |ε|."""
    gigahertz = np.array([1.0, 3.0, 10.0, 20.0, 40.0])
    theta = 300 / 298.15 - 1
    static = 77.66 + 103.3 * theta
    middle, last = 0.0671 * static, 3.52
    first = 20.20 - 146 * theta + 316 * theta**2
    right = static - gigahertz * (
        (static - middle) / (gigahertz + 1j * first) + (middle - last) / (gigahertz + 1j * 39.8 * first)
    )
    found = permittivity_of(PUBLISHED["water"].permittivity, PUBLISHED["water"].poles, gigahertz * 1e-3)
    np.testing.assert_array_less(np.abs(found - right), 0.01 * np.abs(right))


@pytest.mark.parametrize("unit", ["um", "mm", "m"])
def test_a_material_is_the_same_in_any_unit_of_length(unit):
    poles = [Drude(plasma=2000.0), Lorentz(resonance=700.0), Debye(strength=2.0, relaxation=3e-4)]
    medium = make_medium(Material(permittivity=2.0, poles=poles), unit)
    seconds = {"um": 1e-15, "mm": 1e-12, "m": 1e-9}[unit]
    terahertz = np.array([100.0, 500.0, 900.0])
    found = medium.index_at(2 * np.pi * terahertz * 1e12 * seconds) ** 2
    np.testing.assert_allclose(found, permittivity_of(2.0, tuple(poles), terahertz), rtol=1e-12)


def test_gold_is_fitted():
    """Johnson and Christy state 0.02 or more for n and k below 2 and 1 % above; with three resonances the fit is within
    0.05."""
    table = IndexTable(1.23984193 / GOLD[::-1, 0], GOLD[::-1, 1] + 1j * GOLD[::-1, 2])
    fit = fit_poles(table, drude=True, lorentz=3, debye=False)
    print(f"gold: rms {fit.rms_n:.3f} in n, {fit.rms_k:.3f} in k, {len(fit.poles)} poles")
    assert fit.rms_n < 0.05
    assert fit.rms_k < 0.05
    assert fit.permittivity >= 1
    everywhere = permittivity_of(fit.permittivity, fit.poles, np.geomspace(1e-3, 1e6, 500))
    assert (everywhere.imag > 0).all()


def test_what_poles_made_is_found_again():
    """Two poles of known numbers: n and k to 1e-6, far below what any measurement has."""
    poles = (Drude(plasma=1800.0, damping=30.0), Lorentz(strength=1.5, resonance=650.0, damping=90.0))
    wavelengths = np.linspace(0.3, 1.5, 60)
    truth = np.sqrt(permittivity_of(3.0, poles, SPEED_OF_LIGHT / wavelengths))
    fit = fit_poles(IndexTable(wavelengths, truth), drude=True, lorentz=1, debye=False)
    assert max(fit.rms_n, fit.rms_k) < 1e-6
    assert fit.permittivity == pytest.approx(3.0, abs=1e-4)


def test_tables_below_one_another_are_read(tmp_path):
    """As refractiveindex.info writes them, k at wavelengths of its own."""
    path = tmp_path / "table.csv"
    n = "\n".join(f"{wavelength},{1.5}" for wavelength in (0.4, 0.5, 0.6, 0.7, 0.8))
    path.write_text(f"wl,n\n{n}\n\nwl,k\n0.4,0.1\n0.8,0.3\n", "utf-8")
    table = read_index_table(path, 1.0)
    np.testing.assert_allclose(table.index, 1.5 + 1j * np.array([0.1, 0.15, 0.2, 0.25, 0.3]))


def test_a_table_goes_as_far_as_both_n_and_k_were_measured(tmp_path):
    path = tmp_path / "table.csv"
    wavelengths = np.linspace(0.4, 1.0, 13)
    n = "\n".join(f"{wavelength},{1.5}" for wavelength in wavelengths)
    k = "\n".join(f"{wavelength},{wavelength}" for wavelength in (0.52, 0.6, 0.8))
    path.write_text(f"wl,n\n{n}\n\nwl,k\n{k}\n", "utf-8")
    table = read_index_table(path, 1.0)
    np.testing.assert_allclose(table.wavelengths, wavelengths[3:9])
    np.testing.assert_allclose(table.index.imag, wavelengths[3:9])


def slab(low: float, high: float, **changes) -> Problem:
    """A metal slab across x on a thin grid of 2 µm."""
    settings = {
        "grid": GridSetting(cells_x=200, cells_y=1, cells_z=1, size_x=2.0, size_y=0.01, size_z=0.01),
        "faces": Faces(y_low="periodic", y_high="periodic", z_low="periodic", z_high="periodic"),
        "materials": [Material(name="silver", library="Ag")],
        "objects": [Box(material="silver", low=(low, -1, -1), high=(high, 1, 1))],
        "sources": [WaveSource(polarization="y", signal=Pulse(wavelength=0.9, cycles=1.0))],
    }
    return Problem(FdtdParameters(**{**settings, **changes}))


def warnings(problem: Problem, backend) -> list[str]:
    return [each.message for each in ENGINE.estimate(problem, backend).findings if each.severity == "warning"]


def test_a_metal_in_a_cpml_is_told_and_the_absorber_offered(backend):
    assert not any("CPML" in message for message in warnings(slab(1.0, 1.1), backend))
    told = warnings(slab(1.0, 3.0), backend)
    assert any("'silver', which is dispersive, reaches into the CPML of x high" in message for message in told)
    assert any("slowly absorbing layer" in message for message in told)
    faces = Faces(
        y_low="periodic", y_high="periodic", z_low="periodic", z_high="periodic", x_low="absorber", x_high="absorber"
    )
    assert not any("CPML" in message for message in warnings(slab(1.0, 3.0, faces=faces), backend))


def test_data_outside_of_their_range_are_told(backend):
    silicon = [Material(name="silver", library="Si")]
    assert any(
        "hold from 1.357 to 11.04 µm" in message for message in warnings(slab(1, 1.1, materials=silicon), backend)
    )


def test_a_run_with_poles_continues_bit_for_bit(backend):
    sources = [WaveSource(polarization="y", signal=Pulse(wavelength=0.9, cycles=0.3))]
    one = ENGINE.build(slab(0.4, 0.6, sources=sources), backend)
    one.advance(300)
    state = one.state()
    assert np.abs(state["poles"]).max() > 0
    one.advance(50)
    two = ENGINE.build(slab(0.4, 0.6, sources=sources), backend)
    two.restore(state)
    two.advance(50)
    for name, part in one.state().items():
        np.testing.assert_array_equal(part, two.state()[name])
    bare = ENGINE.build(slab(0.4, 0.6, sources=sources, materials=[Material(name="silver")]), backend)
    assert one.traffic[0].bytes - bare.traffic[0].bytes == 2 * state["poles"].nbytes


def test_memory_counts_the_poles(backend):
    grid = GridSetting(cells_x=64, cells_y=64, cells_z=64)
    sizes = []
    for library in ("own", "Ag"):
        objects = [Sphere(material="m", center=(2.0, 2.0, 2.0), radius=1.0)]
        materials = [Material(name="m", library=library)]
        signal = WaveSource(signal=Pulse(wavelength=2.0))
        problem = Problem(FdtdParameters(grid=grid, materials=materials, objects=objects, sources=[signal]))
        sizes.append(ENGINE.estimate(problem, backend).memory_bytes)
    # 32³ cells in the ball's box, three components, 6 poles of which 5 have two numbers, 4 bytes, and the rows' spans
    assert sizes[1] - sizes[0] == 32**3 * 3 * 11 * 4 + 3 * 65 * 65 * 16


@pytest.mark.parametrize(
    ("kind", "values"), [(Drude, {"damping": -1.0}), (Lorentz, {"strength": -0.1}), (Debye, {"relaxation": 0.0})]
)
def test_negative_loss_and_strength_are_refused(kind, values):
    with pytest.raises(ValidationError, match="greater than"):
        kind(**values)


@pytest.mark.parametrize(
    ("row", "title"), [("{};1,5;0,25", "wl; n; k"), ("{} 1.5 0.25", "wl n k"), ("{}\t1,5\t0,25", "")]
)
def test_decimal_commas_beside_semicolons_and_tabs(tmp_path, row, title):
    """1,1;1,5;0,25 was taken as a wavelength of 1 with n = 1 and k = 1, without a word."""
    path = tmp_path / "n.csv"
    point = "." if " 1.5" in row else ","
    path.write_text("\n".join([title, *(row.format(f"1{point}{k}") for k in range(1, 7))]))
    table = read_index_table(path, 1.0)
    np.testing.assert_allclose(table.wavelengths, 1 + np.arange(1, 7) / 10)
    np.testing.assert_allclose(table.index, 1.5 + 0.25j)


def test_wavelengths_that_say_another_unit_are_refused(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("wavelength (nm), n\n" + "".join(f"{500 + k}, 1.5\n" for k in range(6)))
    with pytest.raises(ProblemError, match=r"says in line 1 'wavelength \(nm\)': choose that unit"):
        read_index_table(path, 1.0)
    assert read_index_table(path, 1e-3).wavelengths[0] == pytest.approx(0.5)
    path.write_text(path.read_text().replace("wavelength (nm)", "frequency (THz)"))
    with pytest.raises(ProblemError, match=r"says in line 1 'frequency \(THz\)': put wavelengths in its first column"):
        read_index_table(path, 1.0)
