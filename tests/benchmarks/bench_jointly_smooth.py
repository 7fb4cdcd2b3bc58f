"""A drag of jointly smooth functions against the same drag of its views' single panels, which find the same vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from comparison import SAMPLE, Comparison, Prepared, sized

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import MultiView

FUNCTIONS = sized(20, 4)
STEPS = sized(12, 2)
STEP = 1.02
"""By how much ε grows from step to step."""


def data_and_epsilon(source: str, factor: float) -> tuple[MultiView, tuple[float, ...]]:
    import mvexplorer as mvx

    data = mvx.datasets.make_tori(n_samples=sized(2000, 60)) if source == "tori" else mvx.load(source)
    return data, tuple(factor * epsilon for epsilon in mvx.select_epsilon(data, "median"))


def drag(source: str, factor: float, pictures: Sequence[dict[str, Any]]) -> Prepared:
    """Drags of these pictures, one after the other, neither with anchors nor with bases between them."""
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.api.embedding import embed
    from mvexplorer.engine.core.task import Task

    data, epsilon = data_and_epsilon(source, factor)

    def step(former: Sequence[Any], cache: StageCache, number: int, picture: dict[str, Any]) -> Any:
        task, at = Task(), [STEP**number * e for e in epsilon]
        start = former[-2:]
        return embed(data, epsilon=at, start=start, interactive=number > 0, task=task, memo=cache.memo(task), **picture)

    def all_pictures(first: int, stop: int, begun: list[tuple[list[Any], StageCache]]) -> None:
        for picture, (former, cache) in zip(pictures, begun, strict=True):
            for number in range(first, stop):
                former.append(step(former, cache, number, picture))

    begun = [(list[Any](), StageCache()) for _ in pictures]
    all_pictures(0, 3, begun)
    return Prepared(partial(all_pictures, 3, 3 + STEPS, begun), lambda: None, pieces=STEPS)


def joined(source: str, factor: float) -> Prepared:
    return drag(source, factor, [{"method": "jointly-smooth", "n_components": 3, "n_smooth": FUNCTIONS}])


def alone(source: str, factor: float) -> Prepared:
    views = data_and_epsilon(source, factor)[0].view_names
    return drag(source, factor, [{"method": "single", "view": view, "n_components": FUNCTIONS} for view in views])


def comparisons() -> Iterator[Comparison]:
    for source, factor, words in (("tori", 1 / 9, "tori"), (SAMPLE, 1.0, SAMPLE), (SAMPLE, 1 / 9, SAMPLE)):
        place = "the median" if factor == 1.0 else "median/9"
        ours, rival = partial(joined, source, factor), partial(alone, source, factor)
        name = f"a step of jointly smooth functions, {words} at {place}, d {FUNCTIONS}"
        yield Comparison(name, 1.3, ours, rival, f"its views alone, r {FUNCTIONS}", 5, at_most=True)
