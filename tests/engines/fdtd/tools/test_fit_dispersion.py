"""A material from a table: what the tool makes of it, and which tables it refuses."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.media.fitting import fit_poles
from engines.fdtd.media.index_tables import IndexTable
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.dispersion import Drude
from engines.fdtd.tools.fit_dispersion import FitDispersion, FitParameters
from tests.engines.fdtd.gold import GOLD


def test_the_tool_adds_the_material(tmp_path, backend):
    path = tmp_path / "gold.csv"
    rows = "\n".join(f"{1239.84193 / energy},{n},{k}" for energy, n, k in GOLD)
    path.write_text(f"wavelength (nm),n,k\n{rows}\n", "utf-8")
    told = []
    settings = FitParameters(file=str(path), unit="nm", name="my gold", lorentz=1)
    result = FitDispersion().run(
        Problem(FdtdParameters()), settings, backend, lambda text, share: told.append((text, share))
    )
    assert [material.name for material in result.parameters.materials] == ["glass", "my gold"]
    assert isinstance(result.parameters.materials[1].poles[0], Drude)
    assert [info.name for info, _ in result.charts] == ["n", "k"]
    assert "rms error" in result.message
    assert told
    assert FdtdParameters.model_validate_json(result.parameters.model_dump_json()) == result.parameters


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no rows of numbers"),
        ("0.5,1.2,0\n0.6,1.2\n", "Line 2 of bad.csv is not like the others"),
        ("0.5,1.2,0\n0.6,1.2,0\n", "2 rows: at least 5"),
        ("".join(f"0.{n},1.2,-0.1\n" for n in range(1, 8)), "negative k, -0.1: that is gain"),
        ("".join(f"-0.{n},1.2,0.1\n" for n in range(1, 8)), "not above 0"),
        ("".join(f"0.{n},1.2,0.1\n" for n in range(1, 7)), "too few for 15 numbers"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(tmp_path, backend, text, sentence):
    path = tmp_path / "bad.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ProblemError, match=sentence):
        FitDispersion().run(Problem(FdtdParameters()), FitParameters(file=str(path), lorentz=4), backend)


@pytest.mark.parametrize(
    ("n", "k", "has_poles"), [((0.1, 0.05), 1.5, True), ((1.5, 0.0), 0.0, False), ((2.0, -0.1), 0.0, True)]
)
def test_what_hardly_absorbs_is_fitted_too(n: tuple[float, float], k: float, has_poles: bool) -> None:
    """The widths of poles came to 1e-31 THz, which no material can have."""
    x = np.linspace(0.5, 1.0, 12)
    fit = fit_poles(IndexTable(x, n[0] + n[1] * x + 1j * k), True, 2, False)
    assert bool(fit.poles) == has_poles
    assert all(pole.damping > 0 for pole in fit.poles)
    assert np.isfinite(fit.index).all()
