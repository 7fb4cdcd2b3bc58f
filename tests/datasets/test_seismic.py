"""The seismograms: arrivals, spectra, gains and noise, each measured on its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mvexplorer import datasets
from mvexplorer.datasets import seismic
from mvexplorer.engine.core.multiview import MultiView

QUIET = 1e9  # signal-to-noise ratio at which no noise is left
seconds = np.arange(10_000) / 40


@pytest.fixture(scope="module")
def events() -> MultiView:
    return datasets.make_seismic_events(snr=QUIET)


def test_views_and_classes() -> None:
    data = datasets.make_seismic_events()
    assert data.view_names == ("E", "N", "Z")
    assert data.labels is not None
    assert data.labels.tolist() == ["earthquake"] * 46 + ["explosion"] * 62


@pytest.mark.nightly
def test_parameters_stay_in_their_ranges() -> None:
    data = datasets.make_seismic_events(n_samples=540)
    assert data.labels is not None
    earthquake = data.labels == "earthquake"
    assert earthquake.sum() == 230
    latent = dict(data.latent)
    latent["delay"] = latent["t_S"] - latent["t_P"]
    latent["log size"] = np.log10(latent["size"])
    ranges = {
        "t_P": ((38, 42), (38, 42)),
        "delay": ((8, 18), (8, 18)),
        "log size": ((-0.5, 0.5), (-0.5, 0.5)),
        "f_P": ((5, 8), (6, 9)),
        "f_S": ((2.5, 5), (1, 2.5)),
        "amplitude_S": ((1.2, 2.2), (0.5, 0.9)),
    }
    for name, (of_earthquakes, of_explosions) in ranges.items():
        for values, (low, high) in (
            (latent[name][earthquake], of_earthquakes),
            (latent[name][~earthquake], of_explosions),
        ):
            assert low <= values.min() < low + (high - low) / 20
            assert high - (high - low) / 20 < values.max() <= high
            assert values.std() == pytest.approx((high - low) / math.sqrt(12), rel=0.12)


def test_nothing_before_the_p_wave(events: MultiView) -> None:
    for X in events.Xs:
        for i in (0, 45, 46, 107):
            before = seconds < events.latent["t_P"][i] - 1e-9
            assert np.abs(X[i, before]).max() < 1e-6
            assert np.abs(X[i, ~before]).max() > 0.1


def test_channels_differ_by_their_gains(events: MultiView) -> None:
    east, north, vertical = events.Xs
    np.testing.assert_allclose(east, north, atol=1e-7)
    t_s = events.latent["t_S"]
    for i in (3, 80):
        only_p = (seconds > events.latent["t_P"][i]) & (seconds < t_s[i])
        np.testing.assert_allclose(vertical[i, only_p], 2 * east[i, only_p], atol=1e-6)
        # E = .5 P + S and Z = P + .6 S: without P, .7 S is left, which begins with S.
        rest = east[i] - 0.5 * vertical[i]
        assert np.abs(rest[seconds < t_s[i]]).max() < 1e-6
        assert np.abs(rest[seconds > t_s[i]]).max() > 0.1


def waves(events: MultiView) -> tuple[np.ndarray, np.ndarray]:
    """The P and S waves of size 1 and amplitude 1, unmixed from the channels."""
    east, _, vertical = events.Xs
    size = events.latent["size"][:, None]
    s_wave = (east - 0.5 * vertical) / (0.7 * size * events.latent["amplitude_S"][:, None])
    p_wave = (vertical - 0.6 * east) / (0.7 * size)
    return p_wave, s_wave


def test_waves_rise_and_fade(events: MultiView) -> None:
    p_wave, s_wave = waves(events)
    late = {"p": (p_wave, events.latent["t_P"], (5, 5)), "s": (s_wave, events.latent["t_S"], (22, 12))}
    for wave, start, decays in late.values():
        for rows, decay in ((slice(0, 46), decays[0]), (slice(46, 108), decays[1])):
            for since in (0.25, 1.0, 3.0, 8.0, 20.0):
                near = np.abs(seconds[None, :] - start[rows, None] - since) < 0.1
                measured = math.sqrt(np.mean(wave[rows][near] ** 2))
                envelope = (1 - math.exp(-since)) * math.exp(-since / decay)
                assert measured == pytest.approx(envelope, rel=0.2)


def test_waves_have_their_frequency(events: MultiView) -> None:
    p_wave, s_wave = waves(events)
    hertz = np.fft.rfftfreq(10_000, 1 / 40)[1:]
    for wave, frequency in ((p_wave, events.latent["f_P"]), (s_wave, events.latent["f_S"])):
        power = np.abs(np.fft.rfft(wave))[:, 1:] ** 2
        # The power falls off as exp(-x²/.45²) in x = ln(f/f0); over linear bins its mean x is .45²/2.
        x = np.log(hertz / frequency[:, None])
        mean = (power * x).sum(axis=1) / power.sum(axis=1)
        assert np.median(mean) == pytest.approx(0.45**2 / 2, abs=0.03)
        spread = np.sqrt((power * (x - mean[:, None]) ** 2).sum(axis=1) / power.sum(axis=1))
        assert np.median(spread) == pytest.approx(0.45 / math.sqrt(2), abs=0.04)


@pytest.mark.parametrize("snr", [1.5, 4.0])
def test_noise_has_its_size_and_spectrum(snr: float, events: MultiView) -> None:
    data = datasets.make_seismic_events(snr=snr)
    noise = [X - quiet for X, quiet in zip(data.Xs, events.Xs, strict=True)]
    for each in noise:
        np.testing.assert_allclose(each.std(axis=1), 1 / snr, rtol=1e-5)
    power = (np.abs(np.fft.rfft(noise[2])) ** 2).mean(axis=0)
    low, high = power[100:200].mean(), power[4000:4100].mean()
    assert low / high == pytest.approx((1 + 4050 / 250) / (1 + 150 / 250), rel=0.1)
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.01


def test_first_event_by_hand() -> None:
    """One wave from its white noise, by a plain discrete Fourier sum over the bins that matter."""
    rng = np.random.default_rng(5)
    white = np.random.default_rng(5).standard_normal((1, 10_000))[0]
    wave = seismic._waves(rng, np.array([2.0]), np.array([40.0]), np.array([12.0]))[0]
    coefficients = np.fft.fft(white)
    filtered = np.zeros(10_000)
    angle = 2 * np.pi * np.arange(10_000) / 10_000
    for k in range(60, 2500):  # .24 to 10 Hz: the filter is below 1e-3 outside
        weight = math.exp(-0.5 * (math.log(k / 250 / 2.0) / 0.45) ** 2)
        filtered += 2 * weight * (coefficients[k] * np.exp(1j * k * angle)).real / 10_000
    filtered /= filtered.std()
    since = seconds - 40
    expected = np.where(since > 0, filtered * (1 - np.exp(-since)) * np.exp(-since / 12), 0)
    np.testing.assert_allclose(wave, expected, atol=2e-3)
