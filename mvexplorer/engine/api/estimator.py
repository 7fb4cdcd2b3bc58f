"""`embed` in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.multiview import Array
from mvexplorer.errors import ParameterError


class MultiViewEmbedding:
    """The same as `embed`, in scikit-learn's manner; `Xs` is a list of arrays (M, D_l).

    Parameters
    ----------
    method : str
        A method's id.
    **params
        Everything `embed` takes: n_components, epsilon, views, random_state, and the method's own.
    """

    def __init__(self, method: str = "multiview", **params: Any) -> None:
        self.method = method
        self.params = params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"method": self.method, **self.params}

    def set_params(self, **params: Any) -> MultiViewEmbedding:
        """Change some of the constructor's arguments."""
        self.method = params.pop("method", self.method)
        self.params = {**self.params, **params}
        return self

    def fit(self, Xs: Data, y: object = None) -> MultiViewEmbedding:
        """Embed the samples; the result is `embedding_`, its coordinates (M, r) `coordinates_`."""
        self.embedding_ = embed(Xs, self.method, **self.params)
        self.coordinates_ = self.embedding_.coordinates
        return self

    def fit_transform(self, Xs: Data, y: object = None) -> Array:
        """Embed the samples and return their coordinates (M, r)."""
        return self.fit(Xs).coordinates_

    def transform(self, Xs: Data) -> Array:
        """Coordinates of new samples by the method's out-of-sample extension."""
        if not hasattr(self, "embedding_"):
            raise ParameterError("The embedding has not been fitted.", "Call fit first.")
        return self.embedding_.transform(Xs)
