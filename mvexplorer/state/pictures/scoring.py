"""The classes and the one hidden variable that embeddings are scored against, and the scores' names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.jobs import ScoreJob
from mvexplorer.compute.jobs.runner import Hidden, Scores
from mvexplorer.engine.analysis.scored import scorable
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import resolve_colouring


@dataclass(frozen=True)
class ScoreWords:
    """A score's names, from the shortest to the longest, and what it means; {} stands for the hidden variable."""

    symbol: str
    short: str
    title: str
    meaning: str

    def of(self, variable: str) -> ScoreWords:
        """The same about a variable of this name."""
        return ScoreWords(
            *(text.replace("{}", variable) for text in (self.symbol, self.short, self.title, self.meaning))
        )


SCORES = {
    "nmi": ScoreWords(
        "NMI",
        "NMI",
        "NMI",
        "Normalised mutual information of classes and k-means clusters",
    ),
    "knn": ScoreWords(
        "k-NN", "k-NN", "k-NN accuracy", "Share of samples whose five nearest neighbours vote for their class"
    ),
    "r2": ScoreWords(
        "R²",
        "R² of {}",
        "R² of {}",
        "How well its ten nearest neighbours tell a sample's {}: 1 exactly, 0 no better than the mean of all",
    ),
    "resultant": ScoreWords(
        "R̄",
        "Resultant of {}",
        "Resultant of {}",
        "How far a sample's ten nearest neighbours agree on the angle {} (1 where all have one, .28 at random; a ring "
        "that is cut open keeps its neighbours, and so its 1)",
    ),
    "spearman": ScoreWords(
        "|Spearman|",
        "|Spearman| of {}",
        "|Spearman| of {}",
        "How well the first coordinate alone orders the samples by {}: their rank correlation, its sign aside",
    ),
}
"""The scores by id, in the order in which they are shown."""


def spread_words(score: Score) -> str:
    """Explain the ± beside a score; empty where there is none."""
    return "" if score.spread is None else "±: standard deviation over ten k-means seeds"


def truth(state: DocumentState, data: MultiView) -> tuple[npt.NDArray[np.generic] | None, Hidden | None]:
    """The classes and the hidden variable that embeddings of the data are scored against, where there are any."""
    return (data.labels if scorable(data.labels) else None), hidden_variable(state, data)


def available_scores(state: DocumentState, data: MultiView) -> dict[str, ScoreWords]:
    """The scores that embeddings of the data have, by id."""
    labels, hidden = truth(state, data)
    ids = [] if labels is None else ["nmi", "knn"]
    if hidden is not None:
        ids += ["resultant"] if hidden.angle else ["r2", "spearman"]
    return {id: SCORES[id].of("" if hidden is None else hidden.name) for id in ids}


def hidden_variable(state: DocumentState, data: MultiView) -> Hidden | None:
    """The latent or column by which points are coloured, if it is a number, else the first latent that is one."""
    source = hidden_source(state, data)
    colouring = resolve_colouring(source, data, {})
    return None if colouring is None else Hidden(source.partition(":")[2], colouring.values, colouring.cyclic)


def hidden_source(state: DocumentState, data: MultiView) -> str:
    """Name that latent or column as a colouring does; empty where there is none."""
    fewest = 3  # values that a hidden variable needs
    for source in (state.colour, *(f"latent:{name}" for name in data.latent)):
        if source.partition(":")[0] not in ("latent", "column"):
            continue
        colouring = resolve_colouring(source, data, {})
        if colouring is None or colouring.classes:
            continue
        finite = colouring.values[np.isfinite(colouring.values)]
        if len(finite) >= fewest and finite.min() < finite.max():
            return source
    return ""


def missing_scores(
    scores: Scores | None,
    coordinates: npt.NDArray[np.float64],
    labels: npt.NDArray[np.generic] | None,
    hidden: Hidden | None,
) -> ScoreJob | None:
    """The job that computes those of an embedding's scores that are not known yet; None where all are."""
    scores = scores or Scores()
    labels = labels if scores.nmi is None else None
    hidden = hidden if scores.hidden is None else None
    return None if labels is None and hidden is None else ScoreJob(coordinates, labels, hidden)


def joined(old: Scores | None, new: Scores) -> Scores:
    """The known scores with the new ones."""
    old = old or Scores()
    return Scores(new.nmi or old.nmi, new.knn or old.knn, new.hidden or old.hidden)
