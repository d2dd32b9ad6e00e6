"""Whether kernels are compiled is known by their sources: an edit, or another place, and they are not."""

import os

import pytest

from engines.backend.compile import stamp
from engines.backend.compile.stamp import compiled_ahead, remember_compiled


@pytest.fixture
def sources(monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stamp, "ENGINES", tmp_path / "engines")
    (tmp_path / "engines" / "one").mkdir(parents=True)
    source = tmp_path / "engines" / "one" / "step.cu"
    source.write_text("a", "utf-8")
    return source


def test_it_is_known_until_a_source_changes(sources):
    assert not compiled_ahead()
    remember_compiled()
    assert compiled_ahead()
    (sources.parent / "notes.txt").write_text("no source", "utf-8")
    assert compiled_ahead()
    os.utime(sources, ns=(1, 1))
    assert not compiled_ahead()


def test_a_new_source_a_longer_one_and_another_place_of_the_cache_are_told_apart(sources, monkeypatch):
    remember_compiled()
    times = sources.stat()
    sources.write_text("ab", "utf-8")
    os.utime(sources, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert not compiled_ahead()
    remember_compiled()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    assert not compiled_ahead()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    (sources.parent / "cpu.py").write_text("", "utf-8")
    assert not compiled_ahead()
