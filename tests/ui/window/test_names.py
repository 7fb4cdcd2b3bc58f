"""Nothing a name holds can change the window: no markup, no keys, no pictures, no width."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from doubles import FunctionJob
from monkey_files import HOSTILE
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QListWidget,
    QMenu,
    QTabBar,
    QWidget,
)
from windows import PATIENCE_MS, menus_in

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.state.document import commands
from mvexplorer.state.document.notes.note import LONGEST_TEXT, Note
from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.pages.table import PAGES
from mvexplorer.ui.panels.too_large import Way
from mvexplorer.ui.widgets.plain_text import Name, caption, line, sentence, tip
from mvexplorer.ui.window.clusters import ClustersDialog
from mvexplorer.ui.window.contents import ContentsDialog
from mvexplorer.ui.window.exports.selection_export import SelectionCard

MARKUP = re.compile(r"<\s*(img|h1|b|i)\b", re.IGNORECASE)
N_VIEWS = 6
LONGEST = 2500
"""Characters of anything that is shown as one text."""


def hostile(n: int = 26) -> MultiView:
    drawn = np.random.default_rng(0).normal(size=(N_VIEWS, n, 3))
    return MultiView(
        dict(zip(HOSTILE, drawn, strict=False)), labels=[HOSTILE[i % len(HOSTILE)] for i in range(n)],
        sample_ids=[f"{HOSTILE[i % len(HOSTILE)]}{i}" for i in range(n)],
        columns={name: [f"{name}{i % 3}" for i in range(n)] for name in HOSTILE},
        latent={f"{name}!": np.arange(n) * 1.0 for name in HOSTILE},
    )  # fmt: skip


@pytest.fixture
def named(window, rest):
    """Hostile views in a few panels, with everything open that shows a name."""
    window.resize(1280, 720)
    before = window.side.width(), window.minimumSizeHint().width()
    data = hostile()
    state = commands.initial_state(data, (f"/tmp/{HOSTILE[0]}.csv", f"/tmp/{'y' * 300}.csv"), None, False)
    methods = ("single", "de-sa", "multiview", "view-specific", "difference", "jointly-smooth")
    panels = [commands.new_panel(m, f"p{i}") for i, m in enumerate(methods)]
    panels[0] = panels[0].model_copy(update={"view": HOSTILE[0], "pins": {f"epsilon:{HOSTILE[4]}": 1.0}})
    panels[1] = panels[1].model_copy(update={"pair": (HOSTILE[4], HOSTILE[2])})
    panels[2] = panels[2].model_copy(update={"show": HOSTILE[4]})
    panels[3] = panels[3].model_copy(update={"view": HOSTILE[4], "left_out": (HOSTILE[1],)})
    panels[4] = panels[4].model_copy(update={"pair": (HOSTILE[0], HOSTILE[1])})
    views = tuple(v.model_copy(update={"enabled": i < 3 or i == 4}) for i, v in enumerate(state.views))
    params = {**state.params, "n_components": 3}
    notes = tuple(Note(text=name[:LONGEST_TEXT], panel="p0", samples=(i,)) for i, name in enumerate(HOSTILE))
    shown = {"panels": tuple(panels), "views": views, "params": params, "notes": notes, "class_names": True}
    window.document.reset(state.model_copy(update=shown), data)
    window.show_opened()
    rest(window)
    yield window, before
    window.banners.clear()
    window.document.mark_saved()


def plain_label(label: QLabel) -> bool:
    kind, text = label.textFormat(), label.text()
    if kind == Qt.TextFormat.PlainText:
        return True
    return not MARKUP.search(text.replace("<b>", "", 1)) and "/nowhere.png'>" not in text


def keys_of(text: str) -> int:
    return text.replace("&&", "").count("&")


def check(root: QWidget) -> None:
    """Every text in a tree of widgets is text."""
    for widget in (root, *root.findChildren(QWidget)):
        about = f"{type(widget).__name__} {widget.objectName()} {widget.accessibleName()[:40]!r}"
        assert not MARKUP.search(widget.toolTip()), f"tip of {about}: {widget.toolTip()[:200]}"
        assert len(widget.toolTip()) <= LONGEST
        if isinstance(widget, QLabel):
            assert plain_label(widget), f"{about}: {widget.text()[:200]}"
            assert len(widget.text()) <= LONGEST
        elif isinstance(widget, QAbstractButton):
            assert keys_of(widget.text()) == 0, f"{about}: {widget.text()}"
            assert "\n" not in widget.text() or isinstance(widget, Way)
            assert len(widget.text()) <= 300, about
        elif isinstance(widget, QComboBox):
            assert all("\n" not in widget.itemText(i) and len(widget.itemText(i)) <= 130 for i in range(widget.count()))
        elif isinstance(widget, QTabBar):
            assert all(keys_of(widget.tabText(i)) == 0 for i in range(widget.count()))
        elif isinstance(widget, QListWidget):
            assert all("\n" not in widget.item(i).text() for i in range(widget.count()))


def check_menu(menu: QMenu) -> None:
    menu.aboutToShow.emit()
    for action in menu.actions():
        assert keys_of(action.text()) == 0, action.text()
        assert "\n" not in action.text()
        assert len(action.text()) <= 130
        assert not MARKUP.search(action.toolTip()), action.toolTip()
    for inner in menus_in(menu):
        check_menu(inner)


def test_a_description_clusters_and_their_export_show_names_as_text(named, rest):
    window, _ = named
    window.editor.select(range(12), "replace", HOSTILE[1])
    window.editor.keep_selection(HOSTILE[0])
    window.editor.select(range(8, 20), "replace", HOSTILE[2])
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    clusters = next(d for d in window.findChildren(ClustersDialog) if d.isVisible())
    clusters.save.click()
    assert len(window.document.state.selections.named) > 1
    check(clusters)
    clusters.close()
    window.actions_table.actions["Describe selection …"].trigger()
    rest(window)
    dialog = next(d for d in window.findChildren(ContentsDialog) if d.isVisible())
    dialog.against.choose(HOSTILE[0])
    dialog.against.activated.emit(dialog.against.currentIndex())
    rest(window)
    table = dialog.separation.table
    for place, row in enumerate(table.rows_listed()):
        if place < 30:
            table.setCurrentIndex(table.model().index(table.place_of(row), 0))
            check(dialog)
            about = table.model().index(table.place_of(row), 0).data(Qt.ItemDataRole.ToolTipRole)
            assert not MARKUP.search(about)
    assert not dialog.grab().isNull()
    card = SelectionCard(HOSTILE[0], 7, window)
    check(card)
    card.close()
    dialog.close()


def test_every_text_of_every_page_is_text(named, rest, qtbot):
    window, _ = named
    pages = window.bottom.pages
    bandwidth = pages["tune"]
    for page in PAGES:
        window.bottom.show_page(page.id)
        if page.id == "tune":
            bandwidth.show_plot("pair")
            bandwidth.explain(HOSTILE[1])
            qtbot.waitUntil(lambda: "at this ε" in bandwidth.words.text(), timeout=PATIENCE_MS)
            rest(window)
            assert bandwidth.surface.figure.body.x_label.startswith(line(HOSTILE[1], 24))
            assert bandwidth.surface.figure.body.y_label.startswith(line(HOSTILE[0], 24))
            bandwidth.sweep.values.show_text("3")
            bandwidth.sweep.run.click()
        if page.id == "views":
            window.editor.focus("p2")
            pages["views"].refresh()
            pages["views"].run.click()
            rest(window)
            pages["views"].refresh()
            assert pages["views"].parts
            assert pages["views"].apart.matrix.isVisible()
            assert not pages["views"].apart.grab().isNull()
        if page.id == "diagnostics":
            window.controller.background.submit(
                "t", FunctionJob(lambda task: task.checkpoint()), lambda o: None, title=HOSTILE[0]
            )
            window.bottom.show_page("tasks").refresh()
        check(window)
        rest(window)
        check(window)


@pytest.mark.nightly
def test_menus_cards_and_boxes(named, rest, monkeypatch):
    window, _ = named
    for panel in window.grid.panels.values():
        menus = panel.menus
        for menu in (menus.everything(), menus.methods(), menus.shown(), menus.of(), menus.beyond()):
            check_menu(menu)
        panel.show_card()
        card = QApplication.activePopupWidget()
        assert not re.search("<h1|<img [^>]*nowhere", card.page.toHtml())
        card.close()
    for row in window.side.rows.values():
        check_menu(row.how.menu())
    commands.tick_view(window.document, HOSTILE[2], False)
    window.actions_table.refresh()
    window.workbench.change_settings(recent=((HOSTILE[0], HOSTILE[4]), ("a & b.csv",)))
    for menu in window.actions_table.menus.values():
        check_menu(menu)
    for source in ("labels", f"column:{HOSTILE[0]}", f"latent:{HOSTILE[1]}!", f"feature:{HOSTILE[4]}:0"):
        commands.colour_by(window.document, source)
        for index in range(len(HOSTILE)):
            window.editor.keep_sample(index)
            check(window.points)
    open_weights(window.workbench, HOSTILE[0], window)
    window.behaviour.find_anything()
    palette = QApplication.activePopupWidget()
    for words in ("bandwidth", "point", HOSTILE[0], "x" * 300):
        palette.search.setText(words)
        check(palette)
    palette.close()
    asked = []
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.enter", lambda *a, **_: asked.append(a[1]))
    window.grid.panels["p0"].menus.edit_pin(f"epsilon:{HOSTILE[4]}")
    assert asked
    assert len(asked[0]) < 100
    error = DataError(f"{HOSTILE[0]} and {HOSTILE[4]}", f"Rename {HOSTILE[1]}.")
    window.banners.show_message("error", error.message, error.hint, (HOSTILE[2], lambda: None))
    check(window)
    assert "\n" not in window.windowTitle()
    assert len(window.windowTitle()) < 200


@pytest.mark.nightly
def test_names_take_no_room_from_anything(named, rest):
    window, (side, least) = named
    error = DataError("x" * 5000, " ".join([HOSTILE[4]] * 20))
    window.banners.show_message("error", error.message, error.hint, ("y" * 300, lambda: None))
    for page in PAGES:
        window.bottom.show_page(page.id)
        rest(window)
        assert window.size().toTuple() == (1280, 720)
        assert window.minimumSizeHint().width() <= max(least, 1280)
        assert window.side.width() == side
    for name, row in window.side.rows.items():
        for child in (row.check, row.slider, row.how, row.unfold, row.link):
            if child.isVisible():
                right = child.mapTo(window.side, QPoint(child.width(), 0)).x()
                assert right <= side, (name[:20], type(child).__name__, right)


def test_long_words_of_a_page_do_not_widen_the_window(window, rest, qtbot, monkeypatch):
    """What *Dimension* adds to the line, and any other message, stays inside the screen, and so does what follows."""
    window.resize(1280, 720)
    window.bottom.show_page("tune")
    qtbot.waitUntil(lambda: window.bottom.pages["tune"].words.text().startswith("plain at this ε"), timeout=PATIENCE_MS)
    window.bottom.pages["tune"].dimension.trigger()
    rest(window)
    qtbot.waitUntil(lambda: window.analyser.of("plain").dimension is not None, timeout=PATIENCE_MS)
    rest(window)
    assert "·" in window.bottom.pages["tune"].words.text()
    for problem in ("", "A sentence that says what is wrong, at length. " * 20, "z" * 2000):
        known = replace(window.analyser.of("plain"), problem=problem)
        monkeypatch.setattr(window.analyser, "of", lambda view, known=known: known)
        window.bottom.pages["tune"].refresh()
        for panel in window.grid.panels.values():
            panel._say(problem, "#000000")
            panel._message_area.setVisible(bool(problem))
        window.side.show_note(problem)
        qtbot.wait(1)
        assert window.size().toTuple() == (1280, 720)
        assert window.minimumSizeHint().width() <= 1280
        assert window.minimumSizeHint().height() <= 720
    monkeypatch.undo()
    window.bottom.pages["tune"].refresh()


def test_words():
    assert line("plain") == "plain"
    assert line("") == ""
    assert line(" ") == "“ ”"
    assert line("a\nb\tc") == "a b c"
    assert len(line("x" * 300)) == 60
    assert line("ab" * 100).endswith("ab")
    assert line("\u202eevil") == " evil"
    assert caption("a & b") == "a && b"
    assert tip("a & b") == "a & b"
    assert tip("1 < 2\nand") == "<span>1 &lt; 2<br>and</span>"
    assert sentence("one\ntwo") == "one\ntwo"
    assert max(len(word) for word in sentence("a " + "x" * 900).split()) <= 100
    assert len(sentence("word " * 1000)) == 600


def test_a_name_that_grows_bold_is_cut_anew(app, qtbot):
    name = Name()
    qtbot.addWidget(name)
    name.set_words("Single · sensor_1 = Single · sensor_1 (2)")
    name.resize(name.sizeHint())
    with qtbot.waitExposed(name):
        name.show()
    assert name.text().endswith("(2)")
    name.setStyleSheet("Name { font-weight: 600; }")
    assert "…" in name.text()
    assert name.fontMetrics().horizontalAdvance(name.text()) <= name.width()
