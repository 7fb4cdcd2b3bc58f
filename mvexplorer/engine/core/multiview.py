"""The data of the program: several views of the same samples."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.annotated import is_annotated, refuse_others, views_of
from mvexplorer.engine.core.inputs import (
    aligned,
    checked_feature_names,
    checked_names,
    checked_values,
    feature_names_of,
    per_sample,
    plain_columns,
    plain_labels,
    plain_numbers,
    tell_repeated,
)
from mvexplorer.engine.core.maps import add_to_digest, files_named, finite_rows, is_map, without_foreign_map
from mvexplorer.engine.core.preprocessing import (
    FLAT,
    check_fits,
    components,
    each_view,
    is_sparse,
    reduce_sparse,
    width_of,
)
from mvexplorer.errors import DataError, MissingValuesError
from mvexplorer.wording import readable

Array = npt.NDArray[np.float64]
Precision = Literal["float32", "float64"]
MIN_SAMPLES = 3


class _Checked(tuple[Any, ...]):
    """Arrays or settings that a `MultiView` has checked: its copies, and parts of its samples, take them unchecked."""


def known_ids(ids: Iterable[Any]) -> tuple[str, ...]:
    """Return ids as text that `MultiView` does not warn about where they repeat.

    That they do is known, or was said elsewhere.
    """
    return _Checked(readable(str(name)) for name in ids)


@dataclass(frozen=True, eq=False, init=False)
class MultiView:
    """L views of the same M samples; frozen, its arrays read-only.

    Parameters
    ----------
    Xs : sequence of arrays (M, D_l), mapping name -> array, AnnData or MuData
        One array per view; row i of every view is sample i. Cast to float64; read-only memory maps of real numbers
        stay in files, which pickles name, and are read where they are indexed. Tables with an index (pandas) are put
        into the order of the first one's, which gives the ids. Sparse ones of SciPy need ``pca:K``, which reduces them
        exactly, once and for all, without filling their zeros in.
    view_names : sequence of str, optional
        Default ``view1 .. viewL``, or the mapping's keys.
    labels : array (M,), optional
        Class of each sample (numbers or text). NaN, None and empty text mean that it has none: scores and rules leave
        such samples out.
    label_name : str, optional
        What the label is called where it came from, such as a column.
    sample_ids : sequence of str, optional
        Default ``"0" .. "M-1"``. Ids that stand for several samples, as in a draw with replacement, are told by a
        `DataWarning`.
    images : array (M, h, w), (M, h, w, 3) or (M, h, w, 4), uint8, optional
        One thumbnail per sample.
    columns : mapping name -> (M,), optional
        Further columns of the samples, numeric or text, to colour by.
    latent : mapping name -> (M,), optional
        True parameters of generated data.
    bursts : sequence of arrays (M, b, D_l), optional
        Per view and sample, b repetitions of the measurement: the neighbourhoods of local CCA.
    coordinates : mapping name -> (M, 2) or (M, 3), optional
        Pictures of the samples made elsewhere, such as a published UMAP: the method ``given`` shows them.
    preprocess : one of "none", "centre", "zscore", "unit", "log1p", "pca:K", or one per view
        Applied to a view before distances are taken; `Xs` itself stays as given. ``unit`` brings every feature to
        [0, 1], ``pca:20`` keeps 20 principal components; see `mvexplorer.engine.core.preprocessing`.
    feature_weights : sequence of arrays (D_l,) or None, optional
        Factors >= 0 on the features of each view, applied after the preprocessing (K of them after ``pca:K``).
    feature_names : sequence of (sequence of str, or None), optional
        Per view what its D_l features are called; they change no result. Default: they have no names.

    Raises
    ------
    DataError
        Views of different length, not numeric, not two-dimensional, or fewer than three samples.
    MissingValuesError
        NaN or infinite values; its `rows` name the samples.

    Examples
    --------
    >>> data = mvx.MultiView({"sound": np.eye(4), "picture": np.ones((4, 2))}, labels=list("abab"))
    >>> data
    MultiView(sound 4x4, picture 4x2)
    >>> data.take([0, 1, 3]).labels.tolist()
    ['a', 'b', 'b']
    """

    Xs: tuple[Array, ...]
    view_names: tuple[str, ...]
    labels: npt.NDArray[Any] | None
    label_name: str | None
    sample_ids: tuple[str, ...]
    images: npt.NDArray[np.uint8] | None
    columns: Mapping[str, npt.NDArray[Any]]
    latent: Mapping[str, npt.NDArray[Any]]
    bursts: tuple[Array, ...] | None
    coordinates: Mapping[str, Array]
    preprocess: tuple[str, ...]
    feature_weights: tuple[Array | None, ...]
    feature_names: tuple[tuple[str, ...] | None, ...]
    _keys: dict[int, str] = field(repr=False)
    _digests: dict[int, str] = field(repr=False)
    """Of the views' raw numbers; shared by all copies with the same numbers."""

    def __init__(
        self,
        Xs: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
        *,
        view_names: Sequence[str] | None = None,
        labels: npt.ArrayLike | None = None,
        label_name: str | None = None,
        sample_ids: Sequence[Any] | None = None,
        images: npt.ArrayLike | None = None,
        columns: Mapping[str, npt.ArrayLike] | None = None,
        latent: Mapping[str, npt.ArrayLike] | None = None,
        bursts: Sequence[npt.ArrayLike] | None = None,
        coordinates: Mapping[str, npt.ArrayLike] | None = None,
        preprocess: str | Sequence[str] | None = None,
        feature_weights: Sequence[npt.ArrayLike | None] | None = None,
        feature_names: Sequence[Sequence[str] | None] | None = None,
    ) -> None:
        if is_annotated(Xs):
            content: dict[str, Any] = views_of(Xs)
            Xs, feature_names = content["Xs"], feature_names or content["feature_names"]
            sample_ids = content["sample_ids"] if sample_ids is None else sample_ids
            columns, coordinates = columns or content["columns"], coordinates or content["coordinates"]
        refuse_others(Xs)
        if isinstance(Xs, Mapping):
            view_names = tuple(Xs) if view_names is None else view_names
            Xs = list(Xs.values())
        if len(Xs) == 0:
            raise DataError("There is no view in the data.", "Give at least one table of numbers.")
        names = checked_names(view_names, len(Xs))
        treatment = each_view(preprocess, len(Xs))
        feature_names = feature_names or feature_names_of(Xs)
        if any(is_sparse(X) for X in Xs):
            Xs, treatment, feature_names = _without_sparse(Xs, names, treatment, feature_names)
        index = None
        if not isinstance(Xs, _Checked):
            Xs, index = aligned(Xs, names)
            Xs = _Checked(_as_view(without_foreign_map(X), name) for X, name in zip(Xs, names, strict=True))
            _check_rows(Xs, names)
        arrays: tuple[Array, ...] = Xs
        for X, how, name in zip(arrays, treatment, names, strict=True):
            check_fits(how, X, name, whole=not isinstance(preprocess, _Checked))
        n_samples = arrays[0].shape[0]
        put = object.__setattr__
        put(self, "Xs", arrays)
        put(self, "view_names", names)
        labels = None if labels is None else plain_labels(per_sample(labels, index, "labels"))
        put(self, "labels", None if labels is None else checked_values(labels, n_samples, "labels"))
        put(self, "sample_ids", _as_ids((index or range(n_samples)) if sample_ids is None else sample_ids, n_samples))
        put(self, "images", None if images is None else _as_images(images, n_samples))
        columns, latent = plain_columns(columns, index, "column"), plain_columns(latent, index, "latent")
        coordinates = plain_columns(coordinates, None, "coordinates")
        put(self, "columns", {k: checked_values(v, n_samples, f"column {k}") for k, v in columns.items()})
        put(self, "latent", {k: checked_values(v, n_samples, f"latent {k}") for k, v in latent.items()})
        put(self, "bursts", None if bursts is None else _as_bursts(bursts, arrays, names))
        put(self, "coordinates", {k: _as_coordinates(v, n_samples, k) for k, v in coordinates.items()})
        put(self, "preprocess", _Checked(treatment))
        put(self, "feature_weights", _as_weights(feature_weights, [self.width(i) for i in range(len(names))], names))
        put(self, "feature_names", checked_feature_names(feature_names, arrays, names))
        for name, value in (("label_name", label_name and readable(label_name)), ("_keys", {}), ("_digests", {})):
            put(self, name, value)

    def __len__(self) -> int:
        return self.n_samples

    def __reduce__(self) -> tuple[Any, ...]:
        """Files of views are named, and not read: they must be there, unchanged, where this is unpickled."""
        return files_named(self)

    def __repr__(self) -> str:
        views = ", ".join(f"{n} {X.shape[0]}x{X.shape[1]}" for n, X in zip(self.view_names, self.Xs, strict=True))
        return f"MultiView({views})"

    @property
    def n_samples(self) -> int:
        """Number M of samples.

        Examples
        --------
        >>> data = mvx.datasets.make_blobs()
        >>> data.n_samples, data.take(data.labels == 0).n_samples
        (180, 30)
        """
        return int(self.Xs[0].shape[0])

    @property
    def n_views(self) -> int:
        """Number L of views.

        Examples
        --------
        >>> mvx.datasets.make_rotating_icons(n_samples=10).n_views
        3
        """
        return len(self.Xs)

    def view_index(self, name: str) -> int:
        """Find a view by its name; DataError names the views there are.

        Parameters
        ----------
        name : str
            As in `view_names`.

        Returns
        -------
        int
            Counted from 0.

        Examples
        --------
        >>> data = mvx.datasets.make_rotating_icons(n_samples=10)
        >>> data.Xs[data.view_index("film2")].shape
        (10, 882)
        """
        if name not in self._places:
            raise DataError(f"There is no view called “{name}”.", f"The views are {', '.join(self.view_names)}.")
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.view_names)}

    def width(self, index: int) -> int:
        """Count the features of a view once it is preprocessed.

        Parameters
        ----------
        index : int
            Position of the view, from 0.

        Returns
        -------
        int
            Its columns D_l, or the principal components that are kept.

        Examples
        --------
        >>> data = mvx.datasets.make_noisy_swiss_roll(n_samples=50).replace(preprocess="pca:3")
        >>> data.Xs[0].shape[1], data.width(0)
        (20, 3)
        """
        return width_of(self.preprocess[index], self.Xs[index].shape[1])

    def feature_title(self, view: int, feature: int) -> str:
        """Return the title of a feature of a view.

        Parameters
        ----------
        view, feature : int
            Positions, from 0.

        Returns
        -------
        str
            The feature's name, else “feature 1” and so on.

        Examples
        --------
        >>> data = mvx.MultiView({"body": np.ones((3, 2))}, feature_names=[["height", "weight"]])
        >>> data.feature_title(0, 1)
        'weight'
        """
        names = self.feature_names[view]
        return (names[feature] if names is not None else "") or f"feature {feature + 1}"

    def prepared_title(self, view: int, feature: int) -> str:
        """Return the title of a feature once its view is preprocessed: of a principal component, for example.

        Parameters
        ----------
        view, feature : int
            Positions, from 0.

        Returns
        -------
        str
            As of `feature_title`, or “PC 1”.

        Examples
        --------
        >>> data = mvx.datasets.make_noisy_swiss_roll(n_samples=50)
        >>> data.prepared_title(0, 0), data.replace(preprocess="pca:3").prepared_title(0, 0)
        ('feature 1', 'PC 1')
        """
        return component_title(feature) if components(self.preprocess[view]) else self.feature_title(view, feature)

    def view_key(self, index: int) -> str:
        """Return a short text that changes exactly when a view, as preprocessed, changes.

        Parameters
        ----------
        index : int
            Position of the view, from 0.

        Returns
        -------
        str
            Hexadecimal digits.

        Examples
        --------
        >>> data = mvx.datasets.make_blobs()
        >>> scaled, unlabelled = data.replace(preprocess="zscore"), data.replace(labels=None)
        >>> data.view_key(0) == scaled.view_key(0), data.view_key(0) == unlabelled.view_key(0)
        (False, True)
        """
        key = self._keys.get(index)
        if key is None:
            if index not in self._digests:
                raw = hashlib.blake2b(digest_size=12)
                add_to_digest(raw, self.Xs[index])
                self._digests[index] = raw.hexdigest()
            about = self._digests[index], self.Xs[index].shape, self.preprocess[index]
            digest = hashlib.blake2b(repr(about).encode(), digest_size=12)
            weights = self.feature_weights[index]
            for more in (None if self.bursts is None else self.bursts[index], weights):
                if more is not None:
                    digest.update(more.data)
            key = self._keys[index] = digest.hexdigest()
        return key

    @cached_property
    def n_labels(self) -> int:
        """How many different labels there are.

        Examples
        --------
        >>> mvx.datasets.make_blobs().n_labels
        6
        """
        return 0 if self.labels is None else len(set(map(str, set(self.labels.tolist()))))

    @cached_property
    def fingerprint(self) -> str:
        """Short text that changes when any view's raw numbers or the labels change.

        Examples
        --------
        >>> data = mvx.datasets.make_blobs()
        >>> again, part = mvx.datasets.make_blobs(), data.take(range(90))
        >>> data.fingerprint == again.fingerprint, data.fingerprint == part.fingerprint
        (True, False)
        """
        digest = hashlib.blake2b(digest_size=12)
        for X in self.Xs:
            digest.update(repr(X.shape).encode())
            add_to_digest(digest, X)
        if self.labels is not None:
            digest.update(repr(self.labels.tolist()).encode())
        return digest.hexdigest()

    def replace(self, **changes: Any) -> MultiView:
        """Copy with some of the constructor's arguments changed.

        Parameters
        ----------
        **changes
            Arguments of the constructor, by name; all others stay.

        Returns
        -------
        MultiView
            With no weights and names of features where the views have others.

        Examples
        --------
        >>> data = mvx.datasets.make_blobs()
        >>> data.replace(view_names=["left", "right"], preprocess="zscore")
        MultiView(left 180x2, right 180x2)
        """
        names = ("view_names", "labels", "label_name", "sample_ids", "images", "columns", "latent")
        others = ("bursts", "coordinates", "preprocess", "feature_weights", "feature_names")
        arguments: dict[str, Any] = {name: getattr(self, name) for name in (*names, *others)}
        arguments.update(changes)
        Xs = arguments.pop("Xs", self.Xs)
        if [np.shape(X)[1:] for X in Xs] != [X.shape[1:] for X in self.Xs]:
            # Weights and names belong to the old features: the new ones have none. Below, too.
            arguments |= {name: changes.get(name) for name in ("feature_weights", "feature_names")}
        elif "preprocess" in changes and "feature_weights" not in changes:
            wanted = zip(each_view(changes["preprocess"], self.n_views), self.Xs, strict=True)
            widths = [width_of(how, X.shape[1]) for how, X in wanted]
            arguments["feature_weights"] = [
                w if width == self.width(i) else None
                for i, (w, width) in enumerate(zip(self.feature_weights, widths, strict=True))
            ]
        copy = MultiView(Xs, **arguments)
        if copy.Xs is self.Xs:
            object.__setattr__(copy, "_digests", self._digests)
        return copy

    def take(self, rows: npt.ArrayLike) -> MultiView:
        """Keep some samples of all views, in the order given.

        Parameters
        ----------
        rows : array
            Indices of samples, or a boolean mask (M,).

        Returns
        -------
        MultiView
            Labels, ids, images and columns included.

        Examples
        --------
        >>> data = mvx.datasets.make_blobs()
        >>> data.take(data.labels < 2)
        MultiView(view1 60x2, view2 60x2)
        """
        keep = np.asarray(rows)
        keep = np.flatnonzero(keep) if keep.dtype == bool else keep
        return self.replace(
            Xs=[X[keep] for X in self.Xs],
            labels=None if self.labels is None else self.labels[keep],
            sample_ids=known_ids(self.sample_ids[i] for i in keep),
            images=None if self.images is None else self.images[keep],
            columns={k: v[keep] for k, v in self.columns.items()},
            latent={k: v[keep] for k, v in self.latent.items()},
            bursts=None if self.bursts is None else [b[keep] for b in self.bursts],
            coordinates={k: v[keep] for k, v in self.coordinates.items()},
        )


