"""The schema of a sample's manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from mvexplorer.errors import DataError
from mvexplorer.io.reading.manifest import read_manifest


def content(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "format": 1,
        "id": "small",
        "title": "Small",
        "shows": "Two small views",
        "summary": "Two views.",
        "look": "See.",
        "source": "A test.",
        "citation": "None.",
        "licence": "CC0-1.0",
        "data": {"generator": "make_helix_a", "params": {"n_samples": 10}},
        "views": [{"name": "a", "title": "A"}, {"name": "b", "title": "B", "preprocess": "zscore"}],
        "labels": None,
        "open": {"views": ["a"], "epsilon": {"a": 0.5, "b": "median/3"}, "colour": "latent:a"},
    }
    return {**base, **changes}


def write(folder: Path, data: object) -> Path:
    path = folder / "manifest.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_reads_what_it_should(tmp_path: Path) -> None:
    manifest = read_manifest(write(tmp_path, content()))
    assert manifest.view_names == ("a", "b")
    assert manifest.views[1].preprocess == "zscore"
    assert [manifest.open.epsilon_of(name) for name in ("a", "b", "c")] == [0.5, "median/3", None]


def test_one_epsilon_for_all(tmp_path: Path) -> None:
    data = content(open={"views": ["a"], "epsilon": "max-min", "colour": "latent:a"})
    assert read_manifest(write(tmp_path, data)).open.epsilon_of("b") == "max-min"


def test_is_frozen(tmp_path: Path) -> None:
    manifest = read_manifest(write(tmp_path, content()))
    with pytest.raises(ValidationError):
        manifest.title = "Other"


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ("", "broken"),
        ("{", "broken"),
        (content(extra=1), "extra"),
        (content(format=2), "format"),
        (content(id="Big Name"), "id"),
        (content(views=[]), "views"),
        (content(views=[{"name": "a", "title": "A", "preprocess": "whiten"}]), "preprocess"),
        (content(data={"file": "../x.npz", "sha256": "0" * 64}), "file"),
        (content(data={"file": "x.npz", "sha256": "12"}), "sha256"),
        (content(open={"views": ["c"], "epsilon": 1, "colour": "labels"}), "no view called c"),
        (content(open={"views": ["a"], "epsilon": {"d": 1}, "colour": "labels"}), "no view called d"),
        (content(images={"view": "z", "shape": [2, 2], "range": [0, 1]}), "no view called z"),
        (content(views=[{"name": n, "title": n} for n in "abb"]), "two views have the same name"),
        (content(open={"views": ["a"], "epsilon": -1, "colour": "labels"}), "epsilon"),
        (content(images={"view": "a", "shape": [2, 2], "range": [1, 1]}), "range"),
        (content(open={"views": ["a"], "epsilon": 1, "colour": "labels"}), "no labels"),
    ],
)
def test_broken_manifest_is_one_sentence(tmp_path: Path, data: object, fault: str) -> None:
    with pytest.raises(DataError) as caught:
        read_manifest(write(tmp_path, data))
    assert fault in caught.value.message
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_missing_manifest(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read: no such file"):
        read_manifest(tmp_path / "manifest.json")
