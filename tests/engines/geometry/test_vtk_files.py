"""Files that VTK wrote, in all its encodings, against the mesh that went into them."""

from __future__ import annotations

import base64
import lzma
import re
import resource
import time
import zlib
from pathlib import Path
from xml.etree import ElementTree

import meshio
import numpy as np
import pytest

from engines.api.errors import MeshError
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.readers import base64_text, vtk_xml
from engines.geometry.readers.text import numbers
from engines.geometry.readers.vtk_legacy import read_vtk
from engines.geometry.readers.vtk_xml import XmlFile
from engines.geometry.readers.vtu import read_vtu
from engines.geometry.reading import read_mesh
from sample_data.make.vtu import write_vtu

MESHES = Path(__file__).parents[2] / "data" / "meshes"
VTU = sorted(MESHES.glob("*.vtu"))
VTK = sorted(MESHES.glob("*.vtk"))


@pytest.mark.parametrize("path", VTU + VTK, ids=lambda p: p.name)
def test_every_encoding_gives_the_same_mesh(path: Path, tiny: TetMesh) -> None:
    mesh = read_mesh(path)
    np.testing.assert_array_equal(mesh.points, tiny.points)
    np.testing.assert_array_equal(mesh.cells, tiny.cells)
    np.testing.assert_array_equal(mesh.regions, tiny.regions)
    np.testing.assert_array_equal(mesh.fibres, tiny.fibres)
    assert mesh.region_names == tiny.region_names
    assert mesh.findings == ()


@pytest.mark.parametrize("path", VTU + VTK, ids=lambda p: p.name)
def test_surface_cells_are_left_out_and_other_arrays_kept(path: Path) -> None:
    raw = (read_vtu if path.suffix == ".vtu" else read_vtk)(path)
    assert raw.other_cells == {"triangle": 80}
    np.testing.assert_array_equal(raw.cell_data["a name"], np.arange(80, 176))
    np.testing.assert_array_equal(raw.point_data["height"], raw.points[:, 2])


@pytest.mark.parametrize("path", VTU + VTK, ids=lambda p: p.name)
@pytest.mark.parametrize("part", [0.1, 0.35, 0.6, 0.85])
def test_a_truncated_file_is_named(path: Path, part: float, tmp_path: Path) -> None:
    short = tmp_path / path.name
    data = path.read_bytes()
    short.write_bytes(data[: int(part * len(data))])
    with pytest.raises(MeshError) as caught:
        read_mesh(short)
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["ascii_42.vtk", "binary_42.vtk"])
def test_strings_end_with_the_file(name: str, tmp_path: Path) -> None:
    """A wrong count of names was followed for as long as it took, minutes behind the end of the file."""
    content, found = re.subn(rb"(\n\S+ 1) \d+ string\n", rb"\1 400000000 string\n", (MESHES / name).read_bytes())
    assert found
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError, match="at its strings"):
        read_mesh(tmp_path / name)


