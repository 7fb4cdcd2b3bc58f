"""Figures 10 and 12: three films of rotating icons, of which one is common to all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.experiments.experiment import Bar, Experiment, Outcome, Shown, Source, Turn
from mvexplorer.experiments.figures import Curves, Line, Pictures
from mvexplorer.experiments.measures import by_chance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvexplorer.engine.core.multiview import Array, MultiView
    from mvexplorer.experiments.repetitions import Run
    from mvexplorer.state.portable import Picture

ICONS = {3.33: "Mario", 5.0: "Mushroom", 8.33: "Turtle", 12.5: "Flower"}
"""Turns within the film: 300 frames at 4, 6, 10 and 15 degrees."""
PARAMS: dict[str, Any] = {"neighbourhood": "window", "neighbours": 7, "ridge": 0.0}
RANKS = range(1, 7)


def measure(setting: int, icons: int, run: Run) -> Outcome:
    """The energy of the leading coordinate at the frequency of the common icon, by the rank of the local CCA."""
    data = _source(setting).load()
    leading = {rank: embed(data, "tensor-cca", **{**PARAMS, "cca_rank": rank}, task=run.task).coordinates[:, 0]
               for rank in RANKS}  # fmt: skip
    found = {rank: energy(v) for rank, v in leading.items()}
    proper = 2 * icons  # a turning icon moves in a plane
    pictures = () if data.images is None else (Pictures("Frames of the three films, side by side", data.images[:24:3]),)
    return Outcome(
        (
            Bar(f"energy at the common icon's frequency, rank {proper} (two for each icon)", found[proper],
                at_least=0.8, null=by_chance(energy, leading[proper])),
            Bar("the smallest energy of ranks 1 to 6", min(found.values()), at_least=0.8),
        ),
        (
            Curves("Leading coordinate of tensor CCA", "turns within the film", "part of the energy",
                   tuple(_line(f"rank {rank}", v) for rank, v in leading.items()), marks=tuple(ICONS.items())),
            *pictures,
        ),
    )  # fmt: skip


def energy(v: Array) -> float:
    """The part of a vector's spectrum at five turns, and one bin to either side."""
    power = np.abs(np.fft.rfft(v - v.mean())) ** 2
    return float(power[4:7].sum() / power.sum())


def live(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The energy of what the panel of tensor CCA shows, at whatever rank."""
    e = seen[0].embedding
    what = f"energy at the common icon's frequency, rank {e.params['cca_rank'] or 'of all'}"
    return (Bar(what, energy(e.coordinates[:, 0]), at_least=0.8),)


def _line(name: str, v: Array) -> Line:
    power = np.abs(np.fft.rfft(v - v.mean())) ** 2
    return Line(name, np.arange(20.0), power[:20] / power.sum())


def _source(setting: int) -> Source:
    return Source(generator="make_rotating_icons", keywords={"setting": setting})


def _icons(setting: int, icons: int, figure: str, caption: str) -> Experiment:
    return Experiment(
        id=f"yair2016-fig{10 if setting == 1 else 12}",
        paper="yair2016",
        figure=figure,
        title="The icon that all three films share" + ("" if setting == 1 else ", beside ones that two share"),
        caption=caption + " The Fourier spectrum of the leading coordinate of tensor CCA.",
        look_for="One peak at five turns, the mushroom's, and none at the other icons'.",
        source=_source(setting),
        panels=(Shown("tensor-cca", pins={**PARAMS, "cca_rank": 2 * icons}), Shown("single"), Shown("multiview")),
        epsilon="median",
        colour="latent:mushroom",
        measure=partial(measure, setting, icons),
        live=live,
        quick_seconds=3.0,
        why="The third moment that tensor CCA maximises sees a skewed common variable only, and a turning icon is not "
        "skewed: what comes out depends on how many directions the local step keeps.",
        knob="Change the rank of the local CCA.",
        turns=tuple(Turn(f"Rank {rank}", params={"cca_rank": rank}) for rank in (1, 2, 3, 4, 6)),
        stands_for="the authors' drawn icons",
    )


FIG10 = _icons(1, 2, "figures 9 and 10", "Three films, each of two turning icons; one icon is in all of them.")
FIG12 = _icons(2, 3, "figures 11 and 12", "Three films of three turning icons; every two films share one more icon.")
