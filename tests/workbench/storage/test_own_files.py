"""What lies in this person's own folders is read as if a stranger had put it there: nothing waits, nothing breaks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engines.api.errors import ProblemError
from engines.backend import tuning
from engines.reading import read_json
from workbench.bench.record_files import kept_records
from workbench.project.autosave import recoveries
from workbench.run.earlier import was_finished
from workbench.storage import paths
from workbench.storage.recent import RecentFiles


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _deep(path: Path) -> None:
    path.write_text("[" * 100_000)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 34)


def _other(path: Path) -> None:
    path.write_text("[3, null]")


PUT = [_deep, _huge, _other, *([_pipe, _endless] if hasattr(os, "mkfifo") else [])]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("put", PUT)
def test_a_file_that_is_none_of_ours_counts_as_none(tmp_path, monkeypatch, put):
    put(tmp_path / "recent.json")
    assert RecentFiles(tmp_path / "recent.json").items() == []
    put(tmp_path / "tuning.json")
    monkeypatch.setattr(tuning, "_path", lambda: tmp_path / "tuning.json")
    assert tuning._read() == {}
    put(tmp_path / "run.json")
    assert not was_finished(tmp_path)
    assert kept_records(tmp_path) == []
    if put is not _other:
        with pytest.raises(ProblemError, match=r"recent.json' is"):
            read_json(tmp_path / "recent.json")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("name", ["origin.json", "project.json"])
def test_what_is_no_autosave_hides_no_other(tmp_path, name, put):
    for folder in ("whole", "strange"):
        (tmp_path / folder).mkdir()
        for file, content in (("origin.json", {"path": None}), ("project.json", {"title": folder, "engine": "fdtd"})):
            if folder == "strange" and file == name:
                put(tmp_path / folder / file)
            else:
                (tmp_path / folder / file).write_text(json.dumps(content))
    assert [each.title for each in recoveries(tmp_path)] == ["whole"]


def test_recent_projects_of_strange_names_are_listed_or_left_out(tmp_path):
    """Names that are no UTF-8, as on disks of old systems, too long ones, and none at all."""
    recent = RecentFiles(tmp_path / "recent.json")
    there = tmp_path / os.fsdecode(b"Stra\xdfe")
    there.mkdir()
    strange = [{"path": path, "title": "t"} for path in ("x" * 5000, "a\0b", "\ud800")]
    (tmp_path / "recent.json").write_text(json.dumps(strange))
    recent.add(there, "old")
    assert [item.title for item in recent.items()] == ["old"]
    assert recent.items()[0].picture.name


@pytest.mark.parametrize(
    ("platform", "given", "places"),
    [
        ("linux", {}, (".config", ".local/state", ".cache")),
        ("linux", {"XDG_CONFIG_HOME": "a", "XDG_STATE_HOME": "b", "XDG_CACHE_HOME": "c"}, ("a", "b", "c")),
        ("darwin", {"XDG_CONFIG_HOME": "a"}, (*["Library/Application Support"] * 2, "Library/Caches")),
        ("win32", {}, ("AppData/Local",) * 3),
        ("win32", {"APPDATA": "a", "LOCALAPPDATA": "b", "XDG_CACHE_HOME": "c"}, ("a", "b", "b")),
        ("win32", {"LOCALAPPDATA": "b", "WORKBENCH_CACHE_DIR": "own"}, ("AppData/Local", "b", None)),
    ],
)
def test_settings_sessions_and_caches_are_where_each_system_has_them(monkeypatch, tmp_path, platform, given, places):
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("WORKBENCH_CACHE_DIR", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setattr(paths.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    found = (paths.config_dir(), paths.state_dir(), paths.cache_dir())
    assert found == tuple(tmp_path / (place or "own") / ("workbench" if place else "") for place in places)
