"""The sections of the kept sample's card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from mvexplorer.compute.jobs.point_jobs import NearInView
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.state.colourings.distance_colouring import steps_kind
from mvexplorer.state.colourings.walk_colouring import own_walks
from mvexplorer.state.document.colour_titles import KIND_WORDS
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.near_kept import MOST_LINKS, unringed_words
from mvexplorer.state.questions.inspector import Inspector
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.fold import Fold
from mvexplorer.ui.widgets.plain_text import Label, Name, NameBox, retire, sentence, tip
from mvexplorer.ui.widgets.plots.bars import Bars, HorizontalBar
from mvexplorer.ui.widgets.plots.neighbour_strip import Neighbour, NeighbourStrip
from mvexplorer.ui.widgets.sample_card import image_thumbnail
from mvexplorer.ui.widgets.slider import Scale, Slider
from mvexplorer.wording import counted

SHOWN = 8
"""Most bars of probabilities."""
ANY = "any"
WITHIN = tip(
    "Ring the samples within σ = √ε of this one in every panel, at the panel's own ε: in its view, or in any view of "
    "those it joins. Lines go to the nearest samples that take 95 % of a step by the kernel of such a view, "
    f"{MOST_LINKS} at most."
)


@dataclass(frozen=True)
class KeptSample:
    """A kept sample, with the services that answer the card's questions about it."""

    state: DocumentState
    data: MultiView
    sample: int
    inspector: Inspector

    @property
    def panel(self) -> str:
        """The panel whose walk is shown."""
        return self.inspector.panel or ""

    @property
    def picture(self) -> str:
        """That panel's title."""
        return panel_titles(self.state).get(self.panel, "")

    def words(self, sample: int) -> str:
        """A sample's id and label."""
        label = "" if self.data.labels is None else f", {self.data.labels[sample]}"
        return f"{self.data.sample_ids[sample]}{label}"


class NeighbourSection(Fold):
    """The nearest samples in each view and in each panel; those in several rows have a bar below."""

    pointed = Signal(int)

    def __init__(self, editor: Editor) -> None:
        self.count = NumberField("Neighbours of each view and panel", 40)
        super().__init__("Neighbours", "The nearest samples, by each view and by each picture", self.count)
        self._editor = editor
        self.count.setToolTip("k, the number of neighbours")
        self.count.entered.connect(self._enter)
        self.rows: dict[str, NeighbourStrip] = {}
        self._heads: dict[str, tuple[Name, Label]] = {}
        self._wholes: list[QWidget] = []
        self.words = Label(role="muted", wraps=True)
        self.within = QCheckBox("Neighbours within σ")
        self.within.setToolTip(WITHIN)
        self.within.clicked.connect(editor.ring_neighbours)
        self.unringed = Label(role="muted", wraps=True)
        for widget in (self.words, self.within, self.unringed):
            self.body.addWidget(widget)

    def _enter(self, text: str) -> None:
        number = _whole(text, 1, 50)
        self.count.set_wrong(number is None)
        if number is not None:
            self._editor.change_point(f"{counted(number, 'neighbour')}", neighbours=number)

    def show_about(self, about: KeptSample) -> None:
        """Show the neighbours that are known."""
        self.count.show_text(str(about.state.point.neighbours))
        self.within.setChecked(about.state.point.within)
        self.unringed.setText(unringed_words(about.state) if about.state.point.within else "")
        self.unringed.setVisible(bool(self.unringed.text()))
        surroundings, lost = about.inspector.surroundings, about.inspector.lost
        self.words.setText("" if lost is None else str(lost))
        self.words.setVisible(lost is not None)
        if surroundings is None or surroundings.sample != about.sample:
            self._empty()
            return
        titles = panel_titles(about.state)
        lists = {f"view:{name}": near.rows.tolist() for name, near in surroundings.views.items()}
        lists |= {f"panel:{id}": near.rows.tolist() for id, near in surroundings.panels.items() if id in titles}
        counts = Counter(row for rows in lists.values() for row in rows)
        self._arrange({key: titles.get(key[6:], "") if key[:6] == "panel:" else key[5:] for key in lists})
        for key, rows in lists.items():
            self.rows[key].show_items([_neighbour(about, row, counts[row], len(lists)) for row in rows])
        for name, near in surroundings.views.items():
            self._tell_within(self._heads[f"view:{name}"][1], near, about.inspector.epsilon(name))

    def _empty(self) -> None:
        """Show no sample while neighbours are searched; the rows stay, so that nothing below them moves."""
        for key, row in self.rows.items():
            row.show_items(())
            self._heads[key][1].setText("")

    def _tell_within(self, label: Label, near: NearInView, epsilon: float | None) -> None:
        if near.within is None or epsilon is None:
            label.setText("")
            return
        alone = near.within == 0
        label.setText("none within σ" if alone else f"{near.within:,} within σ")
        degree = (
            "" if near.degree is None else f" The sum of its affinities, its degree, is {numbers.number(near.degree)}."
        )
        lonely = " It stands alone in this view: enlarge ε to join it." if alone else ""
        sigma = numbers.number(epsilon**0.5)
        label.setToolTip(f"{counted(near.within, 'sample')} within σ = √ε = {sigma}.{degree}{lonely}")
        label.set_role("amber" if alone else "muted")

    def _arrange(self, titles: dict[str, str]) -> None:
        """Make one row for each of these."""
        if list(titles) != list(self.rows):
            for widget in (*self._wholes, *self.rows.values()):
                retire(widget)
            self.rows, self._heads, self._wholes = {}, {}, []
            for key in titles:
                self._add(key)
        for key, title in titles.items():
            self._heads[key][0].set_words(title)
            self.rows[key].setAccessibleName(f"Neighbours in {title}")

    def _add(self, key: str) -> None:
        whole = QWidget()
        line = spaced(QHBoxLayout(whole), 0, 2, 0, 0)
        name, within, strip = Name(), Label(), NeighbourStrip("")
        for label in (name, within):
            label.setProperty("role", "muted")
        line.addWidget(name, 1)
        line.addWidget(within)
        strip.chosen.connect(self._editor.keep_sample)
        strip.pointed.connect(self.pointed)
        self.body.addWidget(whole)
        self.body.addWidget(strip)
        self._wholes.append(whole)
        self.rows[key], self._heads[key] = strip, (name, within)


