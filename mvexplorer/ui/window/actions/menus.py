"""The table of the window's actions: the name of each, its key, and when it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QToolButton, QWidget

from mvexplorer import __version__
from mvexplorer.state.bench.library import Library
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages import table as page_table
from mvexplorer.ui.pages.agreement.pair_pane import BACK, NEXT
from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.pages.tune.tune import TunePage
from mvexplorer.ui.pages.tune.tune_button import IN_TURN, OWN, SHARE
from mvexplorer.ui.panels.cures import TRIM_WORDS
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.action_table import Act, ActionTable
from mvexplorer.ui.widgets.plain_text import add_action
from mvexplorer.ui.window.actions.choosing import choose_panel, choose_sample
from mvexplorer.ui.window.actions.preferences import Preferences
from mvexplorer.ui.window.actions.shortcuts import shown_keys
from mvexplorer.ui.window.behaviour import WindowBehaviour
from mvexplorer.ui.window.clusters import show_clusters
from mvexplorer.ui.window.exports import table as export_table
from mvexplorer.ui.window.exports.picture_export import copy_panel
from mvexplorer.ui.window.exports.play_export import export_play
from mvexplorer.ui.window.help_page import PAGES
from mvexplorer.ui.window.opening import OpenDialogs
from mvexplorer.ui.window.recipes import MENU as RECIPES
from mvexplorer.ui.window.recipes import recipe_acts
from mvexplorer.ui.window.selections import embed_only, show_contents
from mvexplorer.wording import source_title

PAGE_WORDS = {"tune": "sweep epsilon pairs", "diagnostics": "figures of the method", "validate": "null test is it real"}
"""Words by which pages are found, beside their titles and places."""
HELP = (
    ("bandwidth", "bandwidth sigma rules"),
    ("ingredients", "metric correlation kernel self-loops stay unit rows doubly stochastic equal volume recipe sphere"),
    ("validation", "is it real null permutation test chance stability noise resampling p value"),
    (
        "where-do-they-differ",
        "agreement disagreement neighbours compare panels separation tear torn difference two views",
    ),
    ("what-a-view-adds", "leave one out weights components common shared private own specific smooth commutator"),
    ("what-is-this-point", "sample card neighbours probabilities distance thumbnails"),
    ("selections", "named sets lasso clusters subset embed only"),
    ("diagnostics", "spectrum kernel matrix fourier frequency roc graph"),
    ("small-multiples", "grid matrix values heat map play movie gif"),
    ("gallery", "papers figures experiments verdict reproduce knob claims"),
    ("your-own-data", "import open read files csv excel table"),
    ("cluster", "dask workers processes cores remote scheduler sweep"),
    ("take-it-with-you", "export save share session results"),
)
"""Help pages in the menu's order, and what they are looked for by."""


def build_menus(b: WindowBehaviour, opening: OpenDialogs) -> ActionTable:
    """Give a window its menus, which call its behaviour and its file dialogs."""
    acts = [*_file(b, opening), *_edit(b), *_view(b), *_data(b), *_panels(b), *recipe_acts(b), *_help(b)]
    table = ActionTable(b.window, acts)
    recent = table.menus["File"].addMenu("Open recent")
    earlier = table.menus["File"].addMenu("Continue earlier work")
    for menu in (recent, earlier):
        table.menus["File"].insertMenu(table.actions["Open sample …"], menu)
    table.menus["File"].aboutToShow.connect(partial(_list_recent, b.library, recent))
    table.menus["File"].aboutToShow.connect(partial(_list_earlier, b.library, earlier))
    table.menus["Panels"].insertMenu(table.actions["Cancel all tasks"], b.docks.grid.rest.list)
    # Del closes a panel only where the keys go to one: pressed after anything else it was meant for that.
    close = table.actions["Close panel"]
    close.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    b.window.removeAction(close)
    b.docks.grid.addAction(close)
    b.play_bar.export_wanted.connect(lambda: export_play(b.scene, b.play_bar.duration))
    table.menus["Panels"].insertMenu(table.actions["Duplicate panel"], table.menus[RECIPES])
    corner = _corner(b, table.menus[RECIPES])
    b.window.menuBar().setCornerWidget(corner)
    corner.show()
    show_keys(b.window, table, b.workbench.settings)
    return table


