"""A panel's eigenvalues along the slider dragged last, read off what is prepared for drags while the hand rests.

Lives on the document's thread and needs no Qt.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import log2
from weakref import WeakKeyDictionary

import numpy as np

from mvexplorer.compute.batch.axes import EPSILON_SCALE
from mvexplorer.engine.api.between import Between, can_be_prepared
from mvexplorer.engine.api.spectrum import SpectrumOver, eigenvalues_between
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.model import PanelState, panel_params
from mvexplorer.state.pictures.anchors import ETA, WEIGHT, Anchors, moved
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.requests import request_of

MOST = 12
"""Eigenvalues that are shown, besides the trivial one."""
STEPS_AN_OCTAVE, STEPS_OF_ETA = 22, 120
"""Steps in which an octave of ε, or η from 0 to 1, is read."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """Places of an interval: ε (n, L), eigenvalues (n, k), and whether these are certified."""

    epsilon: Array
    eigenvalues: Array
    certified: bool


class PreparedSpectrum:
    """The eigenvalues of the panel in focus, as far as they are prepared; what was read of an interval is kept."""

    def __init__(self, controller: Controller, anchors: Anchors) -> None:
        self._controller, self._anchors = controller, anchors
        self._pieces: WeakKeyDictionary[Between, _Piece | None] = WeakKeyDictionary()
        self.changed = anchors.changed

    @property
    def along(self) -> str:
        """The slider dragged last: ``epsilon_scale``, ``epsilon:VIEW``, ``weight:VIEW`` or ``eta``."""
        return self._anchors.along

    @property
    def panel(self) -> PanelState | None:
        """The panel in focus, else the first one."""
        state = self._controller.document.state
        focused = None if self._controller.focused is None else state.find_panel(self._controller.focused)
        return focused or next(iter(state.shown), None)

    @property
    def here(self) -> float | None:
        """Where the slider stands; None until its rule is evaluated."""
        state = self._controller.document.state
        if self.along == EPSILON_SCALE:
            return state.epsilon_scale
        if self.along == ETA:
            return float(state.params.get(ETA) or 0.0)
        if self.weighed:
            view = state.find_view(self.weighed)
            return None if view is None else view.view_weight
        return self._controller.effective_epsilon(self.view)

    @property
    def view(self) -> str:
        """The view whose ε is the slider; empty where that is none."""
        return self.along.removeprefix("epsilon:") if self.along.startswith("epsilon:") else ""

    @property
    def weighed(self) -> str:
        """The view whose weight is the slider; empty where that is none."""
        return self.along.removeprefix(WEIGHT) if self.along.startswith(WEIGHT) else ""

    def over(self) -> SpectrumOver | None:
        """The eigenvalues at ascending values of the slider, of a view the ε it is computed with.

        Where something between is missing, there is a row of NaN.
        """
        panel = self.panel
        if panel is None:
            return None
        if self._is_solved_at_stops(panel):
            return self._solved(panel)
        values, pieces = list[Array](), list[_Piece]()
        for low, high, between in self._anchors.between(panel.id):
            piece = None if between is None else self._read(between, self._steps(low, high))
            if piece is None:
                continue
            there = self._values(low, high, panel, piece)
            if values and there[0] > values[-1][-1] * (1.0 + 1e-9):
                values.append(values[-1][-1:])
                pieces.append(_Piece(pieces[-1].epsilon[-1:], np.full((1, 1), np.nan), certified=True))
            values.append(there)
            pieces.append(piece)
        if not pieces:
            return None
        count = max(piece.eigenvalues.shape[1] for piece in pieces)
        return SpectrumOver(
            panel.method,
            self.along,
            np.concatenate(values),
            np.concatenate([piece.epsilon for piece in pieces]),
            np.concatenate([_padded(piece.eigenvalues, count) for piece in pieces]),
            np.concatenate([np.full(len(piece.epsilon), piece.certified) for piece in pieces]),
            self._views(panel),
        )

    def _is_solved_at_stops(self, panel: PanelState) -> bool:
        """Whether nothing is prepared between exact answers, whose own eigenvalues are followed then."""
        method = get_method(panel.method)
        no_pencil = not method.has_pencil(panel_params(self._controller.document.state, panel, method))
        return no_pencil and method.warm_starts and not method.signs_name_views

    def _solved(self, panel: PanelState) -> SpectrumOver | None:
        """The eigenvalues of the exact answers from which drags start, at some values of the slider."""
        stops, views = self._anchors.solved(panel.id), self._views(panel)
        if not stops:
            return None
        epsilon = np.exp([anchor.position[: len(views)] for _, anchor in stops])
        count = min(MOST + 1, max(len(anchor.eigenvalues) for _, anchor in stops))
        chance = np.array([anchor.chance for _, anchor in stops])
        return SpectrumOver(
            panel.method,
            self.along,
            epsilon[:, views.index(self.view)] if self.view in views else np.array([value for value, _ in stops]),
            epsilon,
            np.array([_padded(anchor.eigenvalues[None, :count], count)[0] for _, anchor in stops]),
            np.ones(len(stops), dtype=bool),
            views,
            chance if np.isfinite(chance).any() else None,
        )

    def problem(self) -> str:
        """Why there are no eigenvalues over the slider, and what to do; it takes some milliseconds."""
        document, panel = self._controller.document, self.panel
        if document.data is None or panel is None:
            return "There is no panel."
        method = get_method(panel.method)
        title = method.title
        at_stops = self._is_solved_at_stops(panel)
        if not at_stops and not method.has_pencil(panel_params(document.state, panel, method)):
            return f"{title} has no symmetric walk: focus a panel of another method, such as Multi-view."
        if any(between is None for _, _, between in self._anchors.between(panel.id)):
            return f"{title} has no symmetric walk at these settings: change them, or focus another panel."
        state, data = document.state, document.data
        try:
            one, other = (request_of(moved(state, self.along, value), data, panel) for value in (0.4, 0.6))
        except MVExplorerError as error:
            return str(error)
        if not at_stops and not can_be_prepared(one.plan):
            most = f"{MANY_SAMPLES:,}"
            return f"Eigenvalues are followed on up to {most} samples, all of them in use: open fewer, or use a sweep."
        if one == other:
            return f"{title} does not depend on {self.words}: drag another slider, or focus another panel."
        if not self._anchors.enabled:
            return "Nothing is computed: tick “Prepare drags while the hand rests” in Edit > Preferences."
        return "Being computed while the hand rests."

    @property
    def words(self) -> str:
        """The slider's name."""
        if self.weighed:
            return f"ω of {self.weighed}"
        return f"ε of {self.view}" if self.view else "η" if self.along == ETA else "ε"

    def _steps(self, low: float, high: float) -> int:
        """In how many steps an interval of the slider is read."""
        return round(STEPS_OF_ETA * (high - low) if self.along == ETA else STEPS_AN_OCTAVE * log2(high / low))

    def _read(self, between: Between, steps: int) -> _Piece | None:
        """Read an interval; None where no positive definite matrix comes of it."""
        if between not in self._pieces:
            piece, parts = None, np.linspace(0.0, 1.0, steps + 1)
            with suppress(np.linalg.LinAlgError):
                epsilon, eigenvalues, _ = eigenvalues_between(between, parts)
                piece = _Piece(epsilon, eigenvalues[:, : MOST + 1], between.interval.values_certified(MOST))
            self._pieces[between] = piece
        return self._pieces[between]

    def _values(self, low: float, high: float, panel: PanelState, piece: _Piece) -> Array:
        if self.view:
            return piece.epsilon[:, self._views(panel).index(self.view)]
        count = len(piece.epsilon)
        return np.linspace(low, high, count) if self.along == ETA else np.geomspace(low, high, count)

    def _views(self, panel: PanelState) -> tuple[str, ...]:
        """The views that a panel is computed from."""
        return self._controller.request_for(panel).plan.views


def _padded(eigenvalues: Array, count: int) -> Array:
    missing = count - eigenvalues.shape[1]
    return np.pad(eigenvalues, ((0, 0), (0, missing)), constant_values=np.nan)
