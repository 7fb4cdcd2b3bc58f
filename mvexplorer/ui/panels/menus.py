"""The menus of a panel: methods, what is drawn, axes, pair, pins."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtGui import QActionGroup, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from mvexplorer.engine.api.columns import CONSENSUS
from mvexplorer.engine.api.plan import check_applicable
from mvexplorer.engine.api.recipes import recipes
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.state.document.model import PanelState, panel_kernel, panel_view, panel_views
from mvexplorer.state.document.titles import offered_panels, panel_titles, pinnable
from mvexplorer.state.export.script.session import panel_script
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import shown_names
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.panels.cures import TRIM_TIP, TRIM_WORDS
from mvexplorer.ui.panels.header import Header, pin_text
from mvexplorer.ui.panels.link import WORDS, LinkButton
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.plain_text import add_action, line, tip


class PanelMenus:
    """The menus of a panel as it is now; built afresh each time one is opened."""

    def __init__(
        self,
        panel: QWidget,
        header: Header,
        canvas: EmbeddingCanvas,
        link: LinkButton,
        editor: Editor,
        controller: Controller,
        state: PanelState | None,
        result: PanelResult | None,
    ) -> None:
        self._panel, self._header, self._canvas, self._link = panel, header, canvas, link
        self._editor, self._controller = editor, controller
        self._document = editor.state
        self._state, self._result = state, result
        self._id = state.id if state is not None else ""

    def methods(self) -> QMenu:
        """All methods; those that cannot run on the ticked views are greyed, with the reason."""
        menu = QMenu(self._panel)
        if self._state is None:
            return menu
        views = tuple(v.name for v in self._document.views)
        many_views = 2  # with more views than this, a one-view method lists them in a submenu
        for method in methods():
            if method.shows_given:
                for title, name in offered_panels(method, self._controller.document.data):
                    self._add_method(menu, method, title, name, self._state.view == name, "")
                continue
            if method.max_views != 1:
                used = panel_views(self._document, self._state, method)
                current = self._state.method == method.id
                self._add_method(menu, method, method.title, None, current, self._reason(method, used))
                continue
            listed = menu.addMenu(method.title) if len(views) > many_views else menu
            for view in views:
                current = self._state.method == method.id and panel_view(self._document, self._state) == view
                words = view if listed is not menu else f"{method.title} · {view}"
                self._add_method(listed, method, words, view, current, self._reason(method, (view,)))
        return menu

    def _reason(self, method: Method, views: tuple[str, ...]) -> str:
        """Tell why the method cannot run on these views; empty if it can."""
        kernels = [panel_kernel(self._document, self._state, v) for v in views]
        refused = check_applicable(method, views, kernels)
        return "" if refused is None else refused.message

    def _add_method(self, menu: QMenu, method: Method, text: str, view: str | None, current: bool, reason: str) -> None:
        action = add_action(menu, text)
        action.setToolTip(tip(reason or f"{method.summary}\n{method.formula}"))
        action.setCheckable(True)
        action.setChecked(current)
        action.setEnabled(not reason)
        action.triggered.connect(lambda _=False: self._editor.set_method(self._id, method.id, view))

    def shown(self, title: str = "") -> QMenu:
        """Menu of the coordinates to draw: one view's, or all views'."""
        menu = QMenu(title, self._panel)
        if self._state is None or self._result is None or self._result.result is None:
            return menu
        for name in (CONSENSUS, *self._result.result.embedding.views):
            action = add_action(menu, "consensus (all views)" if name == CONSENSUS else f"as seen by {name}")
            action.setCheckable(True)
            action.setChecked(self._state.show == name)
            action.triggered.connect(partial(self._change, f"Show {name}", show=name))
        return menu

    def of(self, title: str = "") -> QMenu:
        """Menu of the view whose own part is drawn."""
        menu = QMenu(title, self._panel)
        if self._state is None:
            return menu
        (of, *_), group = self._compared(self._state), QActionGroup(menu)
        for name in (view.name for view in self._document.views):
            action = add_action(menu, name)
            action.setCheckable(True)
            action.setChecked(name == of)
            group.addAction(action)
            left_out = tuple(other for other in self._state.left_out if other != name)
            action.triggered.connect(partial(self._change, f"Show what {name} knows", view=name, left_out=left_out))
        return menu

    def beyond(self, title: str = "") -> QMenu:
        """Menu of the views whose part is taken out."""
        menu = QMenu(title, self._panel)
        if self._state is None:
            return menu
        of, *beyond = self._compared(self._state)
        for name in (view for view in self._document.enabled if view != of):
            action = add_action(menu, name)
            action.setCheckable(True)
            action.setChecked(name in beyond)
            action.setEnabled(beyond != [name])
            others = tuple(other for other in self._state.left_out if other != name)
            left_out = (*others, name) if name in beyond else others
            action.triggered.connect(partial(self._change, f"Choose what {of} is compared with", left_out=left_out))
        return menu

    def _compared(self, state: PanelState) -> tuple[str, ...]:
        return panel_views(self._document, state, get_method(state.method)) or ("",)

    def everything(self) -> QMenu:
        """Menu of everything the panel can do."""
        menu = QMenu(self._panel)
        if self._state is None:
            return menu
        if get_method(self._state.method).per_view:
            menu.addMenu(self.shown("Coordinates drawn"))
        if get_method(self._state.method).compares_one_view:
            menu.addMenu(self.of("Of"))
            menu.addMenu(self.beyond("Beyond"))
        about = menu.addAction(f"About {get_method(self._state.method).title}\tI")
        about.triggered.connect(lambda: self._header.about.click())
        self._add_dims(menu)
        self._add_axes(menu)
        trim = menu.addAction(TRIM_WORDS)
        trim.setToolTip(TRIM_TIP)
        trim.setCheckable(True)
        trim.setChecked(self._state.trim)
        trim.triggered.connect(lambda on: self._editor.trim(self._id, on))
        self._add_pair(menu)
        self._add_pins(menu)
        self._add_recipes(menu)
        self._add_alternatives(menu)
        self._add_comparison(menu)
        self._add_export(menu)
        menu.addSeparator()
        link = menu.addAction(WORDS[self._link.dims])
        link.setCheckable(True)
        link.setChecked(self._link.linked)
        link.triggered.connect(lambda: self._link.click())
        for text, keys, do in (
            ("Fit to points", "", self._canvas.fit),
            ("Navigate tool", "L", self._header.tool.click),
            ("Maximise", "F", self._header.maximise.click),
            ("Validate this panel", "", partial(self._editor.examine, self._id)),
            ("Small multiples …", "", partial(self._editor.show_multiples_of, self._id)),
            ("Ingredients side by side", "", partial(self._editor.compare_ingredients, self._id)),
            ("Duplicate", "Ctrl+D", partial(self._editor.duplicate_panel, self._id)),
            ("Copy as Python", "", self.copy_script),
            ("Compute again", "", partial(self._controller.retry, self._id)),
            ("Close", "Del", partial(self._editor.close_panel, self._id)),
        ):
            action = menu.addAction(f"{text}\t{keys}" if keys else text)
            action.triggered.connect(lambda _=False, d=do: d())
        return menu

    def _add_export(self, menu: QMenu) -> None:
        """Add what of the panel can leave the window."""
        export = menu.addMenu("Export")
        for what, words in (("picture", "Picture …"), ("numbers", "Numbers …")):
            action = export.addAction(words)
            action.triggered.connect(partial(self._export, what))

    def _export(self, what: str, _checked: bool = False) -> None:
        self._editor.focus(self._id)
        self._editor.export_wanted.emit(what)

    def copy_script(self) -> None:
        """Put the lines of Python that make the panel's coordinates on the clipboard."""
        if self._state is not None:
            panel, data = self._state, self._controller.document.data
            clipboard = QGuiApplication.clipboard()
            self._editor.attempt(lambda: clipboard.setText(panel_script(self._document, data, panel)))

    def _add_recipes(self, menu: QMenu) -> None:
        """Add the recipes, for this panel alone."""
        offered = menu.addMenu("Recipe")
        offered.setToolTipsVisible(True)
        for recipe in recipes():
            action = offered.addAction(recipe.title)
            action.setToolTip(tip(recipe.for_what))
            action.triggered.connect(partial(self._apply_recipe, recipe.id))

    def _apply_recipe(self, recipe: str, _checked: bool = False) -> None:
        self._editor.apply_recipe(recipe, self._id)

    def _add_alternatives(self, menu: QMenu) -> None:
        """Add the choice, for all panels, of all pairs of samples or an approximation."""
        too_large = menu.addMenu("All panels by")
        usual = (
            ("all pairs", GAUSSIAN.text, None),
            ("64 nearest neighbours", "knn-64", None),
            ("1,000 landmarks", "landmarks-1000", None),
            ("a random part of 4,000", GAUSSIAN.text, 4000),
        )
        for words, kernel, part in usual:
            action = too_large.addAction(words)
            action.triggered.connect(lambda _=False, k=kernel, p=part: self._editor.compute_by(k, p))
        if self._controller.approximates(self._id):
            action = menu.addAction("Error against all pairs …")
            action.triggered.connect(lambda: self._controller.ask_approximation(self._id))

    def _add_comparison(self, menu: QMenu) -> None:
        """Add the choice of another panel to compare this one with."""
        titles = panel_titles(self._document)
        others = {panel.id: titles[panel.id] for panel in self._document.shown if panel.id != self._id}
        if not others:
            return
        compared = menu.addMenu("Compare with")
        for id, title in others.items():
            add_action(compared, title).triggered.connect(lambda _=False, i=id: self._editor.compare(self._id, i))

    def _add_dims(self, menu: QMenu) -> None:
        assert self._state is not None
        group = QActionGroup(menu)
        for dims, words in ((2, "Two dimensions"), (3, "Three dimensions")):
            action = menu.addAction(f"{words}\t{dims}")
            action.setCheckable(True)
            action.setChecked(self._state.dims == dims)
            group.addAction(action)
            action.triggered.connect(lambda _=False, d=dims: self._editor.set_dims(self._id, d))

    def _add_axes(self, menu: QMenu) -> None:
        if self._result is None or self._result.result is None or self._state is None:
            return
        names = shown_names(self._result.result.embedding, self._state.show)
        for place, word in list(enumerate(("Horizontal axis", "Vertical axis", "Depth axis")))[: self._state.dims]:
            sub = menu.addMenu(word)
            group = QActionGroup(sub)
            for column, name in enumerate(names[:60]):
                action = add_action(sub, name)
                action.setCheckable(True)
                action.setChecked(self._state.axes[place] == column)
                group.addAction(action)
                axes = tuple(column if p == place else a for p, a in enumerate(self._state.axes))
                action.triggered.connect(partial(self._change, "Change axes", axes=axes))

    def _add_pair(self, menu: QMenu) -> None:
        if self._state is None or get_method(self._state.method).max_views != 2:
            return
        enabled = self._document.enabled
        if len(enabled) < 3:
            return
        sub = menu.addMenu("Pair of views")
        present = panel_views(self._document, self._state, get_method(self._state.method))[:2]
        for i, first in enumerate(enabled):
            for second in enabled[i + 1 :]:
                action = add_action(sub, f"{line(first, 28)} + {line(second, 28)}")
                action.setCheckable(True)
                action.setChecked(set(present) == {first, second})
                action.triggered.connect(partial(self._change, "Change pair", pair=(first, second)))

    def _change(self, label: str, _checked: bool = False, **changes: Any) -> None:
        self._editor.change_panel(self._id, label, **changes)

    def _add_pins(self, menu: QMenu) -> None:
        if self._state is None:
            return
        pins = menu.addMenu("Pin a parameter")
        for name, text in pinnable(self._document, self._state).items():
            pinned = name in self._state.pins
            action = add_action(pins, f"{text}  (pinned)" if pinned else text)
            action.setCheckable(True)
            action.setChecked(pinned)
            toggle = self._editor.unpin if pinned else self._editor.pin
            action.triggered.connect(lambda _=False, n=name, t=toggle: t(self._id, n))
        for name, value in self._state.pins.items():
            action = add_action(menu, f"Change pinned {pin_text(name, value)} …")
            action.triggered.connect(lambda _=False, n=name: self.edit_pin(n))

    def edit_pin(self, name: str) -> None:
        """Ask for another value of a pinned parameter."""
        panel = self._editor.state.find_panel(self._id)
        if panel is None or name not in panel.pins:
            return
        question = line(f"Value of {name.replace(':', ' of ', 1)} in this panel")
        text = dialogs.enter(self._panel.window(), question, "", str(panel.pins[name]), "Set value")
        if text is not None:
            self._editor.set_pin(self._id, name, text)
