"""Figures 6 and 8: films of two coupled pendulums, alone and beside others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, pictured, plot
from mvexplorer.experiments.measures import against_chance, by_chance
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture

COUPLED = {1.0: "coupled", 1.6: "coupled"}
WINDOW: dict[str, Any] = {"neighbourhood": "window", "neighbours": 8, "ridge": 0.01, "directions": 1}
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "Diffusion map of the left film": ("single", {"epsilon": "median"}),
    "Kernel CCA": ("kernel-cca", {"epsilon": "median"}),
    "Alternating diffusion": ("alternating", {"epsilon": "median"}),
    "Local CCA": ("local-cca", WINDOW),
    "Ours: local CCA, every direction": ("local-cca", {**WINDOW, "directions": 7}),
}
"""The embeddings of each pair of films: the methods that the paper compares, then a control of our own."""


def measure_alone(run: Run) -> ExperimentResult:
    """The coupled frequencies in the leading coordinate, where there is nothing else to see."""
    return _outcome(run, ALONE, alone, COUPLED)


def measure_beside(run: Run) -> ExperimentResult:
    """The same where each film has a pendulum of its own."""
    own = {0.2: "own pendulum, left", 4.0: "own pendulum, right"}
    return _outcome(run, BESIDE, beside, {**COUPLED, **own})


def alone(film: float, kernel_cca: float, alternating: float, ours: float) -> tuple[Bar, ...]:
    """The claims where the films show the coupled pendulums alone."""
    return (
        Bar("energy of local CCA's coordinate at the coupled frequencies", ours, at_least=0.8),
        Bar("that of the diffusion map of one film", film, at_least=0.8),
        Bar("that of kernel CCA", kernel_cca, at_most=0.3),
        Bar("that of alternating diffusion", alternating, at_most=0.3),
    )


def beside(film: float, kernel_cca: float, alternating: float, ours: float) -> tuple[Bar, ...]:
    """The claims where each film shows one of its own, too."""
    first, second, *others = alone(film, kernel_cca, alternating, ours)
    return first, replace(second, at_least=None, at_most=0.3), *others


def of_panels(seen: Sequence[Picture]) -> list[float]:
    """The energies of the four panels."""
    return [energy(picture.embedding.coordinates[:, 0]) for picture in seen]


def _outcome(
    run: Run, source: Source, claims: Callable[..., tuple[Bar, ...]], marks: dict[float, str]
) -> ExperimentResult:
    data = source.load()
    leading = _leading(data)
    chance = by_chance(energy, leading[list(ASKED).index("Local CCA")])
    return ExperimentResult(
        against_chance(claims(*_energies(run, source)), chance), (*_spectra(leading, marks), *_frames(data))
    )


def _energies(run: Run, source: Source) -> list[float]:
    """Medians over seeds of the methods that the paper compares."""
    seeds = run.seeds(1, 10)
    energies = run.each("energy", seeds, lambda seed: [energy(v) for v in _leading(source.load(random_state=seed))])
    return [float(value) for value in np.median(np.array(energies), axis=0)[: len(PANELS)]]


def _leading(data: MultiView) -> list[Array]:
    return [embed(data, id, **params).coordinates[:, 0] for id, params in ASKED.values()]


def energy(v: Array) -> float:
    """The part of a vector's spectrum near 1 and 1.6 Hz: bins 5 ± 1 and 8 ± 1 of five seconds."""
    power = np.abs(np.fft.rfft(v - v.mean())) ** 2
    return float(power[[4, 5, 6, 7, 8, 9]].sum() / power.sum())


def _spectra(leading: list[Array], marks: dict[float, str]) -> tuple[Figure, ...]:
    curves = []
    seconds = 5.0
    for name, v in zip(ASKED, leading, strict=True):
        power = np.abs(np.fft.rfft(v - v.mean())) ** 2
        hertz = np.arange(len(power)) / seconds
        kept = hertz <= 6.0
        line = curve("leading coordinate", hertz[kept], power[kept] / power.sum())
        curves.append(plot(name, "frequency in Hz", "part of the energy", (line,), marks=tuple(marks.items())))
    return tuple(curves)


def _frames(data: MultiView) -> tuple[Figure, ...]:
    """Some frames of both films, side by side."""
    return () if data.images is None else (pictured("Frames of both films", data.images[:40:5]),)


ALONE = Source(generator="make_pendulums", keywords={"specific": False})
BESIDE = Source(generator="make_pendulums")
PANELS = (
    ShownPanel("single", pins={"epsilon:left": "median"}),
    ShownPanel("kernel-cca"),
    ShownPanel("alternating"),
    ShownPanel("local-cca", pins=WINDOW),
)
FIG6 = Experiment(
    id="yair2016-fig6",
    paper="yair2016",
    figure="figures 3-6",
    title="Two coupled pendulums, filmed apart",
    caption="One film of each of two coupled pendulums, 400 frames as random projections of the pixels. The Fourier "
    "spectrum of the leading coordinate of four methods; beside them, as ours, local CCA with every direction kept.",
    look_for="Both frequencies of the coupled system, 1 and 1.6 Hz, from local CCA and from one film alone; mostly "
    "other ones from kernel CCA and alternating diffusion.",
    source=ALONE,
    panels=PANELS,
    epsilon="median",
    colour="latent:u1",
    measure=measure_alone,
    live=lambda _, seen: alone(*of_panels(seen)),
    quick_seconds=4.0,
    knob="The page Diagnostics draws the spectrum in time of the panel in focus.",
    turns=(Turn("Page Diagnostics", page="diagnostics"),),
    stands_for="the authors' rendered films",
)
FIG8 = replace(
    FIG6,
    id="yair2016-fig8",
    figure="figures 7 and 8",
    title="Coupled pendulums beside others",
    caption="The same films, each with a pendulum of its own that the other film does not see.",
    look_for="Only local CCA keeps to the coupled frequencies; a diffusion map of one film follows its own pendulum, "
    "kernel CCA and alternating diffusion mostly others.",
    source=BESIDE,
    measure=measure_beside,
    live=lambda _, seen: beside(*of_panels(seen)),
    knob="Give local CCA seven directions: with 8 samples a neighbourhood, every canonical correlation is then 1, and "
    "the second film has no effect.",
    turns=(
        *FIG6.turns,
        Turn("One direction", params={"directions": 1}),
        Turn("Seven directions", params={"directions": 7}),
    ),
)
