"""Reads networks from Brian2's texts: a script, or equations by themselves. Nothing of the file is run."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

from engines.api import Finding, Imported
from engines.api.errors import ProblemError
from engines.reading import guarded
from engines.spiking.brian2.network import network_of
from engines.spiking.brian2.neurons import checked
from engines.spiking.brian2.objects import Script
from engines.spiking.brian2.walk import Walker
from engines.spiking.parameters import SpikingParameters
from engines.spiking.typed.lines import heading

LARGEST = 1 << 20
MOST_TOLD = 40
_OURS = re.compile(r"\bbrian2?\b|\bNeuronGroup\b|^[^\S\n]*d\w+\s*/\s*dt\s*=", re.MULTILINE)
_BARE = re.compile(r"^[^\S\n]*d\w+\s*/\s*dt\s*=", re.MULTILINE)
_LONG_GAP = re.compile(r"[^\S\n]{100,}")
_GROUP = "G = NeuronGroup(1, equations, threshold=threshold, reset=reset, refractory=refractory, method=method)"
_FIELDS = ("threshold", "reset", "refractory", "method")


@guarded("cannot be read as a Brian2 text: save it again as text.", largest=LARGEST)
def read_brian2(path: Path) -> Imported | None:
    """None for what is no such text. Raises ProblemError with the line that cannot be used."""
    text = path.read_text("utf-8", errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
    if not _OURS.search(text):
        return None
    return problem_of(text, path.name)


def problem_of(text: str, name: str = "the text") -> Imported:
    """Raises ProblemError."""
    text = _LONG_GAP.sub(" ", text)  # which patterns would go through again from each of its blanks
    titles: dict[int, str] = {}
    if _BARE.search(text) and "NeuronGroup" not in text and "'" * 3 not in text and '"' * 3 not in text:
        statements = [each for part in _as_script(text) for each in _statements(part)]
    else:
        statements, titles = _statements(text), dict(_titles(text))
    script = Walker(titles).read(statements)
    if not script.groups:
        raise ProblemError(f"'{name}' makes no group of neurons.")
    return _problem(script)


def _statements(text: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python about the text of others
            return ast.parse(text).body
    except (SyntaxError, ValueError) as error:
        line, why = getattr(error, "lineno", None), getattr(error, "msg", str(error))
        raise ProblemError(f"Line {line or 1}: this is no Python that can be read ({why}).") from None


def _as_script(text: str) -> tuple[str, str, str]:
    """Equations by themselves, and lines ``threshold = 'v > V_t'`` or ``tau = 5*ms`` among them, as parts of a script,
    each with the lines of the file."""
    equations, others = [], []
    waiting = ""
    for line in text.split("\n"):
        code = line.split("#")[0]
        is_equation = bool(waiting) or (heading(f"{code}:1" if ":" not in code else code) or ("",))[0] == "variable"
        is_equation = is_equation or (heading(code) is not None and ":" in code)
        equations.append(line if is_equation else "")
        others.append("" if is_equation else line)
        waiting = (waiting + code) if is_equation and ":" not in code else ""
    body = "\n".join(equations).replace("\\", "").replace("'''", "")
    given = "\n".join(others)
    ends = "; ".join(f"{name} = ''" for name in _FIELDS if not re.search(rf"^[^\S\n]*{name}\s*=", given, re.MULTILINE))
    return f"equations = '''{body}'''", given, f"{ends}\n{_GROUP}"


def _titles(text: str) -> Iterator[tuple[int, str]]:
    """Names in comments before a statement, as our own scripts have them, by its line."""
    waiting = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            quoted = re.fullmatch(r"#\s*(['\"].{1,60}['\"])", token.string)
            waiting = ""
            if quoted:
                try:
                    found = ast.literal_eval(quoted[1])
                except (SyntaxError, ValueError):
                    continue
                waiting = found if isinstance(found, str) else ""
        elif token.type == tokenize.NAME and waiting:
            yield token.start[0], waiting
            waiting = ""


def _problem(script: Script) -> Imported:
    populations, connections, tables = network_of(script)
    given = {
        "populations": populations, "connections": connections,
        "numerics": {"step": float(f"{script.step:.12g}"), "seed": script.seed},
    }  # fmt: skip
    return Imported(checked(SpikingParameters, given), tuple(_findings(script)), script.until, tables=tables)


def _findings(script: Script) -> Iterator[Finding]:
    for line, sentence, matters in script.told[:MOST_TOLD]:
        where = f"Line {line}" if line else ""
        yield Finding(f"{where}{sentence.removesuffix('.')}.", "warning" if matters else "info", distorts=False)
    if len(script.told) > MOST_TOLD:
        yield Finding(f"And {len(script.told) - MOST_TOLD} more lines are left out.")
