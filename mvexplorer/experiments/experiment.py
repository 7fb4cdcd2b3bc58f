"""The description of an experiment: data, panels to show, its measure, and the bars that decide its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from mvexplorer import datasets
from mvexplorer.datasets.calls import call_text
from mvexplorer.datasets.catalogue import open_sample
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.document.model import Scalar
from mvexplorer.state.pictures.panel_result import Picture

Verdict: TypeAlias = Literal["reproduces", "in part", "does not"]
Kind: TypeAlias = Literal["claim", "identity", "ours"]

PAPERS = {
    "lindenbaum2015": "Multi-view diffusion maps",
    "yair2016": "Local CCA",
    "bandwidth": "Bandwidth selection",
    "salhov2015": "Diffusion representations",
    "eynard2012": "Joint diagonalisation",
}
"""The papers by id, in the order in which they are shown."""
OWN = "ours"
GROUPS = {**PAPERS, OWN: "Our own"}
"""Under what experiments are shown: their paper, or that no paper stands behind them."""
MARKS: dict[Kind, str] = {"claim": "", "identity": "identity", "ours": "our own"}
"""How an experiment is marked that can say nothing of a paper's claims."""


@dataclass(frozen=True)
class Bar:
    """One number that a claim is about, `what` it is in a few words, and how large or small it has to be.

    A value that is not finite misses its bar. The claim asks for `at_least`, `at_most` or both. `null` are the lowest
    and highest value of the same number on shuffled data, where it is a score.
    """

    what: str
    value: float
    at_least: float | None = None
    at_most: float | None = None
    null: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise ValueError(f"the bar “{self.what}” asks for nothing")

    @property
    def holds(self) -> bool:
        """True if the claim's number is reached."""
        low = -np.inf if self.at_least is None else self.at_least
        high = np.inf if self.at_most is None else self.at_most
        return bool(np.isfinite(self.value) and low <= self.value <= high)

    @property
    def asked(self) -> str:
        """The demand of the claim: ``≥ 0.98``, ``≤ 1e-06``, or ``0.3 to 3``."""
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:g} to {self.at_most:g}"
        return f"≥ {self.at_least:g}" if self.at_least is not None else f"≤ {self.at_most:g}"


@dataclass(frozen=True)
class ExperimentResult:
    """The outcome of a run: the bars, the first of which stands for all in a table, and its pictures."""

    bars: tuple[Bar, ...]
    figures: tuple[Figure, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict: all claims hold, some, or none; computed from the bars and nothing else."""
        held = sum(bar.holds for bar in self.bars)
        return "reproduces" if held == len(self.bars) else "in part" if held else "does not"


@dataclass(frozen=True)
class Source:
    """The origin of an experiment's data: a sample of the program, or a generator and its keywords."""

    sample: str | None = None
    generator: str | None = None
    keywords: Mapping[str, object] = field(default_factory=dict)
    sonograms: Literal["", "seismic-events", "seismic-manifold"] = ""
    """How a document turns its waveforms into sonograms; `load` leaves them as they are."""
    preprocess: str = ""
    """How a document preprocesses its views, where not as the data says; `load` does not."""

    @property
    def text(self) -> str:
        """The same as one text, by which a document names its data."""
        return self.sample or call_text(self.generator or "", self.keywords)

    def load(self, **changes: object) -> MultiView:
        """The data; `changes` are other keywords of the generator, such as `random_state`."""
        if self.sample is not None:
            return open_sample(self.sample)
        make = getattr(datasets, self.generator or "", None)
        if make is None:
            raise DataError(f"There is no generator called {self.generator}.", "Install mvexplorer again.")
        data: MultiView = make(**{**self.keywords, **changes})
        return data


@dataclass(frozen=True)
class ShownPanel:
    """One panel of the document in which an experiment opens; `pins` are as in `PanelState`."""

    method: str
    view: str | None = None
    dims: Literal[2, 3] = 2
    pins: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True)
class Turn:
    """A place of the knob, which a button goes to: “ε at the median”.

    `epsilon` is that of every ticked view; `params` are pinned where the panels have them pinned, else shared; `page`
    is a page below the panels that it opens, `sweep` a score of which that page then sweeps the panels over all ε.
    """

    words: str
    epsilon: float | str | None = None
    params: Mapping[str, Scalar] = field(default_factory=dict)
    page: str = ""
    sweep: str = ""


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper that is computed anew, or one of our own beside them.

    The id is that of the paper and the figure, as in ``lindenbaum2015-fig1``; `figure` is as the paper calls it.
    `paper` is one of `PAPERS`, None where no figure, table or equation of a paper stands behind it. `caption` says what
    was done, in our own words, `look_for` what to look for in the picture, `why` why it fails where it does, shown
    unless all bars hold.

    In the window it opens with the data of `source`, the `panels`, the ticked `views` (empty: all), `epsilon` for every
    view, and `colour` as in `DocumentState`. `knob` says what to turn there in order to see why, `turns` are places of
    that knob. `live` gives the bars of this one picture from the data and what each panel shows now, where that takes
    no run.

    `measure` makes a `Run` an `ExperimentResult`; its quick form takes about `quick_seconds` on one core. `stands_for`
    names the paper's own data where that cannot be had.

    `kind` is ``claim``: the paper says so of its data; ``identity``: it follows from the mathematics, whatever the data
    are; or ``ours``: no paper says so.
    """

    id: str
    paper: str | None
    figure: str
    title: str
    caption: str
    look_for: str
    source: Source
    panels: tuple[ShownPanel, ...]
    measure: Callable[[Run], ExperimentResult]
    quick_seconds: float
    epsilon: float | str = "max-min"
    colour: str = ""
    views: tuple[str, ...] = ()
    why: str = ""
    knob: str = ""
    turns: tuple[Turn, ...] = ()
    live: Callable[[MultiView, Sequence[Picture]], tuple[Bar, ...]] | None = None
    stands_for: str = ""
    kind: Kind = "claim"

    def __post_init__(self) -> None:
        if self.paper is None and self.kind != OWN:
            raise ValueError(f"the experiment {self.id} claims what no paper says")
        if self.paper is not None and not (self.paper in PAPERS and self.id.startswith(f"{self.paper}-")):
            raise ValueError(f"the experiment {self.id} is of no known paper")

    @property
    def group(self) -> str:
        """The one of `GROUPS` under which it is shown."""
        return self.paper or OWN


@dataclass(frozen=True)
class Missing:
    """A figure that cannot be computed here, why, and which experiment stands for it."""

    paper: str
    figure: str
    reason: str
    instead: str | None = None
