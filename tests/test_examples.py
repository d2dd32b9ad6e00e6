"""The examples run, each as a person starts it, and say what their docstrings promise."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shlex
import sys
import warnings
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

import workbench as wb
from engines.api import registry
from engines.fdtd.ports.touchstone import read_touchstone
from workbench.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "figure")


@pytest.fixture
def said(monkeypatch, tmp_path, capsys):
    """Runs an example in a folder of its own; gives what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def run(name: str) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wb.WorkbenchWarning)
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        sys.modules.pop("figure", None)
        return capsys.readouterr().out

    return run


def numbers(pattern: str, text: str) -> list[float]:
    return [float(found) for found in re.findall(pattern, text)]


def quoted(engine: str) -> str:
    """What the engine's tutorial says that its example prints."""
    page = (EXAMPLES.parent / "docs" / "manual" / "tutorials" / f"{engine}.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    return block


def as_quoted(engine: str, text: str) -> bool:
    """Whether an example prints what its tutorial says: its words, and its numbers to 2 %."""
    number = r"\d[\d.,]*(?:e[+-]\d+)?"
    lines = [line for line in text.splitlines() if ".png" not in line]
    ours, told = "\n".join(lines), quoted(engine).rstrip()
    found, wanted = ([float(each.replace(",", "")) for each in re.findall(number, page)] for page in (ours, told))
    same_words = re.sub(number, "", ours).split() == re.sub(number, "", told).split()
    return same_words and found == pytest.approx(wanted, rel=0.02)


def test_each_engine_has_one():
    assert {name.split("_")[0] for name in NAMES} == set(registry.engines())


def test_a_slab_transmits_as_airy_says(said):
    text = said("fdtd_slab")
    assert numbers(r"Largest difference: (\S+)", text)[0] < 4e-3  # 70 cells per µm leave 0.9e-3
    assert as_quoted("fdtd", text)


def test_a_cell_gives_less_the_faster_and_less_with_an_electrolyte(said):
    text = said("battery_rates")
    spm, spme = (numbers(rf"{model} +\S+: (\S+) A h", text) for model in ("SPM", "SPMe"))
    assert spm == sorted(spm, reverse=True)
    assert all(one <= other for one, other in zip(spme, spm, strict=True))
    assert spm[0] == pytest.approx(5.0, rel=0.02)  # the nominal capacity of the LG M50, Chen et al. 2020
    assert as_quoted("battery", text)


def test_a_wave_is_faster_by_about_the_root_of_the_conductivity(said):
    text = said("cardiac_velocity")
    speeds = numbers(r": (\S+) m/s", text)
    assert as_quoted("cardiac", text)
    assert speeds[3] / speeds[0] == pytest.approx((1.2 / 0.6) ** 0.5, rel=0.15)  # a coarse mesh adds to it


def test_a_crack_runs_farther_the_harder_the_plate_is_pulled(said):
    text = said("peridynamics_crack")
    tips = numbers(r"tip is at (\S+) mm", text)
    assert as_quoted("peridynamics", text)
    assert tips == sorted(tips)
    assert tips[-1] > tips[0] + 5.0


def test_inhibition_slows_a_network(said):
    rates = numbers(r": (\S+) Hz", said("spiking_inhibition"))
    assert rates == sorted(rates, reverse=True)
    assert rates[2] == pytest.approx(5.7, abs=0.5)  # of the preset, as its summary says


def test_a_raster_of_noise_and_volleys(said):
    assert as_quoted("spiking", said("spiking_raster"))


def test_diffusion_converges_with_the_second_order(said):
    text = said("stencil_order")
    orders = numbers(r"(\d\.\d\d)", text.partition("Order of convergence:")[2])
    assert as_quoted("stencil", text)
    assert orders == pytest.approx([2.0, 2.0], abs=0.15)


def test_a_front_comes_to_its_speed_as_ebert_and_van_saarloos_say(said):
    text = said("stencil_front")
    for found, law in zip(numbers(r": (\S+) mm/s", text), numbers(r"law (\S+)", text), strict=True):
        assert found == pytest.approx(law, abs=0.015)  # the next term falls as 1/t²; cells add 0.25 %
    assert as_quoted("equations", text)


NOTEBOOK = EXAMPLES / "steer_a_run.ipynb"


def cells_of_notebook() -> list[str]:
    told = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in told["cells"] if cell["cell_type"] == "code"]


