"""Examples of what must survive pickle: classes in `mvx.__all__`, the program's exceptions, and jobs of all kinds."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mvexplorer as mvx
from mvexplorer.compute.batch.pass_jobs import SpanJob
from mvexplorer.compute.batch.sweep_path import Resample, SweepPath
from mvexplorer.compute.batch.tuning import OwnScaleJob, TuneJob
from mvexplorer.compute.jobs import jobs, verdict_jobs
from mvexplorer.compute.jobs.analysis_jobs import NullJob, StabilityJob, WholeJob
from mvexplorer.compute.jobs.cluster_jobs import ClusterJob
from mvexplorer.compute.jobs.common_job import CommonJob, CommutatorsJob, DifferenceJob
from mvexplorer.compute.jobs.diagnostics_jobs import GraphJob, MatrixJob, MetricJob, Pictured, RocJob, SpectrumInTimeJob
from mvexplorer.compute.jobs.independence_jobs import IndependenceJob
from mvexplorer.compute.jobs.neighbour_jobs import NeighbourhoodJob
from mvexplorer.compute.jobs.pair_jobs import AgreementJob, DisagreementJob
from mvexplorer.compute.jobs.point_jobs import DistanceJob, FarthestJob, StepsJob, SurroundingsJob, WalksJob
from mvexplorer.compute.jobs.prepared import BetweenJob, NearbyJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.separation_job import SeparationJob
from mvexplorer.compute.jobs.spread_jobs import SpreadJob
from mvexplorer.compute.jobs.view_jobs import CorrelationsJob, UnevenViewsJob, WithoutViewJob
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.scored import measure_of
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.preprocessing import learn_treatment
from mvexplorer.engine.kernels.block_pass import BlockPass, Preparation, Term
from mvexplorer.engine.methods import get_method
from mvexplorer.experiments.desk import LiveJob, RunExperimentJob
from mvexplorer.experiments.opening import OpenExperimentJob
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.batches.tuning import judge_of
from mvexplorer.state.bench.import_desk import OpenJob
from mvexplorer.state.bench.import_preview import PrepareJob
from mvexplorer.state.bench.reopening import OpenAgainJob, OpenGivenJob, OpenSnapshotJob
from mvexplorer.state.bench.snapshot_panels import SnapshotsJob
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.export.live_panels import LivePanelsJob
from mvexplorer.state.export.result_files import NumbersJob
from mvexplorer.state.export.result_tables import Numbers, PanelNumbers
from mvexplorer.state.export.script.session import write_session_code
from mvexplorer.state.export.selected_samples import SelectionJob, selected_samples
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.state.pictures.panel_result import Picture
from mvexplorer.state.session.kept_picture import KeepPictureJob
from mvexplorer.state.session.part import TakePartJob
from mvexplorer.state.session.session import OpenSessionJob, SaveSessionJob, session_content
from mvexplorer.teaching.bars import BarJob, RegimeJob
from mvexplorer.teaching.staging import OpenSourceJob
from mvexplorer.ui.export.frames import Frame, WriteFramesJob
from mvexplorer.ui.export.paper_bundle import PaperBundleJob
from mvexplorer.ui.export.web_page import WebPage
from mvexplorer.ui.window.exports.web_export import PageJob
from mvexplorer.ui.window.start.work_picture import PanelInSmall, WorkPicture

EXAMPLES = {"str": "It rained.", "Sequence[int]": [0, 2], "int": 3, "float": 0.5}
"""An argument for each annotation of an error; others get an empty tuple."""


def one_pass() -> BlockPass:
    """The first pass over one view, by four landmarks."""
    term = Term((0,), (data().Xs[0][:4],), (1.0,))
    return BlockPass((Preparation(learn_treatment("none", data().Xs[0])),), ((term,),))


def data() -> Any:
    """Two small views."""
    X = np.random.default_rng(0).normal(size=(24, 3))
    return mvx.MultiView([X, X[:, :2] ** 2], labels=["a", "b"] * 12, view_names=("one", "two"))


def waveforms() -> Any:
    """Three recordings of a minute at 40 samples per second."""
    return mvx.MultiView([np.random.default_rng(0).normal(size=(3, 2400))])


OBJECTS: dict[str, Callable[[], Any]] = {
    "MultiView": data,
    "Embedding": lambda: mvx.embed(data(), "multiview", epsilon=1.0),
    "PointDistances": lambda: mvx.distances_from(mvx.embed(data(), "multiview", epsilon=1.0), 0),
    "MultiViewEmbedding": lambda: mvx.MultiViewEmbedding("multiview", epsilon=1.0).fit(list(data().Xs)),
}
"""How to make one of each class in `mvx.__all__`."""


def request(*start: Any) -> Request:
    """What a panel asks, with a rule, a number and two kernels, after former answers."""
    known, params = data(), {"n_components": 2, "eta": 0.25}
    made = plan(get_method("multiview"), known, kernels=["gaussian", "knn-7"], epsilon="2*median", params=params)
    return Request(known, made, start=start)


def _of_view(kind: Callable[..., Job], *more: Any) -> Job:
    return kind(data(), dict(enumerate(request().kernels)), 0, *more)


def embedded() -> Any:
    """What a panel shows."""
    return mvx.embed(data(), "multiview", epsilon=1.0)


def pictured(method: str = "multiview") -> Pictured:
    """The same with what was asked."""
    made = plan(get_method(method), data(), epsilon=1.0, params={})
    return Pictured(Request(data(), made), mvx.embed(data(), method, epsilon=1.0))


def save_job(path: Path) -> SaveSessionJob:
    """A session about a sample, with one camera."""
    sample = mvx.load("circles")
    return SaveSessionJob(
        path, initial_state(sample, ("circles",), None), sample, "1.0", {"p1": ((1.0, 0.0, 0.0),) * 3}
    )


def picture_job(path: Path) -> KeepPictureJob:
    """The picture of a panel with two points."""
    panel = PanelInSmall(
        (0, 0, 320, 200), np.array([[20.0, 30.0], [90.0, 80.0]], np.float32), np.zeros((2, 3), np.uint8)
    )
    return KeepPictureJob(path, WorkPicture((panel,), "light"))


def page_job(path: Path) -> PageJob:
    """A web page without panels."""
    words: dict[str, Any] = {"title": "Two views", "program": "mvexplorer", "panels": [], "notes": [], "visible": []}
    page = WebPage(words, (), None, (2, 5), None, data().sample_ids)
    return PageJob(path, page)


def numbers_job(path: Path) -> NumbersJob:
    """Coordinates and scores of one embedding."""
    found = mvx.embed(data(), "multiview", epsilon=1.0)
    panel = PanelNumbers("p1-multiview", found, found.coordinates, {"title": "Multi-view", "stale": False})
    return NumbersJob(Numbers((panel,), {"program": "mvexplorer"}), ("coordinates", "scores"), "csv", path)


def selection_job(path: Path) -> SelectionJob:
    """One selected sample without a panel."""
    sample = mvx.load("circles")
    state = updated(initial_state(sample, ("circles",), None), {"selection": (1,), "panels": ()})
    return SelectionJob(*selected_samples(state, sample, "Circles", {}.__getitem__, ""), path, csv_safe=False)


def given_session():
    """The content of a session, and the state and data it is opened for."""
    state = initial_state(data(), (), None)
    return session_content(state, data(), "mvexplorer", {}).model_dump(mode="json"), state, data()


def frames_job(path: Path) -> WriteFramesJob:
    """A film of one pixel."""
    return WriteFramesJob((Frame(b"rgb", {"caption": "A"}),), (1, 1), 100, path)


def script_job(path: Path) -> WriteJob:
    """A sample of which nothing is computed yet."""
    sample = mvx.load("circles")
    state = initial_state(sample, ("circles",), None)
    return WriteJob(path, partial(write_session_code, state, sample, {}, path))


JOBS: dict[str, Callable[[], Job]] = {
    "EmbedJob": lambda: jobs.EmbedJob(request()),
    "AnchorJob": lambda: jobs.AnchorJob(request()),
    "IndependenceJob": lambda: IndependenceJob(data().Xs[0]),
    "ScoreJob": lambda: jobs.ScoreJob(embedded(), data().labels),
    "NearbyJob": lambda: NearbyJob(request(), mvx.embed(data(), "multiview", epsilon=1.0, eta=0.25)),
    "Resample": lambda: Resample(SweepPath((request(),), alone=True), 1),
    "TuneJob": lambda: TuneJob(request(), judge_of(DocumentState(), data())),
    "OwnScaleJob": lambda: OwnScaleJob(request(), judge_of(DocumentState(), data(), "knn")),
    "SweepPath": lambda: SweepPath((request(), replace(request(), random_state=1))),
    "ApproximationJob": lambda: jobs.ApproximationJob(request()),
    "SpreadJob": lambda: SpreadJob(request(), data().Xs[0], data().Xs[0][:, 0]),
    "NeighbourhoodJob": lambda: NeighbourhoodJob(data().Xs[1], data(), 0, 3),
    "ClusterJob": lambda: ClusterJob(data().Xs[0], "kmeans", 3),
    "DisagreementJob": lambda: DisagreementJob(data().Xs[0], data().Xs[1], 3),
    "AgreementJob": lambda: AgreementJob({"p1": data().Xs[0], "p2": None}, 3),
    "SurroundingsJob": lambda: SurroundingsJob(data(), 3, 4, {0: (request().kernels[0], 1.0)}, {"p1": embedded()}),
    "StepsJob": lambda: StepsJob(embedded(), 3, 2),
    "WalksJob": lambda: WalksJob((embedded(), embedded()), 3, 2),
    "OpenExperimentJob": lambda: OpenExperimentJob("lindenbaum2015-fig9"),
    "RunExperimentJob": lambda: RunExperimentJob("lindenbaum2015-fig9"),
    "LiveJob": lambda: LiveJob("bandwidth-fig4.10", data(), (Picture(embedded()),)),
    "OpenSourceJob": lambda: OpenSourceJob(("blobs",)),
    "BarJob": lambda: BarJob("nmi", data(), (embedded(),), data().labels, None),
    "RegimeJob": lambda: RegimeJob(data(), "one", {"one": parse_bandwidth("median/9")}, {"one": "gaussian"}),
    "FarthestJob": lambda: FarthestJob(data().Xs[0], 3, 5),
    "DistanceJob": lambda: DistanceJob(embedded(), 3),
    "SeparationJob": lambda: SeparationJob(data(), (0, 2, 4), (1, 3)),
    "UnevenViewsJob": lambda: UnevenViewsJob(data()),
    "WithoutViewJob": lambda: WithoutViewJob(request(), OBJECTS["Embedding"](), "one", data().labels, None, 3),
    "MatrixJob": lambda: MatrixJob(pictured(), "transition", "", np.arange(24)),
    "MetricJob": lambda: MetricJob(pictured("local-cca"), 3, np.arange(24)),
    "GraphJob": lambda: GraphJob(pictured(), "one"),
    "SpectrumInTimeJob": lambda: SpectrumInTimeJob(data().Xs[0][:, 0], None, {"t": data().Xs[0][:, 1]}),
    "RocJob": lambda: RocJob({"Multi-view": data().Xs[0]}, data(), (1,), data().labels),
    "SpanJob": lambda: SpanJob(one_pass(), data(), (0,), slice(3, 9)),
    "CorrelationsJob": lambda: CorrelationsJob(request(), OBJECTS["Embedding"]()),
    "RulesJob": lambda: _of_view(jobs.RulesJob, ("median", "multiview", "manifold(dimension=2)")),
    "CurvesJob": lambda: _of_view(jobs.CurvesJob),
    "CoarseCurvesJob": lambda: _of_view(jobs.CoarseCurvesJob),
    "ClassCurvesJob": lambda: _of_view(jobs.ClassCurvesJob, 2.5),
    "DimensionJob": lambda: _of_view(jobs.DimensionJob),
    "WeightsJob": lambda: _of_view(jobs.WeightsJob, 2, 3),
    "OpenJob": lambda: OpenJob(("circles",), ReadOptions(preprocess="centre")),
    "LimitsJob": lambda: _of_view(verdict_jobs.LimitsJob),
    "RegimesJob": lambda: verdict_jobs.RegimesJob(data(), {"one": 1.0, "two": 2.0}, {"one": "gaussian"}, 0),
    "LoadJob": lambda: jobs.LoadJob(("circles",), ReadOptions(preprocess="zscore")),
    "InspectJob": lambda: jobs.InspectJob(("a.csv",), ReadOptions(roles={"kind": "label"}, split={"a": ["a_*"]})),
    "BetweenJob": lambda: BetweenJob(((request(), request()),)),
    "PrepareJob": lambda: PrepareJob(data()),
    "SonogramJob": lambda: jobs.SonogramJob(waveforms(), 40.0, "seismic-manifold"),
    "GiveBackJob": jobs.GiveBackJob,
    "ImportJob": lambda: jobs.ImportJob(("json",)),
    "LivePanelsJob": lambda: LivePanelsJob(initial_state(data(), (), None), data(), {}),
    "OpenAgainJob": lambda: OpenAgainJob(initial_state(data(), ("helix-a",), None), data()),
    "OpenGivenJob": lambda: OpenGivenJob(*given_session()),
    "OpenSessionJob": lambda: OpenSessionJob(Path("a.mvx.json"), accept_changed=True),
    "OpenSnapshotJob": lambda: OpenSnapshotJob("ring", initial_state(data(), ("helix-a",), None)),
    "PageJob": lambda: page_job(Path("a.html")),
    "SnapshotsJob": lambda: SnapshotsJob(initial_state(data(), (), None), data(), ("ring", "wide")),
    "TakePartJob": lambda: TakePartJob(initial_state(data(), (), None), data(), tuple(range(12)), "12 of 24 samples"),
    "WriteFramesJob": lambda: frames_job(Path("a.gif")),
    "WriteJob": lambda: script_job(Path("a.py")),
    "PaperBundleJob": lambda: PaperBundleJob(Path("a"), {".txt": b"words", ".csv": b"id"}),
    "NumbersJob": lambda: numbers_job(Path("a.csv")),
    "KeepPictureJob": lambda: picture_job(Path("a.mvx.json")),
    "SelectionJob": lambda: selection_job(Path("a.csv")),
    "CommonJob": lambda: CommonJob(request(), "circular"),
    "CommutatorsJob": lambda: CommutatorsJob(request()),
    "DifferenceJob": lambda: DifferenceJob(request()),
    "NullJob": lambda: NullJob(request(), measure_of(data()), "circular", "one", 3),
    "WholeJob": lambda: WholeJob(request()),
    "StabilityJob": lambda: StabilityJob(request(), "noise", measure_of(data()), 1, 0.2, data().Xs[0][:, [0, 1, 2, 0]]),
    "SaveSessionJob": lambda: save_job(Path("a.mvx.json")),
}
"""One of each kind."""


def job_classes() -> list[str]:
    """Names of the kinds of jobs that the program defines; those without a `run` of their own are none."""
    return sorted(kind.__name__ for kind in _family(Job) if not inspect.isabstract(kind) and _is_own(kind))


def public_classes() -> list[str]:
    """Names of the classes in `mvx.__all__`."""
    return [name for name in mvx.__all__ if inspect.isclass(getattr(mvx, name))]


def error_classes() -> list[type[BaseException]]:
    """All exceptions that the program defines below the window."""
    for found in pkgutil.walk_packages(mvx.__path__, "mvexplorer."):
        if found.name.split(".")[1] not in ("ui", "cli", "__main__"):
            importlib.import_module(found.name)
    own = {kind for kind in _family(Exception) if _is_own(kind)}
    return sorted(own, key=lambda kind: kind.__name__)


def _is_own(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "mvexplorer"


def _family(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from _family(below)


def example(kind: type[BaseException]) -> BaseException:
    """An error with every argument given."""
    if kind.__init__ is Exception.__init__:
        return kind("It rained.")
    wanted = inspect.signature(kind).parameters.values()
    return kind(*(EXAMPLES.get(str(p.annotation), ()) for p in wanted))


def same(a: Any, b: Any) -> bool:
    """Whether two objects say the same: arrays by value, others by their attributes."""
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
        )
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if type(a) is not type(b):
        return False
    kept = getattr(a, "__dict__", None)
    return bool(a == b) if kept is None else same(kept, b.__dict__)


def problem(made: Any) -> str:
    """Why an object does not come back from pickle as it was; nothing where it does."""
    try:
        back = pickle.loads(pickle.dumps(made))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "" if same(made, back) else "it comes back changed"


def samples() -> dict[str, Callable[[], Any]]:
    """How to make one of each class that must survive."""
    errors = {kind.__name__: partial(example, kind) for kind in error_classes()}
    warm = {"EmbedJob that starts from a former answer": lambda: jobs.EmbedJob(request(OBJECTS["Embedding"]()))}
    return {name: OBJECTS[name] for name in public_classes()} | errors | {n: JOBS[n] for n in job_classes()} | warm


def lost() -> Iterator[str]:
    """Names of the classes that do not survive, each with the reason."""
    found = ((name, problem(make())) for name, make in samples().items())
    yield from (f"{name}: {why}" for name, why in found if why)
