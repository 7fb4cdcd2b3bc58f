"""The pages, in the order of their tabs. A new page is one file and one row here."""

from __future__ import annotations

from mvexplorer.errors import ParameterError
from mvexplorer.ui.pages.agreement.agreement import AgreementPage
from mvexplorer.ui.pages.diagnostics.diagnostics import DiagnosticsPage
from mvexplorer.ui.pages.history import HistoryPage
from mvexplorer.ui.pages.page import Page
from mvexplorer.ui.pages.real.real import RealPage
from mvexplorer.ui.pages.spectrum import SpectrumPage
from mvexplorer.ui.pages.tasks.tasks import TasksPage
from mvexplorer.ui.pages.tune.tune import TunePage
from mvexplorer.ui.pages.views.views import ViewsPage

PAGES: tuple[type[Page], ...] = (
    SpectrumPage,
    TunePage,
    AgreementPage,
    RealPage,
    ViewsPage,
    DiagnosticsPage,
    HistoryPage,
    TasksPage,
)

PARTS = {"bandwidth": ("tune", ""), "sweep": ("tune", "sweep")}
"""What has become a part of another page: that page, and which of its plots."""


def check_page(id: str) -> None:
    """Raise ParameterError for an unknown page id, with the list of known ids."""
    ids = [page.id for page in PAGES]
    if id not in (*ids, *PARTS):
        raise ParameterError(f"There is no page called “{id}”.", f"Pages: {', '.join(ids)}.")
