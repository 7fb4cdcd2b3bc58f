"""A panel's state: the last good embedding, and the progress of the present request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from mvexplorer.compute.jobs.prepared import NearbyJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Hidden, Result, Scores, bare
from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.analysis.independence import Independence
from mvexplorer.engine.api.approximation import ApproximationError
from mvexplorer.engine.api.between import can_be_prepared
from mvexplorer.engine.api.cost import Alternative, Estimate
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import ROUGH, STEPS_STAY
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import LOWER_IS_BETTER, Score
from mvexplorer.engine.pipeline.staying import ALONE
from mvexplorer.errors import ComputeError, MVExplorerError
from mvexplorer.state.document.model import MAX_PANELS, PanelState

Turn = tuple[tuple[float, ...], ...]
Status = Literal["empty", "computing", "ready", "failed", "cancelled"]


class TooLarge(ComputeError):
    """A computation that does not fit into memory, and the alternatives."""

    def __init__(self, message: str, alternatives: tuple[Alternative, ...]) -> None:
        hint = (
            "Choose another way, or allow more memory." if alternatives else "Allow more memory, or keep fewer samples."
        )
        super().__init__(message, hint)
        self.alternatives = alternatives


@dataclass(frozen=True, eq=False)
class Drawing:
    """How a picture is drawn; without points while there is none."""

    points: Array | None = None
    """Coordinates (M, 2 or 3), fitted to -1..1 and aligned with those drawn before."""
    axes: tuple[Any, ...] = ()
    """Which coordinates these are: only drawings of the same ones are aligned."""
    source: tuple[Any, ...] = ()
    """The embedding that is drawn, and whether it is trimmed."""
    axis_names: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    """Names of the axes that only set a few samples apart."""
    edge: tuple[int, ...] = ()
    """The samples that lie on the edge because the drawing is trimmed."""
    turn: Array | None = None
    """How it is rotated or reflected from its own axes, (d, d); None where it is not."""
    unplaced: tuple[int, ...] = ()
    """The samples without coordinates, which stand on the rim."""


@dataclass
class PanelResult:
    """A panel's state: the last good embedding, and the progress of the present request.

    Other modules only read it; its methods name what happens to a panel.
    """

    status: Status = "empty"
    request: Request | None = None
    result: Result | None = None
    subject: tuple[str, ...] = ()
    """The picture's subject: the method, and the views that its title names."""
    former: tuple[Result, ...] = field(default=(), repr=False)
    """Where the next answer starts: the last two, the present one included, and the last of all samples."""
    error: MVExplorerError | None = None
    scores: Scores | None = None
    from_file: bool = False
    """Whether picture and scores were saved with the session: they are shown until they are computed."""
    drawing: Drawing = field(default_factory=Drawing, repr=False)
    closed_drawing: Drawing = field(default_factory=Drawing, repr=False)
    """The drawing from when the panel was closed: a panel that comes back lies the same way."""
    independence: Independence | None = None
    """Which of the coordinates shown are bends of earlier ones, once that is computed."""
    independence_key: tuple[object, ...] = field(default=(), repr=False)
    """The coordinates whose independence is known, or being computed."""
    nearby_asked: bool = False
    """Whether it is found, or being found, how far samples move with ε."""
    shift: Score | None = None
    """How far they do, once that is found."""
    checks: Mapping[str, Any] = field(default_factory=dict)
    """The results of null tests and stability for the present picture, as plain data."""
    spread: Array | None = field(default=None, repr=False)
    """How far each sample moves over random parts (M,), once that is computed."""
    cost: Estimate | None = None
    """The memory and time of the present request."""
    budget: int = DEFAULT_MEMORY
    """Bytes that the present request may take."""
    approximation: str = ""
    """How far the picture is from the dense kernel's, once asked for."""
    saved_turn: tuple[tuple[Any, ...], Array] | None = field(default=None, repr=False)
    """The axes and their turn as the session saved them: used while there is nothing yet to be aligned with."""

    # What happens to a panel --------------------------------------------------------------------------------

    def begin(self, request: Request, cost: Estimate, budget: int) -> bool:
        """Await the answer to a request. True if that changes what the panel shows."""
        news = self.status != "computing" or self.scores is not None or self.cost != cost
        self.request, self.status, self.error, self.cost, self.budget = request, "computing", None, cost, budget
        self.scores = self.scores if self.from_file else None
        return news

    def step(self, answer: Result, subject: tuple[str, ...]) -> None:
        """Keep the answer to a step of a drag that was there at once."""
        self.scores = self.scores if self.from_file else None
        self.request = answer.request
        self.arrive(answer, subject, current=True)

    def refuse(self, error: MVExplorerError) -> None:
        """Keep why the panel has no request."""
        self.request, self.scores = None, None
        self.fail(error)

    def fail(self, error: MVExplorerError) -> None:
        """Keep why the present request has no answer."""
        self.status, self.error = "failed", error

    def cancel(self) -> bool:
        """Stop awaiting an answer. True if one was awaited."""
        awaited = self.status == "computing"
        if awaited:
            self.status = "cancelled"
        return awaited

    def ask_again(self) -> None:
        """Forget the present request, so that it is submitted anew."""
        self.request = None

    def arrive(self, result: Result, subject: tuple[str, ...], *, current: bool) -> None:
        """Keep a new answer: to the `current` request, or to a step of a drag before it."""
        whole = [r for r in self.former if not r.solved_on_part][-1:]
        self.former = (*(r for r in whole if r is not self.former[-1]), *self.former[-1:], result)
        self.result, self.subject, self.approximation = result, subject, ""
        self.independence, self.independence_key, self.nearby_asked, self.shift = None, (), False, None
        if self.from_file:
            self.from_file, self.scores = False, None
        if current:
            self.status, self.error = "ready", None

    def restore(self, result: Result, subject: tuple[str, ...], scores: Scores | None) -> None:
        """Show a picture that was saved with the session, until it is computed."""
        self.result, self.subject, self.scores, self.from_file = result, subject, scores, True

    def show_only(self, subject: tuple[str, ...]) -> bool:
        """Drop a picture of another subject, which the panel's title would misname. True where there was one."""
        if self.result is None or self.subject == subject:
            return False
        self.result = self.scores = self.request = self.independence = None
        self.from_file, self.approximation = False, ""
        self.drawing = self.closed_drawing = Drawing()
        return True

    def draw(self, drawing: Drawing) -> None:
        """Draw the picture this way."""
        self.drawing = drawing

    def restore_turn(self, axes: tuple[Any, ...], turn: Array) -> None:
        """Turn the picture of these axes as the session saved it, once it is drawn."""
        self.saved_turn = axes, turn

    def turn_of(self, axes: tuple[Any, ...]) -> Array | None:
        """The turn that the session saved for these axes; forgotten once others are drawn."""
        if self.saved_turn is not None and self.saved_turn[0] != axes:
            self.saved_turn = None
        return None if self.saved_turn is None else self.saved_turn[1]

    def keep_scores(self, scores: Scores) -> None:
        """Keep the picture's scores; how far samples move with ε stands beside those by views alone."""
        self.scores = scores if scores.free is None else replace(scores, stability=self.shift)

    def keep_shift(self, shift: Score | None) -> None:
        """Keep how far samples move with ε."""
        self.shift = shift
        if self.scores is not None:
            self.keep_scores(self.scores)

    def drop_hidden(self, hidden: Hidden | None) -> bool:
        """Drop the scores of another hidden variable than this one, or on other axes. True where there were some."""
        scored = None if self.scores is None else self.scores.hidden
        if self.scores is None or scored is None:
            return False
        if hidden is not None and (scored.variable, scored.drawn) == (hidden.name, (hidden.show, hidden.axes)):
            return False
        self.scores = replace(self.scores, hidden=None)
        return True

    def drop_free(self, views: Sequence[str]) -> bool:
        """Drop the scores by the neighbours of other views than these. True where there were some."""
        free = None if self.scores is None else self.scores.free
        if self.scores is None or free is None or [name for name, _ in free.kept] == [*views]:
            return False
        rest = replace(self.scores, free=None)
        self.scores = rest if rest.each() else None
        return True

    def ask_nearby(self) -> NearbyJob | None:
        """How the picture's movement with ε is found, once for each picture; None where there is none to be told."""
        if self.nearby_asked or self.result is None or not self.result.request.varies_with_epsilon:
            return None
        if not can_be_prepared(self.result.request.plan):
            return None
        self.nearby_asked = True
        return NearbyJob(replace(self.result.request, start=()), bare(self.result.embedding))

    def keep_approximation(self, text: str) -> None:
        """Keep how far the picture is from the dense kernel's, in words."""
        self.approximation = text

    def keep_bends(self, key: tuple[object, ...], independence: Independence | None = None) -> None:
        """Keep which of these coordinates are bends of earlier ones; None while that is being computed."""
        self.independence, self.independence_key = independence, key

    def keep_checks(self, checks: Mapping[str, Any], spread: Array | None) -> bool:
        """Keep what null tests and stability found. True if the samples spread otherwise than before."""
        news = self.spread is not spread
        self.checks, self.spread = checks, spread
        return news

    # What it is -----------------------------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """How long the picture took."""
        return 0.0 if self.result is None else self.result.seconds

    @property
    def stale(self) -> bool:
        """Whether the picture answers an older question than the one asked."""
        return self.result is not None and self.status != "ready" and not (self.previews or self.from_file)

    @property
    def previews(self) -> bool:
        """Whether the picture is a draft of the very answer that is being computed."""
        if self.result is None or self.request is None or self.status != "computing":
            return False
        return self.result.request.interactive and self.request == replace(self.result.request, interactive=False)

    def answers(self, request: Request) -> bool:
        """True if a request is the present one, or would only draft the very picture that is exact already."""
        exact = self.status == "ready" and request.interactive
        return self.request in ((request, replace(request, interactive=False)) if exact else (request,))

    @property
    def stand_in(self) -> str:
        """The approximation that replaced all pairs of samples; empty if none did."""
        if self.result is None:
            return ""
        used, part = self.result.embedding.kernels, self.result.solved_on_part
        near = [k for k in self.result.request.kernels if k.kind.approximates_gaussian and k.text in used]
        kernels = [replace(kernel, metric=EUCLIDEAN).text for kernel in near]
        return ", ".join(dict.fromkeys((*kernels, *([f"part of {part:,}"] if part else ()))))

    @property
    def draft_text(self) -> str:
        """The picture's name during a drag: a draft, and whether it is rough; empty otherwise."""
        if self.result is None or not self.result.request.interactive:
            return ""
        rough = any(notice.code == ROUGH for _, notice in self.result.embedding.warnings)
        return "draft, rough" if rough else "draft"

    @property
    def diagnostics(self) -> tuple[str, ...]:
        """The warnings about the picture, in sentences, without those that apply to drafts only."""
        warnings = () if self.result is None else self.result.embedding.warnings
        sentences: tuple[str, ...] = tuple(notice for _, notice in warnings if notice.level == "warning")
        taken = self.drawing.taken
        if taken and not self.in_pieces:
            sentences += (f"Only a few samples are apart on {' and '.join(taken)}: all others lie together.",)
        return sentences

    @property
    def hint(self) -> str:
        """The way to a better picture where this one need not be doubted, in a sentence; empty where none is known."""
        warnings = () if self.result is None else self.result.embedding.warnings
        return next((str(notice) for _, notice in warnings if notice.code == STEPS_STAY), "")

    @property
    def spoilt(self) -> bool:
        """Whether a few samples or loose pieces take the picture, so that another ε or other axes show more."""
        return bool(self.drawing.taken) or self.in_pieces

    @property
    def alone(self) -> tuple[str, ...]:
        """The views in which every sample neighbours only itself, so that a larger ε of theirs shows more."""
        warnings = () if self.result is None else self.result.embedding.warnings
        return next((notice.subjects for _, notice in warnings if notice.code == ALONE), ())

    @property
    def in_pieces(self) -> bool:
        """Whether loose pieces of few samples take the picture."""
        warnings = () if self.result is None else self.result.embedding.warnings
        in_pieces = frozenset({"disconnected", "nearly-disconnected", "outlier"})
        return any(code in in_pieces for code, _ in warnings)


