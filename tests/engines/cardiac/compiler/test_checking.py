"""What is refused of a cell model before Myokit sees it, which need not be there."""

import pytest

from engines.api.errors import ProblemError
from engines.cardiac.compiler.importing import _check_cellml, check_model

MMT = "[[model]]\nm.V = 0\n\n[m]\ntime = 0 [ms] bind time\ndot(V) = -V / 7\n    in [mV]\n"
CELLML = '<model xmlns="http://www.cellml.org/cellml/1.0#" name="m"><units name="u">{}</units>{}</model>'


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("u = 1 [mV^99999999]\n", r"m\.mmt has a unit '\[mV\^999…', which is none"),
        ("".join(f"v{number} = 1\n" for number in range(3001)), r"m\.mmt has 3,004 variables: at most 3,000 are read"),
    ],
)
def test_what_myokit_would_count_for_minutes(tmp_path, more, said):
    path = tmp_path / "m.mmt"
    path.write_text(MMT)
    check_model(path)
    path.write_text(MMT + more)
    with pytest.raises(ProblemError, match=said):
        check_model(path)


@pytest.mark.parametrize(
    ("unit", "more", "said"),
    [
        ('<unit units="volt" exponent="99999999"/>', "", "to a power of four digits"),
        ("", '<component name="c">' + '<variable name="v"/>' * 6002 + "</component>", "3,001 variables"),
    ],
)
def test_the_same_in_cellml(tmp_path, unit, more, said):
    path = tmp_path / "m.cellml"
    path.write_text(CELLML.format('<unit units="volt" exponent="-2"/>', ""))
    _check_cellml(path)
    path.write_text(CELLML.format(unit, more))
    with pytest.raises(ProblemError, match=said):
        _check_cellml(path)
