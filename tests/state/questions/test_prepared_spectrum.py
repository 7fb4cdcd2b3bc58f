"""Eigenvalues along the slider dragged last, read off what is prepared while the hand rests."""

import numpy as np
import pytest
from inline import Later, circle_data, controlled, opened

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.spectral.reduced import CERTAIN_VALUE, Interval
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.anchors import Anchors
from mvexplorer.state.questions import prepared_spectrum
from mvexplorer.state.questions.prepared_spectrum import PreparedSpectrum
from mvexplorer.state.questions.spectrum_figure import spectrum_figure

PANELS = (PanelState(id="p1", method="multiview"), PanelState(id="p2", method="kernel-sum"))


class Resting:
    """A document with some panels, computed, and what is prepared of them job by job."""

    def __init__(self, panels=PANELS, **changes):
        self.document = opened(circle_data(), panels=panels, **changes)
        self.controller = controlled(self.document)
        self.jobs = Later()
        self.anchors = Anchors(self.controller, executor=self.jobs)
        self.spectrum = PreparedSpectrum(self.controller, self.anchors)

    def rest(self):
        self.anchors.rest()
        self.jobs.run_all()
        return self.spectrum.over()


@pytest.fixture
def resting():
    return Resting()


def test_it_grows_while_the_intervals_are_made(resting):
    assert resting.spectrum.over() is None
    assert resting.spectrum.problem() == "Being computed while the hand rests."
    lengths, told = set(), []
    resting.anchors.changed.connect(lambda: told.append(True))
    resting.anchors.rest()
    while resting.jobs.waiting:
        resting.jobs.run_one()
        over = resting.spectrum.over()
        lengths.add(0 if over is None else len(over.values))
    assert max(lengths) == 4 * 23 + 4 * 12  # four octaves in one piece, the two at small ε cut in halves
    assert len(lengths) >= 8
    assert len(told) >= 6
    assert resting.spectrum.over().values[[0, -1]] == pytest.approx([1 / 8, 8.0])


def test_the_eigenvalues_are_those_of_the_panel_there(resting):
    over = resting.rest()
    assert (over.method, over.parameter, over.views) == ("multiview", "epsilon_scale", ("v1", "v2"))
    assert over.certified[12:].all()
    for row in (40, 70, 110):
        exact = embed(circle_data(), "multiview", epsilon=over.epsilon[row].tolist(), n_components=4)
        np.testing.assert_allclose(over.eigenvalues[row], exact.eigenvalues, atol=CERTAIN_VALUE)
    assert over.epsilon[:, 0] / over.values == pytest.approx(over.epsilon[0, 0] / over.values[0])


def test_it_is_of_the_panel_in_focus(resting):
    first = resting.rest()
    resting.controller.focused = "p2"
    second = resting.spectrum.over()
    assert (first.method, second.method) == ("multiview", "kernel-sum")
    assert not np.allclose(first.eigenvalues, second.eigenvalues)


def test_an_interval_is_read_once(resting, monkeypatch):
    first, read = resting.rest(), []
    real = prepared_spectrum.eigenvalues_between
    monkeypatch.setattr(prepared_spectrum, "eigenvalues_between", lambda *about: read.append(about) or real(*about))
    np.testing.assert_array_equal(resting.spectrum.over().eigenvalues, first.eigenvalues)
    assert not read
    resting.controller.focused = "p2"
    resting.spectrum.over()
    assert len(read) == 8


def test_along_the_bandwidth_of_a_view_values_are_those_computed_with(resting):
    commands.set_scale(resting.document, 2.0)
    commands.set_epsilon(resting.document, "v2", 0.5, interactive=True)
    over = resting.rest()
    assert (over.parameter, resting.spectrum.here) == ("epsilon:v2", 1.0)
    np.testing.assert_array_equal(over.values, over.epsilon[:, 1])
    assert np.ptp(over.epsilon[:, 0]) < 1e-12
    figure = spectrum_figure(over)
    assert (figure.body.x_label, figure.body.log_x) == ("ε of v2", True)
    assert figure.columns["epsilon:v2"] is not None