def component_title(component: int) -> str:
    """Return the title of a principal component, counted from 0."""
    return f"PC {component + 1}"


def standard_deviations(X: Array) -> Array:
    """S.d. (D,) of the features of X (M, D); 0 for constant ones, whatever rounding makes of them."""
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0.0, largest, 1.0)
    relative = np.std(X / unit, axis=0)
    deviation = relative * unit
    smallest = 1e-290  # S.d. below which a weight would overflow; such a feature counts as constant.
    return np.where((relative > FLAT) & (deviation > smallest), deviation, 0.0)


def _as_view(X: npt.ArrayLike, name: str) -> Array:
    if is_map(X) and X.shape[1] > 0:
        return cast("Array", X)  # or of float32: rows are cast where they are computed with
    array = plain_numbers(X, f"View “{name}”")
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(
            f"View “{name}” has shape {array.shape}.", "A view is a table: one row per sample, one column per feature."
        )
    array.flags.writeable = False
    return array


def _check_rows(arrays: tuple[Array, ...], names: tuple[str, ...]) -> None:
    rows = [len(X) for X in arrays]
    if len(set(rows)) > 1:
        listing = ", ".join(f"{n} has {r}" for n, r in zip(names, rows, strict=True))
        raise DataError(
            f"The views have different numbers of rows: {listing}.",
            "Row i must be the same sample in every view; remove the extra rows.",
        )
    if rows[0] < MIN_SAMPLES:
        raise DataError(
            f"The data has {rows[0]} sample{'s' if rows[0] != 1 else ''}.",
            f"At least {MIN_SAMPLES} are needed to place one among the others.",
        )
    bad, where, in_views = np.zeros(rows[0], dtype=bool), [], 0
    for X, name in zip(arrays, names, strict=True):
        broken = ~finite_rows(X)
        bad |= broken
        if broken.any():
            where.append(f"{name} ({int(broken.sum())})")
            in_views += int(broken.sum())
    if bad.any():
        count = int(bad.sum())
        several = ", some rows in several views" if in_views > count else ""
        raise MissingValuesError(
            f"{count} of {rows[0]} rows hold missing or infinite values, in {', '.join(where)}{several}.",
            "Drop these rows in all views, or fill them in before loading.",
            np.flatnonzero(bad).tolist(),
        )


