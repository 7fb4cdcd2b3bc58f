"""The signs that samples carry as they open: each is listed with what it is meant to say, and there are no others."""

import pytest
from sentences import SENTENCES, Opened

import mvexplorer as mvx
from mvexplorer.datasets.catalogue import find_sample, samples
from mvexplorer.datasets.loading import load_source
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document.fresh import initial_state
from mvexplorer.state.pictures.bends import signs

CURVE = "is largely a function of", "a long curve: the second coordinate is the first one's double, and says so"
FLAT = (
    "samples look nearly alike",
    "at the median two views tell little by this walk; a smaller ε is the first thing to try",
)
ROUNDED = "are below rounding", "of a walk that is nearly of rank one the last coordinates are noise"
LOUD = "sets", "the loudest events lie far from all others: the lesson is to compare sonograms"
MEANT = {
    "helix-a": {"single": [CURVE]},
    "helix-b": {"single": [CURVE]},
    "gap-rolls": {"single": [CURVE], "kernel-sum": [CURVE], "multiview": [CURVE]},
    "rotated-rolls": {"kernel-product": [CURVE]},
    "touching-rolls": {"kernel-product": [CURVE]},
    "toy-train": {"single": [CURVE]},
    "shared-latent": {"single": [CURVE], "de-sa": [ROUNDED], "multiview": [ROUNDED]},
    "noisy-digits": {"de-sa": [FLAT], "multiview": [FLAT]},
    "pendulums": {"de-sa": [FLAT, ROUNDED], "multiview": [FLAT, ROUNDED]},
    "rotated-digit": {
        "single": [
            ("Isolated", "all affinities are below .001, and a larger ε runs through the ring twice: the lesson")
        ]
    },
    "seismic-events": {
        "single": [LOUD],
        "kernel-sum": [LOUD],
        "kernel-product": [LOUD],
        "de-sa": [FLAT, ("Only a few samples are apart", LOUD[1])],
        "multiview": [FLAT, ("Only a few samples are apart", LOUD[1])],
    },
}
"""Sample -> method -> parts of signs, each with its reason."""


LONG = {"uci-digits", "coupled-circles", "noisy-swiss-roll"}
"""Samples of many rows or views."""


@pytest.mark.parametrize(
    "sample", [pytest.param(each.id, marks=pytest.mark.nightly) if each.id in LONG else each.id for each in samples()]
)
def test_each_sign_is_meant_and_the_sentence_is_true(sample):
    """At the ε that they open with."""
    loaded = load_source(sample)
    state = initial_state(loaded.data, (sample,), loaded.manifest)
    computed = compute(state, loaded.data)
    found: dict[str, set[str]] = {}
    for panel in state.panels:
        found.setdefault(panel.method, set()).update(signs(panel, computed.results[panel.id]))
    meant = MEANT.get(sample, {})
    for method, said in found.items():
        parts = [part for part, _ in meant.get(method, [])]
        assert [text for text in said if not any(part in text for part in parts)] == []
        assert [part for part in parts if not any(part in text for text in said)] == []
    said, holds = SENTENCES[sample]
    assert find_sample(sample).look == said
    holds(Opened(computed))


@pytest.mark.nightly
def test_at_the_median_the_kernel_sum_of_all_six_views_of_the_digits_wins():
    """The sentence beside the button says where multi-view does: the bandwidth decides, that is the lesson."""
    data = load_source("uci-digits").data
    shown = ("kernel-sum", "kernel-product", "de-sa", "multiview")
    nmi = {
        id: mvx.metrics.nmi(mvx.embed(data, id, epsilon="median", n_components=12).coordinates, data.labels).value
        for id in shown
    }
    assert max(nmi, key=nmi.__getitem__) == "kernel-sum"
    assert nmi["kernel-sum"] == pytest.approx(0.9, abs=0.02)
