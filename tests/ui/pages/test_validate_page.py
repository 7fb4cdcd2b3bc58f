"""The details of the page Validate: bands, stability, coordinates and neighbours, and what they say."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from checked import null_band, stability
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.engine.analysis.independence import Independence
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import ComputeError
from mvexplorer.figures import StripRow
from mvexplorer.state.batches.check_words import KINDS
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.pages.table import PLACES
from mvexplorer.ui.pages.validate.coordinates_card import CoordinatesCard
from mvexplorer.ui.pages.validate.null_card import NullCard
from mvexplorer.ui.pages.validate.stability_card import StabilityCard
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.plot_axes import figure_font
from mvexplorer.ui.widgets.plots.strip_painting import ROW
from mvexplorer.ui.widgets.plots.strip_plot import StripPlot

pytestmark = pytest.mark.panels(3)

MULTIVIEW = PanelState(id="p1", method="multiview")
EMBEDDED = SimpleNamespace(
    embedding=SimpleNamespace(
        method="kernel-sum", views=("plain", "wavy"), view_coordinates=(), coordinates=np.zeros((48, 3)), params={}
    )
)


class Listening:
    """Checks that know what they are told, and note what they are asked."""

    def __init__(self, found=None):
        self.found, self.asked = found or Found(), []

    def of(self, panel):
        return self.found

    def __getattr__(self, name):
        return lambda *arguments: self.asked.append((name, *arguments))


@pytest.fixture
def checks():
    return Listening()


@pytest.fixture
def null(app, qtbot, editor, checks):
    editor.attempt.side_effect = lambda do: do()
    made = NullCard(editor, checks)
    qtbot.addWidget(made)
    made.resize(420, 220)
    made.show()
    return made


@pytest.fixture
def steady(app, qtbot, editor, checks):
    editor.attempt.side_effect = lambda do: do()
    drawn = editor.state.checks.model_copy(update={"overlay": "ellipses"})
    editor.state = editor.state.model_copy(update={"checks": drawn})
    made = StabilityCard(editor, checks)
    qtbot.addWidget(made)
    return made


def result(**changes) -> PanelResult:
    return PanelResult(**{"status": "ready", "result": EMBEDDED, **changes})


def show(card, found, panel=MULTIVIEW, reason=""):
    card._checks.found = found
    extra = ({"circular": "Circular"},) if isinstance(card, NullCard) else ()
    card.show_panel(panel, result(), reason, *extra)


# Permutation tests ---------------------------------------------------------------------------------------------------


def test_before_the_first_run_the_card_says_what_it_will_tell(null, checks):
    show(null, Found())
    assert not null.answered
    assert "beyond chance" in null.empty.text()
    assert null.run.text() == "Run 10"
    null.run.click()
    assert checks.asked == [("null_test", "p1", None, 10, "rows")]


def test_the_view_within_chance_is_explained_first_and_any_other_by_a_click(null):
    bands = {"plain": null_band("plain", 0.7, 0.3), "wavy": null_band("wavy", 0.7, 0.7)}
    show(null, Found(bands))
    assert null.answered
    assert [row.verdict for row in null.strips.strips] == ["p ≤ .09", "p = .55"]
    assert null.words.text() == "Without wavy's pairing the score is as high (p = .55)."
    QTest.mouseClick(null.strips, Qt.MouseButton.LeftButton, pos=QPoint(100, ROW // 2))
    assert (
        null.words.text()
        == "This score is above all 10 with plain shuffled (p ≤ .09, the smallest possible with 10 runs)."
    )


def test_bands_of_another_shuffle_are_outdated_until_it_is_chosen_again(null, checks, editor):
    bands = {"plain": null_band("plain", 0.7, 0.3)}
    choices = editor.state.checks
    for chosen, words, button in (
        ("circular", "For earlier settings. This", "Run 10"),
        ("rows", "This", "Run 9 more (19 in all)"),
    ):
        editor.state = editor.state.model_copy(update={"checks": choices.model_copy(update={"shuffle": chosen})})
        show(null, Found(bands, shuffle="rows"))
        assert (
            null.words.text()
            == f"{words} score is above all 10 with plain shuffled (p ≤ .09, the smallest possible with 10 runs)."
        )
        assert null.run.text() == button
    show(null, Found(bands, shuffle="circular"))
    assert null.run.text() == "Run 10"


def test_only_an_unchanged_picture_is_said_not_to_use_a_view(null):
    show(null, Found({"wavy": null_band("wavy", 0.7, 0.7, far=0.9)}))
    assert "does not use" not in null.words.text()
    show(null, Found({"wavy": null_band("wavy", 0.7, 0.7, far=0.3)}))
    assert null.words.text().endswith("Shuffling wavy changes no more than resampling does (.30 of the neighbours).")
    show(null, Found({"wavy": null_band("wavy", 0.7, 0.7, far=0.1)}))
    assert null.words.text().endswith("This picture does not use wavy.")


def test_a_view_that_harms_is_told_first(null):
    bands = {"plain": null_band("plain", 0.7, 0.3, 19), "wavy": null_band("wavy", 0.7, 0.9, 19)}
    show(null, Found(bands))
    assert null.words.text() == "wavy lowers this score: it is below all 19 with wavy shuffled."


def test_more_runs_are_one_click_away_and_a_running_test_can_be_stopped(null, checks, editor):
    bands = {"plain": null_band("plain", 0.7, 0.3)}
    show(null, Found(bands, done=10, total=10))
    assert null.run.text() == "Run 9 more (19 in all)"
    null.run.click()
    assert checks.asked == [("null_test", "p1", None, 19, "rows")]
    editor.choose_checks.assert_called_once_with(runs=19)
    show(null, Found(bands, done=12, total=19, computing=frozenset({"null"})))
    assert null.run.text() == "Stop"
    assert null.words.text().startswith("10 runs so far. ")
    null.run.click()
    assert checks.asked[1:] == [("stop", "p1")]


def test_a_picture_of_one_view_is_tested_by_its_labels(null):
    show(null, Found({"": null_band("", 0.7, 0.1)}), PanelState(id="p1", method="single", view="plain"))
    assert null.view.currentText() == "Labels"
    assert not null.view.isEnabled()
    assert null.strips.strips[0].name == "labels"
    assert (null.strips.body.axis, null.strips.body.line) == ("NMI (dots: shuffled)", "observed")
    assert null.strips.accessibleDescription().startswith("NMI (dots: shuffled): labels .70")
    assert (
        null.words.text()
        == "This score is above all 10 with labels shuffled (p ≤ .09, the smallest possible with 10 runs)."
    )


def test_without_anything_to_score_against_eigenvalues_and_pictures_are_compared(null):
    show(null, Found({"wavy": null_band("wavy", None, None)}))
    assert null.words.text() == "Shuffling wavy changes .90 of the neighbours, resampling .40."
    assert null.strips.strips[0].real == 0.4  # how much two resamplings differ
    assert null.strips.strips[0].verdict == ""
    assert "fraction of nearest neighbours changed" in null.strips.body.axis
    assert null.strips.body.line == "resampling"
    assert not null.spectrum.isHidden()


def test_the_spectrum_is_drawn_with_the_range_of_the_shuffled_ones(null):
    show(null, Found({"wavy": null_band("wavy", 0.7, 0.7)}))
    (drawn,) = null.spectrum.figure.body.series
    np.testing.assert_allclose(drawn.band, [[1, 0.41, 0.5], [2, 0.21, 0.3]])
    np.testing.assert_allclose(drawn.y, [0.8, 0.6])


def test_an_answer_to_a_former_question_is_faint_and_says_so(null):
    bands = {"plain": null_band("plain", 0.7, 0.3)}
    show(null, Found(bands, outdated=True))
    assert null._faint.isEnabled()
    assert null.words.text().startswith("For earlier settings. ")
    assert null.run.text() == "Run 10"  # all anew
    show(null, Found(bands))
    assert not null._faint.isEnabled()


@pytest.mark.parametrize(("found", "reason"), [
    (Found(problem="All rows of wavy are equal. Leave it out."), ""), (Found(), "This panel has no picture yet."),
])  # fmt: skip
def test_what_cannot_be_tested_is_a_sentence_in_place(null, found, reason):
    show(null, found, reason=reason)
    assert null.empty.text() == (reason or found.problem)
    assert null.run.isEnabled() == (not reason)


def test_every_strip_stands_on_the_common_scale(app, qtbot):
    plot = StripPlot("Scores")
    qtbot.addWidget(plot)
    plot.resize(300, 80)
    plot.show_strips([StripRow("one", 0.9, (0.1, 0.2)), StripRow("two", 0.5, (float("nan"),))])
    places = [plot.x_of(value) for value in (0.1, 0.2, 0.5, 0.9)]
    assert places == sorted(places)
    assert plot._layout.track[0] < places[0] < places[-1] < plot._layout.track[1]
    plot.show_strips([StripRow("one", 0.5, (0.5, 0.5))])
    low, high = plot._layout.body.limits
    assert high > low
    assert plot.row_at(ROW * 3.0) == -1
    plot.grab()


@pytest.mark.parametrize(("real", "shuffled"), [(0.9, (0.1, 0.2)), (0.1, (0.7, 0.9)), (0.5, (0.1, 0.15, 0.9, 0.95))])
@pytest.mark.parametrize("width", [300, 700])
def test_the_observed_value_is_named_beside_its_line_and_over_no_dot(app, qtbot, real, shuffled, width):
    plot = StripPlot("Scores")
    qtbot.addWidget(plot)
    plot.resize(width, 80)
    plot.show_strips([StripRow("view1", real, shuffled, "p ≤ .05")], 0, ("NMI (dots: shuffled)", "observed"))
    words, at = plot._layout.label(plot.strips[0])
    if min(shuffled) < real < max(shuffled):  # no room but among the dots
        assert words == ""
        return
    assert words == f"observed .{round(10 * real)}0"
    end = at + theme.metrics(figure_font()).horizontalAdvance(words)
    left, right = plot._layout.track
    assert left <= at < end <= right + 8
    assert all(not at <= plot.x_of(value) <= end for value in (real, *shuffled))
    assert min(abs(plot.x_of(real) - at), abs(plot.x_of(real) - end)) < 10
    plot.grab()


# Stability ----------------------------------------------------------------------------------------------------


def test_both_spreads_of_a_score_are_named_for_what_they_are_over(steady):
    found = stability(np.zeros((48, 3)))
    steady._checks.found = Found(stability={"parts": found})
    scores = SimpleNamespace(nmi=Score(0.71, 0.02))
    steady.show_panel(MULTIVIEW, result(scores=scores), "")
    assert steady.number.text() == "Median displacement 6 % of the radius"
    assert steady.lines.text().splitlines() == [
        "NMI .71, ± .02 over k-means seeds", "NMI .52, ± .02 over 10 resamplings",
    ]  # fmt: skip
    assert steady.words.text() == "Ellipses of one standard deviation, one a sample."


def test_a_former_picture_stands_beside_no_present_score(steady):
    steady._checks.found = Found(stability={"parts": stability(np.zeros((48, 3)))}, outdated=True)
    steady.show_panel(MULTIVIEW, result(scores=SimpleNamespace(nmi=Score(0.86, 0.02))), "")
    assert steady.lines.text().splitlines() == ["NMI .52, ± .02 over 10 resamplings"]


def test_each_card_says_only_of_its_own_runs_that_they_come(steady, null, checks):
    show(steady, Found(done=12, total=61, computing=frozenset({"null"})))
    assert (steady.run.text(), steady.empty.text()) == ("Run", KINDS["parts"][1])
    steady.run.click()
    assert checks.asked == [("stability", "p1", "parts")]
    show(steady, Found(done=2, total=10, computing=frozenset({"parts"})))
    assert (steady.run.text(), steady.empty.text()) == ("Stop", "Computing … 2 of 10 runs.")
    show(null, steady._checks.found)
    assert null.run.text() == "Run 10"


def test_with_many_samples_it_is_said_how_many_ellipses_are_drawn(steady):
    show(steady, Found(stability={"parts": stability(np.zeros((2000, 3)))}))
    assert steady.words.text() == "Ellipses of one standard deviation, the 300 largest of 2,000."


def test_what_is_done_to_the_data_is_what_is_chosen(steady, checks, editor):
    show(steady, Found(stability={"parts": stability(np.zeros((48, 3)))}))
    assert steady.answered
    checks_of = editor.state.checks.model_copy(update={"kind": "noise"})
    editor.state = editor.state.model_copy(update={"checks": checks_of})
    show(steady, steady._checks.found)
    assert not steady.answered  # noise was not asked for yet
    steady.run.click()
    assert checks.asked == [("stability", "p1", "noise")]
    steady.colour.click()
    editor.colour_by.assert_called_once_with("spread:p1")


# Coordinates --------------------------------------------------------------------------------------------------


def test_harmonics_are_told_and_the_next_independent_axis_is_a_click_away(app, qtbot, editor):
    card = CoordinatesCard(editor)
    qtbot.addWidget(card)
    card.show_panel(MULTIVIEW, result())
    assert not card.answered
    found = result()
    found.keep_bends(
        (), SimpleNamespace(residuals=np.array([1.0, 0.07, np.nan]), bends=(1,), harmonics=(1,), next_axis=lambda _: 2)
    )
    card.show_panel(MULTIVIEW, found)
    assert card.words.text() == "ψ₂ is largely a function of ψ₁ (residual .07): a harmonic."
    assert card.bars.harmonics == {1}
    card.grab()
    assert card.draw.text() == "Draw ψ₁ and ψ₃"
    card.draw.click()
    editor.draw_axes.assert_called_once_with("p1", (0, 2, 2))


def test_harmonics_are_told_where_the_page_is_narrow(app, qtbot, editor):
    card = CoordinatesCard(editor)
    qtbot.addWidget(card)
    found = result()
    found.keep_bends(
        (), SimpleNamespace(residuals=np.array([1.0, 0.3, 0.2]), bends=(1, 2), harmonics=(1, 2), next_axis=lambda _: 1)
    )
    card.show_panel(MULTIVIEW, found)
    assert card.words.text() == "ψ₂ and ψ₃ are largely functions of the earlier ones: harmonics."


def test_an_axis_that_was_not_looked_at_offers_no_other_one(app, qtbot, editor):
    """The residuals are of a draft's fewer coordinates, or those of fewer views, while the axis is a late one."""
    card = CoordinatesCard(editor)
    qtbot.addWidget(card)
    found = result()
    found.keep_bends((), Independence(np.array([1.0, 0.3, 0.05]), 30))
    card.show_panel(MULTIVIEW.model_copy(update={"axes": (9, 1, 2)}), found)
    assert not card.draw.isEnabled()
    assert card.draw.text() == "Draw independent axes"
    assert card.words.text() == "ψ₃ is largely a function of ψ₁, ψ₂ (residual .05): a harmonic."


