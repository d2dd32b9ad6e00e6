"""The manual: it builds without a broken link, and names everything that a person may set or call."""

from __future__ import annotations

import re
import shutil
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


def built(into: Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The manual by the line that people's own builds are made with."""
    script = (ROOT / "workbench.sh").read_text("utf-8")
    options = re.search(r"-m mkdocs (build .*?) *\|\|", script)
    assert options
    build = [sys.executable, "-m", "mkdocs", *options[1].split(), "--site-dir", str(into)]
    return subprocess.run(build, capture_output=True, text=True, check=False, cwd=folder)


def test_a_broken_link_fails_the_build(tmp_path):
    """With the line of the script and the rules of the manual, on a page of one line."""
    (tmp_path / "docs" / "manual").mkdir(parents=True)
    (tmp_path / "docs" / "manual" / "index.md").write_text("[there](nowhere.md)\n")
    rules = (ROOT / "docs" / "mkdocs.yml").read_text("utf-8")
    (strict,) = re.findall(r"^strict: .*$", rules, re.MULTILINE)
    (tmp_path / "docs" / "mkdocs.yml").write_text(f"site_name: one\ndocs_dir: manual\n{strict}\n")
    done = built(tmp_path / "site", folder=tmp_path)
    assert done.returncode == 1
    assert "'nowhere.md'" in done.stderr


def test_the_manual_builds_without_a_broken_link(tmp_path):
    done = built(tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reference" / "parameters" / "fdtd.html").read_text("utf-8")
    assert "objects.0.high" in page
    fetched = re.findall(r'(?:src|stylesheet" href)="(https?:[^"]*)', page)
    assert not fetched  # by who reads it


def test_every_public_name_of_python_is_in_the_reference():
    page = (ROOT / "docs" / "manual" / "reference" / "python.md").read_text("utf-8")
    assert [name for name in workbench.__all__ if f".{name}\n" not in page] == []


def test_a_figure_of_another_example_is_stale(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import make_figures

    assert make_figures.stale() == []
    for folder in ("examples", "docs/manual/tutorials/figures"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.setattr(make_figures, "ROOT", tmp_path)
    monkeypatch.setattr(make_figures, "FIGURES", tmp_path / "docs/manual/tutorials/figures")
    with (tmp_path / "examples" / "fdtd_slab.py").open("a") as example:
        example.write("# another\n")
    (told,) = make_figures.stale()
    assert "make_figures.py fdtd_slab" in told
    make_figures.stamp(tmp_path / "docs/manual/tutorials/figures/fdtd_slab.png")
    assert make_figures.stale() == []