def _neighbour(about: KeptSample, row: int, count: int, rows: int) -> Neighbour:
    words = f"{about.words(row)}: in {count} of {rows} rows. Click to go to it."
    images = about.data.images
    picture = None if images is None else image_thumbnail(images[row], 44)
    return Neighbour(row, about.data.sample_ids[row], words, count / rows if count > 1 else 0.0, picture)


class WalkSection(Fold):
    """Where the walk of the focused panel goes from the sample, t steps on."""

    pointed = Signal(int)

    def __init__(self, editor: Editor) -> None:
        super().__init__("Transition probabilities", "Transition probabilities from this sample, by the panel in focus")
        self._editor = editor
        self._source = self._own = ""
        row = spaced(QHBoxLayout(), spacing=6)
        self.steps = NumberField("Steps of the walk", 40)
        self.steps.entered.connect(self._enter)
        self._after = Label("steps from")
        self.start = NameBox(120)
        self.start.setMinimumContentsLength(4)
        self.start.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.start.setAccessibleName("View in which the walk starts")
        self.start.hide()
        self.start.activated.connect(lambda _: self._begin(self.start.name))
        row.addWidget(self.steps)
        row.addWidget(self._after)
        row.addWidget(self.start, 1)
        self._row = QWidget()
        self._row.setLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        self.words = Label(role="muted", wraps=True)
        self.bars = Bars("Transition probabilities", 0.3)
        self.bars.chosen.connect(lambda key: self._editor.keep_sample(int(key)))
        self.bars.pointed.connect(lambda key: self.pointed.emit(int(key) if key else -1))
        self.colour = QPushButton("Colour by probability")
        self.colour.clicked.connect(lambda: self._editor.colour_by(self._source))
        self.each = QPushButton("Colour each panel by its own walk")
        self.each.setToolTip(
            "Colour every picture by its own method's walk: single views beside methods that join them"
        )
        self.each.clicked.connect(lambda: self._editor.colour_by(self._own))
        for widget in (self.words, self._row, self.bars, self.colour, self.each):
            self.body.addWidget(widget)

    def _enter(self, text: str) -> None:
        number = _whole(text, 1, 1000)
        self.steps.set_wrong(number is None)
        if number is not None:
            self._editor.change_point(f"{counted(number, 'step')} of the walk", steps=number)

    def _begin(self, view: str) -> None:
        self._editor.change_point(f"Walk from {view}", start="" if view == ANY else view)

    def show_about(self, about: KeptSample) -> None:
        """Show the probabilities that are known, or why there are none."""
        inspector, point = about.inspector, about.state.point
        p, t = inspector.steps, point.steps
        self.steps.show_text(str(t))
        views = inspector.walk_views
        # While another walk is computed all stays where it is: what one is about to click must not move away.
        if p is not None:
            self.start.offer([ANY, *views] if len(p) > 1 else [])
            self.start.choose(point.start if point.start in views else ANY)
            self.start.setVisible(len(p) > 1)
        apart = not self.start.isHidden()
        self._after.setText(f"{'step' if t == 1 else 'steps'}{' from' if apart else ''}")
        self.words.setText(sentence(_walk_words(about)))
        for widget in (self.bars, self.colour, self.each):
            widget.setVisible(inspector.has_walk and inspector.problem is None)
            widget.setEnabled(p is not None)
        self._row.setVisible(inspector.has_walk)
        start = point.start if apart else ""
        self._source = f"distance:{about.panel}:{about.sample}:{steps_kind(t, start)}"
        self._own = own_walks(about.panel, about.sample, t, start)
        if p is not None:
            self.bars.show_bars(_probability_bars(about, p, views))