def test_along_eta(resting):
    commands.set_param(resting.document, "eta", 0.31, interactive=True)
    over = resting.rest()
    assert (over.parameter, resting.spectrum.here) == ("eta", 0.31)
    assert over.values[[0, -1]] == pytest.approx([0.002, 0.998])
    assert (np.diff(over.values) >= 0.0).all()


@pytest.mark.parametrize("method", ["jointly-smooth", "view-specific", "alternating"])
def test_where_nothing_is_prepared_in_between_the_exact_answers_are_followed(method):
    resting = Resting((PanelState(id="p1", method=method),))
    assert resting.spectrum.over() is None
    assert resting.spectrum.problem() == "Being computed while the hand rests."
    over = resting.rest()
    assert over.values[[0, -1]] == pytest.approx([1 / 8, 8.0])
    assert np.diff(np.log2(over.values)) == pytest.approx(0.5)
    assert over.certified.all()
    request = resting.controller.result("p1").result.request
    given = {name: value for name, value in request.params if value is not None}
    for row in (0, 5, 9):
        exact = embed(circle_data(), method, epsilon=over.epsilon[row].tolist(), **given)
        np.testing.assert_allclose(over.eigenvalues[row], exact.eigenvalues[:13], atol=1e-8)
        if method == "jointly-smooth":
            assert over.chance[row] == pytest.approx(exact.info["common_band"], abs=1e-8)
    assert (over.chance is None) == (method != "jointly-smooth")


def test_along_one_view_the_exact_answers_have_its_bandwidths():
    resting = Resting((PanelState(id="p1", method="jointly-smooth"),))
    commands.set_epsilon(resting.document, "v2", 0.5, interactive=True)
    over = resting.rest()
    np.testing.assert_array_equal(over.values, over.epsilon[:, 1])
    assert np.ptp(over.epsilon[:, 0]) < 1e-12
    assert (np.diff(over.values) > 0).all()


def test_what_is_missing_in_between_is_left_out(resting):
    whole = resting.rest()
    prepared = resting.anchors.between("p1")
    resting.anchors.between = lambda panel: prepared[2:4] + prepared[6:]
    over = resting.spectrum.over()
    missing = np.isnan(over.eigenvalues).all(axis=1)
    assert missing.sum() == 1
    assert len(over.values) == len(whole.values) - 2 * 12 - 2 * 23 + 1
    assert over.values[np.flatnonzero(missing)[0] + 1] == prepared[6][0]
    figure = spectrum_figure(over)
    assert np.isnan(figure.body.series[0].y).sum() == 1
    assert "dashed" not in figure.words
    assert figure.findings["gap"] > 0.0


def test_where_the_certificate_fails_it_says_so(resting, monkeypatch):
    monkeypatch.setattr(Interval, "values_certified", lambda interval, count: False)
    over = resting.rest()
    assert not over.certified.any()
    assert "dashed" in spectrum_figure(over).words


def test_an_interval_that_cannot_be_read_is_left_out(resting, monkeypatch):
    def fail(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(prepared_spectrum, "eigenvalues_between", fail)
    assert resting.rest() is None


@pytest.mark.parametrize(
    ("panel", "change", "sentence"),
    [
        ({"method": "difference"}, None, "Difference has no symmetric walk"),
        ({"method": "pca"}, None, "PCA has no symmetric walk"),
        ({"method": "multiview"}, ("eta", 1.0), "Multi-view has no symmetric walk at these settings"),
        ({"method": "kernel-sum"}, ("eta", 0.3), "Kernel sum does not depend on η: drag another slider"),
    ],
)
def test_where_there_is_nothing_to_follow_a_sentence_says_why(panel, change, sentence):
    resting = Resting((PanelState(id="p1", **panel),))
    if change is not None:
        commands.set_param(resting.document, *change, interactive=True)
        if change == ("eta", 1.0):
            commands.set_scale(resting.document, 1.1, interactive=True)
    assert resting.rest() is None
    assert resting.spectrum.problem().startswith(sentence)


def test_a_part_of_the_samples_is_not_followed(resting):
    resting.document.reset(resting.document.state.model_copy(update={"subsample": 40}), resting.document.data)
    assert resting.rest() is None
    assert resting.spectrum.problem().startswith("Eigenvalues are followed on up to 5,000 samples")
