"""What the house opens, keeps and sends, asked without a window."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtGui import QImage

from engines.api import registry
from tests.ui import house
from ui.session.house import HouseServices
from ui.session.snapshots import Beginning
from workbench.export.png import encode_png
from workbench.project.autosave import recover
from workbench.project.boundary import OutsideFiles, Permission
from workbench.project.document import save_document
from workbench.remote.runner import STAYS_THERE

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.fixture
def slab():
    return house.slab(HouseServices())


def test_a_snapshot_is_its_own_picture_among_the_recent(slab, tmp_path):
    """Without its margins, in the shape of the others, whatever its own is."""
    services, file = HouseServices(), tmp_path / "tall.png"
    tall = np.full((900, 480, 4), 255, np.uint8)
    tall[300:600, :, 0] = 40
    services.export_snapshot(file, tall, services.open_preset(slab))
    services.remember(file, "Tall")
    (recent,) = services.recent()
    shown = QImage(str(recent.picture))
    assert (shown.width(), shown.height()) == (320, 180)
    assert shown.pixelColor(160, 90).getRgb() == (40, 255, 255, 255)


def test_a_folder_that_is_called_as_pictures_are_opens_and_is_remembered(slab, tmp_path):
    """As a project that was saved as 'NAME.png' is."""
    services = HouseServices()
    folder = tmp_path / "a.png"
    save_document(services.open_preset(slab), folder)
    assert services.open(folder).path == folder
    services.remember(folder, "A")
    assert [each.path for each in services.recent()] == [str(folder)]


def test_what_was_confirmed_or_saved_in_a_session_is_not_asked_again(tmp_path):
    picture = tmp_path / "private" / "cat.png"
    picture.parent.mkdir()
    picture.write_bytes(encode_png(np.zeros((4, 4, 4), np.uint8)))
    services = HouseServices()
    document = services.new(registry.engine("stencil"))
    values = document.parameters.model_dump(mode="json")
    values["equation"]["initial"] = {"kind": "picture", "picture": "../private/cat.png"}
    text = document.current_project().model_copy(update={"parameters": values}).model_dump_json()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "project.json").write_text(text)
    with pytest.raises(OutsideFiles) as asked:
        services.open(tmp_path / "theirs")
    opened = services.open(tmp_path / "theirs", Permission(files=frozenset(asked.value.files)))
    assert services.open(tmp_path / "theirs").parameters == opened.parameters
    (tmp_path / "shots").mkdir()
    services.export_snapshot(tmp_path / "shots" / "s.png", np.zeros((9, 16, 4), np.uint8), opened)
    assert services.open(tmp_path / "shots" / "s.png").parameters == opened.parameters
    with pytest.raises(OutsideFiles):
        HouseServices().open(tmp_path / "shots" / "s.png")  # another session


def test_a_state_that_stays_on_another_machine_is_not_sent_to_it_and_only_the_next_run_has_it():
    services, asked = HouseServices(), []
    there = SimpleNamespace(start=lambda document, **how: asked.append(how) or "runner", runner=None)
    services._kept_there = True
    state = {"u": 1}
    for beginning in (Beginning(state), Beginning(state), Beginning(STAYS_THERE), Beginning(None)):
        assert services._start_there(there, None, True, beginning, ()) == "runner"
    assert [(how["kept"], how["state"]) for how in asked] == [(True, None), (False, state), (True, None), (False, None)]


def test_a_run_that_was_found_on_another_machine_is_joined_once():
    """What starts after it begins there anew."""
    services = HouseServices()
    there = SimpleNamespace(start=lambda *_, **how: "begun", runner="found")
    services._attached = True
    assert [services._start_there(there, None, True, Beginning(None), ()) for _ in range(2)] == ["found", "begun"]


def test_each_change_is_kept_at_once_however_soon_after_another():
    """Whoever asks has waited already; what a crash would take is the last one."""
    services = HouseServices()
    document = services.new(registry.engine("stencil"))
    for title in ("First", "Second"):
        document.project.title = title
        services.autosave(document)
    services._autosave.leave()
    assert [recover(each).project.title for each in services.unsaved()] == ["Second"]
