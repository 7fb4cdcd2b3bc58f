"""The readers and files for them: each file is made anew by a grammar, then damaged."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from matlab_files import mat5, mat73
from mutations import WORDS, damage, damage_text
from omics_files import omics
from sentinel import lead_away, was_read, write_sentinels
from session_files import session, session_with_data
from structures import lie_in_arrow, lie_in_npy, lie_in_parquet, lie_in_png, lie_in_zip, rename_in_zip
from waveform_files import recording
from workbook_files import workbook

from mvexplorer.errors import MVExplorerError

ROOT = Path(__file__).resolve().parents[2]
M = 6
_CELLS = ("1", "2.5", "-3e-7", "0", "NaN", "", "inf", "text", '"quoted, text"', "1,5", "é", "1e999", "?", "0x1")


def table(rng: Random) -> bytes:
    """A CSV or TSV file."""
    separator = rng.choice(",,,;\t ")
    width = rng.choice((1, 2, 3, 5)) if rng.random() < 0.98 else 2000
    names = [
        rng.choice(("a", "b:x", "v:1", "label", "id", "y", "x", "", "é")) + rng.choice(("", str(i)))
        for i in range(width)
    ]
    rows = [separator.join(names)] if rng.random() < 0.6 else []
    kinds = [rng.choice((("1", "2", "0.5"), ("1", "2", "0.5"), ("a", "b"), _CELLS)) for _ in range(width)]
    rows += [separator.join(rng.choice(kind) for kind in kinds) for _ in range(rng.choice((M, M, M, 2, 40)))]
    if rng.random() < 0.03:
        rows.append('"' + "long " * 30_000 + '"' + separator * (width - 1))
    text = rng.choice(("\n", "\n", "\r\n", "\r")).join(rows)
    content = text.encode(rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1")), "replace")
    return damage(rng, content) if rng.random() < 0.7 else content


def _array(rng: Random, shape: tuple[int, ...] | None = None) -> np.ndarray:
    shape = shape or rng.choice(((M, 3), (M, 2), (M,), (M, 1), (M, 4, 4), (M, 2, 2, 3), (3,), (0,), (0, 3), (M, 0), ()))
    kind = rng.choice(
        ("f8", "f8", "f4", "i8", "u1", "?", "c16", "U3", "S3", ">f8", ">U2", "M8[D]", "f2", "V3", "U0", "m8[s]")
    )
    return (
        np.frombuffer(rng.randbytes(max(1, np.dtype(kind).itemsize) * 200), kind, count=-1 if kind != "U0" else 0)[
            : int(np.prod(shape))
        ].reshape(shape)
        if np.dtype(kind).itemsize and rng.random() < 0.3
        else _plain(rng, shape, kind)
    )


def _plain(rng: Random, shape: tuple[int, ...], kind: str) -> np.ndarray:
    values = np.array([rng.choice((0, 1, 2, 5)) for _ in range(int(np.prod(shape)))], dtype="i8").reshape(shape)
    return (
        values.astype("U1").astype(kind)
        if kind[-2:] in ("U3", "S3", "U2", "U0")
        else values.astype("V8" if kind == "V3" else kind)
    )


def npy(rng: Random) -> bytes:
    """An array in NPY format, whose header may claim anything."""
    if rng.random() < 0.15:
        shape = rng.choice(
            ("(2000000000, 3)", "(6, 0)", "(-1, 3)", "(6,)", f"({2**62}, 4)", "(" * 200, f"({2**62}, 0)", "(True, 6)")
        )
        kind = rng.choice(("'<f8'", "'<U0'", "'|O'", "[('a', '<f8')]", "'|S1000000000'", "(" * 3000, "'<M8[D]'"))
        head = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
        version = rng.choice((b"\1\0", b"\2\0\0\0"))
        return b"\x93NUMPY" + version[:2] + struct.pack("<H", len(head)) + version[2:] + head + bytes(160)
    stream = io.BytesIO()
    np.save(stream, _array(rng), allow_pickle=rng.random() < 0.05)
    return rng.choice((damage, lie_in_npy, _same))(rng, stream.getvalue())


def _same(rng: Random, content: bytes) -> bytes:
    return content


def npz(rng: Random) -> bytes:
    """An archive of arrays and of other things."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        how = rng.choice(
            (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)
        )
        kind = rng.random()
        members = (
            _sparse(rng)
            if kind < 0.2
            else [
                (rng.choice(("a", "b", "labels", "images", "ids", "X", "folder/a", "é")), _array(rng))
                for _ in range(rng.randint(1, 4))
            ]
        )
        for name, array in dict(members).items():
            inner = io.BytesIO()
            np.save(inner, array, allow_pickle=True)
            archive.writestr(f"{name}.npy", rng.choice((*[_same] * 8, damage, lie_in_npy))(rng, inner.getvalue()), how)
        if rng.random() < 0.1:
            archive.writestr(rng.choice(("readme.txt", "folder/", "a", "x.npy")), rng.choice(("", "text", "\x93NUMPY")))
        if kind > 0.99:
            bomb = npy_header((50_000, 5_000)) + bytes(10**8)
            archive.writestr("bomb.npy", bomb, zipfile.ZIP_DEFLATED, 1)
        elif kind > 0.98:
            for i in range(6000):
                archive.writestr(f"m{i}.npy", b"")
    return rng.choice((_same, _same, damage, lie_in_zip, rename_in_zip))(rng, stream.getvalue())


