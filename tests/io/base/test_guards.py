"""What is opened and what is not: pipes, devices, names that no file has, sources that name nothing."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.datasets.loading import load
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.manifest import read_manifest
from mvexplorer.io.reading.waveforms import read_recordings

A = np.arange(18.0).reshape(6, 3)


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_files([path])
    assert caught.value.hint
    return str(caught.value)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def loop(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such things")
@pytest.mark.parametrize(
    ("make", "what"),
    [
        (pipe, "it is a pipe"),
        (link_to_device, "it is a device"),
        (listening, "it is a socket"),
        (loop, "too many levels"),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".npy", ".npz", ".mat", ".wav"])
def test_pipes_devices_sockets_and_loops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], what: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    path = Path(f"x{ending}")
    make(path)
    assert f"“x{ending}” cannot be read: {what}" in refusal(path)
    with pytest.raises(DataError, match=what):
        read_manifest(path)
    if ending == ".wav":
        with pytest.raises(DataError, match=what):
            read_recordings([path])


def test_names_that_no_file_has(tmp_path: Path) -> None:
    assert "its name holds a character that no name can have" in refusal(tmp_path / "a\0b.csv")


@pytest.mark.parametrize("source", [None, 5, [None], b"x.csv", {"a": 1}, np.ones((3, 3)), MultiView([A]), ["a.csv", 3]])
def test_sources_that_are_none(source: Any) -> None:
    with pytest.raises(DataError, match="is given where the name of a sample or file belongs"):
        load(source)


def test_no_source() -> None:
    with pytest.raises(DataError, match="No file was given"):
        load([])
