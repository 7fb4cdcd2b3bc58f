"""The result of a method, which can be shown, written and pickled, and which places new samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.export import table, write_embedding
from mvexplorer.engine.api.subsample import Data, Known, place
from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import Told
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.errors import ParameterError
from mvexplorer.version import __version__

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """The result of a method. It is plain data: it can be pickled, and places new samples afterwards.

    Parameters
    ----------
    coordinates : array (M, r)
        For methods with per-view coordinates their concatenation (M, L·r), view by view.
    view_coordinates : tuple of arrays (M, r)
        One per view; empty where the method has none.
    eigenvalues : array (k,)
        The computed eigenvalues, the trivial 1 first where the method has one.
    views : tuple of str
        Names of the views used.
    epsilon : tuple of float
        The bandwidth used, one per view, in squared data units; NaN where it has no effect and no number was given.
        `embed` accepts it unchanged.
    warnings : tuple of (code, text)
        Warnings about this result.
    method, params : str, mapping
        The method's id, and its parameters with defaults filled in.
    kernels : tuple of str
        The kernel of each view used.
    random_state : int
        Seed of all random draws.
    sample_ids : tuple of str
        Names of the M samples.
    labels : array (M,), optional
        Their classes.
    info : mapping
        Named numbers about the result.
    decomposition : Decomposition
        What the coordinates were computed from; a next step may start from it.
    known : Known, optional
        What is needed to place new samples; None where the method has no extension.

    Examples
    --------
    >>> embedding = mvx.embed(mvx.load("helix-a"), "kernel-sum", epsilon=0.36)
    >>> embedding
    Embedding('kernel-sum', views=('view1', 'view2'), shape=(600, 2), epsilon=(0.36, 0.36))
    >>> embedding.to_frame().columns
    ['id', 'psi1', 'psi2']
    >>> embedding.save("helix.npz").name
    'helix.npz'
    """

    coordinates: Array
    view_coordinates: tuple[Array, ...]
    eigenvalues: Array
    views: tuple[str, ...]
    epsilon: tuple[float, ...]
    warnings: Told
    method: str
    params: Mapping[str, Value]
    kernels: tuple[str, ...] = ()
    random_state: int = 0
    sample_ids: tuple[str, ...] = ()
    labels: npt.NDArray[Any] | None = None
    info: Mapping[str, float] = field(default_factory=dict)
    decomposition: Decomposition | None = None
    known: Known | None = None

    def __repr__(self) -> str:
        epsilon = ", ".join(f"{value:.4g}" for value in self.epsilon) + "," * (len(self.epsilon) == 1)
        shape = self.coordinates.shape
        return f"Embedding({self.method!r}, views={self.views!r}, shape={shape}, epsilon=({epsilon}))"

    def _repr_html_(self) -> str:
        """A picture for notebooks: the first two coordinates that are not trivial, coloured by class."""
        method = get_method(self.method)
        whose = f" of {', '.join(self.views)}" if self.views else ""
        epsilon = ", ".join(f"{value:.3g}" for value in self.epsilon if value == value)
        caption = f"{method.title}{whose}; {len(self.coordinates):,} samples" + (f", ε = {epsilon}" if epsilon else "")
        first = (self.view_coordinates or (self.coordinates,))[0]
        trivial = method.keeps_trivial and first.shape[1] > 2
        return scatter(first[:, 1:] if trivial else self.coordinates, self.labels, caption)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Plain names of the coordinates: ``fou_psi1``, or ``psi1`` where the views share them.

        Examples
        --------
        >>> data = mvx.datasets.make_coupled_circles(n_samples=60)
        >>> mvx.embed(data, "kernel-sum").column_names
        ('psi1', 'psi2')
        >>> mvx.embed(data, "multiview").column_names
        ('view1_psi1', 'view1_psi2', 'view2_psi1', 'view2_psi2')
        """
        first = get_method(self.method).first_component
        if get_method(self.method).shows_given:
            return tuple(f"{self.params['coordinates']}{k + 1}" for k in range(self.coordinates.shape[1]))
        symbol = "psi" if first == 1 else "u"
        if self.view_coordinates:
            blocks = zip(self.views, self.view_coordinates, strict=True)
            return tuple(f"{view}_{symbol}{k + first}" for view, Y in blocks for k in range(Y.shape[1]))
        return tuple(f"{symbol}{k + first}" for k in range(self.coordinates.shape[1]))

    @property
    def request(self) -> dict[str, str]:
        """How it was made, as text: program and version, method, views, kernels, ε, parameters, seed.

        Examples
        --------
        >>> request = mvx.embed(mvx.datasets.make_coupled_circles(n_samples=60), "kernel-sum", epsilon=0.5).request
        >>> request["method"], request["epsilon"], request["t"]
        ('kernel-sum', '0.5,0.5', '1')
        """
        part = self.info.get("random_part")
        return {
            "program": f"mvexplorer {__version__}",
            "method": self.method,
            "views": ",".join(self.views),
            "kernel": ",".join(self.kernels),
            "epsilon": ",".join(f"{e:.17g}" for e in self.epsilon),
            **{name: str(value) for name, value in self.params.items()},
            "random_state": str(self.random_state),
            **({} if part is None else {"subsample": f"{part:.0f}"}),
        }

    def to_frame(self) -> pl.DataFrame:
        """The coordinates as a table.

        Returns
        -------
        polars.DataFrame
            M rows: `id`, `label` where the data has labels, and the coordinates by their `column_names`.

        Examples
        --------
        >>> frame = mvx.embed(mvx.datasets.make_coupled_circles(n_samples=60), "kernel-sum").to_frame()
        >>> frame.shape, frame.columns
        ((60, 4), ['id', 'label', 'psi1', 'psi2'])
        """
        return table(self.coordinates, self.column_names, self.sample_ids, self.labels)

    def save(self, path: str | Path, *, csv_safe: bool = False) -> Path:
        """Write the coordinates to a file, with ids, labels and how they were made.

        Parameters
        ----------
        path : path
            Ends in .npz (which takes the eigenvalues as well), .parquet or .csv (which has no place for `request`).
        csv_safe : bool
            Of CSV: put an apostrophe before ids, labels and names that spreadsheets take for formulas.

        Returns
        -------
        Path
            The file written.

        Raises
        ------
        DataError
            Another ending, or a path that cannot be written.

        Examples
        --------
        >>> embedding = mvx.embed(mvx.datasets.make_coupled_circles(n_samples=60), "kernel-sum")
        >>> embedding.save("circles.csv").read_text().splitlines()[0]
        'id,label,psi1,psi2'
        """
        return write_embedding(
            path,
            self.coordinates,
            column_names=self.column_names,
            sample_ids=self.sample_ids,
            labels=self.labels,
            eigenvalues=self.eigenvalues,
            meta=self.request,
            csv_safe=csv_safe,
        )

    def transform(self, new_Xs: Data) -> Array:
        """Coordinates of new samples by the method's out-of-sample extension.

        Parameters
        ----------
        new_Xs : list of arrays (n, D_l), mapping name -> array, or MultiView
            All views of the data, as `embed` took them (those not used are ignored), or only those used, in
            their order.

        Returns
        -------
        array (n, r), or (n, L·r) where every view has coordinates of its own

        Raises
        ------
        ParameterError
            Where the method has no out-of-sample extension.
        DataError
            Where the new views do not match those of the embedding, also by the names of their features.
        ComputeError
            Where eigenvalues are too small to be divided by.

        Examples
        --------
        >>> data = mvx.datasets.make_coupled_circles(n_samples=80)
        >>> new = np.arange(80) % 4 == 0
        >>> embedding = mvx.embed(data.take(~new), "multiview")
        >>> embedding.transform(data.take(new)).shape
        (20, 4)
        >>> bool(np.allclose(embedding.transform(data.take(~new)), embedding.coordinates))  # they stay in place
        True
        """
        method = get_method(self.method)
        if self.known is None:
            raise ParameterError(f"{method.title} cannot place new samples.", "Use single or multiview for that.")
        return place(method, self.known, new_Xs)


