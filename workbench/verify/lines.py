"""Outcomes as the lines of a plain table, and the sentence below it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.api.verification import Answer
from workbench.verify.running import Outcome
from workbench.words.units import counted, unit_text

FIGURE, NUMBER = 40, 14
LEAST_DIGITS, MOST_DIGITS = 4, 12


def head(case_width: int) -> str:
    """The names of the columns; ``case_width`` is that of the longest name of a case."""
    names = (f"{name:>{NUMBER}}" for name in ("expected", "ours", "error", "tolerance"))
    return f"{'case':<{case_width}}  {'figure':<{FIGURE}} {' '.join(names)}  {'':5} {'seconds':>8}"


def lines_of(outcome: Outcome, case_width: int) -> list[str]:
    """A line for each figure, the first with the case and its seconds; or one that says what went wrong."""
    seconds = f"{outcome.seconds:8.1f}"
    if outcome.error:
        return [f"{outcome.name:<{case_width}}  {outcome.error} {'':2}wrong {seconds}"]
    lines = []
    for place, answer in enumerate(outcome.answers):
        name, took = (outcome.name, seconds) if place == 0 else ("", "")
        numbers = " ".join(f"{text:>{NUMBER}}" for text in number_texts(answer))
        verdict = "right" if answer.right else "wrong"
        lines.append(f"{name:<{case_width}}  {figure_text(answer):<{FIGURE}} {numbers}  {verdict:5} {took}".rstrip())
    return lines


def figure_text(answer: Answer) -> str:
    """``Peak voltage [mV]``."""
    unit = unit_text(answer.unit)
    return f"{answer.name} [{unit}]" if unit else answer.name


def number_texts(answer: Answer) -> tuple[str, str, str, str]:
    """Expected, ours, error and tolerance, with the digits that the tolerance asks for and one more."""
    size = max((abs(value) for value in (answer.expected, answer.value) if math.isfinite(value)), default=0.0)
    digits = MOST_DIGITS
    if size > 0 and 0 < answer.tolerance < math.inf:
        digits = min(MOST_DIGITS, max(LEAST_DIGITS, math.ceil(math.log10(size / answer.tolerance)) + 2))
    form = f".{digits}g"
    error = answer.value - answer.expected
    return f"{answer.expected:{form}}", f"{answer.value:{form}}", f"{error:+.2g}", f"{answer.tolerance:.2g}"


def closing(outcomes: Sequence[Outcome], planned: int) -> str:
    """What came of it all. ``planned``: cases that were to be run; fewer outcomes: it was interrupted."""
    figures = sum(len(outcome.answers) for outcome in outcomes)
    wrong = [f"{outcome.name} ({answer.name})" for outcome in outcomes for answer in outcome.wrong]
    failed = [outcome.name for outcome in outcomes if outcome.error]
    seconds = f"{sum(outcome.seconds for outcome in outcomes):.0f} s"
    parts = []
    if len(outcomes) < planned:
        parts.append(f"Interrupted after {len(outcomes)} of {counted(planned, 'case')}.")
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        parts.append(f"{len(wrong)} of {counted(figures, 'figure')} {verb} wrong: {', '.join(wrong)}.")
    elif figures:
        among = counted(len(outcomes) - len(failed), "case")
        said = "The one figure is" if figures == 1 else f"All {figures} figures are"
        parts.append(f"{said} right, of {among} in {seconds}.")
    if failed:
        parts.append(f"{counted(len(failed), 'case')} ended without a figure: {', '.join(failed)}.")
    return " ".join(parts) or "No case was run."
