"""Waveform files: recordings, one sample per file (WAV, and whatever ObsPy reads), or arrays, one sample per row.

Arrays do not contain a sampling rate, so the caller gives one; recordings contain their own.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import WAVEFORMS
from mvexplorer.engine.sonograms import RATE, waveform_views
from mvexplorer.errors import DataError, Offer, ParameterError, RowsError
from mvexplorer.io.arrays.arrays import read_npy, read_npz
from mvexplorer.io.arrays.folders import (
    WAV_SUFFIXES,
    WAVEFORM_SUFFIXES,
    files_in,
    folder_names,
    holds_recordings,
    note_others,
    take_folders,
)
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.guards import check_bytes, check_sources, check_views, read_content
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import Parts, Values, gather_notes, require_file, tidy_labels
from mvexplorer.io.base.path_text import full_path
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.joining.merge import merge
from mvexplorer.io.matlab.matlab import read_mat
from mvexplorer.io.reading.traces import Trace, read_traces
from mvexplorer.io.tables.tables import read_column, read_table
from mvexplorer.wording import counted, readable

ARRAY_SUFFIXES = (".npy", ".npz", ".mat", ".csv", ".tsv", ".tab", ".txt", ".dat")
CUT = Offer("Cut them to what they have in common", {"truncate": True})


@dataclass(frozen=True)
class Waveforms:
    """Waveforms of M samples, each view (M, n); `sampling_rate` is view name -> Hz, `notes` what was assumed."""

    data: MultiView
    sampling_rate: Mapping[str, float]
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass
class Recordings(Parts):
    """Recordings of M samples: views are channels (M, n), `sampling_rate` channel -> Hz; `given` files or folders."""

    sampling_rate: dict[str, float] = field(default_factory=dict)
    given: tuple[Path, ...] = ()

    @property
    def summary(self) -> str:
        """The number of all recordings and the rates of their channels, in words that follow the first file's name."""
        n_samples = len(next(iter(self.views.values())))
        folders = f"{len(self.given)} folders of " if self.path.is_dir() else ""
        first = f"the first of {folders}" if len(self.given) > 1 else ""
        rates = ", ".join(f"{channel} at {rate:g} Hz" for channel, rate in self.sampling_rate.items())
        return f"{first}{counted(n_samples, 'recording')}, with {rates}"


def read_waveforms(
    paths: Sequence[str | Path],
    *,
    sampling_rate: float | None = None,
    labels: str | None = None,
    truncate: bool = False,
) -> Waveforms:
    """Read recordings, or arrays with a sampling rate.

    Parameters
    ----------
    paths : sequence of path
        Recordings or folders of them, see `read_recordings`; or arrays and tables (`ARRAY_SUFFIXES`), one row per
        sample.
    sampling_rate : float, optional
        Samples per second (Hz) of arrays; recordings have their own.
    labels : str, optional
        Name of a column or array of the files, ``folder`` for files of recordings in several folders, or a file with
        one value per sample. Default for folders of recordings: the folders in them.
    truncate : bool
        Cut the channels of a recording to their common start, and each channel to its shortest sample.

    Returns
    -------
    Waveforms
        The signals as views, and their sampling rates.

    Raises
    ------
    DataError
        A file cannot be read, or the files do not fit together.
    ParameterError
        A sampling rate is missing for arrays, or given for recordings.

    Examples
    --------
    >>> np.save("east.npy", np.random.default_rng(0).normal(size=(5, 2000)))
    >>> waves = mvx.read_waveforms(["east.npy"], sampling_rate=40.0)
    >>> waves.data, waves.sampling_rate
    (MultiView(east 5x2000), {'east': 40.0})
    """
    if not paths:
        raise DataError("No file was given.", "Give at least one file of waveforms.")
    files = [full_path(path) for path in paths]
    arrays = [path for path in files if path.suffix.lower() in ARRAY_SUFFIXES]
    if arrays and len(arrays) < len(files):
        message = f"“{arrays[0].name}” is a table and “{next(p for p in files if p not in arrays).name}” a recording."
        raise DataError(message, "Give files of one kind; a table of labels is given as labels.")
    if bool(arrays) != (sampling_rate is not None):
        what = "Tables hold no sampling rate" if arrays else "Recordings have a sampling rate of their own"
        raise ParameterError(f"{what}.", "Give it in samples per second (Hz)." if arrays else "Leave it out.")
    if arrays:
        parts = [_read_array(path, labels) for path in arrays]
        merged = merge(parts)
        rates = dict.fromkeys(merged.views, float(RATE.check(sampling_rate) or 1))
    else:
        merged = read_recordings(files, FileRequest(files[0], ReadOptions(labels=labels, truncate=truncate)))
        parts, rates = [merged], merged.sampling_rate
    if labels is not None and merged.label_name != labels:
        merged.labels = _labels(labels, merged)
    ids = None if merged.ids is None else merged.ids.tolist()
    data = MultiView(merged.views, labels=merged.labels, sample_ids=ids, columns=merged.columns, images=merged.images)
    notes = (*gather_notes(parts), *(merged.notes if arrays else ()))
    return Waveforms(data, rates, notes, tuple(str(path.resolve()) for path in files))