def show_keys(window: QMainWindow, table: ActionTable, settings: Settings) -> None:
    """Give the actions the user's own keys, and name the palette's key on its button."""
    table.set_keys(settings.shortcuts)
    find, keys = window.menuBar().cornerWidget().findChild(QToolButton, "find"), table.keys_of("Find anything …")
    if isinstance(find, QToolButton):
        find.setText(f"Find anything  {shown_keys(keys)}")
        find.setToolTip(f"Find any action, method, parameter, sample or point ({shown_keys(keys)})")
        find.setAccessibleName(find.toolTip())


def _list_recent(library: Library, menu: QMenu) -> None:
    menu.clear()
    for source in library.recent:
        action = add_action(menu, source_title(source))
        action.triggered.connect(lambda _=False, s=source: library.open_files(s))
    menu.setEnabled(bool(library.recent))


def _list_earlier(library: Library, menu: QMenu) -> None:
    menu.clear()
    for work in library.kept:
        action = add_action(menu, work.line)
        action.triggered.connect(lambda _=False, p=work.path: library.continue_last(p))
    menu.setEnabled(not menu.isEmpty())


def _corner(b: WindowBehaviour, recipe: QMenu) -> QWidget:
    """The buttons that a new user should see at once: add a panel, choose a recipe, and find anything."""
    corner = QWidget(b.window.menuBar())
    row = spaced(QHBoxLayout(corner), 0, 0, 8, 0)
    panel, find = _button("Add panel ▾", "Show another method"), QToolButton()
    panel.clicked.connect(lambda: choose_panel(b, panel))
    ingredients = _button("Recipe ▾", "Choose metric, kernel, self-loops, unit rows and t by name")
    ingredients.clicked.connect(lambda: recipe.popup(ingredients.mapToGlobal(ingredients.rect().bottomLeft())))
    find.setObjectName("find")
    find.clicked.connect(b.find_anything)
    for button in (panel, ingredients, find):
        button.setProperty("role", "small")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # by key: the menu and Ctrl+K
        row.addWidget(button)
    return corner


