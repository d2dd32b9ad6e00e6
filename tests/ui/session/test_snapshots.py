"""Where a run stood when a picture of it was taken: kept under a name of 32 digits, found by it alone."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ui.session import snapshots
from ui.session.snapshots import beginning_of, keep
from workbench.export.png import save_snapshot
from workbench.project.presets import open_named
from workbench.run.states.taken import Snapshot
from workbench.run.streams.curves import Curves
from workbench.storage.atomic import StorageError

STATE = {"u": np.arange(9.0)}
CURVES: Curves = {("E",): (np.arange(4.0), np.ones(4))}


@pytest.fixture
def document(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return open_named("small_slab")


def silent(said: str) -> None:
    raise AssertionError(said)


def kept() -> list[str]:
    return sorted(file.name for file in snapshots._folder().glob("*"))


def picture(tmp_path, document, moment):
    save_snapshot(tmp_path / "p.png", np.zeros((4, 4, 4), np.uint8), document, moment)
    return tmp_path / "p.png"


def test_a_picture_opens_where_its_run_stood_with_its_curves(tmp_path, document):
    told = keep(document, Snapshot(3, 0.5, STATE), CURVES, silent)
    begun = beginning_of(picture(tmp_path, document, told), document)
    assert begun.missing == ""
    np.testing.assert_array_equal(begun.state["u"], STATE["u"])
    np.testing.assert_array_equal(begun.curves[("E",)][0], np.arange(4.0))
    assert len(kept()) == 2


def test_before_the_first_step_nothing_is_kept(document):
    assert keep(document, Snapshot(0, 0.0, STATE), CURVES, silent) == ""
    assert kept() == []


def test_of_a_state_that_is_too_large_the_time_alone_is_told(tmp_path, document):
    told = keep(document, Snapshot(3, 0.5, None), CURVES, silent)
    assert kept() == []
    begun = beginning_of(picture(tmp_path, document, told), document)
    assert begun.state is None
    assert begun.missing.startswith("This picture was taken at 0.5 ms; where the run stood is not kept here")


def test_a_picture_of_others_names_no_file_here(tmp_path, document):
    """A name that leads out of the folder, to a state that is there, opens nothing; nor one of nothing."""
    told = json.loads(keep(document, Snapshot(3, 0.5, STATE), CURVES, silent))
    for place in (snapshots._state, snapshots._curves):
        place("../mine").write_bytes(place(told["state"]).read_bytes())
    for name in ("../mine", told["state"].upper() + "0", "0" * 32):
        begun = beginning_of(picture(tmp_path, document, json.dumps({**told, "state": name})), document)
        assert begun.state is None
        assert "not kept here" in begun.missing


def test_a_damaged_state_is_one_that_is_not_kept_here(tmp_path, document):
    told = keep(document, Snapshot(3, 0.5, STATE), CURVES, silent)
    snapshots._state(json.loads(told)["state"]).write_bytes(b"no archive")
    begun = beginning_of(picture(tmp_path, document, told), document)
    assert begun.state is None
    assert "not kept here" in begun.missing


@pytest.mark.parametrize("told", ["", "{", "[]", '{"state": "x"}', '{"state": "x", "time": "soon", "unit": "s"}'])
def test_a_picture_without_a_moment_has_no_beginning(tmp_path, document, told):
    assert beginning_of(picture(tmp_path, document, told), document) is None


@pytest.mark.parametrize(("error", "raised"), [(StorageError("full"), False), (KeyboardInterrupt(), True)])
def test_what_could_not_be_kept_leaves_nothing(document, monkeypatch, error, raised):
    def fail(path, curves):
        raise error

    said: list[str] = []
    monkeypatch.setattr(snapshots, "write_curves", fail)
    if raised:
        with pytest.raises(KeyboardInterrupt):
            keep(document, Snapshot(3, 0.5, STATE), CURVES, said.append)
    else:
        assert '"time": 0.5' in keep(document, Snapshot(3, 0.5, STATE), CURVES, said.append)
        assert said == ["Where the run stands could not be kept beside the picture: full"]
    assert kept() == []


def test_twelve_pictures_keep_their_states(document):
    names = [json.loads(keep(document, Snapshot(3, 0.5, STATE), CURVES, silent))["state"] for _ in range(13)]
    assert names[-1] + ".npz" in kept()
    assert len([name for name in kept() if name.endswith(".npz")]) == 12
    assert len(kept()) == 24, "the curves go with their states"