def _as_ids(ids: Iterable[Any], n_samples: int) -> tuple[str, ...]:
    names = known_ids(ids)
    checked_values(np.empty(len(names)), n_samples, "sample ids")
    if not isinstance(ids, _Checked | range):
        tell_repeated(names)
    return names


def _as_bursts(bursts: Sequence[npt.ArrayLike], Xs: tuple[Array, ...], names: tuple[str, ...]) -> tuple[Array, ...]:
    arrays = tuple(plain_numbers(b, "A view's bursts") for b in bursts)
    if len(arrays) != len(Xs):
        raise DataError(f"There are bursts for {len(arrays)} of {len(Xs)} views.", "Give one array per view.")
    for b, X, name in zip(arrays, Xs, names, strict=True):
        if b.ndim != 3 or (b.shape[0], b.shape[2]) != X.shape or b.shape[1] != arrays[0].shape[1]:
            raise DataError(
                f"The bursts of view “{name}” have shape {b.shape}.",
                f"Give ({X.shape[0]}, b, {X.shape[1]}): b repetitions of every sample, as many in each view.",
            )
        if not np.isfinite(b).all():
            raise DataError(f"The bursts of view “{name}” hold missing or infinite values.", "Fill them in first.")
        b.flags.writeable = False
    return arrays


