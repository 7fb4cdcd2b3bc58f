"""Generated data sets whose samples are pictures: a toy train before two cameras, and spoilt digits."""

from __future__ import annotations

from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.datasets.generators import generator, noise_scale
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.errors import ParameterError

_HEIGHT, _WIDTH = 30, 40


def make_toy_train(
    *, n_samples: int = 220, random_state: int = 0, case: Literal["removed", "noise", "clean"] = "removed"
) -> MultiView:
    """A toy train on a track like an eight, filmed by two cameras that each miss some frames (section 6.2.2).

    Parameters
    ----------
    n_samples : int
        Frames of one lap at constant speed, at least 22.
    random_state : int
        Seed of the pixel noise (s.d. .01).
    case : {"removed", "noise", "clean"}
        "removed": 1/11 of the frames is missing in each view, at different places, and the remaining frames
        are paired by position (20 of 220 frames, so M = 200). "noise": 1/22 of the frames of each view is
        noise of variance 10. "clean": neither.

    Returns
    -------
    MultiView
        Two views (M, 1200), pictures of 30 x 40 pixels; latent `a` and `b`, the position on the lap (radians,
        by arc length) in views 1 and 2; images (M, 30, 80), the cameras side by side; with "noise" a column
        `frame`: clean, or the view that is noise.

    Examples
    --------
    >>> clean, removed = (mvx.datasets.make_toy_train(case=case) for case in ("clean", "removed"))
    >>> clean.n_samples, removed.n_samples
    (220, 200)
    >>> float(np.mean(removed.latent["a"] == removed.latent["b"]))  # the share of pairs that show one moment
    0.5
    """
    rng = generator(n_samples, random_state)
    cases = ("removed", "noise", "clean")
    if case not in cases:
        raise ParameterError(f"There is no case {case!r} of the toy train.", f"Use {', '.join(cases)}.")
    if n_samples < 22:
        raise ParameterError(f"{n_samples} frames are too few to take some away.", "Give n_samples of at least 22.")
    lap = 2 * np.pi * np.arange(n_samples) / n_samples
    cameras = ((0.4, 0.9), (-0.9, 0.8))  # azimuth (radians) and tilt
    clean = [_film(_phase(lap), *camera) for camera in cameras]
    brightest = max(float(view.max()) for view in clean)
    views = [view + 0.01 * rng.standard_normal(view.shape) for view in clean]
    latent = {"a": lap, "b": lap}
    columns: dict[str, npt.NDArray[np.str_]] = {}
    if case == "removed":
        kept = [_without(n_samples, start) for start in (40, 140)]
        views = [view[rows] for view, rows in zip(views, kept, strict=True)]
        latent = {"a": lap[kept[0]], "b": lap[kept[1]]}
    elif case == "noise":
        columns["frame"] = _spoil(views, rng)
    images = side_by_side([view.reshape(-1, _HEIGHT, _WIDTH) / brightest for view in views])
    names = ("camera1", "camera2")
    return MultiView(views, view_names=names, latent=latent, images=images, columns=columns)