def read_recordings(paths: Sequence[Path], asked: FileRequest | None = None) -> Recordings:
    """Read recordings, one sample per file; the channels are the views.

    Files of one channel each, in one folder, belong to the same sample if their names differ only in the channel:
    ``e1.EHE.sac``, ``e1.EHN.sac``; they need not be adjacent. Samples are named after their files. If there are several
    folders, the folder is a column; of folders that are given as such it is the label, unless each holds a single
    sample.

    The option `truncate` cuts the channels of a sample to their common start, and each channel to its shortest sample;
    else starts or lengths that differ are a DataError, as other channels or sampling rates are. `sonograms` turns the
    recordings into sonograms of that preset.
    """
    asked = asked or FileRequest(paths[0])
    files, others = _recordings_in(paths)
    check_sources([], files)
    samples: dict[tuple[Path, str], dict[str, Trace]] = {}
    for place, path in enumerate(files):
        require_file(path)
        asked.tick(place / len(files))
        room = Room(path, tick=partial(_tick_all, asked.tick, place, len(files)))
        traces = _read_wav(path) if path.suffix.lower() in WAV_SUFFIXES else read_traces(room)
        if not traces or not all(len(trace.values) for trace in traces):
            raise DataError(f"“{path.name}” holds no waveform.", "Leave the file out.")
        check_views(path, [trace.channel for trace in traces])
        own = samples.setdefault((path.parent, _sample_name(path, traces)), {})
        for trace in traces:
            if trace.channel in own:
                hint = "Give every sample once, and its channels names of their own."
                raise DataError(f"“{path.name}” holds {trace.channel} of a sample that has it already.", hint)
            own[trace.channel] = trace
    recordings = _assemble(paths, samples, asked)
    note_others(recordings, others, "recordings")
    how = asked.options.sonograms
    return recordings if how is None else _as_sonograms(recordings, how)


def _tick_all(tick: Callable[[float], None], place: int, count: int, part: float) -> None:
    tick((place + part) / count)


def _recordings_in(paths: Sequence[Path]) -> tuple[list[Path], int]:
    """List all files, those in folders as well, and count the others in folders."""
    files: list[Path] = []
    others = 0
    for path in paths:
        inside, beside = files_in(path, WAVEFORM_SUFFIXES, "recordings") if holds_recordings(path) else ([path], 0)
        files, others = [*files, *inside], others + beside
    return files, others


def _assemble(
    paths: Sequence[Path], samples: dict[tuple[Path, str], dict[str, Trace]], asked: FileRequest
) -> Recordings:
    folders = folder_names([folder for folder, _ in samples], paths)
    names = [readable(name) for _, name in samples]
    if len(set(names)) < len(names):
        each = zip(folders, names, strict=True)
        names = [name if folder == "." else f"{folder}/{name}" for folder, name in each]
    recordings = Recordings(paths[0], ids=np.array(names), id_name="file", given=tuple(paths))
    alone = len(set(folders)) == len(names)  # a folder of its own for each sample names it, and is no class
    take_folders(folders, recordings, asked, label=all(path.is_dir() for path in paths) and not alone)
    _check_channels(names, list(samples.values()))
    for channel in next(iter(samples.values())):
        recordings.sampling_rate[channel] = _one_rate(names, [own[channel].rate for own in samples.values()], channel)
    truncate = asked.options.truncate
    cut = [_from_common_start(name, own, truncate) for name, own in zip(names, samples.values(), strict=True)]
    for channel in cut[0]:
        recordings.views[channel] = _stack([own[channel].values for own in cut], channel, truncate)
    recordings.note(
        f"{recordings.summary}: compare their sonograms, not the waveforms.", WAVEFORMS, tuple(recordings.views)
    )
    before = max(len(trace.values) for own in samples.values() for trace in own.values())
    after = min(X.shape[1] for X in recordings.views.values())
    if truncate and after < before:
        recordings.note(f"the recordings, of up to {before:,} moments, were cut to {after:,} at least, as asked.")
    return recordings


def _as_sonograms(recordings: Recordings, preset: str) -> Recordings:
    waves = MultiView(recordings.views)
    sonograms = waveform_views(waves, recordings.sampling_rate, preset)
    recordings.views = dict(zip(sonograms.view_names, sonograms.Xs, strict=True))
    recordings.notes = [note for note in recordings.notes if note.code != WAVEFORMS]
    recordings.note(f"{recordings.summary}, as sonograms.")
    return recordings


def _sample_name(path: Path, traces: Sequence[Trace]) -> str:
    """Return the file's name; if the file has one channel, without the channel's name."""
    if len(traces) > 1:
        return path.stem
    channel = re.escape(traces[0].channel)
    return re.sub(rf"(^|[._-]){channel}(?=[._-]|$)", "", path.stem).lstrip("._-") or path.stem


