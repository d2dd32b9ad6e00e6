"""What the gallery showed is found again by the next window, or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engines.api import Preset
from ui.window.centre import first_page
from ui.window.centre.first_page import FirstPage, remember, remembered


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def page(tmp_path) -> FirstPage:
    project = tmp_path / "ring"
    project.mkdir()
    presets = (
        Preset("ring", "A ring", "Rings", project, project / "preview.png", "fdtd"),
        Preset("bare", "Bare", "", project, None, ""),
    )
    return FirstPage(presets, {"fdtd": "Electromagnetic waves"}, {"fdtd": "Maxwell's equations"})


def test_a_page_is_remembered_as_it_was(page):
    assert remembered() is None
    remember(page)
    assert remembered() == page


def test_a_page_of_presets_that_have_gone_is_none(page):
    remember(page)
    shutil.rmtree(page.presets[0].project)
    assert remembered() is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"presets": [{"id": 1}], "titles": {}, "new": {}}', "\udce4"])
def test_a_damaged_page_is_none(page, text):
    remember(page)
    first_page._file().write_bytes(text.encode("utf-8", "surrogateescape"))
    assert remembered() is None


def test_other_engines_have_another_page(page, monkeypatch):
    remember(page)
    monkeypatch.setattr(first_page, "entry_points", lambda group: [])
    assert remembered() is None


def test_where_nothing_can_be_written_there_is_none(page, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(Path(tmp_path, "file", "cache")))
    remember(page)
    assert remembered() is None
