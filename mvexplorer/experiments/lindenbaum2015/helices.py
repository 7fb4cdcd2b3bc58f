"""Figures 8 to 13: two helices, each open; both views together close the ring."""

from __future__ import annotations

from functools import partial

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.hidden_scores import ring_gap, ring_order
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import cloud
from mvexplorer.experiments.measures import CLOSED, against_chance, by_chance, closed_ring, roundness
from mvexplorer.experiments.repetitions import Run
from mvexplorer.wording import fraction


def measure(generator: str, epsilon: float, run: Run) -> ExperimentResult:
    """Measure whether multi-view gives a closed ring in the order of the angle, and whether the product falls apart."""
    data = Source(generator=generator).load(n_samples=run.choose("samples", 600, 1000))
    e = embed(data, "multiview", epsilon=epsilon, task=run.task)
    product = embed(data, "kernel-product", epsilon=epsilon, task=run.task)
    angles = data.latent["a"], data.latent["b"]
    rings = list(zip(e.view_coordinates, angles, strict=True))
    return ExperimentResult(
        against_chance(bars(data, e, product), by_chance(lambda a: ring_order(rings[0][0], a).value, angles[0])),
        (
            *(
                cloud(f"View {i} as given", X, a, coloured_by=f"angle {letter}")
                for i, X, a, letter in zip((1, 2), data.Xs, angles, "ab", strict=True)
            ),
            *(
                cloud(f"Multi-view, view {i}", Y, a, coloured_by=f"angle {letter}")
                for i, (Y, a), letter in zip((1, 2), rings, "ab", strict=True)
            ),
            cloud("Kernel product", product.coordinates[:, :2], angles[0], coloured_by="angle a"),
        ),
    )


def bars(data: MultiView, both: Embedding, product: Embedding) -> tuple[Bar, ...]:
    """The claims about the coupled map and the kernel product."""
    rings = list(zip(both.view_coordinates, (data.latent["a"], data.latent["b"]), strict=True))
    return (
        Bar(
            "order of the angle along the ring (1: perfect), the worse view",
            min(ring_order(Y, a).value for Y, a in rings),
            at_least=0.98,
        ),
        closed_ring(max(ring_gap(Y).value for Y, _ in rings)),
        Bar("smallest radius over the median", min(roundness(Y) for Y, _ in rings), at_least=0.6),
        Bar("1 - λ₁ of the kernel product (0: in pieces)", 1.0 - float(product.eigenvalues[1]), at_most=1e-4),
    )


def _helix(id: str, figure: str, letter: str, epsilon: float, gaps: tuple[float, float]) -> Experiment:
    """The figures of one helix; `gaps` are the ring's largest gaps in radians, as printed and at 4 ε."""
    printed, wide = map(fraction, gaps)
    return Experiment(
        id=f"lindenbaum2015-{id}",
        paper="lindenbaum2015",
        figure=figure,
        title=f"Helix {letter.upper()}: the ring that no single view closes",
        caption="One closed curve seen as two helices that cut it open at different places. The coupled maps of both "
        "views, and the map of the kernel product.",
        look_for=f"A ring in the order of the angle for each view, whose largest gap is {printed} rad: closed, as no "
        f"gap is wider than {fraction(CLOSED)}. The kernel product is a line and a point.",
        source=Source(generator=f"make_helix_{letter}"),
        panels=(
            ShownPanel("single", "view1"),
            ShownPanel("single", "view2"),
            ShownPanel("kernel-product"),
            ShownPanel("multiview"),
        ),
        epsilon=epsilon,
        colour="latent:a",
        measure=partial(measure, f"make_helix_{letter}", epsilon),
        quick_seconds=0.5,
        knob=f"Drag ε: at a quarter of it the ring of multi-view is still closed, at 4 ε it is open by {wide} rad.",
        live=lambda data, seen: bars(data, seen[3].embedding, seen[2].embedding),
        turns=(Turn("ε as printed", epsilon), Turn("ε / 4", epsilon / 4), Turn("4 ε", 4 * epsilon)),
    )


HELIX_A = _helix("fig9", "figures 8-10", "a", 0.36, (0.38, 0.67))
HELIX_B = _helix("fig12", "figures 11-13", "b", 1.0, (0.14, 0.65))
