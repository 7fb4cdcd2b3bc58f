"""The eigenvalues of all panels in one plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.methods.jointly_smooth import COMMON_BAND
from mvexplorer.figures import Curves, Figure, Series
from mvexplorer.state.batches.check_words import null_outdated, told_first
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.check_choices import CheckChoices
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.titles import panel_title, untitled_pins
from mvexplorer.state.pictures.common_words import common_count, common_sentence
from mvexplorer.state.pictures.drawing import subscript
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.panels.header import pin_text
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, distinct_names, line, retire
from mvexplorer.ui.widgets.plots.curve_view import CurveView
from mvexplorer.ui.widgets.plots.legend import LegendKey
from mvexplorer.ui.widgets.plots.looks import CurveLook, curve_look
from mvexplorer.ui.widgets.shortening import shortened
from mvexplorer.wording import counted

FLOOR = 1e-12
LEGEND = 248
NAME = LEGEND - 32
"""Pixels of a name in the legend, beside its marker, its number and the scroll bar."""


@dataclass(frozen=True)
class Spectrum:
    """A panel's eigenvalues (k,), largest first, and the panel's title; `common` is what of them is chance."""

    title: str
    values: Array
    common: ChanceBand | None = None

    def equals(self, other: Spectrum) -> bool:
        """True if both are one curve."""
        size = float(max(np.abs(self.values).max(), np.abs(other.values).max()))
        same = self.values.shape == other.values.shape
        tolerance = 1e-6  # spectra that differ by less than this part of their largest value are one curve
        return same and bool(np.abs(self.values - other.values).max() <= tolerance * size)


class SpectrumPage(QWidget):
    """Eigenvalues of all panels, overlaid."""

    id, title, place = "spectrum", "Spectrum", "tune"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._keys: dict[str, LegendKey] = {}
        self._places: dict[str, int] = {}
        """Panel -> the place of its look, which it keeps while it is open."""
        self._firsts: tuple[str, ...] = ()
        """The first panel of each curve."""
        row = spaced(QHBoxLayout(self), 8, 4, 12, 4, spacing=12)
        self.plot = CurveView(self._meaning)
        self.plot.chosen.connect(lambda curve, _: workbench.editor.focus(self._firsts[curve]))
        row.addWidget(self.plot, 1)
        self.nothing = Label(role="muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        row.addWidget(self.nothing, 1)
        self._make_side(row)
        self.bands = SpectrumBands(self._legend)
        self.soon = Soon(self, milliseconds=100, do=self.refresh)
        self.log.toggled.connect(self._set_log)
        workbench.controller.panel_changed.connect(self._panel_changed)
        workbench.checks.changed.connect(self._panel_changed)
        workbench.editor.focus_changed.connect(self._panel_changed)
        self.apply_theme()

    def _make_side(self, row: QHBoxLayout) -> None:
        side = QVBoxLayout()
        row.addLayout(side)
        self.log = QCheckBox("Logarithmic")
        self.log.setToolTip("Show eigenvalues on a logarithmic axis: decay becomes slope")
        self.log.setChecked(self._workbench.settings.spectrum_log)
        self._legend = spaced(QVBoxLayout(), spacing=1)
        side.addWidget(self.log)
        names = QWidget()
        listed = spaced(QVBoxLayout(names), 0, 0, 0, 0)
        listed.addLayout(self._legend)
        listed.addStretch(1)
        area = QScrollArea()
        area.setWidget(names)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(LEGEND)
        names.setMinimumWidth(1)
        side.addWidget(area, 1)

    def apply_theme(self) -> None:
        """Use the current theme's axis colours."""
        self.soon.start()
        self.plot.apply_theme()

    def compute_all(self) -> None:
        """Do nothing: eigenvalues come with the pictures."""

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow changes of panels or their titles."""
        before, after = change.before, change.after
        chosen = (before.checks, before.colour) != (after.checks, after.colour)
        if change.data_changed or chosen or before.panels != after.panels or before.enabled != after.enabled:
            self.soon.start()

    def _panel_changed(self, _id: str | None) -> None:
        if self.isVisible():
            self.soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.soon.start()

    def _set_log(self, on: bool) -> None:
        self._workbench.change_settings(spectrum_log=on)
        self.soon.start()

    def refresh(self) -> None:
        """Draw the spectra of all panels that have one."""
        if not self.isVisible():
            return
        state, spectra = self._workbench.document.state, {}
        for panel in state.panels:
            result = self._workbench.controller.result(panel.id)
            embedding = None if result.result is None else result.result.embedding
            if embedding is None or result.status == "failed":
                continue
            if len(embedding.eigenvalues):  # given coordinates have none
                pins = "".join(f", {pin_text(k, v)}" for k, v in untitled_pins(state, panel).items())
                title = panel_title(state, panel) + pins
                spectra[panel.id] = Spectrum(title, embedding.eigenvalues, common_band(embedding))
        computing = any(self._workbench.controller.result(p.id).status == "computing" for p in state.panels)
        self.nothing.setText("Computing spectra …" if computing else "No panel has eigenvalues to show.")
        self.show_spectra(spectra, [panel.id for panel in state.panels])

    def show_spectra(self, spectra: Mapping[str, Spectrum], panels: Sequence[str]) -> None:
        """Draw the spectra of those of the panels that have one; equal ones have one look and one name."""
        kept = {id: place for id, place in self._places.items() if id in panels}
        free = (place for place in count() if place not in kept.values())
        self._places = kept | {id: next(free) for id in panels if id not in kept}
        self.plot.setVisible(bool(spectra))
        self.nothing.setVisible(not spectra)
        if list(spectra) != list(self._keys):
            self._make_keys(spectra)
        alike, width = groups(spectra), theme.metrics(theme.font(bold=True)).horizontalAdvance
        self._firsts = tuple(alike)
        for name, members in zip(legend_names(spectra, alike, width), alike.values(), strict=True):
            self._show_key(name, members, spectra)
        bands = self._find_bands(spectra)
        self.bands.show(bands, {id: (spectra[id].title, curve_look(self._places[_first(alike, id)])) for id in bands})
        series = tuple(self._series(members, spectra) for members in alike.values())
        body = Curves("index k", "eigenvalue λ", series, whole=True, log_y=self.log.isChecked(), from_least=True)
        drawn = replace(body, series=tuple(map(_clipped, series))) if body.log_y else body
        self.plot.show_figure(Figure("Eigenvalues of the panels", drawn, "", body.columns()))

    def _find_bands(self, spectra: Mapping[str, Spectrum]) -> dict[str, ChanceBand]:
        """Where chance puts the eigenvalues, by null tests or by the method: of the focused panel, else of all."""
        of, choices = self._workbench.checks.of, self._workbench.document.state.checks
        all_bands = {id: chance_band(of(id), choices, each.values) or each.common for id, each in spectra.items()}
        bands = {id: band for id, band in all_bands.items() if band is not None}
        focused = self._workbench.editor.focused
        return {focused: bands[focused]} if focused in bands else bands

    def _series(self, members: Sequence[str], spectra: Mapping[str, Spectrum]) -> Series:
        """The curve of equal spectra; that of the focused panel is thick and on top."""
        values, top = _scaled(spectra[members[0]].values)
        name = " = ".join(spectra[id].title for id in members) + ("" if top == 1.0 else f" (÷ {numbers.number(top)})")
        band = next((self.bands.shown[id] for id in members if id in self.bands.shown), None)
        ends = None if band is None else np.column_stack([band.places, band.low / top, band.high / top])
        front = len(spectra) > 1 and self._workbench.editor.focused in members
        x, look = np.arange(float(len(values))), self._places[members[0]]
        return Series(name, x, values, "points", look, front=front, band=ends)

    def _show_key(self, name: str, members: list[str], spectra: Mapping[str, Spectrum]) -> None:
        """Name a curve once, with all the panels whose spectrum it is."""
        first = members[0]
        values, top = _scaled(spectra[first].values)
        name += "" if top == 1.0 else f" (÷ {numbers.number(top)})"
        gap = numbers.number(float(values[0] - values[1])) if len(values) > 1 else "–"
        about = " = ".join(spectra[id].title for id in members)
        bold = len(spectra) > 1 and self._workbench.editor.focused in members
        self._keys[first].show_key(name, f"{about}: first gap {gap}", curve_look(self._places[first]), bold=bold)
        for id in members:
            self._keys[id].setVisible(id == first)

    def _make_keys(self, spectra: Mapping[str, Spectrum]) -> None:
        for key in self._keys.values():
            retire(key)
        self._keys = {id: LegendKey() for id in spectra}
        for key in self._keys.values():
            self._legend.addWidget(key)

    def _meaning(self, curve: int, index: int) -> str:
        id = self._firsts[curve]
        result = self._workbench.controller.result(id).result
        panel = self._workbench.document.state.find_panel(id)
        if result is None or panel is None or index >= len(result.embedding.eigenvalues):
            return ""
        value = numbers.number(float(result.embedding.eigenvalues[index]), 4)
        title = panel_title(self._workbench.document.state, panel)
        return f"{title}: λ{subscript(index)} = {value}. Click to focus the panel."

    def figures(self) -> tuple[Figure, ...]:
        """The spectra on show, equal ones once, with the bands of chance that lie behind them."""
        return () if self.plot.figure is None or not self._keys else (self.plot.figure,)

    def sizeHint(self) -> QSize:
        return QSize(600, 180)


def _scaled(values: Array) -> tuple[Array, float]:
    """Eigenvalues as drawn, and by what they were divided: variances and sums of Laplacians would flatten others."""
    top = float(np.abs(values).max())
    return (values / top, top) if top > 2.0 else (values, 1.0)


def legend_names(
    spectra: Mapping[str, Spectrum], alike: Mapping[str, list[str]], width: Callable[[str], float]
) -> list[str]:
    """Name each group of equal spectra: all titles or, where they are too long, the first and the number of others.

    `width` gives the pixels of a text.
    """
    firsts, names = {first: spectra[first].title for first in alike}, []
    for number, (first, members) in enumerate(alike.items(), start=1):
        name = " = ".join(spectra[id].title for id in members)
        if width(name) > NAME:
            more = f" and {len(members) - 1} more" if len(members) > 1 else ""
            others = [title for id, title in firsts.items() if id != first]
            name = shortened(firsts[first], others, number, NAME - width(more), width) + more
        names.append(name)
    return distinct_names(names, len(max(names, key=len, default="")))


def groups(spectra: Mapping[str, Spectrum]) -> dict[str, list[str]]:
    """The first panel of each spectrum -> all panels with that spectrum."""
    alike: dict[str, list[str]] = {}
    for id, spectrum in spectra.items():
        first = next((f for f in alike if spectra[f].equals(spectrum)), id)
        alike.setdefault(first, []).append(id)
    return alike


def _clipped(series: Series) -> Series:
    """A curve on a logarithmic axis: what is 0 but for rounding stands at its lower end."""
    band = series.band
    if band is not None:
        band = np.column_stack([band[:, 0], band[:, 1:].clip(FLOOR)])
    return replace(series, y=series.y.clip(FLOOR), band=band)


def _first(alike: Mapping[str, list[str]], id: str) -> str:
    """The panel whose look a panel's curve has."""
    return next(first for first, members in alike.items() if id in members)


