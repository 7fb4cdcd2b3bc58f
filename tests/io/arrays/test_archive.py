"""Archives that say what their arrays are, and lie."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.io.arrays.archive import CONTENTS, write_archive
from mvexplorer.io.arrays.arrays import read_npz
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.reading.files import read_files

TABLE = np.arange(12.0).reshape(4, 3) ** 2
ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "table": TABLE,
    "one": np.array(3.0),
    "word": np.array("a"),
    "nothing": np.zeros((0,)),
    "no rows": np.zeros((0, 2)),
    "no columns": np.zeros((4, 0)),
    "numbers": np.arange(4.0),
    "three": np.arange(3),
    "names": np.array(list("abcd")),
    "features": np.array(list("abc")),
    "texts": np.array([list("ab")] * 4),
    "bytes": np.array([b"a", b"b", b"\xff", b"d"]),
    "complex": np.arange(4) * 1j,
    "dates": np.arange(4).astype("datetime64[D]"),
    "records": np.zeros(4, dtype=[("x", float)]),
    "pictures": np.zeros((4, 2, 2), dtype=np.uint8),
    "five": np.zeros((4, 2, 2, 2, 2), dtype=np.uint8),
    "gaps": np.full((4, 2), np.nan),
}
KINDS = ("views", "labels", "ids", "images", "columns", "coordinates", "features", "others")


def archive(contents: Any, name: str = "x.npz") -> Path:
    """A file of all arrays that says this of them."""
    said = contents if isinstance(contents, bytes) else json.dumps(contents).encode()
    np.savez(name, **ARRAYS, **{CONTENTS: np.frombuffer(said, dtype=np.uint8)})  # type: ignore[arg-type]
    return Path(name)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("contents", "why"), [
    (b"{", "Invalid JSON"),
    (b"\xff", "Invalid JSON"),
    (b"[" * 9999, "Invalid JSON"),
    ({"labels": 3}, "views: Field required"),
    ({"views": {}}, "views: Dictionary should have at least 1 item"),
    ({"views": {"a": "gone"}}, "views.a: there is no such array"),
    ({"views": {"a": 3}}, "views.a: there is no such array"),
    ({"views": {"a": ["table"]}}, "views.a: there is no such array"),
    ({"views": {"a": "names"}}, "views.a: no array of shape (4,) and type <U1 belongs there"),
    ({"views": {"a": "table"}, "others": {}}, "others: Extra inputs"),
    ({"views": {"a": "table"}, "ids": {"id": "texts"}}, "ids.id: no array of shape (4, 2)"),
    ({"views": {"a": "table"}, "labels": {"k": "complex"}}, "labels.k: no array of shape (4,) and type complex128"),
    ({"views": {"a": "table"}, "columns": {"c": "one"}}, "columns.c: no array of shape ()"),
    ({"views": {"a": "table"}, "images": {"i": "texts"}}, "images.i: no array of shape (4, 2) and type <U1"),
    ({"views": {"a": "table"}, "features": {"a": "numbers"}}, "features.a: no array of shape (4,)"),
    ({"views": {"a": "table"}, "features": {"a": "texts"}}, "features.a: no array of shape (4, 2)"),
    ({"views": {"a": "table"}, "features": {"a": "names"}}, "the features of “a” are not those of a view"),
    ({"views": {"a": "table"}, "features": {"b": "features"}}, "the features of “b” are not those of a view"),
    ({"views": {"a": "table"}, "labels": {"k": "three"}}, "its arrays have 3 and 4 rows"),
    ({"views": {"a": "table"}, "labels": {"k": "names", "l": "names"}}, "labels: Dictionary should have at most 1"),
])  # fmt: skip
def test_contents_that_lie_are_refused(contents: Any, why: str) -> None:
    with pytest.raises(DataError, match=r"^What “x.npz” says of its arrays is not true: ") as caught:
        read_files([archive(contents)])
    assert why in caught.value.message
    assert caught.value.hint == "Save it again, or give each of its arrays a role."


@pytest.mark.parametrize("kind", KINDS)
def test_every_array_as_everything_is_read_or_refused(kind: str) -> None:
    for name, lone in product(ARRAYS, (True, False)):
        said: dict[str, dict[str, str]] = {} if lone else {"views": {"a": "table"}}
        said.setdefault(kind, {})["a" if kind == "features" else "b"] = name
        with suppress(DataError):
            read_files([archive(said)])


def test_what_lies_opens_by_roles() -> None:
    """The way out that the sentence names."""
    path = archive({"views": {"a": "gone"}})
    others = dict.fromkeys(ARRAYS, "ignore")
    read = read_files([path], ReadOptions(roles={**others, "table": "view", "names": "label"})).data
    assert read.view_names == ("table",)
    assert read.labels is not None
    assert read.labels.tolist() == list("abcd")


def test_contents_of_many_bytes_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mvexplorer.io.arrays.archive.MAX_DOCUMENT", 10)
    write_archive(MultiView({"a": TABLE}), "x.npz")
    with pytest.raises(DataError, match=r"What “x.npz” says of its arrays is not true"):
        read_npz(Path("x.npz"), FileRequest(Path("x.npz")))