def test_all_strips_and_their_scale_fit_where_room_is_short(app, qtbot):
    plot = StripPlot("Scores")
    qtbot.addWidget(plot)
    plot.show_strips([StripRow(name, 0.5, (0.1,)) for name in "abcdef"])
    plot.resize(240, 132)
    assert plot.minimumHeight() <= 132
    assert plot.row_at(92) == 5
    assert plot.row_at(100) == -1  # here stands the scale
    plot.resize(240, 300)
    assert plot.row_at(5.5 * ROW) == 5


def spreads(canvas) -> list[str]:
    """The ghosts or ellipses that lie on a picture."""
    return [name for o in canvas.overlays if (name := type(o).__name__) in ("EllipseOverlay", "GhostOverlay")]


# In the window ------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_two_clicks_from_a_panel_ask_and_what_is_found_stands_in_the_footer(window, rest, qtbot, monkeypatch):
    checks, page = window.workbench.checks, window.bottom.pages["validate"]
    id = window.document.state.panels[-1].id
    asked, found = [], {}
    monkeypatch.setattr(checks, "of", lambda panel: found.get(panel, Found()))
    monkeypatch.setattr(checks, "null_test", lambda *arguments: asked.append(arguments))
    menu = window.grid.panels[id].menus.everything()
    next(action for action in menu.actions() if action.text() == "Validate this panel").trigger()
    rest(window)
    assert page.isVisible()
    assert page.panel.value == id
    page.null.run.click()
    assert asked == [(id, None, 10, "rows")]
    coordinates = window.controller.result(id).result.embedding.coordinates
    bands = {"plain": null_band("plain", 0.7, 0.3), "wavy": null_band("wavy", 0.7, 0.7)}
    found[id] = Found(bands, {"parts": stability(coordinates)}, 20, 20)
    checks.changed.emit(id)
    rest(window)
    panel = window.grid.panels[id]
    assert (panel.chance.wordings[0], panel.moves.wordings[0]) == ("wavy adds nothing (within chance)", "moves 6 %")
    assert "Without wavy's pairing the score is as high" in panel.chance.toolTip()
    assert not spreads(panel.canvas)  # nobody has asked for marks
    window.editor.choose_checks(overlay="ellipses")
    assert spreads(panel.canvas) == ["EllipseOverlay"]
    window.editor.choose_checks(overlay="ghosts")
    assert spreads(panel.canvas) == ["GhostOverlay"]
    window.grab()
    window.document.undo()
    assert spreads(panel.canvas) == ["EllipseOverlay"]
    found[id] = replace(found[id], outdated=True)
    checks.changed.emit(id)
    assert not spreads(panel.canvas)
    assert panel.chance.isHidden()
    rest(window)


