"""``workbench completion``: what a shell offers after some words."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.cli.arguments import COMMANDS, SHELLS

OFFER = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
function_of=$(complete -p workbench | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function_of" workbench "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""What bash does with a line and a press of Tab: the words and the place in them, then what the function leaves."""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script for bash, as a person keeps it."""
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: printed.extend(words))
        assert main(["completion", "bash"]) == 0
    path = tmp_path_factory.mktemp("completion") / "workbench.bash"
    path.write_text(printed[0])
    return path


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (("",), set(COMMANDS)),
        (("re",), {"resume"}),
        (("run", "gray_scott_c"), {"gray_scott_coral"}),
        (("run", "--unt"), {"--until"}),
        (("run", "fdtd_slab", "--device", "c"), {"cpu", "cuda:0"}),
        (("verify", "sp"), {"spiking"}),
        (("new", "--engine", "st"), {"stencil"}),
        (("estimate", "own_pro"), {"own_project"}),
        (("completion", ""), set(SHELLS)),
    ],
)
def test_bash_offers_what_may_come_next(script, tmp_path, line, offered):
    (tmp_path / "own_project").mkdir()
    done = subprocess.run(
        ["bash", "--norc", "-c", OFFER, "bash", str(script), "workbench", *line],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    shown = set(done.stdout.split())
    assert offered <= shown
    assert all(word.startswith(line[-1]) for word in shown)
    assert len(shown) == len(offered) or not line[-1]


@pytest.mark.parametrize("shell", SHELLS[1:])
def test_zsh_and_fish_have_their_own(shell, capsys):
    """Where the shell is installed it reads the script too."""
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert "gray_scott_coral" in text
    assert all(command in text for command in COMMANDS)
    assert ("#compdef workbench" if shell == "zsh" else "complete -c workbench") in text
    if shutil.which(shell):
        assert subprocess.run([shell, "-n", "-c", text]).returncode == 0


def test_an_unknown_shell_is_refused(capsys):
    assert main(["completion", "tcsh"]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err.replace("'", "")
