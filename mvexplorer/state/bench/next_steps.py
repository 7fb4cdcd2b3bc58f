"""The six steps from files to an exported finding: which are done, which are in doubt, and what comes next.

Every step is read off the document and what was computed of it, so that it falls back when its basis changes. Lives on
the document's thread and needs no Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from psygnal import Signal

from mvexplorer.compute.jobs.view_jobs import UnevenViewsJob
from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.engine.analysis.common import InCommon
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import DOMINANT_COLUMN, Notice
from mvexplorer.io.reading.check_list import TREATMENTS
from mvexplorer.io.reading.quality import SCALE_DOUBTS, is_cured
from mvexplorer.state.batches.check_rules import common_verdict
from mvexplorer.state.batches.check_words import findings, null_outdated
from mvexplorer.state.bench.epsilon_advice import judged_in_words, recommended_elsewhere
from mvexplorer.state.bench.library import Library, some_views
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.snapshot_commands import is_unnamed
from mvexplorer.state.document.snapshots import Snapshots
from mvexplorer.state.document.titles import numbered_title
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.questions.verdicts import MOST
from mvexplorer.wording import counted, listed

StepState: TypeAlias = Literal["done", "open", "doubt"]
NAMED = 3
"""Views that a sentence names at the most."""


@dataclass(frozen=True)
class WorkStep:
    """One step: `sentence` says how it stands and what to do, `button` what a press does, in a few words.

    `leads` is where: ``import``, ``scale``, ``tune``, ``validate``, ``name`` or ``export``; empty where there is
    nothing to be done.
    """

    id: str
    title: str
    button: str
    leads: str
    state: StepState
    sentence: str


class NextSteps:
    """The steps of the present data, in their order; `ask` is called once the hand rests."""

    changed = Signal()
    """A step stands otherwise than before."""

    def __init__(self, workbench: Workbench, library: Library) -> None:
        self._bench, self._library, self._document = workbench, library, workbench.document
        self._answers = Answers(workbench.controller)
        self._written: tuple[str, DocumentState, MultiView | None] | None = None
        """The file written last, and what was shown then."""
        self.steps: tuple[WorkStep, ...] = ()
        self._document.changed.connect(self._document_changed)
        library.doubts.accepted.connect(self._look)
        self._answers.changed.connect(lambda _: self._look())
        workbench.verdicts.changed.connect(lambda _: self._look())
        workbench.advice.changed.connect(lambda _: self._look())
        workbench.checks.changed.connect(lambda _: self._look())
        workbench.common.changed.connect(lambda _: self._look())
        workbench.editor.focus_changed.connect(lambda _: self._look())
        workbench.editor.saved.connect(self._note_file)
        workbench.editor.several_saved.connect(lambda path, _: self._note_file(path))

    @property
    def next(self) -> WorkStep | None:
        """The first step that is not done."""
        return next((step for step in self.steps if step.state != "done"), None)

    def ask(self) -> None:
        """Compare the columns of the views, unless they are known, and take in what a drag has changed."""
        data = self._document.data
        if data is not None:
            job = UnevenViewsJob(data)
            self._answers.ask(Question("scales", tuple(data.Xs), job, "Scales of columns", slot="scales"))
        self._look()

    def scale_views(self) -> None:
        """Preprocess the views that the button names, as the message about them offers it."""
        doubtful = self._doubtful()
        if doubtful:
            code, views = _first_of_a_kind(doubtful)
            self._library.prepare(views, TREATMENTS[code][0])

    def keep_scales(self) -> None:
        """Say that the scales of these views are meant as they are."""
        doubtful = self._doubtful()
        if doubtful:
            self._bench.editor.keep_scales(_first_of_a_kind(doubtful)[1])

    def _document_changed(self, change: Change) -> None:
        if not change.interactive:  # after a drag `ask` is called
            self._look()

    def _note_file(self, path: Path) -> None:
        self._written = path.name, self._document.state, self._document.data
        self._look()

    def _look(self) -> None:
        data, state = self._document.data, self._document.state
        each = self._pair, self._scale, self._check, self._validate, self._name, self._export
        steps = () if data is None else tuple(step(data, state) for step in each)
        if steps != self.steps:
            self.steps = steps
            self.changed.emit()

    # One by one ---------------------------------------------------------------------------------------------

    def _pair(self, data: MultiView, state: DocumentState) -> WorkStep:
        doubts = self._library.doubts.unanswered
        leads = "import" if self._library.imports.can_begin_again else ""
        step = partial(WorkStep, "pair", "Pair rows", "Check rows", leads)
        if doubts:
            others = f" {counted(len(doubts) - 1, 'other doubt')} about the files." if len(doubts) > 1 else ""
            sentence = f"{doubts[0]}{others} Look how the files were read, or close the message if it is right."
            return step("doubt", sentence)
        rows = counted(data.n_samples, "sample")
        paired = f"The rows of all {data.n_views} views are paired: {rows}."
        sentence = paired if data.n_views > 1 else f"One view of {rows}: there are no rows to pair."
        return step("done", sentence)

    def _scale(self, data: MultiView, state: DocumentState) -> WorkStep:
        step, uneven = partial(WorkStep, "scale", "Scale views"), self._uneven()
        if uneven is None:
            return step("Scale views", "", "open", "The scales of the columns are being compared.")
        if not uneven:
            sentence = "No ticked view has columns whose scales differ more than 1000-fold as it is used."
            return step("Scale views", "", "done", sentence)
        doubtful = self._doubtful()
        if not doubtful:
            code, views = _first_of_a_kind(uneven)
            about = _about(code, [uneven[view] for view in views])
            sentence = f"{about}. That is meant so; to change it, preprocess a view on the left."
            return step("Scale views", "", "done", sentence)
        code, views = _first_of_a_kind(doubtful)
        how = TREATMENTS[code][1]
        about = _about(code, [uneven[view] for view in views])
        decides = "" if code == DOMINANT_COLUMN else ": the largest decide the distances"
        sentence = f"{about}{decides}. What helps: {how.format('them')}. Or keep these scales, if they are meant so."
        return step(how.format(some_views(views, data.n_views)), "scale", "doubt", sentence)

    def _check(self, data: MultiView, state: DocumentState) -> WorkStep:
        step = partial(WorkStep, "check", "Check ε", "Check ε", "tune")
        ticked = [view for view in state.enabled if view in data.view_names]
        if not ticked:
            return step("open", "No view is ticked. Tick one on the left.")
        if len(ticked) > MOST:
            return step("open", f"More than {MOST} views are ticked, too many to judge: look at their curves.")
        verdicts = self._bench.verdicts.now()
        advice = self._bench.advice.now(verdicts)
        poor = {view: verdicts[view].word for view in ticked if verdicts[view].word in ("isolated", "flat")}
        if poor:
            first = next(iter(poor))
            regime = verdicts[first].regime
            more = [view for view in poor if view != first]
            about = f"{first} is {poor[first]}." if regime is None else judged_in_words(regime, advice.get(first))
            return step("doubt", f"{about} {f'Also in doubt: {_some(more)}.' if more else ''}".strip())
        if any(verdicts[view].word is None for view in ticked):
            return step("open", "The bandwidths of the ticked views are being judged.")
        words = "The ε of every ticked view leaves its samples neighbours: none is isolated or flat."
        return step("done", f"{words} {recommended_elsewhere(advice)}".strip())

    def _validate(self, data: MultiView, state: DocumentState) -> WorkStep:
        step = partial(WorkStep, "validate", "Validate", "Validate", "validate")
        focused = self._bench.editor.focused
        panel = state.find_panel(focused) if focused is not None else next(iter(state.panels), None)
        if panel is None:
            return step("open", "There is no panel to validate. Add one.")
        title, answers = numbered_title(state, panel), self._bench.checks.of(panel.id)
        if "null" in answers.computing:
            return step("open", f"The permutation test of {title} is running.")
        if not answers.null:
            return step("open", f"Could the score of {title} be chance? Run its permutation test.")
        if null_outdated(answers, state.checks.shuffle) or not answers.present:
            return step("open", f"The permutation test is of a former picture of {title}. Run it again.")
        if any(band.useless for band in answers.null.values()):
            return step(
                "doubt", f"{title}: {findings(answers)} Look at the scales and ε of that view, or leave it out."
            )
        shared = self._bench.common.of(panel.id)
        verdict = common_verdict(shared) if isinstance(shared, InCommon) else None
        if verdict is not None and not verdict.passed:
            return step("doubt", f"{title}: {verdict.finding}")
        return step("done", f"The permutation test of {title} is current. {findings(answers)}".strip())

    def _name(self, data: MultiView, state: DocumentState) -> WorkStep:
        step = partial(WorkStep, "name", "Name the finding", "Name the finding", "name")
        kept = tuple(name for name in state.snapshots.names if not is_unnamed(name))
        for kind, names in (("selection", state.selections.names), ("snapshot", kept)):
            if names:
                return step("done", f"{counted(len(names), kind)} with a name: {_some(names)}.")
        if state.selection:
            chosen = counted(len(state.selection), "selected sample")
            return step("open", f"Give the {chosen} a name, by which they are kept and exported.")
        return step("open", "Select the samples of your finding by a lasso, then give them a name.")

    def _export(self, data: MultiView, state: DocumentState) -> WorkStep:
        step = partial(WorkStep, "export", "Export", "Export", "export")
        name, written, of = self._written or ("", None, None)
        if of is data and written is not None and _without_marks(written) == _without_marks(state):
            return step("done", f"Nothing has changed since {name} was written.")
        return step("open", "What you see now is in no exported file. Export the picture.")

    def _uneven(self) -> dict[str, Notice] | None:
        """The ticked views whose columns differ in scale as they are used, and the doubt; None if unknown."""
        data, ticked = self._document.data, self._document.state.enabled
        answer = None if data is None else self._answers.current("scales", tuple(data.Xs))
        if data is None or answer is None:
            return None
        doubts: dict[str, Notice] = answer.value or {}
        how = dict(zip(data.view_names, data.preprocess, strict=True))
        return {view: it for view, it in doubts.items() if view in ticked and not is_cured(it.code, how[view])}

    def _doubtful(self) -> dict[str, Notice]:
        """Those of them whose scales neither the user nor the manifest of a sample means as they are."""
        state = self._document.state
        sample = find_sample(state.source[0]) if len(state.source) == 1 else None
        own = {} if sample is None else {view.name: view.preprocess for view in sample.views}
        each = [(state.view(name), doubt) for name, doubt in (self._uneven() or {}).items()]
        return {v.name: doubt for v, doubt in each if v.preprocess not in (v.kept_scales, own.get(v.name))}


def _without_marks(state: DocumentState) -> DocumentState:
    """The state whatever is selected without a name, or kept as a snapshot: no edit that has to be exported."""
    bare = state.selections.model_copy(update={"origin": ""})
    return state.model_copy(update={"selection": (), "selections": bare, "snapshots": Snapshots()})


def _first_of_a_kind(uneven: Mapping[str, Notice]) -> tuple[str, list[str]]:
    """The code of the doubt about the first of the views, and all those that it is about."""
    code = next(iter(uneven.values())).code
    return code, [view for view, each in uneven.items() if each.code == code]


def _about(code: str, notices: Sequence[Notice]) -> str:
    return SCALE_DOUBTS[code].format(_some(notices))


def _some(names: Sequence[str]) -> str:
    """The first names of several."""
    rest = len(names) - NAMED
    return listed([*names[:NAMED], *([f"{rest} more"] if rest > 0 else [])])
