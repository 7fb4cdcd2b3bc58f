"""`embed` in scikit-learn's manner."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mvexplorer.engine.api.embedding import as_multiview, embed
from mvexplorer.engine.api.one_table import table_numbers
from mvexplorer.engine.api.plan import check_mapping
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.annotated import is_annotated
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import is_whole
from mvexplorer.errors import ParameterError
from mvexplorer.wording import counted

Fit = TypeVar("Fit", bound=Callable[..., Any])


def _also_as_Xs(fit: Fit) -> Fit:
    """Take the first argument by its former name, too, which its signature no longer has: routing would ask for it."""

    @wraps(fit)
    def either(self: Any, *args: Any, **given: Any) -> Any:
        if "Xs" in given and not args and "X" not in given:
            words = "fit(Xs=...) is now fit(X=...); the former name goes in the next release."
            warnings.warn(words, DeprecationWarning, stacklevel=2)
            args = (given.pop("Xs"),)
        return fit(self, *args, **given)

    return cast("Fit", either)


class NotYetFitted(ParameterError, NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator was used before it was fitted."""


class MultiViewEmbedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The same as `embed`, as a scikit-learn transformer.

    `fit` takes several views as a list of arrays, a mapping or a `MultiView`; or one table X (M, D), which `view_sizes`
    cuts into views, so that pipelines, cross-validation and searches can cut its rows.

    Parameters
    ----------
    method : str, optional
        A method's id, see `methods`; None is ``multiview``, and ``single`` where one view is used.
    n_components : int
        Number r of coordinates.
    epsilon, kernel, metric, rule_params, views
        As `embed` takes them. Views cut from one table are called ``view1``, ``view2`` and so on.
    t, eta : number, optional
        Diffusion time and within-view weight, for methods that have them; None for the method's default.
    view_weights : sequence of number, mapping name -> number, or "equal-volume", optional
        How much each view counts, as `embed` takes it.
    view_sizes : sequence of int, optional
        Numbers of columns of the views in X, side by side; None where X is one view.
    random_state : int, optional
        Seed; None is 0.
    method_params : mapping name -> value, optional
        Further parameters of the method.
    self_loops, normalisation : bool and str, optional
        Whether a step may stay at its sample, and "walk" or "doubly-stochastic", for methods that have them.
    unit_rows : bool, optional
        Whether each sample's coordinates are scaled to length 1.
    recipe : str, optional
        As `embed` takes it: values for kernel, metric, t, unit_rows and others that are not given.
    preprocess : str or sequence of str, optional
        What is done to the features first, such as "zscore" or "pca:20", as `MultiView` takes it; new samples are
        treated by what `fit` saw. None leaves them, or a `MultiView`'s own.

    Attributes
    ----------
    embedding_ : Embedding
        What `embed` returns.
    method_ : str
        The id of the method that was used.
    coordinates_ : array (M, r), or (M, L·r) where every view has coordinates of its own
    view_sizes_ : tuple of int
        Number of columns of each view.
    n_features_in_ : int
        Number of columns of all views together.

    Examples
    --------
    >>> data = mvx.load("helix-a")
    >>> model = mvx.MultiViewEmbedding("multiview", epsilon=0.36, n_components=3)
    >>> model.fit_transform(list(data.Xs)).shape
    (600, 6)
    >>> X = np.hstack(data.Xs)
    >>> model.set_params(view_sizes=[3, 3]).fit(X[:500]).transform(X[500:]).shape
    (100, 6)
    """

    def __init__(
        self,
        method: str | None = None,
        *,
        n_components: int = 2,
        epsilon: Any = "robust",
        kernel: Any = None,
        metric: Any = None,
        t: float | None = None,
        eta: float | None = None,
        rule_params: Mapping[str, Any] | None = None,
        views: Sequence[str] | None = None,
        view_sizes: Sequence[int] | None = None,
        random_state: int | None = 0,
        method_params: Mapping[str, Any] | None = None,
        preprocess: str | Sequence[str] | None = None,
        view_weights: Sequence[float] | Mapping[str, float] | str | None = None,
        self_loops: bool | None = None,
        normalisation: str | None = None,
        unit_rows: bool | None = None,
        recipe: str | None = None,
    ) -> None:
        self.method = method
        self.n_components = n_components
        self.epsilon = epsilon
        self.kernel = kernel
        self.metric = metric
        self.t = t
        self.eta = eta
        self.rule_params = rule_params
        self.views = views
        self.view_sizes = view_sizes
        self.random_state = random_state
        self.method_params = method_params
        self.preprocess = preprocess
        self.view_weights = view_weights
        self.self_loops = self_loops
        self.normalisation = normalisation
        self.unit_rows = unit_rows
        self.recipe = recipe

    @_also_as_Xs
    def fit(self, X: Data, y: object = None) -> Self:
        """Embed the samples.

        Parameters
        ----------
        X : list of arrays (M, D_l), mapping name -> array, MultiView, or table (M, D)
            The views, or one table that holds them side by side. Rows of plain numbers in lists are a table.
        y : ignored
            Nothing is learnt from it; pipelines hand it on.

        Returns
        -------
        MultiViewEmbedding

        Raises
        ------
        DataError, ParameterError, ComputeError
            As `embed`.

        Examples
        --------
        >>> data = mvx.datasets.make_coupled_circles(n_samples=60)
        >>> mvx.MultiViewEmbedding().fit(data).method_, mvx.MultiViewEmbedding().fit(data.Xs[0]).method_
        ('multiview', 'single')
        """
        data = as_multiview(self._views(X, fitting=True))
        if self.preprocess is not None:
            data = data.replace(preprocess=self.preprocess)
        n_views = data.n_views if self.views is None or isinstance(self.views, str) else np.size(self.views)
        usual = "single" if n_views == 1 else "multiview"
        self.method_ = usual if self.method is None else self.method
        names = "t", "eta", "view_weights", "self_loops", "normalisation", "unit_rows"
        own = {name: getattr(self, name) for name in names}
        check_mapping("method_params", self.method_params)
        given: dict[str, Any] = {**own, **(self.method_params or {})}
        self.embedding_ = embed(
            data,
            self.method_,
            views=self.views,
            epsilon=self.epsilon,
            kernel=self.kernel,
            metric=self.metric,
            recipe=self.recipe,
            rule_params=self.rule_params,
            random_state=0 if self.random_state is None else self.random_state,
            n_components=self.n_components,
            **{name: value for name, value in given.items() if value is not None},
        )
        self.coordinates_ = self.embedding_.coordinates
        self.view_sizes_ = tuple(X.shape[1] for X in data.Xs)
        self.n_features_in_ = sum(self.view_sizes_)
        return self

    def fit_transform(self, X: Data, y: object = None) -> Array:
        """Embed the samples and return their coordinates.

        Parameters
        ----------
        X, y
            As `fit` takes them.

        Returns
        -------
        array (M, r), or (M, L·r) where every view has coordinates of its own

        Examples
        --------
        >>> X = np.hstack(mvx.datasets.make_coupled_circles(n_samples=60).Xs)
        >>> model = mvx.MultiViewEmbedding("kernel-sum", view_sizes=[2, 2]).set_output(transform="polars")
        >>> model.fit_transform(X).columns
        ['psi1', 'psi2']
        """
        return self.fit(X).coordinates_

    def transform(self, X: Data) -> Array:
        """Coordinates of new samples by the method's out-of-sample extension.

        Parameters
        ----------
        X : list of arrays (n, D_l), mapping name -> array, MultiView, or table (n, D)
            The same views as in `fit`.

        Returns
        -------
        array (n, r), or (n, L·r) where every view has coordinates of its own

        Raises
        ------
        ParameterError, DataError, ComputeError
            As `Embedding.transform`; ParameterError also before `fit`.

        Examples
        --------
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn.pipeline import make_pipeline
        >>> data = mvx.datasets.make_coupled_circles(n_samples=80)
        >>> X, y, new = np.hstack(data.Xs), data.labels, np.arange(80) % 4 == 0
        >>> model = make_pipeline(mvx.MultiViewEmbedding(view_sizes=[2, 2]), KNeighborsClassifier())
        >>> model.fit(X[~new], y[~new]).score(X[new], y[new])
        1.0
        """
        self._check_fitted()
        return self.embedding_.transform(self._views(X, fitting=False))

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[np.object_]:
        """Names of the coordinates.

        Parameters
        ----------
        input_features : ignored
            The coordinates are not named after features.

        Returns
        -------
        array of str
            One for each column that `transform` returns: ``psi1``, or ``view1_psi1`` where every view has its own.

        Examples
        --------
        >>> model = mvx.MultiViewEmbedding().fit(mvx.datasets.make_coupled_circles(n_samples=60))
        >>> model.get_feature_names_out().tolist()
        ['view1_psi1', 'view1_psi2', 'view2_psi1', 'view2_psi2']
        """
        self._check_fitted()
        return np.array(self.embedding_.column_names, dtype=object)

    def _check_fitted(self) -> None:
        try:
            check_is_fitted(self)
        except NotFittedError:
            raise NotYetFitted("The embedding has not been fitted.", "Call fit first.") from None

    def _views(self, Xs: Any, *, fitting: bool) -> Any:
        """The views as `embed` takes them: as given, or cut from one table."""
        if isinstance(Xs, str | os.PathLike):
            return Xs  # which is refused in words of its own
        if self.view_sizes is not None:
            if not isinstance(self.view_sizes, Iterable):
                hint = "Give the number of columns of each view, such as [3, 3]."
                raise ParameterError(f"view_sizes={self.view_sizes!r} is no sequence of numbers.", hint)
            _refuse_views(Xs, list(self.view_sizes))
        elif is_annotated(Xs):
            return MultiView(Xs) if fitting else Xs
        elif not _is_table(Xs):
            return Xs
        X = table_numbers(self, Xs, fitting=fitting)
        sizes = self._sizes(X.shape[1]) if fitting else self.view_sizes_
        return np.split(X, np.cumsum(sizes)[:-1], axis=1)

    def _sizes(self, width: int) -> list[int]:
        """Number of columns of each view, for a table of `width` columns."""
        sizes = [width] if self.view_sizes is None else list(self.view_sizes)
        if not all(is_whole(size) for size in sizes) or sum(sizes) != width or min(sizes, default=0) < 1:
            raise ParameterError(
                f"view_sizes={list(self.view_sizes or ())} does not cut a table of {width} columns.",
                f"Give numbers of at least 1 with the sum {width}.",
            )
        return sizes


def _refuse_views(Xs: Any, sizes: list[int]) -> None:
    """Refuse several views where `view_sizes` would cut a table; a list of vectors is taken as the rows of one."""
    views = getattr(Xs, "Xs", Xs)  # those of a MultiView
    rows = isinstance(views, list | tuple) and not any(np.ndim(X) > 1 for X in views)
    if is_annotated(Xs) or not (_is_table(Xs) or rows):
        count = "" if is_annotated(Xs) else f"{counted(len(views), 'view')} in a "
        raise ParameterError(
            f"view_sizes={sizes} cuts one table into views, but views are given already: {count}{type(Xs).__name__}.",
            "Leave view_sizes out, or give the views side by side as one table, as by np.hstack.",
        )


def _is_table(Xs: Any) -> bool:
    """True if one table is given, not a list of views: an array, a frame, or rows of plain numbers."""
    if isinstance(Xs, MultiView | str | os.PathLike) or (
        isinstance(Xs, Mapping) and not hasattr(Xs, "shape")
    ):  # a dok_array is a dict
        return False
    if isinstance(Xs, list | tuple):
        return len(Xs) > 0 and all(isinstance(row, list | tuple) and not any(map(np.ndim, row)) for row in Xs)
    return getattr(Xs, "ndim", 2) != 3  # a stack of arrays (L, M, D) is a list of views
