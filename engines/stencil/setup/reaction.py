"""What a step does to the reactions of Gray-Scott and of typed equations, told before a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from engines.api import Array, Finding, Remedy
from engines.api.charts import Fact
from engines.quantities import percent, rounded_down
from engines.stencil.equations.accuracy import APART, longest_step, relative_error
from engines.stencil.equations.passes import Method
from engines.stencil.parameters import GrayScott, NamedPattern
from engines.stencil.parameters.patterns import RATES
from engines.stencil.setup.limits import STEP

FIRST = (0.5, 0.25)
"""U and V of a seed, from where both react without diffusion."""
SPAN = 100.0
"""[s] for which they are followed."""
SHORT = 0.25
"""The longest step of Runge and Kutta's method, beside which steps are held [s]."""
TOLD, WARNED, FINE = 0.05, 0.1, 0.005
"""Errors of V, over the most that there is of it, from which there is a finding and a warning (the published step of
1 s leaves 0.5 to 4 %), and with which a step is proposed."""
SHORTEST = 0.01
"""Below it errors are as much smaller as steps are: forward Euler is of first order [s]."""
STEPS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Steps that are proposed [s]."""
FAR = 0.005
"""Beyond the error that steps chosen by themselves may have: of those nobody is told."""
State = tuple[float, float]


def off_by(equation: GrayScott, dt: float) -> Fact:
    """The same as a fact of the estimate."""
    return Fact("V while it changes, off by up to", 100 * error_of(*_rates(equation), dt), "%")


def _rates(equation: GrayScott) -> tuple[float, float]:
    reaction = equation.reaction
    return RATES[reaction.pattern] if isinstance(reaction, NamedPattern) else (reaction.feed, reaction.kill)


def reaction_findings(equation: GrayScott, dt: float) -> tuple[Finding, ...]:
    """How far V is off on its way by forward Euler, of first order in time. What rests is right with any step."""
    rates = _rates(equation)
    error = error_of(*rates, dt)
    if error <= TOLD:
        return ()
    shorter = [each for each in STEPS if each < dt]
    better = next((each for each in shorter if error_of(*rates, each) <= FINE), shorter[-1] if shorter else None)
    return (
        Finding(
            f"With a step of {dt:g} s V is up to {percent(error)} off while it changes (from a seed, without "
            "diffusion): forward Euler is of first order in time. What has come to rest is right with any step, and "
            "published patterns were mapped with 1 s.",
            "warning" if error > WARNED else "info",
            STEP,
            None if better is None else Remedy(f"Use steps of {better:g} s", {STEP: better}),
        ),
    )


def told_of_reactions(
    method: Method, dt: float, rates: Array, where: str = "where the fields begin"
) -> tuple[Finding, ...]:
    """rates [1/s]: eigenvalues of what a cell's fields do to each other, in states ``where`` says which."""
    off = relative_error(method, rates * dt)
    if not off.size or not off.max() > APART + FAR:
        return ()
    rate, worst = abs(rates[off.argmax()]), off.max()
    shorter = rounded_down(longest_step(method, rates), 2)
    told = f"{worst:.0%}" if worst < 10 else f"{worst:.2g} times itself"
    return (
        Finding(
            f"With steps of {dt:.3g} s what reacts at {rate:.3g}/s {where} is {told} off after "
            f"{max(dt, 1 / rate):.3g} s: steps of at most {shorter:g} s keep that to {APART:.0%}.",
            place=STEP, remedy=Remedy(f"Take {shorter:g} s", {STEP: shorter}), distorts=True,
        ),
    )  # fmt: skip


@lru_cache(maxsize=64)
def error_of(feed: float, kill: float, dt: float) -> float:
    """Largest error of V in SPAN over its largest value, without diffusion; 1 where V runs away."""
    if dt < SHORTEST:
        return error_of(feed, kill, SHORTEST) * dt / SHORTEST
    if dt > SPAN:
        return 1.0

    def slopes(u: float, v: float) -> State:
        return feed * (1 - u) - u * v * v, u * v * v - (feed + kill) * v

    number = max(1, round(SPAN / dt))
    within = max(1, -int(-dt // SHORT))
    stepped = exact = FIRST
    worst, most = 0.0, FIRST[1]
    for _ in range(number):
        du, dv = slopes(*stepped)
        stepped = stepped[0] + dt * du, stepped[1] + dt * dv
        for _ in range(within):
            exact = _runge_kutta(slopes, exact, dt / within)
        worst, most = max(worst, abs(stepped[1] - exact[1])), max(most, exact[1])
        if not abs(stepped[1]) < 10 * most:
            return 1.0
    return worst / most


def _runge_kutta(slopes: Callable[[float, float], State], state: State, dt: float) -> State:
    def moved(by: State, time: float) -> State:
        return state[0] + time * by[0], state[1] + time * by[1]

    a = slopes(*state)
    b = slopes(*moved(a, dt / 2))
    c = slopes(*moved(b, dt / 2))
    d = slopes(*moved(c, dt))
    return moved((a[0] + 2 * b[0] + 2 * c[0] + d[0], a[1] + 2 * b[1] + 2 * c[1] + d[1]), dt / 6)