COLOURS = ("#3b82c4", "#e08214", "#4d9f50", "#c7505a", "#8f6bb8", "#8c7355", "#d36ba6", "#7f8c8d", "#a3a02c", "#2ba3ad")
"""Colours of the classes, in turn: all of medium lightness."""


def scatter(coordinates: Array, labels: npt.NDArray[np.generic] | None, caption: str) -> str:
    """Draw the first two coordinates of (M, r), a single one against the samples' order, as SVG, coloured by class.

    Of many samples only a random part is plotted. `caption` is escaped here; the HTML element has no script.
    """
    n = len(coordinates)
    Y = np.nan_to_num(coordinates[:, :2] if coordinates.shape[1] > 1 else np.column_stack([np.arange(n), coordinates]))
    most_points = 3000  # More points make a notebook heavy, but a picture of this size no clearer.
    rows = np.sort(np.random.default_rng(0).permutation(n)[:most_points])
    spread = np.ptp(Y, axis=0)
    unit = (Y - Y.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    side, margin = 240, 8
    places = margin + (side - 2 * margin) * np.column_stack([unit[:, 0], 1.0 - unit[:, 1]])
    classes = _classes(labels, n)
    colours = {c: COLOURS[c % len(COLOURS)] if c >= 0 else "currentColor" for c in np.unique(classes[rows])}
    paths = [_path(places[rows[classes[rows] == c]], colour) for c, colour in colours.items()]
    return (
        f'<figure style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" role="img" '
        f'viewBox="0 0 {side} {side}"><rect x=".5" y=".5" width="{side - 1}" height="{side - 1}" fill="none" '
        f'stroke="currentColor" stroke-opacity=".3"/>{"".join(paths)}</svg>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _classes(labels: npt.NDArray[np.generic] | None, n: int) -> npt.NDArray[np.intp]:
    """The position (M,) of each sample's class among all, -1 where it has none; 0 where there are no classes."""
    classes = np.zeros(n, dtype=np.intp)
    if labels is not None:
        classes -= 1
        has_label = labelled(labels)
        classes[has_label] = ordered_classes(labels[has_label])[1]
    return classes


def _path(places: Array, colour: str) -> str:
    """Points as strokes of no length with round ends: one element for all of them."""
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return f'<path d="{dots}" stroke="{colour}" stroke-width="4" stroke-linecap="round" stroke-opacity=".75"/>'
