"""Data too large for all pairs: what is said before anything is computed, and what the ways out lead to."""

import numpy as np
import pytest
from inline import Inline, circle_data

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.datasets.catalogue import find_sample, open_sample
from mvexplorer.engine.api.approximation import approximation_error
from mvexplorer.engine.api.cost import estimate
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ComputeError, ParameterError
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.panel_result import TooLarge, approximation_text
from mvexplorer.state.session.session import open_session, save_session

MEBIBYTE = 1 << 20
N = 1500
MULTIVIEW, DE_SA = "p6", "p5"


@pytest.fixture
def document():
    document, data = Document(), circle_data(N)
    commands.open_data(document, data, commands.initial_state(data, ("memory",), None, False))
    return document


@pytest.fixture
def controller(document):
    controller = Controller(document, executor=Inline(), background=Inline())
    yield controller
    controller.shutdown()


def test_what_a_run_needs_is_known_before_it_runs(document, controller):
    controller.refresh()
    found, data = controller.result(MULTIVIEW), document.data
    widths = [X.shape[1] for X in data.Xs]
    assert found.cost == estimate(
        get_method("multiview"), N, widths, found.request.kernels, dict(found.request.params)["n_components"]
    )
    assert found.cost.bytes > 2 * (8 + 4) * N**2  # the kernels of both views, in both precisions
    assert found.budget == controller.scheduler.memory


def test_beyond_the_budget_nothing_is_computed_and_other_ways_are_offered(document, controller):
    controller.set_memory(32 * MEBIBYTE)
    for panel in document.state.panels:
        found = controller.result(panel.id)
        assert (found.status, found.result) == ("failed", None)
        assert isinstance(found.error, TooLarge)
    assert controller.cache.bytes == 0
    error = controller.result(MULTIVIEW).error
    assert error.message.startswith("Multi-view of 1,500 samples needs ")
    assert "of 32 MB" in error.message
    assert [way.kernel for way in error.alternatives] == ["knn-64"]
    assert error.hint == "Choose another way, or allow more memory."


def test_a_budget_too_small_for_anything_says_so(document, controller):
    controller.set_memory(64 << 10)
    error = controller.result(MULTIVIEW).error
    assert error.alternatives == ()
    assert error.hint == "Allow more memory, or keep fewer samples."


def test_more_memory_is_all_it_takes(document, controller):
    controller.set_memory(32 * MEBIBYTE)
    controller.set_memory(512 * MEBIBYTE)
    assert {controller.result(p.id).status for p in document.state.panels} == {"ready"}
    assert controller.cache.limit == 512 * MEBIBYTE


@pytest.mark.nightly
def test_a_way_is_taken_by_all_panels_in_one_step_and_back(document, controller):
    before = document.state
    commands.compute_by(document, "knn-64", None)
    assert {v.kernel for v in document.state.views} == {"knn-64"}
    assert controller.result(MULTIVIEW).result.request.kernels[0].text == "knn-64"
    commands.compute_by(document, "gaussian", 150)
    assert {v.kernel for v in document.state.views} == {"gaussian"}
    embedding = controller.result(MULTIVIEW).result.embedding
    assert embedding.coordinates.shape[0] == N
    assert embedding.info["random_part"] == 150
    assert controller.result(DE_SA).stand_in == "part of 150"
    commands.compute_by(document, "gaussian", None)
    document.undo()
    document.undo()
    document.undo()
    assert document.state == before


def test_a_part_of_everything_is_everything(document, controller):
    controller.refresh()
    whole = controller.result(MULTIVIEW).result
    commands.compute_by(document, None, 4000)
    assert controller.result(MULTIVIEW).result is whole


def test_a_part_is_saved_with_the_session(tmp_path):
    document, data = Document(), open_sample("helix-a")
    commands.open_data(document, data, commands.initial_state(data, ("helix-a",), find_sample("helix-a"), False))
    commands.compute_by(document, None, 150)
    save_session(tmp_path / "large.mvx.json", document.state, data, "test")
    assert open_session(tmp_path / "large.mvx.json").state.subsample == 150


@pytest.mark.nightly
def test_the_error_of_what_stands_for_all_pairs_is_told_on_request(document, controller):
    controller.refresh()
    assert not controller.approximates(MULTIVIEW)
    controller.ask_approximation(MULTIVIEW)
    assert controller.result(MULTIVIEW).approximation == ""
    commands.compute_by(document, "knn-64", None)
    assert controller.approximates(MULTIVIEW)
    controller.ask_approximation(MULTIVIEW)
    request = controller.result(MULTIVIEW).result.request
    expected = approximation_error(document.data, "multiview", kernel="knn-64", **dict(request.params))
    told = controller.result(MULTIVIEW).approximation
    assert f"differ by up to {expected.eigenvalue:.2g}" in told
    assert f"{np.degrees(expected.angle):.2g}°" in told
    assert f"on {expected.n_samples:,} random samples" in told
    commands.set_scale(document, 1.1)
    assert controller.result(MULTIVIEW).approximation == ""  # it was about the former picture


def test_an_error_that_cannot_be_told_says_why():
    outcome = Outcome("error:p1", 1, error=ComputeError("Out of memory.", "Take fewer samples."))
    assert approximation_text(outcome) == "The error cannot be computed. Out of memory. Take fewer samples."


def test_a_kernel_that_is_none_is_refused_and_nothing_changes(document):
    before = document.state
    with pytest.raises(ParameterError, match="There is no kernel"):
        commands.compute_by(document, "best", None)
    assert document.state is before


def test_a_large_matrix_finds_room_before_it_is_made(document):
    """Kernels kept from before go first: at the peak there is the new one beside what stays within the limit."""
    controller = Controller(document, executor=Inline(), background=Inline())
    controller.refresh()
    cache = controller.cache
    kept = cache.bytes
    cache.limit = kept
    cache.shrink(kept - kept // 2)
    assert cache.bytes <= kept - kept // 2
    cache.shrink(0)
    assert cache.bytes == 0
    controller.shutdown()
    assert np.isfinite(controller.result(MULTIVIEW).drawing.points).all()