def test_an_ellipse_is_as_wide_as_samples_move(window, rest, monkeypatch):
    id = window.document.state.panels[-1].id
    panel, result = window.grid.panels[id], window.controller.result(id)
    known = stability(result.result.embedding.coordinates, by=0.01)
    found = {id: Found(stability={"parts": known})}
    monkeypatch.setattr(window.workbench.checks, "of", lambda panel: found.get(panel, Found()))
    window.editor.choose_checks(overlay="ellipses")
    window.workbench.checks.changed.emit(id)
    overlay = panel.canvas.overlays[0]  # below all others
    centres, half, _ = overlay.axes(panel.canvas)
    np.testing.assert_allclose(centres, panel.canvas.positions_of(overlay.ellipses.rows), atol=0.01)
    unit = panel.canvas.place(np.array([[0.0, 0.0], [1.0, 0.0]]))
    pixels = float(np.linalg.norm(unit[1] - unit[0]))
    moved = np.sqrt((overlay.ellipses.roots**2).sum(axis=(1, 2)))
    np.testing.assert_allclose(np.sqrt((half**2).sum(axis=1)), pixels * moved, rtol=1e-3)
    window.editor.choose_checks(overlay="off")
    assert not spreads(panel.canvas)
    window.document.undo()


@pytest.mark.nightly
def test_what_panels_keep_of_each_views_neighbours_is_a_table(window, rest, qtbot):
    window.bottom.show_page("validate")
    rest(window)
    card = window.bottom.pages["validate"].neighbours
    assert "no labels" in card.empty.text()
    card.run.click()
    qtbot.waitUntil(lambda: not window.workbench.neighbours.running, timeout=PATIENCE_MS)
    rest(window)
    state = window.document.state
    assert (card.table.rowCount(), card.table.columnCount()) == (len(state.panels), 2)
    values = [float(card.table.item(row, 0).text()) for row in range(len(state.panels))]
    assert all(0.0 <= value <= 1.0 for value in values)
    kept = window.workbench.neighbours.of(state.panels[0].id, "plain")
    assert card.table.item(0, 0).text() == f"{kept.preservation:.2f}".lstrip("0")
    assert not card.run.isEnabled()
    assert "not compared yet" not in card.words.text()
    commands.add_panel(window.document, "pca")
    rest(window)
    assert "Empty cells are out of date or not compared yet: compare again." in card.words.text()
    window.document.undo()
    rest(window)
    window.editor.set_scale(1.4)
    rest(window)
    assert card.run.isEnabled()  # the pictures are others now
    window.document.undo()


