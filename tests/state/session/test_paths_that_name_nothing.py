"""An empty path, or one with a null character, is refused in one sentence, wherever it comes in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.errors import DataError


@pytest.mark.parametrize("opened", [
    lambda: mvx.load("a\0b"),
    lambda: mvx.load(["a\0b.csv", "c.csv"]),
    lambda: mvx.show("a\0b"),
    lambda: mvx.show(session="a\0b.mvx"),
])  # fmt: skip
def test_a_null_character_in_a_path(opened: Callable[[], object]) -> None:
    with pytest.raises(DataError) as caught:
        opened()
    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("opened", [
    lambda: mvx.load(""),
    lambda: mvx.load(["a.npy", ""]),
    lambda: mvx.load("a.npy", labels=""),
    lambda: mvx.load("a.npy", ids=""),
    lambda: mvx.read_waveforms([""]),
    lambda: mvx.show(""),
    lambda: mvx.show(session=""),
])  # fmt: skip
def test_an_empty_path(opened: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.eye(5))
    with pytest.raises(DataError, match=r"^The name of a file is empty\. Give its path, or leave it out\.$"):
        opened()


@pytest.mark.parametrize("path", ["", "~nobody-of-this-name/a.csv"])
def test_numbers_that_have_no_place(path: str) -> None:
    with pytest.raises(DataError) as caught:
        mvx.embed([np.eye(5)], "pca", n_components=2).save(path)
    assert caught.value.hint


@pytest.mark.parametrize(("arguments", "where"), [
    ([""], "after “mvexplorer”"),
    (["--session", ""], "after “--session”"),
    (["embed", "", "--method", "pca"], "after “embed”"),
    (["diagnose", "helix-a", "--method", "pca", "--out", ""], "after “--out”"),
    (["run", "a.mvx.json", "--export", ""], "after “--export”"),
    (["run", "a.mvx.json", "--data="], "“--data=”"),
])  # fmt: skip
def test_an_empty_argument(capsys: pytest.CaptureFixture[str], arguments: list[str], where: str) -> None:
    assert main(arguments) == 2
    words = f"mvexplorer: The argument {where} is empty. Leave it out, or say what it stands for.\n"
    assert capsys.readouterr() == ("", words)