class PanelResults(dict[str, PanelResult]):
    """The results of the panels by id, and how the pictures of the panels closed last lay."""

    def __init__(self) -> None:
        super().__init__()
        self._closed: dict[str, Drawing] = {}

    def of(self, id: str) -> PanelResult:
        """A panel's result; empty where nothing was computed yet."""
        if id not in self:
            self[id] = PanelResult(closed_drawing=self._closed.pop(id, Drawing()))
        return self[id]

    def close(self, id: str) -> None:
        """Forget a panel's result, but not how its picture lay: undo may bring the panel back."""
        drawing = self.pop(id).drawing
        if drawing.points is not None:
            self._closed[id] = drawing
        for oldest in list(self._closed)[:-MAX_PANELS]:
            del self._closed[oldest]

    def settled(self) -> dict[str, PanelResult]:
        """Those that wait for nothing; what was being computed beside their pictures can be asked for again."""
        ready = {id: result for id, result in self.items() if result.status == "ready"}
        for result in ready.values():
            if result.independence is None:
                result.independence_key = ()
            result.nearby_asked = result.shift is not None
        return ready

    def clear(self) -> None:
        """Forget everything: the samples are others."""
        super().clear()
        self._closed.clear()


K = TypeVar("K")


def approximation_text(outcome: Outcome) -> str:
    """The result of a comparison with dense kernels, in a sentence."""
    if outcome.error is not None:
        return f"The error cannot be computed. {outcome.error}"
    error: ApproximationError = outcome.value
    return error.describe()


