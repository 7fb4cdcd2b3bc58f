"""Recordings and arrays of waveforms."""

from __future__ import annotations

import json
import pickle
import struct
import sys
import tempfile
import wave
import zipfile
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mvexplorer.engine.sonograms import sonogram, waveform_views
from mvexplorer.errors import DataError, MissingValuesError, ParameterError
from mvexplorer.io.reading import traces
from mvexplorer.io.reading.waveforms import Waveforms, read_recordings, read_waveforms

SIGNALS = np.random.default_rng(0).standard_normal((4, 300))


def pcm(path: Path, values: list[list[int]], depth: int, rate: int = 40) -> Path:
    """A WAV file by the standard library: rows of `values` are moments, `depth` bytes per number."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(len(values[0]))
        file.setsampwidth(depth)
        file.setframerate(rate)
        file.writeframes(b"".join(v.to_bytes(depth, "little", signed=depth > 1) for row in values for v in row))
    return path


def wavs(folder: Path, n_files: int = 3, length: int = 6) -> list[Path]:
    """Files of two channels whose k-th number is 100 times the file's number, plus k, negative in the second."""
    folder.mkdir(exist_ok=True)
    rows = [[[100 * i + k, -100 * i - k] for k in range(length)] for i in range(n_files)]
    return [pcm(folder / f"e{i}.wav", rows[i], 2) for i in range(n_files)]


# --- arrays ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["npy", "npz", "csv"])
def test_arrays_with_a_sampling_rate(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}.{suffix}" for name in ("E", "Z")]
    for path, factor in zip(paths, (1.0, -2.0), strict=True):
        if suffix == "csv":
            np.savetxt(path, factor * SIGNALS, delimiter=",")
        else:
            with path.open("wb") as file:
                np.save(file, factor * SIGNALS) if suffix == "npy" else np.savez(file, X=factor * SIGNALS)
    kinds = tmp_path / "kinds.csv"
    kinds.write_text("a\nb\nb\na\n")
    read = read_waveforms(paths, sampling_rate=20, labels=str(kinds))
    assert read.data.view_names == ("E", "Z")
    np.testing.assert_allclose(read.data.Xs[1], -2 * SIGNALS)
    assert np.asarray(read.data.labels).tolist() == ["a", "b", "b", "a"]
    assert read.sampling_rate == {"E": 20.0, "Z": 20.0}
    assert read.sources == tuple(str(path.resolve()) for path in paths)


def test_labels_and_names_inside_arrays(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "d.npz", X=SIGNALS, kind=np.array([1, 0, 1, 1]), id=np.array(list("wxyz")), depth=np.arange(4.5)
    )
    read = read_waveforms([tmp_path / "d.npz"], sampling_rate=1.0, labels="kind")
    assert np.asarray(read.data.labels).tolist() == [1, 0, 1, 1]
    assert read.data.sample_ids == tuple("wxyz")
    assert any("array “kind” was taken as the label" in note for note in read.notes)


def test_a_matlab_file(tmp_path: Path) -> None:
    from scipy.io import savemat

    savemat(tmp_path / "d.mat", {"X1": SIGNALS, "X2": SIGNALS[:, :200]})
    read = read_waveforms([tmp_path / "d.mat"], sampling_rate=40.0)
    assert read.data.view_names == ("X1", "X2")
    assert read.sampling_rate == {"X1": 40.0, "X2": 40.0}


@pytest.mark.parametrize(
    ("rate", "sentence"),
    [(None, "Tables hold no sampling rate. Give it in samples per second"), (0.0, r"\(f_s\) cannot be 0.0")],
)
def test_arrays_without_a_usable_sampling_rate(tmp_path: Path, rate: float | None, sentence: str) -> None:
    np.save(tmp_path / "d.npy", SIGNALS)
    with pytest.raises(ParameterError, match=sentence):
        read_waveforms([tmp_path / "d.npy"], sampling_rate=rate)


