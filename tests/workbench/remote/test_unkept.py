"""A server whose run cannot be kept as it ends."""

from tests.workbench.remote.conftest import wait_for
from workbench.cli.runs import serve
from workbench.run.frames import RunState
from workbench.run.states.memory import runs_dir
from workbench.storage.atomic import StorageError


def test_a_server_that_is_ended_says_what_it_could_not_keep(there, running, monkeypatch, capsys):
    """It said that the run was kept as it stood; whoever ends it is told, too."""

    def full(*_):
        raise StorageError("The disk is full.", full=True)

    connection, runner = running
    monkeypatch.setattr("workbench.run.states.memory.write_checkpoint", full)
    wait_for(lambda: sum(sample.steps for sample in runner.take_samples()) or runner.marks)
    there.stop()
    wait_for(lambda: runner.state is RunState.FAILED)
    told = "The server has been ended there: its run could not be kept as it stood, and begins at zero. "
    assert connection.lost == f"{told}'{runs_dir()}' has no room: free some space on its disk."
    assert not runner.error.goes_on
    capsys.readouterr()
    assert serve._told_of(there.path) == 3
    assert capsys.readouterr().err.strip() == connection.lost
    assert serve._told_of(there.path) == 0
