"""The six steps: each is done, open or in doubt by what the document and its results say, and falls back with them."""

from dataclasses import replace
from queue import SimpleQueue

import numpy as np
import pytest
from desk import Clock
from doubles import do_until

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.next_steps import NextSteps
from mvexplorer.state.bench.reopening import OpenAgainJob
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.state.session.settings import HOME_VARIABLE, Settings


class Desk:
    """A workbench with its library and its steps, and how often these said that they changed."""

    def __init__(self):
        self.inbox = SimpleQueue()
        self.bench = Workbench(Settings(), self.inbox.put, keeps_settings=False)
        self.library = Library(self.bench, Clock())
        self.steps = NextSteps(self.bench, self.library)
        self.document, self.editor = self.bench.document, self.bench.editor
        self.told, self.changes = [], []
        self.library.told.connect(self.told.append)
        self.steps.changed.connect(lambda: self.changes.append(self.steps.steps))

    def turn_until(self, reached):
        do_until(reached, self.inbox)

    def rest(self):
        """What the window does once the hand rests."""
        self.bench.verdicts.ask()
        self.steps.ask()
        self.turn_until(lambda: self.bench.controller.idle and self.inbox.empty())

    def show(self, data, panels=1):
        state = initial_state(data, ("memory",), None)
        self.document.reset(state.model_copy(update={"panels": state.panels[:panels]}), data)
        self.rest()

    def open(self, file, **reading):
        before = self.document.data
        if reading:
            self.library.open_source((str(file),), replace(self.document.state.reading, **reading))
        else:
            self.library.open_files((str(file),))
        self.turn_until(lambda: self.document.data is not before)
        self.rest()

    def __getitem__(self, id):
        return next(step for step in self.steps.steps if step.id == id)

    def states(self, id):
        """The states through which a step went."""
        seen = [step.state for steps in self.changes for step in steps if step.id == id]
        return [now for before, now in zip([None, *seen], seen, strict=False) if now != before]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    new = Desk()
    yield new
    new.library.autosave.stop()
    new.bench.controller.shutdown()


def rings(n=40, scale=1.0, names=("one", "two")):
    angle = np.linspace(0.0, 2 * np.pi, n, endpoint=False)
    ring = np.column_stack([np.cos(angle), scale * np.sin(angle)])
    wavy = np.column_stack([np.cos(angle), np.sin(angle), 0.4 * np.cos(3 * angle)])
    labels = np.array(["a", "b"])[np.arange(n) * 2 // n]
    return MultiView(dict(zip(names, (ring, wavy), strict=True)), labels=labels)


def wide_table(folder):
    """Numbers without names of rows or columns: either could be the samples."""
    path = folder / "wide.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(12, 30)), delimiter=",", fmt="%.4f")
    return path


def test_there_are_no_steps_without_data_and_six_in_order_with_it(desk):
    assert desk.steps.steps == ()
    assert desk.steps.next is None
    desk.show(rings())
    assert [step.id for step in desk.steps.steps] == ["pair", "scale", "check", "validate", "name", "export"]
    assert all(step.sentence.endswith(".") and step.title and step.button for step in desk.steps.steps)
    assert desk.steps.next.id == "validate"
    desk.document.reset(desk.document.state, None)
    assert desk.steps.steps == ()


def test_rows_are_in_doubt_until_the_reading_or_the_user_answers(desk, tmp_path):
    path = wide_table(tmp_path)
    desk.open(path)
    assert desk["pair"].state == "doubt"
    assert "more columns than rows" in desk["pair"].sentence
    assert desk["pair"].leads == "import"
    desk.open(path, transpose=("wide.csv",))
    assert desk.document.data.n_samples == 30
    assert desk["pair"].state == "done"
    desk.document.undo()
    assert desk["pair"].state == "doubt"
    desk.editor.set_param("eta", 0.3)  # no edit answers it
    assert desk["pair"].state == "doubt"
    (message,) = [each for each in desk.told if "more columns than rows" in each.text]
    desk.library.doubts.accept(message.text)
    assert desk["pair"].state == "done"
    assert desk.states("pair") == ["doubt", "done", "doubt", "done"]


def test_rows_of_a_sample_are_paired_and_nothing_is_to_be_read_anew(desk):
    desk.open("helix-a")
    assert (desk["pair"].state, desk["pair"].leads) == ("done", "")


def test_scales_are_in_doubt_until_they_are_evened_out_or_the_view_is_left_out(desk):
    desk.show(rings(scale=1e5))
    assert desk["scale"].state == "doubt"
    assert (desk["scale"].button, desk["scale"].leads) == ("z-score one", "scale")
    desk.editor.set_preprocess("one", "centre")  # which leaves the scales as they are
    assert desk["scale"].state == "doubt"
    desk.steps.scale_views()
    assert desk.document.data.preprocess == ("zscore", "none")
    assert desk["scale"].state == "done"
    desk.document.undo()
    assert desk["scale"].state == "doubt"
    desk.editor.enable_view("one", False)
    assert desk["scale"].state == "done"
    desk.editor.enable_view("one", True)
    assert desk["scale"].state == "doubt"
    assert desk.states("scale") == ["open", "doubt", "done", "doubt", "done", "doubt"]


def test_scales_that_are_meant_are_kept_until_their_basis_changes(desk):
    desk.show(rings(scale=1e5))
    desk.steps.keep_scales()
    assert (desk["scale"].state, desk["scale"].leads) == ("done", "")
    assert "in one. That is meant so" in desk["scale"].sentence
    assert desk.document.undo_label == "Keep the scales of one"
    desk.document.undo()
    assert desk["scale"].state == "doubt"
    desk.document.redo()
    assert desk["scale"].state == "done"
    desk.editor.set_preprocess("one", "centre")
    assert desk["scale"].state == "doubt"
    desk.editor.set_preprocess("one", "none")
    assert desk["scale"].state == "done"
    desk.show(rings(50, scale=1e5))
    assert desk["scale"].state == "doubt"
    assert desk.states("scale") == ["open", "doubt", "done", "doubt", "done", "doubt", "done", "open", "doubt"]


def test_only_the_scales_that_are_named_are_kept(desk):
    counts = np.random.default_rng(0).negative_binomial(0.5, 0.02, size=(40, 12))
    desk.show(MultiView({"cells": counts, "two": 1e6 ** np.arange(3) * rings().Xs[1]}))
    desk.steps.keep_scales()
    assert (desk["scale"].state, desk["scale"].button) == ("doubt", "z-score two")
    desk.steps.keep_scales()
    assert desk["scale"].state == "done"
    assert desk.document.state.view("cells").kept_scales == "none"


def test_the_message_about_scales_offers_to_keep_them_and_goes_with_the_doubt(desk, tmp_path):
    numbers = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 1.0, 1e7]
    np.savetxt(tmp_path / "uneven.csv", numbers, delimiter=",", header="a,b,c", comments="")
    desk.open(tmp_path / "uneven.csv")
    (message,) = [each for each in desk.told if "z-scores" in each.text]
    offers = dict(message.offers)
    assert list(offers)[:2] == ["z-score uneven", "Keep these scales"]
    assert message.holds(desk.document.data)
    offers["Keep these scales"]()
    assert desk["scale"].state == "done"
    assert not message.holds(desk.document.data)
    again, _ = OpenAgainJob(desk.document.state, desk.document.data).run(desk.bench.controller.cache, Task())
    assert [view.kept_scales for view in again.views] == [""]  # the file was changed
    desk.open(tmp_path / "uneven.csv", drop_missing=True)  # read anew, nothing is said of its scales
    assert desk["scale"].state == "doubt"


