"""Whatever goes wrong is one sentence of ours: in a run, and where an extra is missing."""

from types import SimpleNamespace

import pytest

from engines.api.errors import DeviceError, ProblemError, WorkbenchError
from workbench.words import failures
from workbench.words.extras import load
from workbench.words.failures import as_sentence, with_place

OutOfMemory = type("OutOfMemoryError", (Exception,), {"__module__": "cupy.cuda.memory"})


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (ProblemError("Take less.", place=("protocol", 2)), ProblemError, "protocol.2: Take less."),
        (WorkbenchError("It ended."), WorkbenchError, "It ended."),
        (OutOfMemory("Out of memory allocating 8 bytes"), DeviceError, "The GPU ran out of memory"),
        (MemoryError(), DeviceError, "There is not enough memory for this run"),
        (OSError(28, "No space left", "run.json"), WorkbenchError, "the system refused: No space left (run.json)."),
        (OSError("gone"), WorkbenchError, "the system refused: gone."),
        (KeyError("x"), WorkbenchError, "an unexpected KeyError: 'x'"),
    ],
)
def test_an_error_is_a_sentence_of_ours(error, kind, said):
    told = as_sentence(error)
    assert type(told) is kind
    assert said in with_place(told)


@pytest.mark.parametrize(
    ("missing", "raised", "said"),
    [
        ("PySide6.QtCore", ProblemError, "Plots need the extra 'window', which is missing .PySide6.QtCore.: "),
        ("PySide6", ProblemError, "the extra 'window'"),
        ("numpy.core", ModuleNotFoundError, "numpy"),
        (None, ModuleNotFoundError, "No module"),
    ],
)
def test_only_a_module_of_the_window_is_told_to_be_one(missing, raised, said):
    def refuse():
        raise ModuleNotFoundError(f"No module named {missing}", name=missing)

    with pytest.raises(raised, match=said):
        load(SimpleNamespace(load=refuse), "Plots need")


@pytest.mark.parametrize(
    ("limit", "way"),
    [(None, "close other programs."), (2 * 10**9, "raise the session's limit of 2000 MB (ulimit -v).")],
)
def test_who_has_too_little_memory_is_told_what_keeps_it(monkeypatch, limit, way):
    monkeypatch.setattr(failures, "address_limit", lambda: limit)
    assert str(as_sentence(MemoryError())).endswith(f"use a smaller problem or {way}")
