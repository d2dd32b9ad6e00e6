"""How much is taken of what comes over a line: as much as is said, and not a byte more."""

from __future__ import annotations

import hashlib
import io
import os
import time
from types import SimpleNamespace

import numpy as np
import pytest

from workbench.remote import streams
from workbench.remote.codec import WireError
from workbench.remote.messages import FilePart
from workbench.remote.packing import Received
from workbench.storage.paths import cache_dir


@pytest.mark.parametrize(("more", "greeted"), [(0, True), (1, False)])
def test_a_profile_may_say_so_much_before_the_greeting(monkeypatch, more, greeted):
    monkeypatch.setattr(streams, "MOST_WORDS", 100)
    said = b"x" * (100 + more - len(streams.GREETING) + 1) + streams.GREETING
    assert streams._greeted(SimpleNamespace(read=io.BytesIO(said).read)) is greeted


def test_a_file_comes_in_the_parts_that_were_asked_for():
    content = b"six in all"
    name, received = hashlib.sha256(content).hexdigest(), Received()
    wanted = {name: len(content)}

    def take(offset: int, part: bytes, sha256: str = name) -> bool:
        return received.take(FilePart(sha256, offset, np.frombuffer(part, np.uint8)), wanted)

    assert not take(0, content[:4])
    for wrong in ((0, content[:4]), (5, content[5:]), (4, content[4:] + b"!"), (4, content[4:], "0" * 64)):
        with pytest.raises(WireError, match="nobody had asked for"):
            take(*wrong)
    assert take(4, content[4:])
    assert received.path(name).read_bytes() == content
    assert received.path(name).parent.stat().st_mode & 0o777 == 0o700, "for nobody else to read"


def test_two_servers_of_one_home_get_the_same_file_at_once():
    """Each opened the other's half of it: neither had it whole."""
    content = b"six in all"
    name, servers = hashlib.sha256(content).hexdigest(), (Received(), Received())
    for at, is_whole in ((0, False), (5, True)):
        part = FilePart(name, at, np.frombuffer(content[at : at + 5], np.uint8))
        for server in servers:
            assert server.take(part, {name: len(content)}) is is_whole
    assert [file.read_bytes() for file in servers[0].path(name).parent.iterdir()] == [content]


def test_what_was_wanted_long_ago_is_forgotten(tmp_path):
    """Files that have come, and folders of runs; what is younger than a month stays."""
    made = {}
    for place, days in (("sent/old", 31), ("sent/young", 29), ("runs/old", 31), ("shown/old", 31), ("shown/young", 29)):
        made[place] = path = cache_dir() / place
        if place.startswith("sent"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        else:
            path.mkdir(parents=True)
            (path / "project.json").touch()
        then = time.time() - 86400 * days
        os.utime(path, (then, then))
    Received().forget_old()
    assert {place for place, path in made.items() if path.exists()} == {"sent/young", "shown/young"}
