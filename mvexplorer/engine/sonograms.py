"""Sonograms: the energy of a waveform over frequency and time, as features of the sample it was recorded from.

One function and two presets: `SEISMIC_EVENTS` (Lindenbaum, Yeredor, Salhov, Averbuch: Multi-view diffusion maps, 2020,
section 7.2.2) and `SEISMIC_MANIFOLD` (the same authors: Gaussian bandwidth selection, 2020, section 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import Param, Value, check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError, MissingValuesError, ParameterError

RATE = Param(
    "sampling_rate",
    "f_s",
    1.0,
    "Samples of a waveform per second.",
    low=1e-6,
    high=1e12,
    log=True,
    unit="Hz",
    source="Bandwidth selection, section 5",
)
WINDOW = Param(
    "window",
    "N_0",
    512,
    "Samples in one window: a longer one tells frequencies apart better, and times worse.",
    kind="int",
    low=8,
    high=65536,
    log=True,
    unit="samples",
    source="Bandwidth selection, (5.1)",
)
OVERLAP = Param(
    "overlap",
    "s",
    0.85,
    "Part of a window that it shares with the next one.",
    low=0.0,
    high=0.999,
    source="Bandwidth selection, (5.1)",
)
BANDS = Param(
    "bands",
    "K",
    None,
    "Logarithmic frequency bands, each scaled to energy 1; none keeps N_0 single frequencies.",
    kind="int",
    low=1,
    high=1024,
    empty="none",
    source="Multi-view diffusion maps, section 7.2.2",
)
PARAMS = (RATE, WINDOW, OVERLAP, BANDS)


class SonogramSettings(TypedDict):
    """The parameters of a sonogram: ``sonogram(signals, 40.0, **SEISMIC_EVENTS)``."""

    window: int
    overlap: float
    bands: int | None


SEISMIC_MANIFOLD: SonogramSettings = {"window": 512, "overlap": 0.85, "bands": None}
"""Bandwidth selection, section 5.1: 512 frequencies evenly spaced in log f; 512 x 125 for 10,000 samples."""
SEISMIC_EVENTS: SonogramSettings = {"window": 256, "overlap": 0.9, "bands": 12}
"""Multi-view diffusion maps, section 7.2.2: 12 bands of energy 1; 12 x 390 for 10,000 samples."""
PRESETS: Mapping[str, SonogramSettings] = {"seismic-manifold": SEISMIC_MANIFOLD, "seismic-events": SEISMIC_EVENTS}


class Sonogram(NamedTuple):
    """Sonograms of M signals.

    `features` (M, F·T) are energies >= 0, time by time: ``features.reshape(M, T, F)``; `frequencies` (F,) in Hz,
    ascending, those of bands their geometric centres; `times` (T,) in seconds from the first sample to the middle of
    each window.
    """

    features: Array
    frequencies: Array
    times: Array


def sonogram(
    signals: npt.ArrayLike,
    sampling_rate: float,
    *,
    window: int = 512,
    overlap: float = 0.85,
    bands: int | None = None,
    task: Task | None = None,
) -> Sonogram:
    """Energy of each signal over frequency and time, as one row of features.

    Windows of N_0 samples under a (periodic) Hann window w, a hop of ⌊(1-s) N_0⌋ apart, as many as fit into the signal.
    Without bands ``|Σ_n w_n z_n exp(-2πi f n/fs)|² / N_0``, bandwidth selection (5.1)-(5.2), at N_0 frequencies f from
    fs/N_0 to fs/2, evenly spaced in log f. With bands the squared moduli of the discrete Fourier transform, summed in
    bands that divide the same range evenly in log f; bands without a frequency are dropped, and each band is scaled so
    that its energies over time add up to 1. The constant part (0 Hz) is left out, but through the window a large one
    still shows in the lowest frequencies: subtract it first.

    Parameters
    ----------
    signals : array (M, n)
        One signal per row, in any unit.
    sampling_rate : float
        fs, samples per second (Hz); it names the frequencies and times, and leaves the features as they are.
    window, overlap, bands
        N_0 in samples, s, and the number of logarithmic bands before empty ones are dropped; see `PARAMS`.
    task : Task, optional
        How to stop and report.

    Returns
    -------
    Sonogram
        Features (M, F·T), and their frequencies (Hz) and times (s).

    Examples
    --------
    >>> time = np.arange(2000) / 100
    >>> sonograms = mvx.sonogram(np.sin(2 * np.pi * 5 * time)[None], 100.0)
    >>> energy = sonograms.features.reshape(len(sonograms.frequencies), -1).sum(axis=1)
    >>> round(float(sonograms.frequencies[energy.argmax()]))
    5

    Raises
    ------
    DataError
        Signals shorter than the window, constant, without energy in a band, or of numbers that cannot be squared;
        MissingValuesError names those with NaN or infinite values.
    ParameterError
        A parameter out of range, or an overlap that moves the window by less than one sample.
    """
    task = task or Task()
    given = {"sampling_rate": sampling_rate, "window": window, "overlap": overlap, "bands": bands}
    values = check_params(PARAMS, given, "The sonogram")
    rate, window, hop = float(values["sampling_rate"] or 1), int(values["window"] or 1), _hop(values)
    bands = None if values["bands"] is None else int(values["bands"])
    X = _check_signals(signals, window, task)
    n_times = (X.shape[1] - window) // hop + 1
    bins, parts = _frequencies(window) if bands is None else _bands(window, bands)
    matrix_bytes = 2 << 30  # Largest table of sonograms that is built.
    if (needed := 8 * len(X) * len(bins) * n_times) > matrix_bytes:
        message = f"The sonograms of {len(X):,} signals need {needed / 2**30:.0f} GB."
        raise DataError(message, "Use bands, less overlap or shorter signals.")
    out = np.empty((len(X), n_times, len(bins)))
    frames = np.lib.stride_tricks.sliding_window_view(X, window, axis=1)[:, ::hop]
    hann = np.sin(np.pi * np.arange(window) / window) ** 2
    for columns, energies in parts:
        for rows, steps in _blocks(len(X), n_times, window):
            block = frames[rows, steps] * hann
            out[rows, steps, columns] = energies(block.reshape(-1, window)).reshape(*block.shape[:2], -1)
            done = (rows.start * n_times + steps.start) / (len(X) * n_times)
            task.progress((columns.start + done * (columns.stop - columns.start)) / len(bins))
    if bands is not None:
        _normalise(out, X, bins * rate / window, window**2 / hop, task)
    times = (hop * np.arange(n_times) + window / 2) / rate
    return Sonogram(out.reshape(len(X), -1), bins * rate / window, times)


def waveform_views(
    data: MultiView,
    sampling_rate: float | Mapping[str, float],
    preset: str | SonogramSettings = "seismic-events",
    *,
    views: Sequence[str] | None = None,
    task: Task | None = None,
) -> MultiView:
    """The data with waveforms (M, n) replaced by their sonograms (M, F·T); all else, bursts too, goes with them.

    Parameters
    ----------
    data : MultiView
        Its views are taken as given; their preprocessing then applies to the sonograms.
    sampling_rate : float, or mapping view name -> float
        Samples per second (Hz).
    preset : str or mapping
        A name in `PRESETS`, or window, overlap and bands, such as `SEISMIC_EVENTS`.
    views : sequence of str, optional
        Names of the views that are waveforms, default all; the others stay as they are.
    task : Task, optional
        How to stop and report.

    Returns
    -------
    MultiView
        The same samples.

    Examples
    --------
    >>> waves = mvx.MultiView({"east": np.random.default_rng(0).normal(size=(5, 2000))})
    >>> mvx.waveform_views(waves, 40.0).Xs[0].shape
    (5, 840)

    Raises
    ------
    DataError, ParameterError
        There is no such view or preset, a rate is missing, or whatever `sonogram` says, after the view's name.
    """
    settings = _settings(preset)
    names = data.view_names if views is None else tuple(views)
    rates = sampling_rate if isinstance(sampling_rate, Mapping) else dict.fromkeys(names, sampling_rate)
    Xs, bursts = list(data.Xs), None if data.bursts is None else list(data.bursts)
    for name in names:
        i = data.view_index(name)
        if name not in rates:
            raise ParameterError(f"The sampling rate of view “{name}” is not given.", "Give one, or one for all views.")
        Xs[i] = _of_view(name, data.Xs[i], rates[name], settings, task)
        if bursts is not None:
            n_samples, count, length = bursts[i].shape
            each = _of_view(name, bursts[i].reshape(-1, length), rates[name], settings, task)
            bursts[i] = each.reshape(n_samples, count, -1)
    features = [None if v in names else f for v, f in zip(data.view_names, data.feature_names, strict=True)]
    return data.replace(Xs=Xs, bursts=bursts, feature_names=features)


def _of_view(name: str, X: Array, rate: float, settings: SonogramSettings, task: Task | None) -> Array:
    try:
        return sonogram(X, rate, **settings, task=task).features
    except DataError as error:
        raise DataError(f"View “{name}”: {error.message}", error.hint) from None


def _settings(preset: str | SonogramSettings) -> SonogramSettings:
    if isinstance(preset, str) and preset not in PRESETS:
        raise ParameterError(f"There are no sonograms called “{preset}”.", f"Presets: {', '.join(PRESETS)}.")
    return PRESETS[preset] if isinstance(preset, str) else preset


FrequencyBlock = tuple[slice, Callable[[Array], Array]]
"""Some of the frequencies, and how their energies (m, F) come from windowed frames (m, N_0)."""


def _frequencies(window: int) -> tuple[Array, Iterator[FrequencyBlock]]:
    """N_0 frequencies evenly spaced in log f, in units of fs/N_0; not on the grid of an FFT, so by matrix products."""
    bins = np.geomspace(1.0, window / 2, window)
    waves = 2**17  # Largest table of cosines that is held at once.
    count = max(1, waves // window)
    columns = (slice(start, min(start + count, window)) for start in range(0, window, count))
    return bins, ((part, _waves(bins[part], window)) for part in columns)


def _waves(bins: Array, window: int) -> Callable[[Array], Array]:
    angle = (2.0 * np.pi / window) * np.outer(np.arange(window), bins)
    cosine, sine = np.cos(angle), np.sin(angle)

    def energies(frames: Array) -> Array:
        real, imaginary = frames @ cosine, frames @ sine
        return np.asarray((real * real + imaginary * imaginary) / window)

    return energies


def _bands(window: int, bands: int) -> tuple[Array, list[FrequencyBlock]]:
    """Centres, in units of fs/N_0, of the bands that hold one of the bins 1 .. N_0/2, and their energies by FFT."""
    top = window / 2
    bins = np.arange(1, window // 2 + 1)
    # Band j begins at top^(j/bands) and includes it, the last one its end, too; a bin there must not fall to rounding.
    band = np.minimum(np.floor(bands * np.log(bins) / math.log(top) + 1e-9), bands - 1)
    kept, first = np.unique(band, return_index=True)

    def energies(frames: Array) -> Array:
        spectrum = np.fft.rfft(frames)[:, 1:]
        return np.asarray(np.add.reduceat(spectrum.real**2 + spectrum.imag**2, first, axis=1))

    return top ** ((kept + 0.5) / bands), [(slice(0, len(kept)), energies)]


def _normalise(out: Array, X: Array, frequencies: Array, gain: float, task: Task) -> None:
    """Scale the energies (M, T, F) of each signal (M, n) in each band to the sum 1, in place.

    `gain` N_0²/hop is about the energy in all frequencies together over that of the signal.
    """
    # Part of a signal's energy below which there is nothing but rounding errors of the Fourier transform.
    rounding = 1e-28
    for i, (energies, signal) in enumerate(zip(out, X, strict=True)):
        task.checkpoint()
        total = energies.sum(axis=0)
        empty = total <= rounding * gain * float(signal @ signal)
        if empty.any():
            message = f"Signal {i} has no energy around {frequencies[empty][0]:.3g} Hz, so that band cannot be scaled."
            raise DataError(message, "Drop it, or use fewer bands.")
        energies /= total


def _blocks(n_signals: int, n_times: int, window: int) -> Iterator[tuple[slice, slice]]:
    """Signals and windows that are handled together."""
    block_values = 2**15  # Numbers handled between two checkpoints: a few milliseconds of work.
    steps = max(1, block_values // window)
    rows = max(1, steps // n_times)
    for row in range(0, n_signals, rows):
        for step in range(0, n_times, steps):
            yield slice(row, min(row + rows, n_signals)), slice(step, min(step + steps, n_times))


def _hop(values: Mapping[str, Value]) -> int:
    """⌊(1-s) N_0⌋, where a value that rounding puts just below a whole number counts as that number."""
    overlap, window = float(values["overlap"] or 0), int(values["window"] or 1)
    hop = math.floor((1.0 - overlap) * window + 1e-9)
    if hop < 1:
        message = f"An overlap of {overlap} moves a window of {window} samples by less than one sample."
        raise ParameterError(message, f"Give at most {math.floor(1e3 * (1.0 - 1.0 / window)) / 1e3}.")
    return hop


def _check_signals(signals: npt.ArrayLike, window: int, task: Task) -> Array:
    """The signals (M, n) as numbers, n >= N_0, each finite, not constant, and neither too large nor too small."""
    try:
        table = np.asarray(signals)
    except ValueError:
        table = np.empty(0)  # rows of different length: no table either
    if table.dtype.kind not in "biuf" or table.ndim != 2 or len(table) == 0:
        raise DataError("The signals are no table of numbers.", "Give one row per signal, all equally long.")
    X = table.astype(np.float64, copy=False)
    if X.shape[1] < window:
        hint = "Use a shorter window, or check that each row is a signal."
        raise DataError(f"Signals of {X.shape[1]} samples are shorter than the window of {window}.", hint)
    ends = np.empty((len(X), 2))
    for i, signal in enumerate(X):
        task.checkpoint()
        ends[i] = signal.min(), signal.max()
    bad = np.flatnonzero(~np.isfinite(ends).all(axis=1)).tolist()
    if bad:
        raise MissingValuesError(f"{len(bad)} of {len(X)} signals hold missing or infinite values.", "Drop them.", bad)
    size = np.abs(ends).max(axis=1)
    _refuse(ends[:, 0] == ends[:, 1], "is constant, so it has no spectrum", "Drop it.")
    sizes = (1e-130, 1e130)  # Amplitudes whose squares can be summed and divided.
    beyond = (size <= sizes[0]) | (size >= sizes[1])
    _refuse(beyond, "has numbers too small or too large to be squared", "Rescale the signals.")
    return X


def _refuse(signals: npt.NDArray[np.bool_], why: str, hint: str) -> None:
    """DataError about the first of the signals (M,) that are marked, and how many more there are."""
    marked = np.flatnonzero(signals)
    if len(marked):
        others = f" (and {len(marked) - 1} more of {len(signals)})" if len(marked) > 1 else ""
        raise DataError(f"Signal {marked[0]} {why}{others}.", hint)
