"""Sonograms against sums written out, closed forms and SciPy; and what they are for: telling seismic events apart."""

import cmath
import math
from itertools import pairwise

import dense
import numpy as np
import pytest

from mvexplorer.datasets.seismic import make_seismic_events
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.metrics import knn_accuracy
from mvexplorer.engine.sonograms import PRESETS, SEISMIC_EVENTS, SEISMIC_MANIFOLD, sonogram, waveform_views
from mvexplorer.errors import DataError, MissingValuesError, ParameterError


def noise(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def energy(signal, start, window, frequency):
    """|Σ w_n z_n exp(-2πi f n)|², f in cycles per sample, n from the start of the signal."""
    total = 0j
    for n in range(start, start + window):
        hann = 0.5 - 0.5 * math.cos(2 * math.pi * (n - start) / window)
        total += hann * signal[n] * cmath.exp(-2j * math.pi * frequency * n)
    return abs(total) ** 2


def naive_frequencies(signal, window, hop):
    """(5.1)-(5.2): N_0 frequencies in equal ratios from 1/N_0 to 1/2, energies over N_0, time by time."""
    ratio = (window / 2) ** (1 / (window - 1))
    frequencies = [ratio**i / window for i in range(window)]
    starts = range(0, len(signal) - window + 1, hop)
    return [energy(signal, s, window, f) / window for s in starts for f in frequencies]


def naive_bands(signal, window, hop, bands):
    """Multi-view diffusion maps, 7.2.2: band edges in equal ratios, every band's energies sum to 1 over time."""
    edges = [(window / 2) ** (j / bands) for j in range(bands + 1)]
    edges[-1] += 1
    starts = range(0, len(signal) - window + 1, hop)
    columns = []
    for low, high in pairwise(edges):
        inside = [k for k in range(1, window // 2 + 1) if low - 1e-9 <= k < high - 1e-9]
        if inside:
            sums = np.array([sum(energy(signal, s, window, k / window) for k in inside) for s in starts])
            columns.append(sums / sums.sum())
    return np.column_stack(columns).ravel()


@pytest.mark.parametrize(("window", "overlap", "hop"), [(16, 0.5, 8), (21, 0.75, 5), (40, 0.9, 4), (32, 0.0, 32)])
def test_frequencies_against_sums(window, overlap, hop):
    """(1 - .9) 40 is 3.9999999999999996 in floating point: the hop is 4."""
    X = noise(3, 110)
    found = sonogram(X, 1.0, window=window, overlap=overlap)
    expected = [naive_frequencies(signal, window, hop) for signal in X]
    np.testing.assert_allclose(found.features, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("window", "overlap", "hop"), [(16, 0.5, 8), (21, 0.75, 5), (40, 0.9, 4), (32, 0.0, 32)])
@pytest.mark.parametrize("bands", [1, 3, 12, 40])
def test_bands_against_sums(window, overlap, hop, bands):
    X = noise(2, 110)
    found = sonogram(X, 1.0, window=window, overlap=overlap, bands=bands)
    np.testing.assert_allclose(found.features, [naive_bands(x, window, hop, bands) for x in X], rtol=1e-9)


def test_blocks_do_not_show():
    """Many signals, many windows and many frequencies are handled in pieces: each number must land in its own place."""
    X = noise(70, 1500)
    for settings in ({"window": 20, "overlap": 0.9, "bands": 4}, {"window": 600, "overlap": 0.9}):
        whole = sonogram(X, 1.0, **settings)
        for i in (0, 1, 37, 69):
            one = sonogram(X[i : i + 1], 1.0, **settings)
            np.testing.assert_allclose(whole.features[i], one.features[0], rtol=1e-9, atol=1e-12)
    n_times, n_frequencies = len(whole.times), len(whole.frequencies)
    grid = whole.features[3].reshape(n_times, n_frequencies)
    for t, f in ((0, 0), (5, 300), (n_times - 1, 599), (7, 450)):
        assert grid[t, f] == pytest.approx(energy(X[3], 60 * t, 600, whole.frequencies[f]) / 600, rel=1e-8)


def test_long_signals_are_cut_into_blocks_of_windows():
    signal = noise(1, 6000)
    found = sonogram(signal, 1.0, window=64, overlap=0.9, bands=6)
    np.testing.assert_allclose(found.features[0], naive_bands_by_fft(signal[0], 64, 6, 6), rtol=1e-9)


def naive_bands_by_fft(signal, window, hop, bands):
    from scipy.signal import stft

    spectrum = stft(signal, window="hann", nperseg=window, noverlap=window - hop, boundary=None, padded=False)[2]
    band = [min(int(bands * math.log(k) / math.log(window / 2) + 1e-9), bands - 1) for k in range(1, window // 2 + 1)]
    power = np.abs(spectrum[1:].T) ** 2
    columns = [power[:, np.array(band) == j].sum(axis=1) for j in range(bands) if j in band]
    return np.column_stack([c / c.sum() for c in columns]).ravel()


@pytest.mark.parametrize("seed", range(2))
def test_presets_against_scipy(seed):
    X = noise(2, 10_000, seed=seed)
    events = sonogram(X, 40.0, **SEISMIC_EVENTS)
    np.testing.assert_allclose(events.features, [naive_bands_by_fft(x, 256, 25, 12) for x in X], rtol=1e-9)
    manifold = sonogram(X, 40.0, **SEISMIC_MANIFOLD)
    grid = manifold.features.reshape(2, 125, 512)
    for i, t, f in ((0, 0, 0), (1, 60, 200), (0, 124, 511), (1, 3, 400)):
        expected = energy(X[i], 76 * t, 512, manifold.frequencies[f] / 40) / 512
        assert grid[i, t, f] == pytest.approx(expected, rel=1e-8)


def test_shapes_frequencies_and_times_of_the_presets():
    """512 x 125 as printed; T follows from the length: (10,000 - 256) / 25 + 1 = 390, not the printed 192."""
    X = noise(3, 10_000)
    manifold = sonogram(X, 40.0, **SEISMIC_MANIFOLD)
    assert manifold.features.shape == (3, 512 * 125)
    assert (manifold.frequencies[0], manifold.frequencies[-1]) == (pytest.approx(40 / 512), pytest.approx(20))
    np.testing.assert_allclose(np.diff(np.log(manifold.frequencies)), math.log(256) / 511, rtol=1e-9)
    np.testing.assert_allclose(manifold.times, 6.4 + 1.9 * np.arange(125))
    events = sonogram(X, 40.0, **SEISMIC_EVENTS)
    assert events.features.shape == (3, 12 * 390)
    np.testing.assert_allclose(events.frequencies, 20 / 128 * 128 ** (np.arange(0.5, 12) / 12))
    np.testing.assert_allclose(events.times, 3.2 + 0.625 * np.arange(390))
    np.testing.assert_allclose(events.features.reshape(3, 390, 12).sum(axis=1), 1)
    assert set(PRESETS) == {"seismic-manifold", "seismic-events"}


def test_bands_of_the_preset_by_hand():
    """Edges 2^(7j/12), so bands begin at these bins. Two windows apart share each band as their energies in it do."""
    first = [1, 2, 3, 4, 6, 8, 12, 17, 26, 39, 58, 86, 129]
    signal, hann = noise(512), np.sin(np.pi * np.arange(256) / 256) ** 2
    one, two = (np.abs(np.fft.fft(part * hann)) ** 2 for part in (signal[:256], signal[256:]))
    sums = np.array([[power[a:b].sum() for a, b in pairwise(first)] for power in (one, two)])
    found = sonogram(signal[None], 1.0, window=256, overlap=0.0, bands=12)
    np.testing.assert_allclose(found.features.reshape(2, 12), sums / sums.sum(axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("window", "bands", "kept"),
    [(256, 7, range(7)), (16, 12, (0, 4, 6, 8, 9, 10, 11)), (16, 3, range(3)), (512, 1, (0,)), (8, 1024, None)],
)
def test_empty_bands_are_dropped(window, bands, kept):
    """Of the 12 bands of a window of 16, bins 1 .. 8 at 4 log2 k fall into seven; powers of two stand on an edge."""
    found = sonogram(noise(2, 3 * window), 10.0, window=window, overlap=0.5, bands=bands)
    kept = (0, 512, 811, 1023) if kept is None else kept
    centres = [10 / window * (window / 2) ** ((j + 0.5) / bands) for j in kept]
    np.testing.assert_allclose(found.frequencies, centres)
    assert np.all(found.features > 0)


def test_impulse():
    """A single sample has the energy of the window there at all frequencies."""
    signal = np.zeros((1, 160))
    signal[0, 50] = 3.0
    found = sonogram(signal, 1.0, window=32, overlap=0.5)
    expected = [9 * math.sin(math.pi * n / 32) ** 4 / 32 if 0 <= n < 32 else 0 for n in 50 - 16 * np.arange(9)]
    np.testing.assert_allclose(found.features.reshape(9, 32), np.repeat(expected, 32).reshape(9, 32), atol=1e-15)
    bands = sonogram(signal + 1e-13 * noise(1, 160), 1.0, window=32, overlap=0.5, bands=4)
    share = np.array(expected) / sum(expected)
    np.testing.assert_allclose(bands.features.reshape(9, -1), share[:, None] * np.ones(4), atol=1e-12)


def test_tone_at_half_the_sampling_rate():
    """Σ w_n = N_0 / 2, so the energy there is (A N_0 / 2)² / N_0."""
    signal = 2.0 * (-1.0) ** np.arange(300)
    found = sonogram(signal[None], 8.0, window=64, overlap=0.5)
    top = found.features.reshape(len(found.times), 64)[:, -1]
    np.testing.assert_allclose(top, 64.0, rtol=1e-10)
    assert found.frequencies[-1] == pytest.approx(4.0)


def test_scale():
    X = noise(2, 800)
    once, thrice = (sonogram(c * X, 5.0, window=100).features for c in (1, 3))
    np.testing.assert_allclose(thrice, 9 * once, rtol=1e-10)
    for scale in (1e-120, 1e120):
        banded = sonogram(scale * X, 5.0, window=100, bands=5).features
        np.testing.assert_allclose(banded, sonogram(X, 5.0, window=100, bands=5).features, rtol=1e-9)
    slow, fast = sonogram(X, 1.0, window=100), sonogram(X, 40.0, window=100)
    np.testing.assert_array_equal(slow.features, fast.features)
    np.testing.assert_allclose(40 * slow.frequencies, fast.frequencies)
    np.testing.assert_allclose(slow.times, 40 * fast.times)


def test_an_offset_changes_nothing_but_the_lowest_band():
    X = noise(2, 2000)
    plain, offset = (sonogram(X + c, 1.0, **SEISMIC_EVENTS).features.reshape(2, -1, 12) for c in (0, 5))
    np.testing.assert_allclose(offset[:, :, 1:], plain[:, :, 1:], rtol=1e-6)
    assert np.abs(offset[:, :, 0] - plain[:, :, 0]).max() > 0.01


def test_other_kinds_of_input():
    X = np.round(100 * noise(2, 300))
    expected = sonogram(X, 1, window=64, bands=5).features
    before = X.copy()
    for given in (X.tolist(), X.astype(np.int16), X.astype(np.float32), np.asfortranarray(X)):
        np.testing.assert_array_equal(sonogram(given, 1, window=64.0, bands=5.0).features, expected)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("settings", [{"window": 64, "bands": 5}, {"window": 64}, {"window": 600}])
def test_progress_and_cancelling(settings):
    seen = []
    X = noise(20, 4000)
    sonogram(X, 1.0, **settings, task=Task(seen.append))
    assert len(seen) > 10
    assert seen == sorted(seen)
    assert 0 <= seen[0] < 0.1
    assert 0.9 < seen[-1] <= 1
    task = Task(lambda fraction: task.cancel() if fraction > 0.3 else None)
    with pytest.raises(Cancelled):
        sonogram(X, 1.0, **settings, task=task)
    stopped = Task()
    stopped.cancel()
    with pytest.raises(Cancelled):
        sonogram(X, 1.0, **settings, task=stopped)


# --- what cannot be used ---------------------------------------------------------------------------------------------


def spoiled(row, value):
    X = noise(4, 600)
    X[row] = value
    return X


LOWPASS = np.cos(2 * np.pi * 8 * np.arange(600) / 64)[None] * np.ones((2, 1))


@pytest.mark.parametrize(
    ("signals", "sentence", "hint"),
    [
        (noise(4, 63), "Signals of 63 samples are shorter than the window of 64.", "shorter window"),
        (spoiled([1, 3], 7.0), r"Signal 1 is constant, so it has no spectrum \(and 1 more of 4\)", "Drop it"),
        (spoiled(2, 0.0), "Signal 2 is constant, so it has no spectrum.", "Drop it"),
        (np.ones((3, 600)), r"Signal 0 is constant, so it has no spectrum \(and 2 more of 3\)", "Drop it"),
        (1e-131 * noise(2, 600), "Signal 0 has numbers too small or too large to be squared", "Rescale"),
        (1e200 * noise(2, 600), "Signal 0 has numbers too small or too large to be squared", "Rescale"),
        (noise(600), "The signals are no table of numbers.", "one row per signal"),
        (noise(2, 3, 600), "The signals are no table of numbers.", "one row per signal"),
        (np.empty((0, 600)), "The signals are no table of numbers.", "one row per signal"),
        (noise(2, 600) * 1j, "The signals are no table of numbers.", "one row per signal"),
        ([["a"] * 600], "The signals are no table of numbers.", "one row per signal"),
        ([[1.0] * 600, [2.0] * 500], "The signals are no table of numbers.", "one row per signal"),
    ],
)
@pytest.mark.parametrize("bands", [None, 5])
def test_signals_that_cannot_be_used(signals, sentence, hint, bands):
    with pytest.raises(DataError, match=sentence) as caught:
        sonogram(signals, 1.0, window=64, bands=bands)
    assert hint in caught.value.hint


def test_a_band_without_energy():
    """A tone on a bin has energy in three bins only; what the others hold is rounding, which must not be scaled up."""
    assert np.isfinite(sonogram(LOWPASS, 1.0, window=64).features).all()
    with pytest.raises(DataError, match=r"Signal 0 has no energy around 0.0186 Hz, so that band cannot be") as caught:
        sonogram(LOWPASS, 1.0, window=64, bands=10)
    assert caught.value.hint == "Drop it, or use fewer bands."
    assert np.isfinite(sonogram(LOWPASS, 1.0, window=64, bands=1).features).all()
    faint = LOWPASS + 1e-11 * noise(2, 600)
    np.testing.assert_allclose(sonogram(faint, 1.0, window=64, bands=10).features.reshape(2, -1, 9).sum(axis=1), 1)


def test_missing_values():
    X = noise(5, 600)
    X[1, 3], X[4, 599], X[2, 0] = np.nan, np.inf, -np.inf
    with pytest.raises(MissingValuesError, match="3 of 5 signals hold missing or infinite values") as caught:
        sonogram(X, 1.0, window=64)
    assert caught.value.rows == (1, 2, 4)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sampling_rate": 0}, r"Sampling rate \(f_s\) cannot be 0. Give a number from 1e-06"),
        ({"sampling_rate": -40.0}, r"Sampling rate \(f_s\) cannot be -40"),
        ({"sampling_rate": math.nan}, r"Sampling rate \(f_s\) cannot be nan"),
        ({"sampling_rate": math.inf}, r"Sampling rate \(f_s\) cannot be inf"),
        ({"sampling_rate": None}, r"Sampling rate \(f_s\) has no value"),
        ({"sampling_rate": "fast"}, r"Sampling rate \(f_s\) is 'fast', not a number"),
        ({"overlap": 1.0}, r"Overlap \(s\) cannot be 1.0. Give a number from 0 to 0.999"),
        ({"overlap": -0.1}, r"Overlap \(s\) cannot be -0.1"),
        ({"overlap": math.nan}, r"Overlap \(s\) cannot be nan"),
        ({"overlap": 0.99}, r"An overlap of 0.99 moves a window of 64 samples by less than one.*Give at most 0.984"),
        ({"window": 7}, r"Window \(N_0\) cannot be 7. Give a whole number from 8"),
        ({"window": 64.5}, r"Window \(N_0\) cannot be 64.5"),
        ({"bands": 0}, r"Bands \(K\) cannot be 0. Give a whole number from 1"),
    ],
)
def test_parameters_out_of_range(given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        sonogram(noise(2, 600), **{"sampling_rate": 1.0, "window": 64, **given})


def test_the_largest_overlap_that_is_named_works():
    assert len(sonogram(noise(1, 100), 1.0, window=64, overlap=0.984).times) == 37


def test_too_many_features():
    with pytest.raises(DataError, match=r"The sonograms of 90 signals need 3 GB. Use bands, less overlap"):
        sonogram(noise(90, 10_000), 1.0, window=512, overlap=0.998)


# --- views ---------------------------------------------------------------------------------------------------------


def waveforms():
    X = noise(5, 900)
    return MultiView(
        {"Z": X, "E": 2 * X[::-1], "facts": noise(5, 2, seed=1)},
        labels=["a", "b", "a", "b", "b"],
        sample_ids=list("pqrst"),
        images=np.zeros((5, 2, 2), dtype=np.uint8),
        columns={"depth": np.arange(5.0)},
        latent={"t": np.arange(5)},
        preprocess=["none", "centre", "zscore"],
    )


def test_waveform_views():
    data = waveforms()
    views = waveform_views(data, {"Z": 40.0, "E": 20.0}, {"window": 64, "overlap": 0.5, "bands": 6}, views=["E", "Z"])
    assert views.view_names == ("Z", "E", "facts")
    for i, name in enumerate("ZE"):
        expected = sonogram(data.Xs[data.view_index(name)], 1.0, window=64, overlap=0.5, bands=6).features
        np.testing.assert_array_equal(views.Xs[i], expected)
    np.testing.assert_array_equal(views.Xs[2], data.Xs[2])
    np.testing.assert_array_equal(views.labels, data.labels)
    np.testing.assert_array_equal(views.images, data.images)
    np.testing.assert_array_equal(views.columns["depth"], data.columns["depth"])
    np.testing.assert_array_equal(views.latent["t"], data.latent["t"])
    assert (views.sample_ids, views.preprocess) == (data.sample_ids, data.preprocess)
    assert data.Xs[0].shape == (5, 900)


@pytest.mark.parametrize(("preset", "n_features"), [("seismic-manifold", 512 * 6), ("seismic-events", 12 * 26)])
def test_waveform_views_by_the_name_of_a_preset(preset, n_features):
    data = MultiView([noise(3, 900), noise(3, 900, seed=1)])
    by_name, by_value = waveform_views(data, 40.0, preset), waveform_views(data, 40.0, PRESETS[preset])
    assert [X.shape for X in by_name.Xs] == [(3, n_features)] * 2
    for X, Y in zip(by_name.Xs, by_value.Xs, strict=True):
        np.testing.assert_array_equal(X, Y)


def test_bursts_of_waveforms():
    bursts = noise(3, 4, 300)
    data = MultiView([bursts[:, 0], noise(3, 2)], bursts=[bursts, noise(3, 4, 2)])
    views = waveform_views(data, 1.0, {"window": 64, "overlap": 0.5, "bands": 3}, views=["view1"])
    for j in range(4):
        expected = sonogram(bursts[:, j], 1.0, window=64, overlap=0.5, bands=3).features
        np.testing.assert_allclose(views.bursts[0][:, j], expected, rtol=1e-12)
    np.testing.assert_array_equal(views.bursts[1], data.bursts[1])


def test_waveform_views_that_cannot_be():
    data = waveforms()
    with pytest.raises(DataError, match=r"View “facts”: Signals of 2 samples are shorter than the window of 256."):
        waveform_views(data, 40.0)
    with pytest.raises(DataError, match=r"There is no view called “N”"):
        waveform_views(data, 40.0, views=["N"])
    with pytest.raises(ParameterError, match=r"There are no sonograms called “loud”. Presets: seismic-manifold"):
        waveform_views(data, 40.0, "loud")
    with pytest.raises(ParameterError, match=r"Sampling rate \(f_s\) cannot be 0"):
        waveform_views(data, {"Z": 40.0, "E": 0.0}, {"window": 64, "overlap": 0.5, "bands": None}, views=["Z", "E"])
    with pytest.raises(ParameterError, match=r"The sampling rate of view “E” is not given"):
        waveform_views(data, {"Z": 40.0}, views=["Z", "E"])


# --- the bar ---------------------------------------------------------------------------------------------------------


def log_sum_epsilon(X):
    """ε_0: left end of the range around the steepest slope of log Σ K against log ε that is at least .7 as steep."""
    D = dense.squared(X)
    grid = np.median(D) * np.logspace(-4, 2, 301)
    slope = np.gradient(np.log([np.exp(-D / (2 * e)).sum() for e in grid]), np.log(grid))
    left = int(slope.argmax())
    while slope[left - 1] >= 0.7 * slope.max():
        left -= 1
    return grid[left]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_earthquakes_and_explosions(seed):
    """5-NN on three diffusion coordinates of the Z channel, over 13 bandwidths."""
    data = waveform_views(make_seismic_events(random_state=seed), 40.0, SEISMIC_EVENTS, views=["Z"])
    epsilon_0 = log_sum_epsilon(data.Xs[data.view_index("Z")])
    scores = []
    for factor in np.geomspace(0.25, 60, 13):
        e = embed(data, "single", view="Z", epsilon=float(factor * epsilon_0), n_components=3)
        scores.append(knn_accuracy(e.coordinates, data.labels, n_neighbors=5).value)
    assert max(scores) >= 0.9
    # The waveforms themselves tell nothing: each begins with noise of its own.
    raw = make_seismic_events(random_state=seed)
    e = embed(raw, "single", view="Z", epsilon="median", n_components=3)
    assert knn_accuracy(e.coordinates, raw.labels, n_neighbors=5).value < 0.75
