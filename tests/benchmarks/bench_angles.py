"""How true drafts are: the worst angles of over two hundred seeded drags, as the test of drafts measures them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from comparison import Limit, sized

SEEDS = range(sized(3, 1))
TRUE = 0.05
"""Radians by which the first three vectors may be off in nearly all drags."""


def measure() -> Mapping[str, float]:
    """Drags of every data set, method and step of the test, with anchors and without."""
    engine = Path(__file__).resolve().parents[1] / "engine"
    sys.path[:0] = [str(engine / "api"), str(engine)]
    from test_draft_angles import DATA, METHODS, STEPS, Drag, worst_of

    drags = [Drag(*given) for given in product(DATA, METHODS, STEPS, (True, False), SEEDS)]
    worst = worst_of(drags[: sized(len(drags), 1)]).values()
    angles = [off.subspace for off in worst]
    return {
        "rad at worst": max(angles),
        "rad of a drawn axis at worst": max(off.axis for off in worst),
        f"% of drags within {TRUE:g} rad": 100.0 * sum(angle <= TRUE for angle in angles) / len(angles),
        "drags": float(len(angles)),
    }


def measure_prepared() -> Mapping[str, float]:
    """Two hundred seeded places between anchors, on all samples."""
    sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "engine" / "api")]
    from test_prepared_angles import off_at, places, told

    return told([off_at(place, sized(2000, 100)) for place in places(sized(200, 6))])


def comparisons() -> Iterator[Limit]:
    least = {f"% of drags within {TRUE:g} rad": 99.0}
    yield Limit(
        "drafts' angles, first three vectors",
        {"rad at worst": 0.2, "rad of a drawn axis at worst": 0.1},
        measure,
        1,
        least,
    )
    bars = {"rad at worst where certified": 0.1, "% of places without a certificate": 20.0}
    within = {"% of certified places within the bar": 99.0}
    yield Limit("prepared answers' angles, drawn axes", bars, measure_prepared, 1, within)
