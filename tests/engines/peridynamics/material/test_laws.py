"""Force-stretch laws: calibrated to the fracture energy, the same on a GPU and on the CPU, told where they are odd."""

import math
import re
import time
from itertools import pairwise

import numpy as np
import pytest
from numba import njit
from scipy.integrate import quad

from engines.api import Problem
from engines.api.errors import DeviceError, ProblemError
from engines.backend.compile.nvrtc import compile_cubin
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import family
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.laws import known
from engines.peridynamics.material.laws.calibration import calibrated
from engines.peridynamics.material.laws.code import coded
from engines.peridynamics.material.laws.language import parse
from engines.peridynamics.material.laws.preview import preview
from engines.peridynamics.parameters import Material, OtherMaterial, PeridynamicParameters
from engines.peridynamics.parameters.laws import WHOLE, Bilinear, Brittle, Exponential, Nonlinear, Trilinear, Typed
from tests.cuda_on_host import COMPILER
from tests.cuda_on_host.loader import compile_for_host

SOFTENING = [
    Bilinear(),
    Trilinear(),
    Trilinear(kink_force=0.4, kink_place=0.3),
    Exponential(),
    Exponential(decay=0.1),
    Nonlinear(),
    Nonlinear(decay=3.0, linear_part=1.5),
]
NAMES = [f"{law.kind}{place}" for place, law in enumerate(SOFTENING)]
EVERYTHING = (
    "k = 2.5",
    "x = (s - s0)/(sc - s0)",
    "a = exp(-k*x)*tanh(3*x + 0.2) + sqrt(abs(x) + 0.1)**3",
    "b = log(1 + x**2) - min(x, 0.3, a) * max(-x, 0.1)",
    "inside = 0 <= x < 1 and not s == s0 or d > 0.9",
    "d = where(inside, 0.3*a + 0.1*b, (x > 1)*0.8) if x > -0.5 else d**1.5 - 1/k",
)


@pytest.fixture(scope="module")
def glass():
    return Lattice(family(2, 3), "plane stress", 72e9, 2440.0, 3.8, 1e-3 / 3, 1e-3)


def typed(*lines, **settings):
    return Typed(lines=list(lines), **settings)


@pytest.mark.parametrize("choice", SOFTENING, ids=NAMES)
def test_the_area_under_a_law_is_that_of_the_brittle_one(glass, choice):
    """Adaptive quadrature to 1e-10, between the places where a curve has kinks."""
    made = calibrated(choice, glass)
    at = lambda s: (1 - float(made.code.damage(np.float64(s), np.float64(0), made.parameters))) * s  # noqa: E731
    ends = [made.elastic_limit, made.failure]
    if isinstance(choice, Trilinear):
        place = choice.kink_place or 2 * 0.25 * 0.75 / 3.5
        ends.insert(1, made.elastic_limit + place * (made.failure - made.elastic_limit))
    area = made.elastic_limit**2 / 2
    area += sum(quad(at, *pair, epsrel=1e-11, limit=200)[0] for pair in pairwise(ends))
    assert area == pytest.approx(glass.critical_stretch**2 / 2, rel=1e-9)
    assert made.work == glass.critical_stretch**2 / 2
    assert at(made.elastic_limit) == pytest.approx(10e6 / glass.young, rel=1e-12)
    assert at(made.failure) == pytest.approx(0, abs=1e-12 * made.failure)


@pytest.mark.parametrize("choice", SOFTENING, ids=NAMES)
def test_what_is_found_along_a_pull_is_what_the_formulas_say(glass, choice):
    """Areas are of straight pieces, refined to 1e-9 each; some thousand pieces."""
    made = calibrated(choice, glass)
    assert made.pull.elastic_limit == pytest.approx(made.elastic_limit, rel=1e-12)
    assert made.pull.failure == pytest.approx(made.failure, rel=1e-9)
    assert made.pull.work == pytest.approx(made.work, rel=1e-6)
    assert made.pull.findings == ()


