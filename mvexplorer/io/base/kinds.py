"""The kind of a file by its first bytes, whatever its ending says."""

from __future__ import annotations

from pathlib import Path

from mvexplorer.errors import DataError

_MAGIC = (
    (b"PAR1", "a Parquet file", ".parquet"),
    (b"ARROW1", "an Arrow file", ".arrow"),
    (b"FEA1", "a Feather file", ".feather"),
    (b"\x93NUMPY", "an array of NumPy", ".npy"),
    (b"\x89HDF\r\n", "an HDF5 file", ".h5"),
    (b"MATLAB 5.0 MAT-file", "a MAT file", ".mat"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook", ".xls"),
    (b"\x89PNG", "a picture", ".png"),
    (b"\xff\xd8\xff", "a picture", ".jpg"),
    (b"%PDF", "a PDF document", ""),
    (b"\x1f\x8b", "compressed", ""),
    (b"7z\xbc\xaf", "compressed", ""),
)
COLUMNAR_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows")
_READ_AS = {
    **dict.fromkeys((".parquet", ".arrow", ".feather"), COLUMNAR_SUFFIXES),
    **dict.fromkeys((".npy", ".npz"), (".npy", ".npz")),
    **dict.fromkeys((".xls", ".xlsx"), (".xls", ".xlsx", ".xlsm")),
    ".h5": (".h5", ".hdf5", ".mat", ".h5ad", ".h5mu"),
    ".mat": (".mat", ".h5", ".hdf5"),
}
"""Ending that a file should have -> endings of the readers that know its kind."""


def refuse_other_kind(path: Path, content: bytes) -> None:
    """Refuse a file whose first kilobytes say that it is of another kind than a table of text."""
    kind = _kind(content)
    if kind is not None:
        what, ending = kind
        raise DataError(f"“{path.name}” is {what}, not a table of text.", _advice(path, ending))


def refuse_wrong_ending(path: Path, content: bytes) -> None:
    """Refuse a file whose first kilobytes say another kind than its ending; in doubt its reader decides."""
    kind = _kind(content)
    if kind is not None and path.suffix.lower() not in _READ_AS.get(kind[1], ()):
        what, ending = kind
        raise DataError(f"“{path.name}” is {what}, whatever its name says.", _advice(path, ending))


def _kind(content: bytes) -> tuple[str, str] | None:
    """Return a file's kind, and the ending it should have, if it begins in a way of its own."""
    if content.startswith(b"PK\x03\x04"):  # a zip file
        workbook = b"xl/" in content[:4096] or b"[Content_Types].xml" in content[:4096]
        npz = b".npy" in content[:4096]
        return ("an Excel workbook", ".xlsx") if workbook else ("an NPZ file", ".npz") if npz else None
    return next(((what, ending) for magic, what, ending in _MAGIC if content.startswith(magic)), None)


def _advice(path: Path, ending: str) -> str:
    if ending in (".png", ".jpg"):
        return "Put the pictures into a folder, and open that."
    return f"Rename it to “{path.stem}{ending}”, then open it." if ending else "Unpack it, or export it as CSV."


_HDF_MARK = b"\x89HDF\r\n\x1a\n"
_HDF_STARTS = (0, 512, 1024, 2048)
"""Offsets where HDF5 may begin: MATLAB and other programs put a header of their own before it."""
HDF_LOOK = _HDF_STARTS[-1] + len(_HDF_MARK)
"""Bytes of a file's beginning that tell whether it is HDF5."""


def is_hdf(start: bytes) -> bool:
    """True if a file is HDF5 by its first `HDF_LOOK` bytes, also where something else stands before."""
    return any(start[at:].startswith(_HDF_MARK) for at in _HDF_STARTS)
