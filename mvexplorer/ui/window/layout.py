"""The window's layout: sides left and right of the panels, pages below, a start page before any data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from mvexplorer.state.document.document import Document
from mvexplorer.ui.appearance.dock import AppearanceDock, FoldedStrip
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.importing.page import ImportPage
from mvexplorer.ui.multiples.page import MultiplesPage
from mvexplorer.ui.pages.dock import PageDock
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.banner import LEAST, Banners
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.window.start.opening_page import OpeningPage
from mvexplorer.ui.window.start.start_page import StartPage
from mvexplorer.ui.window.strip.message_sheet import MessageSheet
from mvexplorer.ui.window.strip.step_strip import StepStrip
from mvexplorer.ui.window.talk.presentation import PresentationBar

if TYPE_CHECKING:
    from mvexplorer.ui.gallery.page import GalleryPage
    from mvexplorer.ui.lessons.list_page import LessonList
    from mvexplorer.ui.samples.beside import ChartsBeside
    from mvexplorer.ui.samples.page import SamplesPage

CoverT = TypeVar("CoverT", bound=QWidget)


class WindowLayout(QWidget):
    """The central widget: decides which parts of the window are visible, and how large."""

    arranged = Signal()
    """Parts of the window were shown or hidden."""
    make_start_page: Callable[[], StartPage]
    """Makes the start page, shown while there is no data."""

    samples: SamplesPage | None = None
    charts: ChartsBeside | None = None
    """Table and charts of the samples, once they were shown: in the panels' place, and beside the legend."""

    def __init__(
        self,
        document: Document,
        strip: PresentationBar,
        side: ControlsDock,
        steps: StepStrip,
        banners: Banners,
        grid: PanelGrid,
        points: AppearanceDock,
        bottom: PageDock,
    ) -> None:
        super().__init__()
        self.setObjectName("window")
        self._document = document
        self.strip, self.side, self.grid, self.points, self.bottom = strip, side, grid, points, bottom
        self.step_strip = steps
        self.stand_in: StartPage | OpeningPage | None = None
        self.importing: ImportPage | None = None
        """The import page, while it is there: it has the whole window."""
        self.gallery: GalleryPage | None = None
        """The gallery, while it is there: it has the whole window."""
        self.lessons: LessonList | None = None
        """The list of lessons, while it is there: it has the whole window."""
        self.lesson: QWidget | None = None
        """The column of a lesson, once there was one: beside all else, in presentations as well."""
        self.show_lesson = False
        self.beside: QWidget | None = None
        """The column beside an experiment, once there was one."""
        self.multiples: MultiplesPage | None = None
        """The page of small multiples, once it was shown: it has the panels' place while the document says so."""
        self.opening = ""
        """Title of the data being opened while there is none."""
        self.show_side = self.show_points = self.show_beside = True
        self.show_samples = self.show_charts = False
        column = _column(self)
        strip.hide()
        column.addWidget(strip)
        centre = QWidget()
        self._centre_column = _column(centre)
        self._top = QWidget()
        self.above = _column(self._top)
        self.above.addWidget(steps)
        self._centre_column.addWidget(self._top)
        self._centre_column.addWidget(grid, 1)
        self.messages = MessageSheet(centre, steps, banners)
        steps.reading.toggled.connect(self._arrange_top)
        banners.settled.connect(self._arrange_top)
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.addWidget(self._make_upper(centre))
        whole.addWidget(bottom)
        whole.setStretchFactor(0, 1)
        whole.setChildrenCollapsible(False)
        whole.splitterMoved.connect(bottom.remember_height)
        self._beside_all = spaced(QHBoxLayout(), 0, 0, 0, 0, spacing=0)
        column.addLayout(self._beside_all, 1)
        self._beside_all.addWidget(whole, 1)
        # An explicit minimum overrides the contents': no page, message or name can make the window grow for good.
        self.setMinimumSize(720, 420)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.bottom.fit()

    def _make_upper(self, centre: QWidget) -> QWidget:
        splitter, middle = QSplitter(Qt.Orientation.Horizontal), QWidget()
        self._middle = spaced(QHBoxLayout(middle), 0, 0, 0, 0, spacing=0)
        self._middle.addWidget(centre, 1)
        for widget in (self.side, middle, self.points):
            splitter.addWidget(widget)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([292, 900, 224])
        splitter.setChildrenCollapsible(False)
        self.side.setMinimumWidth(260)
        self.side.setMaximumWidth(420)
        self.points.setMinimumWidth(190)
        self.points.setMaximumWidth(360)
        tip = "Points: colours, selection, sample"
        self.points_strip = FoldedStrip("palette", tip, self.toggle_points)
        keyed_tip(self.points_strip.button, tip, "Points")
        upper = QWidget()
        row = spaced(QHBoxLayout(upper), 0, 0, 0, 0, spacing=0)
        row.addWidget(splitter, 1)
        row.addWidget(self.strip.side_key)
        row.addWidget(self.points_strip)
        return upper

    def prepare(self) -> None:
        """Make the hidden parts, so that data only has to fill them."""
        self.bottom.prepare()
        self.grid.prepare()

    def steps(self) -> list[Callable[[], object]]:
        """List steps that show the parts around data, and at last the panels, one a turn of the event loop."""
        return [*self.bottom.steps(), self._arrange_around, self.arrange]

    def arrange(self) -> None:
        """Show all parts that are not folded away, or a start page while there is no data."""
        data = self._holds_data()
        if data:
            self.opening = ""
        self._stand_in(data or self.covered)
        self._arrange_top()
        table = data and self.table_shown
        small = data and not table and self.multiples is not None and self._document.state.multiples.shown
        # The panels are laid out once, for the room that the other parts leave.
        if not data or small or table:
            self.grid.hide()
        if self.samples is not None:
            self.samples.setVisible(table)
        if self.multiples is not None:
            self.multiples.setVisible(small)
        self._arrange_around()
        self.grid.setVisible(data and not small and not table)
        self.arranged.emit()

    def _arrange_around(self) -> None:
        around = self._holds_data() and not self.strip.isVisible()
        if self.lesson is not None:
            self.lesson.setVisible(self.show_lesson and not self.covered)
        self.side.setVisible(around and self.show_side)
        self.points.setVisible(around and self.show_points)
        if self.beside is not None:
            self.beside.setVisible(around and self.show_beside and bool(self._document.state.experiment))
        if self.charts is not None:
            self.charts.setVisible(around and self.show_charts)
        self.points_strip.setVisible(around and not self.show_points)
        self.bottom.setVisible(around)

    def _arrange_top(self) -> None:
        """Show the steps where there is data, and the messages; the import page has its own."""
        presenting, message = self.strip.isVisible(), self.messages.banners.width_with(theme.px(LEAST))
        steps = self._holds_data() and not presenting and not self.show_lesson
        waits = not self.step_strip.reading.isHidden()
        self._top.setVisible(self.importing is None)
        self.step_strip.make_room(steps=steps, message=message)
        self.step_strip.setVisible(steps or (not presenting and (message > 0 or waits)))
        self.messages.arrange(away=self.importing is not None)

    @property
    def points_folded(self) -> bool:
        """Whether a strip stands in the right side's place, and nothing else on show tells what is selected."""
        return not (self.points_strip.isHidden() or self.table_shown or self.show_lesson)

    @property
    def covered(self) -> bool:
        """Whether a page has the whole window."""
        return any(page is not None for page in (self.importing, self.gallery, self.lessons))

    def _holds_data(self) -> bool:
        return self._document.data is not None and not self.covered

    def show_opening(self, title: str) -> None:
        """Show the outlines of the first data until it is read; without a title, the start page again."""
        self.opening = title
        self.arrange()

    def show_import(self, page: ImportPage | None) -> None:
        """Show the import page in place of everything else, or the former content."""
        self.opening = ""
        if self.importing is not None:
            self.importing.close_page()
            self._discard(self.importing)
        self.importing = page
        if page is not None:
            self._centre_column.addWidget(page, 1)
        self.arrange()
        if page is not None:
            page.items.setFocus()

    def show_gallery(self, page: GalleryPage | None) -> None:
        """Show the gallery in place of everything else, or the former content."""
        self.gallery = self._exchanged(self.gallery, page)
        self.arrange()

    def show_lessons(self, page: LessonList | None) -> None:
        """Show the list of lessons in place of everything else, or the former content."""
        self.lessons = self._exchanged(self.lessons, page)
        self.arrange()

    def _exchanged(self, former: QWidget | None, page: CoverT | None) -> CoverT | None:
        if former is not None:
            self._discard(former)
        if page is not None:
            self._centre_column.addWidget(page, 1)
            page.show()
        return page

    def uncover(self) -> bool:
        """Have the gallery or the list of lessons close; False if neither was there."""
        pages = [page for page in (self.gallery, self.lessons) if page is not None]
        for page in pages:
            page.left.emit()
        return bool(pages)

    def add_lesson(self, column: QWidget) -> None:
        """Add the column of lessons in its place, which it keeps."""
        self.lesson = column
        column.hide()
        self._beside_all.addWidget(column)

    def add_beside(self, column: QWidget) -> None:
        """Add the column beside an experiment in its place, which it keeps."""
        self.beside = column
        column.hide()
        self._middle.addWidget(column)

    def make_room(self) -> None:
        """Fold the right side away, or bring it back, as there is room beside the panels."""
        self.show_points = self._roomy(self.width())
        self.arrange()

    def _roomy(self, width: int) -> bool:
        """True if the window is wide enough for the right side."""
        beside = self.beside is not None and self.show_beside and self._document.state.experiment
        narrow_width = 1400  # a narrower window has its right side folded away
        columns = [column for column, there in ((self.beside, beside), (self.lesson, self.show_lesson)) if there]
        return width >= narrow_width + sum(column.width() for column in columns if column is not None)

    def add_multiples(self, page: MultiplesPage) -> None:
        """Give the page of small multiples its place, which it keeps."""
        self.multiples = page
        page.hide()
        self._centre_column.addWidget(page, 1)

    @property
    def table_shown(self) -> bool:
        """Whether the table of samples has the panels' place; a presentation is of pictures."""
        return self.show_samples and self.samples is not None and not self.strip.isVisible()

    def add_samples(self, page: SamplesPage) -> None:
        """Give the table of samples its place, which it keeps."""
        self.samples = page
        page.hide()
        self._centre_column.addWidget(page, 1)

    def add_charts(self, column: ChartsBeside) -> None:
        """Give the charts their place beside the legend, which they keep."""
        self.charts = column
        column.hide()
        self._middle.addWidget(column)

    def _discard(self, page: QWidget) -> None:
        self._centre_column.removeWidget(page)
        page.hide()
        page.deleteLater()

    def _stand_in(self, data: bool) -> None:
        """Show a page in the panels' place without data: the start page, or the outlines of what is coming."""
        wanted = None if data else OpeningPage if self.opening else StartPage
        if (wanted is None and self.stand_in is None) or (wanted is not None and isinstance(self.stand_in, wanted)):
            return
        if self.stand_in is not None:
            self._discard(self.stand_in)
        self.stand_in = None
        if wanted is not None:
            self.stand_in = OpeningPage(self.opening) if self.opening else self.make_start_page()
            self._centre_column.addWidget(self.stand_in, 1)

    @property
    def start(self) -> StartPage | None:
        """The start page, while it is shown."""
        return self.stand_in if isinstance(self.stand_in, StartPage) else None

    def toggle_side(self) -> None:
        """Show or hide the left side."""
        self.show_side = not self.show_side
        self.arrange()

    def toggle_beside(self) -> None:
        """Show or hide the column beside an experiment."""
        self.show_beside = not self.show_beside
        self.make_room()

    def toggle_points(self) -> None:
        """Show or hide the right side."""
        self.show_points = not self.show_points
        self.arrange()

    def unfold_points(self) -> None:
        """Show the right side if it is folded: something new stands there."""
        if not self.show_points:
            self.toggle_points()

    def fit(self, old: QSize, new: QSize) -> None:
        """Fold parts away, or bring them back, when the window's size crosses a threshold."""
        short_height = 800  # a lower window has its pages folded away
        if not old.isValid() or (old.height() < short_height) != (new.height() < short_height):
            self.bottom.fold(new.height() < short_height)
        if not old.isValid() or self._roomy(old.width()) != self._roomy(new.width()):
            self.show_points = self._roomy(new.width())
            self.arrange()


def _column(widget: QWidget) -> QVBoxLayout:
    return spaced(QVBoxLayout(widget), 0, 0, 0, 0, spacing=0)
