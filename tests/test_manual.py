"""The manual: it builds without a broken link, and names everything that a person may set or call."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from engines.api import registry
from ui.forms.schema import default_values
from ui.window.help.manual.reference import commands_page, parameters_page
from workbench.cli.arguments import COMMANDS

ROOT = Path(__file__).parents[1]


def names(value, path=""):
    """Dotted names of all there is in plain values."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}{key}"
            yield from names(inner, f"{path}{key}.")
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from names(value[0], f"{path}0.")


@pytest.mark.parametrize("engine", list(registry.engines()))
def test_every_parameter_of_a_new_problem_is_in_the_reference(engine):
    engine = registry.engine(engine)
    page = parameters_page(engine)
    wanted = list(names(default_values(engine.Parameters)))
    found = [name for name in wanted if f"| `{name}` |" not in page]
    kinds = [name for name in found if name.rpartition(".")[2] in ("kind", "type", "shape", "form")]
    assert len(wanted) > 4
    assert found == kinds  # a kind stands in the heading of its table


def test_every_command_is_in_the_reference():
    page = commands_page()
    assert all(f"## {name}\n" in page for name in COMMANDS)


def test_the_manual_builds_without_a_broken_link(tmp_path):
    script = (ROOT / "workbench.sh").read_text("utf-8")  # the line that people's own builds are made with
    options = re.search(r"-m mkdocs (build .*?) *\|\|", script)
    assert options
    build = [sys.executable, "-m", "mkdocs", *options[1].split(), "--site-dir", str(tmp_path)]
    done = subprocess.run(build, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reference" / "parameters" / "fdtd.html").read_text("utf-8")
    assert "objects.0.high" in page
    fetched = re.findall(r'(?:src|stylesheet" href)="(https?:[^"]*)', page)
    assert not fetched  # by who reads it


def test_every_public_name_of_python_is_in_the_reference():
    page = (ROOT / "docs" / "manual" / "reference" / "python.md").read_text("utf-8")
    assert [name for name in workbench.__all__ if f".{name}\n" not in page] == []
