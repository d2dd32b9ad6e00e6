"""Equations of READMEs as MathML: nothing of them is lost, what is divided by what, and what is no equation."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs"))

from equations import SUB, SUPER, is_equation, mathml, with_equations  # noqa: E402  # the manual's scripts are no package

WRITTEN = {**SUPER, **SUB, "Σ": "∑", "½": "12", "-": "−"}


def of_readmes() -> list[str]:
    """Lines of blocks and code of all READMEs of engines that are taken for equations."""
    found = []
    for readme in sorted((ROOT / "engines").glob("*/**/README.md")):
        text = readme.read_text("utf-8")
        found += re.findall(r"(?m)^ {4,8}(\S.*)$", text) + re.findall(r"`([^`\n]+)`", re.sub(r"(?m)^ {4}.*$", "", text))
    return [line for line in found if is_equation(line)]


def text_of(row: str) -> str:
    return re.sub(r"\s", "", "".join(ElementTree.fromstring(row).itertext()))


def test_nothing_of_an_equation_is_lost():
    found = of_readmes()
    assert len(found) > 100
    for line in found:
        row = mathml(line)
        wanted = "".join(WRITTEN.get(sign, sign) for sign in re.sub(r"[\s/()\[\]{},^_√]", "", line))
        ours = re.sub(r"[()\[\],]", "", text_of(row)).replace("-", "−")
        assert sorted(ours) == sorted(wanted), line
        assert row.count("<mfrac>") == line.count("/") + line.count("½"), line


def fractions(row: str) -> list[tuple[str, str]]:
    return [(text_of(ElementTree.tostring(one[0], "unicode")), text_of(ElementTree.tostring(one[1], "unicode")))
            for one in ElementTree.fromstring(row).iter("mfrac")]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("I R_s/(3 A L ε)", [("Rs", "3ALε")]),
        ("p_i = δ_i K_i n / λ_i", [("δiKin", "λi")]),
        ("j_p/2j0_p", [("jp", "2j0,p")]),
        ("ln B/ln ε", [("lnB", "lnε")]),
        ("e^(−dt/τ_m)/τ_m · (e^(r dt) − 1)/r", [("e−dtτm", "τm"), ("dt", "τm"), ("erdt−1", "r")]),
        ("(ξ + η)/|ξ + η|", [("ξ+η", "|ξ+η|")]),
        ("−1/(4π σ_b) ∫ σ_i ∇v·∇(1/r) dV", [("1", "4πσb"), ("1", "r")]),
        ("(a)(b)/(c)(d)", [("(a)(b)", "(c)(d)")]),
    ],
)
def test_what_stands_together_is_divided(line, wanted):
    assert fractions(mathml(line)) == wanted


def test_scripts_and_roots():
    plain = re.sub(r"</?mrow>", "", mathml("Δ_k² + √(x_a) + e^{−αf}"))
    assert "<msubsup><mi>Δ</mi><mi>k</mi><mn>2</mn></msubsup>" in plain
    assert "<msqrt><msub><mi>x</mi><mi>a</mi></msub></msqrt>" in plain
    assert "<msup><mi>e</mi><mo>−</mo><mi>α</mi><mi>f</mi></msup>" in plain


def test_only_equations_are_drawn():
    for code in ("particles/step/explicit.cu", "precision='float32'", "d = 1 - s0/s*(sc - s)", "-DVARYING=1", "make()"):
        assert not is_equation(code), code
    page = "<p><code>σ = 1/ρ</code> <code>a.py</code></p><pre><code>σ = 2</code></pre>"
    drawn = with_equations(page)
    assert drawn.count("<math>") == 1
    assert "<code>a.py</code>" in drawn
    assert "<pre><code>σ = 2</code></pre>" in unescape(drawn)
