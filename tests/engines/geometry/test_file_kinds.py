"""Files that parameters name are of their kind before they are copied; nothing that is none is quoted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from PIL import Image
from pydantic import BaseModel

from engines.api import registry
from engines.api.errors import ProblemError
from engines.geometry.file_kinds import check_file, check_table
from engines.geometry.reading import read_mesh

SECRET = "root:x:0:0:hunter2:/root:/bin/sh\nkey hunter2 1.5\n"
SUFFIXES = {
    "picture": [".png"],
    "cell model": [".mmt", ".cellml"],
    "drive cycle": [".csv"],
    "BPX file": [".json"],
    "table": [".csv"],
    "connection table": [".csv", ".npz"],
    "spike list": [".csv", ".npz"],
    "STL file": [".stl"],
    "mesh or table": [".csv", ".msh", ".inp", ".vtu", ".vtk", ".node", ".pts", ".mesh"],
}


def kinds(model: Any, seen: set[Any]) -> Iterator[str]:
    """Kinds of the files that a model of parameters names anywhere."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        if model not in seen:
            seen.add(model)
            for info in model.model_fields.values():
                extra = info.json_schema_extra
                if isinstance(extra, dict) and extra.get("file"):
                    yield str(extra["file"])
                yield from kinds(info.annotation, seen)
    else:
        for part in get_args(model):
            yield from kinds(part, seen)


NAMED = [
    (engine.id, kind) for engine in registry.engines().values() for kind in sorted(set(kinds(engine.Parameters, set())))
]


def test_files_are_named_in_most_engines():
    assert {engine for engine, _ in NAMED} >= {"battery", "cardiac", "fdtd", "peridynamics", "spiking", "stencil"}
    assert {kind for _, kind in NAMED} == set(SUFFIXES)


def check(engine: str, path: Path, kind: str) -> None:
    """As a save does it."""
    if not registry.engine(engine).check_file(path, kind):
        check_file(path, kind)


@pytest.mark.parametrize("content", [SECRET.encode(), b"", b"\x00\xff\x80hunter2" * 50, b"PK\x03\x04hunter2"])
@pytest.mark.parametrize(("engine", "kind"), NAMED)
def test_what_is_not_of_its_kind_is_refused_and_not_quoted(tmp_path, engine, kind, content):
    for suffix in SUFFIXES[kind]:
        file = tmp_path / f"file{suffix}"
        for each in (file, file.with_suffix(".elem"), file.with_suffix(".ele")):
            each.write_bytes(content)
        with pytest.raises(ProblemError) as refused:
            check(engine, file, kind)
        assert "hunter2" not in str(refused.value)
        assert "root" not in str(refused.value).replace(str(tmp_path), "")


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("L", (2, 2)).save(stream, "PNG")
    return stream.getvalue()


def connections() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, pre=[0, 1], post=[1, 0])
    return stream.getvalue()


@pytest.mark.parametrize(
    ("engine", "kind", "suffix", "content"),
    [
        ("stencil", "picture", ".png", picture()),
        ("battery", "drive cycle", ".csv", b"time [min];power [kW]\n0;1,5\n1;-2,5e1\n"),
        ("battery", "BPX file", ".json", b'{"Header": {"BPX": "0.4.0"}}'),
        ("cardiac", "cell model", ".mmt", b"# a comment\n[[model]]\nname: m\n"),
        ("cardiac", "cell model", ".cellml", b'<model xmlns="http://www.cellml.org/cellml/1.0#" name="m"/>'),
        ("spiking", "connection table", ".csv", b"pre,post,weight\n0,1,2.5\n"),
        ("spiking", "connection table", ".npz", connections()),
        ("spiking", "spike list", ".csv", b"neuron,time [s]\n0,1\n1,2.5\n"),
        ("peridynamics", "mesh or table", ".csv", b"x,y,z\n0,0,0\n1,0,0\n"),
        ("fdtd", "table", ".csv", b"\xef\xbb\xbf# made by hand\ntime,value\n0,0\n1,1 # the peak\n2,nan\n"),
    ],
)
def test_what_is_of_its_kind_passes(tmp_path, engine, kind, suffix, content):
    (tmp_path / f"file{suffix}").write_bytes(content)
    check(engine, tmp_path / f"file{suffix}", kind)


def test_a_table_with_a_line_of_words_below_its_numbers_is_none(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,hunter2\n")
    with pytest.raises(ProblemError, match="is no table"):
        check_table(tmp_path / "t.csv")


@pytest.mark.parametrize("suffix", [".lon", ".vtu", ".pts", ".node", ".msh", ".inp", ".mesh", ".vtk"])
def test_meshes_and_fibres_quote_nothing_of_what_is_none(tmp_path, suffix):
    box = tmp_path / "box.pts"
    box.write_text("4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    box.with_suffix(".elem").write_text("1\nTt 0 1 2 3 1\n")
    for text in (SECRET, "hunter2\n", "1\nhunter2\n", "1 0 hunter2\n", "<hunter2 type='hunter2'/>"):
        file = tmp_path / f"other{suffix}"
        for each in (file, file.with_suffix(".elem"), file.with_suffix(".ele")):
            each.write_text(text)
        with pytest.raises(ProblemError) as refused:
            read_mesh(box, fibres=file) if suffix == ".lon" else read_mesh(file)
        assert "hunter2" not in str(refused.value)


def test_a_plane_of_points_includes_no_other_file(tmp_path):
    from engines.peridynamics.cloud.files import read_points

    (tmp_path / "secret.inp").write_text("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*ELEMENT, TYPE=CPS3\n1, 1, 2, 3\n")
    (tmp_path / "plane.inp").write_text("*INCLUDE, INPUT=secret.inp\n")
    with pytest.raises(ProblemError, match="includes other files"):
        read_points(Path(tmp_path / "plane.inp"), 2, "mm")
