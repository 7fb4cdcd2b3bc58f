"""The experiment that a document shows: its run in the background, and its bars as the panels show them now."""

from __future__ import annotations

from dataclasses import dataclass

from psygnal import Signal

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, Verdict
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import find_experiment
from mvexplorer.state.document.document import Change, Document
from mvexplorer.state.pictures.answers import Answer, Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.panel_result import Picture

RUN, NOW = "experiment", "experiment-now"
"""Where the controller runs an experiment, and measures its bars."""
STOPPED = "The run was stopped.", "Run it again whenever you like."
OTHER_DATA = "The run was stopped because other data was shown. Run it again."


@dataclass(frozen=True)
class RunExperimentJob(Job):
    """An experiment to be run in its quick form, by its id."""

    id: str

    def run(self, cache: StageCache, task: Task) -> ExperimentResult:
        """Run it."""
        return run_experiment(find_experiment(self.id), task=task).outcome


@dataclass(frozen=True, eq=False)
class LiveJob(Job):
    """The bars of an experiment, measured on what its panels show."""

    id: str
    data: MultiView
    pictures: tuple[Picture, ...]

    def run(self, cache: StageCache, task: Task) -> tuple[Bar, ...]:
        """Measure them; none where the experiment has none of this kind."""
        live = find_experiment(self.id).live
        return () if live is None else live(self.data, self.pictures)


class ExperimentDesk:
    """Runs the experiment that a document shows, by the controller in the background, and follows its panels."""

    changed = Signal()
    """Another experiment, another verdict, or other values of its bars."""

    def __init__(self, document: Document, controller: Controller) -> None:
        self._document, self._controller = document, controller
        self.found: dict[str, ExperimentResult] = {}
        """The outcomes of runs in this sitting, by id."""
        self.said: dict[str, str] = {}
        """Why the last run of an experiment found nothing, by id."""
        self.running = ""
        """The id of what is being run."""
        self._runs, self._bars = Answers(controller, stopped=STOPPED), Answers(controller)
        self._runs.changed.connect(self._ended)
        self._bars.changed.connect(lambda key: self.changed.emit())
        document.changed.connect(self._followed)

    @property
    def experiment(self) -> Experiment | None:
        """The experiment of the document; None for other data, or where this version does not know it."""
        try:
            return find_experiment(self._document.state.experiment) if self._document.state.experiment else None
        except ParameterError:
            return None

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts of runs, by id."""
        return {id: outcome.verdict for id, outcome in self.found.items()}

    # The run ------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the experiment in its quick form."""
        experiment = self.experiment
        if experiment is None:
            return
        self.running = experiment.id
        self.said.pop(experiment.id, None)
        title = " of ".join(filter(None, (experiment.figure, experiment.paper)))
        self._runs.forget(experiment.id)
        self._runs.ask(Question(experiment.id, (), RunExperimentJob(experiment.id), title, slot=RUN))
        self.changed.emit()

    def stop(self) -> None:
        """Stop the run; the outcome of an earlier one stays."""
        self._controller.cancel(RUN)

    @property
    def fraction(self) -> float:
        """The share of the run that is done, from 0 to 1; 0 where that is not known."""
        return next((task.fraction for task in self._controller.background.tasks() if task.slot == RUN), 0.0)

    def _ended(self, id: str) -> None:
        """Take the outcome, or the reason why there is none; both outlive the data."""
        answer, self.running = self._runs.of(id), ""
        if answer is not None and answer.error is None:
            self.found[id] = answer.value
        elif answer is not None:
            self.said[id] = _words(answer)
        self.changed.emit()

    # Panels -------------------------------------------------------------------------------------------------

    def _followed(self, change: Change) -> None:
        if change.data_changed and self.running:  # the controller has cancelled whatever was about the former data
            self.said[self.running], self.running = OTHER_DATA, ""
        if change.data_changed or change.before.experiment != change.after.experiment:
            self._bars.clear()
            self.changed.emit()

    @property
    def now(self) -> tuple[Bar, ...]:
        """The bars as the panels show them."""
        answer = self._bars.of(NOW)
        return () if answer is None or answer.error is not None else answer.value

    @property
    def unmeasured(self) -> str:
        """Why there are none, in a sentence or two."""
        answer = self._bars.of(NOW)
        return "" if answer is None else _words(answer)

    def pictures(self) -> tuple[Picture, ...] | None:
        """The pictures of its panels; None where one is computed anew, closed, or of another method."""
        pictures = []
        for i, shown in enumerate(self.experiment.panels if self.experiment is not None else (), start=1):
            result = self._controller.results.get(f"p{i}")
            drawn = result.result if result is not None and result.status == "ready" else None
            if result is None or drawn is None or drawn.embedding.method != shown.method:
                return None
            pictures.append(Picture(drawn.embedding, result.scores))
        return tuple(pictures)

    def measure(self) -> None:
        """Measure the bars on the pictures of the panels, if these have changed."""
        experiment, data = self.experiment, self._document.data
        if experiment is None or experiment.live is None or data is None:
            return
        pictures = self.pictures()
        if pictures is not None:
            basis = experiment.id, data, *(part for p in pictures for part in (p.embedding, p.scores))
            self._bars.ask(Question(NOW, basis, LiveJob(experiment.id, data, pictures), "Bars", slot=NOW))


def _words(answer: Answer) -> str:
    """Why an answer has no value; empty where it has one."""
    return "" if answer.error is None else f"{answer.error.message} {answer.error.hint}".strip()
