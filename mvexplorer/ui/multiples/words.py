"""The words for each of the small multiples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.pipeline.steps_that_stay import SELF_LOOPS, STEPS_THAT_STAY
from mvexplorer.state.document.multiples_grid import MultiplesGrid
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.scoring import SCORES, shown
from mvexplorer.ui.pages.tune.sweep_words import at_text
from mvexplorer.ui.style.formatting import fraction, score
from mvexplorer.ui.widgets.plain_text import LINE, WORD, line
from mvexplorer.ui.widgets.shortening import SEPARATOR, told_apart
from mvexplorer.wording import in_percent

METRIC_WORDS: dict[str, str] = {EUCLIDEAN: "Euclidean distance", "correlation": "correlation", "cosine": "cosine"}


def meaning(grid: MultiplesGrid | None, row: int, column: int) -> str:
    """The panel and the values of one picture; empty where there is none."""
    if grid is None or row >= len(grid.titles) or column >= len(grid.columns):
        return ""
    if grid.of_ingredients:
        return f"{grid.titles[row]} {grid.captions[column]}"
    down = "" if grid.down is None else f", {_told(grid.down, grid.rows[row])}"
    return f"{grid.titles[row]}{down}, {_told(grid.across, grid.columns[column])}"


def row_words(titles: Sequence[str], room: float, width: Callable[[str], float]) -> list[str]:
    """Return the words left of each row: the method, and the views below it where both do not fit on one line.

    A name without a blank does not wrap, and would be cut by the edge: it is cut to what tells it from the others.
    `room` is a line's pixels, `width` the pixels that a text takes.
    """
    parts = [line(title, 4 * LINE).partition(SEPARATOR) for title in titles]
    views = [views for _, dot, views in parts if dot]
    rows, number = [], 0
    for method, dot, view in parts:
        number += bool(dot)
        whole = method + dot + view
        short = f"{method}{dot.rstrip()}\n{told_apart(view, views, number, room, width)}"
        rows.append(short if dot and width(whole) > room else whole)
    return rows


def ingredient_scores(result: PanelResult, chosen: str) -> tuple[str, ...]:
    """The scores below a picture with other ingredients, in as many words as there is room for, the most first.

    They are the chosen one, how trustworthy it is, and the share of steps that stay, or would without being left out.
    """
    scores = {} if result.scores is None else result.scores.each()
    if not scores or result.result is None:
        return ()
    trust = {id: f"{SCORES[id].symbol} {score(shown(id, scores[id]))}" for id in ("trustworthiness",) if id in scores}
    first = chosen if chosen in scores else next(iter(scores))
    hidden = result.scores.hidden if result.scores is not None else None
    symbol = SCORES[first].of("" if hidden is None else hidden.variable).symbol
    beside = {} if first in trust else {first: symbol}
    long = [f"{words} {score(shown(id, scores[id]))}" for id, words in beside.items()]
    short = [f"{words} {fraction(scores[id].value)}" for id, words in beside.items()]
    stays = _stays(result.result.embedding)
    rest, tight = [*trust.values(), *stays[:1]], [*trust.values(), *stays[1:]]
    each = (*long, *rest), (*short, *rest), rest, tight
    return tuple(" · ".join(parts) for parts in each if parts)


def _stays(embedding: Embedding) -> list[str]:
    """The share of steps that stay, and the same shorter: in brackets where none does, since loops are left out."""
    share = embedding.info.get(STEPS_THAT_STAY)
    if share is None:
        return []
    words = in_percent(float(share)).replace("less than ", "<").replace("more than ", ">")
    if embedding.params.get(SELF_LOOPS) is False:
        return [f"{words} would stay", f"({words} stay)"]
    return [f"{words} stay"] * 2


def whole_parts(caption: str) -> str:
    """A caption that breaks between its parts only."""
    return " · ".join(part.replace(" ", "\u00a0") for part in caption.split(" · "))


def neighbour_words(neighbours: tuple[Sequence[str], Sequence[tuple[str, str]]]) -> str:
    """Say whose neighbours decide how trustworthy pictures are; empty where there are none."""
    views, metrics = neighbours
    of: dict[str, str] = dict(metrics)
    groups: dict[str, list[str]] = {}
    for view in views:
        groups.setdefault(of.get(view, EUCLIDEAN), []).append(line(view, WORD // 4))
    each = (f"{METRIC_WORDS[metric]} of {', '.join(names)}" for metric, names in groups.items())
    return f"trust: neighbours by {'; '.join(each)}" if groups else ""


def _told(axis: Axis, value: float) -> str:
    """A value of an axis, and whose it is."""
    of = axis.view or axis.weighs
    return f"{at_text(axis, value)} of {of}" if of else at_text(axis, value)