def _button(text: str, about: str) -> QToolButton:
    """A button whose text says that something opens below it."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(about)
    button.setAccessibleName(about)
    return button


def _file(b: WindowBehaviour, opening: OpenDialogs) -> list[Act]:
    library, scene, some = b.library, b.scene, b.has_data
    return [
        Act("File", "Open files …", "Ctrl+O", opening.choose_files, words="load import read csv data"),
        Act(
            "File",
            "Import …",
            "Ctrl+Shift+I",
            opening.import_files,
            words="load read table columns roles label id view join excel csv parquet",
        ),
        Act("File", "Open folders …", "", opening.choose_folders,
            words="directory pictures images photos recordings waveforms wav tables csv classes import"),
        Act("File", "Open session …", "Ctrl+Shift+O", opening.choose_session, words="load continue"),
        Act("File", "Gallery of the papers", "", opening.gallery.show,
            words="experiments figures tables papers reproduce verdict lindenbaum yair salhov eynard"),
        Act("File", "Open sample …", "", partial(choose_sample, b), words="example demo data set load"),
        Act("File", "Save session", "Ctrl+S", library.save, enabled=b.may_save, words="store keep write"),
        Act("File", "Save session as …", "Ctrl+Shift+S", library.save_as, enabled=b.may_save,
            words="store copy name rename"),
        Act(
            "File",
            "Save with data …",
            "",
            opening.save_with_data,
            enabled=b.may_save,
            words="store portable share send take along copy mvx zip",
        ),
        Act("File"),
        *(Act("File/Export", f"Export {each.name} …", each.key, partial(b.editor.attempt, partial(each.ask, scene)),
              enabled=b.has_panels if each.of_panels else some, label=partial("{} …".format, each.title),
              words=each.words)
          for each in export_table.EXPORTS),
        Act("File"),
        Act("File", "Quit", "Ctrl+Q", b.window.close),
    ]  # fmt: skip


def _edit(b: WindowBehaviour) -> list[Act]:
    past, e, some = b.history, b.editor, b.has_data
    return [
        Act(
            "Edit",
            "Undo",
            "Ctrl+Z",
            lambda: past().undo(),
            enabled=lambda: past().undo_label is not None,
            label=lambda: f"Undo: {past().undo_label}" if past().undo_label else "Undo",
            words="back revert",
        ),
        Act(
            "Edit",
            "Redo",
            "Ctrl+Shift+Z|Ctrl+Y",
            lambda: past().redo(),
            enabled=lambda: past().redo_label is not None,
            label=lambda: f"Redo: {past().redo_label}" if past().redo_label else "Redo",
            words="again repeat",
        ),
        Act("Edit"),
        Act("Edit", "Select all", "Ctrl+A", e.select_all, enabled=some),
        Act("Edit", "Invert selection", "Ctrl+I", e.invert_selection, enabled=some, words="others complement"),
        *_selections(b),
        *_earlier_states(b),
        Act("Edit", "Back, or clear selection", "Esc", b.escape, words="deselect none", in_menu=False),
        Act("Edit"),
        Act("Edit", "Find anything …", "Ctrl+K", b.find_anything, words="search palette command"),
        Act("Edit"),
        Act(
            "Edit",
            "Preferences …",
            "Ctrl+,",
            lambda: Preferences(b).open(),
            words="settings options theme memory animation type size configure",
        ),
    ]


def _earlier_states(b: WindowBehaviour) -> list[Act]:
    """The ways back: the steps of this sitting, and the states that were kept for good."""
    show, some = b.docks.bottom.show_page, b.has_data
    keep, also = b.workbench.walk.keep, "snapshot bookmark save remember talk presentation"

    def kept() -> bool:
        return b.has_data() and bool(b.workbench.walk.names)

    def two() -> bool:
        return b.has_data() and len(b.workbench.walk.names) > 1

    acts = [
        Act("Edit", "History", "", partial(show, "history"), enabled=some, words="steps undo redo sitting"),
        Act("Edit", "Snapshots", "S", partial(show, "snapshots"), enabled=some, words=f"states kept return {also}"),
        Act("Edit", "Keep this state", "K", keep, enabled=some, words=also),
    ]
    for how, words in (("Wipe", "compare a b line slider curtain swipe"), ("Morph", "compare a b glide animate")):
        begin = partial(b.editor.attempt, partial(b.workbench.walk.compare, how.lower()))
        acts.append(Act("Edit", f"{how} between snapshots A and B", "", begin, enabled=two, words=f"{words} two"))
    for each in export_table.OF_SNAPSHOTS:
        write = partial(b.editor.attempt, partial(each.ask, b.scene))
        acts.append(Act("Edit", f"{each.title} …", "", write, enabled=kept, words=each.words))
    return [replace(act, in_menu=False) for act in acts]


def _selections(b: WindowBehaviour) -> list[Act]:
    box, document = b.docks.points.selections, b.document
    embed = partial(embed_only, b.workbench, b.library)
    show = partial(show_contents, b.workbench, b.show_sample, b.window)
    box.part_wanted.connect(embed)
    box.contents_wanted.connect(show)

    def some() -> bool:
        return b.has_data() and bool(document.state.selection)

    def named() -> bool:
        return b.has_data() and bool(document.state.selections.named)

    return [
        Act("Edit", "Save selection", "Ctrl+G", box.keep_and_name, enabled=some,
            words="name save remember group set selection"),
        Act("Edit", "Describe selection …", "", show, enabled=some,
            words="table contents samples classes features effect export csv"),
        Act("Edit", "Add note …", "A", b.add_note, enabled=b.has_panel,
            words="annotation annotate label arrow text comment write callout"),
        Act("Edit", "Colour by selections", "", partial(b.editor.colour_by, "selections"), enabled=named,
            words="color named groups sets", in_menu=False),
        Act("Edit", "Re-embed selection …", "", embed, enabled=some,
            words="subset part recompute re-embed window zoom", in_menu=False),
    ]  # fmt: skip


def _view(b: WindowBehaviour) -> list[Act]:
    w, docks = b.workbench, b.docks

    def pictured() -> bool:
        return b.document.data is not None and b.document.data.images is not None

    return [
        Act("View", "Views and parameters", "Ctrl+1", docks.toggle_side, lambda: docks.show_side,
            enabled=b.has_data, words="left side panel bandwidth sigma epsilon"),
        Act("View", "Points", "Ctrl+2", docks.toggle_points, lambda: docks.show_points,
            enabled=b.has_data, words="legend colour color right side selection"),
        Act("View", "Experiment", "", docks.toggle_beside, lambda: docks.show_beside,
            enabled=lambda: bool(b.document.state.experiment), shown=lambda: bool(b.document.state.experiment),
            words="paper figure caption look for verdict run knob"),
        *_samples(b),
        Act("View", "Places below the panels", "Ctrl+3", lambda: docks.bottom.fold(not docks.bottom.folded),
            lambda: not docks.bottom.folded,
            enabled=b.has_data, words="bottom tune compare validate inside"),
        *(Act("View/Page", f"Page: {page.title}", "", partial(docks.bottom.show_page, page.id), enabled=b.has_data,
              label=partial(str, page.title), words=f"{page.place} {PAGE_WORDS.get(page.id, '')}")
          for page in page_table.PAGES),
        Act("View", "Tasks", "", partial(docks.bottom.show_page, "tasks"), enabled=b.has_data,
            words="progress cancel memory cluster workers compute on"),
        Act("View", "Slope curve of a bandwidth", "C", b.unfold_slider, enabled=b.has_data,
            words="sigma epsilon bandwidth log sum", in_menu=False),
        Act("View", "Presentation", "F11", b.present, docks.strip.isVisible,
            words="full screen talk lecture present"),
        Act("View"),
        Act("View", "Fit all to points", "Ctrl+9", docks.grid.fit_all, enabled=b.has_data,
            words="zoom reset view home"),
        Act("View", "Navigate tool", "L", docks.grid.toggle_tool, enabled=b.has_data,
            words="tool pan select", in_menu=False),
        Act("View", "Rectangle selection", "R", docks.grid.toggle_rectangle, enabled=b.has_data,
            words="box select", in_menu=False),
        Act("View", "Larger type and points", "Ctrl++|Ctrl+=", lambda: b.zoom(1.1),
            words="zoom in bigger font", in_menu=False),
        Act("View", "Smaller type and points", "Ctrl+-", lambda: b.zoom(1 / 1.1),
            words="zoom out font", in_menu=False),
        Act("View", "Default size of type and points", "Ctrl+0", lambda: b.zoom(None),
            words="reset zoom font", in_menu=False),
        Act("View"),
        *_moving(b),
        Act("View", "Link 2-D zoom", "", lambda: b.toggle_link(2), lambda: w.settings.link_zoom,
             words="pan sync together", in_menu=False),
        Act("View", "Link 3-D cameras", "", lambda: b.toggle_link(3), lambda: w.settings.link_cameras,
             words="rotate sync together", in_menu=False),
        Act("View", "Pictures of samples on the map", "", lambda: _toggle_thumbnails(b.editor),
             lambda: b.document.state.point.thumbnails, b.has_data,
             words="thumbnails images photos", shown=pictured),
        _class_names(b),
        Act("View", "Neighbours within σ", "", lambda: b.editor.ring_neighbours(not b.document.state.point.within),
             lambda: b.document.state.point.within, b.has_data,
             words="rings links lines sigma epsilon bandwidth kept sample"),
        Act("View", "Colour by distance from the pointer", "", b.sleepwalk.toggle, lambda: b.sleepwalk.on, b.has_data,
             label=lambda: "Colour by distance from the pointer (hold D)",
             words="sleepwalk diffusion distance hover"),
        Act("View", "Memory limit …", "", b.set_memory_limit,
             words="ram cache", in_menu=False),
        *_themes(b),
    ]  # fmt: skip


def _samples(b: WindowBehaviour) -> list[Act]:
    """All samples as a table, and the charts of their columns."""
    docks, some = b.docks, b.has_data
    return [
        Act(
            "View",
            "Table of samples",
            "T",
            b.samples.toggle_table,
            lambda: docks.show_samples,
            some,
            words="rows spreadsheet data sort filter find id search list columns tsv copy",
        ),
        Act(
            "View",
            "Column charts",
            "H",
            b.samples.toggle_charts,
            lambda: docks.show_charts,
            some,
            words="histogram bars distribution brush cross-filter columns dates labels scores",
        ),
    ]


def _class_names(b: WindowBehaviour) -> Act:
    def toggle() -> None:
        b.editor.name_classes(not b.document.state.class_names)

    act = Act("View", "Class names on the map", "", toggle, lambda: b.document.state.class_names, b.has_data)
    return replace(act, words="labels legend annotate centres text", in_menu=False)


def _themes(b: WindowBehaviour) -> list[Act]:
    w = b.workbench
    themes = (
        ("Follow the system theme", "system", "mode appearance"),
        ("Light theme", "light", "bright white mode appearance"),
        ("Dark theme", "dark", "night black mode appearance"),
    )

    def act(title: str, theme: str, words: str) -> Act:
        choose = partial(w.change_settings, theme=theme)
        return Act("View", title, "", choose, lambda: w.settings.theme == theme, words=words, in_menu=False)

    return [act(*each) for each in themes]


def _moving(b: WindowBehaviour) -> list[Act]:
    """How pictures move, and whether that is prepared."""
    w = b.workbench
    return [
        Act("View", "Align embeddings while they move", "", lambda: w.change_settings(align=not w.settings.align),
            lambda: w.settings.align, words="rotate procrustes", in_menu=False),
        Act("View", "Animate", "", lambda: w.change_settings(animate=not w.settings.animate),
            lambda: w.settings.animate, words="motion glide", in_menu=False),
        Act("View", "Prepare drags while the hand rests", "", lambda: b.prepare(not w.settings.prepare),
            lambda: w.settings.prepare, in_menu=False,
            words="anchors bases background battery laptop fan idle processor"),
    ]  # fmt: skip


def _toggle_thumbnails(editor: Editor) -> None:
    show = not editor.state.point.thumbnails
    editor.change_point(f"{'Show' if show else 'Hide'} pictures of samples", thumbnails=show)


def _data(b: WindowBehaviour) -> list[Act]:
    d, page = b.document, b.docks.bottom.findChild(TunePage)

    def waves() -> bool:
        return b.has_data() and d.state.sonogram is None

    def recorded() -> bool:
        least = 256  # samples of a recording
        return waves() and d.data is not None and any(X.shape[1] >= least for X in d.data.Xs)

    def view() -> str:
        return (page and page.view) or next(iter(d.state.enabled), "")

    return [
        Act("Data", "Change how this was read …", "", b.library.imports.begin_again,
            enabled=lambda: b.has_data() and b.library.imports.can_begin_again,
            words="import columns roles label id view join transpose split missing"),
        Act("Data"),
        Act("Data", "View weights", "", lambda: b.editor.weigh_views(not d.state.weighing),
            checked=lambda: d.state.weighing, enabled=lambda: len(d.state.views) > 1,
            words="weights importance balance share omega", in_menu=False),
        Act("Data", "Equal-volume view weights", "", lambda: b.editor.weigh_by_volume(not d.state.equal_volume),
            checked=lambda: d.state.equal_volume, enabled=lambda: len(d.state.views) > 1,
            words="weights balance share drown omega"),
        Act("Data", "Feature weights …", "", lambda: open_weights(b.workbench, view(), b.window),
            enabled=lambda: b.has_data() and bool(view()),
            words="columns scaling"),
        Act("Data", NEXT, "N", lambda: b.workbench.comparer.step(1), enabled=b.has_panels,
            words="agreement disagreement differ compare changed", in_menu=False),
        Act("Data", BACK, "Shift+N", lambda: b.workbench.comparer.step(-1), enabled=b.has_panels,
            words="agreement disagreement differ compare changed", in_menu=False),
        Act("Data", "Clusters and classes …", "",
            lambda: show_clusters(b.workbench, b.focused_panel(), b.window), enabled=b.has_panels,
            words="k-means spectral clustering contingency confusion matrix hungarian accuracy"),
        Act("Data"),
        Act("Data", "Waveforms to sonograms, 12 bands …", "", lambda: b.make_sonograms("seismic-events"),
            enabled=waves, shown=recorded),
        Act("Data", "Waveforms to sonograms, 512 frequencies …", "",
            lambda: b.make_sonograms("seismic-manifold"), enabled=waves, shown=recorded),
    ]  # fmt: skip


def _panels(b: WindowBehaviour) -> list[Act]:
    e, grid, some = b.editor, b.docks.grid, b.has_panel

    def on(do: Callable[[PanelState], object]) -> Callable[[], object]:
        return lambda: (p := b.focused_panel()) is not None and do(p)

    acts = [
        Act("Panels", "Add panel …", "", partial(choose_panel, b), words="method algorithm new show compare"),
        Act("Panels", "Duplicate panel", "Ctrl+D", on(lambda p: e.duplicate_panel(p.id)), enabled=some,
            words="copy clone compare"),
        Act("Panels", "Close panel", "Del", on(lambda p: b.close_panel(p.id)), enabled=some, words="remove delete"),
        Act("Panels", "Maximise panel", "F", on(lambda p: grid.toggle_maximised(p.id)), enabled=some,
            words="full zoom big"),
        Act("Panels", "Choose method", "F2", on(lambda p: grid.panels[p.id].choose_method()), enabled=some,
            words="change algorithm"),
        Act("Panels", "About the method", "I", on(lambda p: grid.panels[p.id].show_card()), enabled=some,
            words="formula citation card help"),
        Act("Panels", "Validate this panel", "", on(lambda p: e.examine(p.id)), enabled=some,
            words="null test shuffle chance p value stability resample noise neighbours trustworthiness bend"),
        Act("Panels", IN_TURN, "", b.workbench.tuner.tune, enabled=some,
            words="optimise choose bandwidth epsilon automatic best score trustworthiness"),
        Act("Panels", OWN, "", b.workbench.tuner.give_own, enabled=some,
            words="optimise choose bandwidth epsilon automatic best score fair factor method"),
        Act("Panels", SHARE, "", b.workbench.tuner.share, enabled=lambda: b.workbench.tuner.differs,
            words="same bandwidth epsilon for all"),
        Act("Panels", "Small multiples …", "M", lambda: _toggle_multiples(e), lambda: b.document.state.multiples.shown,
            b.has_panels, words="grid matrix parameter sweep pictures values eta epsilon t compare facets"),
        Act("Panels", "Ingredients side by side", "", lambda: e.compare_ingredients(e.focused or ""),
            enabled=b.has_panels,
            words="metric correlation cosine euclidean kernel nearest neighbours self-tuning self-loops "
                  "steps that stay unit rows small multiples compare"),
        Act("Panels", "Play ε, η or t …", "P", b.play_bar.toggle, lambda: b.workbench.player.playing, b.has_panels,
            words="animate animation movie video gif slider loop transport pause bandwidth epsilon"),
        Act("Panels", "Copy as Python", "", on(lambda p: grid.panels[p.id].menus.copy_script()), enabled=some,
            words="script code notebook"),
        Act("Panels", "Copy as picture", "", partial(copy_panel, b.scene), enabled=some,
            words="clipboard image png figure"),
        Act("Panels", "Two dimensions", "2", on(lambda p: e.set_dims(p.id, 2)), enabled=some, in_menu=False),
        Act("Panels", "Three dimensions", "3", on(lambda p: e.set_dims(p.id, 3)), enabled=some, in_menu=False),
        _trim(b),
        Act("Panels", "All panels in 2-D", "Ctrl+Shift+2", lambda: e.set_all_dims(2), enabled=some),
        Act("Panels", "All panels in 3-D", "Ctrl+Shift+3", lambda: e.set_all_dims(3), enabled=some),
        Act("Panels"),
        Act("Panels", "Cancel all tasks", "Ctrl+.", b.cancel_all, words="stop abort"),
    ]  # fmt: skip
    return [*acts, *_by_keys(b)]


def _by_keys(b: WindowBehaviour) -> list[Act]:
    """Steps of ε and η, and the panels by their numbers."""
    within, step = "eta within view weight", 0.02
    steps: list[tuple[str, str, Callable[[], object], str]] = [
        ("Smaller ε", "Alt+Left", lambda: b.nudge_epsilon(-1), "bandwidth sigma epsilon narrow"),
        ("Larger ε", "Alt+Right", lambda: b.nudge_epsilon(1), "bandwidth sigma epsilon wide"),
        ("Smaller η", "Alt+Down|[", lambda: b.editor.nudge_eta(-step), within),
        ("Larger η", "Alt+Up|]", lambda: b.editor.nudge_eta(step), within),
    ]
    most = 9  # Alt+1 to Alt+9
    steps += [(f"Focus panel {i + 1}", f"Alt+{i + 1}", partial(b.focus_panel, i), "") for i in range(most)]
    return [
        Act("Panels", title, keys, do, enabled=b.has_data, words=words, in_menu=False)
        for title, keys, do, words in steps
    ]


def _toggle_multiples(editor: Editor) -> None:
    shown = editor.state.multiples.shown
    editor.change_multiples("Close small multiples" if shown else "Small multiples", shown=not shown)


def _trim(b: WindowBehaviour) -> Act:
    def trimmed() -> bool:
        return (p := b.focused_panel()) is not None and p.trim

    def trim() -> None:
        if (p := b.focused_panel()) is not None:
            b.editor.trim(p.id, not p.trim)

    words = "outliers clip crop percentile zoom"
    return Act("Panels", TRIM_WORDS, "", trim, trimmed, b.has_panel, words=words)


def _lessons(b: WindowBehaviour) -> list[Act]:
    """The list of lessons, and by keys what the column of one offers."""
    lessons, also = b.lessons, "learn teach course tutorial exercise"
    steps = (
        ("Lesson: go to its column", "Ctrl+4", lessons.take_keys),
        ("Lesson: next step", "", lessons.forward),
        ("Lesson: step before", "", lessons.backward),
        ("Lesson: try again", "", lessons.try_again),
        ("Lesson: show me", "", lessons.show_me),
        ("Lesson: leave", "", lessons.leave),
    )

    def runs() -> bool:
        return lessons.running

    first = Act("Help", "Lessons …", "", lessons.show_list, words=f"{also} first steps")
    return [first, *(Act("Help", title, keys, do, None, runs, words=also, in_menu=False) for title, keys, do in steps)]


def _help(b: WindowBehaviour) -> list[Act]:
    return [
        *_lessons(b),
        Act("Help", "Mouse and keys", "F1", lambda: b.show_help("gestures"), words="help shortcuts gestures"),
        Act("Help", "Keyboard shortcuts …", "", b.edit_shortcuts, words="keys change edit hotkeys"),
        *(Act("Help", PAGES[page], "", partial(b.show_help, page), words=f"help {words}") for page, words in HELP),
        Act(
            "Help",
            "About mvexplorer",
            "",
            lambda: dialogs.show_text(
                b.window,
                f"mvexplorer {__version__}",
                "Multi-view diffusion geometry: every method side by side, while "
                "the bandwidth moves.\n\nBSD-3-Clause. Icons: Lucide (ISC). Type: Inter (OFL).",
            ),
            words="version licence",
        ),
    ]
