"""Damaged, cut and swollen files of every kind that a project can bring along: one sentence each, in little memory."""

from __future__ import annotations

import io
import os
import resource
import time
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.cardiac.compiler.importing import check_model, import_model
from engines.geometry.fibres.files import read_fibre_file
from engines.spiking.connectivity.files import read as read_connections
from engines.spiking.connectivity.files import rows
from tests.workbench.export.test_png import END, chunk, itxt
from tests.workbench.fake_engine import block
from workbench.export.png import SIGNATURE
from workbench.project.document import open_document, save_document
from workbench.project.reading.unpacking import _is_whole
from workbench.run.states.checkpoint import CheckpointMeta, read_checkpoint, write_checkpoint
from workbench.run.streams.curves import read_curves


def flipped(content: bytes, share: float) -> bytes:
    """With the bits of 64 bytes turned over, that far in."""
    place = int(len(content) * share)
    return content[:place] + bytes(255 - each for each in content[place : place + 64]) + content[place + 64 :]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("share", [0.1, 0.4, 0.6, 0.9])
def test_a_damaged_zip_is_one_sentence(project, tmp_path, method, share):
    place = tmp_path / "whole.zip"
    with zipfile.ZipFile(place, "w", method) as archive:
        for file in sorted(project.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(project))
    place.write_bytes(flipped(place.read_bytes(), share))
    with pytest.raises(ProblemError, match=r"whole\.zip|slab") as told:
        open_document(place)
    assert len(str(told.value)) < 400


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_files_of_one_name_in_a_zip_none_counts(project, tmp_path):
    place = tmp_path / "twice.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for _ in range(2):
            archive.write(project / "project.json", "project.json")
    with pytest.raises(ProblemError, match=r"holds two files 'project\.json', of which one would count: pack it anew"):
        open_document(place)


def test_what_may_not_be_read_is_no_damage(project, tmp_path, monkeypatch):
    """Neither the zip itself, nor what was unpacked of it by somebody else."""
    place = tmp_path / "whole.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.write(project / "project.json", "project.json")

    def refused(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as there:
        there.setattr("pathlib.Path.open", refused)
        with pytest.raises(ProblemError, match=r"whole\.zip' cannot be read: Permission denied"):
            open_document(place)
    monkeypatch.setattr("pathlib.Path.is_file", refused)
    assert not _is_whole(tmp_path / "unpacked" / "mesh.vtu", zipfile.ZipInfo("mesh.vtu"))


def test_a_checkpoint_that_is_damaged_or_claims_too_much_is_one_sentence(tmp_path):
    place = tmp_path / "checkpoint.npz"
    meta = dict.fromkeys(CheckpointMeta.__dataclass_fields__, "")
    state = {"u": np.arange(1000.0)}
    write_checkpoint(place, CheckpointMeta(**{**meta, "problem": "p", "version": 1}), state)
    whole = place.read_bytes()
    for share in (0.02, 0.3, 0.5, 0.97):
        place.write_bytes(flipped(whole, share))
        with pytest.raises(ProblemError, match="run without --resume"):
            read_checkpoint(place, "p")
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"shape": (10**13,), "fortran_order": False, "descr": "<f8"})
    with zipfile.ZipFile(place, "a") as archive:
        archive.writestr("huge.npy", stream.getvalue())
    with pytest.raises(ProblemError, match="run without --resume"):
        read_checkpoint(place, "p")


@pytest.mark.parametrize("name", ["a.mmt", "a.cellml"])
@pytest.mark.parametrize(
    "content",
    [
        "[[model]]\nname: Müller\n".encode("latin-1"), b"[[model]]\n" + b"(" * 5000, b"\xff\xfe\0\0",
        b'<?xml version="1.0" encoding="klingon"?><model/>', b"<a>" * 50_000, b"",
        b'<?xml version="1.0"?><model xmlns="http://www.cellml.org/cellml/1.0#" name="x"><component/></model>',
    ],
)  # fmt: skip
def test_a_cell_model_that_cannot_be_read_is_one_sentence(tmp_path, name, content):
    place = tmp_path / name
    place.write_bytes(content)
    for read in (check_model, import_model):  # the second says so where Myokit is not there
        with suppress(ProblemError):
            read(place)  # some are models, only not such as can be run


def test_tables_of_connections_and_fibres_that_are_damaged_are_one_sentence(tmp_path):
    npz, csv, npy = tmp_path / "a.npz", tmp_path / "a.csv", tmp_path / "a.npy"
    np.savez_compressed(npz, pre=np.arange(5000), post=np.arange(5000))
    whole = npz.read_bytes()
    for content in (flipped(whole, 0.2), flipped(whole, 0.5), flipped(whole, 0.95), whole[:100], b""):
        npz.write_bytes(content)
        rows(str(npz))
        with pytest.raises(ProblemError, match="connections"):
            read_connections(str(npz))
    for content in (b"1\n2\n3\n", b"pre,post\n1\n", b"\xff\xfe\0", b"", b"(" * 4000):
        csv.write_bytes(content)
        rows(str(csv))
        with pytest.raises(ProblemError, match=r"connections|pre"):
            read_connections(str(csv))
    mesh = block()
    np.save(npy, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(ProblemError, match=r"a\.npy") as told:
        read_fibre_file(npy, mesh)
    assert "pickle" not in str(told.value)


def test_many_texts_in_a_picture_are_not_all_expanded(tmp_path):
    """Four hundred texts of 16 MB each in 6 MB: 107 s and 6 GB once."""
    other = zlib.compress(bytes(16 << 20), 9)
    texts = chunk(b"iTXt", b"Comment\0\1\0\0\0" + other) * 400
    place = tmp_path / "swollen.png"
    place.write_bytes(SIGNATURE + texts + itxt(b"not json") + END)
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(ProblemError, match="no valid JSON"):
        open_document(place)
    assert time.process_time() - begun < 2.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_a_whole_zip_still_opens(project, tmp_path):
    place = tmp_path / "whole.zip"
    save_document(open_document(project), place)
    assert open_document(Path(place)).project.engine == "wave"


def test_a_file_that_expands_a_thousandfold_stays_in_its_zip(project, tmp_path):
    place = tmp_path / "swollen.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in sorted(project.rglob("*")):
            if file.suffix == ".json":
                archive.write(file, file.relative_to(project))
            elif file.is_file():
                archive.writestr(file.relative_to(project).as_posix(), file.read_bytes() + bytes(65 << 20))
    began = time.process_time()
    with pytest.raises(ProblemError, match="would expand to 65 MB, over 100 times what is stored"):
        open_document(place)
    assert time.process_time() - began < 0.5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_in_place_of_what_the_application_keeps_is_not_waited_for(project, tmp_path):
    """Opening a project hung where somebody else may write into the cache."""
    save_document(open_document(project), zipped := tmp_path / "whole.zip")
    mesh = open_document(zipped).mesh
    assert mesh is not None
    mesh.unlink()
    os.mkfifo(mesh)
    assert open_document(zipped).mesh.is_file()
    os.mkfifo(tmp_path / "pipe")
    for read in (read_curves, open_document):
        with pytest.raises(ProblemError, match="is a pipe or a device"):
            read(tmp_path / "pipe")