def _as_weights(
    weights: Sequence[npt.ArrayLike | None] | None, widths: Sequence[int], names: tuple[str, ...]
) -> tuple[Array | None, ...]:
    if weights is None:
        return (None,) * len(widths)
    checked = []
    for given, width, name in zip(weights, widths, names, strict=True):
        array = None if given is None else np.array(given, dtype=np.float64)
        if array is not None:
            if array.shape != (width,) or not np.isfinite(array).all() or array.min() < 0.0 or not array.any():
                raise DataError(
                    f"The feature weights of view “{name}” do not fit its {width} features.",
                    "Give one number of at least 0 per feature, not all of them 0.",
                )
            array.flags.writeable = False
        checked.append(array)
    return tuple(checked)


def _as_images(images: npt.ArrayLike, n_samples: int) -> npt.NDArray[np.uint8]:
    array = np.array(images, dtype=np.uint8)
    if array.ndim not in (3, 4) or len(array) != n_samples or (array.ndim == 4 and array.shape[3] not in (3, 4)):
        raise DataError(
            f"The images have shape {array.shape} for {n_samples} samples.",
            "Give one picture per sample, as (samples, height, width) with 3 or 4 colour channels at most.",
        )
    array.flags.writeable = False
    return array


def _as_coordinates(given: npt.ArrayLike, n_samples: int, name: str) -> Array:
    array = plain_numbers(given, f"Coordinates “{name}”")
    if array.ndim != 2 or len(array) != n_samples or array.shape[1] not in (2, 3):
        raise DataError(
            f"Coordinates “{name}” have shape {array.shape} for {n_samples} samples.",
            "Give two or three numbers per sample.",
        )
    if not np.isfinite(array).all():
        raise DataError(
            f"Coordinates “{name}” hold missing or infinite values.", "Fill them in, or leave these samples out."
        )
    array.flags.writeable = False
    return array


def _without_sparse(
    Xs: Sequence[Any], names: tuple[str, ...], preprocess: tuple[str, ...], feature_names: Any
) -> tuple[list[Any], tuple[str, ...], list[Any]]:
    """The views with sparse ones reduced: these need no further preprocessing, and have components for features."""
    given = list(feature_names) if feature_names is not None else [None] * len(Xs)
    tables, left, titles = [], [], []
    for X, name, how, features in zip(Xs, names, preprocess, given, strict=True):
        sparse = is_sparse(X)
        reduced = reduce_sparse(X, how, name) if sparse else X
        tables.append(reduced)
        left.append("none" if sparse else how)
        titles.append([component_title(k) for k in range(reduced.shape[1])] if sparse else features)
    return tables, tuple(left), titles