def archive(rng: Random) -> bytes:
    """Data that the program wrote, whose list of contents says what is not there, or something else of it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_written())) as old, zipfile.ZipFile(stream, "w") as new:
        names = old.namelist()
        hit, other = rng.choice((names[0], rng.choice(names))), rng.choice(names)
        for name in names:
            content = old.read(name)
            if name == hit == names[0]:
                start = 10 + int.from_bytes(content[8:10], "little")
                text = damage_text(rng, content[start:].decode())
                content = npy_header((len(text),), "|u1") + text
            elif name == hit:
                content = rng.choice((damage(rng, content), lie_in_npy(rng, content), old.read(other)))
            new.writestr(name, content)
    return rng.choice((_same, _same, _same, lie_in_zip, rename_in_zip))(rng, stream.getvalue())


@cache
def _written() -> bytes:
    import tempfile

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.io.arrays.archive import write_archive

    X = np.arange(18.0).reshape(6, 3)
    data = MultiView(
        {"a": X, "b": X[:, :2] ** 2}, labels=list("aabbab"), sample_ids=list("uvwxyz"), columns={"c": np.arange(6)},
        images=np.zeros((6, 4, 4), "u1"), coordinates={"map": X[:, :2]},
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        write_archive(data, Path(folder, "data.npz"))
        return Path(folder, "data.npz").read_bytes()


def npy_header(shape: tuple[int, ...], kind: str = "<f8") -> bytes:
    """The head of an NPY file."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head


def _sparse(rng: Random) -> list[tuple[str, np.ndarray]]:
    from scipy import sparse

    kind = rng.choice(("csr", "csc", "bsr", "coo"))
    matrix = sparse.random_array((M, 4), density=0.4, format=kind, rng=rng.randrange(1000))
    names = ("row", "col") if kind == "coo" else ("indices", "indptr")
    parts = {name: np.array(getattr(matrix, name)) for name in names}
    parts |= {"data": np.array(matrix.data), "shape": np.array((M, 4)), "format": np.array(kind.encode())}
    if rng.random() < 0.6:
        victim = rng.choice(("shape", *names))
        lies = parts[victim] = parts[victim].astype(rng.choice(("i8", "i4", "u8")))
        if lies.size:
            lie = rng.choice((-1, 0, 7, 10**6, 2**31 - 1))
            lies.flat[rng.randrange(lies.size)] = abs(lie) if lies.dtype.kind == "u" else lie
    return list(parts.items())


def wav(rng: Random) -> bytes:
    """A recording, whose header may be wrong."""
    depth, channels, form = rng.choice((1, 2, 3, 4, 8)), rng.choice((1, 2, 2, 3)), rng.choice((1, 1, 1, 3, 0xFFFE, 7))
    numbers = [form, channels, rng.choice((100, 8000)), 8000 * channels * depth, channels * depth, 8 * depth]
    if rng.random() < 0.3:
        numbers[rng.randrange(6)] = rng.choice(WORDS)
    head = struct.pack("<HHIIHH", *(n & (0xFFFFFFFF if i in (2, 3) else 0xFFFF) for i, n in enumerate(numbers)))
    data = rng.randbytes(rng.choice((0, 1, 24, 240, 70_000)))
    size = len(data) if rng.random() < 0.8 else rng.choice(WORDS) & 0xFFFFFFFF
    parts = struct.pack("<4sI", b"fmt ", len(head)) + head + struct.pack("<4sI", b"data", size) + data
    content = b"RIFF" + struct.pack("<I", len(parts) + 4) + b"WAVE" + parts
    return damage(rng, content) if rng.random() < 0.6 else content