@pytest.mark.parametrize(
    ("formulation", "reach", "near"), [("plane stress", 24, 0.01), ("plane strain", 24, 0.01), ("3D", 10, 0.01)]
)
def test_a_crack_through_a_lattice_takes_the_fracture_energy(formulation, reach, near):
    """All bonds that cross a plane of the lattice, pulled until they are gone: c V² |ξ| ∫ (1 − d) s ds each. A lattice
    has more or fewer of them than a continuous body; ``near`` is what is left of that at this horizon."""
    spacing, thickness = 1e-3, 2e-3
    kin = family(3 if formulation == "3D" else 2, reach)
    lattice = Lattice(kin, formulation, 30e9, 2300.0, 100.0, spacing, spacing if formulation == "3D" else thickness)
    made = calibrated(Exponential(strength=1.0), lattice)
    area = spacing * lattice.thickness
    across = np.maximum(kin.offsets[:, 1], 0)  # a bond (a, b) has b places at which it crosses
    taken = (across * kin.lengths).sum() * spacing * lattice.micromodulus * lattice.volume**2 * made.pull.work / area
    assert taken == pytest.approx(100.0, rel=near)


def test_the_laws_are_those_of_pypd(glass):
    """Hobbs' formulas, written out; pypd's failure stretch leaves the area up to s0 out."""
    stretch = np.linspace(1.4e-4, 2e-3, 300)
    thickness, c, horizon = glass.thickness, glass.continuum_micromodulus, glass.horizon
    made = calibrated(Trilinear(), glass)
    s0, sc, beta = made.elastic_limit, made.failure, 0.25
    gamma = (3 + 2 * beta) / (2 * beta * (1 - beta))
    theirs = 4 * gamma * 3.8 / (thickness * horizon**4 * c * s0 * (1 + gamma * beta)) + s0
    assert theirs - sc == pytest.approx(s0 * gamma / (1 + gamma * beta), rel=1e-9)
    s1 = s0 + (sc - s0) / gamma
    eta = s1 / s0
    first = 1 - (eta - beta) / (eta - 1) * s0 / stretch + (1 - beta) / (eta - 1)
    second = 1 - s0 * beta / stretch * (sc - stretch) / (sc - s1)
    expected = np.where(stretch <= s1, first, second)
    np.testing.assert_allclose(made.code.damage(stretch, 0.0, made.parameters), expected, atol=1e-12)
    made = calibrated(Nonlinear(), glass)
    s0, sc, alpha, k = made.elastic_limit, made.failure, 0.25, 25
    x = (stretch - s0) / (sc - s0)
    curve = 1 - (1 - np.exp(-k * x)) / (1 - np.exp(-k)) + alpha * (1 - x)
    expected = 1 - s0 / stretch * curve / (1 + alpha)
    np.testing.assert_allclose(made.code.damage(stretch, 0.0, made.parameters), expected, atol=1e-12)


def test_brittle_bonds_have_no_law(glass):
    made = calibrated(Brittle(), glass)
    assert made.law() is None
    assert made.failure == made.elastic_limit == glass.critical_stretch
    assert made.pull.work == pytest.approx(made.work, rel=1e-14)


@njit
def call(function, s, d, which, p):
    function(s, d, which, p, len(s))


def random_bonds(made, count=400):
    rng = np.random.default_rng(7)
    return rng.uniform(0.3, 1.2, count) * made.failure, rng.uniform(0, 1, count) * rng.integers(0, 2, count)


LAWS = [*SOFTENING[::2], typed(*EVERYTHING), typed("d = s > sb")]


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
@pytest.mark.parametrize(("real", "rounding"), [("double", 2e-15), ("float", 1e-6)])
def test_cuda_and_numba_say_the_same(glass, real, rounding):
    """Damage is 1 minus a ratio of order 1, after some ten operations: absolute errors of a few units of rounding, ten
    in ``EVERYTHING``. Numba's is in float64 whatever the precision of a run."""
    made = [_followed(choice, glass) for choice in LAWS]
    laws = [each.law() for each in made]
    text = "".join(law.cuda.replace("law_damage", f"law_{place}") for place, law in enumerate(laws))
    text += "".join(
        f'extern "C" __global__ void all_{n}(const REAL* s, const REAL* d, const REAL* p, REAL* out)'
        f"{{ const int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = law_{n}(s[i], d[i], p); }}\n"
        for n in range(len(laws))
    )
    module = compile_for_host(text, (f"-DREAL={real}",))
    dtype = np.float64 if real == "double" else np.float32
    for place, law in enumerate(laws):
        s, d = (each.astype(dtype) for each in random_bonds(made[place]))
        out, expected = np.empty_like(s), d.astype(float)
        p = np.array(law.parameters)
        module.get_function(f"all_{place}")((4,), (100,), (s, d, p.astype(dtype), out))
        given = np.stack([np.full_like(p, np.nan), p])  # the parameters are the second row's
        call(law.function, s.astype(float), expected, np.ones(len(s), np.int64), given)
        known_too = np.maximum(d, made[place].code.damage(s.astype(float), d.astype(float), law.parameters))
        np.testing.assert_allclose(expected, known_too, rtol=0, atol=1e-14)
        np.testing.assert_allclose(out, expected, rtol=0, atol=10 * rounding)
        assert (out >= d).all()
        assert ((expected > 0) & (expected < 1)).any() or place == len(laws) - 1
    assert len(call.signatures) == 1  # one kernel for all laws


