"""Launch shapes are measured once, remembered, and measured again if anything they depend on changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.api.device import DeviceInfo
from engines.api.errors import DeviceError
from engines.backend.cache_dir import cache_dir
from engines.backend.tuning import REPETITIONS, TuningKey, tune, tuning_key

SECONDS = {(32, 4): 3.0, (64, 2): 1.0, (256, 1): 2.0}
KEY = TuningKey("diffusion", "Test GPU", "580.95", "cupy 14.2.0", "abc", 20)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Clock:
    """Answers with fixed times and counts how often it was asked."""

    def __init__(self, seconds):
        self.seconds, self.calls = seconds, 0

    def __call__(self, candidate):
        self.calls += 1
        answer = self.seconds[candidate]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_the_fastest_is_chosen_and_remembered(folder):
    clock = Clock(SECONDS)
    assert tune(KEY, list(SECONDS), clock) == (64, 2)
    assert clock.calls == len(SECONDS) * (1 + REPETITIONS)
    assert tune(KEY, list(SECONDS), clock) == (64, 2)
    assert clock.calls == len(SECONDS) * (1 + REPETITIONS)
    assert json.loads((folder / "tuning.json").read_text()) == {str(KEY): [64, 2]}
    assert [path.name for path in folder.iterdir()] == ["tuning.json"]  # no temporary file is left


@pytest.mark.parametrize(
    "other",
    [
        TuningKey("reaction", "Test GPU", "580.95", "cupy 14.2.0", "abc", 20),
        TuningKey("diffusion", "Other GPU", "580.95", "cupy 14.2.0", "abc", 20),
        TuningKey("diffusion", "Test GPU", "590.01", "cupy 14.2.0", "abc", 20),
        TuningKey("diffusion", "Test GPU", "580.95", "cupy 15.0.0", "abc", 20),
        TuningKey("diffusion", "Test GPU", "580.95", "cupy 14.2.0", "abd", 20),
        TuningKey("diffusion", "Test GPU", "580.95", "cupy 14.2.0", "abc", 21),
    ],
)
def test_what_it_depends_on_is_measured_again_and_the_rest_is_kept(other):
    tune(KEY, list(SECONDS), Clock(SECONDS))
    assert tune(other, list(SECONDS), Clock({(32, 4): 0.5, (64, 2): 1.0, (256, 1): 2.0})) == (32, 4)
    assert tune(KEY, list(SECONDS), Clock({})) == (64, 2)


@pytest.mark.parametrize("content", ["{", "[]", '{"diffusion": 3}', "\x00\xff", '"text"'])
def test_a_damaged_file_is_ignored_and_rewritten(folder, content):
    folder.mkdir()
    (folder / "tuning.json").write_bytes(content.encode("latin-1"))
    assert tune(KEY, list(SECONDS), Clock(SECONDS)) == (64, 2)
    assert json.loads((folder / "tuning.json").read_text())[str(KEY)] == [64, 2]


def test_a_remembered_shape_that_is_no_candidate_any_more_is_measured_again():
    tune(KEY, list(SECONDS), Clock(SECONDS))
    assert tune(KEY, [(32, 4), (256, 1)], Clock(SECONDS)) == (256, 1)


def test_what_the_device_refuses_is_left_out():
    refused = {**SECONDS, (64, 2): DeviceError("too many registers")}
    assert tune(KEY, list(SECONDS), Clock(refused)) == (256, 1)
    with pytest.raises(DeviceError, match="too many registers"):
        tune(TuningKey("other", "", "", "", "", 0), [(64, 2)], Clock(refused))


def test_a_folder_that_cannot_be_written_costs_only_the_memory(folder, caplog):
    folder.write_text("a file where the folder should be")
    assert tune(KEY, list(SECONDS), Clock(SECONDS)) == (64, 2)
    assert "cannot be kept" in caplog.text


def test_the_key_follows_source_versions_and_power_of_two(tmp_path):
    source = tmp_path / "kernel.cu"
    source.write_text("// one")
    info = DeviceInfo("Test GPU", "cuda", 1, 1, "580.95", {"cupy": "14.2.0", "nvrtc": "13.0"}, "cuda:0", "9.0")
    key = tuning_key("diffusion", info, source, 1 << 20, ("-DREAL=float",))
    assert key.size_class == 20
    assert tuning_key("diffusion", info, source, (1 << 21) - 1, ("-DREAL=float",)) == key
    assert tuning_key("diffusion", info, source, 1 << 21, ("-DREAL=float",)) != key
    assert tuning_key("diffusion", info, source, 1 << 20, ("-DREAL=double",)) != key
    source.write_text("// two")
    assert tuning_key("diffusion", info, source, 1 << 20, ("-DREAL=float",)) != key


def test_the_folder_follows_the_platform(monkeypatch):
    assert cache_dir().name == "cache"
    monkeypatch.delenv("WORKBENCH_CACHE_DIR")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp/caches")
    assert cache_dir() == Path("/var/tmp/caches/workbench")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_dir() == Path.home() / ".cache" / "workbench"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_dir() == Path.home() / "Library" / "Caches" / "workbench"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert cache_dir() == Path("/local/workbench/Cache")