ALPHA = 140


@dataclass(frozen=True, eq=False)
class ChanceBand:
    """Where chance puts the eigenvalues of one panel, from `low` (k,) to `high` (k,).

    `first` is the place of the first of them among the panel's eigenvalues, of which a trivial one is not tested.
    `name` is what the legend says, `about` the whole sentence.
    """

    first: int
    low: Array
    high: Array
    name: str
    about: str

    @property
    def places(self) -> Array:
        """Their places (k,)."""
        return np.arange(float(self.first), float(self.first + len(self.low)))


def chance_band(checks: Found, choices: CheckChoices, values: Array) -> ChanceBand | None:
    """The band of a panel with these eigenvalues; None where no test fits what is shown and chosen now."""
    bands = {view: band for view, band in checks.null.items() if view and band.n and len(band.eigenvalues)}
    if not bands or null_outdated(checks, choices.shuffle):
        return None
    view = choices.view if choices.view in bands else told_first(bands)
    band = bands[view]
    count = len(band.eigenvalues)
    places = [k for k in range(len(values) - count + 1) if np.allclose(values[k : k + count], band.eigenvalues, 1e-3)]
    finite = np.isfinite(band.shuffled_eigenvalues).all(axis=0)
    if not places or not finite.any():
        return None
    last = count if finite.all() else int(np.argmin(finite))
    ends = (5.0, 95.0)  # the percentiles between which a band lies
    low, high = np.percentile(band.shuffled_eigenvalues[:, :last], ends, axis=0)
    about = (
        f"with the rows of {line(view)} in another order: the middle 90 % of each eigenvalue in "
        f"{counted(band.n, 'run')}. Where the curve leaves the band, chance alone does not explain it."
    )
    return ChanceBand(places[0], low, high, f"{line(view)} shuffled, 5–95 % of {counted(band.n, 'run')}", about)