def _frame(rng: Random) -> Any:
    import polars as pl

    kinds = (
        lambda: [rng.random() for _ in range(M)],
        lambda: [rng.choice((1, 2, None)) for _ in range(M)],
        lambda: [rng.choice(("a", "b", "é", "")) for _ in range(M)],
        lambda: [[1.0, 2.0]] * M,
        lambda: [{"x": 1, "y": "t"}] * M,
        lambda: [rng.random() < 0.5 for _ in range(M)],
        lambda: pl.Series(["a", "b"] * (M // 2), dtype=pl.Categorical),
    )
    names = ("id", "label", "x", "y", "b:x", "0", "é")
    return pl.DataFrame({rng.choice(names) + str(i): rng.choice(kinds)() for i in range(rng.randint(1, 5))})


def parquet(rng: Random) -> bytes:
    """A Parquet file."""
    stream = io.BytesIO()
    _frame(rng).write_parquet(stream, compression=rng.choice(("zstd", "snappy", "lz4", "gzip", "uncompressed")))
    return rng.choice((_same, damage, lie_in_parquet, lie_in_parquet))(rng, stream.getvalue())


def arrow(rng: Random) -> bytes:
    """An Arrow file or stream."""
    stream, frame = io.BytesIO(), _frame(rng)
    write = frame.write_ipc if rng.random() < 0.7 else frame.write_ipc_stream
    write(stream, compression=rng.choice(("zstd", "lz4", "uncompressed")))
    return rng.choice((_same, damage, lie_in_arrow, lie_in_arrow))(rng, stream.getvalue())


def hdf(folder: Path, rng: Random) -> bytes:
    """An HDF5 file of groups, tables, texts."""
    import h5py

    path = folder / "made.h5"
    with h5py.File(path, "w") as file:
        for _ in range(rng.randint(1, 4)):
            name = rng.choice(("X", "g/X", "label", "g/h/ids", "images", "t"))
            if name in file:
                continue
            how = {"chunks": True, "compression": "gzip"} if rng.random() < 0.5 else {}
            text = ["a", "é", ""] * 2
            data = rng.choice((np.ones((M, 3)), np.arange(M), np.zeros((M, 4, 4), "u1"), np.ones((M, 3), "f4")))
            if rng.random() < 0.3:
                file.create_dataset(name, data=text, dtype=h5py.string_dtype(), **how)
            else:
                file.create_dataset(name, data=data, **how)
        if rng.random() < 0.2:
            lead_away(rng, rng.choice((file, file.require_group("g"))), rng.choice(("far", "ids", "h")), folder)
    content = path.read_bytes()
    return damage(rng, content) if rng.random() < 0.8 else content


def picture(rng: Random) -> bytes:
    """A picture of some kind."""
    from PIL import Image

    stream = io.BytesIO()
    mode = rng.choice(("L", "RGB", "RGBA", "P", "1", "I;16"))
    form = rng.choice(("PNG", "PNG", "GIF", "TIFF")) if mode in ("RGBA", "P", "I;16") else rng.choice(
        ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP")
    )  # fmt: skip
    form = "PNG" if mode == "I;16" else form
    Image.new(mode, (rng.choice((1, 5, 40)), 7)).save(stream, form)
    lies = (lie_in_png, lie_in_png, lie_in_png) if form == "PNG" else (damage,)
    return rng.choice((_same, damage, *lies))(rng, stream.getvalue())


def settings(rng: Random) -> bytes:
    """The preferences."""
    content = {
        "theme": "dark",
        "animate": True,
        "memory_mebibytes": 512,
        "recent": [["a.csv", "b.csv"]],
        "started_before": True,
    }
    return damage_text(rng, json.dumps(content))


@cache
def _manifests() -> tuple[str, ...]:
    return tuple(path.read_text("utf-8") for path in sorted((ROOT / "sample_datasets").glob("*/manifest.json")))


def manifest(rng: Random) -> bytes:
    """The description of a sample."""
    return damage_text(rng, rng.choice(_manifests()))


def _load(path: Path) -> None:
    from mvexplorer.datasets.loading import load_source

    loaded = load_source([path], drop_missing=len(path.read_bytes()) % 2 == 0)
    data = loaded.data
    refuse_followed([data.Xs, data.labels, data.sample_ids, data.columns, data.latent, data.images, data.coordinates])


def refuse_followed(found: Any) -> None:
    """Raise where something that was read comes from another file."""
    if was_read(found):
        raise AssertionError("another file was read")


def _load_folder(path: Path) -> None:
    from mvexplorer.io.arrays.image_folder import read_image_folder

    read_image_folder(path.parent)


def _load_wav(path: Path) -> None:
    from mvexplorer.io.reading.waveforms import read_recordings

    refuse_followed(read_recordings([path]).views)
    with suppress(MVExplorerError):  # one recording is no data set
        _load(path)


def _load_recording(path: Path) -> None:
    from mvexplorer.io.reading.waveforms import read_recordings

    refuse_followed(read_recordings([path]).views)


def _open_session(path: Path) -> None:
    from mvexplorer.state.session.session import open_session, session_summary

    session_summary(path)
    open_session(path, accept_changed=True)


def _open_with_data(path: Path) -> None:
    _open_session(path)
    with suppress(MVExplorerError):
        _load(path)


def _read_settings(path: Path) -> None:
    from mvexplorer.state.session.settings import HOME_VARIABLE, read_settings

    os.environ[HOME_VARIABLE] = str(path.parent)
    read_settings()


def _read_manifest(path: Path) -> None:
    from mvexplorer.io.reading.manifest import read_manifest

    read_manifest(path)


@dataclass(frozen=True)
class Reader:
    """A kind of file: its name, its share of the cases, what makes and what reads it, and the command that does."""

    name: str
    share: int
    make: Callable[[Random], bytes]
    read: Callable[[Path], None]
    command: tuple[str, ...] | None = ("import", "--json", "{file}")
    """Its words; nothing where no command reads such a file."""


def readers(folder: Path) -> dict[str, Reader]:
    """All of them by their names; the files stand in `folder`."""
    script = ("script", "{file}", "--out", "{folder}/out.py")
    return {
        "csv": Reader("data.csv", 2, table, _load),
        "tsv": Reader("data.tsv", 1, table, _load),
        "npy": Reader("labels.npy", 1, npy, _load),
        "npz": Reader("data.npz", 3, npz, _load),
        "archive": Reader("data.npz", 2, archive, _load),
        "mat5": Reader("data.mat", 4, mat5, _load),
        "mat73": Reader("data.mat", 3, lambda rng: mat73(rng, folder / "made.mat"), _load),
        "parquet": Reader("data.parquet", 2, parquet, _load),
        "arrow": Reader("data.arrow", 2, arrow, _load),
        "excel": Reader("data.xlsx", 2, lambda rng: workbook(rng, folder), _load),
        "hdf": Reader("data.h5", 2, lambda rng: hdf(folder, rng), _load),
        "picture": Reader("pictures/one.png", 2, picture, _load_folder, ("import", "--json", "{folder}/pictures")),
        "omics": Reader("data.h5mu", 2, lambda rng: omics(rng, folder / "made.h5mu"), _load),
        "wav": Reader("data.wav", 1, wav, _load_wav),
        "recording": Reader("data.mseed", 3, lambda rng: recording(rng, folder), _load_recording),
        "session": Reader("last.mvx.json", 3, session, _open_session, script),
        "with-data": Reader("last.mvx", 2, session_with_data, _open_with_data, script),
        "settings": Reader("settings.json", 1, settings, _read_settings, ("samples",)),
        "manifest": Reader("manifest.json", 1, manifest, _read_manifest, None),
    }


def furnish(folder: Path) -> None:
    """What files name: data, a link that leads back to itself, a pipe, and what they must not lead to."""
    np.save(folder / "data.npy", np.arange(18.0).reshape(6, 3))
    (folder / "pictures").mkdir(exist_ok=True)
    os.symlink("loop", folder / "loop")
    os.mkfifo(folder / "pipe")
    write_sentinels(folder)