def make_noisy_digits(*, n_samples: int = 360, random_state: int = 0, shuffled: bool = False) -> MultiView:
    """Handwritten 2s and 3s, one view under noise, the other with half of its pixels erased (section 7.1.2).

    Parameters
    ----------
    n_samples : int
        Number M of samples, at most 360 (all there are); fewer are drawn at random, in their order.
    random_state : int
        Seed of the draw, of the noise and of the shuffle.
    shuffled : bool
        Whether the rows of the second view belong to other samples, drawn at random: it then tells nothing of them.

    Returns
    -------
    MultiView
        Two views (M, 64) of pixels divided by 16: plus N(0, .5), and each set to zero with probability 1/2;
        labels 2 and 3; latent `digit`; images (M, 8, 16), the views side by side.

    Examples
    --------
    >>> data = mvx.datasets.make_noisy_digits(n_samples=60)
    >>> data, np.unique(data.labels).tolist()
    (MultiView(noisy 60x64, masked 60x64), [2, 3])
    """
    if not isinstance(shuffled, bool | np.bool_):
        raise ParameterError(f"The setting shuffled = {shuffled!r} is not usable.", "Give True or False.")
    rng = generator(n_samples, random_state)
    with IMPORTS:
        from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    rows = np.flatnonzero((digits == 2) | (digits == 3))
    if n_samples > len(rows):
        raise ParameterError(
            f"There are only {len(rows)} handwritten 2s and 3s, not {n_samples}.",
            f"Give n_samples of at most {len(rows)}.",
        )
    if n_samples < len(rows):
        rows = np.sort(rng.choice(rows, n_samples, replace=False))
    clean = pixels[rows] / 16
    noisy = clean + noise_scale(0.5) * rng.standard_normal(clean.shape)
    masked = clean * (rng.random(clean.shape) >= 0.5)
    masked = masked[rng.permutation(len(masked))] if shuffled else masked
    images = side_by_side([view.reshape(-1, 8, 8) for view in (noisy, masked)])
    views, labels = {"noisy": noisy, "masked": masked}, digits[rows]
    return MultiView(views, labels=labels, latent={"digit": labels}, images=images)


def _phase(lap: Array) -> Array:
    """Parameter p of the track (sin p, .75 sin 2p) at the fraction lap / 2π of its length."""
    p = np.linspace(0, 2 * np.pi, 20_001)
    speed = np.hypot(np.cos(p), 1.5 * np.cos(2 * p))
    length = np.concatenate(([0.0], np.cumsum((speed[1:] + speed[:-1]) / 2)))
    return cast("Array", np.interp(lap / (2 * np.pi) * length[-1], length, p))


def _film(phase: Array, azimuth: float, tilt: float) -> Array:
    """Noise-free frames (n, 30·40) of the train whose first wagon is at `phase`."""
    row, column = np.mgrid[:_HEIGHT, :_WIDTH]
    frames = np.zeros((len(phase), _HEIGHT, _WIDTH))
    n_wagons = 8
    for wagon in range(n_wagons):
        p = phase - 0.11 * wagon
        x, y = np.sin(p), 0.75 * np.sin(2 * p)
        x, y = x * np.cos(azimuth) - y * np.sin(azimuth), x * np.sin(azimuth) + y * np.cos(azimuth)
        size = 1 / (1 + 0.25 * y)
        across = _WIDTH * (0.5 + 0.36 * x * size)
        down = _HEIGHT * (0.5 + 0.4 * tilt * y * size)
        away = (column - across[:, None, None]) ** 2 + (row - down[:, None, None]) ** 2
        frames += (1 - 0.08 * wagon) * np.exp(-away / (2 * (1.8 * size[:, None, None]) ** 2))
    return frames.reshape(len(phase), -1)


def _without(n_frames: int, start: int) -> npt.NDArray[np.int64]:
    """Frames left when 20 of 220, from `start` on, are cut; in proportion for laps of another length."""
    first = round(n_frames * start / 220)
    return np.delete(np.arange(n_frames), slice(first, first + round(n_frames * 20 / 220)))


def _spoil(views: list[Array], rng: np.random.Generator) -> npt.NDArray[np.str_]:
    """Replace 10 of 220 frames of each view by noise of variance 10, in place; returns what each frame is now."""
    n_frames = len(views[0])
    state = np.full(n_frames, "clean", dtype="<U16")
    for index, start in enumerate((50, 150)):
        first = round(n_frames * start / 220)
        rows = slice(first, first + round(n_frames * 10 / 220))
        views[index][rows] = np.sqrt(10) * rng.standard_normal(views[index][rows].shape)
        state[rows] = f"noise in view {index + 1}"
    return state


def side_by_side(pictures: list[Array]) -> npt.NDArray[np.uint8]:
    """Pictures (n, h, w) of L views, 0 (black) to 1 (white), else clipped, side by side as thumbnails (n, h, L·w)."""
    row = np.concatenate(pictures, axis=2)
    return np.round(255 * np.clip(row, 0, 1)).astype(np.uint8)
