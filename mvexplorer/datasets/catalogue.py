"""The samples that come with the program: listing and opening them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mvexplorer import datasets
from mvexplorer.datasets.calls import is_call
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.io.base.parts import tidy_labels
from mvexplorer.io.reading.manifest import FileData, GeneratedData, ImageInfo, Manifest, read_manifest
from mvexplorer.resources import sample_folder
from mvexplorer.wording import in_words

_FIRST = (
    "helix-a",
    "uci-digits",
    "helix-b",
    "gap-rolls",
    "rotated-rolls",
    "coupled-circles",
    "gaussian-mixture",
    "toy-train",
    "noisy-digits",
    "touching-rolls",
    "pendulums",
    "shared-latent",
    "tori",
    "rotating-icons",
    "blobs",
    "circles",
    "noisy-swiss-roll",
    "rotated-digit",
    "spiral-classes",
    "two-squares",
    "seismic-events",
)


@cache
def samples() -> tuple[Manifest, ...]:
    """All built-in samples: the one shown at first start, real data, then the others.

    Returns
    -------
    tuple of Manifest
        Each with id, title, a line of words, views, licence and citation.

    Raises
    ------
    DataError
        A manifest is broken.

    Examples
    --------
    >>> [sample.id for sample in mvx.samples()][:2]
    ['helix-a', 'uci-digits']
    """
    manifests = [read_manifest(path) for path in sorted(sample_folder().glob("*/manifest.json"))]
    rank = {name: i for i, name in enumerate(_FIRST)}
    return tuple(sorted(manifests, key=lambda manifest: rank.get(manifest.id, len(rank))))


def find_sample(sample_id: str) -> Manifest | None:
    """The manifest of a sample such as ``helix-a``; None where there is no such sample."""
    return next((manifest for manifest in samples() if manifest.id == sample_id), None)


def is_built_in(source: str) -> bool:
    """True if a source comes with the program: a sample, or a generator with its keywords; False for files."""
    return find_sample(source) is not None or is_call(source)


def open_sample(sample_id: str) -> MultiView:
    """Read or generate a sample such as ``helix-a``, with the view names, preprocessing and images of its manifest.

    DataError where there is no such sample, or its file is missing or is not the one its manifest describes.
    """
    manifest = find_sample(sample_id)
    if manifest is None:
        names = ", ".join(m.id for m in samples())
        raise DataError(f"There is no sample called “{sample_id}”.", f"The samples are {names}.")
    preprocess = [view.preprocess for view in manifest.views]
    if isinstance(manifest.data, GeneratedData):
        data = _generate(manifest.data)
        return data.replace(view_names=manifest.view_names, preprocess=preprocess)
    arrays = _read_arrays(sample_folder() / manifest.id, manifest.data)
    try:
        Xs = {name: arrays[name] for name in manifest.view_names}
        labels = tidy_labels(arrays[manifest.labels]) if manifest.labels else None
    except KeyError as error:
        message = f"The sample {sample_id} lacks its array {error}."
        raise DataError(message, "Install mvexplorer again.") from None
    images = _pictures(Xs[manifest.images.view], manifest.images) if manifest.images else None
    return MultiView(Xs, labels=labels, images=images, preprocess=preprocess)


def _generate(data: GeneratedData) -> MultiView:
    make: Callable[..., MultiView] | None = getattr(datasets, data.generator, None)
    if make is None:
        raise DataError(f"There is no generator called {data.generator}.", "Install mvexplorer again.")
    return make(**data.params)


def _read_arrays(folder: Path, data: FileData) -> dict[str, npt.NDArray[np.float64]]:
    path = folder / data.file
    what = f"The file {data.file} of the sample {folder.name} cannot be read"
    with in_words(DataError, what, "Install mvexplorer again."):
        intact = hashlib.sha256(path.read_bytes()).hexdigest() == data.sha256
    if not intact:
        raise DataError(
            f"The file {data.file} of the sample {folder.name} is not the one its manifest describes.",
            "Install mvexplorer again, or correct the sha256 in the manifest if you changed the file.",
        )
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _pictures(view: npt.NDArray[np.float64], info: ImageInfo) -> npt.NDArray[np.uint8]:
    """Rows (M, D) as thumbnails (M, height, width[, channels]), the range stretched to 0..255."""
    low, high = info.range
    grey = np.clip((view.astype(np.float64) - low) / (high - low), 0, 1)
    return np.round(255 * grey).astype(np.uint8).reshape(len(view), *info.shape)
