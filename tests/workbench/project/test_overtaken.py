"""Two windows, or a window and a script, have one project open: who saves second is told before anything is lost."""

import errno
import threading
from dataclasses import replace
from unittest.mock import Mock

import pytest

from workbench.project import document as module
from workbench.project import store
from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.document import open_document, save_document
from workbench.storage import locking
from workbench.storage.atomic import StorageError
from workbench.storage.locking import ProcessLock
from workbench.storage.overtaken import Overtaken


@pytest.fixture(params=["folder", "project.zip"])
def place(request, project, tmp_path):
    """A project of one file, or of a folder."""
    return save_document(open_document(project), tmp_path / request.param)


def test_who_saves_second_does_not_undo_what_the_first_has_saved(place):
    one, other = open_document(place), open_document(place)
    one.parameters.speed = 3.0
    save_document(one)
    other.parameters.speed = 4.0
    with pytest.raises(Overtaken, match="somebody else has saved there since"):
        save_document(other)
    assert open_document(place).parameters.speed == 3.0

    save_document(other, over=True)
    assert open_document(place).parameters.speed == 4.0
    save_document(other)
    with pytest.raises(Overtaken):
        save_document(one)


def test_one_who_saves_again_and_again_is_not_asked_nor_is_a_copy_of_before(place, tmp_path):
    document = open_document(place)
    before = replace(document)  # as the window's, on their way to another thread
    for speed in (2.0, 3.0):
        document.parameters.speed = speed
        save_document(document)
    save_document(before, place)
    elsewhere = save_document(document, tmp_path / "elsewhere")
    save_document(document, place)
    (elsewhere / "project.json").unlink()
    save_document(document, elsewhere)  # what is gone is no one's


def test_a_file_beside_the_project_does_not_take_its_place(project):
    text = (project / "project.json").read_bytes()
    (project / "variant.json").write_bytes(text.replace(b'"slab"', b'"variant"'))
    variant = open_document(project / "variant.json")
    assert variant.project.title == "variant"
    with pytest.raises(Overtaken):
        save_document(variant)
    assert (project / "project.json").read_bytes() == text


def test_what_a_session_left_is_not_saved_over_what_was_saved_since(place, tmp_path):
    root, document = tmp_path / "auto", open_document(place)
    document.parameters.speed = 7.0
    autosave = Autosave(root)
    assert autosave.tick(document, now=True)
    autosave.leave()
    (left,) = recoveries(root)
    save_document(recover(left))  # nobody has saved meanwhile
    with pytest.raises(Overtaken):
        save_document(recover(left))


def test_of_two_that_save_at_once_the_second_is_told(place, monkeypatch):
    """Both said "saved" where the second checked before the first had written, and one save was lost."""
    one, other = open_document(place), open_document(place)
    one.parameters.speed, other.parameters.speed = 3.0, 4.0
    check, told = module.check_mark, []

    def save_other():
        with pytest.raises(Overtaken):
            save_document(other)
        told.append("somebody else has saved")

    thread = threading.Thread(target=save_other)

    def meets_another(*arguments):
        check(*arguments)
        if thread.ident is None:
            thread.start()
            thread.join(0.3)

    monkeypatch.setattr(module, "check_mark", meets_another)
    save_document(one)
    thread.join(20)
    assert told
    assert open_document(place).parameters.speed == 3.0
    assert [path for path in (place.parent, *place.parent.rglob("*")) if path.name.endswith(".saving")] == []


NO_LOCKS = {"_lock": OSError(errno.ENOLCK, "No locks available"), "acquire": PermissionError(errno.EACCES, "denied")}


@pytest.mark.parametrize("refused", NO_LOCKS)
def test_a_save_of_others_right_after_is_not_taken_for_ones_own(place, monkeypatch, refused):
    """Where a folder has no locks: the mark of a save was that of what stood there a moment later."""
    one, other = open_document(place), open_document(place)
    one.parameters.speed, other.parameters.speed = 3.0, 4.0
    name = "write_zip" if place.suffix else "write_folder"
    write = getattr(module, name)

    def meets_another(*arguments):
        monkeypatch.setattr(module, name, write)
        written = write(*arguments)
        save_document(other, over=True)
        return written

    owner = locking if refused == "_lock" else ProcessLock
    monkeypatch.setattr(owner, refused, Mock(side_effect=NO_LOCKS[refused]))
    monkeypatch.setattr(module, name, meets_another)
    save_document(one)
    with pytest.raises(Overtaken):
        save_document(one)
    assert open_document(place).parameters.speed == 4.0


def test_who_saves_for_long_is_waited_for_a_moment(place, monkeypatch):
    document, lock = open_document(place), ".saving" if place.is_dir() else f".{place.name}.saving"
    held = ProcessLock((place if place.is_dir() else place.parent) / lock)
    monkeypatch.setattr(locking, "MOMENT", 0.1)
    assert held.acquire()
    with pytest.raises(StorageError, match="is being saved by somebody else: save again"):
        save_document(document)
    held.release()
    save_document(document)


def test_what_is_saved_while_a_zip_is_read_is_another(project, tmp_path, monkeypatch):
    place = save_document(open_document(project), tmp_path / "project.zip")
    other, unpacked = open_document(place), store.unpacked
    other.parameters.speed = 4.0

    def meets_another(*arguments):
        monkeypatch.setattr(store, "unpacked", unpacked)
        read = unpacked(*arguments)
        save_document(other)
        return read

    monkeypatch.setattr(store, "unpacked", meets_another)
    document = open_document(place)
    with pytest.raises(Overtaken):
        save_document(document)
    assert open_document(place).parameters.speed == 4.0
