"""The four places below the panels, and their pages. A new page is one file and one row here."""

from __future__ import annotations

from mvexplorer.errors import ParameterError
from mvexplorer.state.bench import place_words
from mvexplorer.ui.pages.agreement.agreement import AgreementPage
from mvexplorer.ui.pages.diagnostics.diagnostics import DiagnosticsPage
from mvexplorer.ui.pages.page import Page, PagePlace
from mvexplorer.ui.pages.spectrum import SpectrumPage
from mvexplorer.ui.pages.tune.tune import TunePage
from mvexplorer.ui.pages.validate.validate import ValidatePage
from mvexplorer.ui.pages.views.views import ViewsPage

PLACES = (
    PagePlace("tune", "Tune", "Which bandwidth, and what follows from it?", place_words.on_bandwidths),
    PagePlace("compare", "Compare", "Where do pictures and views differ?", place_words.on_agreement),
    PagePlace("validate", "Validate", "Is the picture more than chance, and does it last?", place_words.on_checks),
    PagePlace("inside", "Inside", "How did this picture come about?", place_words.on_origin),
)
PAGES: tuple[type[Page], ...] = (SpectrumPage, TunePage, AgreementPage, ViewsPage, ValidatePage, DiagnosticsPage)
"""The pages, in the order in which they stand in their places."""

PARTS = {
    "bandwidth": ("tune", ""),
    "classes": ("tune", "classes"),
    "sweep": ("tune", "sweep"),
    "compare": ("agreement", ""),
    "real": ("validate", ""),
    "inside": ("diagnostics", ""),
}
"""What is a place, or has become a part of a page: that page, and which of its plots."""
OVER = ("history", "tasks", "snapshots")
"""What the status line opens over the window."""


def check_page(id: str) -> None:
    """Raise ParameterError for an unknown page id, with the list of known ids."""
    ids = [*(place.id for place in PLACES), *(page.id for page in PAGES), *OVER]
    if id not in (*ids, *PARTS):
        raise ParameterError(f"There is no page called “{id}”.", f"Pages: {', '.join(dict.fromkeys(ids))}.")
