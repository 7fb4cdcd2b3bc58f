"""The pages below the panels, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.pages import table
from mvexplorer.ui.pages.page import Page, Soon
from mvexplorer.ui.pages.tune.tune import TunePage
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced

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
        """Whether the mouse is what changes the tab now."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed = True
        super().mousePressEvent(event)
        self.pressed = False


class PageDock(QWidget):
    """One tab at a time, its height remembered; a click on the open tab folds it to the tab bar."""

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
        self._builder = QTimer(self, singleShot=True, interval=0)
        self._builder.timeout.connect(self.prepare)
        self.tabs = PageTabs()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Below the panels")
        self.stack = QStackedWidget()
        self.stack.setMinimumHeight(theme.px(LEAST))
        for page in table.PAGES:
            self.tabs.addTab(page.title)
        column.addWidget(self.tabs)
        column.addWidget(self.stack, 1)
        self.tabs.tabBarClicked.connect(self._clicked)
        self.tabs.currentChanged.connect(self._open)
        workbench.document.changed.connect(self._document_changed)

    @property
    def pages(self) -> dict[str, Page]:
        """All pages by id, in tab order."""
        return {page.id: self._page(index) for index, page in enumerate(table.PAGES)}

    def steps(self) -> list[Callable[[], object]]:
        """List steps that make the pages that are still missing, one a turn of the event loop."""
        return [partial(self._page, i) for i, page in enumerate(table.PAGES) if page.id not in self._made]

    def prepare(self) -> None:
        """Make the pages ahead, one per idle moment."""
        if steps := self.steps():
            steps[0]()
            self._builder.start()

    def _page(self, index: int) -> Page:
        """Return a page, made when it is first needed: neither the window nor its data waits for all of them."""
        kind = table.PAGES[index]
        if kind.id not in self._made:
            page = self._made[kind.id] = kind(self._workbench)
            assert isinstance(page, QWidget)
            if page.windowTitle():
                self.tabs.setTabText(index, page.windowTitle())
            self.stack.addWidget(page)
            page.windowTitleChanged.connect(lambda title: self.tabs.setTabText(index, title))
        return self._made[kind.id]

    def showEvent(self, event: QShowEvent) -> None:
        self._open(self.tabs.currentIndex())
        super().showEvent(event)

    @property
    def current(self) -> Page:
        """The page whose tab is open."""
        return self._page(self.tabs.currentIndex())

    def _document_changed(self, change: Change) -> None:
        if self.isVisible() and self.current.isVisible():
            self.current.follow(change)

    def apply_theme(self) -> None:
        """Use the current theme's colours on every page, and its scale."""
        self.stack.setMinimumHeight(theme.px(LEAST))
        for page in self._made.values():  # those made later begin with it
            page.apply_theme()

    def show_page(self, id: str) -> Page:
        """Open a page, or a part of one."""
        id, part = table.PARTS.get(id, (id, ""))
        self.tabs.setCurrentIndex(list(self.pages).index(id))
        self.fold(False)
        page = self.pages[id]
        if part == "sweep" and isinstance(page, TunePage):
            page.show_plot("sweep")
        return page

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

    def _clicked(self, index: int) -> None:
        self.fold(not self.folded if index == self.tabs.currentIndex() else False)

    def _open(self, index: int) -> None:
        self._keep_focus()
        self.stack.setCurrentWidget(cast("QWidget", self._page(index)))

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
        self.setMaximumHeight(self.tabs.sizeHint().height() + 2 if folded else unlimited)
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