@pytest.mark.parametrize(("trouble", "words"), [
    ("failed", "This panel has no picture to examine. It fell apart. Take another ε."),
    ("given", "These coordinates were given, not computed"),
])  # fmt: skip
def test_panels_that_cannot_be_examined_say_why_in_place(window, rest, trouble, words):
    state = window.document.state
    if trouble == "given":
        data = small_data().replace(coordinates={"umap": np.random.default_rng(0).normal(size=(48, 2))})
        panel = PanelState(id="p1", method="given", view="umap")
        window.document.reset(state.model_copy(update={"panels": (panel,)}), data)
    window.bottom.show_page("validate")
    window.editor.focus("p1")
    rest(window)
    page = window.bottom.pages["validate"]
    if trouble == "failed":
        found = window.controller.result("p1")
        found.result, found.status, found.error = None, "failed", ComputeError("It fell apart.", "Take another ε.")
        page.refresh()
    assert page.null.empty.text().startswith(words)
    assert page.stability.empty.text().startswith(words)
    assert not page.null.run.isEnabled()


def three_views() -> MultiView:
    """Two views that each set one of three classes apart, and one of noise."""
    random, classes = np.random.default_rng(1), np.arange(60) % 3
    spread = 0.35 * random.normal(size=(2, 60, 2))
    first = spread[0] + 3.0 * (classes == 0)[:, None]
    second = spread[1] + 3.0 * (classes == 2)[:, None]
    views = {"first": first, "second": second, "noise": random.normal(size=(60, 4))}
    return MultiView(views, labels=np.array(["a", "b", "c"])[classes])


@pytest.mark.nightly
def test_which_view_a_picture_does_not_need_is_told_after_three_clicks(window, rest, qtbot):
    show_fresh(window, three_views(), 3)
    rest(window)
    panel = next(p for p in window.document.state.panels if p.method == "kernel-sum")
    tabs, page = window.bottom.tabs, window.bottom.pages["validate"]
    place = [place.id for place in PLACES].index("validate")
    QTest.mouseClick(window.grid.panels[panel.id].canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(12, 40))
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(place).center())
    rest(window)
    assert page.panel.value == panel.id
    QTest.mouseClick(page.null.run, Qt.MouseButton.LeftButton)
    checks = window.workbench.checks
    qtbot.waitUntil(lambda: not checks.of(panel.id).running, timeout=PATIENCE_MS)
    rest(window)
    assert page.null.words.text().startswith("Without noise's pairing the score is as high")
    assert [row.verdict for row in page.null.strips.strips][:2] == ["p ≤ .09"] * 2
    assert window.grid.panels[panel.id].chance.wordings[0] == "noise adds nothing (within chance)"
    window.editor.set_scale(1.2)
    rest(window)
    assert page.null.words.text().startswith("For earlier settings. ")
    assert window.grid.panels[panel.id].chance.isHidden()