def test_a_notebook_steers_a_run(capsys):
    """Its cells in their order, as a kernel runs them; what is shown without being printed is HTML or a picture."""
    names: dict[str, object] = {}
    shown: list[str] = []
    for cell in cells_of_notebook():
        *body, last = ast.parse(cell).body
        ends_shown = isinstance(last, ast.Expr)
        lines = ast.Module(body if ends_shown else [*body, last], [])
        exec(compile(lines, NOTEBOOK.name, "exec"), names)  # noqa: S102 (our own)
        value = eval(ast.unparse(last.value), names) if isinstance(last, ast.Expr) else None  # noqa: S307 (our own)
        if isinstance(value, wb.Picture):
            shown.append(repr(value._repr_png_()[:4]))
        elif value is not None:
            shown.append(value._repr_html_())
    problem, estimate, run, curve, picture, steered, later = shown
    assert all(html.startswith("<div><p><b>Heat on a plate</b>") for html in (problem, run))
    assert "Largest stable step" in estimate
    assert all(html.startswith("<svg") and "Largest value" in html for html in (curve, steered))
    assert all("PNG" in image for image in (picture, later))
    hottest, dabbed = numbers(r"(?:hottest:|the dab) (\d+\.\d+)", capsys.readouterr().out)
    assert dabbed > hottest


def test_a_kernel_runs_the_notebook(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the repository"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pages = [out.data for cell in notebook.cells for out in cell.get("outputs", ()) if "data" in out]
    assert sum("text/html" in page for page in pages) == 6  # the bar is one of them
    assert sum("image/png" in page for page in pages) == 2


def test_what_the_manual_says_of_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (EXAMPLES.parent / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wb.WorkbenchWarning)
        for block in blocks:
            exec(block, names)  # noqa: S102 (our own)
    told = capsys.readouterr().out
    assert told.startswith("µm 0.99")
    weak, strong = (float(rate) for rate in re.findall(r"'synapses.inhibition': .*} (.*)", told))
    assert weak > 1.1 * strong, "a mean tells what inhibition does; the last bin does not"
    for name in re.findall(r"`wb\.(\w+)", page):
        assert name in wb.__all__ or name == "__all__", name
    for name in re.findall(r"`run\.(\w+)", page):
        assert hasattr(wb.Run, name) or name == "interrupted", name
    for name in re.findall(r"`project\.(\w+)", page):
        assert hasattr(wb.Project, name), name


def test_no_page_takes_the_last_bin_of_a_rate_for_the_rate():
    pages = (EXAMPLES.parent / "docs").rglob("*.md")
    assert not [
        page.name for page in pages if re.search(r"(?<!mean_)rate_\w+\"\]\.values\[-1\]", page.read_text("utf-8"))
    ]


def test_a_page_leads_from_a_table_to_a_driven_cell(tmp_path, monkeypatch, capsys):
    """Of the page alone: its table, its lines, and what it says that they print."""
    monkeypatch.chdir(tmp_path)
    page = (EXAMPLES.parent / "docs" / "manual" / "howto" / "drive_cycle.md").read_text(encoding="utf-8")
    table, said = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    (lines,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "commute.csv").write_text(table, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", wb.WorkbenchWarning)  # that the cycle is not used would be one
        exec(lines, {})  # noqa: S102 (our own)
    assert capsys.readouterr().out == said
    (command,) = re.findall(r"workbench.sh (run .*)", page)
    assert main([*shlex.split(command), "--device", "cpu", "--no-pictures", "--quiet"]) == 0
    last = (tmp_path / "driven" / "series.csv").read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith("480,")


COARSE = {
    "scattering": (("[37.0, 38.0, 39.0]", "[38.0]"), ("until=20000", "until=120"), ("until=20000", "until=120")),
    "load_displacement": (('"bonds.spacing": 1.0', '"bonds.spacing": 2.5'), ('load_steps": 30', 'load_steps": 3')),
}
"""Of a page's lines those that make it quick here: what is tested is that names, shapes and units are as it says."""


@pytest.mark.parametrize("page", COARSE)
def test_the_lines_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pyplot = MagicMock()
    pyplot.subplots.return_value = (MagicMock(), (MagicMock(), MagicMock()))
    monkeypatch.setitem(sys.modules, "matplotlib", MagicMock(pyplot=pyplot))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    text = (EXAMPLES.parent / "docs" / "manual" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    for fine, coarse in COARSE[page]:
        assert fine in text
        text = text.replace(fine, coarse, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wb.WorkbenchWarning)
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(block, {})  # noqa: S102 (our own)
    told = re.sub(r"[\d.,e+-]+", "0", capsys.readouterr().out)
    words = [re.sub(r"[\d.,e+-]+", "0", said) for said in re.findall(r"```text\n(.*?)```", text, re.DOTALL)]
    assert [line for said in words for line in said.splitlines() if line not in told] == []
    if page == "scattering":
        ports = {path.suffix: read_touchstone(path.read_text(), int(path.suffix[2])) for path in tmp_path.glob("*.s?p")}
        assert {suffix: found.parameters.shape[1:] for suffix, found in ports.items()} == {
            ".s1p": (1, 1), ".s2p": (2, 2),
        }  # fmt: skip
        assert np.abs(ports[".s2p"].parameters).max() > 0
    else:
        assert {"plate.png", "plate.pvd", "plate.h5"} <= {path.name for path in tmp_path.iterdir()}
