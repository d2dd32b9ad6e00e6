"""A server in a job, through stand-ins of Slurm's commands: submitted once, found again, waited for, refused."""

import os
import signal
import sys
from types import SimpleNamespace

import pytest

from engines.api.errors import ProblemError
from tests.workbench.remote.conftest import wait_for
from workbench.cli.runs import serve
from workbench.remote import slurm
from workbench.remote.connection import Connection, Place
from workbench.remote.streams import WAITS, LineLost, socket_path

QUEUE = "#!/bin/sh\ncat '{queue}'\n"
SUBMIT = """#!/bin/sh
printf '%s\\n' "$@" >> '{submitted}'
for last; do :; done
sh -c "${{last#--wrap=}}" > '{folder}/server' 2>&1 &
echo '7|RUNNING|None|2026-11-27T12:00:00' > '{queue}'
"""
STEP = """#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
"""
CANCEL = "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{cancelled}'\n"


@pytest.fixture
def cluster(lab):
    files = {name: lab / name for name in ("queue", "submitted", "cancelled")}
    files["queue"].write_text("")
    for name, text in (("squeue", QUEUE), ("sbatch", SUBMIT), ("srun", STEP), ("scancel", CANCEL)):
        program = lab / "bin" / name
        program.write_text(text if name == "srun" else text.format(folder=lab, **files))
        program.chmod(0o755)
    return SimpleNamespace(folder=lab, **files)


def test_a_job_is_submitted_once_and_found_again(cluster):
    place = Place("me@lab", f"{sys.executable} -m workbench", job_options="--gpus=1 --time='8:00:00'")
    first = Connection(place)
    submitted = cluster.submitted.read_text().splitlines()
    assert submitted[2:5] == ["--gpus=1", "--time=8:00:00", f"--job-name={slurm.NAME}"]
    first._stream._process.kill()
    wait_for(lambda: first.lost)
    second = Connection(place)
    assert cluster.submitted.read_text().splitlines() == submitted, "the job that serves is used"
    assert second.devices == first.devices
    second.close()


def test_one_that_waits_stays_in_the_queue(cluster, monkeypatch, capsys):
    monkeypatch.setattr(slurm, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(slurm, "EVERY_SECONDS", 0.01)
    cluster.queue.write_text("6|COMPLETED|None|N/A\n7|PENDING|Resources|2026-11-27T14:05:00\n")
    options = SimpleNamespace(slurm="", socket=None, stdio=True, stop=False, idle=30.0, answer={})
    assert serve.serve_command(options) == WAITS
    told = "Slurm's job 7 waits (Resources), and is to begin at 2026-11-27 14:05:00."
    assert capsys.readouterr().err.strip() == f"{told} It stays in the queue: connect again later."
    assert not cluster.submitted.exists()

    ssh = cluster.folder / "bin" / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "{told}" >&2\nexit {WAITS}\n')
    with pytest.raises(LineLost) as lost:
        Connection(Place("me@lab", job_options=""))
    assert str(lost.value) == told, "it is no machine that cannot be reached"

    options.stop = True
    assert serve.serve_command(options) == 0
    assert cluster.cancelled.read_text().split() == ["7"]
    cluster.queue.write_text("7|RUNNING|None|2026-11-27T14:05:00\n")
    serve.serve_command(options)
    assert cluster.cancelled.read_text().split() == ["--batch", "--signal=TERM", "7"], "its run is kept"


def test_what_slurm_refuses_is_told_in_its_words(cluster, monkeypatch):
    (cluster.folder / "bin" / "sbatch").write_text("#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\nexit 1\n")
    with pytest.raises(ProblemError, match=r"^Slurm refuses: sbatch: error: invalid partition$"):
        slurm.begun("--partition=none", 30.0)
    with pytest.raises(ProblemError, match="cannot be taken apart"):
        slurm.begun("--comment='", 30.0)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ProblemError, match=r"There is no 'squeue' on this machine"):
        slurm.job()


def test_a_server_that_does_not_end_is_told_of(lab, monkeypatch, capsys):
    Connection(Place("me@lab", f"{sys.executable} -m workbench")).close()
    number = int(socket_path().with_suffix(".pid").read_text())
    os.kill(number, signal.SIGSTOP)
    monkeypatch.setattr(serve, "STOPPING_SECONDS", 0.3)
    options = SimpleNamespace(slurm=None, socket=None, stdio=False, stop=True, answer={})
    try:
        with pytest.raises(ProblemError, match=f"'kill -9 {number}' ends it at once"):
            serve.serve_command(options)
    finally:
        os.kill(number, signal.SIGCONT)


@pytest.mark.parametrize(
    ("listens", "ended", "said"),
    [([True, True, False], True, "It has been ended."), ([False], False, "No server is on.")],
)
def test_whether_a_server_was_ended_is_told(lab, tmp_path, monkeypatch, capsys, listens, ended, said):
    told, answers = [], iter(listens)
    (tmp_path / "serve.pid").write_text("4711")
    monkeypatch.setattr(serve, "listens", lambda path: next(answers))

    def kill(*given):
        told.append(given)
        (tmp_path / "serve.pid").unlink()  # by a server that has kept its run

    monkeypatch.setattr(serve.os, "kill", kill)
    options = SimpleNamespace(slurm=None, socket=tmp_path / "serve.sock", stdio=False, stop=True, answer={})
    assert serve.serve_command(options) == 0
    assert (options.answer["stopped"], capsys.readouterr().out.strip()) == (ended, said)
    assert told == [(4711, signal.SIGTERM)][: int(ended)], "the number may be somebody else's by now"
