"""The places below the panels and their pages, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.pages import table
from mvexplorer.ui.pages.page import Page, PagePlace, Soon
from mvexplorer.ui.pages.status import StatusLine
from mvexplorer.ui.pages.tune.tune import TunePage
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Sentence, tip

HEIGHT = 300
"""Usual height in pixels of the unfolded dock until the user drags its edge: every page has room below the tabs, and
these stand still whichever page is opened."""
LEAST = 160
"""Least height of a page: that of the tallest form, whichever pages were made and shown."""
SHARE = 0.36
"""Most of the height of panels and dock that the dock takes until then: in a low window two rows of panels can be read
above it, and the views' ε stay in sight."""
LOW_SHARE = 0.28
"""Least of it in a high window."""


class PageTabs(QTabBar):
    """Tabs that Tab reaches and a click does not: it frames none of them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.pressed = False
        """Whether the mouse is what changes the page now."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed = True
        super().mousePressEvent(event)
        self.pressed = False


class PageDock(QWidget):
    """Four places, one page of them at a time, its height remembered; a click on the open tab folds it to the tab bar.

    The line of the tabs has the pages of the open place, its sentence about the focused panel, and the status line.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.setObjectName("bottom")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._workbench = workbench
        self.folded = False
        self._height = 0
        """The height that the user chose, 0 for none."""
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=0)
        self._made: dict[str, Page] = {}
        self._kinds = {page.id: page for page in table.PAGES}
        self._open_in = {page.place: page.id for page in reversed(table.PAGES)}
        """The page that is open in each place, at first its first one."""
        self._builder = QTimer(self, singleShot=True, interval=0)
        self._builder.timeout.connect(self.prepare)
        self.stack = QStackedWidget()
        self.stack.setMinimumHeight(theme.px(LEAST))
        column.addWidget(self._make_bar())
        column.addWidget(self.stack, 1)
        self.tabs.tabBarClicked.connect(self._clicked)
        self.tabs.currentChanged.connect(lambda _: self._open())
        workbench.document.changed.connect(self._document_changed)
        self.soon = Soon(self, milliseconds=100, do=self._show_sentence)
        for signal in (
            workbench.document.changed,
            workbench.editor.focus_changed,
            workbench.controller.panel_changed,
            workbench.verdicts.changed,
            workbench.advice.changed,
            workbench.comparer.changed,
            workbench.checks.changed,
            workbench.neighbours.changed,
        ):
            signal.connect(lambda *_: self.soon.ask())

    def _make_bar(self) -> QWidget:
        self.bar = QWidget()
        row = spaced(QHBoxLayout(self.bar), 0, 0, 0, 0, spacing=2)
        self.tabs = PageTabs()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Places below the panels")
        for place in table.PLACES:
            self.tabs.setTabToolTip(self.tabs.addTab(place.title), place.about)
        row.addWidget(self.tabs)
        row.addSpacing(12)
        self.parts: dict[str, QToolButton] = {}
        """The buttons that open the pages of a place; of the open one they are visible, where there are several."""
        for page in table.PAGES:
            part = self.parts[page.id] = QToolButton()
            part.setText(page.title)
            part.setCheckable(True)
            part.setProperty("role", "part")
            (title,) = (place.title for place in table.PLACES if place.id == page.place)
            part.setToolTip(tip(f"{title}: {page.title}"))
            part.setAccessibleName(f"{title}: {page.title}")
            part.clicked.connect(lambda _, id=page.id: self._choose(id))
            row.addWidget(part)
        self.sentence = Sentence(role="muted")
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.sentence.setContentsMargins(12, 0, 0, 0)
        row.addWidget(self.sentence, 1)
        self.status = StatusLine(self._workbench)
        row.addWidget(self.status)
        return self.bar

    @property
    def place(self) -> PagePlace:
        """The place whose tab is open."""
        return table.PLACES[self.tabs.currentIndex()]

    @property
    def pages(self) -> dict[str, Page]:
        """All pages by id, in the order of their places."""
        return {id: self._page(id) for id in self._kinds}

    def steps(self) -> list[Callable[[], object]]:
        """List steps that make the pages that are still missing, one a turn of the event loop."""
        return [partial(self._page, id) for id in self._kinds if id not in self._made]

    def prepare(self) -> None:
        """Make the pages ahead, one per idle moment."""
        if steps := self.steps():
            steps[0]()
            self._builder.start()

    def _page(self, id: str) -> Page:
        """Return a page, made when it is first needed: neither the window nor its data waits for all of them."""
        if id not in self._made:
            page = self._made[id] = self._kinds[id](self._workbench)
            assert isinstance(page, QWidget)
            if page.windowTitle():
                self.parts[id].setText(page.windowTitle())
            self.stack.addWidget(page)
            page.windowTitleChanged.connect(self.parts[id].setText)
        return self._made[id]

    def showEvent(self, event: QShowEvent) -> None:
        self._open()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.status.shut()
        super().hideEvent(event)

    @property
    def current(self) -> Page:
        """The page that is open, folded away or not."""
        return self._page(self._open_in[self.place.id])

    def _document_changed(self, change: Change) -> None:
        if self.isVisible() and self.current.isVisible():
            self.current.follow(change)

    def _show_sentence(self) -> None:
        """Begin the place with what is known of the focused panel."""
        if self.isVisible():
            words = self.place.words(self._workbench)
            if words != self.sentence.accessibleName():
                self.sentence.set_words(words)

    def apply_theme(self) -> None:
        """Use the current theme's colours on every page, and its scale."""
        self.stack.setMinimumHeight(theme.px(LEAST))
        self.status.apply_theme()
        for page in self._made.values():  # those made later begin with it
            page.apply_theme()

    def show_page(self, id: str) -> QWidget:
        """Open a page, a place, a part of a page, or what the status line opens over the window."""
        if id in table.OVER:
            return self.status.open(id)
        id, part = table.PARTS.get(id, (id, ""))
        place = self._kinds[id].place
        self._open_in[place] = id
        index = [each.id for each in table.PLACES].index(place)
        if index == self.tabs.currentIndex():
            self._open()
        self.tabs.setCurrentIndex(index)
        self.fold(False)
        page = self._page(id)
        if part == "sweep" and isinstance(page, TunePage):
            page.show_plot("sweep")
        elif part == "classes" and isinstance(page, TunePage):
            page.show_classes()
        return cast("QWidget", page)

    @property
    def open_page(self) -> str:
        """The id of the page that is open; nothing while all are folded."""
        return "" if self.folded else self._open_in[self.place.id]

    def return_to(self, page: str) -> None:
        """Open a page again, or fold all; one that this program does not have is left out."""
        if page in self._kinds and page != self.open_page:
            self.show_page(page)
        elif not page:
            self.fold(True)

    @property
    def idle(self) -> bool:
        """True if no page has an update pending."""
        return not any(soon.isActive() for soon in self.findChildren(Soon))

    def stop(self) -> None:
        """Stop all pages' updates, and make no more of them: the window closes."""
        self._builder.stop()
        for soon in self.findChildren(Soon):
            soon.stop()
            soon.blockSignals(True)

    # Heights ------------------------------------------------------------------------------------------------

    def _choose(self, page: str) -> None:
        """Open a page whose button was pressed, or fold the open one; the keyboard goes to no tab by that."""
        self.tabs.pressed = True
        if page == self.current.id and not self.folded:
            self.fold(True)
            self.parts[page].setChecked(True)
            self.tabs.pressed = False
            return
        self.show_page(page)
        self.tabs.pressed = False

    def _clicked(self, index: int) -> None:
        self.fold(not self.folded if index == self.tabs.currentIndex() else False)

    def _open(self) -> None:
        """Show the open page of the open place, and the buttons of its other pages."""
        self._keep_focus()
        place, current = self.place.id, self.current
        several = sum(page.place == place for page in table.PAGES) > 1
        for page in table.PAGES:
            self.parts[page.id].setVisible(several and page.place == place)
            self.parts[page.id].setChecked(page.id == current.id)
        self.stack.setCurrentWidget(cast("QWidget", current))
        self._show_sentence()

    def _keep_focus(self) -> None:
        """Give the tabs the keyboard focus if the page that is about to be hidden has it; after a click the window."""
        focused = QApplication.focusWidget()
        if focused is not None and self.stack.isAncestorOf(focused):
            (self.window() if self.tabs.pressed else self.tabs).setFocus(Qt.FocusReason.OtherFocusReason)

    def fold(self, folded: bool) -> None:
        """Show the tab bar only, or the open tab as well, as high as it was."""
        if folded == self.folded:
            return
        if folded:
            self._keep_focus()
        self.folded = folded
        self.stack.setVisible(not folded)
        unlimited = 16777215  # Qt's largest widget height
        self.setMaximumHeight(self.bar.sizeHint().height() + 2 if folded else unlimited)
        splitter = self.parentWidget()
        if isinstance(splitter, QSplitter):
            self._take(splitter)

    def remember_height(self) -> None:
        """Stay as high as now: the user dragged the edge."""
        if not self.folded:
            self._height = self.height()

    def fit(self) -> None:
        """Take its share of the height that there is now, unless the user chose one."""
        splitter = self.parentWidget()
        if isinstance(splitter, QSplitter) and not self._height:
            self._take(splitter)

    def _take(self, splitter: QSplitter) -> None:
        whole = splitter.height()
        unfolded = self._height or min(max(HEIGHT, int(LOW_SHARE * whole)), int(SHARE * whole))
        height = self.maximumHeight() if self.folded else unfolded
        splitter.setSizes([max(1, whole - height), height])
