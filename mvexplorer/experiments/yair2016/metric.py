"""Figures 1 and 2: distances between hidden variables, from what is observed of them."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.methods.shared.cca import lengths, metric_distances_from
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source
from mvexplorer.experiments.figures import cloud, curve, plot
from mvexplorer.experiments.repetitions import Run


def measure(run: Run) -> ExperimentResult:
    """The metric at middle points and the one at the samples against the true distances, exact Jacobians given."""
    errors = np.median(np.array(run.each("errors", run.seeds(3, 20), _errors)), axis=0).tolist()
    z, true, middle, ends = _distances(0)
    x = observe(z)
    drawn = 4000
    some = np.random.default_rng(1).choice(len(true), drawn, replace=False)
    return ExperimentResult(
        metric_claims(*errors),
        (
            *(
                plot(
                    title,
                    "true squared distance",
                    "estimated",
                    (curve("pairs", true[some], d[some], markers=True), curve("equal", true[some], true[some])),
                )
                for title, d in (("Metric at the two samples", ends), ("Metric at the middle point", middle))
            ),
            cloud("Hidden variables", z, z[:, 0], coloured_by="first hidden variable"),
            cloud("Observed", x, z[:, 0], coloured_by="first hidden variable"),
        ),
    )


def metric_claims(
    near_middle: float, near_ends: float, far_middle: float, far_ends: float, follows: float
) -> tuple[Bar, ...]:
    """The claims: near pairs are right either way, far ones only at the middle point."""
    return (
        Bar("median relative error of far pairs, metric at the middle point", far_middle, at_most=0.1),
        Bar(
            "error of far pairs, metric at the two samples, over that at the middle point",
            far_ends / far_middle,
            at_least=3.0,
        ),
        Bar(
            "median relative error of near pairs, the worse of the two metrics",
            max(near_middle, near_ends),
            at_most=0.05,
        ),
        Bar("correlation with the true distances, at the middle point", follows, at_least=0.97),
    )


def _distances(seed: int) -> tuple[Array, Array, Array, Array]:
    """Hidden variables (400, 2), and of all pairs the true squared distance and the two estimates."""
    n_samples = 400
    z = np.random.default_rng(seed).uniform(0, 2, (n_samples, 2))
    x = observe(z)
    i, j = np.triu_indices(len(z), 1)
    middle = lengths(x[i] - x[j], inverse_jacobian(hidden(0.5 * (x[i] + x[j]))))
    one_sided = metric_distances_from(x, np.arange(len(z)), inverse_jacobian(z))
    return z, ((z[i] - z[j]) ** 2).sum(axis=1), middle, (0.5 * (one_sided + one_sided.T))[i, j]


def _errors(seed: int) -> list[float]:
    """Median relative errors: near pairs by both metrics, far ones by both; and how well the middle point follows."""
    _, true, *both = _distances(seed)
    near, far = 0.25, 1.0  # squared distances up to which a pair counts as near, and beyond which as far
    errors = [
        float(np.median(np.abs(d - true)[pairs] / true[pairs])) for pairs in (true <= near, true > far) for d in both
    ]
    return [*errors, float(np.corrcoef(both[0], true)[0, 1])]


def observe(z: Array) -> Array:
    """The observations (M, 2) of hidden variables (M, 2): the function of section VII-A."""
    return np.column_stack([z[:, 0] ** 2 - z[:, 1], z[:, 0] + np.sqrt(z[:, 1])])


def hidden(x: Array) -> Array:
    """The inverse of `observe`."""
    root = (x[..., 1] ** 2 - x[..., 0]) / (2 * x[..., 1])
    return np.stack([x[..., 1] - root, root**2], axis=-1)


def inverse_jacobian(z: Array) -> Array:
    """J⁻ᵗ (M, 2, 2) of `observe`, so that B Bᵗ = (J Jᵗ)⁻¹."""
    one = np.ones(z.shape[:-1])
    J = np.stack([np.stack([2 * z[..., 0], -one], -1), np.stack([one, 0.5 / np.sqrt(z[..., 1])], -1)], -2)
    return np.swapaxes(np.linalg.inv(J), -1, -2)


EXPERIMENT = Experiment(
    id="yair2016-fig2",
    paper="yair2016",
    figure="figures 1 and 2",
    title="Distances between hidden variables",
    caption="Two hidden variables are seen through a curved function. Their squared distances, estimated by the metric "
    "at the middle of two samples and by the mean of the metrics at both.",
    look_for="Near pairs are right either way; far ones stay near the diagonal only with the middle point.",
    source=Source(generator="make_shared_latent", keywords={"n_samples": 150}),
    panels=(ShownPanel("local-cca"), ShownPanel("local-cca", pins={"middle_points": True})),
    colour="latent:z",
    measure=measure,
    quick_seconds=0.5,
)
