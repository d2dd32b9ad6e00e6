"""Which of old files make way."""

import os

import pytest

from workbench.storage.atomic import oldest


@pytest.mark.parametrize(("most", "room", "gone"), [(0, 0, "abcd"), (9, 65, "abc"), (9, 85, "ab"), (3, 1000, "abc")])
def test_of_old_files_more_stay_where_there_is_room(tmp_path, most, room, gone):
    """Runs that were kept made way for the sixth one after them, however small they were."""
    for age, name in enumerate("fedcba"):
        (tmp_path / name).write_bytes(bytes(20))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    found = oldest([tmp_path / name for name in "acbdef"], 2, most, room)
    assert [file.name for file in found] == list(gone)
