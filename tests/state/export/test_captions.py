"""Captions say in sentences what decides a picture, and only that."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.export.captions import document_caption, panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.pictures.colouring import resolve_colouring
from mvexplorer.version import __version__
from mvexplorer.wording import number

METHODS = ("single", "multiview", "concatenation", "pca", "jade", "local-cca")


def record_of(finished, colour="labels"):
    colouring = resolve_colouring(colour, finished.data, {})
    return document_record(finished.state, finished.data, "My data", finished.results.__getitem__, colouring)


def computed(*methods, **changes):
    drawn = np.random.default_rng(0).normal(size=(2, 60, 3))
    views = {"plain": drawn[0], "scaled": drawn[1], "third": drawn.sum(0)}
    data = MultiView(views, labels=np.arange(60) % 3, preprocess=["none", "zscore", "none"])
    state = commands.initial_state(data, ("memory",), None)
    panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(methods))
    return compute(state.model_copy(update={"panels": panels, **changes}), data)


@pytest.fixture(scope="module")
def finished():
    return computed(*METHODS, epsilon_scale=0.5, random_state=7)


@pytest.fixture(scope="module")
def captions(finished):
    record = record_of(finished)
    return {panel["method"]: panel_caption(panel, record) for panel in record["panels"]}


def test_a_caption_names_all_that_decides_the_picture(finished, captions):
    plain, scaled, third = (f"{e:.3g}" for e in finished.results["p1"].result.embedding.epsilon)
    found = captions["multiview"]
    assert found.startswith(
        f"Multi-view of plain and third (raw, Gaussian kernel, ε = {plain} and {third} by robust × 0.5) and "
        f"scaled (z-scored, Gaussian kernel, ε = {scaled} by robust × 0.5), with η = 0, t = 1, r = 12."
    )
    nmi = finished.results["p1"].scores.nmi
    assert f"NMI {nmi.value:.2f} ± {nmi.spread:.2f}: normalised mutual information of classes and k-means" in found
    assert f"My data: 60 samples, coloured by label, seed 7; mvexplorer {__version__}." in found
    assert "\n" not in found


@pytest.mark.parametrize(
    ("method", "told", "left_out"),
    [
        ("single", "Single view of plain (raw, Gaussian kernel, ε =", "η"),
        ("pca", "PCA of plain (raw), third (raw)|PCA of plain", "ε"),
        ("concatenation", "joint ε = ", "ε₀"),
        ("jade", "Joint diagonalisation of", "W = "),
        ("local-cca", "Local CCA of plain (raw) and scaled (z-scored), with t = 1, r = 12", "kernel"),
    ],
)
def test_what_has_no_effect_is_left_out(captions, method, told, left_out):
    assert any(each in captions[method] for each in told.split("|"))
    assert left_out not in captions[method].split(". ")[0]


def test_what_differs_from_the_default_is_told():
    found = computed("jade", "kernel-cca", params={**computed().state.params, "graph_neighbours": 5, "centred": True})
    record = record_of(found)
    assert "k = 5" in panel_caption(record["panels"][0], record)
    assert "centred kernels: yes" in panel_caption(record["panels"][1], record)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"self_loops": False}, "without loops"),
        ({"normalisation": "doubly-stochastic"}, "doubly stochastic"),
        ({"normalisation": "doubly-stochastic", "self_loops": True}, "doubly stochastic, loops kept"),
    ],
)
def test_ingredients_are_told_in_their_words_where_they_matter(changes, told):
    """A graph of nearest neighbours has neither; one of the kernel has both."""
    for graph in ("knn", "kernel"):
        found = computed("kernel-sum", "laplacian-mean", params={**computed().state.params, "graph": graph, **changes})
        record = record_of(found)
        by_kernel, by_graph = (panel_caption(panel, record).split(". ")[0] for panel in record["panels"])
        assert by_kernel.endswith(f", {told}")
        assert by_graph.endswith(f", {told}") == (graph == "kernel")
        for caption in (by_kernel, by_graph):
            assert not any(words in caption for words in ("steps that stay", "normalisation"))
        if graph == "knn":
            assert "loops" not in by_graph
            assert "stochastic" not in by_graph


def test_a_view_is_told_apart_from_those_that_it_is_compared_with():
    record = record_of(computed("view-specific", params={**computed().state.params, "n_smooth": 8}))
    found = panel_caption(record["panels"][0], record)
    assert found.startswith("View-specific of plain (raw, Gaussian kernel, ε = ")
    assert " by robust) beyond scaled (z-scored, " in found
    assert " and third (raw, " in found


def test_functions_in_common_are_counted_beside_what_chance_reaches():
    found = computed("jointly-smooth", "kernel-sum")
    record = record_of(found)
    info = found.results["p0"].result.embedding.info
    count, band = int(info["common_functions"]), number(info["common_band"])
    told = f"{count} common function{'s' * (count != 1)}: γ above {band}, the most that views with shuffled rows reach."
    assert f" {told} " in panel_caption(record["panels"][0], record)
    assert told in document_caption(record)
    assert "common function" not in panel_caption(record["panels"][1], record)
    shifted = panel_caption({**record["panels"][0], "common_band_by_shifts": 1.0}, record)
    assert "the most that views shifted in time reach" in shifted


def test_samples_drawn_at_random_and_kernels_are_told():
    found = computed("single", subsample=40)
    state = found.state.with_view("plain", kernel="laplacian", weights=(1.0, 0.0, 2.0), epsilon=3.0)
    record = record_of(compute(state, found.data))
    caption = panel_caption(record["panels"][0], record)
    assert "solved on 40 drawn at random, seed 0" in caption
    assert "Laplacian (L1) kernel, ε = 3.00 set by hand" in caption


def test_a_stale_picture_and_a_failure_say_so(finished):
    known = finished.results["p1"]
    status, known.status = known.status, "computing"
    try:
        record = record_of(finished)
        assert " Stale: computed for former settings. " in panel_caption(record["panels"][1], record)
    finally:
        known.status = status
    record = record_of(finished)
    failed = {"title": "Multi-view", "method": "multiview", "stale": False, "warnings": [], "error": "Too few samples."}
    assert panel_caption(failed, record).startswith("Multi-view: no result (Too few samples). My data: 60 samples")


def test_a_turned_picture_says_what_its_axes_are(finished):
    known = finished.results["p1"]
    drawing = known.drawing
    known.draw(replace(drawing, axis_names=("≈ ψ₁", "≈ ψ₂")))
    try:
        turned = record_of(finished)
    finally:
        known.draw(drawing)
    explained = "≈: the picture is turned to match the one before, so that each axis mixes coordinates."
    assert [explained in panel_caption(panel, turned) for panel in turned["panels"][:2]] == [False, True]
    assert document_caption(turned).count(explained) == 1
    assert explained not in document_caption(record_of(finished))


def test_a_stale_picture_keeps_its_own_rule(finished):
    known = finished.results["p0"]
    later = finished.state.with_view("plain", epsilon="median/9")
    record = document_record(later, finished.data, "", finished.results.__getitem__, None)
    assert known.result is not None
    assert record["panels"][0]["views"][0]["rule"] == "robust/2"


def test_one_caption_for_all_panels_says_what_they_share_once(finished):
    found = document_caption(record_of(finished))
    assert len(found.splitlines()) == len(METHODS) + 1
    assert found.count("60 samples") == found.count("normalised mutual information") == 1
    assert found.splitlines()[0].startswith("Single · plain: Single view of plain")
    assert found.splitlines()[1].startswith("Multi-view of plain")


def test_names_stay_names(finished):
    record = json.loads(json.dumps(record_of(finished)))
    record["data"] = "a <b>name</b>\nof two lines"
    assert "a <b>name</b> of two lines: 60 samples" in panel_caption(record["panels"][0], record)
