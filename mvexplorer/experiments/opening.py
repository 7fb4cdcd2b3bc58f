"""An experiment as a document that one can turn: its data, its panels, its bandwidth and its colours."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.bandwidth.table import DEFAULT_RULE
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.experiments.experiment import Experiment, ShownPanel
from mvexplorer.experiments.table import find_experiment
from mvexplorer.state.document.fresh import initial_state, new_panel
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState


@dataclass(frozen=True)
class OpenExperimentJob(Job):
    """An experiment to be opened, by its id."""

    id: str

    def run(self, cache: StageCache, task: Task) -> tuple[DocumentState, MultiView]:
        """Read or generate its data."""
        return document_of(find_experiment(self.id), task)


def document_of(experiment: Experiment, task: Task) -> tuple[DocumentState, MultiView]:
    """The state and the data in which an experiment opens."""
    task.checkpoint()
    source, preset = experiment.source.text, experiment.source.sonograms
    loaded = load_source(source, task=task)
    task.checkpoint()
    rate = 40.0  # samples of a seismogram per second
    data = waveform_views(loaded.data, rate, preset, task=task) if preset else loaded.data
    if experiment.source.preprocess:
        data = data.replace(preprocess=experiment.source.preprocess)
    state = initial_state(data, (source,), loaded.manifest)
    rule = experiment.epsilon if isinstance(experiment.epsilon, str) else DEFAULT_RULE
    chosen = {"epsilon": experiment.epsilon, "rule": rule}
    used = experiment.views or data.view_names
    return updated(
        state,
        {
            "experiment": experiment.id,
            "sonogram": {"rate": rate, "preset": preset} if preset else None,
            "views": tuple(updated(view, {**chosen, "enabled": view.name in used}) for view in state.views),
            "panels": tuple(_panel(shown, f"p{i}") for i, shown in enumerate(experiment.panels, start=1)),
            "colour": experiment.colour or state.colour,
        },
    ), data


def _panel(shown: ShownPanel, id: str) -> PanelState:
    return updated(new_panel(shown.method, id), {"view": shown.view, "dims": shown.dims, "pins": dict(shown.pins)})
