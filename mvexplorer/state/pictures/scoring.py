"""The classes and the one hidden variable that embeddings are scored against, and the scores' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.jobs import ScoreJob, Unlabelled
from mvexplorer.compute.jobs.runner import Hidden, Scores, bare
from mvexplorer.engine.analysis.scored import scorable
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.state.document.model import DocumentState, PanelState, panel_kernel
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
            *(
                text.replace("{}", variable).replace("angle angle", "angle")
                for text in (self.symbol, self.short, self.title, self.meaning)
            )
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
        "How well a sample's ten nearest neighbours predict its {}: 1 exactly, 0 no better than the mean of all",
    ),
    "resultant": ScoreWords(
        "k-NN angle",
        "k-NN recovery of {}",
        "k-NN recovery of angle {}",
        "How well a sample's ten nearest neighbours recover its angle {}: the length of their mean direction, 1 where "
        "all have the same, .28 at random; a ring that is cut open keeps its neighbours, and so its 1",
    ),
    "spearman": ScoreWords(
        "|Spearman|",
        "|Spearman| of {}",
        "|Spearman| of {}",
        "How well the first coordinate alone orders the samples by {}: the absolute rank correlation",
    ),
    "trustworthiness": ScoreWords(
        "trust",
        "trustworthy",
        "trustworthiness",
        "Whether neighbours in the picture are neighbours in the views, mean over the views in use, on the "
        "first six coordinates: 1 without false neighbours, about .5 by chance",
    ),
    "neighbours_kept": ScoreWords(
        "kept",
        "neighbours kept",
        "neighbours kept",
        "Share of a sample's nearest in a view that are among its nearest in the picture, mean over the views in use",
    ),
    "order": ScoreWords(
        "order",
        "order of {}",
        "order of {} as drawn",
        "How far the drawing is in the order of {}: their absolute rank correlation along the first axis; "
        "of an angle that round the ring on the first two axes; before a picture is turned onto the former one (≈)",
    ),
    "largest_gap": ScoreWords(
        "open",
        "open by",
        "largest gap of the ring as drawn",
        "The widest angle without samples in the ring on the first two axes drawn, in radians: lower is better, and a "
        "ring that is cut open has a wide one",
    ),
    "agreement": ScoreWords(
        "agree",
        "views agree",
        "agreement of the views' coordinates",
        "Share of a sample's nearest in one view's own coordinates that are its nearest in another's, mean over the "
        "pairs of views, on all coordinates of each",
    ),
    "stability": ScoreWords(
        "ε shifts",
        "shifted by ε",
        "shift with ε",
        "How far samples move when every ε is .7 and 1.3 times as large: the median over the samples, on all "
        "coordinates, over the picture's rms radius; lower is better",
    ),
    "gap": ScoreWords(
        "gap",
        "gap",
        "spectral gap",
        "The widest gap between eigenvalues of the walk that follow one another, after the trivial one",
    ),
}
"""The scores by id, in the order in which they are shown."""
UNLABELLED = ("trustworthiness", "neighbours_kept", "agreement", "gap")
"""Those that need no classes, and stand where there are neither classes nor a hidden variable."""
STABILITY = "stability"
"""That which costs two more pictures: it stands where these are prepared, and where it is asked for."""


ON_ALL = ("nmi", "knn", "r2", "resultant")
"""Those whose words do not say on which coordinates they are: on all."""


def shown(id: str, score: Score) -> Score:
    """A score for where there is little room: with its ± only where that is over k-means seeds."""
    return score if id == "nmi" else Score(score.value)


def spread_words(id: str, score: Score) -> str:
    """Explain the ± beside a score; empty where there is none."""
    if score.spread is None:
        return ""
    if id == "largest_gap":
        return "±: standard deviation over random halves of the samples"
    if id == "nmi":
        return "±: standard deviation over ten k-means seeds"
    return "±: standard error over the samples, taken as independent"


def drawn_by(panel: PanelState, hidden: Hidden | None) -> Hidden | None:
    """A hidden variable, scored on the axes that a panel draws as well."""
    return None if hidden is None else replace(hidden, show=panel.show, axes=panel.axes[:2])


def truth(state: DocumentState, data: MultiView) -> tuple[npt.NDArray[np.generic] | None, Hidden | None]:
    """The classes and the hidden variable that embeddings of the data are scored against, where there are any."""
    return (data.labels if scorable(data.labels) else None), hidden_variable(state, data)


def available_scores(state: DocumentState, data: MultiView) -> dict[str, ScoreWords]:
    """The scores that embeddings of the data have, by id."""
    labels, hidden = truth(state, data)
    ids = [] if labels is None else ["nmi", "knn"]
    if hidden is not None:
        ids += ["resultant", "order", "largest_gap"] if hidden.angle else ["r2", "spearman", "order"]
    if not ids and views_to_score(state, data):
        ids = [*UNLABELLED]
    return {id: SCORES[id].of("" if hidden is None else hidden.name) for id in ids}


def views_to_score(state: DocumentState, data: MultiView) -> tuple[str, ...]:
    """The views by whose neighbours pictures are scored: those in use that have features; all where none is chosen."""
    names = tuple(view.name for view in state.views if view.enabled) or data.view_names
    return tuple(
        name
        for name in names
        if name in data.view_names
        and not is_map(data.Xs[data.view_index(name)])
        and (state.find_view(name) is None or panel_kernel(state, None, name).kind.metric != "none")
    )


def metrics_to_score(
    state: DocumentState, panel: PanelState, data: MultiView, views: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """The metrics by which a panel's views have neighbours, of those where that is not the Euclidean."""
    kernels = {name: panel_kernel(state, panel, name) for name in views}
    each = {n: "correlation" if k.kind.metric == "correlation" else k.metric for n, k in kernels.items()}
    able = {name for name in views if data.width(data.view_index(name)) >= 3}  # features that a correlation needs
    return tuple((n, m) for n, m in each.items() if m == "cosine" or (m == "correlation" and n in able))


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
    embedding: Embedding,
    data: MultiView,
    truth: tuple[npt.NDArray[np.generic] | None, Hidden | None],
    views: Sequence[str],
) -> ScoreJob | None:
    """The job that computes those of an embedding's scores that are not known yet; None where all are.

    Without classes and a hidden variable it is scored by the neighbours of `views`.
    """
    scores, (labels, hidden) = scores or Scores(), truth
    if labels is None and hidden is None:
        free = Unlabelled.of(data, views) if scores.free is None else None
        return None if free is None else ScoreJob(bare(embedding), None, None, free)
    labels = labels if scores.nmi is None else None
    hidden = hidden if scores.hidden is None else None
    return None if labels is None and hidden is None else ScoreJob(bare(embedding), labels, hidden)


def joined(old: Scores | None, new: Scores) -> Scores:
    """The known scores with the new ones."""
    old = old or Scores()
    both = Scores(new.nmi or old.nmi, new.knn or old.knn, new.hidden or old.hidden)
    return both if both.each() else Scores(free=new.free or old.free)