def best_scores(scores: Mapping[K, Scores]) -> dict[K, frozenset[str]]:
    """For two or more panels, the ids of the scores in which each is best, rounded as in the badges.

    The best one exceeds the next by more than its own spread; else, or where that is not known, none is.
    """
    best: dict[K, set[str]] = {panel: set() for panel in scores}
    each = {panel: own.each() for panel, own in scores.items()}
    for key in dict.fromkeys(key for own in each.values() for key in own if key not in LOWER_IS_BETTER):
        scored = {panel: own[key] for panel, own in each.items() if key in own}
        first, *others = sorted(scored, key=lambda panel: -scored[panel].value)
        lead = min((_rounded(scored[first]) - _rounded(scored[other]) for other in others), default=0.0)
        rounding = 1e-9
        spread = scored[first].spread
        if spread is not None and lead > spread + rounding:
            best[first].add(key)
    return {panel: frozenset(keys) for panel, keys in best.items()}


def _rounded(score: Score) -> float:
    return round(score.value, 2)


@dataclass(frozen=True)
class Picture:
    """A panel's picture when its session was saved."""

    embedding: Embedding
    scores: Scores | None = None
    seconds: float = 0.0


def answers(embedding: Embedding, panel: PanelState) -> bool:
    """Whether an embedding from a file can be the picture of a panel."""
    method = get_method(panel.method)
    return embedding.method == method.id and set(embedding.params) == {param.name for param in method.params}