def test_text_is_given_to_the_parser_as_that_of_other_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which may be written: a constant would be another type, for which Numba compiles the parser once more."""
    given = []
    monkeypatch.setattr(vtk_xml, "numbers", lambda data, name: given.append(data) or numbers(data, name))
    read_vtu(MESHES / "ascii.vtu")
    assert given
    assert all(data.flags.writeable for data in given)


def test_written_meshes_come_back(tiny: TetMesh, tmp_path: Path) -> None:
    write_vtu(tmp_path / "tiny.vtu", tiny)
    mesh = read_mesh(tmp_path / "tiny.vtu")
    np.testing.assert_array_equal(mesh.cells, tiny.cells)
    np.testing.assert_array_equal(mesh.fibres, tiny.fibres)
    assert mesh.region_names == tiny.region_names


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "ascii"])
@pytest.mark.parametrize("kind", [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)])
def test_regions_of_any_whole_numbers_as_meshio_writes_them(kind: str, binary: bool, tmp_path: Path) -> None:
    path, corners = tmp_path / "regions.vtk", np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
    ids = [np.array([3, 120], kind)]
    mesh = meshio.Mesh(np.random.default_rng(1).random((5, 3)), [("tetra", corners)], cell_data={"region": ids})
    meshio.write(path, mesh, file_format="vtk", binary=binary)
    assert list(read_vtk(path).cell_data["region"]) == [3, 120]


def test_several_pieces_are_joined(tmp_path: Path) -> None:
    piece = (
        '<Piece NumberOfPoints="4" NumberOfCells="1"><Points><DataArray type="Float64" NumberOfComponents="3">'
        "{x} 0 0 {y} 0 0 {x} 1 0 {x} 0 1</DataArray></Points><Cells>"
        '<DataArray type="Int32" Name="connectivity">0 1 2 3</DataArray><DataArray type="Int32" Name="offsets">4'
        '</DataArray><DataArray type="UInt8" Name="types">10</DataArray></Cells>'
        '<CellData><DataArray type="Float64" Name="tag">{x}</DataArray></CellData></Piece>'
    )
    body = "".join(piece.format(x=x, y=x + 1) for x in (0, 5))
    path = tmp_path / "two.vtu"
    path.write_text(f'<VTKFile type="UnstructuredGrid"><UnstructuredGrid>{body}</UnstructuredGrid></VTKFile>')
    mesh = read_mesh(path)
    assert mesh.n_points == 8
    np.testing.assert_array_equal(mesh.cells, [[0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_array_equal(mesh.regions, [0, 5])
    assert any("2 pieces" in f.message for f in mesh.findings)
    path.write_text(path.read_text().replace('Name="tag"', 'Name="other"', 1))
    told = [f.message for f in read_mesh(path).findings]
    assert any(each == "Left out: 'other', which some pieces of the file have not." for each in told)


def test_quadratic_tetrahedra_are_used_by_their_corners(tmp_path: Path) -> None:
    points = "0 0 0 1 0 0 0 1 0 0 0 1 .5 0 0 .5 .5 0 0 .5 0 0 0 .5 .5 0 .5 0 .5 .5"
    path = tmp_path / "quadratic.vtk"
    path.write_text(
        f"# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n{points}\n"
        "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n"
    )
    mesh = read_mesh(path)
    assert mesh.n_points == 4
    assert mesh.volumes[0] == pytest.approx(1 / 6, rel=1e-15)
    assert any("quadratic" in f.message for f in mesh.findings)


def test_entities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.vtu"
    path.write_text('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb">]><VTKFile>&b;</VTKFile>')
    with pytest.raises(MeshError, match=r"bomb\.vtu defines XML entities"):
        read_mesh(path)


@pytest.mark.parametrize(("arrays", "announced", "always"), [(1, 1 << 30, None), (9, 1 << 22, 1 << 24)])
def test_a_compressed_file_that_expands_beyond_its_budget_is_refused(tmp_path, monkeypatch, arrays, announced, always):
    """One array of a GB in 4 kB, before anything of it is expanded; or many that stand on the same bytes."""
    if always:
        monkeypatch.setattr(vtk_xml, "EXPANDED_ALWAYS", always)
    packed = zlib.compress(bytes(1 << 22), 9)
    block = np.array([1, announced, announced, len(packed)], "<u4").tobytes() + packed
    listed = "".join(f'<DataArray type="UInt8" Name="{k}" format="appended" offset="0"/>' for k in range(arrays))
    path = tmp_path / "bomb.vtu"
    path.write_bytes(
        b'<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" compressor="vtkZLibDataCompressor">'
        b'<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1"><Points>%b</Points></Piece></UnstructuredGrid>'
        b'<AppendedData encoding="raw">_%b</AppendedData></VTKFile>' % (listed.encode(), block)
    )
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(MeshError, match="expands to far more than a mesh of its size"):
        read_mesh(path)
    assert time.process_time() - began < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20  # kB: one GB


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "a block is short"])
@pytest.mark.parametrize("blocks", [1, 16, 17, 163])
def test_blocks_of_an_array_are_joined_in_their_order(blocks, whole, monkeypatch):
    """However many threads unpack them, 16 in a row; the last one is shorter than the others."""
    values, block = np.arange(blocks * 16 - 5, dtype="<i4"), 64
    monkeypatch.setattr(vtk_xml, "TURN", 16 * block)
    data = values.tobytes()
    packed = [zlib.compress(data[first : first + block]) for first in range(0, len(data), block)]
    if not whole:
        packed[blocks // 2] = zlib.compress(b"too short")
    head = np.array([blocks, block, len(data) % block, *map(len, packed)], "<u4").tobytes()
    file = XmlFile.parse(
        b'<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" compressor="vtkZLibDataCompressor">'
        b'<AppendedData encoding="raw">_' + head + b"".join(packed) + b"</AppendedData></VTKFile>",
        "mesh.vtu",
    )
    array = ElementTree.Element("DataArray", {"type": "Int32", "format": "appended", "offset": "0", "Name": "numbers"})
    if whole:
        assert np.array_equal(file.array(array), values)
    else:
        with pytest.raises(MeshError, match="array numbers is incomplete"):
            file.array(array)


@pytest.mark.parametrize("size", [1, 100, 4096, 4097, 70_000, 1 << 20])
@pytest.mark.parametrize("level", [0, 5, 9, 9 | lzma.PRESET_EXTREME])
def test_a_block_of_lzma_takes_no_more_room_than_its_own_size_needs(size, level, monkeypatch):
    """Blocks of 1 kB packed at level 9 were read at a third of what LZMA is able to: each made room for 64 MB."""
    decompressor = lzma.LZMADecompressor
    monkeypatch.setattr(vtk_xml.lzma, "LZMADecompressor", lambda: decompressor(memlimit=2 * size + (1 << 18)))
    data = np.random.default_rng(0).integers(0, 9, size, np.uint8).tobytes()
    packed = lzma.compress(data, preset=level)
    unpack = vtk_xml.DECOMPRESSORS["vtkLZMADataCompressor"]
    assert unpack(packed, size) == data
    for place in range(12, 24):  # a header that is damaged is not mended
        damaged = bytearray(packed)
        damaged[place] ^= 1
        with pytest.raises(lzma.LZMAError):
            unpack(bytes(damaged), size)


def inline(values, header="<u4", compressed=False, streams=1, lines=0):
    """The text of an array in base64."""
    data = values.tobytes()
    if compressed:
        block = 1 << 12
        packed = [zlib.compress(data[first : first + block]) for first in range(0, len(data), block)]
        head, data = np.array([len(packed), block, len(data) % block, *map(len, packed)], header), b"".join(packed)
    else:
        head = np.array([len(data)], header)
    parts = [head.tobytes() + data] if streams == 1 else [head.tobytes(), data]
    text = b"".join(map(base64.b64encode, parts))
    return b"\n".join(text[first : first + lines] for first in range(0, len(text), lines)) if lines else text


def of_text(text, header="UInt32", compressor=""):
    begin = f'<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="{header}" {compressor}>'.encode()
    x = b'<DataArray type="Float64" Name="x" format="binary">' + text + b"</DataArray>"
    y = b'<DataArray type="UInt8" Name="y" format="ascii">1 2</DataArray>'
    return begin + b"<!-- " + x + b" -->" + x + y + b"</VTKFile>"


def read_values(data):
    file = XmlFile.parse(data, "mesh.vtu")
    x, y = (file.array(element) for element in file.root.findall("DataArray"))
    assert y.tolist() == [1, 2]
    return x


def outcome(data):
    try:
        return read_values(data).tobytes()
    except MeshError as error:
        return str(error)
    except (ValueError, AssertionError) as error:
        return type(error)


@pytest.fixture(params=["long", "short"])
def lengths(request, monkeypatch):
    """Texts of base64 are long from 64 letters on, or none is."""
    for module in (vtk_xml, base64_text):
        monkeypatch.setattr(module, "LONG", 64 if request.param == "long" else 1 << 40)


@pytest.mark.parametrize("n", [0, 1, 5, 6, 7, 1000, 5000])
@pytest.mark.parametrize("header", ["UInt32", "UInt64"])
@pytest.mark.parametrize("way", [{"streams": 1}, {"streams": 2}, {"streams": 2, "compressed": True}])
@pytest.mark.parametrize("lines", [0, 76])
def test_arrays_in_base64_of_any_length(lengths, n, header, way, lines):
    values = np.random.default_rng(n).random(n)
    text = inline(values, {"UInt32": "<u4", "UInt64": "<u8"}[header], lines=lines, **way)
    compressor = 'compressor="vtkZLibDataCompressor"' if "compressed" in way else ""
    if not (n == 0 and compressor):
        for blanks in (b"%b", b"\n  \t%b \r\n"):
            assert np.array_equal(read_values(of_text(blanks % text, header, compressor)), values)


def test_a_parser_of_xml_never_sees_a_long_text(monkeypatch):
    """It takes longer over it than all the rest of the reader."""
    seen, parse = [], ElementTree.fromstring
    monkeypatch.setattr(vtk_xml.ElementTree, "fromstring", lambda data: seen.append(len(data)) or parse(data))
    values = np.arange(20_000.0)
    data = of_text(b"\n" + inline(values) + b"\n")
    assert np.array_equal(read_values(data), values)
    assert seen[0] < 1000 < len(data)


@pytest.mark.parametrize("word", ["0123456789abcdef", "0123456789012345", "91e8000000000000"])
def test_damaged_text_in_base64_is_told_as_the_parser_and_python_tell_it(monkeypatch, word):
    """Whatever is wrong with it, a long text is refused, or read, as a short one is: also where the word that stands
    for it is a number, and a damaged tag says that numbers stand there."""
    monkeypatch.setattr(vtk_xml.secrets, "token_hex", lambda n: word)
    rng = np.random.default_rng(1)
    whole = of_text(inline(np.arange(40.0)))
    odd = [b"", b"=", b"&", b"<", b">", b"\0", b"\n", b" ", b"-", b"\xe9", b"]]>", b"&#10;", b"<a/>", b"<?a ?>", b"A"]
    odd += [b"<![CDATA[A]]>", b"<!--A-->"]
    files = [whole, whole[:500], of_text(b""), of_text(b"AAAA")]
    for _ in range(600):
        first, end = np.sort(rng.integers(len(whole) // 2, len(whole), 2))
        end = min(end, first + int(rng.integers(0, 6))) if rng.random() < 0.8 else end
        files.append(whole[:first] + odd[rng.integers(len(odd))] + whole[end:])

    def outcomes(long):
        for module in (vtk_xml, base64_text):
            monkeypatch.setattr(module, "LONG", long)
        return [outcome(data) for data in files]

    shorter = outcomes(1 << 40)
    assert outcomes(64) == shorter
    assert len(set(map(str, shorter))) > 10
