"""Figures 10 and 12: three films of rotating icons, of which one is common to all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, pictured, plot
from mvexplorer.experiments.measures import against_chance, by_chance
from mvexplorer.experiments.repetitions import Run
from mvexplorer.state.pictures.panel_result import Picture

PARAMS: dict[str, Any] = {"neighbourhood": "window", "neighbours": 7, "ridge": 0.0}
"""Algorithm 4 as printed: seven frames, every direction, no ridge."""


def measure(setting: int, run: Run) -> ExperimentResult:
    """The energy of the leading coordinate at the turns of the common icon, and at those of the others."""
    source = _source(setting)
    energies = run.each("energy", run.seeds(3, 20), lambda seed: _energies(_leading(source.load(random_state=seed))))
    common, others = np.median(np.array(energies), axis=0).tolist()
    data = source.load()
    v = _leading(data)
    ranks = range(1, 7)
    by_rank = np.array([_energies(_leading(data, rank))[0] for rank in ranks])
    pictures = () if data.images is None else (pictured("Frames of the three films, side by side", data.images[:24:3]),)
    # turns within the film: 300 frames at 4, 6, 10 and 15 degrees
    icons = {3.33: "Mario", 5.0: "Mushroom", 8.33: "Turtle", 12.5: "Flower"}
    return ExperimentResult(
        against_chance(icon_claims(common, others), by_chance(lambda w: _energies(w)[0], v)),
        (
            plot(
                "Leading coordinate of tensor CCA",
                "turns within the film",
                "part of the energy",
                (curve("every direction", np.arange(20.0), _spectrum(v)[:20]),),
                marks=tuple(icons.items()),
            ),
            plot(
                "Energy at the common icon's turns, where the local CCA keeps fewer directions",
                "directions kept",
                "part of the energy",
                (curve("energy", np.array(ranks, dtype=float), by_rank),),
                limits=(0.0, 1.0),
            ),
            *pictures,
        ),
    )


def icon_claims(common: float, others: float) -> tuple[Bar, ...]:
    """The claims: the common icon's turns are found, those of the others are missing."""
    return (
        Bar("energy at the common icon's turns", common, at_least=0.8),
        Bar("energy at the other icons' turns", others, at_most=0.1),
    )


def _leading(data: MultiView, rank: int | None = None) -> Array:
    return embed(data, "tensor-cca", **{**PARAMS, "cca_rank": rank}).coordinates[:, 0]


def _spectrum(v: Array) -> Array:
    """The parts of a vector's energy at each number of turns."""
    power = np.abs(np.fft.rfft(v - v.mean())) ** 2
    parts: Array = power / power.sum()
    return parts


def _energies(v: Array) -> list[float]:
    spectrum = _spectrum(v)
    # bins at the mushroom's five turns, one to either side of it; and at the other icons' turns
    common, others = [4, 5, 6], [3, 8, 9, 12, 13]
    return [float(spectrum[common].sum()), float(spectrum[others].sum())]


def live(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the panel of tensor CCA shows, at whatever rank."""
    return icon_claims(*_energies(seen[0].embedding.coordinates[:, 0]))


def _source(setting: int) -> Source:
    return Source(generator="make_rotating_icons", keywords={"setting": setting})


def _icons(setting: int, figure: str, caption: str) -> Experiment:
    return Experiment(
        id=f"yair2016-fig{10 if setting == 1 else 12}",
        paper="yair2016",
        figure=figure,
        title="The icon that all three films share" + ("" if setting == 1 else ", beside ones that two share"),
        caption=caption + " The Fourier spectrum of the leading coordinate of tensor CCA on windows of seven frames, "
        "with every direction and no ridge. Beside it, as ours, what fewer directions give.",
        look_for="One peak at five turns, the mushroom's, and none at the other icons'.",
        source=_source(setting),
        panels=(
            ShownPanel("tensor-cca", pins={**PARAMS, "cca_rank": None}),
            ShownPanel("single"),
            ShownPanel("multiview"),
        ),
        epsilon="median",
        colour="latent:mushroom",
        measure=partial(measure, setting),
        live=live,
        quick_seconds=2.0,
        knob="Change the rank of the local CCA: with few directions it often misses the mushroom. The third moment "
        "that tensor CCA maximises sees skewed variables, and a turning icon is not one.",
        turns=(
            Turn("Every direction", params={"cca_rank": None}),
            *(Turn(f"Rank {rank}", params={"cca_rank": rank}) for rank in (1, 2, 3, 4, 6)),
        ),
        stands_for="the authors' drawn icons",
    )


FIG10 = _icons(1, "figures 9 and 10", "Three films, each of two turning icons; one icon is in all of them.")
FIG12 = _icons(2, "figures 11 and 12", "Three films of three turning icons; every two films share one more icon.")
