"""Who may connect to a run, and to which machines: its owner alone, by names that SSH takes for nothing else."""

import os
import subprocess
import sys

import pytest

from engines.api.errors import ProblemError
from workbench.remote import server as serving
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