def common_band(embedding: Embedding) -> ChanceBand | None:
    """The band of a method that knows by itself how common its functions are by chance; None for others."""
    chance = embedding.info.get(COMMON_BAND)
    if chance is None:
        return None
    places = len(embedding.eigenvalues) - 1
    low, high = np.full(places, min(0.0, float(embedding.eigenvalues.min()))), np.full(places, chance)
    shifted = ", shifted" if embedding.info.get("common_band_by_shifts") else ""
    chosen = "" if embedding.params["n_smooth"] != "auto" else f", d {embedding.info['n_smooth']:g}"
    name = f"{common_count(embedding.info)}{shifted}{chosen}"
    about = (
        f"{common_sentence(embedding.info)}: there the band ends. "
        "A variable comes with its square, its cube and so on: their number is no dimension."
    )
    return ChanceBand(1, low, high, name, about)


class SpectrumBands:
    """Names the bands in the legend, each in its panel's colour."""

    def __init__(self, legend: QVBoxLayout) -> None:
        self._legend = legend
        self.shown: dict[str, ChanceBand] = {}
        self.keys: dict[str, LegendKey] = {}

    def show(self, bands: Mapping[str, ChanceBand], curves: Mapping[str, tuple[str, CurveLook]]) -> None:
        """Name other bands; `curves` has each panel's title and look."""
        for key in self.keys.values():
            retire(key)
        self.shown, self.keys = dict(bands), {}
        for id, band in bands.items():
            self._name(id, band, *curves[id])

    def _name(self, id: str, band: ChanceBand, title: str, look: CurveLook) -> None:
        key = self.keys[id] = LegendKey()
        color = QColor(look.color)
        faint = f"rgba({color.red()}, {color.green()}, {color.blue()}, {ALPHA})"
        square = CurveLook(faint, Qt.PenStyle.SolidLine, "s", "■")
        key.show_key(band.name, f"{title}: {band.about}", square)
        self._legend.addWidget(key)