def _walk_words(about: KeptSample) -> str:
    inspector, shown = about.inspector, about.state.find_panel(about.panel)
    if shown is None:
        return "No panel is open."
    if not inspector.has_walk:
        title = get_method(shown.method).title
        return f"{title} is no walk from sample to sample: there are distances only."
    if inspector.problem is not None:
        return str(inspector.problem)
    return f"In {about.picture}" + ("" if inspector.steps is not None else " …")


def _probability_bars(about: KeptSample, p: Array, views: tuple[str, ...]) -> list[HorizontalBar]:
    """The likeliest samples, and all others together."""
    total = p.sum(axis=0)
    n = min(SHOWN, len(total))
    likely = np.flatnonzero(total >= np.partition(total, -n)[-n])  # to sort all of a million would freeze the window
    order = likely[np.argsort(-total[likely], kind="stable")][:n]
    most = float(total[order[0]]) or 1.0
    bars = []
    for row in order.tolist():
        parts = _by_view(p, views, row)
        words = f"{about.words(row)}: {numbers.number(float(total[row]))}{parts}. Click to go to it."
        name = "stays" if row == about.sample else about.data.sample_ids[row]
        bars.append(HorizontalBar(str(row), name, numbers.number(float(total[row])), float(total[row]) / most, words))
    rest = float(1.0 - total[order].sum())
    if len(total) > len(order):
        about_rest = f"All {len(total) - len(order):,} other samples together"
        bars.append(HorizontalBar("", "others", numbers.number(max(0.0, rest)), 0.0, about_rest))
    return bars


def _by_view(p: Array, views: tuple[str, ...], row: int) -> str:
    if len(p) == 1:
        return ""
    return " (" + ", ".join(f"in {v} {numbers.number(float(x))}" for v, x in zip(views, p[:, row], strict=True)) + ")"