def test_a_sample_is_in_no_doubt_about_scales_that_its_manifest_means(desk):
    desk.open("rotating-icons")
    assert (desk["scale"].state, desk["scale"].leads) == ("done", "")
    assert "is meant so" in desk["scale"].sentence
    desk.editor.set_preprocess("film1", "centre")
    assert (desk["scale"].state, desk["scale"].button) == ("doubt", "z-score film1")


def test_counts_get_the_logarithm_that_their_message_offers(desk):
    counts = np.random.default_rng(0).negative_binomial(0.5, 0.02, size=(40, 12))
    desk.show(MultiView({"cells": counts, "two": rings().Xs[1]}))
    assert desk["scale"].button == "log(1 + x) of cells"
    desk.steps.scale_views()
    assert desk.document.data.preprocess == ("log1p", "none")
    assert desk["scale"].state == "done"
    desk.document.undo()
    desk.show(MultiView({"cells": counts, "two": 1e6 ** np.arange(3) * rings().Xs[1]}))
    desk.steps.scale_views()  # what the button names, and no more
    assert desk.document.data.preprocess == ("log1p", "none")
    assert (desk["scale"].state, desk["scale"].button) == ("doubt", "z-score two")


def test_counts_and_a_column_that_decides_are_in_doubt_though_no_scales_differ_by_a_thousand(desk):
    drawn = np.random.default_rng(1)
    counts, tall = drawn.negative_binomial(0.5, 0.02, size=(60, 12)), np.abs(drawn.normal(size=(60, 4))) * [1, 1, 40, 1]
    names = [None, ("age", "height", "steps {}", "score")]
    desk.show(MultiView({"cells": counts, "body": tall}, feature_names=names))
    assert desk["scale"].sentence == (
        "Raw counts, of which a few are very large, in cells: the largest decide the distances. "
        "What helps: log(1 + x) of them. Or keep these scales, if they are meant so."
    )
    desk.steps.scale_views()
    assert desk.document.data.preprocess == ("log1p", "none")
    assert (desk["scale"].state, desk["scale"].button) == ("doubt", "z-score body")
    told = (
        "Column “steps {}” makes more than 99 % of the squared distances of body. What helps: z-score them. "
        "Or keep these scales, if they are meant so."
    )
    assert desk["scale"].sentence == told
    desk.editor.set_preprocess("body", "centre")
    assert desk["scale"].state == "doubt"
    for cure in ("log1p", "unit", "zscore"):
        desk.editor.set_preprocess("body", cure)
        assert desk["scale"].state == "done"