def _followed(choice, material):
    """``EVERYTHING`` is not a law that can be pulled: its numbers are given."""
    if not (isinstance(choice, Typed) and len(choice.lines) > 3):
        return calibrated(choice, material)
    made = calibrated(Bilinear(), material)
    code = coded(parse(choice.lines))
    given = {"s0": made.elastic_limit, "sb": made.brittle_stretch, "sc": made.failure}
    return type(made)(made.elastic_limit, made.failure, 0.0, made.brittle_stretch, code, code.parameters(given))


def test_a_law_compiles_within_a_second(tmp_path):
    """CPU time, for other programs may run; once anything has been compiled at all. No registers are spilled."""
    coded(parse(known.BILINEAR)).function()
    lines = [*EVERYTHING[:-1], "unheard = x*0.01", f"{EVERYTHING[-1]} + unheard"]
    began = time.process_time()
    code = coded(parse(lines))
    code.function()
    assert time.process_time() - began < 1.0
    path = tmp_path / "law.cu"
    path.write_text(
        code.cuda + 'extern "C" __global__ void one(const REAL* s, const REAL* p, REAL* d)'
        "{ d[threadIdx.x] = law_damage(s[threadIdx.x], d[threadIdx.x], p); }"
    )
    try:
        began = time.process_time()
        compiled = compile_cubin(path, ("-DREAL=float",), 90)
    except (ImportError, DeviceError) as error:
        pytest.skip(f"no NVRTC on this platform: {error}")
    assert time.process_time() - began < 1.0
    assert [(each.spill_stores, each.stack) for each in compiled.resources] == [(0, 0)]