class DistanceSection(Fold):
    """How far another sample is, by each view and each panel; bars say how many samples are nearer."""

    def __init__(self, editor: Editor) -> None:
        super().__init__("Distances", "Distances to the sample under the pointer; a click colours by them")
        self._at = -1
        self.words = Label(role="muted", wraps=True)
        self.bars = Bars("Distances", 0.5)
        self.bars.chosen.connect(editor.colour_by)
        self.cross = Label(role="muted", wraps=True)
        for widget in (self.words, self.bars, self.cross):
            self.body.addWidget(widget)

    def show_about(self, about: KeptSample) -> None:
        """Show the distances to the sample compared with, by default the nearest."""
        self.compare_with(about, self._at if self._at < about.data.n_samples else -1)

    def compare_with(self, about: KeptSample, sample: int) -> None:
        """Show the distances to a sample (-1: to the nearest)."""
        self._at, surroundings = sample, about.inspector.surroundings
        if surroundings is None or surroundings.sample != about.sample:
            self.words.setText("…")
            return
        near = surroundings.panels.get(about.panel)
        nearest = next(
            iter((near.rows if near is not None else next(iter(surroundings.views.values())).rows).tolist()), -1
        )
        other = nearest if sample in (-1, about.sample) else sample
        if other < 0:
            return
        how = f"nearest in {about.picture}" if other == nearest and sample != other else "under the pointer"
        self.words.setText(f"To {about.words(other)}, {how}")
        self.bars.show_bars(list(_distance_bars(about, other)))
        self.cross.setText(_cross_words(about))
        self.cross.setVisible(bool(self.cross.text()))


def _distance_bars(about: KeptSample, other: int) -> Iterable[HorizontalBar]:
    surroundings, titles = about.inspector.surroundings, panel_titles(about.state)
    assert surroundings is not None
    for name, near in surroundings.views.items():
        about_it = "Root of the squared distance that this view's kernel is a function of"
        yield _bar("", name, near.squared, other, about_it)
    for id, panel in surroundings.panels.items():
        kind = KIND_WORDS[panel.distances.kind]
        blocks = _inner_words(panel.distances.inner, other)
        about_it = f"{kind.capitalize()} in {titles.get(id, '')}{blocks}. Click to colour all samples by it."
        yield _bar(
            f"distance:{id}:{about.sample}:distance", titles.get(id, ""), panel.distances.squared, other, about_it
        )


def _inner_words(inner: Array, other: int) -> str:
    if len(inner) < 2:
        return ""
    return "; view by view " + ", ".join(numbers.number(float(x)) for x in np.sqrt(inner[:, other]))


def _bar(key: str, name: str, squared: Array, other: int, about: str) -> HorizontalBar:
    nearer = int(np.count_nonzero(squared < squared[other])) - 1
    words = f"{about}. {counted(max(0, nearer), 'sample')} nearer.".replace("..", ".")
    share = max(0, nearer) / max(1, len(squared) - 2)
    return HorizontalBar(key, name, numbers.number(float(squared[other] ** 0.5)), share, words)


def _cross_words(about: KeptSample) -> str:
    """Tell how far apart the views put the sample, in the focused panel."""
    surroundings = about.inspector.surroundings
    near = None if surroundings is None else surroundings.panels.get(about.panel)
    if near is None or near.cross_rank is None:
        return ""
    return f"The views put it farther apart than {100 * near.cross_rank:.0f} % of the samples."


class SpreadSection(Fold):
    """Samples that spread over the focused panel's picture, from the kept one."""

    wanted = Signal(int)

    def __init__(self, editor: Editor) -> None:
        super().__init__("Farthest-point sampling", "Select samples that are always the farthest from those before")
        self._editor = editor
        self.slider = Slider(Scale(2, 100, "int"), 10, "Number of farthest points")
        self.body.addWidget(self.slider)
        row = QHBoxLayout()
        self.body.addLayout(row)
        self.number = Label()
        self.slider.moved.connect(self._moved)
        self.slider.released.connect(editor.end_drag)
        self.again = QPushButton("Select")
        self.again.clicked.connect(lambda: self.wanted.emit(int(self.slider.value)))
        row.addWidget(self.number, 1)
        row.addWidget(self.again)

    def _moved(self, value: float) -> None:
        self.slider.set_value(value)
        self.number.setText(counted(int(value), "sample"))
        self.wanted.emit(int(value))

    def show_about(self, about: KeptSample) -> None:
        """Show how many are spread, and over which picture."""
        self.slider.set_value(about.state.point.spread)
        self.number.setText(counted(about.state.point.spread, "sample"))
        self.head.setToolTip(tip(f"Farthest points in {about.picture}: each next one is the farthest from all before"))


def _whole(text: str, low: int, high: int) -> int | None:
    """Parse a typed whole number; None where it is none, or out of range."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return int(number) if number == int(number) and low <= number <= high else None
