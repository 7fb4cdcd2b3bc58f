"""Checks that the data of a session is what it was when the session was saved, by digests of all it has."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from mvexplorer.datasets.calls import is_call
from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ChangedDataError, SessionDataError, SessionError
from mvexplorer.io.base.parts import FILLED_COLUMN
from mvexplorer.io.reading.manifest import GeneratedData
from mvexplorer.state.session.session_file import SessionFile


def check_data(content: SessionFile, data: MultiView, accept_changed: bool) -> None:
    """Refuse other data than a session was made for, or (unless `accept_changed`) data that has changed."""
    names = tuple(v.name for v in content.state.views)
    if names != data.view_names or data.n_samples != content.n_samples:
        raise SessionDataError(
            f"The session was made for {content.n_samples} samples of {', '.join(names)}; its data now has "
            f"{data.n_samples} of {', '.join(data.view_names)}.",
            "Restore the data the session was saved with, or open the data again.",
        )
    if not accept_changed and (changes := _changes(content, data)):
        raise ChangedDataError(
            f"The data has changed since the session was saved: {changes}.",
            "Restore the data, or open the session with the changed data.",
        )
    picked = chain(content.state.selection, *(each.samples for each in content.state.selections.named))
    if any(not 0 <= i < data.n_samples for i in picked):
        raise SessionError("The session selects samples that do not exist.", "Correct the file, or start again.")


def unchanged(content: SessionFile, data: MultiView) -> bool:
    """Whether the views and the labels are what they were; older sessions knew floats in files by other digests."""
    doubles = 2  # from this minor format on fingerprints are of numbers in double precision, however stored
    unknown = content.minor < doubles and any(X.dtype != np.float64 for X in data.Xs)
    return unknown or fingerprint(content.state.source, data) == content.fingerprint


def _changes(content: SessionFile, data: MultiView) -> str:
    """Describe the changes in a clause; empty where there are none. An addition to the data is no change."""
    if not unchanged(content, data):
        names = ", ".join(data.view_names)
        return (
            f"its {data.n_samples:,} samples of {names} hold other numbers today, and the same parameters would show "
            "something else"
        )
    now = digests(content.state.source, data) if content.digests else {}
    changed = [key.partition(":")[0] for key, digest in content.digests.items() if now.get(key) != digest]
    by_kind = {
        "ids": "sample names",
        "image": "images",
        "column": "columns",
        "latent": "true parameters",
        "coordinates": "given coordinates",
    }
    titles = [by_kind[what] for what in dict.fromkeys(changed) if what in by_kind]
    return f"its {' and '.join(titles)} differ" if titles else ""


def fingerprint(source: tuple[str, ...], data: MultiView) -> str:
    """Return a digest that changes when the views or the labels do.

    Generated samples count to six decimals: another processor's sine differs from ours in the last digit, and a session
    must open there as well.
    """
    if not _is_generated(source):
        return data.fingerprint
    digest = _rounded.get(data)
    if digest is None:
        digest = _rounded[data] = data.replace(Xs=[_round(X) for X in data.Xs]).fingerprint
    return digest


def digests(source: tuple[str, ...], data: MultiView) -> dict[str, str]:
    """Return digests of what the data has besides views and labels, by name; generated samples count as above."""
    generated, kept = _is_generated(source), _digests.setdefault(data, {})
    if generated not in kept:
        kept[generated] = {key: _digest(values, generated) for key, values in _others(data, is_sample=generated)}
    return kept[generated]


def _others(data: MultiView, *, is_sample: bool) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    yield "ids", np.asarray(data.sample_ids, dtype=object)
    if data.images is not None and not is_sample:  # made from numbers that another processor may round otherwise
        yield "image", data.images
    for what, several in (("column", data.columns), ("latent", data.latent), ("coordinates", data.coordinates)):
        for name, values in several.items():
            if name != FILLED_COLUMN:  # which tells of views by their names, and files may be renamed
                yield f"{what}:{name}", np.asarray(values)


def _digest(values: npt.NDArray[Any], rounded: bool) -> str:
    digest = hashlib.blake2b(repr(values.shape).encode(), digest_size=12)
    if values.dtype.kind in "biuf":
        same = values if values.dtype == np.uint8 else values.astype(np.float64)
        digest.update(np.ascontiguousarray(_round(same) if rounded else same).data)
    else:
        texts = np.char.decode(values, "utf-8", "replace") if values.dtype.kind == "S" else values
        digest.update("\0".join(map(str, texts.ravel().tolist())).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _round(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    decimals = 6
    return np.round(values, decimals) + 0.0


def _is_generated(source: tuple[str, ...]) -> bool:
    manifest = find_sample(source[0]) if len(source) == 1 else None
    if len(source) == 1 and is_call(source[0]):
        return True
    return manifest is not None and isinstance(manifest.data, GeneratedData)


_rounded: WeakKeyDictionary[MultiView, str] = WeakKeyDictionary()
"""Fingerprints of generated data, kept because the work is saved every few seconds."""
_digests: WeakKeyDictionary[MultiView, dict[bool, dict[str, str]]] = WeakKeyDictionary()
"""The other digests, whether rounded or not, for the same reason."""
