"""The examples run, each as a person starts it, and say what their docstrings promise."""

from __future__ import annotations

import re
import runpy
import sys
import warnings
from pathlib import Path

import pytest

import workbench as wb
from engines.api import registry

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


def test_each_engine_has_one():
    assert {name.split("_")[0] for name in NAMES} == set(registry.engines())


def test_a_slab_transmits_as_airy_says(said):
    assert numbers(r"Largest difference: (\S+)", said("fdtd_slab"))[0] < 4e-3  # 70 cells per µm leave 0.9e-3


def test_a_cell_gives_less_the_faster_and_less_with_an_electrolyte(said):
    text = said("battery_rates")
    spm, spme = (numbers(rf"{model} +\S+: (\S+) A h", text) for model in ("SPM", "SPMe"))
    assert spm == sorted(spm, reverse=True)
    assert all(one <= other for one, other in zip(spme, spm, strict=True))
    assert spm[0] == pytest.approx(5.0, rel=0.02)  # the nominal capacity of the LG M50, Chen et al. 2020


def test_a_wave_is_faster_by_about_the_root_of_the_conductivity(said):
    speeds = numbers(r": (\S+) m/s", said("cardiac_velocity"))
    assert speeds[3] / speeds[0] == pytest.approx((1.2 / 0.6) ** 0.5, rel=0.15)  # a coarse mesh adds to it


def test_a_crack_runs_farther_the_harder_the_plate_is_pulled(said):
    tips = numbers(r"tip is at (\S+) mm", said("peridynamics_crack"))
    assert tips == sorted(tips)
    assert tips[-1] > tips[0] + 5.0


def test_inhibition_slows_a_network(said):
    rates = numbers(r": (\S+) Hz", said("spiking_inhibition"))
    assert rates == sorted(rates, reverse=True)
    assert rates[2] == pytest.approx(5.7, abs=0.5)  # of the preset, as its summary says


def test_diffusion_converges_with_the_second_order(said):
    orders = numbers(r"(\d\.\d\d)", said("stencil_order").partition("Order of convergence:")[2])
    assert orders == pytest.approx([2.0, 2.0], abs=0.15)


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
    assert capsys.readouterr().out.startswith("µm 0.99")
    for name in re.findall(r"`wb\.(\w+)", page):
        assert name in wb.__all__ or name == "__all__", name
    for name in re.findall(r"`run\.(\w+)", page):
        assert hasattr(wb.Run, name) or name == "interrupted", name
    for name in re.findall(r"`project\.(\w+)", page):
        assert hasattr(wb.Project, name), name
