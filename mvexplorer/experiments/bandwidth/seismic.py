"""Figures 5.2 to 5.4: explosions ordered by where they were, with one channel of three spoilt."""

from __future__ import annotations

from functools import partial

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.bandwidth.manifold_scaling import manifold_scaling
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source
from mvexplorer.experiments.figures import cloud, curve, plot
from mvexplorer.experiments.measures import by_chance, classes_of
from mvexplorer.experiments.repetitions import Run

COMPONENTS = 10
"""Principal components of each channel's sonograms on which features are weighed."""
POWER = 0.1
"""The first test: the vertical channel's features to this power."""


def measure(run: Run) -> ExperimentResult:
    """Measure how well two coordinates tell the place of the event, by rule, and the weight of the spoilt channel."""
    noise = run.choose(
        "s.d. of the noise over that of the features", [1.0, 10.0, 30.0], [0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
    )
    events, seeds = run.choose("explosions", 62, 352), run.seeds(3, 5)
    cells = [(level, seed) for level in (0.0, *noise) for seed in seeds]
    correlations = np.array(run.each("correlation", cells, partial(_correlations, events)))
    middle = np.median(correlations.reshape(len(noise) + 1, len(seeds), -1), axis=1)
    names = ("manifold", "log-sum", "max-min", "std")
    power, under_noise, weight = middle[0], middle[1:, : len(names)], middle[:, -1]
    ahead = float((under_noise[:, 0] - under_noise[:, 1:].max(axis=1)).mean())
    pictures, delay, _ = _pictures(62, 0.0, 0)
    return ExperimentResult(
        seismic_claims(
            float(power[0]), ahead, float(weight[0]), by_chance(partial(_explained, pictures["manifold"]), delay)
        ),
        (
            *(
                cloud(
                    f"Explosions by {name}, Z to the power {POWER:g}", Y, delay, coloured_by="delay of the S wave in s"
                )
                for name, Y in pictures.items()
            ),
            plot(
                "Correlation with the delay of the S wave",
                "s.d. of the noise in Z over that of the features",
                "canonical correlation",
                tuple(curve(name, np.array(noise), under_noise[:, k]) for k, name in enumerate(names)),
                log_across=True,
            ),
            plot(
                "Part of Z in the variance, weighted over unweighted",
                "s.d. of the noise in Z over that of the features",
                "ratio",
                (curve("ratio", np.array(noise), weight[1:]),),
                log_across=True,
            ),
        ),
    )


def seismic_claims(
    power: float, ahead: float, weight: float, null: tuple[float, float] | None = None
) -> tuple[Bar, ...]:
    """The claims about the rule `manifold` where one channel of three is spoilt."""
    return (
        Bar(f"correlation by the rule manifold, Z to the power {POWER:g}", power, at_least=0.7, null=null),
        Bar("that minus the best other rule's under noise in Z, the mean over the noise", ahead, at_least=0.0),
        Bar(f"part of Z in the variance, weighted over unweighted, Z to the power {POWER:g}", weight, at_most=0.8),
    )


def _pictures(events: int, level: float, seed: int) -> tuple[dict[str, Array], Array, float]:
    """Two coordinates by each rule, the delays of the S waves, which are distances, and the share of Z that is left."""
    snr = 100.0  # what is spoilt is spoilt afterwards
    source = Source(generator="make_seismic_events")
    raw = source.load(n_samples=round(events * 108 / 62), snr=snr, random_state=seed)
    raw = raw.take(np.flatnonzero(classes_of(raw) == "explosion"))
    data = waveform_views(raw, 40.0, "seismic-events")
    north, east, vertical = (data.Xs[data.view_index(name)] for name in "NEZ")
    X = np.hstack([_leading(channel) for channel in (north, east, spoilt(vertical, level, seed))])
    scaling = manifold_scaling(X, dimension=2)
    weighed, white = scaling.scale(X), X / X.std(axis=0)
    embeddings = {
        "manifold": embed([weighed], "single", epsilon=scaling.epsilon),
        "log-sum": embed([X], "single", epsilon="log-sum"),
        "max-min": embed([X], "single", epsilon="2*max-min"),
        "std": embed([white], "single", epsilon="std"),
    }
    delay = raw.latent["t_S"] - raw.latent["t_P"]
    return {name: e.coordinates for name, e in embeddings.items()}, delay, part_of_last(weighed) / part_of_last(X)


def spoilt(Z: Array, level: float, seed: int) -> Array:
    """g(Z) of (5.3): with noise of so many standard deviations, or without any to the power .1."""
    if not level:
        power: Array = Z**POWER
        return power
    noisy: Array = Z + level * Z.std(axis=0).mean() * np.random.default_rng(seed).standard_normal(Z.shape)
    return noisy


def _leading(X: Array) -> Array:
    left, values, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    components: Array = left[:, :COMPONENTS] * values[:COMPONENTS]
    return components


def part_of_last(X: Array) -> float:
    """The last channel's part in the variance of all columns (M, 3 COMPONENTS)."""
    variances = X.var(axis=0)
    return float(variances[-COMPONENTS:].sum() / variances.sum())


def _correlations(events: int, cell: tuple[float, int]) -> list[float]:
    pictures, delay, weight = _pictures(events, *cell)
    return [*(_explained(Y, delay) for Y in pictures.values()), weight]


def _explained(Y: Array, value: Array) -> float:
    """The canonical correlation of coordinates (M, 2) and one variable (M,)."""
    Y, value = Y - Y.mean(axis=0), value - value.mean()
    fit = Y @ np.linalg.lstsq(Y, value, rcond=None)[0]
    return float(np.linalg.norm(fit) / np.linalg.norm(value))


EXPERIMENT = Experiment(
    id="bandwidth-fig5.4",
    paper="bandwidth",
    figure="figures 5.2-5.4",
    title="Where explosions were, one of three channels spoilt",
    caption="62 synthetic explosions, in full 352; ten principal components of the sonograms of each of three "
    "channels. The features of the vertical one are spoilt, by a power or by noise; canonical correlation of two "
    "diffusion coordinates with the delay of the S wave, which tells the distance. In the window the channels are as "
    "they were.",
    look_for="The spoilt channel has half the weight that it has without the rule, where the noise is louder than the "
    "features; yet the correlation is not best under the rule that weights features.",
    source=Source(sample="seismic-events", sonograms="seismic-events", preprocess=f"pca:{COMPONENTS}"),
    panels=tuple(ShownPanel("single", channel) for channel in "NEZ"),
    epsilon="manifold(dimension=2)",
    colour="latent:t_S",
    measure=measure,
    quick_seconds=8.0,
    why="The weights take much of the spoilt channel away, but the rule looks for two dimensions, and synthetic events "
    "differ in delay, frequencies and amplitudes at once: wide bandwidths, which average, tell the delay better.",
    stands_for="352 explosions of known quarries",
)
