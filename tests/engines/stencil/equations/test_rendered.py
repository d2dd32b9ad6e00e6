"""Lines as print has them: nothing of what is typed is lost, nothing of it becomes markup."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.stencil.equations.typed.rendered import html


def text(line: str) -> str:
    """Without its marks, powers as ^(…)."""
    found = html([line]).replace("<sup>", "^(").replace("</sup>", ")").replace("<sub>", "_").replace("</sub>", "")
    return unescape(re.sub("<[^>]*>", "", found))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("du/dt = D*laplacian(u) - u*v**2 + F*(1 - u)", "∂_tu = D ∇²u − u v^(2) + F (1 − u)"),
        ("du/dt = div(D*grad(u))", "∂_tu = ∇·(D ∇u)"),
        ("d2w/dt2 = c_0**2*laplacian(w) - gamma*w_t", "∂_t²w = c_0^(2) ∇²w − γ w_t"),
        ("mu = u**3 - u", "μ = u^(3) − u"),
        ("q = laplacian(u)*v", "q = (∇²u) v"),
        ("q = laplacian(u + v)", "q = ∇²(u + v)"),
        ("q = a - (b - c) - (a + b)*c", "q = a − (b − c) − (a + b) c"),
        ("q = a/(b*c)", "q = a/(b c)"),
        ("q = (a + b)**-2", "q = (a + b)^(−2)"),
        ("q = 2*u*(-3)", "q = 2 u·−3"),
        ("q = where(u > 0.5, exp(-x), sqrt(abs(u)))", "q = {e^(−x) if 0.5 < u, else √|u|}"),
        ("q = 1e-5*dxy(u) + dot(grad(u), grad(v))", "q = 1·10^(−5) ∂_xyu + ∇u·∇v".replace("∇u·∇v", "(∇u)·(∇v)")),
        ("q = exp(-(x - a)**2/20)", "q = exp(−(x − a)^(2)/20)"),
        ("q = u**(1 + v_0) + e**(v**2)", "q = pow(u, 1 + v_0) + pow(e, v^(2))"),
        ("du/dt = foo(", "∂_tu = foo("),
        ("nothing", "nothing"),
        ("q = <b>*u", "q = <b>*u"),
    ],
)
def test_a_line_in_print(line, shown):
    assert text(line) == shown


@given(st.text(alphabet="du/t=<>&*+-()bi'\" \n", max_size=60))
@settings(max_examples=200)
def test_marks_are_ours_alone(line):
    assert set(re.findall("<[^>]*>", html([line]))) <= {
        "<p style='margin: 2px 0'>", "</p>", "<i>", "</i>", "<sub>", "</sub>", "<sup>", "</sup>",
    }  # fmt: skip


def test_what_is_deep_or_long_is_cut():
    assert "…" in html(["q = " + "+".join(["sin(x)"] * 2000)])
    assert "sin" in html(["q = " + "sin(" * 400 + "x" + ")" * 400])