def test_bandwidths_are_checked_while_none_isolates_and_in_doubt_when_one_does(desk):
    desk.show(rings())
    assert desk.states("check") == ["open", "done"]
    desk.editor.set_epsilon("one", 1e-9)
    desk.rest()
    assert desk["check"].state == "doubt"
    assert desk["check"].sentence.startswith("Isolated: ")
    desk.document.undo()
    desk.rest()
    assert desk["check"].state == "done"
    desk.editor.set_epsilon("two", 1e-9)
    desk.rest()
    desk.editor.enable_view("two", False)  # what is not used is not in doubt
    desk.rest()
    assert desk["check"].state == "done"


def test_a_panel_is_validated_by_a_permutation_test_of_its_present_picture(desk):
    desk.show(rings(), panels=2)
    first, second = (panel.id for panel in desk.document.state.panels)
    desk.editor.focus(first)
    assert desk["validate"].state == "open"
    desk.bench.checks.null_test(first, n=2)
    assert "is running" in desk["validate"].sentence
    desk.rest()
    assert desk["validate"].state == "done"
    desk.editor.focus(second)
    assert desk["validate"].state == "open"
    desk.editor.focus(first)
    assert desk["validate"].state == "done"
    desk.editor.set_epsilon("one", 0.7)
    desk.rest()
    assert desk["validate"].state == "open"
    assert "former picture" in desk["validate"].sentence
    desk.document.undo()
    desk.rest()
    assert desk["validate"].state == "done"


def test_views_that_share_nothing_leave_validation_in_doubt(desk):
    drawn = np.random.default_rng(0)
    desk.show(MultiView({"one": drawn.normal(size=(40, 3)), "two": drawn.normal(size=(40, 3))}), panels=6)
    panel = desk.document.state.panels[-1].id
    desk.editor.focus(panel)
    desk.bench.checks.null_test(panel, n=2)
    desk.rest()
    assert desk["validate"].state == "done"
    desk.bench.common.ask(panel)
    desk.rest()
    assert desk["validate"].state == "doubt"
    assert "one and two share nothing beyond chance" in desk["validate"].sentence
    assert "paired rightly?" in desk["validate"].sentence


def test_a_finding_is_named_while_a_selection_has_a_name(desk):
    desk.show(rings())
    assert desk["name"].state == "open"
    assert "lasso" in desk["name"].sentence
    desk.editor.select([1, 2, 3], origin="lasso")
    assert (desk["name"].state, desk["name"].sentence[:30]) == ("open", "Give the 3 selected samples a ")
    desk.editor.keep_selection("the bend")
    assert desk["name"].state == "done"
    assert "the bend" in desk["name"].sentence
    desk.editor.delete_selections(["the bend"])
    assert desk["name"].state == "open"
    desk.document.undo()
    assert desk["name"].state == "done"
    desk.editor.delete_selections(["the bend"])
    desk.editor.keep_snapshot()
    assert desk["name"].state == "open"  # it is called after its number alone
    desk.editor.keep_snapshot("the ring")
    assert desk["name"].state == "done"
    assert desk["name"].sentence == "1 snapshot with a name: the ring."
    desk.document.undo()
    assert desk["name"].state == "open"


def test_an_export_counts_until_the_next_edit(desk, tmp_path):
    desk.show(rings())
    path = tmp_path / "picture.txt"
    assert desk["export"].state == "open"
    desk.editor.write(WriteJob(path, lambda: path.write_text("seen")))
    desk.turn_until(lambda: path.exists() and desk["export"].state == "done")
    assert "picture.txt" in desk["export"].sentence
    desk.editor.set_param("eta", 0.4, interactive=True)
    assert desk["export"].state == "done"  # the hand still moves
    desk.rest()
    assert desk["export"].state == "open"
    desk.document.undo()
    assert desk["export"].state == "done"
    desk.editor.keep_snapshot("the ring")
    assert desk["export"].state == "done"
    desk.show(rings(30))
    assert desk["export"].state == "open"


def test_the_next_step_is_the_first_that_is_not_done_and_nothing_is_said_twice(desk):
    desk.show(rings(scale=1e5))
    assert desk.steps.next.id == "scale"
    desk.steps.scale_views()
    desk.rest()
    assert desk.steps.next.id == "validate"
    said = len(desk.changes)
    desk.rest()
    desk.editor.focus(desk.editor.focused)
    assert len(desk.changes) == said


def test_a_test_that_finds_no_more_than_chance_leaves_the_step_in_doubt(desk):
    noise = np.random.default_rng(3).normal(size=(40, 4))
    data = rings()
    desk.show(MultiView({"one": data.Xs[0], "noise": noise}, labels=np.arange(40) % 3), panels=1)
    panel = desk.document.state.panels[0].id
    desk.editor.focus(panel)
    desk.bench.checks.null_test(panel, n=5)
    desk.rest()
    assert any(band.useless for band in desk.bench.checks.of(panel).null.values())
    assert desk["validate"].state == "doubt"
    assert "Look at the scales and ε" in desk["validate"].sentence
