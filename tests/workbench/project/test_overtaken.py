"""Two windows, or a window and a script, have one project open: who saves second is told before anything is lost."""

from dataclasses import replace

import pytest

from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.document import open_document, save_document
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
