"""Generated films whose frames are the samples: pendulums, rotating icons and a rotating digit.

The defaults are those of Yair and Talmon, "Local canonical correlation analysis for nonlinear common variables
discovery", IEEE Transactions on Signal Processing 65 (2017), sections VII-B and VII-C, and of Lindenbaum, Salhov,
Yeredor and Averbuch, "Gaussian bandwidth selection for manifold learning and classification", Data Mining and
Knowledge Discovery 34 (2020), section 4.1.2. N(0, v) stands for the normal distribution of variance v.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from mvexplorer.datasets.generators import generator, noise_scale
from mvexplorer.datasets.pictures import side_by_side
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import is_whole
from mvexplorer.errors import ParameterError

ICON_SPEEDS = {"mario": 4.0, "mushroom": 6.0, "turtle": 10.0, "flower": 15.0}
"""Degrees per frame."""
_HEIGHT, _WIDTH = 20, 40
# Height, centre (x, y) and width of the bells that make an icon, on [-1, 1]².
_ICONS: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "mario": ((1.0, 0.3, 0.0, 0.6),),
    "mushroom": ((1.0, 0.3, 0.1, 0.6), (0.3, -0.2, 0.3, 0.4)),
    "turtle": ((1.0, 0.25, 0.0, 0.7),),
    "flower": ((1.0, 0.3, 0.0, 0.5), (0.2, -0.3, -0.3, 0.3)),
}
_SETTINGS = {
    1: (("mario", "mushroom"), ("mushroom", "turtle"), ("mushroom", "flower")),
    2: (("mushroom", "mario", "turtle"), ("mushroom", "mario", "flower"), ("mushroom", "turtle", "flower")),
}


def make_pendulums(*, n_samples: int = 400, random_state: int = 0, specific: bool = True) -> MultiView:
    """Two pendulums coupled by a spring, each filmed separately, after random projections (20), VII-B.

    Parameters
    ----------
    n_samples : int
        Frames of the five seconds, at the times 5i/M.
    random_state : int
        Seed of the projections.
    specific : bool
        Whether each film shows a further pendulum of its own (case II). Without it the films show nothing but
        one coupled pendulum each (case I).

    Returns
    -------
    MultiView
        Two views (M, 200): frames of 20 x 40 pixels times a random matrix with orthonormal rows, one per view;
        latent `t` (seconds), the displacements `u1`, `u2` of the coupled pendulums in views 1 and 2 and, if
        specific, `u3`, `u4` of the further ones, all in [-1, 1] (in units of .1 rad); images (M, 20, 80), the
        films side by side before projection.

    Examples
    --------
    >>> data = mvx.datasets.make_pendulums(n_samples=200)
    >>> [round(float(mvx.component_spectrum(data.latent[u], data.latent["t"]).peak), 1) for u in ("u3", "u4")]  # Hz
    [0.2, 4.0]
    """
    rng = generator(n_samples, random_state)
    if not isinstance(specific, bool | np.bool_):
        raise ParameterError(f"The setting specific = {specific!r} is not usable.", "Give True or False.")
    t = 5.0 * np.arange(n_samples) / n_samples
    hertz = (1.0, 1.6, 0.2, 4.0)  # of the coupled pendulums, then of the one that each film has to itself
    first, second, third, fourth = (np.cos(2 * np.pi * f * t) for f in hertz)
    latent = {"t": t, "u1": (first + second) / 2, "u2": (first - second) / 2}
    if specific:
        latent |= {"u3": third, "u4": fourth}
        films = [
            np.maximum(_pendulum(latent[common], 10.0), _pendulum(latent[own], 29.0))
            for common, own in (("u1", "u3"), ("u2", "u4"))
        ]
    else:
        films = [_pendulum(latent[common], 19.5) for common in ("u1", "u2")]
    views = [film.reshape(n_samples, -1) @ _orthonormal_rows(rng).T for film in films]
    return MultiView(views, view_names=("left", "right"), latent=latent, images=side_by_side(films))


def make_rotating_icons(*, n_samples: int = 300, random_state: int = 0, setting: Literal[1, 2] = 1) -> MultiView:
    """Three films of icons that rotate at different speeds; only the mushroom is in all of them, VII-C.

    Parameters
    ----------
    n_samples : int
        Number M of frames; every icon turns by a constant angle from one to the next (`ICON_SPEEDS`).
    random_state : int
        Seed of the angles in the first frame.
    setting : {1, 2}
        1: each film shows the mushroom and an icon that no other film shows. 2: each shows the mushroom and
        two of the three other icons, so that any two films share a second icon.

    Returns
    -------
    MultiView
        Three views (M, 882) or (M, 1323), pictures of 21 x 21 pixels per icon side by side; latent `t` (frames)
        and the angles (radians, in [0, 2π), from the x axis towards the lower rows) `mario`, `mushroom`,
        `turtle` and `flower`; images (M, 21, 126) or (M, 21, 189), the three films side by side.

    Examples
    --------
    >>> data = mvx.datasets.make_rotating_icons(n_samples=60)
    >>> turned = {name: np.unwrap(data.latent[name])[[0, -1]] for name in ("mushroom", "mario")}
    >>> {name: round(float(np.rad2deg(last - first) / 59)) for name, (first, last) in turned.items()}  # degrees a frame
    {'mushroom': 6, 'mario': 4}
    """
    rng = generator(n_samples, random_state)
    if not is_whole(setting) or setting not in _SETTINGS:
        raise ParameterError(f"There is no setting {setting!r} of the rotating icons.", "Use 1 or 2.")
    t = np.arange(n_samples, dtype=np.float64)
    starts = rng.uniform(0, 2 * np.pi, len(ICON_SPEEDS))
    angles = {
        name: np.mod(start + np.deg2rad(speed) * t, 2 * np.pi)
        for (name, speed), start in zip(ICON_SPEEDS.items(), starts, strict=True)
    }
    pictures = {name: _icon(name, angle) for name, angle in angles.items()}
    films = [np.concatenate([pictures[name] for name in names], axis=2) for names in _SETTINGS[setting]]
    brightest = max(float(picture.max()) for picture in pictures.values())
    images = side_by_side([film / brightest for film in films])
    views = [film.reshape(n_samples, -1) for film in films]
    return MultiView(views, view_names=("film1", "film2", "film3"), latent={"t": t, **angles}, images=images)


def make_rotated_digit(*, n_samples: int = 320, random_state: int = 0, variance: float = 0.1) -> MultiView:
    """A handwritten 6 turned once round, under pixel noise (section 4.1.2, with a digit of scikit-learn).

    Parameters
    ----------
    n_samples : int
        Number M of pictures, turned counter-clockwise by 2πi/M.
    random_state : int
        Seed of the noise.
    variance : float
        Variance of the noise of every pixel, >= 0; the digit itself has values from 0 to 1.

    Returns
    -------
    MultiView
        One view (M, 784), pictures of 28 x 28 pixels; latent `angle` (radians, in [0, 2π)); images (M, 28, 28).

    Examples
    --------
    >>> data = mvx.datasets.make_rotated_digit(n_samples=60)
    >>> data.images.shape
    (60, 28, 28)
    >>> mvx.metrics.knn_resultant(data.Xs[0], data.latent["angle"], n_neighbors=2).value > 0.9  # the noise is weak
    True
    """
    rng = generator(n_samples, random_state)
    scale = noise_scale(variance)
    with IMPORTS:
        from scipy.ndimage import rotate, zoom
        from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    upright = np.zeros((28, 28))
    upright[4:24, 4:24] = zoom(pixels[np.flatnonzero(digits == 6)[0]].reshape(8, 8) / 16, 2.5, order=1)
    angle = 2 * np.pi * np.arange(n_samples) / n_samples
    clean = np.stack([rotate(upright, np.rad2deg(a), reshape=False, order=1) for a in angle])
    noisy = clean + scale * rng.standard_normal(clean.shape)
    view = {"digit": noisy.reshape(n_samples, -1)}
    return MultiView(view, latent={"angle": angle}, images=side_by_side([noisy]))


def _pendulum(displacement: Array, pivot: float) -> Array:
    """Frames (n, 20, 40) of a pendulum that hangs from (`pivot`, 0) at .1 `displacement` rad from the vertical."""
    length, sd_rod, sd_bob = 16.0, 1.6, 4.0  # in pixels: the pendulum, and its profiles
    angle = 0.1 * displacement[:, None, None]
    row, column = np.mgrid[:_HEIGHT, :_WIDTH].astype(np.float64)
    x, y = column - pivot, row
    along = x * np.sin(angle) + y * np.cos(angle)
    bob = (x - length * np.sin(angle)) ** 2 + (y - length * np.cos(angle)) ** 2
    # The rod ends at the pivot and at the bob: distances are those to the nearest point of the segment.
    nearest = np.clip(along, 0, length)
    rod = (x - nearest * np.sin(angle)) ** 2 + (y - nearest * np.cos(angle)) ** 2
    frames: Array = np.maximum(0.5 * np.exp(-rod / (2 * sd_rod**2)), np.exp(-bob / (2 * sd_bob**2)))
    return frames


def _orthonormal_rows(rng: np.random.Generator) -> Array:
    """A random matrix (200, 800) with orthonormal rows."""
    return np.linalg.qr(rng.standard_normal((_HEIGHT * _WIDTH, 200)))[0].T


def _icon(name: str, angle: Array) -> Array:
    """Frames (n, 21, 21) of an icon turned by `angle` (radians) about the middle of the picture."""
    axis = np.linspace(-1, 1, 21)
    x, y = axis[None, None, :], axis[None, :, None]
    cos, sin = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    frames = np.zeros((len(angle), len(axis), len(axis)))
    for height, cx, cy, width in _ICONS[name]:
        # Bells are round, so turning an icon is turning their centres: no pixel is interpolated.
        across, down = cx * cos - cy * sin, cx * sin + cy * cos
        frames += height * np.exp(-((x - across) ** 2 + (y - down) ** 2) / width**2)
    return frames
