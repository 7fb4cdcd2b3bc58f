"""Generated seismograms: earthquakes and explosions at a station with three channels.

A stand-in for the recordings of the station Harif used by Lindenbaum, Yeredor, Salhov and Averbuch, "Multi-view
diffusion maps", Information Fusion 55 (2020), section 7.2, and by Lindenbaum, Salhov, Yeredor and Averbuch, "Gaussian
bandwidth selection for manifold learning and classification", Data Mining and Knowledge Discovery 34 (2020), section 5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mvexplorer.datasets.generators import generator, not_negative
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.errors import ParameterError

SAMPLING_RATE = 40.0
"""Samples of a seismogram per second."""
_LENGTH = 10_000


def make_seismic_events(*, n_samples: int = 108, random_state: int = 0, snr: float = 1.5) -> MultiView:
    """Seismograms of earthquakes and explosions: P and S waves of different frequencies under noise (section 5.3).

    Parameters
    ----------
    n_samples : int
        Number M of events, 46 of 108 of them earthquakes (the first ones).
    random_state : int
        Seed of the events and of the noise.
    snr : float
        Standard deviation of the P wave of an event of size 1, before it sets in and fades, over that of the
        noise, > 0.

    Returns
    -------
    MultiView
        Three views (M, 10000), the channels E, N and Z of 250 seconds at 40 Hz; labels "earthquake" and
        "explosion"; latent `t_P` and `t_S` (arrival, seconds), `f_P` and `f_S` (frequency, Hz), `amplitude_S`
        (that of P being 1) and `size`, the factor of both waves, 10 to the power U(-.5, .5). An event has one P
        and one S wave, which the channels receive with different gains; each channel has noise of its own.

    Examples
    --------
    >>> data = mvx.datasets.make_seismic_events(n_samples=5)
    >>> before, after = data.Xs[2][:, :1400], data.Xs[2][:, 1800:2600]  # P arrives after 38 to 42 seconds
    >>> bool(after.std() > before.std())
    True
    """
    rng = generator(n_samples, random_state)
    if not_negative(snr, "signal-to-noise ratio") == 0:
        raise ParameterError("At a signal-to-noise ratio of 0 there is no signal.", "Give a number above 0.")
    earthquake = np.arange(n_samples) < round(n_samples * 46 / 108)

    def uniform(of_earthquakes: tuple[float, float], of_explosions: tuple[float, float]) -> Array:
        low, high = np.where(earthquake[:, None], of_earthquakes, of_explosions).T
        return np.asarray(rng.uniform(low, high))

    t_p = rng.uniform(38, 42, n_samples)
    latent = {
        "t_P": t_p,
        "t_S": t_p + rng.uniform(8, 18, n_samples),
        "f_P": uniform((5, 8), (6, 9)),
        "f_S": uniform((2.5, 5), (1, 2.5)),
        "amplitude_S": uniform((1.2, 2.2), (0.5, 0.9)),
        "size": 10 ** rng.uniform(-0.5, 0.5, n_samples),
    }
    p_wave = _waves(rng, latent["f_P"], latent["t_P"], np.full(n_samples, 5.0))
    s_wave = _waves(rng, latent["f_S"], latent["t_S"], np.where(earthquake, 22.0, 12.0))
    s_wave *= latent["amplitude_S"][:, None]
    views = {}
    gains = {"E": (0.5, 1.0), "N": (0.5, 1.0), "Z": (1.0, 0.6)}  # of the P and of the S wave
    for channel, (gain_p, gain_s) in gains.items():
        event = latent["size"][:, None] * (gain_p * p_wave + gain_s * s_wave)
        # The ground is as restless under a small event as under a large one: only the event has a size.
        views[channel] = event + _noise(rng, n_samples) / snr
    labels: npt.NDArray[np.str_] = np.where(earthquake, "earthquake", "explosion")
    return MultiView(views, labels=labels, latent=latent)


def _waves(rng: np.random.Generator, frequency: Array, start: Array, decay: Array) -> Array:
    """Waves (n, 10000) around `frequency` (Hz) that set in at `start` and fade within `decay` (seconds).

    White noise under the filter exp(-(ln(f / f0) / .45)² / 2), of unit standard deviation, times
    (1 - e^-(t - t0)) e^(-(t - t0) / τ).
    """
    hertz = np.fft.rfftfreq(_LENGTH, 1 / SAMPLING_RATE)
    band = np.zeros((len(frequency), len(hertz)))  # a constant (0 Hz) is far below every band
    band[:, 1:] = np.exp(-0.5 * (np.log(hertz[1:] / frequency[:, None]) / 0.45) ** 2)
    since = np.maximum(np.arange(_LENGTH) / SAMPLING_RATE - start[:, None], 0)
    envelope: Array = (1 - np.exp(-since)) * np.exp(-since / decay[:, None])
    return _coloured(rng, band) * envelope


def _noise(rng: np.random.Generator, n_samples: int) -> Array:
    """Noise (n, 10000) of unit standard deviation whose amplitude falls as 1/√(1 + k/250) with the FFT bin k."""
    bins = np.arange(_LENGTH // 2 + 1)
    return _coloured(rng, np.broadcast_to(1 / np.sqrt(1 + bins / 250), (n_samples, len(bins))))


def _coloured(rng: np.random.Generator, response: Array) -> Array:
    """White noise under filters (n, 5001) of its FFT bins, as rows (n, 10000) of unit standard deviation."""
    white = rng.standard_normal((len(response), _LENGTH))
    noise: Array = np.fft.irfft(np.fft.rfft(white) * response, _LENGTH)
    noise /= noise.std(axis=1, keepdims=True)
    return noise