def test_a_number_with_a_name_compiles_nothing_anew():
    one, other = (coded(parse(("k = 2" if first else "k = 7.5", "d = k*(1 - s0/s)"))) for first in (True, False))
    assert one.key == other.key
    assert one.function() is other.function()
    assert one.parameters({"s0": 1, "sb": 1, "sc": 1}) == (1, 2)
    assert coded(parse(["d = 3*(1 - s0/s)"])).key != one.key


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (["d = 1 - s0/sx"], 0, r"'sx', which is not known \(perhaps s\): there are s, d, s0, sb, sc\."),
        (["k = 3", "d = q*s"], 1, "'q', which is not known: there are s, d, s0, sb, sc, k\\."),
        (["d = exo(s)"], 0, r"the unknown function 'exo' \(perhaps exp\); known are exp, log, sqrt"),
        (["k = 2", "", "x = 3 +"], 2, "at character 8: a value is missing after '[+]'"),
        (["x = s"], 0, "no line says what the damage is: one begins with 'd ='"),
        ([], 0, "no line says"),
        (["s = 3"], 0, "'s' has a meaning here"),
        (["1 - s0/s"], 0, "does not begin with a name and '='"),
        (["import os"], 0, "does not begin with"),
        (["d = __import__('os').system('true')"], 0, "calls the unknown function '__import__'"),
        (["d = s.real"], 0, "'s.real', which is not known"),
        (["d = 'text'"], 0, "holds ''' at character 5: a formula has numbers, s, d, s0, sb, sc, "),
        (["d = True"], 0, "'True', which is not known"),
        (["d = s^2"], 0, r"'\^': write powers as '\*\*'"),
        (["d = exp"], 0, "'exp', which needs its arguments"),
        (["d = exp(s, d)"], 0, "exp with other than one argument"),
        (["d = min(s)"], 0, "min with other than two arguments or more"),
        (["d = where(s, 1, 0)"], 0, "a condition that is neither true nor false: compare it"),
        (["d = where(s > s0, 1)"], 0, "where with other than three arguments"),
        (["if s > s0:", "    d = 1"], 0, "write a choice as"),
        (["d = 1e999"], 0, "the number '1e999', which is too large"),
        (["d = " + "(" * 1001 + "s" + ")" * 1001], 0, "nested too deeply: give a part of it a name"),
        (["if = 3"], 0, "'if' has a meaning here"),
        (["d == 1"], 0, "does not begin with a name and '='"),
        (["k = 1; d = s"], 0, "holds ';' at character 6"),
        (["k = (1 +", "  sx)", "d = k"], 1, "'sx', which is not known"),
        (["k = (1 + # (", "  3 3)"], 1, "at character 5: an operator is missing before '3'"),
        (["d = (1 +", "  s"], 0, r"at character 5: '\(' lacks its closing"),
        (["d = " + " + ".join(["s"] * 600)], 0, "too long"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said_with_its_line(lines, line, reason):
    with pytest.raises(ProblemError, match=reason) as caught:
        parse(lines)
    assert caught.value.place == (line,)
    assert re.match(rf"Line {line + 1}(:| \w)", str(caught.value))


def test_a_value_may_go_on_in_the_next_line_and_names_may_be_any():
    code = coded(parse(["α = (s0 +  # a comment", "     0*sc)", "int = α/s", "d = 1 - int"]))
    parameters = code.parameters({"s0": 1, "sb": 9, "sc": 9})
    assert code.damage(np.array([2.0, 4.0]), 0.0, parameters) == pytest.approx([0.5, 0.75])
    assert "α" not in code.cuda


def test_a_law_may_be_nested_as_deeply_as_a_formula():
    """480 brackets, choices in choices and a sum of 480 parts; all of them alike in Numba and in NumPy."""
    brackets = "d = " + "(" * 480 + "s" + ")" * 480
    choices = "d = " + "".join(f"s/{k} if s < {k} else " for k in range(1, 150)) + "1"
    for lines in ([brackets], [choices], ["d = s/480" + " + s/480" * 479]):
        code = coded(parse(lines))
        s, d = np.linspace(0.1, 300, 100), np.zeros(100)
        call(code.function(), s, d, np.zeros(100, np.int64), np.zeros((1, 0)))
        assert np.array_equal(d, code.damage(s, 0.0, ()))


def test_what_is_true_or_false_may_have_a_name():
    code = coded(parse(["near = s < s0", "far = sb > sc", "d = where(near or far, 0.25, near*7 + far*5 + 0.5)"]))
    for sb, expected in ((1, [0.25, 0.5]), (3, [0.25, 0.25])):
        parameters = code.parameters({"s0": 1, "sb": sb, "sc": 2})
        assert code.damage(np.array([0.5, 2.0]), 0.0, parameters) == pytest.approx(expected)


def test_typed_laws_meet_the_fracture_energy_by_sc(glass):
    """The texts that are offered, and one that says the same in other words."""
    for _, lines in WHOLE:
        made = calibrated(typed(*lines), glass)
        assert made.work == pytest.approx(glass.critical_stretch**2 / 2, rel=1e-6)
        assert made.findings == ()
    wanted = calibrated(Bilinear(), glass)
    made = calibrated(typed("d = max(d, 1 - s0/s*(sc - s)/(sc - s0))"), glass)
    assert made.failure == pytest.approx(wanted.failure, rel=1e-9)
    assert made.elastic_limit == pytest.approx(wanted.elastic_limit, rel=1e-12)


@pytest.mark.parametrize(
    ("lines", "sentences"),
    [
        (["d = 1 - s0/s"], ["never breaks a bond: at a stretch of 10 it still has 100 % of its largest force"]),
        (["d = 0"], ["never breaks a bond"]),
        (["d = 0.5*(s > s0)"], ["grows again beyond a stretch of 0.000139", "grows with the stretch without end"]),
        (["d = where(s > 4*s0, 1, 0)"], ["By this law a crack takes 15.9 J/m², not the 3.8"]),
        (["d = d + 0.01*(s > s0)"], ["depends on the time step", "By this law a crack takes"]),
        (["d = where(s < 2*s0, 0.4*(s > s0), 1)"], ["grows again", "By this law"]),
    ],
)
def test_what_is_odd_about_a_law_is_said(glass, lines, sentences):
    said = [finding.message for finding in calibrated(typed(*lines), glass).findings]
    assert len(said) == len(sentences)
    for message, wanted in zip(said, sentences, strict=True):
        assert wanted in message


def test_a_law_that_is_no_number_is_refused_with_the_stretch(glass):
    with pytest.raises(ProblemError, match=r"no number at a stretch of 1.*e-0[67]") as caught:
        calibrated(typed("d = sqrt(s/s0 - 1)"), glass)
    assert caught.value.place == ("lines",)
    made = calibrated(typed("d = where(s > s0, sqrt(s/s0 - 1), 0)"), glass)
    assert made.failure == pytest.approx(2 * made.elastic_limit, rel=1e-9)
    with pytest.raises(ProblemError, match="Line 1: its value is not a finite number"):
        calibrated(typed("k = 1/(sb - sb)", "d = k*s"), glass)
    with pytest.raises(ProblemError, match="no number"):
        calibrated(typed("d = d + log(0.5 - d)*0 + s/s0 - 1"), glass)


@pytest.mark.parametrize("make", [Bilinear, Trilinear, Exponential, Nonlinear, Typed])
def test_a_strength_that_leaves_no_energy_is_refused_with_the_largest(glass, make):
    reason = r"40 MPa leaves no energy .* less than 19.5 MPa, or a horizon below 0.238 mm"
    with pytest.raises(ProblemError, match=reason):
        calibrated(make(strength=40.0), glass)
    made = calibrated(make(strength=19.5), glass)
    assert 1 < made.failure / made.elastic_limit < 2
    finer = Lattice(glass.family, "plane stress", glass.young, 2440.0, 3.8, 0.238e-3 / 3, 1e-3)
    assert calibrated(make(strength=40.0), finer).elastic_limit == pytest.approx(40e6 / 72e9)
    with pytest.raises(ProblemError, match=r"An elastic limit of 0.001 leaves no energy .* less than 0.000271"):
        calibrated(make(begins="stretch", stretch=1e-3), glass)


def test_the_preview_draws_the_law(glass):
    shown = preview(Trilinear(), glass)
    facts = {fact.title: fact.value for fact in shown.facts}
    assert facts == pytest.approx(
        {"Largest stress": 10, "Elastic limit": 1 / 72, "Failure stretch": 0.123562, "Fracture energy": 3.8}, rel=1e-5
    )
    ((info, data),) = shown.profiles
    (curve,) = data.curves
    assert (info.unit, info.x_unit) == ("MPa", "%")
    assert curve.y.max() == pytest.approx(10, rel=1e-12)
    area = np.trapezoid(curve.y, curve.x) * 1e4 / glass.young  # ∫ (1 − d) s ds
    assert area == pytest.approx(glass.critical_stretch**2 / 2, rel=1e-6)
    assert preview(Bilinear(strength=40.0), glass).title.startswith("A tensile strength of 40 MPa")
    endless = {fact.title: fact.value for fact in preview(typed("d = 1 - s0/s"), glass).facts}
    assert math.isinf(endless["Failure stretch"])
    assert math.isnan(endless["Fracture energy"])


def test_the_engine_previews_and_says_what_is_wrong(cpu):
    engine = PeridynamicsEngine()
    assert list(engine.previews(Problem(PeridynamicParameters()))) == [("material", "law")]
    small = {"body": {"kind": "plate", "size_x": 20, "size_y": 10}, "bonds": {"spacing": 1.0}, "notches": []}
    strong = PeridynamicParameters.model_validate({**small, "material": Material(law=Bilinear(strength=400.0))})
    with pytest.raises(ProblemError, match="leaves no energy") as caught:
        engine.estimate(Problem(strong), cpu)
    assert caught.value.place == ("material", "law", "strength")
    never = PeridynamicParameters.model_validate({**small, "material": Material(law=typed("d = 1 - s0/s"))})
    said = [each for each in engine.estimate(Problem(never), cpu).findings if each.severity == "warning"]
    assert said[0].message.startswith("This law never breaks a bond")
    assert said[0].place == ("material", "law")
    other = OtherMaterial(law=typed("d = 1 - s0/s"))
    both = never.model_copy(update={"materials": [other]})
    said = [each for each in engine.estimate(Problem(both), cpu).findings if "never breaks a bond" in each.message]
    assert [each.place for each in said] == [("material", "law"), ("materials", 0, "law")]
