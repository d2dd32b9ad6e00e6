"""Conductivities become diffusion tensors with the right units, axes and complaints."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.cardiac.diffusion.tensors import conductivity_tensors, diffusivity

FIBRES = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
SHEETS = np.array([[0.5, 3.0, 0.0], [1.0, 0.2, 0.2]])


def test_units_of_the_niederer_slab():
    """σ_i σ_e/(σ_i+σ_e) = 0.13342 S/m, χ 140 /mm, Cm 0.01 µF/mm²: 0.0953 mm²/ms along the fibre."""
    sigma = conductivity_tensors(1, 0.17 * 0.62 / 0.79, 0.019 * 0.24 / 0.259, fibres=FIBRES[:1])
    tensor = diffusivity(sigma, 140.0, 0.01)[0]
    np.testing.assert_allclose(np.diag(tensor), [0.0952984, 0.0125758, 0.0125758], rtol=1e-5)


def test_axes_are_fibre_sheet_and_normal():
    """Eigenvectors as given; the sheet is made orthogonal to the fibre first."""
    tensors = conductivity_tensors(2, 3.0, 2.0, 1.0, FIBRES, SHEETS)
    for tensor, fibre, sheet in zip(tensors, FIBRES, SHEETS, strict=True):
        f = fibre / np.linalg.norm(fibre)
        s = sheet - (sheet @ f) * f
        np.testing.assert_allclose(tensor @ f, 3.0 * f, atol=1e-14)
        np.testing.assert_allclose(tensor @ s, 2.0 * s, atol=1e-14)
        normal = np.cross(f, s)
        np.testing.assert_allclose(tensor @ normal, normal, atol=1e-14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sigma_l": 0.0}, "sigma_l is 0.0"),
        ({"sigma_l": 1.0, "sigma_t": float("nan")}, "sigma_t is nan"),
        ({"sigma_l": 1.0, "sigma_t": 0.5}, "needs fibres"),
        ({"sigma_l": 1.0, "sigma_t": 0.5, "sigma_n": 0.2, "fibres": FIBRES}, "no sheets"),
        ({"sigma_l": 1.0, "sigma_t": 0.5, "fibres": 0.0 * FIBRES}, "Cell 0 has no usable fibre"),
        ({"sigma_l": 1.0, "sigma_t": 0.5, "sigma_n": 0.2, "fibres": FIBRES, "sheets": FIBRES}, "no usable sheet"),
    ],
)
def test_input_that_gives_no_tensor_is_named(arguments, message):
    with pytest.raises(ProblemError, match=message):
        conductivity_tensors(2, **arguments)


def test_chi_and_capacitance_must_be_positive():
    with pytest.raises(ProblemError, match="chi is 0"):
        diffusivity(np.eye(3), 0.0, 0.01)
