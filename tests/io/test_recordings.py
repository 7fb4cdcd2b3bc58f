"""Recordings from file to views, by Python and by command: cut where that is asked for, and as sonograms."""

from __future__ import annotations

import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.sonograms import SEISMIC_EVENTS, sonogram
from mvexplorer.errors import RowsError
from mvexplorer.io.questions import offers_of

REAL = pytest.mark.filterwarnings("ignore")  # what ObsPy and what it stands on have to say is not about this program


def wav(path: Path, values: np.ndarray) -> Path:
    """A WAV file of one channel, at 40 Hz."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 40, 0, "NONE", ""))
        file.writeframes(values.astype("<i2").tobytes())
    return path


def long_wavs(folder: Path, n_files: int = 4) -> list[Path]:
    folder.mkdir(exist_ok=True)
    tones = [(3000 * np.sin(np.arange(2000 + 10 * i) * (0.1 + 0.2 * i))).astype(int) for i in range(n_files)]
    return [wav(folder / f"e{i}.wav", tone) for i, tone in enumerate(tones)]


def miniseeds(folder: Path, n_files: int = 4) -> list[Path]:
    obspy = pytest.importorskip("obspy")
    folder.mkdir(exist_ok=True)
    for i in range(n_files):
        signal = (1000 * np.random.default_rng(i).standard_normal(2000 + 10 * i)).astype(np.int32)
        stats = {"channel": "EHZ", "station": "ABC", "sampling_rate": 40.0}
        obspy.Trace(signal, header=stats).write(str(folder / f"e{i}.mseed"), format="MSEED")
    return sorted(folder.iterdir())


@REAL
@pytest.mark.parametrize("write", [long_wavs, miniseeds])
def test_recordings_become_sonograms_on_the_way_in(tmp_path: Path, write: Any) -> None:
    paths = write(tmp_path / "shots")
    with pytest.raises(RowsError, match="from 2,000 to 2,030 samples") as caught:
        load_source(paths)
    assert [offer.in_shell for offer in caught.value.offers] == ["--truncate"]
    waves = load_source(paths, truncate=True)
    assert waves.data.Xs[0].shape == (4, 2000)
    assert any("were cut" in note for note in waves.notes)
    (told,) = [note for note in waves.notes if note.code == "waveforms"]
    assert [offer.options["sonograms"] for offer in offers_of(told)] == ["seismic-events", "seismic-manifold"]
    loaded = load_source(paths, truncate=True, sonograms="seismic-events")
    expected = sonogram(waves.data.Xs[0], 40.0, **SEISMIC_EVENTS).features
    np.testing.assert_allclose(loaded.data.Xs[0], expected)
    assert any("as sonograms" in note for note in loaded.notes)
    assert mvx.load(paths, truncate=True, sonograms="seismic-events").fingerprint == loaded.data.fingerprint


@REAL
@pytest.mark.parametrize("write", [long_wavs, miniseeds])
def test_recordings_become_sonograms_by_command(tmp_path: Path, write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from mvexplorer.cli.entry import main

    paths = [str(path) for path in write(tmp_path / "shots")]
    assert main(["import", *paths, "--json"]) == 2
    assert "--truncate" in "".join(capsys.readouterr())
    assert main(["import", *paths, "--truncate", "--sonograms", "seismic-events", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == 4
    assert found["views"][0]["shape"][1] % 12 == 0
    assert main(["import", *paths, "--truncate"]) == 0
    assert "--sonograms seismic-events" in "".join(capsys.readouterr())