# --- WAV -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_whole_numbers_are_parts_of_full_scale(tmp_path: Path, depth: int) -> None:
    full = 2 ** (8 * depth - 1)
    zero = full if depth == 1 else 0
    values = [[zero], [zero + full // 2], [zero - full], [zero + full - 1], [zero + full // 64]]
    for i in range(3):
        pcm(tmp_path / f"{i}.wav", values, depth, 8000)
    read = read_waveforms([tmp_path / f"{i}.wav" for i in range(3)])
    np.testing.assert_array_equal(read.data.Xs[0][1], [0, 0.5, -1, 1 - 1 / full, 1 / 64])
    assert read.sampling_rate == {"channel 1": 8000.0}
    assert read.data.sample_ids == ("0", "1", "2")


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_floating_point_wav(tmp_path: Path, kind: type) -> None:
    from scipy.io import wavfile

    for i in range(3):
        wavfile.write(tmp_path / f"{i}.wav", 100, SIGNALS[i].astype(kind))
    read = read_waveforms([str(tmp_path / f"{i}.wav") for i in range(3)])
    np.testing.assert_array_equal(read.data.Xs[0], SIGNALS[:3].astype(kind))


def test_channels_are_views(tmp_path: Path) -> None:
    read = read_waveforms(wavs(tmp_path))
    assert isinstance(read, Waveforms)
    assert read.data.view_names == ("channel 1", "channel 2")
    expected = np.array([100, 200])[:, None] + np.arange(6)
    np.testing.assert_array_equal(read.data.Xs[0][1:] * 2**15, expected)
    np.testing.assert_array_equal(read.data.Xs[1], -read.data.Xs[0])
    assert any("channel 1 at 40 Hz, channel 2 at 40 Hz" in note for note in read.notes)


def test_parts_that_are_neither_format_nor_numbers_are_passed_over(tmp_path: Path) -> None:
    """SciPy warns of them, and here a warning is an error."""
    paths = wavs(tmp_path)
    for path in paths:
        content = path.read_bytes()
        odd = struct.pack("<4sI", b"junk", 3) + b"abc\0"
        path.write_bytes(content[:12] + odd + content[12:] + struct.pack("<4sI", b"id3 ", 2) + b"xy")
    np.testing.assert_array_equal(read_waveforms(paths).data.Xs[0][1] * 2**15, 100 + np.arange(6))


def header(code: int, data: bytes = b"\0" * 8, size: int | None = None) -> bytes:
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, code, 1, 40, 40, 1, 8)
    return b"RIFF\0\0\0\0WAVE" + fmt + struct.pack("<4sI", b"data", len(data) if size is None else size) + data


@pytest.mark.parametrize(
    "content",
    [
        b"hello",
        b"RIFF\0\0\0\0WAVE",
        b"RIFF" + b"\0" * 100,
        header(7),  # compressed: mu-law
        header(1, size=20),  # cut off
        header(1)[:30],
        header(1)[12:],
        header(1).replace(b"fmt ", b"fmx "),
        header(1)[:22] + b"\0\0" + header(1)[24:],  # no channels
    ],
)
def test_damaged_wav(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.wav").write_bytes(content)
    with pytest.raises(DataError, match=r"The file “d.wav” is damaged, cut off or compressed. Save it again as WAV"):
        read_waveforms([tmp_path / "d.wav"])


@pytest.mark.parametrize("n_channels", [1, 2])
def test_a_wav_without_numbers(tmp_path: Path, n_channels: int) -> None:
    with wave.open(str(tmp_path / "d.wav"), "wb") as file:
        file.setparams((n_channels, 2, 40, 0, "NONE", ""))
    with pytest.raises(DataError, match=r"“d.wav” holds no waveform"):
        read_waveforms([tmp_path / "d.wav"])


def test_lengths_differ(tmp_path: Path) -> None:
    paths = [*wavs(tmp_path), pcm(tmp_path / "long.wav", [[k, k] for k in range(9)], 2)]
    with pytest.raises(DataError, match=r"The recordings of channel 1 have from 6 to 9 samples. .*truncate=True"):
        read_waveforms(paths)
    read = read_waveforms(paths, truncate=True)
    assert [X.shape for X in read.data.Xs] == [(4, 6)] * 2
    np.testing.assert_array_equal(read.data.Xs[0][3] * 2**15, np.arange(6))


def test_rates_or_channels_differ(tmp_path: Path) -> None:
    paths = wavs(tmp_path)
    fast = pcm(tmp_path / "fast.wav", [[k, k] for k in range(6)], 2, 100)
    with pytest.raises(DataError, match="sampled at 40 to 100 Hz: “e0” at 40 Hz and “fast” at 100 Hz"):
        read_waveforms([*paths, fast])
    mono = pcm(tmp_path / "mono.wav", [[k] for k in range(6)], 2)
    with pytest.raises(DataError, match=r"“mono” has the channels channel 1 where “e0” has channel 1, channel 2"):
        read_waveforms([*paths, mono])
    # Folders and files of one name are still two samples.
    (tmp_path / "a").mkdir()
    (tmp_path / "b" / "c").mkdir(parents=True)
    paths += wavs(tmp_path / "a" / "c", 1)
    other = pcm(tmp_path / "b" / "c" / "e0.wav", [[k] for k in range(6)], 2)
    with pytest.raises(DataError, match=r"“b/c/e0” has the channels channel 1 where"):
        read_waveforms([*paths, other])


def test_folders_label_and_tell_samples_of_one_name_apart(tmp_path: Path) -> None:
    paths = [*wavs(tmp_path / "quakes", 2), *wavs(tmp_path / "blasts", 2)]
    read = read_waveforms(paths, labels="folder")
    assert np.asarray(read.data.labels).tolist() == ["quakes", "quakes", "blasts", "blasts"]
    assert read.data.sample_ids == ("quakes/e0", "quakes/e1", "blasts/e0", "blasts/e1")
    assert not read.data.columns
    folders = read_waveforms(paths).data.columns["folder"]
    assert folders.tolist() == ["quakes", "quakes", "blasts", "blasts"]
    assert read_waveforms(paths[:2] + wavs(tmp_path / "quakes", 3)[2:]).data.columns == {}


def test_labels_of_recordings(tmp_path: Path) -> None:
    paths = wavs(tmp_path)
    (tmp_path / "kinds.csv").write_text("0\n1\n1\n")
    labels = read_waveforms(paths, labels=str(tmp_path / "kinds.csv")).data.labels
    assert np.asarray(labels).tolist() == [0, 1, 1]
    with pytest.raises(DataError, match=r"There is no column or file called “kind” to label the samples by. There are"):
        read_waveforms(paths, labels="kind")
    (tmp_path / "kinds.csv").write_text("0\n1\n")
    with pytest.raises(DataError, match="one value per sample"):
        read_waveforms(paths, labels=str(tmp_path / "kinds.csv"))


def test_what_does_not_go_together(tmp_path: Path) -> None:
    paths = wavs(tmp_path)
    np.save(tmp_path / "d.npy", SIGNALS)
    with pytest.raises(DataError, match=r"“d.npy” is a table and “e0.wav” a recording"):
        read_waveforms([*paths, tmp_path / "d.npy"], sampling_rate=40.0)
    with pytest.raises(ParameterError, match=r"Recordings have a sampling rate of their own. Leave it out"):
        read_waveforms(paths, sampling_rate=40.0)
    with pytest.raises(DataError, match=r"“e1.wav” holds channel 1 of a sample that has it already"):
        read_waveforms([*paths, paths[1]])
    with pytest.raises(DataError, match="No file was given"):
        read_waveforms([])
    with pytest.raises(DataError, match=r"There is no file “.*none.wav”"):
        read_waveforms([tmp_path / "none.wav"])
    with pytest.raises(DataError, match="The data has 1 sample"):
        read_waveforms(paths[:1])


def test_missing_numbers_in_a_recording(tmp_path: Path) -> None:
    from scipy.io import wavfile

    for i in range(3):
        wavfile.write(tmp_path / f"{i}.wav", 100, np.where(np.arange(9) == i, np.nan, 1.0 + i) if i else np.arange(9.0))
    with pytest.raises(MissingValuesError) as caught:
        read_waveforms([tmp_path / f"{i}.wav" for i in range(3)])
    assert caught.value.rows == (1, 2)


def test_from_files_to_sonograms(tmp_path: Path) -> None:
    from scipy.io import wavfile

    for i in range(4):
        wavfile.write(tmp_path / f"{i}.wav", 50, SIGNALS[i])
    read = read_waveforms([tmp_path / f"{i}.wav" for i in range(4)])
    views = waveform_views(read.data, read.sampling_rate, {"window": 64, "overlap": 0.5, "bands": 4})
    expected = sonogram(SIGNALS, 50.0, window=64, overlap=0.5, bands=4).features
    np.testing.assert_array_equal(views.Xs[0], expected)


# --- ObsPy, or something that looks like it ---------------------------------------------------------------------------


def trace(channel: str = "EHZ", start: float = 0.0, n: int = 5, rate: float = 40.0, first: int = 0, **more: Any) -> Any:
    return {
        "id": f"XX.ABC..{channel}",
        "channel": channel,
        "start": start,
        "n": n,
        "rate": rate,
        "first": first,
        **more,
    }


class Stream(list[Any]):
    """The traces of a file; `merge` joins those of one channel where one begins when the one before ends."""

    def merge(self, method: int) -> None:
        assert method == -1
        for before, after in reversed(list(pairwise(list(self)))):
            end = before.stats.starttime.timestamp + len(before.data) / before.stats.sampling_rate
            if before.id == after.id and after.stats.starttime.timestamp == end:
                before.data = np.concatenate([before.data, after.data])
                self.remove(after)


def parse(file: BytesIO, **_: Any) -> Stream:
    stream = Stream()
    for t in json.loads(file.read()):
        stats = SimpleNamespace(
            channel=t["channel"], sampling_rate=t["rate"], starttime=SimpleNamespace(timestamp=t["start"])
        )
        data = np.arange(t["first"], t["first"] + t["n"], dtype=np.int32)
        stream.append(SimpleNamespace(id=t["id"], stats=stats, data=data))
    return stream


@pytest.fixture
def formats(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Stands in for ObsPy: files are lists of traces in JSON. Returns its table of formats."""
    obspy, base = ModuleType("obspy"), ModuleType("obspy.core.util.base")
    known = {"waveform": dict.fromkeys(("MSEED", "PICKLE", "CSS", "NNSA_KB_CORE", "Q", "OF_A_PLUGIN", "SAC"), "")}
    vars(obspy)["read"], vars(base)["ENTRY_POINTS"] = parse, known
    monkeypatch.setitem(sys.modules, "obspy", obspy)
    monkeypatch.setitem(sys.modules, "obspy.core.util.base", base)
    here(monkeypatch)
    return known


def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decode in this process, since another one would know nothing of what stands in for ObsPy."""
    monkeypatch.setattr(traces, "in_child", lambda function, room: function(room))


def write(folder: Path, **files: list[Any]) -> list[Path]:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(json.dumps(content))
    return [folder / name.replace("__", ".") for name in files]


def event(first: int, **more: Any) -> list[Any]:
    return [trace("EHZ", first=first, **more), trace("EHN", first=first + 50, **more)]


@pytest.mark.usefixtures("formats")
def test_one_event_per_file(tmp_path: Path) -> None:
    paths = write(tmp_path, a__mseed=event(0), b__mseed=event(10)[::-1], c__mseed=event(20))
    read = read_waveforms(paths)
    assert read.data.view_names == ("EHZ", "EHN")
    np.testing.assert_array_equal(read.data.Xs[0], np.arange(5) + np.array([[0], [10], [20]]))
    np.testing.assert_array_equal(read.data.Xs[1], read.data.Xs[0] + 50)
    assert read.data.sample_ids == ("a", "b", "c")
    assert read.sampling_rate == {"EHZ": 40.0, "EHN": 40.0}


@pytest.mark.usefixtures("formats")
def test_one_channel_per_file(tmp_path: Path) -> None:
    """The channel is part of the name, at its end, its start or between."""
    files = {}
    for i, name in enumerate(("{}.e1", "e2_{}", "X.{}.D.e3")):
        for j, channel in enumerate(("EHE", "EHZ")):
            files[name.format(channel).replace(".", "__") + "__sac"] = [trace(channel, first=10 * i + 50 * j)]
    read = read_waveforms(write(tmp_path, **files))
    assert read.data.sample_ids == ("e1", "e2", "X.D.e3")
    np.testing.assert_array_equal(read.data.Xs[0][:, 0], [0, 10, 20])
    np.testing.assert_array_equal(read.data.Xs[1][:, 0], [50, 60, 70])


@pytest.mark.usefixtures("formats")
@pytest.mark.parametrize(("file", "sample"), [("EHZ", "EHZ"), ("xEHZ", "xEHZ"), ("EHZx", "EHZx"), ("e__EHZ", "e")])
def test_names_of_files_with_one_channel(tmp_path: Path, file: str, sample: str) -> None:
    found = read_recordings(write(tmp_path, **{f"{file}__sac": [trace()]}))
    assert found.ids is not None
    assert found.ids.tolist() == [sample]


@pytest.mark.usefixtures("formats")
def test_several_stations_in_a_file(tmp_path: Path) -> None:
    both = [trace(), trace(id="XX.DEF..EHZ", first=7)]
    read = read_waveforms(write(tmp_path, a__mseed=both, b__mseed=both, c__mseed=both))
    assert read.data.view_names == ("XX.ABC..EHZ", "XX.DEF..EHZ")
    np.testing.assert_array_equal(read.data.Xs[1][:, 0], 7)


@pytest.mark.usefixtures("formats")
def test_traces_without_a_name(tmp_path: Path) -> None:
    alone = [trace("", id="...")]
    assert list(read_recordings(write(tmp_path, a__su=alone)).views) == ["channel 1"]
    with pytest.raises(DataError, match=r"“b.su” has gaps or overlaps in channel 1"):
        read_recordings(write(tmp_path, b__su=2 * alone))


@pytest.mark.usefixtures("formats")
def test_pieces_are_joined(tmp_path: Path) -> None:
    pieces = [trace(n=20), trace(start=0.5, n=4, first=20), trace(start=0.6, n=1, first=24), trace("EHN")]
    found = read_recordings(write(tmp_path, a__mseed=pieces))
    np.testing.assert_array_equal(found.views["EHZ"][0], np.arange(25))


@pytest.mark.usefixtures("formats")
def test_a_gap(tmp_path: Path) -> None:
    broken = [trace(), trace(start=9.0), trace("EHN")]
    with pytest.raises(DataError, match=r"“a.mseed” has gaps or overlaps in XX.ABC..EHZ. Mend it"):
        read_waveforms(write(tmp_path, a__mseed=broken))


@pytest.mark.usefixtures("formats")
def test_starts_differ(tmp_path: Path) -> None:
    """EHN begins three samples after EHZ; the files themselves may begin whenever they like."""
    late = [trace("EHZ", start=1000.0, n=8), trace("EHN", start=1000.075, n=5)]
    paths = write(tmp_path, a__mseed=event(0), b__mseed=late, c__mseed=event(0, start=5.0))
    with pytest.raises(DataError, match=r"The channels of “b” begin up to 0.075 seconds apart. .*truncate=True"):
        read_waveforms(paths)
    read = read_waveforms(paths, truncate=True)
    np.testing.assert_array_equal(read.data.Xs[0][1], [3, 4, 5, 6, 7])
    np.testing.assert_array_equal(read.data.Xs[1][1], [0, 1, 2, 3, 4])
    slightly = [trace("EHZ", start=0.0), trace("EHN", start=0.01)]  # less than half a sample
    paths = write(tmp_path, a__mseed=slightly, b__mseed=slightly, c__mseed=slightly)
    assert read_waveforms(paths).data.Xs[0].shape == (3, 5)
    never = [trace("EHZ"), trace("EHN", start=60.0)]
    with pytest.raises(DataError, match="The channels of “n” have no time in common"):
        read_waveforms(write(tmp_path, n__mseed=never), truncate=True)


@pytest.mark.usefixtures("formats")
def test_a_rate_of_its_own_for_every_channel(tmp_path: Path) -> None:
    """40 Hz kept as .025 s in four bytes is 40.00000059604646 Hz, and the same rate."""
    files = {f"{i}__mseed": [trace("EHZ", rate=rate), trace("LHZ", rate=1.0)] for i, rate in enumerate((40, 40 + 6e-7))}
    found = read_recordings(write(tmp_path, **files))
    assert found.sampling_rate == {"EHZ": 40.0, "LHZ": 1.0}
    with pytest.raises(DataError, match=r"The recordings of EHZ are sampled at 40 to 40.01 Hz"):
        read_recordings(write(tmp_path, **files, z__mseed=[trace("EHZ", rate=40.01), trace("LHZ", rate=1.0)]))


def test_only_formats_that_stay_within_their_file_are_recordings(
    tmp_path: Path, formats: dict[str, dict[str, str]]
) -> None:
    read_recordings(write(tmp_path, a__mseed=[trace()]))
    assert set(formats["waveform"]) == {"MSEED", "SAC"}


@pytest.mark.usefixtures("formats")
@pytest.mark.parametrize(("content", "sentence"), [("x", "is damaged, or of a kind that ObsPy"), ("[]", "no waveform")])
def test_damaged_recordings(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "a.mseed").write_text(content)
    with pytest.raises(DataError, match=f"“a.mseed” .*{sentence}"):
        read_waveforms([tmp_path / "a.mseed"])


def test_without_obspy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obspy", None)
    here(monkeypatch)
    (tmp_path / "a.mseed").write_bytes(b"x")
    with pytest.raises(DataError) as caught:
        read_waveforms([tmp_path / "a.mseed"])
    assert caught.value.message == "Reading “a.mseed” needs ObsPy, which is not installed."
    assert caught.value.hint == "Install it with: python -m pip install obspy"


@pytest.fixture
def obspy() -> Any:
    return pytest.importorskip("obspy")


REAL = pytest.mark.filterwarnings("ignore")  # what ObsPy and what it stands on have to say is not about this program


@REAL
@pytest.mark.parametrize(
    ("format", "suffix"), [("MSEED", "mseed"), ("GSE2", "gse"), ("SLIST", "slist"), ("SAC", "sac")]
)
def test_formats_of_obspy(tmp_path: Path, obspy: Any, format: str, suffix: str) -> None:
    paths = []
    for i in range(3):
        for j, channel in enumerate(("EHE", "EHZ")):
            data = (1000 * SIGNALS[i] + 50 * j).astype(np.int32 if format != "SAC" else np.float32)
            stats = {"channel": channel, "station": "ABC", "sampling_rate": 40.0}
            paths.append(tmp_path / f"[e{i}].{channel}.{suffix}")
            obspy.Trace(data, header=stats).write(str(paths[-1]), format=format)
    read = read_waveforms(paths)
    assert read.data.view_names == ("EHE", "EHZ")
    kind = np.int32 if format != "SAC" else np.float32
    np.testing.assert_allclose(read.data.Xs[1], (1000 * SIGNALS[:3] + 50).astype(kind))
    assert read.sampling_rate["EHZ"] == pytest.approx(40.0, rel=1e-6)


@REAL
def test_pieces_that_follow_each_other_are_joined(tmp_path: Path, obspy: Any) -> None:
    def piece(first: int, start: float) -> Any:
        stats = {"channel": "EHZ", "sampling_rate": 40.0, "starttime": obspy.UTCDateTime(start)}
        return obspy.Trace(np.arange(first, first + 400, dtype=np.int32), header=stats)

    obspy.Stream([piece(0, 0.0), piece(400, 10.0)]).write(str(tmp_path / "a.mseed"), format="MSEED")
    found = read_recordings([tmp_path / "a.mseed"])
    np.testing.assert_array_equal(found.views["EHZ"][0], np.arange(800))
    obspy.Stream([piece(0, 0.0), piece(400, 11.0)]).write(str(tmp_path / "b.mseed"), format="MSEED")
    with pytest.raises(DataError, match="has gaps or overlaps"):
        read_recordings([tmp_path / "b.mseed"])


@REAL
def test_a_log_is_no_waveform(tmp_path: Path, obspy: Any) -> None:
    text = obspy.Trace(np.frombuffer(b"the clock is locked", "|S1"), header={"channel": "LOG", "station": "ABC"})
    text.write(str(tmp_path / "a.mseed"), format="MSEED")
    with pytest.raises(DataError) as caught:
        read_recordings([tmp_path / "a.mseed"])
    assert (caught.value.message, caught.value.hint) == (
        "“a.mseed” holds text in LOG, no waveform.", "Leave the file out.",
    )  # fmt: skip


class Harmful:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


@REAL
@pytest.mark.usefixtures("obspy")
def test_no_code_in_a_file_is_run(tmp_path: Path) -> None:
    (tmp_path / "a.mseed").write_bytes(pickle.dumps(Harmful(tmp_path / "harm")))
    with pytest.raises(DataError, match="of a kind that ObsPy does not know"):
        read_recordings([tmp_path / "a.mseed"])
    assert not (tmp_path / "harm").exists()
    pickle.loads((tmp_path / "a.mseed").read_bytes())
    assert (tmp_path / "harm").exists()


@pytest.fixture
def near() -> Iterator[Path]:
    """A folder with a short name, as tables of CSS have room for."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@REAL
@pytest.mark.parametrize("apart", [0, 1])
def test_no_other_file_is_read(near: Path, obspy: Any, apart: int) -> None:
    """A table of CSS, or of NNSA KB Core one column further, names the file that holds its numbers."""
    (near / "secret").write_bytes(np.arange(40, dtype="<i4").tobytes())
    line = (
        f"ABC    BHZ      {1e9:17.5f} {1:8d} {' ' * apart}{1:8d} {2001001:8d} {1e9 + 2:17.5f} {40:8d} {20.0:11.7f} "
        f"{1.0:16.6f} {1.0:16.6f} -      o i4 - {near!s:64} {'secret':32} {0:10d} {-1:8d} {'2001-01-01':17}"
    )
    (near / "a.sac").write_text(line.ljust(283 + 4 * apart))
    np.testing.assert_array_equal(obspy.read(str(near / "a.sac"))[0].data, np.arange(40))
    with pytest.raises(DataError, match="of a kind that ObsPy does not know"):
        read_recordings([near / "a.sac"])


@REAL
def test_archives_are_not_unfolded(tmp_path: Path, obspy: Any) -> None:
    trace = obspy.Trace(np.arange(40, dtype=np.int32), header={"channel": "EHZ"})
    trace.write(str(tmp_path / "inner.mseed"), format="MSEED")
    with zipfile.ZipFile(tmp_path / "a.mseed", "w") as archive:
        archive.write(tmp_path / "inner.mseed")
    assert len(obspy.read(str(tmp_path / "a.mseed"))) == 1
    with pytest.raises(DataError, match="of a kind that ObsPy does not know"):
        read_recordings([tmp_path / "a.mseed"])
