"""Files that would crash, hang or flood the program: each is refused by a sentence, or read without harm."""

from __future__ import annotations

import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy import sparse
from timed import timed

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_COLUMNS, MAX_TABLES, MAX_VIEWS, READ_LIMIT
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.waveforms import read_recordings

A = np.arange(18.0).reshape(6, 3) ** 2
MEGABYTE = 10**6


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred megabytes, so that nothing large has to be made to be refused."""
    monkeypatch.setenv(READ_LIMIT, "0.1")


def refusal(path: Path | list[Path]) -> str:
    with pytest.raises(DataError) as caught:
        read_files(path if isinstance(path, list) else [path])
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return str(caught.value)


def read(path: Path) -> Loaded:
    return read_files([path])


def element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def variable(code: int, shape: tuple[int, ...], content: bytes, name: bytes = b"X") -> bytes:
    head = element(6, struct.pack("<II", code, 0)) + element(5, struct.pack(f"<{len(shape)}i", *shape))
    return element(14, head + element(1, name) + content)


def packed(content: bytes) -> bytes:
    """A compressed variable, whose length is not rounded."""
    data = zlib.compress(content, 9)
    return struct.pack("<II", 15, len(data)) + data


def mat_file(path: Path, *variables: bytes) -> Path:
    path.write_bytes(b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(variables))
    return path


def hdf(path: Path, fill: Callable[[Any], None]) -> Path:
    with h5py.File(path, "w", userblock_size=512) as file:
        file["A"] = A.T
        fill(file)
    with path.open("r+b") as start:
        start.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return path


# Indices that point outside


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("lie", [10**6, -1])
def test_sparse_npz_with_indices_out_of_bounds(tmp_path: Path, kind: str, lie: int) -> None:
    path = tmp_path / "s.npz"
    sparse.save_npz(path, sparse.coo_array(A).asformat(kind))
    np.testing.assert_array_equal(read(path).data.Xs[0], A)
    parts = dict(np.load(path))
    parts["row" if kind == "coo" else "indices"][0] = lie
    np.savez(path, **parts)
    assert "its parts do not fit each other" in refusal(path)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_sparse_npz_whose_starts_go_back_to_0(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "s.npz"
    sparse.save_npz(path, sparse.coo_array(A).asformat(kind))
    parts = dict(np.load(path))
    parts["indptr"][-1] = 0
    np.savez(path, **parts)
    assert "its parts do not fit each other" in refusal(path)


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("compressed", [False, True])
def test_sparse_mat_with_indices_out_of_bounds(tmp_path: Path, victim: int, compressed: bool) -> None:
    matrix = sparse.csc_array(A)
    for wrong in (False, True):
        indices = [matrix.indices.astype("<i4"), matrix.indptr.astype("<i4")]
        indices[victim][1] = 10**6 if wrong else indices[victim][1]
        numbers = b"".join(element(5, each.tobytes()) for each in indices) + element(9, matrix.data.tobytes())
        content = variable(5, (6, 3), numbers)
        path = mat_file(tmp_path / "s.mat", packed(content) if compressed else content)
        if wrong:
            assert "damaged" in refusal(path)
        else:
            np.testing.assert_array_equal(read(path).data.Xs[0], A)


@pytest.mark.parametrize("lie", [7, 10**6, 2**63])
def test_sparse_mat_7_3_with_indices_out_of_bounds(tmp_path: Path, lie: int) -> None:
    def thin(file: Any) -> None:
        node = file.create_group("X")
        node.attrs["MATLAB_sparse"] = 6
        node["data"], node["jc"] = [5.0, 6.0], np.array([0, 1, 2], dtype=np.uint64)
        node["ir"] = np.array([0, lie], dtype=np.uint64)

    assert "damaged" in refusal(hdf(tmp_path / "s.mat", thin))


@pytest.mark.parametrize("kind", ["<f2", ">f2", ">f8", ">i4"])
def test_sparse_npz_of_numbers_that_scipy_does_not_know(tmp_path: Path, kind: str) -> None:
    path, matrix = tmp_path / "s.npz", sparse.csr_array(np.eye(4) * 3)
    parts = {"indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape, "format": b"csr"}
    np.savez(path, data=matrix.data.astype(kind), **parts)
    np.testing.assert_array_equal(read_files([path]).data.Xs[0], 3 * np.eye(4))


def test_sparse_matrix_that_would_fill_memory(tmp_path: Path) -> None:
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_array((3, 10**9)))
    message = refusal(tmp_path / "s.npz")
    assert "Reading “s.npz” would take 24 GB, where 0.1 GB are the most." in message
    assert f"set the environment variable {READ_LIMIT} to 24 (GB)" in message


# MAT files of version 5 that end SciPy's process


NUMBERS = element(9, A.T.tobytes())
LIES = {
    "a type that there is not": variable(6, (6, 3), element(23, A.T.tobytes())),
    "a type that is no number": variable(6, (6, 3), element(14, A.T.tobytes())),
    "a class that there is not": variable(99, (6, 3), NUMBERS),
    "a length beyond the file": variable(6, (6, 3), struct.pack("<II", 9, 2**31) + A.tobytes()),
    "names of fields of length 0": variable(2, (1, 1), element(5, bytes(4)) + element(1, b"a" * 32)),
    "names of fields of length -1": variable(2, (1, 1), element(5, b"\xff" * 4) + element(1, b"a" * 32)),
    "more cells than bytes": variable(1, (10_000, 10_000), b""),
    "more fields than bytes": variable(2, (10_000, 10_000), element(5, struct.pack("<i", 8)) + element(1, b"a" * 8)),
    "a negative size": variable(1, (-1, 3), NUMBERS),
    "33 dimensions": variable(6, (1,) * 33, NUMBERS),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("compressed", [False, True])
def test_mat_with_a_lie(tmp_path: Path, lie: str, compressed: bool) -> None:
    content = packed(LIES[lie]) if compressed else LIES[lie]
    assert "damaged" in refusal(mat_file(tmp_path / "x.mat", content))


def test_functions_and_objects_are_passed_over(tmp_path: Path) -> None:
    inner = variable(6, (6, 3), NUMBERS)
    function = variable(16, (1, 1), inner, b"f")
    texts = element(1, b"o") + element(1, b"MCOS") + element(1, b"table")
    opaque = element(14, element(6, struct.pack("<II", 17, 0)) + texts + inner)
    path = mat_file(tmp_path / "x.mat", function, opaque, variable(6, (6, 3), NUMBERS, b"A"))
    assert read(path).data.view_names == ("A",)


def test_structs_nested_too_deep(tmp_path: Path) -> None:
    def nested(depth: int) -> bytes:
        field = element(5, struct.pack("<i", 8)) + element(1, b"inside\0\0")
        inner = variable(6, (6, 3), NUMBERS, b"")
        for _ in range(depth):
            inner = variable(2, (1, 1), field + inner, b"X")
        return inner

    np.testing.assert_array_equal(read(mat_file(tmp_path / "x.mat", nested(90))).data.Xs[0], A)
    for depth in (101, 1500):
        assert "nests cells or structs more than 100 deep" in refusal(mat_file(tmp_path / "x.mat", nested(depth)))


# A few bytes that ask for gigabytes


def test_zip_that_unfolds_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        np.save(tmp_path / "x.npy", np.zeros((13_000, 1000)))
        archive.write(tmp_path / "x.npy", "x.npy")
    assert path.stat().st_size < MEGABYTE
    message = refusal(path)
    assert "Reading “bomb.npz” would take 0.104 GB, where 0.1 GB are the most." in message
    assert f"set the environment variable {READ_LIMIT} to 1 (GB)" in message


def test_the_limit_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "x.npz", x=np.eye(600) * np.ones(600))
    monkeypatch.setenv(READ_LIMIT, "0.001")
    refusal(tmp_path / "x.npz")
    monkeypatch.setenv(READ_LIMIT, "1")
    assert read(tmp_path / "x.npz").data.n_samples == 600
    monkeypatch.setenv(READ_LIMIT, "plenty")
    assert "MVEXPLORER_READ_LIMIT is “plenty”, which is no size." in refusal(tmp_path / "x.npz")


def test_npy_that_claims_more_than_it_has(tmp_path: Path) -> None:
    head = str({"descr": "<f8", "fortran_order": False, "shape": (10**10, 10)}).ljust(117).encode() + b"\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(800))
    assert "it ends before its numbers do" in refusal(tmp_path / "x.npy")


def test_compressed_variable_that_unfolds_beyond_the_limit(tmp_path: Path) -> None:
    path = mat_file(tmp_path / "x.mat", packed(variable(9, (6, 3), NUMBERS) + bytes(120 * MEGABYTE)))
    assert "where 0.1 GB are the most" in refusal(path)


def test_struct_of_200_million_elements_without_fields(tmp_path: Path) -> None:
    content = variable(2, (1, 200_000_000), element(5, struct.pack("<i", 32)) + element(1, b""))
    path = mat_file(tmp_path / "x.mat", content)
    assert path.stat().st_size < 256
    assert "holds 200,000,001 cells and fields, where 250,000 are the most." in refusal(path)


def test_more_members_columns_views_and_sources_than_can_be_shown(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "many.npz", "w") as archive:
        for i in range(20_000):
            archive.writestr(f"{i}.npy", b"")
    assert "“many.npz” holds 20,000 arrays, where 5,000 are the most." in refusal(tmp_path / "many.npz")
    (tmp_path / "wide.csv").write_text("\n".join([",".join(["1"] * (MAX_COLUMNS + 1))] * 3))
    assert "“wide.csv” holds 100,001 columns" in refusal(tmp_path / "wide.csv")
    np.savez(tmp_path / "views.npz", **{f"v{i}": A for i in range(MAX_VIEWS + 1)})
    assert "“views.npz” holds 501 views" in refusal(tmp_path / "views.npz")
    assert "There are 3,000 files of tables, where 500 are the most." in refusal([tmp_path / "a.csv"] * 6 * MAX_TABLES)


def test_a_file_of_short_lines(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"1\n" * 500_000)
    assert "where 0.1 GB are the most" in refusal(tmp_path / "x.csv")


# HDF5


def test_external_links_and_storage_are_refused(tmp_path: Path) -> None:
    hdf(tmp_path / "secret.mat", lambda file: None)

    def link(file: Any) -> None:
        file["X"] = h5py.ExternalLink(tmp_path / "secret.mat", "A")

    def indirect(file: Any) -> None:
        file["#far"] = h5py.ExternalLink(tmp_path / "secret.mat", "/")
        file["X"] = h5py.SoftLink("/#far/A")

    def storage(file: Any) -> None:
        file.create_dataset("X", (3, 6), "u1", external=[(str(tmp_path / "secret.mat"), 0, h5py.h5f.UNLIMITED)])

    def virtual(file: Any) -> None:
        layout = h5py.VirtualLayout((3, 6), "f8")
        layout[:] = h5py.VirtualSource(tmp_path / "secret.mat", "A", (3, 6))
        file.create_virtual_dataset("X", layout)

    for fill in (link, indirect, storage, virtual):
        message = refusal(hdf(tmp_path / "x.mat", fill))
        assert "“x.mat” keeps its numbers in" in message
        assert "which is not followed. Save the views in one file." in message


def test_links_within_the_file_are_followed_and_loops_end(tmp_path: Path) -> None:
    def soft(file: Any) -> None:
        file["gt"] = np.arange(6.0)[None] % 2
        file["B"] = h5py.SoftLink("/A")
        file["gone"], file["round"] = h5py.SoftLink("/nowhere"), h5py.SoftLink("/round")

    assert read(hdf(tmp_path / "x.mat", soft)).data.view_names == ("A", "B")

    def loop(file: Any) -> None:
        file["again"] = file

    assert read(hdf(tmp_path / "x.mat", loop)).data.view_names == ("A",)


@timed
def test_cells_and_groups_that_multiply(tmp_path: Path, timed: bool) -> None:
    def cells(file: Any) -> None:
        node = file["A"]
        for i in range(12):
            cell = file.create_dataset(f"#{i}", (20, 1), dtype=h5py.ref_dtype)
            cell[:] = node.ref
            node = cell
        file["X"] = node

    def twice(file: Any) -> None:
        node = file.create_group("X")
        for i in range(40):
            child = file.create_group(f"#{i}")
            node["a"] = node["b"] = child
            node = child

    for fill in (cells, twice):
        start = time.process_time()
        assert "cells and fields, where 250,000 are the most" in refusal(hdf(tmp_path / "x.mat", fill))
        assert not timed or time.process_time() - start < 10


def test_hdf5_chunk_that_unfolds_beyond_what_it_says(tmp_path: Path) -> None:
    def bomb(file: Any) -> None:
        node = file.create_dataset("X", (3, 6), "f8", chunks=(3, 6), compression="gzip")
        # Earlier HDF5 cannot write a chunk of more than 64 kB in the place of one this small.
        node.id.write_direct_chunk((0, 0), zlib.compress(bytes(50 * MEGABYTE), 9))

    assert "damaged" in refusal(hdf(tmp_path / "x.mat", bomb))


def test_hdf5_heap_that_is_read_for_ever(tmp_path: Path) -> None:
    path = hdf(tmp_path / "x.mat", lambda file: file["A"].attrs.update(MATLAB_class="double"))
    content = bytearray(path.read_bytes())
    heap = content.index(b"GCOL")
    content[heap + 16 : heap + 32] = bytes(16)
    path.write_bytes(content)
    assert "damaged" in refusal(path)


def test_hdf5_that_claims_more_than_there_is(tmp_path: Path) -> None:
    path = hdf(tmp_path / "x.mat", lambda file: file.create_dataset("X", (2**40, 8), "f8", chunks=(8, 8)))
    assert "would take 7.04e+04 GB" in refusal(path)


def test_codes_that_are_no_characters(tmp_path: Path) -> None:
    codes = [[0x110000, 65, 66], [65, 65, 66], [0xD800, 65, 66]] * 2

    def text(file: Any) -> None:
        file["gt"] = np.array(codes, dtype=np.uint32).T
        file["gt"].attrs["MATLAB_class"] = np.bytes_("char")

    assert read(hdf(tmp_path / "x.mat", text)).data.labels.tolist() == ["�AB", "AAB", "�AB"] * 2
    labels = np.array(codes, dtype=np.uint32).ravel().view("U3")
    np.savez(tmp_path / "x.npz", A=A, labels=labels)
    assert read(tmp_path / "x.npz").data.labels.tolist() == ["�AB", "AAB", "�AB"] * 2


# What is in an archive beside tables


def archive(path: Path, **members: bytes) -> Path:
    np.savez(path, A=A)
    with zipfile.ZipFile(path, "a") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_text_and_folders_in_an_archive_are_left_out(tmp_path: Path) -> None:
    loaded = read(archive(tmp_path / "x.npz", **{"readme.txt": b"text", "folder/": b"", "odd.npy": b"text"}))
    assert loaded.data.view_names == ("A",)
    assert "x.npz: “readme.txt” is no array and was left out." in loaded.notes
    assert "x.npz: “odd.npy” is no array and was left out." in loaded.notes


def test_objects_in_an_archive_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", A=A, b=np.array([{}, None], dtype=object))
    assert "holds Python objects instead of numbers" in refusal(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "images",
    [
        np.full((6, 2, 2), "a"),
        np.ones((6, 2, 2, 5)),
        np.ones((6, 0, 2)),
        np.full((6, 2, 2), 300),
        np.full((6, 2, 2), np.nan),
    ],
)
def test_images_that_are_none(tmp_path: Path, images: np.ndarray) -> None:
    np.savez(tmp_path / "x.npz", A=A, images=images)
    loaded = read(tmp_path / "x.npz")
    assert loaded.data.images is None
    assert any("array “images” h" in note and "and was left out" in note for note in loaded.notes)


def test_vectors_that_are_no_columns(tmp_path: Path) -> None:
    days = np.arange(6).astype("M8[D]")
    np.savez(tmp_path / "x.npz", A=A, c=np.ones(6, dtype=complex), none=np.zeros(0), day=days)
    loaded = read(tmp_path / "x.npz")
    assert list(loaded.data.columns) == ["day"]
    assert loaded.data.columns["day"][0] == "1970-01-01"
    assert any("“c” holds neither real numbers nor text" in note for note in loaded.notes)
    np.save(tmp_path / "x.npy", np.zeros((0, 3)))
    assert "Array “x” of “x.npy” is empty" in refusal(tmp_path / "x.npy")


def test_a_field_of_any_length(tmp_path: Path) -> None:
    rows = "\n".join(f'{i},"{letter * 200_000}, and more"' for i, letter in enumerate("abcabc"))
    (tmp_path / "x.csv").write_text(f"x,text\n{rows}\n")
    assert len(set(read(tmp_path / "x.csv").data.columns["text"])) == 3


@pytest.mark.parametrize("numbers", [(1, 2, 0, 0, 4, 16), (1, 0, 8000, 0, 0, 16), (1, 65535, 8000, 0, 65535, 8)])
def test_wav_headers_that_lie(tmp_path: Path, numbers: tuple[int, ...]) -> None:
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, *numbers)
    data = bytes(65535 * 2)
    content = b"WAVE" + head + struct.pack("<4sI", b"data", len(data)) + data
    (tmp_path / "x.wav").write_bytes(b"RIFF" + struct.pack("<I", len(content)) + content)
    with pytest.raises(DataError, match=r"sampling rate of 0 Hz|is damaged|65,535 views"):
        read_recordings([tmp_path / "x.wav"])