def _check_channels(names: Sequence[str], samples: Sequence[Mapping[str, Trace]]) -> None:
    first, expected = names[0], samples[0]
    for name, own in zip(names, samples, strict=True):
        if set(own) != set(expected):
            message = f"“{name}” has the channels {', '.join(own)} where “{first}” has {', '.join(expected)}."
            raise DataError(message, "Leave it out; names of files with one channel may differ by the channel alone.")


def _from_common_start(name: str, traces: Mapping[str, Trace], truncate: bool) -> dict[str, Trace]:
    """Cut the channels of a sample to begin at the latest start."""
    start = max(trace.start for trace in traces.values())
    late = {channel: round((start - trace.start) * trace.rate) for channel, trace in traces.items()}
    if any(late.values()) and not truncate:
        apart = start - min(trace.start for trace in traces.values())
        message = f"The channels of “{name}” begin up to {apart:.3g} seconds apart."
        raise RowsError(message, (CUT,))
    cut = {channel: replace(trace, values=trace.values[late[channel] :]) for channel, trace in traces.items()}
    if not all(len(trace.values) for trace in cut.values()):
        raise DataError(f"The channels of “{name}” have no time in common.", "Leave it out.")
    return cut


def _stack(signals: Sequence[Array], channel: str, truncate: bool) -> Array:
    lengths = [len(signal) for signal in signals]
    if min(lengths) < max(lengths) and not truncate:
        message = f"The recordings of {channel} have from {min(lengths):,} to {max(lengths):,} samples."
        raise RowsError(message, (CUT,))
    return np.stack([signal[: min(lengths)] for signal in signals])


def _one_rate(names: Sequence[str], rates: Sequence[float], channel: str) -> float:
    low, high = min(rates), max(rates)
    rounding = 1e-4  # some formats store the sample interval in four bytes
    if high > low * (1.0 + rounding):
        odd = f"“{names[rates.index(low)]}” at {low:g} Hz and “{names[rates.index(high)]}” at {high:g} Hz"
        message = f"The recordings of {channel} are sampled at {low:g} to {high:g} Hz: {odd}."
        raise DataError(message, "Resample them to one rate first.")
    return rates[0]


def _read_wav(path: Path) -> list[Trace]:
    """Read the channels of a WAV file; integers are divided by full scale, so that all bit depths agree."""
    with IMPORTS:
        from scipy.io import wavfile

    content = read_content(path)
    check_bytes(path, 8 * len(content))  # 8-bit numbers become float64
    try:
        rate, samples = wavfile.read(_plain_wav(content))
    except Exception:  # noqa: BLE001 - a damaged file may raise anything
        # Wrong headers raise many kinds of exception; after any of them the file is unusable.
        message = f"The file “{path.name}” is damaged, cut off or compressed."
        raise DataError(message, "Save it again as WAV, PCM or float.") from None
    if rate <= 0:
        raise DataError(f"“{path.name}” has a sampling rate of {rate} Hz.", "Save it again with the right rate.")
    with np.errstate(invalid="ignore"):  # NaN stays NaN, and is reported with the views
        values = np.atleast_2d(samples.T).astype(np.float64)
    if samples.dtype.kind in "iu":
        full = 2.0 ** (8 * samples.dtype.itemsize - 1)
        values = values / full - (samples.dtype.kind == "u")  # 8-bit WAV is unsigned
    return [Trace(f"channel {i + 1}", float(rate), 0.0, signal) for i, signal in enumerate(values)]


def _plain_wav(content: bytes) -> BytesIO:
    """Keep the format and data of a WAV file: SciPy warns of other chunks, and guesses at missing ends."""
    parts: dict[bytes, bytes] = {}
    start = 12 if content[:4] == b"RIFF" and content[8:12] == b"WAVE" else len(content)
    while start + 8 <= len(content) and b"data" not in parts:
        name, size = struct.unpack_from("<4sI", content, start)
        if start + 8 + size > len(content):
            break
        parts[name] = content[start + 8 : start + 8 + size]
        start += 8 + size + size % 2
    kept = [struct.pack("<4sI", name, len(parts[name])) + parts[name] for name in (b"fmt ", b"data")]
    body = b"WAVE" + b"".join(kept)
    return BytesIO(b"RIFF" + struct.pack("<I", len(body)) + body)


def _read_array(path: Path, labels: str | None) -> Parts:
    require_file(path)
    asked = FileRequest(path, ReadOptions(labels=labels))
    readers = {".npy": read_npy, ".npz": read_npz, ".mat": read_mat}
    return readers.get(path.suffix.lower(), read_table)(path, asked)


def _labels(name: str, parts: Parts) -> Values:
    """Take labels (M,) from the column of that name, else from a file."""
    if name in parts.columns:
        return parts.columns.pop(name)
    path = full_path(name)
    if not path.is_file():
        hint = f"The columns are {', '.join(parts.columns)}." if parts.columns else "There are no columns."
        raise DataError(f"There is no column or file called “{name}” to label the samples by.", hint)
    return tidy_labels(read_column(path))
