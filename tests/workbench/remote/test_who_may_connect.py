"""Who may connect to a run, and to which machines: its owner alone, by names that SSH takes for nothing else."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engines.api.errors import ProblemError
from workbench.remote import server as serving
from workbench.remote.beginning import begin
from workbench.remote.connection import Connection, Place
from workbench.remote.streams import LineLost, check_host
from workbench.run.frames import RunState


def test_the_socket_is_its_owners_alone(there):
    assert there.path.stat().st_mode & 0o777 == 0o600
    assert there.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_enter_is_refused(folder):
    (folder / "open").mkdir(mode=0o755)
    (folder / "open").chmod(0o755)
    with pytest.raises(ProblemError, match="chmod 700"):
        serving.Server(folder / "open" / "serve.sock").listen()
    (folder / "link").symlink_to(folder / "open")
    with pytest.raises(ProblemError, match="not a folder of yours"):
        serving.Server(folder / "link" / "serve.sock").listen()


@pytest.mark.parametrize(("length", "refused"), [(107, False), (108, True), (150, True)])
def test_a_name_as_long_as_sockets_may_have_is_served_and_a_longer_one_refused(folder, length, refused):
    """unix(7): 108 bytes with the zero at the end; letters may take more than one."""
    path = folder / "own" / "ä"
    path = path.with_name("ä" + "s" * (length - len(os.fsencode(path))))
    server = serving.Server(path)
    if refused:
        with pytest.raises(ProblemError, match="longer than names of sockets may be"):
            server.listen()
    else:
        server.listen()
        assert path.is_socket()
    server.stop()
    server.serve()


def test_a_second_server_is_refused(there):
    with pytest.raises(ProblemError, match="listens at"):
        serving.Server(there.path).listen()


def a_file(at):
    at.write_text("work")


def a_link(at):
    at.with_name("work").write_text("work")
    at.symlink_to("work")


def a_socket(at):
    """Of another program, which listens."""
    other = socket.socket(socket.AF_UNIX)
    other.bind(str(at))
    other.listen()
    return other


@pytest.mark.parametrize("suffix", [".csv", ".pid", ".lock"])
@pytest.mark.parametrize("make", [a_file, a_link, Path.mkdir, a_socket], ids=lambda make: make.__name__)
def test_what_stands_where_a_server_would_write_stays(folder, make, suffix):
    own = folder / "own"
    own.mkdir(mode=0o700)
    kept = make(own / f"results{suffix}")
    before = {each: each.read_text() if each.is_file() else each.lstat().st_ino for each in own.iterdir()}
    server = serving.Server(own / "results.csv")
    with pytest.raises(ProblemError, match="choose another"):
        server.listen()
    server.stop()
    server.serve()
    assert before == {each: each.read_text() if each.is_file() else each.lstat().st_ino for each in own.iterdir()}
    if kept is not None:
        kept.close()


def test_what_a_killed_server_left_is_taken_over(folder):
    own = folder / "own"
    own.mkdir(mode=0o700)
    a_socket(own / "serve.sock").close()
    (own / "serve.pid").write_text("123")
    (own / "serve.lock").write_text("")
    server = serving.Server(own / "serve.sock")
    server.listen()
    server.stop()
    server.serve()
    assert not list(own.iterdir())


def test_a_file_that_came_in_the_place_of_the_socket_stays(folder):
    server = serving.Server(folder / "own" / "serve.sock")
    server.listen()
    server.path.unlink()
    a_file(server.path)
    server.stop()
    server.serve()
    assert server.path.read_text() == "work"


def test_a_log_that_stands_beside_the_socket_is_written_on(folder, monkeypatch):
    own = folder / "own"
    own.mkdir(mode=0o700)
    a_file(own / "results.log")
    server = serving.Server(own / "results.sock")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: SimpleNamespace(poll=server.listen))
    begin(server.path)
    server._close()
    assert (own / "results.log").read_text() == "work"


def test_somebody_else_is_turned_away_whatever_the_files_say(there, running, monkeypatch):
    _, runner = running
    monkeypatch.setattr(serving, "peer_of", lambda connection: os.getuid() + 1)
    with pytest.raises(LineLost):
        Connection(Place(socket=there.path))
    assert runner.state is RunState.RUNNING


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may become somebody else")
def test_another_user_of_the_machine_cannot_connect(there, running):
    """Neither through the folder, nor where the folder and the socket are opened to all of them."""
    _, runner = running
    knocks = (
        "import os, socket, sys\nos.setuid(65534)\ns = socket.socket(socket.AF_UNIX)\n"
        "try:\n    s.connect(sys.argv[1])\nexcept PermissionError:\n    sys.exit(7)\n"
        "sys.exit(8 if s.recv(1) == b'' else 9)"
    )

    def knock():
        return subprocess.run([sys.executable, "-c", knocks, str(there.path)], timeout=60).returncode

    there.path.parent.parent.chmod(0o755)
    assert knock() == 7
    there.path.parent.chmod(0o755)
    there.path.chmod(0o777)
    assert knock() == 8
    assert runner.state is RunState.RUNNING


@pytest.mark.parametrize("host", ["-oProxyCommand=sh", "me@lab;reboot", "", "a b", "$(id)", "me@", "a\nb"])
def test_what_is_no_name_of_a_machine_never_reaches_ssh(host):
    with pytest.raises(ProblemError, match="no name of a machine"):
        check_host(host)


@pytest.mark.parametrize("host", ["lab", "me@lab.example.org", "me@10.0.0.3", "me@[::1]", "gpu-1"])
def test_names_of_machines(host):
    check_host(host)
